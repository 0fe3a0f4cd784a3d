//! Conversion in place with the metadata of OME-Zarr 0.5.

use serde_json::{Value, json};
use zarrs_interop::n5::{
    DimensionOrder, InPlaceOptions, InPlaceReport, PyramidRefusal, add_n5_metadata,
    add_zarr_metadata,
};
use zarrs_storage::{ReadableStorageTraits, WritableStorageTraits, store::MemoryStore};

use crate::documents::{contents, json_at, lines, memory, to_zarr};
use crate::hierarchies::key;

mod bare_groups;

/// A group as n5-viewer writes it, below a group with the legacy attribute of COSEM's tools.
const VIEWER: &str = r#"{"scales":[[1,1,1],[2,2,1]],"pixelResolution":{"unit":"nm","dimensions":[4,4,40]},"multiscales":[{"version":"0.1"}],"other":1.50}"#;

fn level(dimensions: [u64; 3], more: &str) -> String {
    format!(
        r#"{{"dimensions":{dimensions:?},"blockSize":[4,4,4],"dataType":"uint8","compression":{{"type":"raw"}}{more}}}"#
    )
}

fn pyramid() -> MemoryStore {
    memory(&[
        ("attributes.json", r#"{"n5":"4.0.0"}"#),
        ("v/attributes.json", VIEWER),
        ("v/s0/attributes.json", &level([9, 7, 5], "")),
        ("v/s1/attributes.json", &level([5, 4, 5], "")),
        ("alone/attributes.json", &level([3, 3, 3], "")),
    ])
}

fn options(order: DimensionOrder) -> InPlaceOptions {
    InPlaceOptions::new()
        .with_dimension_order(order)
        .with_ome(true)
}

fn reversed() -> InPlaceOptions {
    options(DimensionOrder::Reversed)
}

fn convert(store: &MemoryStore, options: &InPlaceOptions) -> InPlaceReport {
    add_zarr_metadata(store, options, |_| {}).unwrap()
}

/// The lines on pyramids.
fn pyramids(report: &InPlaceReport) -> Vec<String> {
    report.pyramids().iter().map(ToString::to_string).collect()
}

fn axes(group: &Value) -> Vec<&str> {
    let axes = group["attributes"]["ome"]["multiscales"][0]["axes"].as_array();
    axes.unwrap()
        .iter()
        .map(|axis| axis["name"].as_str().unwrap())
        .collect()
}

#[test]
fn a_pyramid_is_described_in_either_order() {
    for (order, names, scale) in [
        (DimensionOrder::AsStored, ["x", "y", "z"], [4., 4., 40.]),
        (DimensionOrder::Reversed, ["z", "y", "x"], [40., 4., 4.]),
    ] {
        let store = pyramid();
        let report = convert(&store, &options(order));
        assert_eq!(
            pyramids(&report),
            ["/v: described as OME-Zarr"],
            "{report:?}"
        );
        let group = json_at(&store, "v/zarr.json");
        assert_eq!(axes(&group), names);
        let image = &group["attributes"]["ome"]["multiscales"][0];
        assert_eq!(group["attributes"]["ome"]["version"], "0.5");
        assert_eq!(image["datasets"][0]["path"], "s0");
        let steps = &image["datasets"][0]["coordinateTransformations"];
        assert_eq!(steps[0], json!({"type": "scale", "scale": scale}));
        for level in ["s0", "s1"] {
            let array = json_at(&store, &format!("v/{level}/zarr.json"));
            assert_eq!(array["dimension_names"], json!(names), "{level}");
        }
        // A dataset that is in no pyramid stays without.
        assert_eq!(
            json_at(&store, "alone/zarr.json").get("dimension_names"),
            None
        );
    }
}

#[test]
fn the_legacy_attribute_stays_in_the_n5_only() {
    let store = pyramid();
    convert(&store, &reversed());
    let attributes = &json_at(&store, "v/zarr.json")["attributes"];
    assert_eq!(attributes.get("multiscales"), None);
    assert_eq!(attributes["other"], json!(1.5));
    assert_eq!(attributes["scales"], json!([[1, 1, 1], [2, 2, 1]]));
    let n5 = store.get(&key("v/attributes.json")).unwrap().unwrap();
    assert_eq!(n5, VIEWER);
}

#[test]
fn other_runs_leave_what_is_there() {
    let store = pyramid();
    convert(&store, &options(DimensionOrder::AsStored));
    let before = contents(&store);
    // The same again, one without OME-Zarr, and one back to N5.
    let second = convert(&store, &options(DimensionOrder::AsStored));
    assert_eq!(
        (second.unchanged(), second.nodes().len()),
        (5, 5),
        "{second:?}"
    );
    assert_eq!(pyramids(&second), ["/v: described as OME-Zarr"]);
    let plain = to_zarr(&store);
    assert_eq!(plain.unchanged(), 5, "{plain:?}");
    assert_eq!(pyramids(&plain), [""; 0]);
    let back = add_n5_metadata(&store, &InPlaceOptions::new(), |_| {}).unwrap();
    assert_eq!(back.converted(), 0, "{back:?}");
    assert_eq!(contents(&store), before);
}

#[test]
fn a_group_goes_back_with_what_its_n5_has() {
    let store = pyramid();
    convert(&store, &reversed());
    let options = InPlaceOptions::new().with_overwrite(true);
    let report = add_n5_metadata(&store, &options, |_| {}).unwrap();
    let lines = lines(&report);
    assert!(lines.contains(&"/v: unchanged".to_owned()), "{lines:?}");
    // The names are new to N5.
    let level = json_at(&store, "v/s0/attributes.json");
    assert_eq!(level["axes"], json!(["x", "y", "z"]));
    assert_eq!(level["dimensions"], json!([9, 7, 5]));
}

#[test]
fn a_hierarchy_that_was_converted_before_gets_the_metadata() {
    let store = pyramid();
    to_zarr(&store);
    let report = convert(&store, &options(DimensionOrder::AsStored));
    assert_eq!(
        (report.converted(), report.unchanged()),
        (3, 2),
        "{report:?}"
    );
    assert_eq!(axes(&json_at(&store, "v/zarr.json")), ["x", "y", "z"]);
}

#[test]
fn a_group_speaks_of_no_array_in_another_order() {
    let store = pyramid();
    to_zarr(&store);
    let before = contents(&store);
    let report = convert(&store, &reversed());
    let found = pyramids(&report);
    assert!(
        found[0].starts_with("/v: no OME-Zarr: /v/s0 was skipped: v/s0/zarr.json is there"),
        "{found:?}"
    );
    assert_eq!(contents(&store), before);
    convert(&store, &reversed().with_overwrite(true));
    assert_eq!(axes(&json_at(&store, "v/zarr.json")), ["z", "y", "x"]);
}

#[test]
fn an_image_of_somebody_else_is_replaced_only_when_told() {
    let store = pyramid();
    convert(&store, &reversed());
    let ours = json_at(&store, "v/zarr.json");
    let mut theirs = ours.clone();
    theirs["attributes"]["ome"]["multiscales"][0]["name"] = json!("mine");
    store
        .set(&key("v/zarr.json"), theirs.to_string().into())
        .unwrap();
    let report = convert(&store, &reversed());
    assert_eq!(report.skipped(), 1, "{report:?}");
    assert_eq!(json_at(&store, "v/zarr.json"), theirs);
    convert(&store, &reversed().with_overwrite(true));
    assert_eq!(json_at(&store, "v/zarr.json"), ours);
}

#[test]
fn groups_without_attributes_are_described_and_found_again() {
    let store = memory(&[
        ("attributes.json", r#"{"n5":"4.0.0"}"#),
        (
            "v/s0/attributes.json",
            &level([9, 7, 5], r#","pixelResolution":[1,1,3]"#),
        ),
        (
            "v/s1/attributes.json",
            &level([5, 4, 5], r#","downsamplingFactors":[2,2,1]"#),
        ),
    ]);
    let report = convert(&store, &reversed());
    assert_eq!(pyramids(&report), ["/v: described as OME-Zarr"]);
    assert_eq!(axes(&json_at(&store, "v/zarr.json")), ["z", "y", "x"]);
    assert_eq!(store.get(&key("v/attributes.json")).unwrap(), None);
    let before = contents(&store);
    let second = convert(&store, &reversed());
    assert_eq!(second.unchanged(), 4, "{second:?}");
    assert_eq!(pyramids(&second), ["/v: described as OME-Zarr"]);
    assert_eq!(contents(&store), before);
}

#[test]
fn axes_that_no_order_in_place_suits_get_none_and_the_report_says_why() {
    let level = |dimensions: &str| {
        format!(
            r#"{{"dimensions":{dimensions},"blockSize":[4,4,1,4,1],"dataType":"uint8","compression":{{"type":"raw"}},
                "axes":["x","y","c","z","t"],"downsamplingFactors":[1,1,1,1,1]}}"#
        )
    };
    for order in [DimensionOrder::AsStored, DimensionOrder::Reversed] {
        let store = memory(&[
            ("attributes.json", r#"{"n5":"4.0.0"}"#),
            ("v/s0/attributes.json", &level("[9,7,2,5,3]")),
        ]);
        let report = convert(&store, &options(order));
        let [pyramid] = report.pyramids() else {
            panic!("{report:?}");
        };
        assert!(
            matches!(pyramid.refusal, Some(PyramidRefusal::NotDescribable(_))),
            "{pyramid:?}"
        );
        let line = pyramid.to_string();
        assert!(
            line.contains("OME-Zarr wants time, then channel, then space"),
            "{line}"
        );
        assert_eq!(json_at(&store, "v/zarr.json").get("attributes"), None);
        assert_eq!(report.failed() + report.skipped(), 0);
    }
}

#[test]
fn a_dry_run_says_what_would_be_described_and_writes_nothing() {
    let store = pyramid();
    let before = contents(&store);
    let report = convert(&store, &reversed().with_dry_run(true));
    assert_eq!(pyramids(&report), ["/v: described as OME-Zarr"]);
    assert_eq!(contents(&store), before);
}

/// What is above and beside it is looked at all the same.
#[test]
fn a_part_of_a_hierarchy_is_described_as_in_the_whole() {
    let (whole, part) = (pyramid(), pyramid());
    convert(&whole, &reversed());
    convert(&part, &reversed().with_node_path("/v/s1"));
    assert_eq!(
        json_at(&part, "v/s1/zarr.json"),
        json_at(&whole, "v/s1/zarr.json")
    );
    assert_eq!(part.get(&key("v/zarr.json")).unwrap(), None);
    let again = convert(&part, &reversed().with_node_path("/v/s1"));
    assert_eq!(
        pyramids(&again),
        ["/v: not described: the group is not among the nodes to convert"]
    );
}
