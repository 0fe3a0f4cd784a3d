//! The `zarrs_interop.lz4_java` bytes to bytes codec: the `LZ4Block` stream of lz4-java.
//!
//! It stands for the N5 compression `lz4`. It is not the `lz4` of numcodecs, nor the LZ4 frame format.
//!
//! ### Compatible Implementations
//! The codec is of this crate. Its bytes are those of `LZ4BlockOutputStream` and `LZ4BlockInputStream` of
//! the Java library lz4-java, which the Java implementation of N5 uses.
//!
//! ### Specification
//! There is none but lz4-java itself. A stream is a sequence of frames, each with a header of 21 bytes;
//! all numbers are little-endian:
//!
//! | bytes | content |
//! |---|---|
//! | 8 | `LZ4Block` in ASCII |
//! | 1 | token: method (`0x10` stored, `0x20` LZ4 block format) plus level |
//! | 4 | size of the data in this frame |
//! | 4 | size of the data after decompression, at most `1 << (10 + level)` |
//! | 4 | `XXH32(decompressed data, seed 0x9747b28c) & 0x0fffffff` |
//! | … | data |
//!
//! The level is `max(0, ceil(log2(block_size)) - 10)`. A frame that LZ4 does not make smaller is stored.
//! The last frame has three zeros for its sizes and checksum, and no data.
//!
//! ### Deviations from the Specification
//! - A stream that ends without the last, empty frame is accepted.
//! - Anything behind that frame is an error. lz4-java does not look at it.
//!
//! ### Codec `name` Aliases (Zarr V3)
//! - `zarrs_interop.lz4_java`
//!
//! ### Codec `id` Aliases (Zarr V2)
//! None.
//!
//! ### Codec `configuration` Example - [`Lz4JavaCodecConfiguration`]:
//! ```rust
//! # let JSON = r#"
//! {
//!     "block_size": 65536
//! }
//! # "#;
//! # use zarrs_interop::n5::lz4_java::Lz4JavaCodecConfiguration;
//! # serde_json::from_str::<Lz4JavaCodecConfiguration>(JSON).unwrap();
//! ```

mod codec;
mod frame;

use std::sync::Arc;

pub use codec::Lz4JavaCodec;
pub(crate) use frame::{decompress, stated_size};
use serde::{Deserialize, Serialize};
use zarrs_codec::{Codec, CodecPluginV3, CodecRuntimePluginV3, CodecTraitsV3, register_codec_v3};
use zarrs_metadata::ConfigurationSerialize;
use zarrs_metadata::v3::MetadataV3;
use zarrs_plugin::{ExtensionAliasesV3, PluginCreateError};

zarrs_plugin::impl_extension_aliases!(Lz4JavaCodec, v3: "zarrs_interop.lz4_java");

inventory::submit! {
    CodecPluginV3::new::<Lz4JavaCodec>()
}

/// The configuration of [`Lz4JavaCodec`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Lz4JavaCodecConfiguration {
    /// The most bytes that go into one frame, from 64 to 33554432.
    #[serde(default = "default_block_size")]
    pub block_size: u32,
}

impl ConfigurationSerialize for Lz4JavaCodecConfiguration {}

impl Default for Lz4JavaCodecConfiguration {
    fn default() -> Self {
        Self {
            block_size: default_block_size(),
        }
    }
}

/// The default of lz4-java.
const fn default_block_size() -> u32 {
    65_536
}

impl CodecTraitsV3 for Lz4JavaCodec {
    fn create(metadata: &MetadataV3) -> Result<Codec, PluginCreateError> {
        let configuration: Lz4JavaCodecConfiguration = metadata.to_typed_configuration()?;
        let codec = Self::new_with_configuration(&configuration)?;
        Ok(Codec::BytesToBytes(Arc::new(codec)))
    }
}

/// Adds the codec to the run-time registry of zarrs.
pub(crate) fn register_runtime() {
    // The handle only serves to take the codec out again.
    let _handle = register_codec_v3(CodecRuntimePluginV3::new(
        Lz4JavaCodec::matches_name_v3,
        <Lz4JavaCodec as CodecTraitsV3>::create,
    ));
}
