//! The example `check_n5`: what it prints, and when it fails.
#![cfg(all(feature = "n5", feature = "filesystem", feature = "gzip"))]

use std::path::Path;

use serde_json::Value;

#[allow(dead_code, reason = "the test runs the example without its `main`")]
#[path = "../../../check_n5.rs"]
mod check_n5;

mod levels;

const CONTAINERS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/data/containers");

/// What the example prints, and its error.
fn run(arguments: &[&str]) -> (String, Option<String>) {
    let arguments: Vec<String> = arguments.iter().map(ToString::to_string).collect();
    let mut out = Vec::new();
    let result = check_n5::run(&arguments, &mut out);
    let error = result.err().map(|error| error.to_string());
    (String::from_utf8(out).unwrap(), error)
}

fn container(name: &str) -> String {
    format!("{CONTAINERS}/{name}.n5")
}

#[test]
fn sound_containers_pass() {
    for name in [
        "bdv",
        "bdv_zeros",
        "cosem",
        "n5_viewer",
        "neuroglancer",
        "paintera",
    ] {
        let (text, error) = run(&[&container(name)]);
        assert_eq!(error, None, "{name}");
        assert!(!text.contains("corrupt: "), "{name}: {text}");
    }
}

/// The container of BigStitcher has dataset members on `setup0` too, where there are no blocks.
#[test]
fn datasets_that_only_hold_others_do_not_count_as_missing() {
    let (text, error) = run(&[&container("bdv"), "--fail-missing"]);
    assert_eq!(error, None, "{text}");
    assert!(
        text.starts_with("/setup0/timepoint0/s0: 8 expected, 8 present, 0 missing, 0 corrupt\n")
    );
}

#[test]
fn each_corrupt_block_is_one_line_and_an_error() {
    let (text, error) = run(&[&container("damaged")]);
    let lines: Vec<_> = text
        .lines()
        .filter(|line| line.starts_with("  corrupt: "))
        .collect();
    assert_eq!(lines.len(), 25, "{text}");
    assert!(lines[0].contains("array /blocks/gzip: block [1, 0] at key blocks/gzip/1/0: "));
    assert!(
        text.contains("\n/good/s0: 2 expected, 2 present, 0 missing, 0 corrupt\n"),
        "{text}"
    );
    assert!(
        text.contains("cannot be checked: /list/c0: unreadable: "),
        "{text}"
    );
    assert!(text.contains("left out: /@eaDir: "), "{text}");
    let error = error.unwrap();
    assert!(
        error.starts_with("corrupt blocks: 25, nodes that cannot be checked: "),
        "{error}"
    );
}

#[test]
fn one_dataset_is_checked_alone() {
    let (text, error) = run(&[&container("damaged"), "good/s0"]);
    assert_eq!(
        (&*text, error),
        (
            "/good/s0: 2 expected, 2 present, 0 missing, 0 corrupt\n",
            None
        )
    );
    let (_, error) = run(&[&container("damaged"), "/blocks/raw"]);
    assert_eq!(error.unwrap(), "corrupt blocks: 12");
    let (text, error) = run(&[&container("damaged"), "nowhere"]);
    assert!(
        text.starts_with("cannot be checked: there is nothing at /nowhere: / is there, and in it"),
        "{text}"
    );
    assert_eq!(error.unwrap(), "nodes that cannot be checked: 1");
}

#[test]
fn json_says_the_same() {
    let (text, error) = run(&[&container("damaged"), "--json"]);
    assert!(error.unwrap().starts_with("corrupt blocks: 25"));
    let found: Value = serde_json::from_str(&text).unwrap();
    let datasets = found["datasets"].as_array().unwrap();
    let gzip = datasets
        .iter()
        .find(|dataset| dataset["dataset"] == "/blocks/gzip")
        .unwrap();
    assert_eq!(
        (&gzip["expected"], &gzip["missing"]),
        (&28.into(), &1.into())
    );
    let block = &gzip["corrupt"][0];
    assert_eq!(
        (&block["key"], &block["array"]),
        (&"blocks/gzip/1/0".into(), &"/blocks/gzip".into())
    );
    assert_eq!(block["position"], serde_json::json!([1, 0]));
    assert!(
        block["reason"]
            .as_str()
            .unwrap()
            .contains("ends within its header")
    );
    assert!(!found["cannot_be_checked"].as_array().unwrap().is_empty());
}

