//! [`Compression`] from and to the metadata of the zarr codec that stands for it.

use serde_json::{Map, Value, json};
use zarrs_metadata::v3::MetadataV3;

use super::{
    BLOSC, BZIP2, Blosc, BloscCompressor, BloscShuffle, BloscTypeSize, Bounded, Compression,
    CompressionError, Compressor, GZIP, LZ4, XZ, ZSTD, shown,
};
use crate::n5::N5DataType;

/// A zarr codec that stands for an N5 compression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ZarrCodec {
    Gzip,
    Zlib,
    Bz2,
    Zstd,
    Blosc,
    Lzma,
    Lz4Java,
}

/// Defines, for each codec, the name to write and the test for the names to accept: those of zarrs
/// where the codec is compiled in, otherwise the default name (only to say which feature is missing).
macro_rules! names {
    ($($variant:ident, $feature:literal, $codec:path, $default:literal;)*) => {
        impl ZarrCodec {
            const ALL: &[Self] = &[$(Self::$variant),*];

            /// The name that zarrs writes.
            pub(super) fn name(self) -> String {
                match self {$(
                    #[cfg(feature = $feature)]
                    Self::$variant => {
                        use zarrs_plugin::ExtensionAliasesV3;
                        <$codec>::aliases_v3().default_name.clone().into_owned()
                    }
                    #[cfg(not(feature = $feature))]
                    Self::$variant => $default.to_owned(),
                )*}
            }

            fn matches(self, name: &str) -> bool {
                match self {$(
                    #[cfg(feature = $feature)]
                    Self::$variant => {
                        use zarrs_plugin::ExtensionAliasesV3;
                        <$codec>::matches_name_v3(name)
                    }
                    #[cfg(not(feature = $feature))]
                    Self::$variant => name == $default,
                )*}
            }
        }
    };
}

names! {
    Gzip, "gzip", zarrs::array::codec::GzipCodec, "gzip";
    Zlib, "gzip", zarrs::array::codec::bytes_to_bytes::zlib::ZlibCodec, "numcodecs.zlib";
    Bz2, "bzip2", zarrs::array::codec::bytes_to_bytes::bz2::Bz2Codec, "numcodecs.bz2";
    Zstd, "zstd", zarrs::array::codec::ZstdCodec, "zstd";
    Blosc, "blosc", zarrs::array::codec::BloscCodec, "blosc";
    Lzma, "xz", crate::n5::xz::XzCodec, "numcodecs.lzma";
    Lz4Java, "lz4", crate::n5::lz4_java::Lz4JavaCodec, "zarrs_interop.lz4_java";
}

impl ZarrCodec {
    const fn compressor(self) -> Compressor {
        match self {
            Self::Gzip | Self::Zlib => GZIP,
            Self::Bz2 => BZIP2,
            Self::Zstd => ZSTD,
            Self::Blosc => BLOSC,
            Self::Lzma => XZ,
            Self::Lz4Java => LZ4,
        }
    }

    fn with(self, configuration: Value) -> MetadataV3 {
        let configuration = match configuration {
            Value::Object(members) => members,
            _ => Map::new(),
        };
        MetadataV3::new_with_configuration(self.name(), configuration)
    }
}

impl Compression {
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
        self.compressor().check_enabled()?;
        Ok(match self {
            Self::Raw => None,
            Self::Gzip { level, use_zlib } => {
                let level = if level.get() < 0 { 6 } else { level.get() };
                let codec = if *use_zlib {
                    ZarrCodec::Zlib
                } else {
                    ZarrCodec::Gzip
                };
                Some(codec.with(json!({ "level": level })))
            }
            Self::Bzip2 { block_size } => {
                Some(ZarrCodec::Bz2.with(json!({ "level": block_size.get() })))
            }
            Self::Zstd { level } => {
                Some(ZarrCodec::Zstd.with(json!({ "level": level.get(), "checksum": false })))
            }
            Self::Blosc(blosc) => Some(ZarrCodec::Blosc.with(blosc.configuration(data_type))),
            Self::Xz { preset } => Some(ZarrCodec::Lzma.with(
                json!({ "format": 1, "check": -1, "preset": preset.get(), "filters": null }),
            )),
            Self::Lz4 { block_size } => {
                Some(ZarrCodec::Lz4Java.with(json!({ "block_size": block_size.get() })))
            }
        })
    }

    /// The compression that a zarr codec stands for; no codec is raw.
    ///
    /// The name may be any that zarrs accepts for the codec. Blosc's `typesize` is kept only where it
    /// is not the element size of `data_type`.
    ///
    /// # Errors
    /// Returns [`CompressionError`] naming the codec, or its member, that N5 cannot express, or the
    /// cargo feature that it needs.
    pub fn from_codec_metadata(
        codec: Option<&MetadataV3>,
        data_type: N5DataType,
    ) -> Result<Self, CompressionError> {
        let Some(metadata) = codec else {
            return Ok(Self::Raw);
        };
        let codec = ZarrCodec::ALL
            .iter()
            .find(|codec| codec.matches(metadata.name()))
            .ok_or_else(|| CompressionError::UnsupportedCodec {
                name: metadata.name().to_owned(),
            })?;
        codec.compressor().check_enabled()?;
        let members = Members::new(metadata);
        match codec {
            ZarrCodec::Gzip | ZarrCodec::Zlib => {
                members.only(&["level"])?;
                let level: Bounded<0, 9> = members.number("level")?;
                Ok(Self::Gzip {
                    level: Bounded::constant(level.get()),
                    use_zlib: *codec == ZarrCodec::Zlib,
                })
            }
            ZarrCodec::Bz2 => {
                members.only(&["level"])?;
                Ok(Self::Bzip2 {
                    block_size: members.number("level")?,
                })
            }
            ZarrCodec::Zstd => {
                members.only(&["level", "checksum"])?;
                members.must_be("checksum", &[Value::Null, json!(false)], "false")?;
                Ok(Self::Zstd {
                    level: members.number("level")?,
                })
            }
            ZarrCodec::Blosc => Blosc::from_members(&members, data_type).map(Self::Blosc),
            ZarrCodec::Lzma => {
                members.only(&["format", "check", "preset", "filters"])?;
                members.must_be("format", &[Value::Null, json!(1)], "1 (.xz)")?;
                members.must_be("filters", &[Value::Null], "null")?;
                let checks = [Value::Null, json!(-1), json!(4)];
                members.must_be("check", &checks, "-1 or 4 (CRC64)")?;
                match members.get("preset") {
                    Value::Null => Ok(Self::xz()),
                    _ => Ok(Self::Xz {
                        preset: members.number("preset")?,
                    }),
                }
            }
            ZarrCodec::Lz4Java => {
                members.only(&["block_size"])?;
                match members.get("block_size") {
                    Value::Null => Ok(Self::lz4()),
                    _ => Ok(Self::Lz4 {
                        block_size: members.number("block_size")?,
                    }),
                }
            }
        }
    }
}

