//! The compressions of N5: parameters, the zarr codecs that stand for them, and the payload itself.
//!
//! [`Compression`] is the `compression` object of `attributes.json` with all its parameters.
//!
//! ```rust
//! use zarrs_interop::n5::compression::{Compression, Xz, XzPreset};
//!
//! let ordinary = Compression::gzip();
//! let small = Compression::Xz(Xz { preset: XzPreset::new(9)? });
//! assert_eq!(ordinary.to_string(), r#"{"type":"gzip","level":-1,"useZlib":false}"#);
//! assert_eq!(small.to_string(), r#"{"type":"xz","preset":9}"#);
//! # Ok::<(), zarrs_interop::n5::compression::OutOfRangeError>(())
//! ```
//!
#![doc = include_str!("../../docs/compression_table.md")]
//!
//! Members that a compression does not have are ignored on reading, as the Java implementation
//! does.
//!
//! ## Which gzip
#![doc = include_str!("../../docs/gzip_choice.md")]

mod blosc;
mod bounded;
mod bzip2;
mod compressor;
mod error;
mod gzip;
pub(super) mod lz4_java;
mod own_codec;
mod payload;
mod streams;
mod through_zarrs;
pub(super) mod xz;
mod zstd;

use std::fmt;
use std::sync::Arc;

use serde_json::{Map, Value, json};
use zarrs_codec::BytesToBytesCodecTraits;
use zarrs_metadata::v3::MetadataV3;

use super::N5DataType;
use super::members::{MemberError, Members};
use compressor::Parameters;

pub use blosc::{
    Blosc, BloscBlockSize, BloscCompressor, BloscLevel, BloscShuffle, BloscThreads, BloscTypeSize,
};
pub use bounded::{Bounded, OutOfRangeError};
pub use bzip2::{Bzip2, Bzip2BlockSize};
pub(crate) use compressor::Compressor;
pub use error::CompressionError;
pub use gzip::{Gzip, GzipLevel};
pub use lz4_java::{Lz4, Lz4BlockSize};
pub(crate) use payload::{Payload, PayloadError};
pub(crate) use through_zarrs::ThroughZarrs;
pub use xz::{Xz, XzPreset};
pub use zstd::{Zstd, ZstdLevel};

/// How the blocks of a dataset are compressed: the `compression` object of `attributes.json`.
///
/// Every value of it is valid, because every parameter is of a type that knows its range.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Compression {
    /// No compression.
    Raw,
    /// Deflate, in a gzip or in a zlib container.
    Gzip(Gzip),
    /// bzip2.
    Bzip2(Bzip2),
    /// Zstandard.
    Zstd(Zstd),
    /// Blosc.
    Blosc(Blosc),
    /// LZMA2 in an `.xz` container.
    Xz(Xz),
    /// The `LZ4Block` stream of lz4-java.
    Lz4(Lz4),
}

/// The one list of the compressions that have parameters: each name is that of the variant and of
/// its type. All that follows from the list is the same for each of them.
///
/// A further compression is a file with such a type, which implements [`Parameters`] and, under the
/// `cfg` of its feature, [`Compressor`]; CONTRIBUTING.md in the repository says what else it needs.
macro_rules! compressions {
    ($($name:ident,)*) => {
        /// What can be asked before the parameters are there.
        const FORMATS: &[Format] = &[$(Format {
            name: $name::NAME,
            feature: $name::FEATURE,
            enabled: $name::ENABLED,
            from_json: |members| $name::from_json(members).map(Compression::$name),
            is_codec: $name::is_codec,
            from_codec: |name, members| $name::from_codec(name, members).map(Compression::$name),
            default: || Compression::$name($name::default()),
        },)*];

        /// Adds the zarr codecs that are of this crate to the run-time registry of zarrs.
        pub(super) fn register_runtime() {
            $($name::register_runtime();)*
        }

        impl Compression {
            /// Returns the value of `type` in `attributes.json`.
            #[must_use]
            pub const fn name(&self) -> &'static str {
                match self {
                    Self::Raw => RAW,
                    $(Self::$name(_) => $name::NAME,)*
                }
            }

            /// The object for `attributes.json`.
            #[must_use]
            pub fn to_json(&self) -> Map<String, Value> {
                let mut object = Map::new();
                object.insert("type".to_owned(), json!(self.name()));
                match self {
                    Self::Raw => {}
                    $(Self::$name(parameters) => parameters.to_json(&mut object),)*
                }
                object
            }

            /// The zarr codec that stands for it; `None` for raw. The compressor may be switched
            /// off.
            fn codec(&self, data_type: N5DataType) -> Option<MetadataV3> {
                match self {
                    Self::Raw => None,
                    $(Self::$name(parameters) => Some(parameters.to_codec(data_type)),)*
                }
            }

            /// The compressor that takes the place of the codec implementation `codec`.
            ///
            /// `None` if there is none, or if `codec` is not the one that it is meant for.
            pub(crate) fn compressor(
                &self,
                codec: &Arc<dyn BytesToBytesCodecTraits>,
            ) -> Option<Arc<dyn Compressor>> {
                match self {
                    Self::Raw => None,
                    $(Self::$name(parameters) => parameters.compressor(codec),)*
                }
            }
        }
    };
}

