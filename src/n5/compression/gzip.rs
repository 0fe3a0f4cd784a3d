//! gzip and zlib: the same compression in two containers.

#[cfg(feature = "gzip")]
mod container;
#[cfg(feature = "gzip")]
mod deflate;

#[cfg(feature = "gzip")]
use std::sync::Arc;

use serde_json::{Map, Value, json};
#[cfg(feature = "gzip")]
use zarrs::array::codec::{GzipCodec, bytes_to_bytes::zlib::ZlibCodec};
#[cfg(feature = "gzip")]
use zarrs_codec::{BytesToBytesCodecTraits, CodecOptions};
use zarrs_metadata::v3::MetadataV3;
use zarrs_plugin::ExtensionAliasesV3;

use super::bounded::Bounded;
#[cfg(feature = "gzip")]
use super::compressor::Compressor;
use super::compressor::{Parameters, codec_metadata};
#[cfg(feature = "gzip")]
use super::payload::{Cause, Payload, PayloadError};
use crate::n5::N5DataType;
use crate::n5::members::{MemberError, Members};

/// The level of gzip and zlib; -1 is the compressor's own default, which is 6.
pub type GzipLevel = Bounded<-1, 9>;

/// The parameters of [`Compression::Gzip`](super::Compression::Gzip).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Gzip {
    /// The level.
    pub level: GzipLevel,
    /// Whether to write a zlib stream (RFC 1950) instead of gzip (RFC 1952).
    pub use_zlib: bool,
}

impl Gzip {
    /// The level -1, and no zlib.
    pub(super) const DEFAULT: Self = Self {
        level: Bounded::constant(-1),
        use_zlib: false,
    };

    /// The level that zarr has for it.
    const fn zarr_level(&self) -> i32 {
        if self.level.get() < 0 {
            6
        } else {
            self.level.get()
        }
    }
}

impl Default for Gzip {
    fn default() -> Self {
        Self::DEFAULT
    }
}

impl Parameters for Gzip {
    const NAME: &'static str = "gzip";
    const FEATURE: &'static str = "gzip";
    const ENABLED: bool = cfg!(feature = "gzip");

    fn from_json(members: Members<'_>) -> Result<Self, MemberError> {
        Ok(Self {
            level: Bounded::optional(members, "level")?.unwrap_or(Self::DEFAULT.level),
            use_zlib: members.boolean("useZlib")?.unwrap_or(false),
        })
    }

    fn to_json(&self, object: &mut Map<String, Value>) {
        object.insert("level".to_owned(), json!(self.level.get()));
        object.insert("useZlib".to_owned(), json!(self.use_zlib));
    }

    fn is_codec(name: &str) -> bool {
        GzipCodec::matches_name_v3(name) || ZlibCodec::matches_name_v3(name)
    }

    fn from_codec(name: &str, members: Members<'_>) -> Result<Self, MemberError> {
        members.only(&["level"])?;
        let level: Bounded<0, 9> = Bounded::required(members, "level")?;
        Ok(Self {
            level: Bounded::constant(level.get()),
            use_zlib: ZlibCodec::matches_name_v3(name),
        })
    }

    fn to_codec(&self, _data_type: N5DataType) -> MetadataV3 {
        let configuration = json!({ "level": self.zarr_level() });
        if self.use_zlib {
            codec_metadata::<ZlibCodec>(configuration)
        } else {
            codec_metadata::<GzipCodec>(configuration)
        }
    }

    #[cfg(feature = "gzip")]
    fn compressor(&self, codec: &Arc<dyn BytesToBytesCodecTraits>) -> Option<Arc<dyn Compressor>> {
        let is_own = if self.use_zlib {
            codec.as_any().is::<ZlibCodec>()
        } else {
            codec.as_any().is::<GzipCodec>()
        };
        is_own.then(|| Arc::new(self.clone()) as _)
    }
}

#[cfg(feature = "gzip")]
impl Compressor for Gzip {
    fn name(&self) -> &'static str {
        if self.use_zlib { "zlib" } else { "gzip" }
    }

    fn decompress_into(
        &self,
        payload: &Payload<'_>,
        out: &mut Vec<u8>,
        _options: &CodecOptions,
    ) -> Result<(), PayloadError> {
        payload.check_ratio(deflate::MAX_RATIO)?;
        payload.set_length(out)?;
        let filled = deflate::decompress(self.container(), payload.encoded(), out)
            .map_err(|error| payload.corrupt(Cause::new(error)))?;
        match filled {
            deflate::Filled::Bytes(count) => payload.check_length(count as u64),
            deflate::Filled::TooLong => Err(payload.too_long()),
        }
    }

    fn compress_append(
        &self,
        decoded: &[u8],
        out: &mut Vec<u8>,
        _options: &CodecOptions,
    ) -> Result<(), Cause> {
        deflate::compress_append(self.container(), decoded, self.zarr_level(), out)
            .map_err(Cause::new)
    }
}

#[cfg(feature = "gzip")]
impl Gzip {
    const fn container(&self) -> container::Container {
        if self.use_zlib {
            container::Container::Zlib
        } else {
            container::Container::Gzip
        }
    }
}

/// Stand-ins that have the names only, to say which feature is missing.
#[cfg(not(feature = "gzip"))]
mod absent {
    pub(super) struct GzipCodec;
    pub(super) struct ZlibCodec;

    zarrs_plugin::impl_extension_aliases!(GzipCodec, v3: "gzip");
    zarrs_plugin::impl_extension_aliases!(ZlibCodec, v3: "numcodecs.zlib");
}
#[cfg(not(feature = "gzip"))]
use absent::{GzipCodec, ZlibCodec};
