//! What is common to the zarr codecs of this crate, for compressions that zarrs lacks.
//!
//! Such a codec is a type with a configuration, which implements [`OwnCodec`], and a line
//! `own_codec!(Type, Configuration, "name")`.

#![allow(
    dead_code,
    unused_imports,
    unused_macros,
    reason = "what is used depends on the compressors that are compiled in"
)]

use zarrs_codec::{BytesRepresentation, CodecError};
use zarrs_plugin::PluginCreateError;

use crate::n5::error_text::counted;
use crate::n5::memory::zeroed;

/// What a zarr codec of this crate has to say of itself; `own_codec!` does the rest.
pub(super) trait OwnCodec: Sized {
    /// The configuration in `zarr.json`.
    type Configuration;

    /// Creates the codec, or names the member of `configuration` that is wrong.
    fn from_configuration(configuration: &Self::Configuration) -> Result<Self, PluginCreateError>;

    /// The configuration that is shown.
    fn to_configuration(&self) -> Self::Configuration;

    /// Appends `decoded`, compressed, to `out`.
    fn compress_append(&self, decoded: &[u8], out: &mut Vec<u8>) -> Result<(), CodecError>;

    /// Decompresses the whole of `encoded`, which is an error if that is more than `limit` bytes.
    ///
    /// [`grow`] and [`fill`] see to that: for a format that does not state its size, and for one
    /// that does.
    fn decompress(encoded: &[u8], limit: Option<u64>) -> Result<Vec<u8>, CodecError>;

    /// The most bytes that `size` bytes are ever compressed to; `None` if that overflows.
    ///
    /// It must hold for every input: zarrs's sharding reserves this for each block, and puts a
    /// shard together only after all its blocks are compressed where there is no such number.
    fn largest_encoded(&self, size: u64) -> Option<u64>;
}

/// The representation of what is encoded, from the bound of the codec.
pub(super) fn encoded_representation(
    codec: &impl OwnCodec,
    decoded: &BytesRepresentation,
) -> BytesRepresentation {
    let bound = decoded.size().and_then(|size| codec.largest_encoded(size));
    bound.map_or(
        BytesRepresentation::UnboundedSize,
        BytesRepresentation::BoundedSize,
    )
}

/// Decompresses what does not state its size into a buffer that grows.
///
/// `decompress` gets the limit in bytes and stops one byte behind it at the latest. `what` is the
/// format, for the error text.
pub(super) fn grow<E: Into<CodecError>>(
    what: &str,
    limit: Option<u64>,
    decompress: impl FnOnce(usize, &mut Vec<u8>) -> Result<(), E>,
) -> Result<Vec<u8>, CodecError> {
    let limit = limit
        .and_then(|limit| usize::try_from(limit).ok())
        .unwrap_or(usize::MAX);
    let mut decoded = Vec::new();
    decompress(limit, &mut decoded).map_err(Into::into)?;
    if decoded.len() > limit {
        return Err(CodecError::Other(format!(
            "the {what} decompresses to more than the {} expected at most",
            counted(limit, "byte that is", "bytes that are")
        )));
    }
    Ok(decoded)
}

/// Decompresses what states its size, `size` bytes, into a buffer of that size.
///
/// The caller has seen that so few bytes can hold so many: `size` is allocated. `decompress`
/// overwrites the whole buffer. `what` is the format, for the error text.
pub(super) fn fill<E: std::fmt::Display>(
    what: &str,
    size: u64,
    limit: Option<u64>,
    decompress: impl FnOnce(&mut [u8]) -> Result<(), E>,
) -> Result<Vec<u8>, CodecError> {
    if let Some(limit) = limit.filter(|limit| size > *limit) {
        return Err(CodecError::Other(format!(
            "the {what} decompresses to {}: expected {limit} at most",
            counted(size, "byte", "bytes")
        )));
    }
    let size = usize::try_from(size)
        .map_err(|_| CodecError::Other(format!("{size} bytes do not fit into memory")))?;
    let mut decoded = zeroed(size)
        .map_err(|error| CodecError::Other(format!("no memory for {size} bytes: {error}")))?;
    decompress(&mut decoded).map_err(|error| CodecError::Other(error.to_string()))?;
    Ok(decoded)
}