compressions! {
    Gzip,
    Bzip2,
    Zstd,
    Blosc,
    Xz,
    Lz4,
}

/// The `type` of no compression.
const RAW: &str = "raw";

/// One row of the compressions.
struct Format {
    name: &'static str,
    feature: &'static str,
    enabled: bool,
    from_json: fn(Members<'_>) -> Result<Compression, MemberError>,
    is_codec: fn(&str) -> bool,
    from_codec: fn(&str, Members<'_>) -> Result<Compression, MemberError>,
    default: fn() -> Compression,
}

impl Format {
    fn named(name: &str) -> Option<&'static Self> {
        FORMATS.iter().find(|format| format.name == name)
    }

    fn of_codec(name: &str) -> Option<&'static Self> {
        FORMATS.iter().find(|format| (format.is_codec)(name))
    }

    /// Refuses a compressor that is not compiled in.
    const fn check_enabled(&self) -> Result<(), CompressionError> {
        if self.enabled {
            Ok(())
        } else {
            Err(CompressionError::FeatureOff {
                compression: self.name,
                feature: self.feature,
            })
        }
    }
}

impl Compression {
    /// gzip at the default level, the most widely readable compression of N5.
    #[must_use]
    pub const fn gzip() -> Self {
        Self::Gzip(Gzip::DEFAULT)
    }

    /// bzip2 with its default block size, 9.
    #[must_use]
    pub const fn bzip2() -> Self {
        Self::Bzip2(Bzip2::DEFAULT)
    }

    /// Zstandard at the default level of N5, 3.
    #[must_use]
    pub const fn zstd() -> Self {
        Self::Zstd(Zstd::DEFAULT)
    }

    /// Blosc with the parameters of [`Blosc::default`].
    #[must_use]
    pub fn blosc() -> Self {
        Self::Blosc(Blosc::default())
    }

    /// xz with its default preset, 6.
    #[must_use]
    pub const fn xz() -> Self {
        Self::Xz(Xz::DEFAULT)
    }

    /// The `LZ4Block` stream of lz4-java with its default block size, 65536 bytes.
    #[must_use]
    pub const fn lz4() -> Self {
        Self::Lz4(Lz4::DEFAULT)
    }

    /// Parses the `compression` object (or a legacy `compressionType` as `{"type": name}`).
    ///
    /// Members that are absent take their N5 default; members that the compression does not have
    /// are ignored, as the Java implementation does. Whole numbers may be written as `3.0`.
    ///
    /// # Errors
    /// Returns [`CompressionError`] naming the `type` that is missing or not supported, or the
    /// member that is wrong.
    pub fn from_json(json: &Map<String, Value>) -> Result<Self, CompressionError> {
        let members = Members::new(json);
        let name = members
            .string("type", "a string")
            .map_err(|error| CompressionError::member("N5", error))?
            .ok_or(CompressionError::MissingType)?;
        if name == RAW {
            return Ok(Self::Raw);
        }
        let format = Format::named(name).ok_or_else(|| CompressionError::UnsupportedType {
            name: name.to_owned(),
        })?;
        (format.from_json)(members).map_err(|error| CompressionError::member(format.name, error))
    }

    /// The metadata of the zarr codec that stands for this compression; `None` for raw.
    ///
    /// `data_type` fills in what N5 leaves to the reader: the element size of Blosc's filter.
    ///
    /// # Errors
    /// Returns [`CompressionError::FeatureOff`] if the compressor is not compiled in.
    pub fn to_codec_metadata(
        &self,
        data_type: N5DataType,
    ) -> Result<Option<MetadataV3>, CompressionError> {
        if let Some(format) = Format::named(self.name()) {
            format.check_enabled()?;
        }
        Ok(self.codec(data_type))
    }

    /// The compression that a zarr codec stands for; no codec is raw.
    ///
    /// The name may be any that zarrs accepts for the codec. Blosc's `typesize` is checked and
    /// dropped: it is a hint to the compressor that not every N5 reader accepts, and readers do
    /// without it.
    ///
    /// # Errors
    /// Returns [`CompressionError`] naming the codec, or its member, that N5 cannot express, or the
    /// cargo feature that it needs.
    pub fn from_codec_metadata(codec: Option<&MetadataV3>) -> Result<Self, CompressionError> {
        let Some(codec) = codec else {
            return Ok(Self::Raw);
        };
        let name = codec.name();
        let format = Format::of_codec(name).ok_or_else(|| CompressionError::UnsupportedCodec {
            name: name.to_owned(),
        })?;
        format.check_enabled()?;
        let members = Members::new(codec.configuration().map(|configuration| &**configuration));
        (format.from_codec)(name, members)
            .map_err(|error| CompressionError::codec_member(name, error))
    }

    /// The compression with its default parameters that has the format of the zarr codec `name`.
    ///
    /// To read payloads whose codec has parameters that N5 cannot express.
    pub(crate) fn format_of_codec(name: &str) -> Option<Self> {
        Format::of_codec(name).map(|format| (format.default)())
    }
}

/// The compression object as one line of JSON.
impl fmt::Display for Compression {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        Value::Object(self.to_json()).fmt(formatter)
    }
}

#[cfg(test)]
pub(super) mod tests;
