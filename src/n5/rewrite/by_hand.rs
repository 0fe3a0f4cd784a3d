//! What somebody has corrected in the metadata that an earlier run wrote, such as a scale. Pure.
//!
//! The output notes what runs wrote of it, so that a correction is told from a source that says
//! something else meanwhile.

use serde_json::{Value, json};

use super::metadata::{IMAGE_MEMBERS, OURS, SAID};

/// The document `ours` of the group with what somebody has corrected in `found`, which was there
/// before, and whether there is any.
pub(super) fn with_corrections(found: &Value, ours: &Value) -> (Value, bool) {
    let mut ours = ours.clone();
    let attributes = |document: &Value| document.get("attributes").cloned().unwrap_or_default();
    let found = attributes(found);
    let noted = found.get(OURS).and_then(|record| record.get(SAID));
    let image = "/attributes/ome/multiscales/0";
    let (Some(noted), Some(found), Some(image)) = (
        noted,
        found.pointer("/ome/multiscales/0"),
        ours.pointer_mut(image).and_then(Value::as_object_mut),
    ) else {
        return (ours, false);
    };
    let mut is_any = false;
    for name in IMAGE_MEMBERS {
        let (Some(noted), Some(found), Some(own)) =
            (noted.get(name), found.get(name), image.get_mut(name))
        else {
            continue;
        };
        if found != noted && found != own && outline(found) == outline(own) {
            own.clone_from(found);
            is_any = true;
        }
    }
    (ours, is_any)
}

/// A value without its numbers and units: what a correction leaves as it is.
fn outline(value: &Value) -> Value {
    match value {
        Value::Number(_) => json!(0),
        Value::Array(values) => values.iter().map(outline).collect(),
        Value::Object(members) => {
            let kept = members.iter().filter(|(name, _)| *name != "unit");
            kept.map(|(name, member)| (name.clone(), outline(member)))
                .collect()
        }
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::n5::rewrite::metadata::said;

    /// A document of the group, with a note of what `noted` would say.
    fn document(scale: &Value, unit: &str, noted: Option<&Value>) -> Value {
        let ome = |scale: &Value, unit: &str| {
            let transformations = json!([{"type": "scale", "scale": scale}]);
            let datasets = json!([{"path": "s0", "coordinateTransformations": transformations}]);
            json!({"multiscales": [{"axes": [{"name": "x", "unit": unit}], "datasets": datasets}]})
        };
        let mut record = json!({"rewrite": {}});
        if let Some(noted) = noted {
            let attributes = json!({"ome": ome(noted, "nanometer")});
            record[SAID] = said(attributes.as_object().unwrap()).unwrap();
        }
        json!({"attributes": {"ome": ome(scale, unit), OURS: record}})
    }

    #[test]
    fn numbers_and_units_that_no_run_wrote_are_kept() {
        let (one, two, new) = (json!([1.0]), json!([2.0]), json!([3.0]));
        let ours = |scale| document(scale, "nanometer", Some(scale));
        for (found, scale, unit) in [
            (document(&two, "nanometer", Some(&one)), &two, "nanometer"),
            (document(&one, "micrometer", Some(&one)), &new, "micrometer"),
        ] {
            let (joined, is_any) = with_corrections(&found, &ours(&new));
            assert!(is_any);
            assert_eq!(joined, document(scale, unit, Some(&new)));
        }
    }

    #[test]
    fn what_a_run_wrote_is_as_the_source_says_now() {
        let (one, two) = (json!([1.0]), json!([2.0]));
        let ours = document(&two, "nanometer", Some(&two));
        for found in [
            document(&one, "nanometer", Some(&one)),
            // Of a run that noted nothing.
            document(&json!([7.0]), "nanometer", None),
            // Not of this image.
            document(&json!([1.0, 1.0]), "nanometer", Some(&one)),
            document(&json!(["1"]), "nanometer", Some(&one)),
            json!({"attributes": {OURS: {SAID: {}}}}),
            json!(7),
        ] {
            assert_eq!(with_corrections(&found, &ours), (ours.clone(), false));
        }
    }

    #[test]
    fn a_correction_that_the_source_says_too_is_none_any_more() {
        let (one, two) = (json!([1.0]), json!([2.0]));
        let ours = document(&two, "nanometer", Some(&two));
        let found = document(&two, "nanometer", Some(&one));
        assert_eq!(with_corrections(&found, &ours), (ours.clone(), false));
    }
}
