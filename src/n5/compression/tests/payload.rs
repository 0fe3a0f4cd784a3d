//! Payloads that others wrote, and payloads that we write.

use std::borrow::Cow;

use proptest::prelude::*;
use serde_json::json;
use zarrs_codec::{BytesRepresentation, CodecOptions};

use super::super::*;
use super::attributes::any_compressed;
use super::fixtures::{
    self, compress, compressor, compressor_of, decompress, decompress_into, hex, scrambled,
    zarr_codec,
};

/// The six numbers of the N5 specification's examples.
const ONE_TO_SIX: &str = "000100020003000400050006";

fn reads(json: serde_json::Value, payload: &str) {
    let decoded = decompress(&*compressor_of(json), &hex(payload), 12);
    assert_eq!(decoded, Ok(hex(ONE_TO_SIX)));
}

#[test]
fn there_is_a_block_of_every_compression() {
    for format in FORMATS {
        assert_eq!(fixtures::of(format.name).compression.name(), format.name);
    }
}

#[test]
fn blocks_of_java_hold_their_formulas() {
    for fixture in fixtures::all() {
        let decoded = decompress(
            &*fixture.compressor(),
            &fixture.payload,
            fixture.decoded.len(),
        );
        assert_eq!(decoded, Ok(fixture.decoded), "{}", fixture.compression);
    }
}

#[test]
fn the_examples_of_the_n5_specification_are_read() {
    reads(
        json!({"type": "gzip"}),
        "1f8b08000000000000006360646062606660616065600300aaea6dbf0c000000",
    );
    reads(
        json!({"type": "bzip2"}),
        "425a6839314159265359023e0dd200000040007f002000310c010d31a87394337c5dc914e1424008f83748",
    );
    reads(
        json!({"type": "xz"}),
        "fd377a585a000004e6d6b4460200210116000000742fe5a301000b000100020003000400050006000d0309ca34ec15a70001240ca618d8d81fb6f37d010000000004595a",
    );
}

#[test]
fn a_zlib_stream_is_read() {
    reads(
        json!({"type": "gzip", "useZlib": true}),
        "789c636064606260666061606560030000670016",
    );
}

#[test]
fn two_gzip_members_are_read_as_one() {
    reads(
        json!({"type": "gzip"}),
        "1f8b08000000000002036360646062600600c70d2f16060000001f8b08000000000002036360616065600300bd60eaab06000000",
    );
}

#[test]
fn zstd_without_content_size_is_read() {
    reads(
        json!({"type": "zstd"}),
        "28b52ffd0000610000000100020003000400050006",
    );
}

#[test]
fn several_zstd_frames_are_read_as_one() {
    let codec = compressor_of(json!({"type": "zstd"}));
    let mut payload = Vec::new();
    for part in [&b"first "[..], b"second"] {
        payload.extend(compress(&*codec, part));
    }
    payload.extend(hex("28b52ffd0000610000000100020003000400050006"));
    assert_eq!(
        decompress(&*codec, &payload, 24),
        Ok([b"first second".to_vec(), hex(ONE_TO_SIX)].concat())
    );
}

#[test]
fn an_lz4_block_stream_is_read() {
    reads(
        json!({"type": "lz4"}),
        "4c5a34426c6f636b160c0000000c00000090258b060001000200030004000500064c5a34426c6f636b16000000000000000000000000",
    );
}

#[test]
fn an_lz4_block_stream_without_its_last_frame_is_read() {
    reads(
        json!({"type": "lz4"}),
        "4c5a34426c6f636b160c0000000c00000090258b06000100020003000400050006",
    );
}

#[test]
fn a_blosc_payload_is_read_whatever_the_attributes_say() {
    let body = "020112020c0000000c0000001c000000000100020003000400050006";
    let padded = format!("{body}{}", "00".repeat(16));
    for payload in [body, &padded] {
        reads(json!({"type": "blosc"}), payload);
        reads(
            json!({"type": "blosc", "cname": "lz4", "clevel": 5, "shuffle": 1, "blocksize": 0}),
            payload,
        );
        reads(
            json!({"type": "blosc", "cname": "lz4", "clevel": 5, "shuffle": 1, "blocksize": 0, "typesize": 1, "nthreads": 1}),
            payload,
        );
    }
}

#[test]
fn our_lz4_is_that_of_java_byte_for_byte_where_it_stores() {
    let out = compress(&*compressor_of(json!({"type": "lz4"})), &hex(ONE_TO_SIX));
    assert_eq!(
        out,
        hex(
            "4c5a34426c6f636b160c0000000c00000090258b060001000200030004000500064c5a34426c6f636b16000000000000000000000000"
        )
    );
}

#[test]
fn our_lz4_has_the_frames_of_java() {
    for fixture in fixtures::all() {
        if fixture.compression.name() != "lz4" {
            continue;
        }
        let ours = compress(&*fixture.compressor(), &fixture.decoded);
        assert_eq!(frames(&ours), frames(&fixture.payload));
    }
}

/// Token, decompressed size and checksum of every frame; only the compressed bytes may differ.
fn frames(stream: &[u8]) -> Vec<(u8, u32, u32)> {
    let number = |at: usize| u32::from_le_bytes(stream[at..at + 4].try_into().unwrap());
    let mut frames = Vec::new();
    let mut at = 0;
    while at < stream.len() {
        assert_eq!(&stream[at..at + 8], b"LZ4Block");
        frames.push((stream[at + 8], number(at + 13), number(at + 17)));
        at += 21 + usize::try_from(number(at + 9)).unwrap();
    }
    frames
}

