//! The example `read_n5`: what it shows, what it refuses, and where its picture goes.
#![cfg(all(feature = "n5", feature = "filesystem", feature = "gzip"))]

use std::path::Path;

#[allow(dead_code, reason = "the test runs the example without its `main`")]
#[path = "../../read_n5.rs"]
mod read_n5;

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

/// The width, height and bytes of the picture for these arguments, and its colour type.
fn picture(arguments: &[&str]) -> (u32, u32, Vec<u8>, png::ColorType) {
    let folder = tempfile::tempdir().unwrap();
    let picture = folder.path().join("slice.png");
    let options = ["-o", picture.to_str().unwrap()];
    let arguments = arguments.iter().chain(&options).map(ToString::to_string);
    read_n5::run(&arguments.collect::<Vec<_>>(), &mut Vec::new()).unwrap();
    let file = std::io::BufReader::new(std::fs::File::open(picture).unwrap());
    let mut reader = png::Decoder::new(file).read_info().unwrap();
    let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut bytes).unwrap();
    (info.width, info.height, bytes, info.color_type)
}

/// A dataset of one raw block of `elements`, in the order and bytes of N5.
fn one_block(folder: &Path, attributes: serde_json::Value, elements: &[u8]) -> String {
    let mut document = serde_json::json!({"compression": {"type": "raw"}});
    let members = document.as_object_mut().unwrap();
    members.extend(attributes.as_object().unwrap().clone());
    members.insert("blockSize".into(), attributes["dimensions"].clone());
    let dimensions = attributes["dimensions"].as_array().unwrap();
    let mut file = folder.join("raw");
    let mut block = vec![0, 0, 0, u8::try_from(dimensions.len()).unwrap()];
    for size in dimensions {
        block.extend(u32::try_from(size.as_u64().unwrap()).unwrap().to_be_bytes());
        file.push("0");
    }
    block.extend(elements);
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::fs::write(file, block).unwrap();
    std::fs::write(folder.join("raw/attributes.json"), document.to_string()).unwrap();
    folder.to_str().unwrap().to_owned()
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
    let path = dataset(folder.path(), &[u64::MAX; 3], &["0/0/0"]);
    let (text, _) = run(&[&path]);
    // 2^189 blocks.
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
fn groups_and_wrong_arguments_are_refused() {
    for (arguments, expected) in [
        (
            vec![container("bdv"), "setup0/timepoint0".into()],
            "/setup0/timepoint0 is a group",
        ),
        (
            vec![container("bdv"), "nowhere".into()],
            "there is nothing at /nowhere: / is there, and in it are setup0, setup1",
        ),
        (
            vec!["/nowhere".into()],
            "/nowhere is not a folder: / is there, and has ",
        ),
        (vec!["--verbose".into()], "unknown option --verbose"),
        (vec!["--slice".into(), "z".into()], "expected AXIS=INDEX"),
        (
            vec!["--slice".into(), "2=32".into()],
            "index 32 of axis 2: expected less than 32",
        ),
        (vec!["--slice".into(), "q=0".into()], "there is no axis q"),
    ] {
        let arguments: Vec<_> = arguments.iter().map(String::as_str).collect();
        let (text, is_read) = run(&arguments);
        assert!(!is_read && text.contains(expected), "{expected}: {text}");
    }
}

#[test]
fn voxels_have_their_shape_and_x_goes_across() {
    let folder = tempfile::tempdir().unwrap();
    let attributes = serde_json::json!({"dimensions": [4, 2], "dataType": "uint8",
        "axes": ["x", "y"], "resolution": [1.0, 4.0]});
    let path = one_block(folder.path(), attributes, &[0, 1, 2, 3, 0, 85, 170, 255]);
    // 4 x 1 by 2 x 4: the longest dimension has 8 voxels of 64 pixels.
    let (width, height, bytes, colours) = picture(&[&path]);
    assert_eq!(
        (width, height, colours),
        (256, 512, png::ColorType::Grayscale)
    );
    let at = |x: usize, y: usize| bytes[y * 256 + x];
    assert_eq!(
        [at(0, 0), at(255, 0), at(64, 511), at(255, 511)],
        [0, 3, 85, 255]
    );
}

#[test]
fn labels_that_are_equal_as_floats_have_different_colours() {
    let folder = tempfile::tempdir().unwrap();
    let attributes = serde_json::json!({"dimensions": [64, 64], "dataType": "uint64"});
    let label = |at: u64| (1_u64 << 53) + at / 2048;
    let elements: Vec<u8> = (0..4096).flat_map(|at| label(at).to_be_bytes()).collect();
    let path = one_block(folder.path(), attributes, &elements);
    let (text, _) = run(&[&path]);
    assert!(text.contains("2 labels in colours, 0 is black"), "{text}");
    let (_, _, bytes, colours) = picture(&[&path]);
    assert_eq!(colours, png::ColorType::Rgb);
    assert_ne!(bytes[..3], bytes[bytes.len() - 3..]);
    let (_, _, bytes, _) = picture(&[&path, "--grey"]);
    assert_eq!((bytes[0], bytes[bytes.len() - 1]), (0, 255));
}

#[test]
fn statistics_of_64_bits_are_exact_and_say_what_they_are_of() {
    let folder = tempfile::tempdir().unwrap();
    let attributes = serde_json::json!({"dimensions": [2, 2], "dataType": "uint64"});
    let values = [u64::MAX, u64::MAX - 1, u64::MAX, u64::MAX - 1];
    let path = one_block(
        folder.path(),
        attributes,
        &values.map(u64::to_be_bytes).concat(),
    );
    let expected = "of the whole dataset: min 18446744073709551614, max 18446744073709551615, mean \
                    18446744073709551614.500\n";
    let (text, _) = run(&[&path]);
    assert!(text.contains(expected), "{text}");
    let (text, _) = run(&[&path, "--slice", "1=0"]);
    assert!(text.contains("of the slice: min 1844"), "{text}");
}

#[test]
fn nan_is_counted_and_red() {
    let folder = tempfile::tempdir().unwrap();
    let attributes = serde_json::json!({"dimensions": [4], "dataType": "float32"});
    let values = [1.0, f32::NAN, 2.0, f32::NEG_INFINITY];
    let path = one_block(
        folder.path(),
        attributes,
        &values.map(f32::to_be_bytes).concat(),
    );
    let (text, _) = run(&[&path]);
    let expected = "min 1, max 2, mean 1.500, 1 NaN, 1 infinite\n";
    assert!(
        text.contains(expected) && text.contains("NaN red"),
        "{text}"
    );
    let (width, height, bytes, _) = picture(&[&path]);
    assert_eq!((width, height), (512, 128));
    assert_eq!([bytes[0], bytes[3 * 128 + 1], bytes[3 * 511]], [0, 0, 0]);
    assert!(bytes[3 * 128] > 100);
}

#[test]
fn three_planes_are_one_picture() {
    let (width, height, _, _) = picture(&["--ortho"]);
    // 64 x 4 nm are 512 pixels, and 32 x 5.24 nm are 335.36.
    assert_eq!((width, height), (512 + 6 + 335, 512 + 6 + 335));
    let demo = read_n5::DEMO;
    let (text, _) = run(&[demo, "volumes/raw/s0", "--ortho", "--slice", "x=1,z=2"]);
    for slice in [
        "slice [0..64, 0..64, 2..3]: 4 of 4",
        "slice [1..2, 0..64, 0..32]: 4 of 4",
        "slice [0..64, 32..33, 0..32]: 4 of 4",
    ] {
        assert!(text.contains(slice), "{text}");
    }
    assert!(text.contains("of the three slices: "), "{text}");
}

#[test]
fn any_dimensionality_has_a_picture() {
    for (dimensions, size) in [(&[1, 1, 1][..], (512, 512)), (&[4, 2, 2, 2, 2], (512, 256))] {
        let folder = tempfile::tempdir().unwrap();
        let attributes = serde_json::json!({"dimensions": dimensions, "dataType": "int8"});
        let len = dimensions.iter().product();
        let path = one_block(folder.path(), attributes, &vec![7; len]);
        let (width, height, bytes, _) = picture(&[&path]);
        assert_eq!((width, height), size);
        assert!(bytes.iter().all(|&grey| grey == 128));
    }
    let folder = tempfile::tempdir().unwrap();
    let path = dataset(folder.path(), &[0, 4], &[]);
    let (text, is_read) = run(&[&path]);
    assert!(is_read && text.ends_with("no elements to read\n"), "{text}");
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
fn what_is_no_n5_is_refused_with_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_str().unwrap();
    let (text, _) = run(&[path]);
    assert!(
        text.contains("error: there is nothing in ") && text.contains("give the folder"),
        "{text}"
    );
    std::fs::create_dir(folder.path().join("some")).unwrap();
    std::fs::write(folder.path().join("some/file"), "").unwrap();
    let (text, _) = run(&[path]);
    assert!(
        text.contains("error: there is no N5 dataset: give the folder of a hierarchy"),
        "{text}"
    );
    let zarr = serde_json::json!({"zarr_format": 3, "node_type": "array"});
    std::fs::write(folder.path().join("some/zarr.json"), zarr.to_string()).unwrap();
    let (text, _) = run(&[path]);
    assert!(
        text.contains("error: there is no N5 dataset: what is there is Zarr"),
        "{text}"
    );
    let (text, _) = run(&[folder.path().join("some/file").to_str().unwrap()]);
    assert!(
        text.contains("is a file: an N5 hierarchy is a folder"),
        "{text}"
    );
}

#[test]
fn every_other_wrong_argument_is_named() {
    let bdv = &*container("bdv");
    for (arguments, expected) in [
        (&[""][..], "PATH is empty"),
        (
            &[bdv, "Setup0/timepoint0/s0"],
            "names differ by case, and /setup0/timepoint0/s0 is there",
        ),
        (&[bdv, "setup0\\timepoint0"], "has a backslash"),
        (&[bdv, "a", "b"], "too many arguments"),
        (
            &[bdv, "--missing"],
            "--missing needs the status of an answer",
        ),
        (
            &[bdv, "--missing", "200"],
            "--missing needs the status of an answer",
        ),
        (&[bdv, "--missing", "403"], "--missing is for URLs"),
        (
            &[bdv, "setup0/timepoint0/s0", "--slice", "x=1,y=2,z=3,q=4"],
            "there is no axis q",
        ),
    ] {
        let (text, is_read) = run(arguments);
        assert!(!is_read && text.contains(expected), "{expected}: {text}");
    }
    for (arguments, expected) in [
        (&["-o", "/nowhere/a.png"][..], "name another file with -o"),
        (&["-o"], "-o needs the name of a file"),
        (&["--slice"], "--slice needs AXIS=INDEX"),
        (&["--missing"], "--missing needs the status of an answer"),
    ] {
        let arguments: Vec<_> = arguments.iter().map(ToString::to_string).collect();
        let error = read_n5::run(&arguments, &mut Vec::new()).unwrap_err();
        assert!(error.to_string().contains(expected), "{error}");
    }
}

#[test]
fn help_says_all_that_the_usage_says() {
    let mut out = Vec::new();
    read_n5::run(&["--help".to_owned()], &mut out).unwrap();
    let help = String::from_utf8(out).unwrap();
    assert!(
        help.starts_with("Reads an N5 volume: ") && !help.contains("```"),
        "{help}"
    );
    for option in read_n5::USAGE
        .split(['[', ']', '|', ' ', '\n'])
        .filter(|word| word.starts_with('-'))
    {
        assert!(help.contains(&format!("{option} ")), "{option}: {help}");
    }
    assert!(help.lines().all(|line| line.chars().count() <= 100));
}

/// `file://` goes the way of all URLs.
#[cfg(feature = "object_store")]
mod urls {
    use super::*;

    fn url(path: &str) -> String {
        format!(
            "file://{}",
            Path::new(path).canonicalize().unwrap().display()
        )
    }

    #[test]
    fn a_dataset_is_read_without_a_look_at_the_others() {
        let (text, is_read) = run(&[&url(read_n5::DEMO), "volumes/raw/s0"]);
        assert!(is_read && !text.contains("s1"), "{text}");
        assert!(
            text.contains("of the slice: min 22, max 234, mean 146.688\n"),
            "{text}"
        );
        // attributes.json, those of the four nodes for the resolution, and four blocks.
        assert!(text.contains("\n9 requests, 0.0"), "{text}");
    }

    #[test]
    fn a_url_that_goes_on_finds_its_root_and_one_without_a_dataset_shows_the_tree() {
        let demo = url(read_n5::DEMO);
        let (text, is_read) = run(&[&(demo.clone() + "/volumes/raw/s1")]);
        assert!(
            is_read && text.contains("\n/volumes/raw/s1: shape [32, 32, 16]\n"),
            "{text}"
        );
        let (text, is_read) = run(&[&demo]);
        assert!(
            is_read && text.contains("\n/volumes/raw/s0: shape"),
            "{text}"
        );
        let (text, is_read) = run(&[&(demo + "/volumes")]);
        assert!(
            !is_read && text.contains("/volumes is a group, not a dataset; "),
            "{text}"
        );
    }

    #[test]
    fn wrong_urls_are_named() {
        for (url, expected) in [
            ("gs://bucket/x.n5", "found gs://, expected s3://"),
            ("s3:///x.n5", "it names no bucket"),
            (
                "https://user:secret@host/x.n5",
                "credentials do not belong in a URL",
            ),
            ("file:///nowhere/x.n5", "there is no folder /nowhere/x.n5"),
        ] {
            let (text, is_read) = run(&[url, "a"]);
            assert!(!is_read && text.contains(expected), "{expected}: {text}");
            assert!(!text.contains("secret"), "{text}");
        }
    }
}

#[cfg(not(feature = "object_store"))]
#[test]
fn a_url_without_the_feature_names_it() {
    let (text, is_read) = run(&["s3://bucket/x.n5", "a"]);
    assert!(
        !is_read && text.contains("--features object_store"),
        "{text}"
    );
}
