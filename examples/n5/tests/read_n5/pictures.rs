//! What the pictures show, and what is said of the elements.

use std::path::Path;

use super::{dataset, read_n5, run};

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
