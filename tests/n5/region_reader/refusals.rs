//! Arrays and regions that cannot be read.

use super::*;

fn refusal(codecs: &str, grid: &str) -> String {
    let store = MemoryStore::new();
    let json = array_json(grid, codecs);
    store
        .set(&StoreKey::new("zarr.json").unwrap(), json.into())
        .unwrap();
    let array = Array::open(Arc::new(store), "/").unwrap();
    RegionReader::new(&array).err().unwrap().to_string()
}

#[test]
fn other_arrays_are_refused_by_name() {
    let [regular, _, rectilinear] = grids();
    let n5 = n5_default("");
    let transpose = r#"{"name":"transpose","configuration":{"order":[1,0,2]}}"#;
    let bytes = r#"{"name":"bytes","configuration":{"endian":"big"}}"#;
    let advice = "; read this array with `Array::retrieve_array_subset`";
    for (codecs, grid, expected) in [
        (
            bytes.to_owned(),
            &regular,
            "the array-to-bytes codec is `bytes`: expected `n5_default`",
        ),
        (
            format!("{transpose},{n5}"),
            &regular,
            "`transpose` stands beside the codec `n5_default`: expected no other",
        ),
        (
            format!(r#"{n5},{{"name":"crc32c"}}"#),
            &regular,
            "`crc32c` stands beside the codec `n5_default`: expected no other",
        ),
        (
            n5.clone(),
            &rectilinear,
            "the chunk grid is `rectilinear`: expected `regular` or `zarrs.regular_bounded`",
        ),
    ] {
        assert_eq!(
            refusal(&codecs, grid),
            format!("array /: {expected}{advice}")
        );
    }
}

#[test]
fn a_codec_for_other_dimensions_is_refused() {
    let codecs = serde_json::to_string(&oracle::metadata(2, "")).unwrap();
    assert_eq!(
        refusal(&codecs, &grids()[0]),
        "array /: n5_default: the `transpose` order is for 2 dimensions: expected 3, as the array has"
    );
}

#[test]
fn wrong_requests_are_refused_before_anything_is_read() {
    let array = careless(&grids()[0], "");
    let reader = RegionReader::new(&array).unwrap();
    let all = array.subset_all();
    let text = |result: Result<Vec<u8>, RegionError>| result.unwrap_err().to_string();
    assert_eq!(
        text(reader.read::<u8>(&all)),
        "array /: cannot read its data type uint16 as u8: Incompatible element type for data type"
    );
    let region = ArraySubset::new_with_ranges(&[0..1, 0..1]);
    assert_eq!(
        reader.read::<u16>(&region).unwrap_err().to_string(),
        "array /: the region has 2 dimensions: expected 3"
    );
    let region = ArraySubset::new_with_ranges(&[0..1, 0..6, 0..1]);
    assert_eq!(
        reader.read::<u16>(&region).unwrap_err().to_string(),
        "array /: the region from [0, 0, 0] of shape [1, 6, 1] reaches beyond the array of shape \
         [7, 5, 4]: regions are in the order of the array's own dimensions"
    );
    let mut out = vec![5_u16; 139];
    assert_eq!(
        reader.read_into(&all, &mut out).unwrap_err().to_string(),
        "array /: the output has 139 elements: expected 140, as the region has"
    );
    assert!(out.iter().all(|&element| element == 5));
}

#[test]
fn a_region_larger_than_memory_is_an_error() {
    let shape = [1_u64 << 31, 1 << 31, 4];
    let grid = r#"{"name":"regular","configuration":{"chunk_shape":[64,64,4]}}"#;
    let json =
        array_json(grid, &n5_default("")).replace(&format!("{SHAPE:?}"), &format!("{shape:?}"));
    let store = MemoryStore::new();
    store
        .set(&StoreKey::new("zarr.json").unwrap(), json.into())
        .unwrap();
    let array = Array::open(Arc::new(store), "/").unwrap();
    let reader = RegionReader::new(&array).unwrap();
    for ranges in [
        [0..1 << 31, 0..1 << 31, 0..4],
        [0..1 << 31, 0..1 << 30, 0..1],
    ] {
        let region = ArraySubset::new_with_ranges(&ranges);
        let error = reader.read::<u16>(&region).unwrap_err();
        assert!(matches!(error, RegionError::Memory { .. }), "{error}");
    }
    assert_eq!(FillValue::from(FILL), *array.fill_value());
}