/// Makes an [`OwnCodec`] a codec of zarrs: its name, its registration, and zarrs's traits.
macro_rules! own_codec {
    ($codec:ident, $configuration:ident, $name:literal) => {
        zarrs_plugin::impl_extension_aliases!($codec, v3: $name);

        inventory::submit! {
            zarrs_codec::CodecPluginV3::new::<$codec>()
        }

        impl zarrs_metadata::ConfigurationSerialize for $configuration {}

        impl zarrs_codec::CodecTraitsV3 for $codec {
            fn create(
                metadata: &zarrs_metadata::v3::MetadataV3,
            ) -> Result<zarrs_codec::Codec, zarrs_plugin::PluginCreateError> {
                let configuration: $configuration = metadata.to_typed_configuration()?;
                let codec = <Self as $crate::n5::compression::own_codec::OwnCodec>
                    ::from_configuration(&configuration)?;
                Ok(zarrs_codec::Codec::BytesToBytes(std::sync::Arc::new(codec)))
            }
        }

        /// Adds the codec to the run-time registry of zarrs.
        pub(super) fn register_runtime() {
            // The handle only serves to take the codec out again.
            let _handle = zarrs_codec::register_codec_v3(zarrs_codec::CodecRuntimePluginV3::new(
                <$codec as zarrs_plugin::ExtensionAliasesV3>::matches_name_v3,
                <$codec as zarrs_codec::CodecTraitsV3>::create,
            ));
        }

        impl zarrs_codec::CodecTraits for $codec {
            fn as_any(&self) -> &dyn std::any::Any {
                self
            }

            fn configuration(
                &self,
                _version: zarrs_plugin::ZarrVersion,
                _options: &zarrs_codec::CodecMetadataOptions,
            ) -> Option<zarrs_metadata::Configuration> {
                use $crate::n5::compression::own_codec::OwnCodec;
                Some(self.to_configuration().into())
            }

            fn partial_decoder_capability(&self) -> zarrs_codec::PartialDecoderCapability {
                zarrs_codec::PartialDecoderCapability {
                    partial_read: false,
                    partial_decode: false,
                }
            }

            fn partial_encoder_capability(&self) -> zarrs_codec::PartialEncoderCapability {
                zarrs_codec::PartialEncoderCapability {
                    partial_encode: false,
                }
            }
        }

        #[cfg_attr(
            all(feature = "async", not(target_arch = "wasm32")),
            async_trait::async_trait
        )]
        #[cfg_attr(all(feature = "async", target_arch = "wasm32"), async_trait::async_trait(?Send))]
        impl zarrs_codec::BytesToBytesCodecTraits for $codec {
            fn into_dyn(
                self: std::sync::Arc<Self>,
            ) -> std::sync::Arc<dyn zarrs_codec::BytesToBytesCodecTraits> {
                self
            }

            fn recommended_concurrency(
                &self,
                _decoded_representation: &zarrs_codec::BytesRepresentation,
            ) -> Result<zarrs_codec::RecommendedConcurrency, zarrs_codec::CodecError> {
                Ok(zarrs_codec::RecommendedConcurrency::new_maximum(1))
            }

            fn encode<'a>(
                &self,
                decoded_value: zarrs_codec::ArrayBytesRaw<'a>,
                _options: &zarrs_codec::CodecOptions,
            ) -> Result<zarrs_codec::ArrayBytesRaw<'a>, zarrs_codec::CodecError> {
                use $crate::n5::compression::own_codec::OwnCodec;
                let mut encoded = Vec::new();
                self.compress_append(&decoded_value, &mut encoded)?;
                Ok(encoded.into())
            }

            fn decode<'a>(
                &self,
                encoded_value: zarrs_codec::ArrayBytesRaw<'a>,
                decoded_representation: &zarrs_codec::BytesRepresentation,
                _options: &zarrs_codec::CodecOptions,
            ) -> Result<zarrs_codec::ArrayBytesRaw<'a>, zarrs_codec::CodecError> {
                let limit = decoded_representation.size();
                let decoded = <Self as $crate::n5::compression::own_codec::OwnCodec>
                    ::decompress(&encoded_value, limit)?;
                Ok(decoded.into())
            }

            fn encoded_representation(
                &self,
                decoded_representation: &zarrs_codec::BytesRepresentation,
            ) -> zarrs_codec::BytesRepresentation {
                $crate::n5::compression::own_codec::encoded_representation(
                    self,
                    decoded_representation,
                )
            }
        }
    };
}

pub(super) use own_codec;
