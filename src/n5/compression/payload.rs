//! The bytes behind a block header: compressed and decompressed when the exact size is known.

use std::borrow::Cow;
use std::sync::Arc;

use zarrs_codec::{BytesRepresentation, BytesToBytesCodecTraits, CodecOptions};

use super::{CompressionError, CompressorError};

/// How the bytes behind a block header are compressed: the fast path of each known compressor,
/// or any other zarrs codec as it is.
#[derive(Clone, Debug)]
pub(crate) enum PayloadCodec {
    /// Not at all.
    Raw,
    /// gzip or zlib, with the level.
    #[cfg(feature = "gzip")]
    Deflate(super::deflate::Container, i32),
    /// bzip2, with the block size in units of 100 kB.
    #[cfg(feature = "bzip2")]
    Bzip2(u32),
    /// Zstandard.
    #[cfg(feature = "zstd")]
    Zstd { level: i32, checksum: bool },
    /// Blosc: through the zarrs codec, which is the safe way to c-blosc.
    #[cfg(feature = "blosc")]
    Blosc(Arc<dyn BytesToBytesCodecTraits>),
    /// xz.
    #[cfg(feature = "xz")]
    Xz(crate::n5::xz::XzCodec),
    /// The `LZ4Block` stream.
    #[cfg(feature = "lz4")]
    Lz4(crate::n5::lz4_java::Lz4JavaCodec),
    /// A codec that this module knows nothing about.
    Other(Arc<dyn BytesToBytesCodecTraits>),
}

impl PayloadCodec {
    /// Picks the fast path for a bytes-to-bytes codec object of zarrs (by downcast).
    pub(crate) fn new(codec: Option<&Arc<dyn BytesToBytesCodecTraits>>) -> Self {
        match codec {
            None => Self::Raw,
            Some(codec) => Self::known(codec).unwrap_or_else(|| Self::Other(Arc::clone(codec))),
        }
    }

    fn known(codec: &Arc<dyn BytesToBytesCodecTraits>) -> Option<Self> {
        #[cfg(any(feature = "bzip2", feature = "gzip", feature = "zstd"))]
        use zarrs::array::codec as zarrs_codecs;
        let any = codec.as_any();
        #[cfg(feature = "gzip")]
        {
            use super::deflate::Container;
            if any.is::<zarrs_codecs::GzipCodec>() {
                return Some(Self::Deflate(Container::Gzip, level(&**codec)?));
            }
            if any.is::<zarrs_codecs::bytes_to_bytes::zlib::ZlibCodec>() {
                return Some(Self::Deflate(Container::Zlib, level(&**codec)?));
            }
        }
        #[cfg(feature = "bzip2")]
        if any.is::<zarrs_codecs::bytes_to_bytes::bz2::Bz2Codec>() {
            let level = u32::try_from(level(&**codec)?).ok()?;
            return (1..=9).contains(&level).then_some(Self::Bzip2(level));
        }
        #[cfg(feature = "zstd")]
        if any.is::<zarrs_codecs::ZstdCodec>() {
            return Some(Self::Zstd {
                level: level(&**codec)?,
                checksum: member(&**codec, "checksum")?.as_bool()?,
            });
        }
        #[cfg(feature = "blosc")]
        if any.is::<zarrs::array::codec::BloscCodec>() {
            return Some(Self::Blosc(Arc::clone(codec)));
        }
        #[cfg(feature = "xz")]
        if let Some(codec) = any.downcast_ref::<crate::n5::xz::XzCodec>() {
            return Some(Self::Xz(codec.clone()));
        }
        #[cfg(feature = "lz4")]
        if let Some(codec) = any.downcast_ref::<crate::n5::lz4_java::Lz4JavaCodec>() {
            return Some(Self::Lz4(codec.clone()));
        }
        // Nothing to compare with when no compressor is compiled in.
        let _ = any;
        None
    }

    /// Whether the payload is the data itself.
    pub(crate) fn is_raw(&self) -> bool {
        matches!(self, Self::Raw)
    }

