//! The example `read_n5`: what it shows, what it refuses, and where its picture goes.
#![cfg(all(feature = "n5", feature = "filesystem", feature = "gzip"))]

use std::path::Path;

#[cfg(feature = "object_store")]
#[allow(clippy::type_complexity, reason = "the headers of HTTP")]
#[path = "../../../../tests/support/http.rs"]
mod http;
#[cfg(feature = "object_store")]
#[allow(dead_code, reason = "some of it is for other tests")]
#[path = "../../../../tests/support/static_server.rs"]
mod static_server;

#[allow(dead_code, reason = "the test runs the example without its `main`")]
#[path = "../../../read_n5.rs"]
mod read_n5;

mod pictures;
#[cfg(unix)]
mod pipes;
mod refusals;
#[cfg(feature = "object_store")]
mod urls;

const CONTAINERS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/data/containers");

/// What the example prints, with its error as the last line, and whether there is a picture.
fn run(arguments: &[&str]) -> (String, bool) {
    let folder = tempfile::tempdir().unwrap();
    let picture = folder.path().join("slice.png");
    let options = ["-o", picture.to_str().unwrap()];
    let arguments = arguments.iter().chain(&options);
    let arguments: Vec<String> = arguments.map(ToString::to_string).collect();
    let mut out = Vec::new();
    let result = read_n5::run(&arguments, &mut out);
    let mut text = String::from_utf8(out).unwrap();
    if let Err(error) = &result {
        text += &format!("error: {error}");
    }
    if !text.contains("no elements to read") {
        let is_some_read = result.is_ok() || text.contains(" MB/s\n");
        assert_eq!(is_some_read, picture.is_file());
    }
    (text, result.is_ok())
}

fn container(name: &str) -> String {
    format!("{CONTAINERS}/{name}.n5")
}

/// A raw dataset of `uint8` in blocks of 2^n elements, with one block of sevens at `keys`.
fn dataset(folder: &Path, dimensions: &[u64], keys: &[&str]) -> String {
    let attributes = serde_json::json!({
        "dimensions": dimensions, "blockSize": vec![2; dimensions.len()], "dataType": "uint8",
        "compression": {"type": "raw"}
    });
    let raw = folder.join("raw");
    std::fs::create_dir_all(&raw).unwrap();
    std::fs::write(raw.join("attributes.json"), attributes.to_string()).unwrap();
    for key in keys {
        let mut block = vec![0, 0, 0, u8::try_from(dimensions.len()).unwrap()];
        for _ in dimensions {
            block.extend([0, 0, 0, 2]);
        }
        block.resize(block.len() + (1 << dimensions.len()), 7);
        let file = raw.join(key);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, block).unwrap();
    }
    folder.to_str().unwrap().to_owned()
}

#[test]
fn without_arguments_it_shows_the_volume_of_the_repository() {
    let (text, _) = run(&[]);
    assert!(
        text.contains(
            "\n/volumes/raw/s0: shape [64, 64, 32]\nvoxel: x 4 nanometer, y 4 nanometer, z 5.24 \
             nanometer\n8 of 8 blocks present\n"
        ),
        "{text}"
    );
    assert!(
        text.contains("slice [0..64, 0..64, 16..17]: 4 of 4 blocks present\n"),
        "{text}"
    );
    assert!(
        text.contains("of the slice: min 22, max 234, mean 146.688\n"),
        "{text}"
    );
}

#[test]
fn a_dataset_that_only_holds_others_is_shown_and_never_the_default() {
    let (text, is_read) = run(&[&container("bdv")]);
    assert!(
        is_read && text.contains("(without blocks, with datasets below)"),
        "{text}"
    );
    assert!(
        text.contains("\n/setup0/timepoint0/s0: shape [11, 10, 5]\n"),
        "{text}"
    );
}

#[test]
fn a_label_multiset_is_marked() {
    let (text, is_read) = run(&[&container("paintera")]);
    assert!(
        is_read && text.contains("(a label multiset: its blocks cannot be read"),
        "{text}"
    );
}

