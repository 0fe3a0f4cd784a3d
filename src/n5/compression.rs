//! The compressions of N5: parameters, the zarr codecs that stand for them, and the payload itself.
//!
//! [`Compression`] is the `compression` object of `attributes.json` with all its parameters.
//!
//! ```rust
//! use zarrs_interop::n5::compression::{Compression, XzPreset};
//!
//! let ordinary = Compression::gzip();
//! let small = Compression::Xz { preset: XzPreset::new(9)? };
//! assert_eq!(ordinary.to_string(), r#"{"type":"gzip","level":-1,"useZlib":false}"#);
//! assert_eq!(small.to_string(), r#"{"type":"xz","preset":9}"#);
//! # Ok::<(), zarrs_interop::n5::compression::OutOfRangeError>(())
//! ```
//!
#![doc = include_str!("../../docs/compression_table.md")]
//!
//! Members that a compression does not have are ignored on reading, as the Java implementation does.
//!
//! ## Which gzip
#![doc = include_str!("../../docs/gzip_choice.md")]

mod attributes;
#[cfg(feature = "blosc")]
mod blosc;
mod bounded;
#[cfg(feature = "bzip2")]
mod bz2;
#[cfg(feature = "gzip")]
mod deflate;
mod error;
#[cfg(any(
    feature = "bzip2",
    feature = "gzip",
    feature = "lz4",
    feature = "xz",
    feature = "zstd"
))]
mod exact;
mod payload;
mod zarr_codec;
#[cfg(feature = "zstd")]
mod zstandard;

use std::fmt;

pub use bounded::{Bounded, OutOfRangeError};
pub use error::{CompressionError, CompressorError};
#[cfg(feature = "xz")]
pub(crate) use exact::read_bounded;
pub(crate) use payload::PayloadCodec;

/// The level of gzip and zlib; -1 is the compressor's own default, which is 6.
pub type GzipLevel = Bounded<-1, 9>;
/// The block size of bzip2 in units of 100 kB.
pub type Bzip2BlockSize = Bounded<1, 9>;
/// The level of Zstandard; 0 is its own default, negative levels are faster.
pub type ZstdLevel = Bounded<-131_072, 22>;
/// The level of Blosc; 0 only stores.
pub type BloscLevel = Bounded<0, 9>;
/// The block size of Blosc in bytes; 0 leaves the choice to Blosc.
pub type BloscBlockSize = Bounded<0, { i32::MAX }>;
/// The element size in bytes that the shuffle filter of Blosc works with.
pub type BloscTypeSize = Bounded<1, 255>;
/// The number of threads that a Java writer asks Blosc for; nothing depends on it here.
pub type BloscThreads = Bounded<0, { i32::MAX }>;
/// The preset of xz.
pub type XzPreset = Bounded<0, 9>;
/// The block size of an `LZ4Block` stream in bytes.
pub type Lz4BlockSize = Bounded<64, 33_554_432>;

/// How the blocks of a dataset are compressed: the `compression` object of `attributes.json`.
///
/// Every value of it is valid, because every parameter is of a type that knows its range.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Compression {
    /// No compression.
    Raw,
    /// Deflate, in a gzip or in a zlib container.
    Gzip {
        /// The level.
        level: GzipLevel,
        /// Write a zlib stream (RFC 1950) instead of gzip (RFC 1952).
        use_zlib: bool,
    },
    /// bzip2.
    Bzip2 {
        /// The block size in units of 100 kB.
        block_size: Bzip2BlockSize,
    },
    /// Zstandard.
    Zstd {
        /// The level.
        level: ZstdLevel,
    },
    /// Blosc.
    Blosc(Blosc),
    /// LZMA2 in an `.xz` container.
    Xz {
        /// The preset.
        preset: XzPreset,
    },
    /// The `LZ4Block` stream of lz4-java.
    Lz4 {
        /// The size of its blocks in bytes.
        block_size: Lz4BlockSize,
    },
}

/// The parameters of [`Compression::Blosc`].
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
    /// `snappy`
    Snappy,
    /// `zlib`
    Zlib,
    /// `zstd`
    Zstd,
}

impl BloscCompressor {
    const ALL: [Self; 6] = [
        Self::BloscLz,
        Self::Lz4,
        Self::Lz4Hc,
        Self::Snappy,
        Self::Zlib,
        Self::Zstd,
    ];