    /// Decompresses a payload. `decoded_size` in bytes is what header and data type promise;
    /// anything else is an error.
    #[cfg(test)]
    pub(crate) fn decompress<'a>(
        &self,
        encoded: Cow<'a, [u8]>,
        decoded_size: usize,
        options: &CodecOptions,
    ) -> Result<Cow<'a, [u8]>, CompressionError> {
        if self.is_raw() {
            Payload::new("raw", &encoded, decoded_size).check_length(encoded.len() as u64)?;
            return Ok(encoded);
        }
        let mut out = Vec::new();
        self.decompress_into(&encoded, decoded_size, &mut out, options)?;
        Ok(Cow::Owned(out))
    }

    /// Like `decompress`, into a reused buffer. On success `out.len() == decoded_size`; what `out`
    /// held before is gone in any case.
    pub(crate) fn decompress_into(
        &self,
        encoded: &[u8],
        decoded_size: usize,
        out: &mut Vec<u8>,
        options: &CodecOptions,
    ) -> Result<(), CompressionError> {
        let payload = Payload::new(self.name(), encoded, decoded_size);
        match self {
            Self::Raw => {
                payload.check_length(encoded.len() as u64)?;
                out.clear();
                out.extend_from_slice(encoded);
                Ok(())
            }
            #[cfg(feature = "gzip")]
            Self::Deflate(container, _) => payload.inflate(*container, out),
            #[cfg(feature = "bzip2")]
            Self::Bzip2(_) => {
                super::bz2::decompress(encoded, decoded_size, out)
                    .map_err(|error| payload.corrupt(error))?;
                payload.check_bounded(out.len())
            }
            #[cfg(feature = "zstd")]
            Self::Zstd { .. } => payload.decompress_zstd(out),
            #[cfg(feature = "blosc")]
            Self::Blosc(codec) => {
                let (header, counted) =
                    super::blosc::split(encoded).map_err(|error| payload.corrupt(error))?;
                payload.check_length(u64::from(header.nbytes))?;
                payload.decompress_by(&**codec, counted, out, options)
            }
            #[cfg(feature = "xz")]
            Self::Xz(_) => {
                crate::n5::xz::decompress(encoded, decoded_size, out)
                    .map_err(|error| payload.corrupt(error))?;
                payload.check_bounded(out.len())
            }
            #[cfg(feature = "lz4")]
            Self::Lz4(_) => {
                let stated = crate::n5::lz4_java::stated_size(encoded)
                    .map_err(|error| payload.corrupt(error))?;
                payload.check_length(stated)?;
                super::exact::set_length(out, decoded_size);
                crate::n5::lz4_java::decompress(encoded, out)
                    .map_err(|error| payload.corrupt(error))
            }
            Self::Other(codec) => payload.decompress_by(&**codec, encoded, out, options),
        }
    }

    /// Compresses `decoded` and appends the result to `out` (which already holds the block header).
    pub(crate) fn compress_append(
        &self,
        decoded: &[u8],
        out: &mut Vec<u8>,
        options: &CodecOptions,
    ) -> Result<(), CompressionError> {
        let failed = |source: CompressorError| CompressionError::Compress {
            compression: self.name(),
            decoded: decoded.len(),
            source,
        };
        match self {
            Self::Raw => {
                out.extend_from_slice(decoded);
                Ok(())
            }
            #[cfg(feature = "gzip")]
            Self::Deflate(container, level) => {
                super::deflate::compress_append(*container, decoded, *level, out)
                    .map_err(|error| failed(CompressorError::new(error)))
            }
            #[cfg(feature = "bzip2")]
            Self::Bzip2(level) => super::bz2::compress_append(decoded, *level, out)
                .map_err(|error| failed(CompressorError::new(error))),
            #[cfg(feature = "zstd")]
            Self::Zstd { level, checksum } => {
                super::zstandard::compress_append(decoded, *level, *checksum, out)
                    .map_err(|error| failed(CompressorError::new(error)))
            }
            #[cfg(feature = "xz")]
            Self::Xz(codec) => codec
                .compress_append(decoded, out)
                .map_err(|error| failed(CompressorError::new(error))),
            #[cfg(feature = "lz4")]
            Self::Lz4(codec) => {
                codec.compress_append(decoded, out);
                Ok(())
            }
            #[cfg(feature = "blosc")]
            Self::Blosc(codec) => compress_by(&**codec, decoded, out, options).map_err(failed),
            Self::Other(codec) => compress_by(&**codec, decoded, out, options).map_err(failed),
        }
    }

    /// The name for error texts.
    const fn name(&self) -> &'static str {
        match self {
            Self::Raw => "raw",
            #[cfg(feature = "gzip")]
            Self::Deflate(super::deflate::Container::Gzip, _) => "gzip",
            #[cfg(feature = "gzip")]
            Self::Deflate(super::deflate::Container::Zlib, _) => "zlib",
            #[cfg(feature = "bzip2")]
            Self::Bzip2(_) => "bzip2",
            #[cfg(feature = "zstd")]
            Self::Zstd { .. } => "zstd",
            #[cfg(feature = "blosc")]
            Self::Blosc(_) => "blosc",
            #[cfg(feature = "xz")]
            Self::Xz(_) => "xz",
            #[cfg(feature = "lz4")]
            Self::Lz4(_) => "lz4",
            Self::Other(_) => "compressed",
        }
    }
}

/// A payload and what is expected of it.
struct Payload<'a> {
    compression: &'static str,
    encoded: &'a [u8],
    expected: usize,
}

