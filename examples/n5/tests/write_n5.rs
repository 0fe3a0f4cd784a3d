//! The example `write_n5`: where it writes, and what it refuses.
#![cfg(all(feature = "n5", feature = "filesystem", feature = "gzip"))]

#[allow(dead_code, reason = "the test runs the example without its `main`")]
#[path = "../../write_n5.rs"]
mod write_n5;

/// What the example prints, and its error.
fn run(arguments: &[&str]) -> (String, Option<String>) {
    let arguments: Vec<String> = arguments.iter().map(ToString::to_string).collect();
    let mut out = Vec::new();
    let result = write_n5::run(&arguments, &mut out);
    let error = result.err().map(|error| error.to_string());
    (String::from_utf8(out).unwrap(), error)
}

#[test]
fn it_writes_to_a_new_folder_and_never_to_one_that_has_something() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("volume.n5");
    let path = path.to_str().unwrap();
    let (text, error) = run(&["-o", path]);
    assert_eq!(error, None);
    assert!(
        text.contains("\n/volumes/raw: shape [300, 250, 100] in [5, 4, 2] blocks; "),
        "{text}"
    );
    let (text, error) = run(&["-o", path]);
    assert!(text.is_empty());
    let error = error.unwrap();
    assert!(
        error.contains("is not empty: name a new folder with -o"),
        "{error}"
    );
}

#[test]
fn wrong_arguments_are_answered_with_the_usage() {
    for arguments in [&["-o"][..], &["volume.n5"], &["--force"]] {
        let (_, error) = run(arguments);
        assert!(error.unwrap().starts_with("usage: write_n5 [-o FOLDER]"));
    }
    let file = tempfile::NamedTempFile::new().unwrap();
    let (_, error) = run(&["-o", file.path().to_str().unwrap()]);
    assert!(error.unwrap().starts_with("cannot make the folder "));
    let (_, error) = run(&["-o", "--force"]);
    let expected = "-o needs a folder, found the option --force\nusage: ";
    assert!(error.unwrap().starts_with(expected));
    let (help, error) = run(&["--help"]);
    assert!(error.is_none() && help.contains("[-- -o FOLDER]"), "{help}");
}

#[test]
fn a_url_is_no_place_to_write_to() {
    for (url, advice) in [
        ("s3://bucket/volume.n5", "copy it there afterwards"),
        ("file:///data/volume.n5", "as in /data/volume.n5"),
        ("file:/data/volume.n5", "as in /data/volume.n5"),
    ] {
        let error = run(&["-o", url]).1.unwrap();
        assert!(error.starts_with(&format!("{url} is a URL")), "{error}");
        assert!(error.contains(advice), "{error}");
    }
}
