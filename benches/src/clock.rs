//! Time spent: by the processor for the whole process, and by the clock on the wall.
#![allow(
    unreachable_pub,
    reason = "shared with benches/peers, where it is a private module"
)]

use std::time::Instant;

use cpu_time::ProcessTime;

/// Seconds.
#[derive(Clone, Copy, Debug)]
pub struct Seconds {
    /// All threads of the process together: what the others on the machine do does not count.
    pub cpu: f64,
    pub wall: f64,
}

/// How long `work` takes.
pub fn time<T>(work: impl FnOnce() -> T) -> (T, Seconds) {
    let wall = Instant::now();
    let cpu = ProcessTime::now();
    let result = work();
    let seconds = Seconds {
        cpu: cpu.elapsed().as_secs_f64(),
        wall: wall.elapsed().as_secs_f64(),
    };
    (result, seconds)
}

impl Seconds {
    /// The smaller of each.
    #[must_use]
    pub fn min(self, other: Self) -> Self {
        Self {
            cpu: self.cpu.min(other.cpu),
            wall: self.wall.min(other.wall),
        }
    }
}
