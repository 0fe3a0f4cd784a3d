//! The `numcodecs.lzma` bytes to bytes codec, in its `.xz` format.
//!
//! It stands for the N5 compression `xz`.
//!
//! ### Compatible Implementations
//! The codec is compatible with the `numcodecs.lzma` codec of zarr-python as far as that one writes
//! the `.xz` format, and with the `xz` compression of every N5 implementation.
//!
//! ### Specification
//! - <https://numcodecs.readthedocs.io/en/stable/compression/lzma.html>
//! - <https://tukaani.org/xz/xz-file-format.txt>
//!
//! ### Deviations from the Specification
//! - Of the formats, only `.xz` (`"format": 1`) is supported.
//! - Custom filters are not supported: `filters` must be null or absent.
//! - A dictionary larger than that of preset 9 (64 MiB) is refused on reading.
//! - The dictionary that is written is not larger than the data, which changes nothing for readers.
//!
//! ### Codec `name` Aliases (Zarr V3)
//! - `numcodecs.lzma`
//!
//! ### Codec `id` Aliases (Zarr V2)
//! None.
//!
//! ### Codec `configuration` Example - [`XzCodecConfiguration`]:
//! ```rust
//! # let JSON = r#"
//! {
//!     "format": 1,
//!     "check": -1,
//!     "preset": 6,
//!     "filters": null
//! }
//! # "#;
//! # use zarrs_interop::n5::xz::XzCodecConfiguration;
//! # serde_json::from_str::<XzCodecConfiguration>(JSON).unwrap();
//! ```

pub use super::compression::xz::{XzCodec, XzCodecConfiguration};
