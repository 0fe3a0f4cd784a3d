//! The `n5_default` array to bytes codec.
//!
//! Reads and writes N5 blocks in default mode: a big-endian header with the block's own shape, then
//! the elements, big-endian and with dimension 0 fastest, compressed or not.
//!
//! ### Compatible Implementations
//! - The blocks: every N5 implementation, among them the Java reference `n5`, `tensorstore`,
//!   `zarr-python` 2 (`N5Store`), `z5py` and `rust-n5`.
//! - The Zarr metadata: the Python package `zarr-n5`.
//!
//! ### Specification
//! - <https://github.com/zarr-developers/zarr-extensions/tree/main/codecs/n5_default>
//!
//! Decoding follows the four steps of its "Procedure":
//!
//! 1. [`BlockHeader::parse`](crate::n5::BlockHeader::parse) reads the header.
//! 2. A mode other than default, or another dimensionality than the array's, is an error.
//! 3. The payload is decompressed to exactly the size that the header and the data type promise,
//!    then turned from N5's order (dimension 0 fastest) into C order. That is what the mandatory
//!    `transpose` and `bytes` codecs of the configuration say; it is done in one pass instead of
//!    through them.
//! 4. Where the block is smaller than the chunk the rest is the fill value; where it is larger it
//!    is cut off. Both may happen in one block, and in any block of the array.
//!
//! ### Specification Deviations
//! None. What the specification leaves open:
//! - A block whose elements take more than 2<sup>31</sup> bytes is refused, as no other N5 reader
//!   could hold it.
//! - `bytes` without `endian` is accepted for 1-byte data types only; this is checked when a chunk
//!   is first used, since the codec is not told the data type when it is created. It is written
//!   back as it was read.
//! - Members other than `codecs` are refused.
//! - A compressor that N5 has no name for (`crc32c`, `zstd` with a checksum, ...) decodes, but does
//!   not encode.
//! - A partial read of a raw block fetches only the bytes it needs. It checks the header and that
//!   those bytes exist, and cannot notice surplus or missing bytes elsewhere in the block.
//! - Within `sharding_indexed` a partial read cannot notice bytes missing at the end of an inner
//!   chunk at all: zarrs lets such a read go on into the next one. Reading the whole shard reports
//!   them.
//!
//! ### Partial writes
//! With [`experimental_partial_encoding`](zarrs_codec::CodecOptions) of zarrs a region of a raw
//! block is changed in place. A block of another shape than its chunk is read, changed and written
//! over what is there; it is never erased first, so that a failing request loses nothing. Only a
//! block that comes to hold nothing but the fill value is erased, if zarrs is set so.
//!
//! ### Errors
//! The error of a block names its key (the path of the array and the position in the grid) where
//! its bytes can be recognised: if the array is read through
//! [`N5DefaultStore`](crate::n5::N5DefaultStore) and the bytes reach the codec as they were handed
//! out. That is so for folders, and for object stores that hand out a value in one piece. Of a
//! store that keeps the bytes itself (a `MemoryStore`) only parts of compressed blocks have a key;
//! within shards and before a checksum codec none has.
//!
//! ### Memory
//! Each thread reuses up to two buffers of the size of a block. What all threads of the process
//! keep between two blocks is at most 256 MiB, of which no buffer has more than 64 MiB. A chunk or
//! block for which there is no memory is an error.
//!
//! ### Codec `name` Aliases (Zarr V3)
//! - `n5_default`
//! - `zarrs.n5_default`
//!
//! ### Codec `id` Aliases (Zarr V2)
//! None
//!
//! ### Codec `configuration` Example - [`N5DefaultCodecConfiguration`]:
//! ```rust
//! # let JSON = r#"
//! {
//!     "codecs": [
//!         { "name": "transpose", "configuration": { "order": [1, 0] } },
//!         { "name": "bytes", "configuration": { "endian": "big" } }
//!     ]
//! }
//! # "#;
//! # use zarrs_interop::n5::{N5DefaultCodec, N5DefaultCodecConfiguration};
//! # let configuration = serde_json::from_str::<N5DefaultCodecConfiguration>(JSON).unwrap();
//! # N5DefaultCodec::new_with_configuration(&configuration).unwrap();
//! ```

mod array_to_bytes;
mod chunk;
mod chunk_codec;
mod configuration;
mod decoded_block;
mod error;
mod partial;
mod payload_codec;
mod region;
mod reversed;
mod scratch;

