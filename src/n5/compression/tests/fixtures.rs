//! A block of every compression, as the Java implementation wrote it, and what it holds.

use std::sync::Arc;

use zarrs_codec::{BytesToBytesCodecTraits, Codec, CodecOptions};

use super::super::*;
use crate::n5::N5DataType;

pub(super) struct Fixture {
    pub(super) compression: Compression,
    pub(super) payload: Vec<u8>,
    pub(super) decoded: Vec<u8>,
    /// Whether the format notices damage by a checksum.
    pub(super) checked: bool,
}

impl Fixture {
    pub(super) fn compressor(&self) -> Arc<dyn Compressor> {
        compressor(&self.compression)
    }
}

/// The implementation of the zarr codec of a compression.
pub(super) fn zarr_codec(compression: &Compression) -> Arc<dyn BytesToBytesCodecTraits> {
    let metadata = compression.to_codec_metadata(N5DataType::UInt16).unwrap();
    match Codec::from_metadata(&metadata.unwrap()).unwrap() {
        Codec::BytesToBytes(codec) => codec,
        other => panic!("{other:?} is no bytes-to-bytes codec"),
    }
}

/// The compressor of this crate for a compression that is not raw.
pub(super) fn compressor(compression: &Compression) -> Arc<dyn Compressor> {
    compression.compressor(&zarr_codec(compression)).unwrap()
}

/// The same for a `compression` object.
#[expect(clippy::needless_pass_by_value, reason = "takes json! as it is")]
pub(super) fn compressor_of(json: serde_json::Value) -> Arc<dyn Compressor> {
    compressor(&Compression::from_json(json.as_object().unwrap()).unwrap())
}

pub(super) fn decompress(
    compressor: &dyn Compressor,
    payload: &[u8],
    size: usize,
) -> Result<Vec<u8>, PayloadError> {
    let mut out = Vec::new();
    decompress_into(compressor, payload, size, &mut out).map(|()| out)
}

pub(super) fn decompress_into(
    compressor: &dyn Compressor,
    payload: &[u8],
    size: usize,
    out: &mut Vec<u8>,
) -> Result<(), PayloadError> {
    let payload = Payload::new(compressor.name(), payload, size);
    compressor.decompress_into(&payload, out, &CodecOptions::default())
}

pub(super) fn compress(compressor: &dyn Compressor, data: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    compressor
        .compress_append(data, &mut out, &CodecOptions::default())
        .unwrap();
    out
}

macro_rules! block {
    ($name:literal) => {
        include_bytes!(concat!(
            "../../../../tests/data/compression/",
            $name,
            ".block"
        ))
    };
}

pub(super) fn all() -> Vec<Fixture> {
    let uint16 = |compression, block: &[u8], checked| Fixture {
        compression,
        payload: block[16..].to_vec(),
        decoded: formula_a_uint16(),
        checked,
    };
    let lz4 = |block_size, block: &[u8], decoded| Fixture {
        compression: Compression::Lz4(Lz4 {
            block_size: Bounded::constant(block_size),
        }),
        payload: block[12..].to_vec(),
        decoded,
        checked: true,
    };
    let zlib = Compression::Gzip(Gzip {
        level: Bounded::constant(6),
        use_zlib: true,
    });
    vec![
        uint16(Compression::gzip(), block!("gzip"), true),
        uint16(zlib, block!("zlib"), true),
        uint16(Compression::bzip2(), block!("bzip2"), true),
        uint16(Compression::zstd(), block!("zstd"), false),
        uint16(Compression::blosc(), block!("blosc"), false),
        uint16(Compression::xz(), block!("xz"), true),
        lz4(64, block!("lz4_64"), formula_c()),
        lz4(65_536, block!("lz4_multi"), formula_a_uint8()),
    ]
}

/// The first block of the compression `name`.
pub(super) fn of(name: &str) -> Fixture {
    let mut fixtures = all().into_iter();
    let found = fixtures.find(|fixture| fixture.compression.name() == name);
    found.unwrap_or_else(|| panic!("no block of {name}"))
}

/// The coordinates of a block of this shape, dimension 0 fastest.
fn coordinates(shape: [u64; 3]) -> impl Iterator<Item = [u64; 3]> {
    let [d0, d1, d2] = shape;
    (0..d2).flat_map(move |x2| (0..d1).flat_map(move |x1| (0..d0).map(move |x0| [x0, x1, x2])))
}

fn formula_a_uint16() -> Vec<u8> {
    coordinates([10, 8, 3])
        .map(|[x0, x1, x2]| x0 + 101 * x1 + 10_007 * x2)
        .flat_map(|s| u16::try_from(s * 263 % 65_521).unwrap().to_be_bytes())
        .collect()
}

fn formula_a_uint8() -> Vec<u8> {
    coordinates([300, 256, 1])
        .map(|[x0, x1, _]| u8::try_from((x0 + 101 * x1) % 251).unwrap())
        .collect()
}

fn formula_c() -> Vec<u8> {
    coordinates([64, 5, 1])
        .map(|[x0, x1, _]| {
            if x1 % 2 == 1 {
                7
            } else {
                scrambled(x0 + 64 * x1)
            }
        })
        .collect()
}

/// Formula B of the Java cases.
pub(super) fn scrambled(index: u64) -> u8 {
    let mut z = (index + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^= z >> 31;
    u8::try_from(z & 0xff).unwrap()
}

pub(super) fn hex(text: &str) -> Vec<u8> {
    text.as_bytes()
        .chunks(2)
        .map(|pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap())
        .collect()
}
