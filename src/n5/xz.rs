//! The `numcodecs.lzma` bytes to bytes codec, in its `.xz` format.
//!
//! It stands for the N5 compression `xz`.
//!
//! ### Compatible Implementations
//! The codec is compatible with the `numcodecs.lzma` codec of zarr-python as far as that one writes the
//! `.xz` format, and with the `xz` compression of every N5 implementation.
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

mod codec;
mod stream;

use std::sync::Arc;

pub use codec::XzCodec;
use serde::{Deserialize, Serialize};
pub(crate) use stream::decompress;
use zarrs_codec::{Codec, CodecPluginV3, CodecRuntimePluginV3, CodecTraitsV3, register_codec_v3};
use zarrs_metadata::ConfigurationSerialize;
use zarrs_metadata::v3::MetadataV3;
use zarrs_plugin::{ExtensionAliasesV3, PluginCreateError};

zarrs_plugin::impl_extension_aliases!(XzCodec, v3: "numcodecs.lzma");

inventory::submit! {
    CodecPluginV3::new::<XzCodec>()
}

/// The configuration of [`XzCodec`]. Every member may be absent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct XzCodecConfiguration {
    /// The container: 1 for `.xz`, the only one that is supported.
    #[serde(default = "default_format")]
    pub format: i32,
    /// The integrity check: -1 for the default, which is CRC64; 0 for none, 1 for CRC32, 4 for CRC64,
    /// 10 for SHA-256.
    #[serde(default = "default_check")]
    pub check: i32,
    /// The preset from 0 to 9; null for the default, which is 6.
    #[serde(default)]
    pub preset: Option<i32>,
    /// Must be null.
    #[serde(default)]
    pub filters: Option<serde_json::Value>,
}

impl ConfigurationSerialize for XzCodecConfiguration {}

impl Default for XzCodecConfiguration {
    fn default() -> Self {
        Self {
            format: default_format(),
            check: default_check(),
            preset: None,
            filters: None,
        }
    }
}

const fn default_format() -> i32 {
    1
}

const fn default_check() -> i32 {
    -1
}

impl CodecTraitsV3 for XzCodec {
    fn create(metadata: &MetadataV3) -> Result<Codec, PluginCreateError> {
        let configuration: XzCodecConfiguration = metadata.to_typed_configuration()?;
        let codec = Self::new_with_configuration(&configuration)?;
        Ok(Codec::BytesToBytes(Arc::new(codec)))
    }
}

/// Adds the codec to the run-time registry of zarrs.
pub(crate) fn register_runtime() {
    // The handle only serves to take the codec out again.
    let _handle = register_codec_v3(CodecRuntimePluginV3::new(
        XzCodec::matches_name_v3,
        <XzCodec as CodecTraitsV3>::create,
    ));
}
