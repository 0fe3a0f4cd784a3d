//! The levels that `multiscales` names.

use serde_json::{Value, json};

use super::super::listed_paths;

fn paths(attributes: &Value) -> Vec<String> {
    listed_paths(attributes.as_object().unwrap())
}

#[test]
fn the_paths_of_the_first_image_are_listed_however_they_are_written() {
    for multiscales in [
        json!([{"datasets": [{"path": "s0"}, {"path": "./a/s1/"}]}, {"datasets": ["s9"]}]),
        json!({"datasets": ["/s0", {"path": "a/s1", "transform": {}}, 7]}),
    ] {
        let attributes = json!({"multiscales": multiscales});
        assert_eq!(paths(&attributes), ["s0", "a/s1"], "{attributes}");
    }
}

#[test]
fn no_path_leads_out_of_the_group() {
    let datasets = json!(["../s0", "a/../../s1", "", ".", "a..b"]);
    let attributes = json!({"multiscales": [{"datasets": datasets}]});
    assert_eq!(paths(&attributes), [".", "a..b"]);
    assert_eq!(paths(&json!({"multiscales": "s0"})), [""; 0]);
    assert_eq!(paths(&json!({})), [""; 0]);
}
