//! A document of the output that is written again keeps what others have added to it. Pure.

use serde_json::{Map, Value};

use super::metadata::{OURS, SAID};

/// The members whose own members are of several programs.
const SHARED: [&str; 2] = ["attributes", "ome"];

/// The document `ours` with what `found`, which was there before, has besides: members of the
/// document, of its attributes, of `ome`, such as `omero`, and of the image in `multiscales`, whose
/// name is kept too. The settings in the record of the run are kept as they are.
pub(super) fn with_foreign(found: &Value, ours: &Value) -> Value {
    let (Some(found), Some(members)) = (found.as_object(), ours.as_object()) else {
        return ours.clone();
    };
    let mut joined = found.clone();
    for (name, ours) in members {
        let member = match found.get(name) {
            Some(found) if SHARED.contains(&name.as_str()) => with_foreign(found, ours),
            Some(found) if name == "multiscales" => images(found, ours),
            Some(found) if name == OURS => record(found, ours),
            _ => ours.clone(),
        };
        joined.insert(name.clone(), member);
    }
    Value::Object(joined)
}

/// The record that was found, with what our run has to say of the image.
fn record(found: &Value, ours: &Value) -> Value {
    let mut record = found.clone();
    if let (Some(record), Some(said)) = (record.as_object_mut(), ours.get(SAID)) {
        record.insert(SAID.to_owned(), said.clone());
    }
    record
}

/// The images of `multiscales`, of which only the first is ours.
fn images(found: &Value, ours: &Value) -> Value {
    let (Some(found), Some(ours)) = (found.as_array(), ours.as_array()) else {
        return ours.clone();
    };
    let mut found = found.iter();
    let mut images: Vec<Value> = Vec::new();
    for ours in ours {
        let found = found.next().and_then(Value::as_object);
        images.push(match (found, ours.as_object()) {
            (Some(found), Some(ours)) => Value::Object(image(found, ours)),
            _ => ours.clone(),
        });
    }
    images.extend(found.cloned());
    Value::Array(images)
}

fn image(found: &Map<String, Value>, ours: &Map<String, Value>) -> Map<String, Value> {
    let mut image = found.clone();
    for (name, member) in ours {
        if name != "name" || !found.contains_key(name) {
            image.insert(name.clone(), member.clone());
        }
    }
    image
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn ours_is_as_we_write_it_and_what_is_besides_is_kept() {
        let found = json!({
            "zarr_format": 3,
            "consolidated_metadata": {"kind": "inline"},
            "attributes": {
                "mine": [1],
                "zarrs_interop": {"rewrite": {"source": "/a"}},
                "ome": {
                    "version": "0.5",
                    "omero": {"channels": []},
                    "multiscales": [
                        {"name": "brain", "axes": [1], "datasets": [{"path": "s0", "old": 1}]},
                        {"name": "other"}
                    ],
                },
            },
        });
        let ours = json!({
            "zarr_format": 3,
            "node_type": "group",
            "attributes": {
                "zarrs_interop": {"rewrite": {"source": "/b"}},
                "ome": {
                    "version": "0.5",
                    "multiscales": [{"name": "raw", "axes": [2], "datasets": [{"path": "s0"}]}],
                },
            },
        });
        let expected = json!({
            "zarr_format": 3,
            "node_type": "group",
            "consolidated_metadata": {"kind": "inline"},
            "attributes": {
                "mine": [1],
                "zarrs_interop": {"rewrite": {"source": "/a"}},
                "ome": {
                    "version": "0.5",
                    "omero": {"channels": []},
                    "multiscales": [
                        {"name": "brain", "axes": [2], "datasets": [{"path": "s0"}]},
                        {"name": "other"}
                    ],
                },
            },
        });
        assert_eq!(with_foreign(&found, &ours), expected);
        assert_eq!(with_foreign(&expected, &ours), expected);
    }

    #[test]
    fn what_is_no_object_is_replaced() {
        let ours = json!({"attributes": {"ome": {"multiscales": [{"axes": []}]}}});
        for found in [
            json!(7),
            json!({"attributes": []}),
            json!({"attributes": {"ome": "0.5"}}),
            json!({"attributes": {"ome": {"multiscales": 3}}}),
            json!({"attributes": {"ome": {"multiscales": [3]}}}),
        ] {
            assert_eq!(with_foreign(&found, &ours), ours, "{found}");
        }
    }
}
