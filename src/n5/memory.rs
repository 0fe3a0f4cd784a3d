//! Memory that may not be there: an error instead of the end of the process.

use std::collections::TryReserveError;

/// The largest size that glibc may serve from memory that it holds
/// (`DEFAULT_MMAP_THRESHOLD_MAX`).
const LARGE: usize = 32 << 20;

/// A buffer of `size` zeros, whose pages are not touched; an error if there is no memory for it.
pub(crate) fn zeroed(size: usize) -> Result<Vec<u8>, TryReserveError> {
    can_allocate(size)?;
    Ok(vec![0; size])
}

/// Asks for the memory and gives it back, since `std` has no zeroed allocation that may fail.
///
/// Another thread may take it in between, and a process that is so near its end then ends. Sizes
/// that any part of a program might ask for are not tried, so as not to ask for each buffer twice.
/// From the threshold on, each of the two costs one system call.
pub(crate) fn can_allocate(size: usize) -> Result<(), TryReserveError> {
    if size > LARGE {
        Vec::<u8>::new().try_reserve_exact(size)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_than_there_is_is_an_error() {
        assert!(zeroed(usize::MAX / 2).is_err());
        assert_eq!(zeroed(3).unwrap(), [0; 3]);
    }
}