fn sparse(folder: &Path) -> &str {
    let attributes = r#"{"dimensions":[1099511627776,1099511627776,1099511627776],
        "blockSize":[64,64,64],"dataType":"uint8","compression":{"type":"raw"}}"#;
    std::fs::write(folder.join("attributes.json"), attributes).unwrap();
    folder.to_str().unwrap()
}

#[test]
fn missing_blocks_fail_only_if_asked_for_and_huge_numbers_are_strings() {
    let folder = tempfile::tempdir().unwrap();
    let path = sparse(folder.path());
    let (text, error) = run(&[path]);
    assert_eq!(error, None);
    let blocks = 1_u128 << 102;
    let line = format!("/: {blocks} expected, 0 present, {blocks} missing, 0 corrupt\n");
    assert_eq!(text, line);
    let (text, error) = run(&[path, "/", "--json", "--fail-missing"]);
    assert_eq!(error.unwrap(), format!("missing blocks: {blocks}"));
    let found: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(found["datasets"][0]["missing"], blocks.to_string());
}

fn write(folder: &Path, attributes: &str) {
    std::fs::create_dir_all(folder).unwrap();
    std::fs::write(folder.join("attributes.json"), attributes).unwrap();
}

/// What git-annex has not fetched, or what lies on a disk that is not mounted.
#[cfg(unix)]
#[test]
fn links_to_nowhere_are_named_and_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let path = sparse(folder.path());
    std::fs::create_dir_all(folder.path().join("0/0")).unwrap();
    std::os::unix::fs::symlink("/nowhere/annex", folder.path().join("0/0/0")).unwrap();
    let (text, error) = run(&[path]);
    assert_eq!(error.unwrap(), "blocks that are listed but not there: 1");
    let line = "\n  vanished: 0/0/0: listed, but there was nothing to read\n";
    assert!(text.contains(line) && text.contains(" 0 present"), "{text}");
    let (text, error) = run(&[path, "--json"]);
    assert!(error.is_some());
    let found: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(
        found["datasets"][0]["vanished"],
        serde_json::json!(["0/0/0"])
    );
}

#[test]
fn a_folder_in_the_place_of_a_block_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let path = sparse(folder.path());
    std::fs::create_dir_all(folder.path().join("0/0/3/0")).unwrap();
    let mut places = vec![path.to_owned()];
    if cfg!(feature = "object_store") {
        places.push(format!("file://{path}"));
    }
    for place in places {
        let (text, error) = run(&[&place]);
        assert_eq!(error.as_deref(), Some("corrupt blocks: 1"), "{text}");
        let line = "block [0, 0, 3] at key 0/0/3: there is a folder in its place";
        assert!(text.contains(line), "{text}");
    }
}

#[test]
fn a_dataset_named_by_a_number_below_dataset_members_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let attributes = r#"{"dimensions":[4,4],"blockSize":[2,2],"dataType":"uint8",
        "compression":{"type":"raw"}}"#;
    write(&folder.path().join("num"), attributes);
    write(&folder.path().join("num/0"), attributes);
    let (text, _) = run(&[folder.path().to_str().unwrap()]);
    let line = "\n  stray: num/0/attributes.json: the document of a node among the blocks";
    assert!(text.contains(line), "{text}");
}

#[test]
fn more_blocks_than_can_be_counted_are_marked_everywhere() {
    let folder = tempfile::tempdir().unwrap();
    let attributes = format!(
        r#"{{"dimensions":[{0},{0},{0}],"blockSize":[1,1,1],"dataType":"uint8",
        "compression":{{"type":"raw"}}}}"#,
        i64::MAX
    );
    write(folder.path(), &attributes);
    let path = folder.path().to_str().unwrap();
    let (text, error) = run(&[path, "--fail-missing"]);
    let most = u128::MAX;
    assert!(text.contains(&format!("over {most} expected")), "{text}");
    assert_eq!(error.unwrap(), format!("missing blocks: over {most}"));
    let (text, _) = run(&[path, "--json"]);
    let found: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(found["datasets"][0]["is_beyond_count"], true);
    let (text, _) = run(&[sparse(folder.path()), "--json"]);
    let found: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(found["datasets"][0]["is_beyond_count"], false);
}

/// Such as the folder of blocks of a dataset, or one that has nothing to do with N5.
#[test]
fn to_check_nothing_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("0")).unwrap();
    for arguments in [
        &[folder.path().to_str().unwrap()][..],
        &[&container("bdv"), "setup9"],
    ] {
        let (text, error) = run(arguments);
        assert!(!text.contains("expected"), "{text}");
        error.unwrap();
    }
    let (_, error) = run(&[folder.path().to_str().unwrap(), "--json"]);
    assert_eq!(
        error.unwrap(),
        "there is no dataset to check: give the folder of an N5 hierarchy"
    );
}