#[test]
fn a_damaged_container_opens_with_complaints() {
    let (text, is_read) = run(&[&container("damaged"), "list/c0/s0"]);
    assert!(is_read, "{text}");
    assert!(text.contains("  c0  (unreadable: "), "{text}");
    assert!(
        text.contains("\nunreadable: 6, as said above\nleft out: "),
        "{text}"
    );
    assert!(
        text.contains("\n  /@eaDir: a folder of an operating system"),
        "{text}"
    );
    assert!(
        text.contains("\n/list/c0/s0: shape [5, 3]\n2 of 2 blocks present\n"),
        "{text}"
    );
}

#[test]
fn nothing_there_names_the_first_key_and_what_is_there() {
    let folder = tempfile::tempdir().unwrap();
    let path = dataset(folder.path(), &[4, 4, 4], &[]);
    std::fs::write(folder.path().join("raw/c0"), "").unwrap();
    let (text, is_read) = run(&[&path]);
    assert!(!is_read);
    let expected = format!(
        "error: 0 of 8 blocks present: the first one expected is raw/0/0/0, and {path}/raw has \
         attributes.json, c0\n"
    );
    assert!(text.contains(&expected), "{text}");
    let (text, is_read) = run(&[&path, "--allow-empty"]);
    assert!(
        is_read && text.contains("\n0 of 8 blocks present\n"),
        "{text}"
    );
}

#[test]
fn a_slice_of_which_nothing_is_there_is_an_error_too() {
    let folder = tempfile::tempdir().unwrap();
    let path = dataset(folder.path(), &[4, 4, 4], &["0/0/0"]);
    let (text, is_read) = run(&[&path, "--slice", "2=3"]);
    assert!(!is_read);
    assert!(text.contains("\n1 of 8 blocks present\n"), "{text}");
    let error = "error: slice [0..4, 0..4, 3..4]: 0 of 4 blocks present: the first one expected is raw/0/0/1";
    assert!(text.contains(error), "{text}");
    let (text, is_read) = run(&[&path]);
    assert!(
        is_read && text.contains("slice [0..4, 0..4, 0..1]: 1 of 4 blocks present"),
        "{text}"
    );
}

#[cfg(unix)]
#[test]
fn links_to_nowhere_are_not_counted_as_present() {
    let folder = tempfile::tempdir().unwrap();
    let path = dataset(folder.path(), &[4, 4], &["0/0", "0/1", "1/0"]);
    std::os::unix::fs::symlink("/nowhere/annex", folder.path().join("raw/1/1")).unwrap();
    let (text, _) = run(&[&path]);
    assert!(
        text.contains("\n3 of 4 blocks present, 1 listed but not there\n"),
        "{text}"
    );
    assert!(text.contains("slice [0..4, 0..4]: 3 of 4 blocks"), "{text}");
}

#[test]
fn a_dataset_named_by_a_number_below_dataset_members_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = dataset(folder.path(), &[4, 4], &[]);
    let raw = folder.path().join("raw");
    std::fs::create_dir(raw.join("0")).unwrap();
    std::fs::copy(raw.join("attributes.json"), raw.join("0/attributes.json")).unwrap();
    let (text, _) = run(&[&path]);
    let line = "\nraw/0/attributes.json: the document of a node among the blocks";
    assert!(text.contains(line), "{text}");
}

#[test]
fn more_blocks_than_can_be_counted_are_marked() {
    let folder = tempfile::tempdir().unwrap();
    let path = dataset(folder.path(), &[i64::MAX.unsigned_abs(); 3], &["0/0/0"]);
    let (text, _) = run(&[&path]);
    // 2^186 blocks.
    let line = format!("\n1 of over {} blocks present\n", u128::MAX);
    assert!(text.contains(&line), "{text}");
}

