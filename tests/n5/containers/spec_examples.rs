//! Blocks written down byte by byte: the examples of the N5 specification, and what its
//! compressions can look like.
//!
//! Every container is an attributes.json and its blocks in memory, read through plain zarrs calls.

use std::sync::Arc;

use zarrs::array::{Array, ElementOwned};
use zarrs::storage::store::MemoryStore;
use zarrs::storage::{StoreKey, WritableStorageTraits};
use zarrs_interop::n5::convert::ChunkGrid;
use zarrs_interop::n5::{ImplicitGroupStore, N5DefaultStore};

/// Bytes written in hex, with spaces where they help.
fn hex(digits: &str) -> Vec<u8> {
    let digits: String = digits.split_whitespace().collect();
    (0..digits.len())
        .step_by(2)
        .map(|start| u8::from_str_radix(&digits[start..start + 2], 16).unwrap())
        .collect()
}

fn key(name: &str) -> StoreKey {
    StoreKey::new(name).unwrap()
}

/// The whole array at `/data`, in C order, which must be the same on both chunk grids.
fn read<T>(attributes: &str, blocks: &[(&str, Vec<u8>)]) -> Vec<T>
where
    T: ElementOwned + PartialEq + std::fmt::Debug,
{
    let [bounded, regular] = [ChunkGrid::RegularBounded, ChunkGrid::Regular].map(|grid| {
        let memory = MemoryStore::new();
        let document = attributes.as_bytes().to_vec();
        memory
            .set(&key("data/attributes.json"), document.into())
            .unwrap();
        for (position, block) in blocks {
            memory
                .set(&key(&format!("data/{position}")), block.clone().into())
                .unwrap();
        }
        let store = N5DefaultStore::new(memory).with_chunk_grid(grid);
        let array = Array::open(Arc::new(ImplicitGroupStore::new(store)), "/data").unwrap();
        array
            .retrieve_array_subset::<Vec<T>>(&array.subset_all())
            .unwrap()
    });
    assert_eq!(bounded, regular, "the two chunk grids");
    bounded
}

/// The specification's example, 1 x 2 x 3 uint16 holding 1 to 6, with a compression object and its
/// payload.
fn read_example(compression: &str, payload: &str) -> Vec<u16> {
    let attributes = format!(
        r#"{{"dimensions":[1,2,3],"blockSize":[1,2,3],"dataType":"uint16","compression":{compression}}}"#
    );
    let block = hex(&format!("0000 0003 00000001 00000002 00000003 {payload}"));
    read(&attributes, &[("0/0/0", block)])
}

/// N5 counts 1 to 6 with dimension 0 fastest; in C order the last dimension is.
const EXAMPLE: [u16; 6] = [1, 3, 5, 2, 4, 6];

const RAW: &str = "0001 0002 0003 0004 0005 0006";

