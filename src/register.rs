//! Registration at run time, for programs in which the linker drops the link-time registration.

use std::sync::Once;

/// Registers every extension of this crate in the run-time registries of zarrs.
///
/// One line of the program, `use zarrs_interop as _;`, is enough on the usual platforms: it keeps the link-time
/// registration. Call this function where that cannot work, for instance on platforms that `inventory` does not
/// support. Calling it more than once, or together with that line, changes nothing.
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