/// Java refuses a frame longer than `1 << (10 + level)`, and the level is the token's low half.
#[test]
fn our_lz4_states_the_level_that_java_wants() {
    for (block_size, level) in [(64_u32, 0), (1024, 0), (1025, 1), (65_536, 6), (65_537, 7)] {
        // A block that does not compress, one that does, and the start of another one.
        let noise: Vec<u8> = (0..block_size).map(|at| scrambled(at.into())).collect();
        let data = [&noise, &vec![7; noise.len()], &noise[..16]].concat();
        let out = compress(
            &*compressor_of(json!({"type": "lz4", "blockSize": block_size})),
            &data,
        );
        let frames = frames(&out);
        let tokens_and_sizes: Vec<_> = frames.iter().map(|frame| (frame.0, frame.1)).collect();
        let expected = [
            (0x10 | level, block_size),
            (0x20 | level, block_size),
            (0x10 | level, 16),
            (0x10 | level, 0),
        ];
        assert_eq!(tokens_and_sizes, expected, "block size {block_size}");
        assert_eq!(frames[3].2, 0, "the checksum of nothing");
        assert!(frames.iter().all(|frame| frame.1 <= 1 << (10 + level)));
    }
}

#[test]
fn our_xz_is_checked_by_crc64() {
    let out = compress(&*compressor_of(json!({"type": "xz"})), &hex(ONE_TO_SIX));
    assert_eq!(out[..8], hex("fd377a585a000004"));
}

#[test]
fn our_zstd_states_its_size_and_has_no_checksum() {
    let out = compress(&*compressor_of(json!({"type": "zstd"})), &hex(ONE_TO_SIX));
    // Magic; descriptor: single segment, one byte of size, no checksum; the size.
    assert_eq!(out[..6], hex("28b52ffd200c"));
}

/// A volume like those of a microscope: smooth, with noise.
fn image() -> Vec<u8> {
    let mut noise = 1_u32;
    (0..64_u32 * 64 * 64)
        .flat_map(|index| {
            noise = noise.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let [x, y, z] = [index % 64, index / 64 % 64, index / 4096];
            let value = 1000 + 3 * x + 2 * y + z + (noise >> 27);
            u16::try_from(value).unwrap().to_be_bytes()
        })
        .collect()
}

#[test]
fn our_gzip_is_at_most_three_percent_larger_than_that_of_zlib() {
    let image = image();
    let ours = compress(&*compressor_of(json!({"type": "gzip", "level": 6})), &image);
    // zlib 1.2.13 at level 6, in a gzip container.
    let zlib = 299_973;
    assert!(ours.len() * 100 <= zlib * 103, "{} bytes", ours.len());
}

#[test]
fn a_reused_buffer_takes_any_size() {
    let mut out = vec![7; 100];
    for fixture in fixtures::all()
        .into_iter()
        .chain(fixtures::all().into_iter().rev())
    {
        let size = fixture.decoded.len();
        decompress_into(&*fixture.compressor(), &fixture.payload, size, &mut out).unwrap();
        assert_eq!(out, fixture.decoded, "{}", fixture.compression);
    }
}

#[test]
fn a_codec_that_is_not_known_goes_through_zarrs() {
    use zarrs::array::codec::Crc32cCodec;
    let codec = ThroughZarrs(std::sync::Arc::new(Crc32cCodec::new()));
    let payload = compress(&codec, b"data");
    assert_eq!(payload.len(), 8);
    assert_eq!(decompress(&codec, &payload, 4), Ok(b"data".to_vec()));
    assert!(matches!(
        decompress(&codec, &payload, 5),
        Err(PayloadError::Length {
            expected: 5,
            found: 4,
            ..
        })
    ));
}

fn any_payload() -> impl Strategy<Value = (Compression, Vec<u8>)> {
    let data = prop_oneof![
        proptest::collection::vec(any::<u8>(), 1..2000),
        (any::<u8>(), 1_usize..200_000).prop_map(|(byte, size)| vec![byte; size]),
        proptest::collection::vec(0_u8..4, 1..2000),
    ];
    (any_compressed(), data, 64..2000_i32).prop_map(|(compression, data, size)| {
        let compression = match compression {
            // Small, so that there are several frames.
            Compression::Lz4(_) => Compression::Lz4(Lz4 {
                block_size: Bounded::constant(size),
            }),
            other => other,
        };
        (compression, data)
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn what_we_write_we_read_and_so_does_zarrs((compression, data) in any_payload()) {
        let options = CodecOptions::default();
        let zarrs = zarr_codec(&compression);
        let codec = compressor(&compression);
        let mut block = b"header".to_vec();
        codec.compress_append(&data, &mut block, &options).unwrap();
        let payload = block.strip_prefix(b"header").unwrap();
        let decoded = decompress(&*codec, payload, data.len());
        prop_assert_eq!(decoded.as_ref(), Ok(&data));
        let size = BytesRepresentation::FixedSize(data.len() as u64);
        let bound = zarrs.encoded_representation(&size).size().unwrap();
        prop_assert!(payload.len() as u64 <= bound);
        let decoded = zarrs.decode(Cow::Borrowed(payload), &size, &options).unwrap();
        prop_assert_eq!(&*decoded, &*data);
        let encoded = zarrs.encode(Cow::Borrowed(&data), &options).unwrap();
        prop_assert_eq!(decompress(&*codec, &encoded, data.len()), Ok(data));
    }
}
