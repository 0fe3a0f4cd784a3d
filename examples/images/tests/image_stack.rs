//! The example `image_stack`: what it counts, what it refuses, and where its picture goes.
#![cfg(all(feature = "template", feature = "zarrs", feature = "filesystem"))]

use std::path::Path;

#[allow(dead_code, reason = "the test runs the example without its `main`")]
#[path = "../../image_stack.rs"]
mod image_stack;

const STACK: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../data/image_stack");

fn run(arguments: &[&str]) -> Result<String, String> {
    let arguments: Vec<String> = arguments.iter().map(ToString::to_string).collect();
    image_stack::run(&arguments).map_err(|error| error.to_string())
}

/// A stack of the same shape in `folder`, with the tiles `kept` only.
fn stack_with(folder: &Path, kept: &[&str]) -> String {
    for file in ["zarr.json"].iter().chain(kept) {
        let target = folder.join(file);
        std::fs::create_dir_all(target.parent().unwrap()).unwrap();
        std::fs::copy(Path::new(STACK).join(file), target).unwrap();
    }
    folder.to_str().unwrap().to_owned()
}

#[test]
fn it_counts_the_tiles_and_writes_where_it_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join("region.png");
    let report = run(&["-o", output.to_str().unwrap()]).unwrap();
    assert!(report.contains("6 of 6 tiles present"), "{report}");
    assert!(report.contains("z 2, y 24..124, x 24..174"), "{report}");
    let picture = png::Decoder::new(std::io::BufReader::new(
        std::fs::File::open(output).unwrap(),
    ));
    let reader = picture.read_info().unwrap();
    assert_eq!((reader.info().width, reader.info().height), (150, 100));
}

/// All other tests of this file name their files by absolute paths.
#[test]
fn without_a_file_name_the_picture_is_in_the_current_folder() {
    let folder = tempfile::tempdir().unwrap();
    let before = std::env::current_dir().unwrap();
    std::env::set_current_dir(folder.path()).unwrap();
    let report = run(&[]);
    std::env::set_current_dir(before).unwrap();
    assert!(report.unwrap().ends_with("\nimage_stack.png"));
    assert!(folder.path().join("image_stack.png").is_file());
}

#[test]
fn some_tiles_are_enough() {
    let folder = tempfile::tempdir().unwrap();
    let stack = stack_with(folder.path(), &["1/0_1_0.jpg"]);
    let output = folder.path().join("region.png");
    let region = [
        &stack,
        "1",
        "0",
        "0",
        "128",
        "128",
        "-o",
        output.to_str().unwrap(),
    ];
    let report = run(&region).unwrap();
    assert!(report.contains("1 of 4 tiles present"), "{report}");
    assert!(output.is_file());
}

#[cfg(unix)]
#[test]
fn a_pipe_in_place_of_a_tile_is_an_error_and_nobody_waits_for_it() {
    let folder = tempfile::tempdir().unwrap();
    let stack = stack_with(folder.path(), &["1/0_1_0.jpg"]);
    let pipe = folder.path().join("1/0_0_0.jpg");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.unwrap().success());
    let (answers, waits) = std::sync::mpsc::channel();
    std::thread::spawn(move || answers.send(run(&[&stack, "1", "0", "0", "128", "128"])));
    let answer = waits.recv_timeout(std::time::Duration::from_mins(5));
    let error = answer
        .expect("it waits for what nobody writes")
        .unwrap_err();
    assert_eq!(
        error,
        format!("{} is a pipe: expected a file", pipe.display())
    );
}

#[test]
fn no_tile_at_all_is_an_error_that_names_the_first_key_and_what_is_there() {
    let folder = tempfile::tempdir().unwrap();
    let stack = stack_with(folder.path(), &["1/0_1_0.jpg", "1/2_3_0.jpg"]);
    let output = folder.path().join("region.png");
    let output = output.to_str().unwrap();

    let text = run(&[&stack, "1", "70", "70", "60", "60", "-o", output]).unwrap_err();
    assert!(text.contains("0 of 4 tiles present"), "{text}");
    assert!(text.contains("expected is 1/1_1_0.jpg"), "{text}");
    assert!(text.contains("has 0_1_0.jpg, 2_3_0.jpg\n"), "{text}");
    // Not even the folder of the slice is there.
    let text = run(&[&stack, "3", "0", "0", "8", "8", "-o", output]).unwrap_err();
    assert!(text.contains("expected is 3/0_0_0.jpg"), "{text}");
    assert!(text.contains("has 1, zarr.json\n"), "{text}");
    assert!(!Path::new(output).exists());

    let report = run(&[
        &stack,
        "3",
        "0",
        "0",
        "8",
        "8",
        "-o",
        output,
        "--allow-empty",
    ])
    .unwrap();
    assert!(report.contains("0 of 1 tiles present"), "{report}");
    assert!(Path::new(output).is_file());
}

#[test]
fn only_the_first_names_of_a_folder_are_shown() {
    let folder = tempfile::tempdir().unwrap();
    let stack = stack_with(folder.path(), &[]);
    for name in 0..9 {
        std::fs::write(folder.path().join(format!("tile_{name}.jpg")), "").unwrap();
    }
    let text = run(&[&stack, "0", "0", "0", "1", "1"]).unwrap_err();
    let names = "has tile_0.jpg, tile_1.jpg, tile_2.jpg, tile_3.jpg, tile_4.jpg and 5 more";
    assert!(text.contains(names), "{text}");
}

#[test]
fn help_says_all_that_the_usage_says() {
    let help = run(&["--help"]).unwrap();
    for option in [
        "STACK Z Y X HEIGHT WIDTH",
        "`-o OUTPUT.png`",
        "`--allow-empty`",
        "`--help`",
    ] {
        assert!(help.contains(option), "{option}: {help}");
    }
}

#[test]
fn wrong_arguments_are_named() {
    for (arguments, expected) in [
        (vec!["-o"], "-o needs a file"),
        (
            vec!["-o", "--allow-empty"],
            "-o needs a file, found the option --allow-empty",
        ),
        (vec!["--verbose"], "there is no option --verbose"),
        (vec![STACK, "1"], "expected STACK and 5 numbers, found 2"),
        (vec![STACK, "z", "0", "0", "1", "1"], "Z is \"z\""),
        (vec![STACK, "4", "0", "0", "1", "1"], "not inside the shape"),
        (vec![STACK, "0", "0", "0", "0", "1"], "is empty"),
        (
            vec!["/nowhere", "0", "0", "0", "1", "1"],
            "has no zarr.json: give the folder of a stack",
        ),
    ] {
        let text = run(&arguments).unwrap_err();
        assert!(text.contains(expected), "{arguments:?}: {text}");
    }
}

#[test]
fn a_url_is_no_place_for_the_picture() {
    let error = run(&["-o", "s3://bucket/region.png"]).unwrap_err();
    assert!(error.contains("s3://bucket/region.png is a URL"), "{error}");
}
