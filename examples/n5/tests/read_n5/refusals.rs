//! What is refused, and what is said to do instead.

use super::{container, read_n5, run};

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
        (
            &["-o", "--ortho"],
            "-o needs the name of a file, found the option --ortho",
        ),
        (
            &["--slice", "-o", "x.png"],
            "--slice needs AXIS=INDEX, for example z=16, found the option -o",
        ),
        (
            &["--missing", "--grey"],
            "for example 403, found the option --grey",
        ),
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

#[cfg(not(feature = "object_store"))]
#[test]
fn a_url_without_the_feature_names_it() {
    let (text, is_read) = run(&["s3://bucket/x.n5", "a"]);
    assert!(
        !is_read && text.contains("--features object_store"),
        "{text}"
    );
}
