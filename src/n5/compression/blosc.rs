//! Blosc, through the codec of zarrs, which is the safe way to c-blosc.

#[cfg(feature = "blosc")]
mod header;

#[cfg(feature = "blosc")]
use std::sync::Arc;

use serde_json::{Map, Value, json};
#[cfg(feature = "blosc")]
use zarrs::array::codec::BloscCodec;
#[cfg(feature = "blosc")]
use zarrs_codec::{BytesToBytesCodecTraits, CodecOptions};
use zarrs_metadata::v3::MetadataV3;
use zarrs_plugin::ExtensionAliasesV3;

use super::bounded::Bounded;
#[cfg(feature = "blosc")]
use super::compressor::Compressor;
use super::compressor::{Parameters, codec_metadata};
#[cfg(feature = "blosc")]
use super::payload::{Cause, Payload, PayloadError};
#[cfg(feature = "blosc")]
use super::through_zarrs::ThroughZarrs;
use crate::n5::N5DataType;
use crate::n5::members::{MemberError, Members};

/// The level of Blosc; 0 only stores.
pub type BloscLevel = Bounded<0, 9>;
/// The block size of Blosc in bytes; 0 leaves the choice to Blosc.
pub type BloscBlockSize = Bounded<0, { i32::MAX }>;
/// The element size in bytes that the shuffle filter of Blosc works with.
pub type BloscTypeSize = Bounded<1, 255>;
/// The number of threads that a Java writer asks Blosc for; nothing depends on it here.
pub type BloscThreads = Bounded<0, { i32::MAX }>;

/// The parameters of [`Compression::Blosc`](super::Compression::Blosc).
///
/// The default is what numcodecs has: `lz4`, level 5, byte shuffle, block size chosen by Blosc.
/// Members that are absent from `attributes.json` take it (n5-blosc always writes all of them).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Blosc {
    /// The compressor inside Blosc.
    pub cname: BloscCompressor,
    /// The level.
    pub clevel: BloscLevel,
    /// The filter before the compressor.
    pub shuffle: BloscShuffle,
    /// The block size in bytes; 0 leaves the choice to Blosc.
    pub blocksize: BloscBlockSize,
    /// The element size in bytes for the filter; `None` takes that of the data type.
    pub typesize: Option<BloscTypeSize>,
    /// The number of threads that a Java writer asks for; kept, otherwise unused.
    pub nthreads: Option<BloscThreads>,
}

impl Default for Blosc {
    fn default() -> Self {
        Self {
            cname: BloscCompressor::Lz4,
            clevel: BloscLevel::constant(5),
            shuffle: BloscShuffle::Byte,
            blocksize: BloscBlockSize::constant(0),
            typesize: None,
            nthreads: None,
        }
    }
}

/// The compressor inside Blosc (`cname`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BloscCompressor {
    /// `blosclz`
    BloscLz,
    /// `lz4`
    Lz4,
    /// `lz4hc`
    Lz4Hc,
    /// `snappy`, which zarr-python and z5py cannot read
    Snappy,
    /// `zlib`
    Zlib,
    /// `zstd`
    Zstd,
}

impl BloscCompressor {
    pub(super) const ALL: [Self; 6] = [
        Self::BloscLz,
        Self::Lz4,
        Self::Lz4Hc,
        Self::Snappy,
        Self::Zlib,
        Self::Zstd,
    ];

    /// Returns the name, the same in N5 and Zarr.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::BloscLz => "blosclz",
            Self::Lz4 => "lz4",
            Self::Lz4Hc => "lz4hc",
            Self::Snappy => "snappy",
            Self::Zlib => "zlib",
            Self::Zstd => "zstd",
        }
    }

    fn from_json(value: &Value) -> Option<Self> {
        let name = value.as_str()?;
        Self::ALL.into_iter().find(|cname| cname.name() == name)
    }

    /// For error texts.
    fn expected() -> String {
        format!("one of {}", Self::ALL.map(Self::name).join(", "))
    }
}

/// The filter before Blosc's compressor (`shuffle`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BloscShuffle {
    /// -1: bits for elements of one byte, bytes otherwise. The rule is that of numcodecs and zarrs;
    /// it matters for writing only, since each block says which filter it went through.
    Auto,
    /// 0: none.
    None,
    /// 1: bytes.
    Byte,
    /// 2: bits.
    Bit,
}

impl BloscShuffle {
    /// The filter that is meant for elements of `typesize` bytes; never [`Self::Auto`].
    pub(super) const fn resolve(self, typesize: usize) -> Self {
        match self {
            Self::Auto if typesize == 1 => Self::Bit,
            Self::Auto => Self::Byte,
            explicit => explicit,
        }
    }

    const fn from_number(number: Bounded<-1, 2>) -> Self {
        match number.get() {
            0 => Self::None,
            1 => Self::Byte,
            2 => Self::Bit,
            _ => Self::Auto,
        }
    }

    const fn number(self) -> i32 {
        match self {
            Self::Auto => -1,
            Self::None => 0,
            Self::Byte => 1,
            Self::Bit => 2,
        }
    }

    /// The filter of the zarr codec; null is none.
    fn from_codec(value: &Value) -> Option<Self> {
        match value {
            Value::Null => Some(Self::None),
            Value::String(name) => match name.as_str() {
                "noshuffle" => Some(Self::None),
                "shuffle" => Some(Self::Byte),
                "bitshuffle" => Some(Self::Bit),
                _ => None,
            },
            _ => None,
        }
    }
}

