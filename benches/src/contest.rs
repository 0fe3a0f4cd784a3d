//! Several ways to do the same work, timed in turn (A B C A B C ...), the best of many rounds for
//! each. Each gets the same time, so that slow ones sit out rounds, but five rounds at least.
//!
//! What disturbs a shared machine for seconds disturbs all of them alike then, and the best round
//! of each is the one that was disturbed least. The ratios printed are thus of one run of one
//! program.

use std::time::{Duration, Instant};

use crate::clock::{Seconds, time};

/// Short work is repeated until it takes this long: far more than a look at the clock, and less
/// than the moments of quiet between two disturbances.
const SAMPLE: f64 = 0.001;
const LEAST_ROUNDS: usize = 5;

/// Which time counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clock {
    /// For one thread.
    Cpu,
    /// For several.
    Wall,
}

/// One piece of work and those who do it; the first of them is ours.
pub struct Contest<'a> {
    name: String,
    /// Of decoded elements: what a speed is the speed of.
    bytes: usize,
    clock: Clock,
    runners: Vec<Runner<'a>>,
}

struct Runner<'a> {
    name: &'static str,
    work: Box<dyn FnMut() + 'a>,
    /// Seconds on the wall clock.
    spent: f64,
    samples: Vec<f64>,
}

impl<'a> Contest<'a> {
    pub fn new(name: impl Into<String>, bytes: usize, clock: Clock) -> Self {
        Self {
            name: name.into(),
            bytes,
            clock,
            runners: Vec::new(),
        }
    }

    /// Adds one who does the work; what `work` gives back is dropped within the time.
    #[must_use]
    pub fn with<T>(mut self, name: &'static str, mut work: impl FnMut() -> T + 'a) -> Self {
        self.runners.push(Runner {
            name,
            work: Box::new(move || drop(std::hint::black_box(work()))),
            spent: 0.0,
            samples: Vec::new(),
        });
        self
    }

    /// Times all in turn for about `budget`.
    fn measure(mut self, budget: Duration) -> Row {
        let clock = self.clock;
        let repeats: Vec<u32> = self.runners.iter_mut().map(Runner::repeats).collect();
        let share = 1.0 / f64::from(u32::try_from(self.runners.len()).unwrap_or(u32::MAX));
        let begin = Instant::now();
        let is_short = |runner: &Runner<'_>| runner.samples.len() < LEAST_ROUNDS;
        while self.runners.iter().any(is_short) || begin.elapsed() < budget {
            for (runner, &repeats) in std::iter::zip(&mut self.runners, &repeats) {
                // A slow one that had its share of the time waits, for the others to get as many
                // rounds as they can.
                if !is_short(runner) && runner.spent > share * begin.elapsed().as_secs_f64() {
                    continue;
                }
                let seconds = runner.sample(repeats);
                runner.spent += seconds.wall * f64::from(repeats);
                runner.samples.push(match clock {
                    Clock::Cpu => seconds.cpu,
                    Clock::Wall => seconds.wall,
                });
            }
        }
        Row {
            name: self.name,
            bytes: self.bytes,
            clock,
            results: self.runners.iter_mut().map(Runner::result).collect(),
        }
    }
}

impl Runner<'_> {
    /// How often the work is to be done for one sample.
    fn repeats(&mut self) -> u32 {
        let mut repeats = 1;
        loop {
            let once = self.sample(repeats);
            let total = once.wall * f64::from(repeats);
            if total >= SAMPLE || repeats >= 1 << 20 {
                return repeats;
            }
            repeats *= 2;
        }
    }

    /// Seconds for doing the work once, from doing it `repeats` times.
    fn sample(&mut self, repeats: u32) -> Seconds {
        let ((), total) = time(|| (0..repeats).for_each(|_| (self.work)()));
        Seconds {
            cpu: total.cpu / f64::from(repeats),
            wall: total.wall / f64::from(repeats),
        }
    }

    fn result(&mut self) -> Best {
        self.samples.sort_by(f64::total_cmp);
        Best {
            name: self.name,
            seconds: self.samples[0],
            median: self.samples[self.samples.len() / 2],
        }
    }
}

/// What came of one contest.
pub struct Row {
    name: String,
    bytes: usize,
    clock: Clock,
    results: Vec<Best>,
}

struct Best {
    name: &'static str,
    seconds: f64,
    median: f64,
}