impl<'a> Payload<'a> {
    const fn new(compression: &'static str, encoded: &'a [u8], expected: usize) -> Self {
        Self {
            compression,
            encoded,
            expected,
        }
    }

    #[cfg(feature = "gzip")]
    fn inflate(
        &self,
        container: super::deflate::Container,
        out: &mut Vec<u8>,
    ) -> Result<(), CompressionError> {
        use super::deflate::{Filled, MAX_RATIO, decompress};
        self.check_ratio(MAX_RATIO)?;
        super::exact::set_length(out, self.expected);
        match decompress(container, self.encoded, out).map_err(|error| self.corrupt(error))? {
            Filled::Bytes(count) => self.check_length(count as u64),
            Filled::TooLong => Err(self.too_long()),
        }
    }

    #[cfg(feature = "zstd")]
    fn decompress_zstd(&self, out: &mut Vec<u8>) -> Result<(), CompressionError> {
        use super::zstandard::{MAX_RATIO, decompress, is_too_long, stated_size};
        if let Some(size) = stated_size(self.encoded).map_err(|error| self.corrupt(error))? {
            self.check_length(size)?;
        }
        self.check_ratio(MAX_RATIO)?;
        super::exact::set_length(out, self.expected);
        match decompress(self.encoded, out) {
            Ok(count) => self.check_length(count as u64),
            Err(error) if is_too_long(&error) => Err(self.too_long()),
            Err(error) => Err(self.corrupt(error)),
        }
    }

    /// The way of every codec of zarrs, which allocates its own output.
    fn decompress_by(
        &self,
        codec: &dyn BytesToBytesCodecTraits,
        encoded: &[u8],
        out: &mut Vec<u8>,
        options: &CodecOptions,
    ) -> Result<(), CompressionError> {
        let expected = BytesRepresentation::FixedSize(self.expected as u64);
        let decoded = codec
            .decode(Cow::Borrowed(encoded), &expected, options)
            .map_err(|error| self.corrupt(error))?;
        self.check_length(decoded.len() as u64)?;
        *out = decoded.into_owned();
        Ok(())
    }

    /// Before anything is allocated: can so few bytes hold what is promised?
    #[cfg(any(feature = "gzip", feature = "zstd"))]
    const fn check_ratio(&self, max_ratio: usize) -> Result<(), CompressionError> {
        let limit = self.encoded.len().saturating_mul(max_ratio);
        if self.expected <= limit {
            Ok(())
        } else {
            Err(CompressionError::ImpossibleRatio {
                compression: self.compression,
                encoded: self.encoded.len(),
                limit,
                expected: self.expected,
            })
        }
    }

    const fn check_length(&self, found: u64) -> Result<(), CompressionError> {
        if found == self.expected as u64 {
            Ok(())
        } else {
            Err(CompressionError::Length {
                compression: self.compression,
                expected: self.expected,
                found,
            })
        }
    }

    /// After decompression stopped one byte behind the promised size at the latest.
    #[cfg(any(feature = "bzip2", feature = "xz"))]
    const fn check_bounded(&self, found: usize) -> Result<(), CompressionError> {
        if found > self.expected {
            Err(self.too_long())
        } else {
            self.check_length(found as u64)
        }
    }

    #[cfg(any(feature = "bzip2", feature = "gzip", feature = "xz", feature = "zstd"))]
    const fn too_long(&self) -> CompressionError {
        CompressionError::TooLong {
            compression: self.compression,
            expected: self.expected,
        }
    }

    fn corrupt(
        &self,
        error: impl Into<Box<dyn std::error::Error + Send + Sync>>,
    ) -> CompressionError {
        CompressionError::Corrupt {
            compression: self.compression,
            encoded: self.encoded.len(),
            source: CompressorError::new(error),
        }
    }
}

fn compress_by(
    codec: &dyn BytesToBytesCodecTraits,
    decoded: &[u8],
    out: &mut Vec<u8>,
    options: &CodecOptions,
) -> Result<(), CompressorError> {
    let encoded = codec
        .encode(Cow::Borrowed(decoded), options)
        .map_err(CompressorError::new)?;
    out.extend_from_slice(&encoded);
    Ok(())
}

/// A member of the configuration that the codec shows.
#[cfg(any(feature = "bzip2", feature = "gzip", feature = "zstd"))]
fn member(codec: &dyn BytesToBytesCodecTraits, name: &str) -> Option<serde_json::Value> {
    codec
        .configuration_v3(&zarrs_codec::CodecMetadataOptions::default())?
        .get(name)
        .cloned()
}

#[cfg(any(feature = "bzip2", feature = "gzip", feature = "zstd"))]
fn level(codec: &dyn BytesToBytesCodecTraits) -> Option<i32> {
    i32::try_from(member(codec, "level")?.as_i64()?).ok()
}
