//! Slow and obvious: what an N5 block means, by zarrs's own codecs and nested loops.
#![allow(dead_code, reason = "each test program uses the part that it needs")]

use std::borrow::Cow;
use std::num::NonZeroU64;
use std::sync::Arc;

use proptest::prelude::*;
use zarrs::array::codec::api::{ArrayBytes, ArrayToBytesCodecTraits, CodecOptions, CodecTraitsV3};
use zarrs::array::codec::{CodecChain, api::Codec};
use zarrs::array::{DataType, FillValue};
use zarrs::metadata::v3::MetadataV3;
use zarrs_interop::n5::{BlockHeader, N5DataType, N5DefaultCodec};

/// Zarr codecs for each compression of an N5 block, as JSON; raw is the empty text.
pub(crate) const COMPRESSORS: &[&str] = &[
    "",
    #[cfg(feature = "gzip")]
    r#"{"name":"gzip","configuration":{"level":5}}"#,
    #[cfg(feature = "gzip")]
    r#"{"name":"numcodecs.zlib","configuration":{"level":5}}"#,
    #[cfg(feature = "zstd")]
    r#"{"name":"zstd","configuration":{"level":3,"checksum":false}}"#,
    #[cfg(feature = "bzip2")]
    r#"{"name":"numcodecs.bz2","configuration":{"level":9}}"#,
    #[cfg(feature = "blosc")]
    r#"{"name":"blosc","configuration":{"cname":"lz4","clevel":5,"shuffle":"shuffle","typesize":2,"blocksize":0}}"#,
    #[cfg(feature = "lz4")]
    r#"{"name":"zarrs_interop.lz4_java","configuration":{"block_size":64}}"#,
    #[cfg(feature = "xz")]
    r#"{"name":"numcodecs.lzma","configuration":{"format":1,"check":-1,"preset":6,"filters":null}}"#,
];

/// The one of [`COMPRESSORS`] whose codec is `name`.
pub(crate) fn compressor(name: &str) -> &'static str {
    let start = format!(r#"{{"name":"{name}","#);
    let mut compressors = COMPRESSORS.iter();
    let found = compressors.find(|compressor| compressor.starts_with(&start));
    found.unwrap_or_else(|| panic!("no compressor {name}"))
}

/// The inner codecs of an `n5_default` codec.
pub(crate) fn inner_codecs(rank: usize, compressor: &str) -> Vec<MetadataV3> {
    let order: Vec<usize> = (0..rank).rev().collect();
    let separator = if compressor.is_empty() { "" } else { "," };
    let json = format!(
        r#"[{{"name":"transpose","configuration":{{"order":{order:?}}}}},
            {{"name":"bytes","configuration":{{"endian":"big"}}}}{separator}{compressor}]"#
    );
    serde_json::from_str(&json).unwrap()
}

/// The metadata of an `n5_default` codec.
pub(crate) fn metadata(rank: usize, compressor: &str) -> MetadataV3 {
    let codecs = serde_json::to_value(inner_codecs(rank, compressor)).unwrap();
    let configuration = serde_json::Map::from_iter([("codecs".to_owned(), codecs)]);
    MetadataV3::new_with_configuration("n5_default", configuration)
}

pub(crate) fn codec(rank: usize, compressor: &str) -> Arc<dyn ArrayToBytesCodecTraits> {
    match N5DefaultCodec::create(&metadata(rank, compressor)).unwrap() {
        Codec::ArrayToBytes(codec) => codec,
        other => panic!("n5_default is not an array to bytes codec: {other:?}"),
    }
}

pub(crate) fn plain_chain(rank: usize, compressor: &str) -> CodecChain {
    CodecChain::from_metadata(&inner_codecs(rank, compressor)).unwrap()
}

pub(crate) fn zarr_data_type(data_type: N5DataType) -> DataType {
    DataType::from_metadata(&MetadataV3::new(data_type.name())).unwrap()
}

pub(crate) fn non_zero(shape: &[u64]) -> Vec<NonZeroU64> {
    shape
        .iter()
        .map(|&size| NonZeroU64::new(size).unwrap())
        .collect()
}