impl Blosc {
    fn configuration(&self, data_type: N5DataType) -> Value {
        let typesize = self
            .typesize
            .and_then(|typesize| usize::try_from(typesize.get()).ok())
            .unwrap_or(data_type.size());
        let shuffle = match self.shuffle.resolve(typesize) {
            BloscShuffle::None => "noshuffle",
            BloscShuffle::Bit => "bitshuffle",
            BloscShuffle::Byte | BloscShuffle::Auto => "shuffle",
        };
        json!({
            "cname": self.cname.name(),
            "clevel": self.clevel.get(),
            "shuffle": shuffle,
            "typesize": typesize,
            "blocksize": self.blocksize.get(),
        })
    }

    fn from_members(
        members: &Members<'_>,
        data_type: N5DataType,
    ) -> Result<Self, CompressionError> {
        members.only(&["cname", "clevel", "shuffle", "typesize", "blocksize"])?;
        let cname = members.get("cname");
        let shuffle = match members.get("shuffle") {
            Value::Null => BloscShuffle::None,
            Value::String(name) if name == "noshuffle" => BloscShuffle::None,
            Value::String(name) if name == "shuffle" => BloscShuffle::Byte,
            Value::String(name) if name == "bitshuffle" => BloscShuffle::Bit,
            other => {
                return Err(members.invalid("shuffle", "noshuffle, shuffle or bitshuffle", other));
            }
        };
        // Without a filter, zarr ignores the element size.
        let typesize = match shuffle {
            BloscShuffle::None => None,
            _ => Some(members.number("typesize")?),
        };
        Ok(Self {
            cname: cname
                .as_str()
                .and_then(BloscCompressor::from_name)
                .ok_or_else(|| {
                    let names = BloscCompressor::ALL.map(BloscCompressor::name).join(", ");
                    members.invalid("cname", &format!("one of {names}"), cname)
                })?,
            clevel: members.number("clevel")?,
            shuffle,
            blocksize: members.number("blocksize")?,
            // Not every N5 reader knows the member, so it is there only if it says something.
            typesize: typesize.filter(|typesize| !is_size_of(*typesize, data_type)),
            nthreads: None,
        })
    }
}

fn is_size_of(typesize: BloscTypeSize, data_type: N5DataType) -> bool {
    usize::try_from(typesize.get()) == Ok(data_type.size())
}

/// The configuration of a codec, for checks that name codec and member. An absent member is null.
struct Members<'a> {
    codec: &'a str,
    members: Option<&'a Map<String, Value>>,
}

impl<'a> Members<'a> {
    fn new(metadata: &'a MetadataV3) -> Self {
        Self {
            codec: metadata.name(),
            members: metadata
                .configuration()
                .map(|configuration| &**configuration),
        }
    }

    fn get(&self, member: &str) -> &'a Value {
        self.members
            .and_then(|members| members.get(member))
            .unwrap_or(&Value::Null)
    }

    fn only(&self, known: &[&str]) -> Result<(), CompressionError> {
        let mut members = self.members.into_iter().flatten();
        match members.find(|(member, _)| !known.contains(&member.as_str())) {
            None => Ok(()),
            Some((member, value)) => {
                let expected = format!("no member but {}", known.join(", "));
                Err(self.invalid(member, &expected, value))
            }
        }
    }

    fn must_be(
        &self,
        member: &str,
        allowed: &[Value],
        expected: &str,
    ) -> Result<(), CompressionError> {
        let value = self.get(member);
        if allowed.contains(value) {
            Ok(())
        } else {
            Err(self.invalid(member, expected, value))
        }
    }

    fn number<const MIN: i32, const MAX: i32>(
        &self,
        member: &str,
    ) -> Result<Bounded<MIN, MAX>, CompressionError> {
        let value = self.get(member);
        value
            .as_i64()
            .and_then(|number| i32::try_from(number).ok())
            .and_then(|number| Bounded::new(number).ok())
            .ok_or_else(|| {
                let expected = format!("a whole number from {MIN} to {MAX}");
                self.invalid(member, &expected, value)
            })
    }

    fn invalid(&self, member: &str, expected: &str, found: &Value) -> CompressionError {
        CompressionError::InvalidCodecMember {
            codec: self.codec.to_owned(),
            member: member.to_owned(),
            expected: expected.to_owned(),
            found: shown(found),
        }
    }
}