use std::any::Any;
use std::num::NonZeroU64;
use std::sync::Arc;

use zarrs_codec::{
    ArrayCodecTraits, Codec, CodecError, CodecMetadataOptions, CodecPluginV3, CodecRuntimePluginV3,
    CodecTraits, CodecTraitsV3, PartialDecoderCapability, PartialEncoderCapability,
    RecommendedConcurrency, register_codec_v3,
};
use zarrs_data_type::DataType;
use zarrs_metadata::{Configuration, v3::MetadataV3};
use zarrs_plugin::{ExtensionAliases, PluginCreateError, ZarrVersion, ZarrVersion3};

pub use configuration::{N5DefaultCodecConfiguration, N5DefaultConfigurationError};
pub(crate) use partial::{BlockFetch, Decoded, Fetched, WantedBlock};

pub(crate) use reversed::{N5ReversedCodec, NAME as REVERSED_NAME};

use super::dimension_order::DimensionOrder;
use payload_codec::PayloadCodec;

zarrs_plugin::impl_extension_aliases!(
    N5DefaultCodec,
    v3: "n5_default", ["zarrs.n5_default"]
);

inventory::submit! {
    CodecPluginV3::new::<N5DefaultCodec>()
}

/// Registers the codec in zarrs's run-time registry; the caller sees to it that this happens once.
pub(crate) fn register_runtime() {
    register_codec_v3(CodecRuntimePluginV3::new(
        <N5DefaultCodec as ExtensionAliases<ZarrVersion3>>::matches_name,
        N5DefaultCodec::create,
    ));
    reversed::register_runtime();
}

/// The `n5_default` codec. The names, the configuration and an example are on the
/// [front page](crate::n5::codec).
#[derive(Clone, Debug)]
pub struct N5DefaultCodec {
    configuration: N5DefaultCodecConfiguration,
    dimensionality: usize,
    has_endian: bool,
    payload: PayloadCodec,
    /// The order of the dimensions of chunks; blocks have N5's.
    order: DimensionOrder,
}

impl N5DefaultCodec {
    /// Creates the codec from its configuration.
    ///
    /// # Errors
    /// If the inner codecs are not a full transpose, a `bytes` codec that is big-endian or states
    /// no endianness, and at most one bytes to bytes codec, in this order.
    pub fn new_with_configuration(
        configuration: &N5DefaultCodecConfiguration,
    ) -> Result<Self, N5DefaultConfigurationError> {
        let parts = configuration.parts()?;
        Ok(Self {
            dimensionality: parts.dimensionality,
            has_endian: parts.has_endian,
            payload: parts.payload_codec()?,
            configuration: configuration.clone(),
            order: DimensionOrder::AsStored,
        })
    }
}

impl CodecTraitsV3 for N5DefaultCodec {
    fn create(metadata: &MetadataV3) -> Result<Codec, PluginCreateError> {
        let configuration = metadata.to_typed_configuration()?;
        let codec = Self::new_with_configuration(&configuration)
            .map_err(|error| PluginCreateError::Other(error.to_string()))?;
        Ok(Codec::ArrayToBytes(Arc::new(codec)))
    }
}

impl CodecTraits for N5DefaultCodec {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn configuration(
        &self,
        _version: ZarrVersion,
        _options: &CodecMetadataOptions,
    ) -> Option<Configuration> {
        Some(self.configuration.clone().into())
    }

    /// Raw blocks are read in byte ranges; of compressed ones all bytes are needed, and then any
    /// region can be decoded.
    fn partial_decoder_capability(&self) -> PartialDecoderCapability {
        PartialDecoderCapability {
            partial_read: self.payload.is_raw(),
            partial_decode: true,
        }
    }

    /// Raw blocks can be changed in place.
    fn partial_encoder_capability(&self) -> PartialEncoderCapability {
        PartialEncoderCapability {
            partial_encode: self.payload.is_raw(),
        }
    }
}

impl ArrayCodecTraits for N5DefaultCodec {
    /// One thread per block: zarrs uses its cores for several blocks at a time.
    fn recommended_concurrency(
        &self,
        _shape: &[NonZeroU64],
        _data_type: &DataType,
    ) -> Result<RecommendedConcurrency, CodecError> {
        Ok(RecommendedConcurrency::new_maximum(1))
    }
}

#[cfg(test)]
mod tests;