impl Best {
    /// By how much the median round took longer than the best.
    fn noise(&self) -> f64 {
        self.median / self.seconds - 1.0
    }
}

/// What a table shows of each runner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Show {
    /// Megabytes (10^6) of decoded elements per second.
    Speed,
    Microseconds,
    Nanoseconds,
    /// Speeds, and the ratios of the medians as well: where there are few rounds, one lucky one
    /// decides the others.
    SpeedAndMedians,
}

/// Prints a table in Markdown: a speed or time for each runner, then ours against each of the
/// others.
///
/// A ratio is the time of the other divided by ours: over 1 we are faster. Rows with other runners
/// than those of the first make a table of their own.
pub fn print(title: &str, rows: &[Row], show: Show) {
    let mut header: Vec<&str> = Vec::new();
    for row in rows {
        let names: Vec<&str> = row.results.iter().map(|best| best.name).collect();
        if names != header {
            print_header(title, &names, row.clock, show);
            header = names;
        }
        print_row(row, show);
    }
}

fn print_header(title: &str, names: &[&str], clock: Clock, show: Show) {
    let unit = match show {
        Show::Speed | Show::SpeedAndMedians => "MB/s",
        Show::Microseconds => "us",
        Show::Nanoseconds => "ns",
    };
    let clock = match clock {
        Clock::Cpu => "CPU time",
        Clock::Wall => "wall time",
    };
    println!("\n{title} ({unit}, {clock}; `ours : x` is the speed of ours as a multiple of x's)\n");
    let speeds = names.iter().map(|name| format!(" {name} |"));
    let others = names.iter().skip(1);
    let ratios = others.clone().map(|name| format!(" ours : {name} |"));
    let mut cells: Vec<String> = speeds.chain(ratios).collect();
    if show == Show::SpeedAndMedians {
        cells.extend(others.map(|name| format!(" ours : {name}, medians |")));
    }
    println!("| case |{} noise |", cells.concat());
    println!("|---|{}", "--:|".repeat(cells.len() + 1));
}

fn print_row(row: &Row, show: Show) {
    let Some(ours) = row.results.first() else {
        return;
    };
    #[expect(clippy::cast_precision_loss, reason = "sizes far below 2^52")]
    let bytes = row.bytes as f64;
    let speeds = row.results.iter().map(|best| match show {
        Show::Speed | Show::SpeedAndMedians => format!(" {:.0} |", bytes / best.seconds / 1e6),
        Show::Microseconds => format!(" {:.1} |", best.seconds * 1e6),
        Show::Nanoseconds => format!(" {:.1} |", best.seconds * 1e9),
    });
    let others = row.results.iter().skip(1);
    let ratios = others
        .clone()
        .map(|other| format!(" {:.2} |", other.seconds / ours.seconds));
    let mut cells: String = speeds.chain(ratios).collect();
    if show == Show::SpeedAndMedians {
        cells.extend(others.map(|other| format!(" {:.2} |", other.median / ours.median)));
    }
    let noise = row.results.iter().map(Best::noise);
    println!(
        "| {} |{cells} {:.0} % |",
        row.name,
        100.0 * noise.fold(0.0, |most, noise| noise.max(most))
    );
}

/// What is to be done, by how the program was started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mode {
    /// `cargo bench`, not `cargo test`: measure; otherwise do everything once, with small data.
    pub measures: bool,
    filter: String,
}

impl Mode {
    /// The first argument that is no option is the filter.
    pub fn from_arguments() -> Self {
        let arguments: Vec<String> = std::env::args().skip(1).collect();
        let filter = arguments.iter().find(|argument| !argument.starts_with('-'));
        Self {
            measures: arguments.iter().any(|argument| argument == "--bench"),
            filter: filter.cloned().unwrap_or_default(),
        }
    }

    /// Whether `title/name` contains the filter.
    pub fn wants(&self, title: &str, name: &str) -> bool {
        format!("{title}/{name}").contains(&self.filter)
    }

    /// Measures the contest for about `budget`, or lets everybody do the work once.
    pub fn run(&self, title: &str, mut contest: Contest<'_>, budget: Duration) -> Option<Row> {
        if !self.wants(title, &contest.name) {
            return None;
        }
        if self.measures {
            return Some(contest.measure(budget));
        }
        contest
            .runners
            .iter_mut()
            .for_each(|runner| (runner.work)());
        None
    }
}