#[test]
fn huge_sparse_datasets_show_what_is_there() {
    for (dimensions, key, slice) in [
        (
            &[1 << 40; 3][..],
            "300000000000/5/1000000",
            "slice [600000000000..600000000256, 10..266, 2000000..2000001]: 1 of 16384 blocks",
        ),
        (
            &[10_000_000_000, 10_000_000_000, 1, 3612, 3612],
            "0/4999999999/0/7/9",
            "slice [0..256, 9999999744..10000000000, 0..1, 14..15, 18..19]: 1 of 16384 blocks",
        ),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let path = dataset(folder.path(), dimensions, &[key]);
        let (text, is_read) = run(&[&path]);
        assert!(is_read && text.contains(slice), "{text}");
        assert!(
            text.contains("of the slice: min 0, max 7, mean 0.000"),
            "{text}"
        );
        assert!(!text.contains("inf"), "{text}");
    }
}

#[test]
fn missing_blocks_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = dataset(folder.path(), &[4, 4], &["0/0", "1/0"]);
    let (text, is_read) = run(&[&path]);
    assert!(
        is_read && text.contains("slice [0..4, 0..4]: 2 of 4 blocks"),
        "{text}"
    );
    assert!(
        text.ends_with("\nmissing, shown as 0: 2 (raw/0/1, raw/1/1)\n"),
        "{text}"
    );
}

#[test]
fn corrupt_blocks_are_named_and_an_error_and_the_others_shown() {
    let folder = tempfile::tempdir().unwrap();
    let path = dataset(folder.path(), &[4, 4], &["0/0", "0/1", "1/0", "1/1"]);
    std::fs::write(folder.path().join("raw/1/0"), [0, 0]).unwrap();
    let (text, is_read) = run(&[&path]);
    assert!(!is_read && text.contains(" MB/s\n"), "{text}");
    assert!(
        text.contains("\ncannot be read, shown as 0: array /raw: block [1, 0] at key"),
        "{text}"
    );
    assert!(
        text.contains("(blocks that cannot be read count as 0)"),
        "{text}"
    );
    let error =
        format!("error: 1 block of the slice cannot be read, as said above: check_n5 {path}");
    assert!(text.contains(&error), "{text}");
    // If there is nothing else, there is no picture.
    let (text, is_read) = run(&[&path, "--slice", "0=2,1=0"]);
    assert!(!is_read && !text.contains(" MB/s\n"), "{text}");
}

#[test]
fn blocks_of_label_multisets_are_told_from_corrupt_ones() {
    let (text, is_read) = run(&[&container("paintera"), "volumes/multiset/data/s0"]);
    assert!(
        !is_read && text.contains("error: 4 blocks of the slice cannot be read"),
        "{text}"
    );
    assert!(
        text.contains("it is a label multiset or an index of Paintera"),
        "{text}"
    );
}

#[test]
fn a_path_within_a_hierarchy_finds_its_root() {
    let (whole, _) = run(&[&container("bdv"), "setup1/timepoint1/s1"]);
    let within = container("bdv") + "/setup1/timepoint1";
    for (arguments, inside) in [
        (vec![within.clone() + "/s1"], "/setup1/timepoint1/s1"),
        (vec![within.clone(), "s1".to_owned()], "/setup1/timepoint1"),
    ] {
        let arguments: Vec<_> = arguments.iter().map(String::as_str).collect();
        let (text, is_read) = run(&arguments);
        let line = format!("\n(the root of what PATH is in: {inside} in it is read)\n");
        assert!(is_read && text.contains(&line), "{text}");
        let statistics = |text: &str| {
            text.lines()
                .find(|line| line.starts_with("of the"))
                .unwrap()
                .to_owned()
        };
        assert_eq!(statistics(&text), statistics(&whole));
    }
    // Of a group the first dataset.
    let (text, _) = run(&[&within]);
    assert!(text.contains("\n/setup1/timepoint1/s0: shape"), "{text}");
    let (text, is_read) = run(&[&(within + "/s7")]);
    assert!(!is_read && text.contains("in it are s0, s1"), "{text}");
}

#[test]
fn a_url_is_no_place_for_the_picture() {
    let arguments = ["-o", "s3://bucket/slice.png"].map(str::to_owned);
    let error = read_n5::run(&arguments, &mut Vec::new()).unwrap_err();
    let error = error.to_string();
    assert!(error.contains("s3://bucket/slice.png is a URL"), "{error}");
}