#[test]
fn specification_raw() {
    assert_eq!(read_example(r#"{"type":"raw"}"#, RAW), EXAMPLE);
}

#[test]
fn specification_bzip2() {
    let payload =
        "425a6839314159265359023e0dd200000040007f002000310c010d31a87394337c5dc914e1424008f83748";
    for compression in [r#"{"type":"bzip2"}"#, r#"{"type":"bzip2","blockSize":9}"#] {
        assert_eq!(read_example(compression, payload), EXAMPLE, "{compression}");
    }
}

#[test]
fn specification_gzip() {
    let payload = "1f8b08000000000000006360646062606660616065600300aaea6dbf0c000000";
    for compression in [
        r#"{"type":"gzip"}"#,
        r#"{"type":"gzip","level":-1}"#,
        r#"{"type":"gzip","level":6,"useZlib":false}"#,
    ] {
        assert_eq!(read_example(compression, payload), EXAMPLE, "{compression}");
    }
}

#[test]
fn specification_xz() {
    let payload = "fd377a585a000004e6d6b4460200210116000000742fe5a301000b0001000200030004\
                   00050006000d03\
                   09ca34ec15a70001240ca618d8d81fb6f37d010000000004595a";
    for compression in [r#"{"type":"xz"}"#, r#"{"type":"xz","preset":6}"#] {
        assert_eq!(read_example(compression, payload), EXAMPLE, "{compression}");
    }
}

/// `useZlib` is a zlib stream, which a gzip decoder refuses.
#[test]
fn gzip_with_use_zlib() {
    let compression = r#"{"type":"gzip","useZlib":true}"#;
    let payload = "789c636064606260666061606560030000670016";
    assert_eq!(read_example(compression, payload), EXAMPLE);
}

#[test]
fn gzip_in_two_members() {
    let payload = "1f8b08000000000002036360646062600600c70d2f1606000000\
                   1f8b08000000000002036360616065600300bd60eaab06000000";
    assert_eq!(read_example(r#"{"type":"gzip"}"#, payload), EXAMPLE);
}

#[test]
fn zstd_without_content_size() {
    let payload = "28b52ffd0000610000000100020003000400050006";
    for compression in [r#"{"type":"zstd"}"#, r#"{"type":"zstd","level":3}"#] {
        assert_eq!(read_example(compression, payload), EXAMPLE, "{compression}");
    }
}

#[test]
fn lz4_stream_of_lz4_java() {
    let payload = "4c5a34426c6f636b 16 0c000000 0c000000 90258b06 000100020003000400050006\
                   4c5a34426c6f636b 16 00000000 00000000 00000000";
    for compression in [r#"{"type":"lz4"}"#, r#"{"type":"lz4","blockSize":65536}"#] {
        assert_eq!(read_example(compression, payload), EXAMPLE, "{compression}");
    }
}

/// Every member of blosc is optional, Java always says typesize 1, and some writers leave zeros
/// behind the stream.
#[test]
fn blosc_whatever_the_attributes_say() {
    let payload = "020112020c0000000c0000001c000000 000100020003000400050006";
    let zeros = "00".repeat(16);
    for compression in [
        r#"{"type":"blosc"}"#,
        r#"{"type":"blosc","cname":"lz4","clevel":5,"shuffle":1,"blocksize":0}"#,
        r#"{"type":"blosc","cname":"lz4","clevel":5,"shuffle":1,"blocksize":0,"typesize":1,"nthreads":1}"#,
    ] {
        assert_eq!(read_example(compression, payload), EXAMPLE, "{compression}");
        let with_zeros = format!("{payload}{zeros}");
        assert_eq!(
            read_example(compression, &with_zeros),
            EXAMPLE,
            "{compression} and zeros"
        );
    }
}

#[test]
fn dimension_0_is_fastest_in_a_block_and_first_in_the_shape() {
    let attributes =
        r#"{"dimensions":[3,2],"blockSize":[3,2],"dataType":"uint8","compression":{"type":"raw"}}"#;
    let block = hex("00000002 00000003 00000002 010203040506");
    let rows = [1, 4, /**/ 2, 5, /**/ 3, 6];
    assert_eq!(read::<u8>(attributes, &[("0/0", block)]), rows);
}

/// 5 x 3 elements in blocks of 3 x 2.
const EDGES: &str =
    r#"{"dimensions":[5,3],"blockSize":[3,2],"dataType":"uint8","compression":{"type":"raw"}}"#;

/// Its four blocks, each as large as the part of the array that it covers.
fn truncated_blocks() -> [(&'static str, Vec<u8>); 4] {
    [
        ("0/0", hex("00000002 00000003 00000002 010203040506")),
        ("1/0", hex("00000002 00000002 00000002 0708090a")),
        ("0/1", hex("00000002 00000003 00000001 0b0c0d")),
        ("1/1", hex("00000002 00000002 00000001 0e0f")),
    ]
}

#[rustfmt::skip]
const EDGE_ROWS: [u8; 15] = [
    1, 4, 11,
    2, 5, 12,
    3, 6, 13,
    7, 9, 14,
    8, 10, 15,
];

#[test]
fn edge_blocks_truncated() {
    assert_eq!(read::<u8>(EDGES, &truncated_blocks()), EDGE_ROWS);
}

/// One edge block is as large as the others; what it holds outside the array must never show.
#[test]
fn edge_blocks_truncated_and_padded() {
    let mut blocks = truncated_blocks();
    blocks[1].1 = hex("00000002 00000003 00000002 07083f 090a3f");
    assert_eq!(read::<u8>(EDGES, &blocks), EDGE_ROWS);
}

#[test]
fn a_missing_block_reads_as_fill() {
    let [first, _, third, fourth] = truncated_blocks();
    #[rustfmt::skip]
    let rows = [
        1, 4, 11,
        2, 5, 12,
        3, 6, 13,
        0, 0, 14,
        0, 0, 15,
    ];
    assert_eq!(read::<u8>(EDGES, &[first, third, fourth]), rows);
}

#[test]
fn a_short_block_inside_the_array_is_padded_with_fill() {
    let mut blocks = truncated_blocks();
    blocks[0].1 = hex("00000002 00000002 00000001 0102");
    #[rustfmt::skip]
    let rows = [
        1, 0, 11,
        2, 0, 12,
        0, 0, 13,
        7, 9, 14,
        8, 10, 15,
    ];
    assert_eq!(read::<u8>(EDGES, &blocks), rows);
}