    /// The name, the same in N5 and Zarr.
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

    fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|cname| cname.name() == name)
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
    pub(crate) const fn resolve(self, typesize: usize) -> Self {
        match self {
            Self::Auto if typesize == 1 => Self::Bit,
            Self::Auto => Self::Byte,
            explicit => explicit,
        }
    }
}

/// One row of the compressions: its `type` and the cargo feature that it needs.
#[derive(Clone, Copy, Debug)]
struct Compressor {
    name: &'static str,
    feature: Option<&'static str>,
    enabled: bool,
}

const RAW: Compressor = Compressor {
    name: "raw",
    feature: None,
    enabled: true,
};
const GZIP: Compressor = Compressor {
    name: "gzip",
    feature: Some("gzip"),
    enabled: cfg!(feature = "gzip"),
};
const BZIP2: Compressor = Compressor {
    name: "bzip2",
    feature: Some("bzip2"),
    enabled: cfg!(feature = "bzip2"),
};
const ZSTD: Compressor = Compressor {
    name: "zstd",
    feature: Some("zstd"),
    enabled: cfg!(feature = "zstd"),
};
const BLOSC: Compressor = Compressor {
    name: "blosc",
    feature: Some("blosc"),
    enabled: cfg!(feature = "blosc"),
};
const XZ: Compressor = Compressor {
    name: "xz",
    feature: Some("xz"),
    enabled: cfg!(feature = "xz"),
};
const LZ4: Compressor = Compressor {
    name: "lz4",
    feature: Some("lz4"),
    enabled: cfg!(feature = "lz4"),
};

/// For error texts.
const SUPPORTED_NAMES: &str = "raw, gzip, bzip2, zstd, blosc, xz, lz4";

impl Compressor {
    /// Refuses a compressor that is not compiled in.
    const fn check_enabled(&self) -> Result<(), CompressionError> {
        match self.feature {
            Some(feature) if !self.enabled => Err(CompressionError::FeatureOff {
                compression: self.name,
                feature,
            }),
            _ => Ok(()),
        }
    }
}

impl Compression {
    /// gzip at the default level, the most widely readable compression of N5.
    #[must_use]
    pub const fn gzip() -> Self {
        Self::Gzip {
            level: GzipLevel::constant(-1),
            use_zlib: false,
        }
    }

    /// bzip2 with its default block size, 9.
    #[must_use]
    pub const fn bzip2() -> Self {
        Self::Bzip2 {
            block_size: Bzip2BlockSize::constant(9),
        }
    }

    /// Zstandard at the default level of N5, 3.
    #[must_use]
    pub const fn zstd() -> Self {
        Self::Zstd {
            level: ZstdLevel::constant(3),
        }
    }

    /// Blosc with the parameters of [`Blosc::default`].
    #[must_use]
    pub fn blosc() -> Self {
        Self::Blosc(Blosc::default())
    }

    /// xz with its default preset, 6.
    #[must_use]
    pub const fn xz() -> Self {
        Self::Xz {
            preset: XzPreset::constant(6),
        }
    }

    /// The `LZ4Block` stream of lz4-java with its default block size, 65536 bytes.
    #[must_use]
    pub const fn lz4() -> Self {
        Self::Lz4 {
            block_size: Lz4BlockSize::constant(65_536),
        }
    }

    /// The value of `type` in `attributes.json`.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        self.compressor().name
    }

    const fn compressor(&self) -> Compressor {
        match self {
            Self::Raw => RAW,
            Self::Gzip { .. } => GZIP,
            Self::Bzip2 { .. } => BZIP2,
            Self::Zstd { .. } => ZSTD,
            Self::Blosc(_) => BLOSC,
            Self::Xz { .. } => XZ,
            Self::Lz4 { .. } => LZ4,
        }
    }
}

/// The compression object as one line of JSON.
impl fmt::Display for Compression {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        serde_json::Value::Object(self.to_json()).fmt(formatter)
    }
}

/// A JSON value for an error text, shortened.
fn shown(value: &serde_json::Value) -> String {
    const LONGEST: usize = 60;
    let text = value.to_string();
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text,
    }
}

#[cfg(test)]
mod tests;