/// A block as an N5 writer makes it: our header, then what the plain chain of zarrs makes of the
/// elements.
pub(crate) fn block(
    shape: &[u64],
    data_type: N5DataType,
    elements: &[u8],
    compressor: &str,
) -> Vec<u8> {
    let payload = plain_chain(shape.len(), compressor)
        .encode(
            ArrayBytes::from(elements.to_vec()),
            &non_zero(shape),
            &zarr_data_type(data_type),
            &fill_value(data_type),
            &CodecOptions::default(),
        )
        .unwrap();
    let mut block = BlockHeader::new(shape).unwrap().to_bytes();
    block.extend_from_slice(&payload);
    block
}

/// Decodes as a chunk of `shape`, to native-endian elements in C order.
pub(crate) fn decode(
    codec: &dyn ArrayToBytesCodecTraits,
    bytes: &[u8],
    shape: &[u64],
    data_type: N5DataType,
) -> Vec<u8> {
    codec
        .decode(
            Cow::Borrowed(bytes),
            &non_zero(shape),
            &zarr_data_type(data_type),
            &fill_value(data_type),
            &CodecOptions::default(),
        )
        .unwrap()
        .into_fixed()
        .unwrap()
        .into_owned()
}

/// A fill value that no padding with zeros could be mistaken for.
pub(crate) fn fill_value(data_type: N5DataType) -> FillValue {
    FillValue::new(vec![0xa5; data_type.size()])
}

/// Where an element stands in an array of `shape` in C order.
pub(crate) fn index(shape: &[u64], position: &[u64]) -> usize {
    let index = std::iter::zip(shape, position).fold(0, |index, (size, at)| index * size + at);
    usize::try_from(index).unwrap()
}

/// Calls `visit` with every position in an array of `shape`, in C order.
pub(crate) fn for_each_position(shape: &[u64], mut visit: impl FnMut(&[u64])) {
    let count: u64 = shape.iter().product();
    for number in 0..count {
        let mut rest = number;
        let mut position = vec![0; shape.len()];
        for axis in (0..shape.len()).rev() {
            position[axis] = rest % shape[axis];
            rest /= shape[axis];
        }
        visit(&position);
    }
}

/// The box `start`, `shape` of an array of `from_shape`, with `fill` where it does not reach; all
/// in C order.
pub(crate) fn window(
    elements: &[u8],
    from_shape: &[u64],
    start: &[u64],
    shape: &[u64],
    fill: &[u8],
) -> Vec<u8> {
    let size = fill.len();
    let mut out = Vec::new();
    for_each_position(shape, |position| {
        let from: Vec<u64> = std::iter::zip(start, position)
            .map(|(a, b)| a + b)
            .collect();
        if std::iter::zip(&from, from_shape).all(|(at, size)| at < size) {
            let at = index(from_shape, &from) * size;
            out.extend_from_slice(&elements[at..at + size]);
        } else {
            out.extend_from_slice(fill);
        }
    });
    out
}

/// Elements that neither repeat soon nor are constant.
pub(crate) fn elements(shape: &[u64], data_type: N5DataType, seed: u64) -> Vec<u8> {
    let count = usize::try_from(shape.iter().product::<u64>()).unwrap();
    let mut state = seed | 1;
    (0..count * data_type.size())
        .map(|_| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            (state >> 57) as u8
        })
        .collect()
}

pub(crate) fn any_data_type() -> impl Strategy<Value = N5DataType> {
    prop::sample::select(N5DataType::ALL.to_vec())
}

pub(crate) fn any_compressor() -> impl Strategy<Value = &'static str> {
    prop::sample::select(COMPRESSORS.to_vec())
}

/// A few shapes of the same rank, each dimension of each between 1 and `largest`.
pub(crate) fn any_shapes<const N: usize>(largest: u64) -> impl Strategy<Value = [Vec<u64>; N]> {
    (1usize..=4).prop_flat_map(move |rank| {
        prop::collection::vec(prop::collection::vec(1..=largest, rank), N)
            .prop_map(|shapes| shapes.try_into().unwrap())
    })
}