#[test]
fn a_name_of_two_lines_is_shown_in_one() {
    let folder = tempfile::tempdir().unwrap();
    let dataset = folder.path().join("a\nb");
    std::fs::create_dir(&dataset).unwrap();
    sparse(&dataset);
    let (text, _) = run(&[folder.path().to_str().unwrap()]);
    assert!(
        text.starts_with("/a b: ") && text.lines().count() == 1,
        "{text}"
    );
}

#[test]
#[cfg(unix)]
fn an_argument_that_is_no_text_is_an_error() {
    use std::ffi::OsString;
    use std::os::unix::ffi::OsStringExt;

    let arguments = [b"check_n5".to_vec(), b"caf\xe9.n5".to_vec()].map(OsString::from_vec);
    let error = check_n5::terminal::texts(arguments.into_iter()).unwrap_err();
    assert!(error.to_string().contains("is not UTF-8"), "{error}");
}

#[test]
fn wrong_arguments_are_named() {
    for (arguments, expected) in [
        (&[][..], "PATH is missing"),
        (&["/nowhere"], "/nowhere is not a folder"),
        (&["a", "b", "c"], "too many arguments"),
        (&["a", "--verbose"], "unknown option --verbose"),
    ] {
        let (text, error) = run(arguments);
        assert!(
            text.is_empty() && error.unwrap().contains(expected),
            "{expected}"
        );
    }
}

#[test]
fn below_a_path_within_a_hierarchy_all_is_checked() {
    let (text, error) = run(&[&(container("bdv") + "/setup0/timepoint1")]);
    assert_eq!(error, None);
    let lines: Vec<_> = text.lines().collect();
    assert!(
        lines[0].ends_with("(the root of what PATH is in: /setup0/timepoint1 in it is checked)")
    );
    assert!(
        lines[1].starts_with("/setup0/timepoint1/s0: ") && lines.len() == 3,
        "{text}"
    );
    let (text, error) = run(&[&(container("bdv") + "/setup0/timepoint7")]);
    let error = error.unwrap();
    assert!(
        error.contains("there is nothing at /setup0/timepoint7"),
        "{text}{error}"
    );
}

#[test]
fn for_a_group_its_datasets_are_named() {
    let (text, error) = run(&[&container("bdv"), "setup0/timepoint0"]);
    let named = "datasets below it are /setup0/timepoint0/s0, /setup0/timepoint0/s1";
    assert!(error.is_some() && text.contains(named), "{text}");
}

#[test]
fn help_says_all_that_the_usage_says() {
    let (help, _) = run(&["--help"]);
    assert!(
        help.starts_with("Reads every block of an N5 hierarchy"),
        "{help}"
    );
    for option in ["--json ", "--fail-missing ", "--missing STATUS ", "--help "] {
        assert!(help.contains(option), "{option}: {help}");
    }
}

/// `file://` goes the way of all URLs.
#[cfg(feature = "object_store")]
#[test]
fn urls_are_checked_like_folders() {
    let (in_folder, _) = run(&[&container("damaged")]);
    let (at_url, error) = run(&[&format!("file://{}", container("damaged"))]);
    assert!(
        error.unwrap().starts_with("corrupt blocks: 25, "),
        "{at_url}"
    );
    let datasets = |text: &str| {
        let lines = text.lines().filter(|line| line.contains(" expected, "));
        lines.map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(datasets(&at_url), datasets(&in_folder));
    assert!(
        at_url.lines().last().unwrap().contains(" requests, "),
        "{at_url}"
    );
    let (json, _) = run(&[&format!("file://{}", container("bdv")), "--json"]);
    serde_json::from_str::<Value>(&json).unwrap();
}

/// A server that is not there lists nothing either, but that is not what is wrong with it.
#[cfg(feature = "object_store")]
#[test]
fn a_server_that_is_not_there_is_not_said_to_be_without_listing() {
    // A port that was free a moment ago.
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/x.n5", listener.local_addr().unwrap());
    drop(listener);
    let (text, error) = run(&[&url]);
    assert!(text.to_lowercase().contains("connection refused"), "{text}");
    assert_eq!(error.as_deref(), Some("nodes that cannot be checked: 1"));
}
