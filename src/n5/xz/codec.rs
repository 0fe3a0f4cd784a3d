//! The codec object of `numcodecs.lzma`.

use std::borrow::Cow;
use std::io;
use std::sync::Arc;

use liblzma::stream::Check;
use zarrs_codec::{
    ArrayBytesRaw, BytesRepresentation, BytesToBytesCodecTraits, CodecError, CodecMetadataOptions,
    CodecOptions, CodecTraits, PartialDecoderCapability, PartialEncoderCapability,
    RecommendedConcurrency,
};
use zarrs_metadata::Configuration;
use zarrs_plugin::{PluginCreateError, ZarrVersion};

use super::{XzCodecConfiguration, stream};
use crate::n5::compression::XzPreset;

/// A `numcodecs.lzma` codec implementation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct XzCodec {
    preset: Option<XzPreset>,
    check: i32,
}

impl XzCodec {
    /// Creates a codec that writes with `preset` and CRC64. Reading does not depend on it.
    #[must_use]
    pub const fn new(preset: XzPreset) -> Self {
        Self {
            preset: Some(preset),
            check: -1,
        }
    }

    /// Creates a codec from its configuration.
    ///
    /// # Errors
    /// Returns [`PluginCreateError`] naming the member that is out of range or not supported.
    pub fn new_with_configuration(
        configuration: &XzCodecConfiguration,
    ) -> Result<Self, PluginCreateError> {
        let refuse = |text: String| Err(PluginCreateError::Other(text));
        let XzCodecConfiguration {
            format,
            check,
            preset,
            filters,
        } = configuration;
        if *format != 1 {
            return refuse(format!("the member `format` is {format}: expected 1 (.xz)"));
        }
        if !matches!(check, -1 | 0 | 1 | 4 | 10) {
            return refuse(format!(
                "the member `check` is {check}: expected -1, 0, 1, 4 or 10"
            ));
        }
        if let Some(filters) = filters {
            return refuse(format!("the member `filters` is {filters}: expected null"));
        }
        let preset = match preset.map(XzPreset::new).transpose() {
            Ok(preset) => preset,
            Err(error) => return refuse(format!("the member `preset`: {error}")),
        };
        Ok(Self {
            preset,
            check: *check,
        })
    }

    /// Appends `decoded`, compressed, to `out`.
    pub(crate) fn compress_append(&self, decoded: &[u8], out: &mut Vec<u8>) -> io::Result<()> {
        let preset = self.preset.map_or(6, |preset| preset.get().unsigned_abs());
        let check = match self.check {
            0 => Check::None,
            1 => Check::Crc32,
            10 => Check::Sha256,
            _ => Check::Crc64,
        };
        stream::compress_append(decoded, preset, check, out)
    }
}

impl CodecTraits for XzCodec {
    fn as_any(&self) -> &dyn std::any::Any {
        self
    }

    fn configuration(
        &self,
        _version: ZarrVersion,
        _options: &CodecMetadataOptions,
    ) -> Option<Configuration> {
        let configuration = XzCodecConfiguration {
            check: self.check,
            preset: self.preset.map(XzPreset::get),
            ..XzCodecConfiguration::default()
        };
        Some(configuration.into())
    }

    fn partial_decoder_capability(&self) -> PartialDecoderCapability {
        PartialDecoderCapability {
            partial_read: false,
            partial_decode: false,
        }
    }

    fn partial_encoder_capability(&self) -> PartialEncoderCapability {
        PartialEncoderCapability {
            partial_encode: false,
        }
    }
}

#[cfg_attr(
    all(feature = "async", not(target_arch = "wasm32")),
    async_trait::async_trait
)]
#[cfg_attr(all(feature = "async", target_arch = "wasm32"), async_trait::async_trait(?Send))]
impl BytesToBytesCodecTraits for XzCodec {
    fn into_dyn(self: Arc<Self>) -> Arc<dyn BytesToBytesCodecTraits> {
        self
    }

    fn recommended_concurrency(
        &self,
        _decoded_representation: &BytesRepresentation,
    ) -> Result<RecommendedConcurrency, CodecError> {
        Ok(RecommendedConcurrency::new_maximum(1))
    }

    fn encode<'a>(
        &self,
        decoded_value: ArrayBytesRaw<'a>,
        _options: &CodecOptions,
    ) -> Result<ArrayBytesRaw<'a>, CodecError> {
        let mut encoded = Vec::new();
        self.compress_append(&decoded_value, &mut encoded)?;
        Ok(Cow::Owned(encoded))
    }

    fn decode<'a>(
        &self,
        encoded_value: ArrayBytesRaw<'a>,
        decoded_representation: &BytesRepresentation,
        _options: &CodecOptions,
    ) -> Result<ArrayBytesRaw<'a>, CodecError> {
        let limit = decoded_representation
            .size()
            .and_then(|limit| usize::try_from(limit).ok())
            .unwrap_or(usize::MAX);
        let mut decoded = Vec::new();
        stream::decompress(&encoded_value, limit, &mut decoded)?;
        if decoded.len() > limit {
            return Err(CodecError::Other(format!(
                "the xz data decompresses to more than the {limit} bytes that are expected at most"
            )));
        }
        Ok(Cow::Owned(decoded))
    }

    /// What LZMA2 cannot compress it stores, in chunks of about 64 KiB with at most 6 bytes of header.
    /// Headers, index and check of the container are less than 256 bytes.
    fn encoded_representation(
        &self,
        decoded_representation: &BytesRepresentation,
    ) -> BytesRepresentation {
        let bound = decoded_representation
            .size()
            .and_then(|size| size.checked_add(size / 1024)?.checked_add(1024));
        bound.map_or(
            BytesRepresentation::UnboundedSize,
            BytesRepresentation::BoundedSize,
        )
    }
}
