//! Groups that have no `attributes.json`.

use super::*;

/// A group without an `attributes.json`, `v`, with two levels.
fn bare_pyramid() -> MemoryStore {
    let store = memory(&[("attributes.json", r#"{"n5":"4.0.0"}"#)]);
    set_levels(&store, 3);
    store
}

fn set_levels(store: &MemoryStore, depth: u64) {
    for (path, dimensions, more) in [
        (
            "v/s0",
            [9, 7, 5],
            format!(r#","pixelResolution":[1,1,{depth}]"#),
        ),
        (
            "v/s1",
            [5, 4, 5],
            r#","downsamplingFactors":[2,2,1]"#.to_owned(),
        ),
    ] {
        let attributes = level(dimensions, &more);
        let key = key(&format!("{path}/attributes.json"));
        store.set(&key, attributes.into()).unwrap();
    }
}

fn set(store: &MemoryStore, at: &str, document: &str) {
    store.set(&key(at), document.to_owned().into()).unwrap();
}

fn text_at(store: &MemoryStore, at: &str) -> String {
    let document = store.get(&key(at)).unwrap().unwrap();
    String::from_utf8(document.to_vec()).unwrap()
}

/// The scale of the first level.
fn scale(group: &Value) -> &Value {
    let image = &group["attributes"]["ome"]["multiscales"][0];
    &image["datasets"][0]["coordinateTransformations"][0]["scale"]
}

const EMPTY_GROUP: &str = r#"{"zarr_format":3,"node_type":"group"}"#;

#[test]
fn a_bare_group_is_described_anew_only_when_told() {
    let store = bare_pyramid();
    convert(&store, &reversed());
    set_levels(&store, 8);
    let before = text_at(&store, "v/zarr.json");
    let report = convert(&store, &reversed());
    assert_eq!(text_at(&store, "v/zarr.json"), before);
    let told = pyramids(&report);
    assert!(
        told[0].starts_with("/v: no OME-Zarr: /v/s0 was skipped"),
        "{told:?}"
    );
    let whole = convert(&store, &reversed().with_overwrite(true));
    assert_eq!(pyramids(&whole), ["/v: described as OME-Zarr"]);
    assert_eq!(scale(&json_at(&store, "v/zarr.json")), &json!([8., 1., 1.]));
}

#[test]
fn a_bare_group_of_somebody_else_is_not_said_to_be_described() {
    let theirs = r#"{"zarr_format":3,"node_type":"group","attributes":{"ome":{"version":"0.5","multiscales":[]},"a":1.50},"x":{"must_understand":false}}"#;
    let without = r#"{"zarr_format":3,"node_type":"group","attributes":{"a":1.50}}"#;
    for existing in [theirs, without, "not json"] {
        let store = bare_pyramid();
        set(&store, "v/zarr.json", existing);
        let report = convert(&store, &reversed());
        assert_eq!(
            pyramids(&report),
            [
                "/v: not described: the group was skipped: v/zarr.json is there and says something \
              else: allow overwriting to replace it"
            ]
        );
        assert!(matches!(
            report.pyramids()[0].refusal,
            Some(PyramidRefusal::Group { .. })
        ));
        assert_eq!(text_at(&store, "v/zarr.json"), existing);

        let report = convert(&store, &reversed().with_overwrite(true));
        assert_eq!(pyramids(&report), ["/v: described as OME-Zarr"]);
        let group = json_at(&store, "v/zarr.json");
        assert_eq!(scale(&group), &json!([3., 1., 1.]));
        if existing != "not json" {
            // What else they wrote is theirs.
            assert!(text_at(&store, "v/zarr.json").contains("1.50"), "{group}");
            let x = json!({"must_understand": false});
            assert_eq!(group.get("x"), (existing == theirs).then_some(&x));
        }
        let again = convert(&store, &reversed());
        assert_eq!(again.unchanged(), 4, "{again:?}");
        assert_eq!(pyramids(&again), ["/v: described as OME-Zarr"]);
    }
}

#[test]
fn a_bare_group_never_speaks_of_arrays_in_another_order() {
    let overwritten = InPlaceOptions::new().with_overwrite(true);
    let store = bare_pyramid();
    convert(&store, &reversed());
    // In another order, and without OME-Zarr: what was ours is gone, as from other groups.
    let report = convert(&store, &overwritten);
    assert_eq!(report.skipped() + report.failed(), 0, "{report:?}");
    assert_eq!(text_at(&store, "v/zarr.json"), EMPTY_GROUP);
    assert_eq!(json_at(&store, "v/s0/zarr.json")["shape"], json!([9, 7, 5]));
    // There and back with OME-Zarr.
    for (order, names) in [
        (DimensionOrder::AsStored, ["x", "y", "z"]),
        (DimensionOrder::Reversed, ["z", "y", "x"]),
        (DimensionOrder::AsStored, ["x", "y", "z"]),
    ] {
        convert(&store, &options(order).with_overwrite(true));
        assert_eq!(axes(&json_at(&store, "v/zarr.json")), names);
        let array = json_at(&store, "v/s0/zarr.json");
        assert_eq!(array["dimension_names"], json!(names));
    }
    // In the same order without OME-Zarr.
    convert(&store, &overwritten);
    assert_eq!(text_at(&store, "v/zarr.json"), EMPTY_GROUP);
}

#[test]
fn members_of_somebody_else_stay_when_ome_is_taken_from_a_bare_group() {
    let store = bare_pyramid();
    convert(&store, &reversed());
    let mut group = json_at(&store, "v/zarr.json");
    group["attributes"]["mine"] = json!([1, 2]);
    group["consolidated_metadata"] = json!({"kind": "inline", "metadata": {}});
    set(&store, "v/zarr.json", &group.to_string());
    convert(&store, &InPlaceOptions::new().with_overwrite(true));
    assert_eq!(
        json_at(&store, "v/zarr.json"),
        json!({"zarr_format": 3, "node_type": "group", "attributes": {"mine": [1, 2]}})
    );
}

/// A Zarr image within the hierarchy, whose arrays are no N5.
#[test]
fn an_image_that_is_no_n5_stays_whatever_is_allowed() {
    let image = r#"{"zarr_format":3,"node_type":"group","attributes":{"ome":{"version":"0.5","multiscales":[{"axes":[],"datasets":[{"path":"s0"}]}]}}}"#;
    let array = r#"{"zarr_format":3,"node_type":"array"}"#;
    let store = memory(&[
        ("attributes.json", r#"{"n5":"4.0.0"}"#),
        ("z/zarr.json", image),
        ("z/s0/zarr.json", array),
    ]);
    for options in [InPlaceOptions::new(), reversed()] {
        convert(&store, &options.with_overwrite(true));
        assert_eq!(text_at(&store, "z/zarr.json"), image);
        assert_eq!(text_at(&store, "z/s0/zarr.json"), array);
    }
}

/// The documents of arrays were taken away, and those of their group were not.
#[test]
fn a_group_that_speaks_of_arrays_to_come_is_named() {
    for store in [bare_pyramid(), pyramid()] {
        convert(&store, &reversed());
        store.erase(&key("v/s0/zarr.json")).unwrap();
        store.erase(&key("v/s1/zarr.json")).unwrap();
        let before = text_at(&store, "v/zarr.json");
        let report = to_zarr(&store);
        let lines = lines(&report);
        assert!(
            lines.contains(
                &"/v: skipped: v/zarr.json is there and says something else: allow overwriting \
                  to replace it"
                    .to_owned()
            ),
            "{lines:?}"
        );
        assert_eq!(text_at(&store, "v/zarr.json"), before);
        convert(&store, &InPlaceOptions::new().with_overwrite(true));
        assert_eq!(
            json_at(&store, "v/zarr.json")["attributes"].get("ome"),
            None
        );
    }
}

#[test]
fn a_later_run_without_it_leaves_a_bare_group_as_it_is() {
    let store = bare_pyramid();
    convert(&store, &options(DimensionOrder::AsStored));
    let before = contents(&store);
    let report = to_zarr(&store);
    assert_eq!(report.unchanged(), 4, "{report:?}");
    assert_eq!(contents(&store), before);
}

/// No node has an `attributes.json` above the pyramid, so that its document has to wait.
#[test]
fn a_bare_group_that_waits_keeps_what_is_not_ours() {
    let store = bare_pyramid();
    store.erase(&key("attributes.json")).unwrap();
    set(
        &store,
        "v/zarr.json",
        r#"{"zarr_format":3,"node_type":"group","attributes":{"mine":1}}"#,
    );
    convert(&store, &reversed().with_overwrite(true));
    let group = json_at(&store, "v/zarr.json");
    assert_eq!(axes(&group), ["z", "y", "x"]);
    assert_eq!(group["attributes"]["mine"], json!(1));
}

#[cfg(feature = "async")]
#[tokio::test]
async fn the_twin_treats_bare_groups_alike() {
    use zarrs_interop::n5::{SetDocuments, async_add_zarr_metadata};
    use zarrs_storage::AsyncWritableStorageTraits;
    use zarrs_storage::store::AsyncMemoryStore;

    for (existing, options) in [
        (None, InPlaceOptions::new().with_overwrite(true)),
        (None, InPlaceOptions::new()),
        (None, reversed()),
        (
            Some(r#"{"zarr_format":3,"node_type":"group","attributes":{"mine":1}}"#),
            reversed(),
        ),
        (
            Some(r#"{"zarr_format":3,"node_type":"group","attributes":{"mine":1}}"#),
            reversed().with_overwrite(true),
        ),
        (Some("not json"), reversed()),
    ] {
        let store = bare_pyramid();
        convert(&store, &reversed());
        if let Some(existing) = existing {
            set(&store, "v/zarr.json", existing);
        }
        let twin = AsyncMemoryStore::new();
        for (key, value) in contents(&store) {
            twin.set(&key, value).await.unwrap();
        }
        let report = convert(&store, &options);
        let twin = SetDocuments(twin);
        let of_twin = async_add_zarr_metadata(&twin, &options, |_| {})
            .await
            .unwrap();
        assert_eq!(lines(&of_twin), lines(&report));
        assert_eq!(pyramids(&of_twin), pyramids(&report));
        for (key, value) in contents(&store) {
            let found = zarrs_storage::AsyncReadableStorageTraits::get(&twin.0, &key).await;
            assert_eq!(found.unwrap().unwrap(), value, "{key}");
        }
    }
}
