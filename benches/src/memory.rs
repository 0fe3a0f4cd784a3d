//! How much memory this process has had. Linux only.

use std::fs;

use crate::datasets::Result;

/// The most memory that this process has had, in bytes.
///
/// # Errors
/// If the system does not say.
pub fn peak_memory() -> Result<usize> {
    let status = fs::read_to_string("/proc/self/status")?;
    let kilobytes: usize = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:")?.strip_suffix("kB"))
        .ok_or("no VmHWM in /proc/self/status")?
        .trim()
        .parse()?;
    Ok(kilobytes * 1024)
}
