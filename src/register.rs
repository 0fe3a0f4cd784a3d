//! Registration at run time, for programs from which the linker drops the link-time registration.

use std::sync::Once;

/// Registers every extension of this crate in the run-time registries of zarrs.
///
/// On the usual platforms one line in the program, `use zarrs_interop as _;`, is enough: it keeps
/// the link-time registration. This function is for platforms that `inventory` does not support.
/// Calling it more than once, or together with that line, has no further effect.
///
/// ```
/// zarrs_interop::register();
/// zarrs_interop::register();
/// ```
pub fn register() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        #[cfg(feature = "n5")]
        crate::n5::register_runtime();
        #[cfg(feature = "template")]
        crate::template::register_runtime();
    });
}