impl Parameters for Blosc {
    const NAME: &'static str = "blosc";
    const FEATURE: &'static str = "blosc";
    const ENABLED: bool = cfg!(feature = "blosc");

    fn from_json(members: Members<'_>) -> Result<Self, MemberError> {
        let default = Self::default();
        let cname = members.optional(
            "cname",
            BloscCompressor::expected(),
            BloscCompressor::from_json,
        )?;
        Ok(Self {
            cname: cname.unwrap_or(default.cname),
            clevel: Bounded::optional(members, "clevel")?.unwrap_or(default.clevel),
            shuffle: Bounded::optional(members, "shuffle")?
                .map_or(default.shuffle, BloscShuffle::from_number),
            blocksize: Bounded::optional(members, "blocksize")?.unwrap_or(default.blocksize),
            typesize: Bounded::optional(members, "typesize")?,
            nthreads: Bounded::optional(members, "nthreads")?,
        })
    }

    fn to_json(&self, object: &mut Map<String, Value>) {
        object.insert("cname".to_owned(), json!(self.cname.name()));
        object.insert("clevel".to_owned(), json!(self.clevel.get()));
        object.insert("shuffle".to_owned(), json!(self.shuffle.number()));
        object.insert("blocksize".to_owned(), json!(self.blocksize.get()));
        // Not every reader knows these two (tensorstore refuses them).
        if let Some(typesize) = self.typesize {
            object.insert("typesize".to_owned(), json!(typesize.get()));
        }
        if let Some(nthreads) = self.nthreads {
            object.insert("nthreads".to_owned(), json!(nthreads.get()));
        }
    }

    fn is_codec(name: &str) -> bool {
        BloscCodec::matches_name_v3(name)
    }

    /// The `typesize` is checked and dropped: it is a hint to the compressor that not every N5
    /// reader accepts, and readers do without it.
    fn from_codec(_name: &str, members: Members<'_>) -> Result<Self, MemberError> {
        members.only(&["cname", "clevel", "shuffle", "typesize", "blocksize"])?;
        let shuffle = members.optional(
            "shuffle",
            "noshuffle, shuffle or bitshuffle",
            BloscShuffle::from_codec,
        )?;
        let shuffle = shuffle.unwrap_or(BloscShuffle::None);
        // Without a filter, zarr ignores the element size, and it may be absent.
        if shuffle != BloscShuffle::None {
            BloscTypeSize::required(members, "typesize")?;
        }
        Ok(Self {
            cname: members.required(
                "cname",
                BloscCompressor::expected(),
                BloscCompressor::from_json,
            )?,
            clevel: Bounded::required(members, "clevel")?,
            shuffle,
            blocksize: Bounded::required(members, "blocksize")?,
            typesize: None,
            nthreads: None,
        })
    }

    fn to_codec(&self, data_type: N5DataType) -> MetadataV3 {
        let typesize = self
            .typesize
            .and_then(|typesize| usize::try_from(typesize.get()).ok())
            .unwrap_or(data_type.size());
        let shuffle = match self.shuffle.resolve(typesize) {
            BloscShuffle::None => "noshuffle",
            BloscShuffle::Bit => "bitshuffle",
            BloscShuffle::Byte | BloscShuffle::Auto => "shuffle",
        };
        codec_metadata::<BloscCodec>(json!({
            "cname": self.cname.name(),
            "clevel": self.clevel.get(),
            "shuffle": shuffle,
            "typesize": typesize,
            "blocksize": self.blocksize.get(),
        }))
    }

    #[cfg(feature = "blosc")]
    fn compressor(&self, codec: &Arc<dyn BytesToBytesCodecTraits>) -> Option<Arc<dyn Compressor>> {
        let is_own = codec.as_any().is::<BloscCodec>();
        is_own.then(|| Arc::new(CheckedBlosc(ThroughZarrs(codec.clone()))) as _)
    }
}

/// The codec of zarrs behind a check of the header.
#[cfg(feature = "blosc")]
#[derive(Debug)]
struct CheckedBlosc(ThroughZarrs);

#[cfg(feature = "blosc")]
impl Compressor for CheckedBlosc {
    fn name(&self) -> &'static str {
        Blosc::NAME
    }

    fn decompress_into(
        &self,
        payload: &Payload<'_>,
        out: &mut Vec<u8>,
        options: &CodecOptions,
    ) -> Result<(), PayloadError> {
        let (header, counted) =
            header::split(payload.encoded()).map_err(|error| payload.corrupt(Cause::new(error)))?;
        payload.check_length(u64::from(header.nbytes))?;
        payload.check_memory()?;
        self.0.decompress_part(payload, counted, out, options)
    }

    fn compress_append(
        &self,
        decoded: &[u8],
        out: &mut Vec<u8>,
        options: &CodecOptions,
    ) -> Result<(), Cause> {
        self.0.compress_append(decoded, out, options)
    }
}

/// A stand-in that has the name only, to say which feature is missing.
#[cfg(not(feature = "blosc"))]
struct BloscCodec;
#[cfg(not(feature = "blosc"))]
zarrs_plugin::impl_extension_aliases!(BloscCodec, v3: "blosc");
