//! [`Compression`] from and to the `compression` object of `attributes.json`.

use serde_json::{Map, Value, json};

use super::{Blosc, BloscCompressor, BloscShuffle, Bounded, Compression, CompressionError, shown};

impl Compression {
    /// Parses the `compression` object (or a legacy `compressionType` as `{"type": name}`).
    ///
    /// Members that are absent take their N5 default; members that the compression does not have are
    /// ignored, as the Java implementation does. Whole numbers may be written as `3.0`.
    ///
    /// # Errors
    /// Returns [`CompressionError`] naming the `type` that is missing or not supported, or the member
    /// that is wrong.
    pub fn from_json(json: &Map<String, Value>) -> Result<Self, CompressionError> {
        let name = match json.get("type") {
            None => return Err(CompressionError::MissingType),
            Some(Value::String(name)) => name.as_str(),
            Some(other) => return Err(invalid("N5", "type", "a string", other)),
        };
        match name {
            "raw" => Ok(Self::Raw),
            "gzip" => Ok(Self::Gzip {
                level: number(json, "gzip", "level")?.unwrap_or(Bounded::constant(-1)),
                use_zlib: boolean(json, "gzip", "useZlib")?.unwrap_or(false),
            }),
            "bzip2" => Ok(Self::Bzip2 {
                block_size: number(json, "bzip2", "blockSize")?.unwrap_or(Bounded::constant(9)),
            }),
            "zstd" => Ok(Self::Zstd {
                level: number(json, "zstd", "level")?.unwrap_or(Bounded::constant(3)),
            }),
            "blosc" => Blosc::from_json(json).map(Self::Blosc),
            "xz" => Ok(Self::Xz {
                preset: number(json, "xz", "preset")?.unwrap_or(Bounded::constant(6)),
            }),
            "lz4" => Ok(Self::Lz4 {
                block_size: number(json, "lz4", "blockSize")?.unwrap_or(Bounded::constant(65_536)),
            }),
            _ => Err(CompressionError::UnsupportedType {
                name: name.to_owned(),
            }),
        }
    }

    /// The object for `attributes.json`.
    #[must_use]
    pub fn to_json(&self) -> Map<String, Value> {
        let mut json = Map::new();
        let mut set = |member: &str, value: Value| {
            json.insert(member.to_owned(), value);
        };
        set("type", json!(self.name()));
        match self {
            Self::Raw => {}
            Self::Gzip { level, use_zlib } => {
                set("level", json!(level.get()));
                set("useZlib", json!(use_zlib));
            }
            Self::Bzip2 { block_size } => set("blockSize", json!(block_size.get())),
            Self::Zstd { level } => set("level", json!(level.get())),
            Self::Blosc(blosc) => {
                set("cname", json!(blosc.cname.name()));
                set("clevel", json!(blosc.clevel.get()));
                set("shuffle", json!(blosc.shuffle.number()));
                set("blocksize", json!(blosc.blocksize.get()));
                // Not every reader knows these two (tensorstore refuses them).
                if let Some(typesize) = blosc.typesize {
                    set("typesize", json!(typesize.get()));
                }
                if let Some(nthreads) = blosc.nthreads {
                    set("nthreads", json!(nthreads.get()));
                }
            }
            Self::Xz { preset } => set("preset", json!(preset.get())),
            Self::Lz4 { block_size } => set("blockSize", json!(block_size.get())),
        }
        json
    }
}

impl Blosc {
    fn from_json(json: &Map<String, Value>) -> Result<Self, CompressionError> {
        let default = Self::default();
        Ok(Self {
            cname: cname(json)?.unwrap_or(default.cname),
            clevel: number(json, "blosc", "clevel")?.unwrap_or(default.clevel),
            shuffle: number(json, "blosc", "shuffle")?
                .map_or(default.shuffle, BloscShuffle::from_number),
            blocksize: number(json, "blosc", "blocksize")?.unwrap_or(default.blocksize),
            typesize: number(json, "blosc", "typesize")?,
            nthreads: number(json, "blosc", "nthreads")?,
        })
    }
}

impl BloscShuffle {
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
}

fn cname(json: &Map<String, Value>) -> Result<Option<BloscCompressor>, CompressionError> {
    let Some(value) = json.get("cname") else {
        return Ok(None);
    };
    value
        .as_str()
        .and_then(BloscCompressor::from_name)
        .map(Some)
        .ok_or_else(|| {
            let names = BloscCompressor::ALL.map(BloscCompressor::name).join(", ");
            invalid("blosc", "cname", &format!("one of {names}"), value)
        })
}

fn number<const MIN: i32, const MAX: i32>(
    json: &Map<String, Value>,
    compression: &'static str,
    member: &'static str,
) -> Result<Option<Bounded<MIN, MAX>>, CompressionError> {
    let Some(value) = json.get(member) else {
        return Ok(None);
    };
    whole_number(value)
        .and_then(|number| Bounded::new(number).ok())
        .map(Some)
        .ok_or_else(|| {
            let expected = format!("a whole number from {MIN} to {MAX}");
            invalid(compression, member, &expected, value)
        })
}

fn boolean(
    json: &Map<String, Value>,
    compression: &'static str,
    member: &'static str,
) -> Result<Option<bool>, CompressionError> {
    match json.get(member) {
        None => Ok(None),
        Some(Value::Bool(value)) => Ok(Some(*value)),
        Some(other) => Err(invalid(compression, member, "true or false", other)),
    }
}

/// A whole number, also one that is written as `3.0`.
fn whole_number(value: &Value) -> Option<i32> {
    if let Some(number) = value.as_i64() {
        return i32::try_from(number).ok();
    }
    let number = value.as_f64()?;
    let in_range = number >= f64::from(i32::MIN) && number <= f64::from(i32::MAX);
    #[expect(
        clippy::cast_possible_truncation,
        reason = "whole and in range, so the cast is exact"
    )]
    (in_range && number.fract() == 0.0).then_some(number as i32)
}

fn invalid(
    compression: &'static str,
    member: &'static str,
    expected: &str,
    found: &Value,
) -> CompressionError {
    CompressionError::InvalidMember {
        compression,
        member,
        expected: expected.to_owned(),
        found: shown(found),
    }
}
