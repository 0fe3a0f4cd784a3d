//! Every element is where the order of the output puts it.

use zarrs::array::{Element, ElementOwned};
use zarrs_interop::n5::N5DataType;
use zarrs_interop::n5::rewrite::{OutputCompression, OutputOrder, RewriteOptions};

use crate::support::{Folder, axes, mixed, positions};

const SHAPE: [u64; 3] = [13, 11, 7];

fn check<T>(data_type: N5DataType, element: impl Fn(u64) -> T)
where
    T: Element + ElementOwned + PartialEq + std::fmt::Debug,
{
    let folder = Folder::new();
    folder.dataset(
        "raw",
        (&SHAPE, &[4, 5, 3]),
        data_type,
        &axes(&["x", "y", "z"]),
        |position| element(mixed(position)),
    );
    let options = RewriteOptions::new()
        .with_chunk(vec![2, 3, 4])
        .with_shard(vec![4, 6, 8]);
    folder.run("raw", &options);
    let found: Vec<T> = folder.elements("s0");
    let expected: Vec<T> = positions(&[7, 11, 13])
        .map(|at| element(mixed(&[at[2], at[1], at[0]])))
        .collect();
    assert_eq!(found, expected, "{data_type}");
    assert_eq!(folder.array("s0").shape(), [7, 11, 13]);

    std::fs::remove_dir_all(folder.out()).unwrap();
    folder.run("raw", &options.with_order(OutputOrder::Stored));
    let found: Vec<T> = folder.elements("s0");
    let expected: Vec<T> = positions(&SHAPE).map(|at| element(mixed(&at))).collect();
    assert_eq!(found, expected, "{data_type}");
}

#[test]
fn every_data_type_in_both_orders() {
    check(N5DataType::UInt8, |n| n as u8);
    check(N5DataType::UInt16, |n| n as u16 * 77);
    check(N5DataType::UInt32, |n| n as u32 * 7_777_777);
    check(N5DataType::UInt64, |n| n * 777_777_777_777_777);
    check(N5DataType::Int8, |n| n as i8);
    check(N5DataType::Int16, |n| n as i16 * -77);
    check(N5DataType::Int32, |n| n as i32 * -7_777_777);
    check(N5DataType::Int64, |n| n as i64 * -777_777_777_777_777);
    check(N5DataType::Float32, |n| n as f32 / 3.);
    check(N5DataType::Float64, |n| n as f64 / -3.);
}

#[test]
fn five_dimensions_are_permuted_by_name() {
    let folder = Folder::new();
    let shape = [6, 5, 2, 4, 3];
    let names = axes(&["x", "y", "c", "z", "t"]);
    folder.dataset(
        "raw",
        (&shape, &[4, 4, 1, 3, 1]),
        N5DataType::UInt16,
        &names,
        |position| mixed(position) as u16,
    );
    let options = RewriteOptions::new()
        .with_chunk(vec![2, 2, 3])
        .with_shard(vec![2, 4, 6]);
    folder.run("raw", &options);
    let found: Vec<u16> = folder.elements("s0");
    let expected: Vec<u16> = positions(&[3, 2, 4, 5, 6])
        .map(|at| mixed(&[at[4], at[3], at[1], at[2], at[0]]) as u16)
        .collect();
    assert_eq!(found, expected);
    let document = folder.document("zarr.json");
    let image = &document["attributes"]["ome"]["multiscales"][0];
    let names: Vec<_> = image["axes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|axis| axis["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["t", "c", "z", "y", "x"]);
    assert_eq!(
        folder.document("s0/zarr.json")["dimension_names"],
        serde_json::json!(["t", "c", "z", "y", "x"])
    );
}

#[test]
fn dimensions_that_are_stored_the_other_way_round_are_presented_by_name() {
    let folder = Folder::new();
    let names = axes(&["z", "x", "y"]);
    folder.dataset(
        "raw",
        (&SHAPE, &[4, 5, 3]),
        N5DataType::UInt16,
        &names,
        |position| mixed(position) as u16,
    );
    folder.run("raw", &RewriteOptions::new().with_chunk(vec![4, 4, 4]));
    let found: Vec<u16> = folder.elements("s0");
    let expected: Vec<u16> = positions(&[13, 7, 11])
        .map(|at| mixed(&[at[0], at[2], at[1]]) as u16)
        .collect();
    assert_eq!(found, expected);
}

#[test]
fn one_and_two_dimensions() {
    let folder = Folder::new();
    folder.dataset(
        "line",
        (&[100], &[7]),
        N5DataType::UInt32,
        &axes(&["x"]),
        |at| at[0] as u32,
    );
    let rewrite = folder.open("line", &RewriteOptions::new()).unwrap();
    let reason = rewrite.without_ome().unwrap();
    assert!(
        reason.contains("1 dimensions: OME-Zarr has from 2 to 5"),
        "{reason}"
    );
    rewrite.run(&folder.out(), |_| ()).unwrap();
    assert_eq!(folder.elements::<u32>("s0"), (0..100).collect::<Vec<_>>());
    std::fs::remove_dir_all(folder.out()).unwrap();

    folder.dataset(
        "plane",
        (&[9, 5], &[4, 4]),
        N5DataType::UInt32,
        &axes(&["x", "y"]),
        |at| (at[0] + 10 * at[1]) as u32,
    );
    folder.run("plane", &RewriteOptions::new());
    let expected: Vec<u32> = (0..5)
        .flat_map(|y| (0..9).map(move |x| x + 10 * y))
        .collect();
    assert_eq!(folder.elements::<u32>("s0"), expected);
}

#[test]
fn every_compression() {
    let blosc = |shuffle: &str| OutputCompression::Blosc {
        compressor: "lz4".to_owned(),
        level: 5,
        shuffle: shuffle.to_owned(),
    };
    for compression in [
        OutputCompression::None,
        OutputCompression::Zstd { level: 7 },
        blosc("shuffle"),
        blosc("bitshuffle"),
        blosc("noshuffle"),
    ] {
        let folder = Folder::new();
        let names = axes(&["x", "y", "z"]);
        folder.dataset(
            "raw",
            (&SHAPE, &[4, 5, 3]),
            N5DataType::UInt16,
            &names,
            |position| mixed(position) as u16,
        );
        let options = RewriteOptions::new()
            .with_chunk(vec![4, 4, 4])
            .with_compression(compression.clone());
        folder.run("raw", &options);
        let found: Vec<u16> = folder.elements("s0");
        let expected: Vec<u16> = positions(&[7, 11, 13])
            .map(|at| mixed(&[at[2], at[1], at[0]]) as u16)
            .collect();
        assert_eq!(found, expected, "{compression:?}");
    }
}

#[test]
fn a_compression_that_there_is_not_is_refused_before_anything_is_written() {
    let folder = Folder::new();
    let names = axes(&["x", "y", "z"]);
    folder.dataset(
        "raw",
        (&[4, 4, 4], &[4, 4, 4]),
        N5DataType::UInt8,
        &names,
        |_| 1_u8,
    );
    let compression = OutputCompression::Blosc {
        compressor: "brotli".to_owned(),
        level: 5,
        shuffle: "shuffle".to_owned(),
    };
    let options = RewriteOptions::new().with_compression(compression);
    let error = folder.try_run("raw", &options).unwrap_err();
    assert!(
        error.to_string().contains("compression of the output"),
        "{error}"
    );
    assert!(!folder.out().exists());
}
