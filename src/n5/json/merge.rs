//! Whether two JSON texts say the same, and a new text that keeps the spelling of the old one where
//! they do.

use serde_json::Number;

use super::index::Index;
use super::text::{Items, Kind, decoded, part};
use super::words::stand_in;
use super::writer::Shift;

/// Whether two values are the same, whatever their white space and the order of their members.
///
/// Numbers are the same when they are the same to a program that reads them as 64-bit numbers,
/// except that a `new` one with more digits than such a program writes must be written alike. `NaN`
/// is the same as the string "NaN".
pub(crate) fn same(old: &str, new: &str) -> bool {
    old == new || merge(old, new, &mut String::new())
}

/// Appends `new` to `out` with all parts that are the same as in `old` in the spelling of `old`,
/// and tells whether all of it is. `new` is moved one level out.
pub(crate) fn merge(old: &str, new: &str, out: &mut String) -> bool {
    let start = out.len();
    let is_same = old == new
        || match (Kind::of(old), Kind::of(new)) {
            (Kind::Object, Kind::Object) => merge_objects(old, new, out),
            (Kind::Array, Kind::Array) => merge_arrays(old, new, out),
            _ if same_scalar(old, new) => true,
            _ => {
                Shift::Out.push(out, new);
                false
            }
        };
    if is_same {
        out.truncate(start);
        out.push_str(old);
    }
    is_same
}

fn merge_objects(old: &str, new: &str, out: &mut String) -> bool {
    let (old_index, new_index) = (Index::new(old), Index::new(new));
    let mut is_same = old_index.len() == new_index.len();
    let mut copied = 0;
    for entry in new_index.entries() {
        if new_index.has_equal_names() {
            // What is between such members cannot be copied.
            out.push(if copied == 0 { '{' } else { ',' });
            out.push_str(part(new, entry.name.clone()));
            out.push(':');
        } else {
            Shift::Out.push(out, part(new, copied..entry.value.start));
        }
        copied = entry.value.end;
        let value = part(new, entry.value);
        if let Some(old_value) = old_index.get(old, &decoded(part(new, entry.name))) {
            is_same &= merge(part(old, old_value), value, out);
        } else {
            Shift::Out.push(out, value);
            is_same = false;
        }
    }
    if new_index.has_equal_names() {
        out.push('}');
    } else {
        Shift::Out.push(out, part(new, copied..new.len()));
    }
    is_same
}

fn merge_arrays(old: &str, new: &str, out: &mut String) -> bool {
    let mut old_items = Items::new(old);
    let mut is_same = true;
    let mut copied = 0;
    for item in Items::new(new) {
        Shift::Out.push(out, part(new, copied..item.start));
        copied = item.end;
        let value = part(new, item);
        if let Some(old_item) = old_items.next() {
            is_same &= merge(part(old, old_item), value, out);
        } else {
            Shift::Out.push(out, value);
            is_same = false;
        }
    }
    Shift::Out.push(out, part(new, copied..new.len()));
    is_same && old_items.next().is_none()
}

/// Whether two values are the same of which one is no object and one no list.
fn same_scalar(old: &str, new: &str) -> bool {
    match (Kind::of(old), Kind::of(new)) {
        (Kind::String, Kind::String) => decoded(old) == decoded(new),
        (Kind::Word, Kind::String) => stand_in(old.as_bytes()) == Some(&decoded(new)),
        (Kind::Word, Kind::Word) => same_number(old, new),
        _ => false,
    }
}

/// Words that are not numbers are the same only when they are equal, and so never come here.
fn same_number(old: &str, new: &str) -> bool {
    /// No program writes a 64-bit floating point number with more digits than this.
    const DIGITS_OF_F64: usize = 17;
    let number = |text: &str| serde_json::from_str::<Number>(text).ok();
    number(old).is_some_and(|old| {
        number(new).as_ref() == Some(&old)
            && (old.is_u64() || old.is_i64() || significant_digits(new) <= DIGITS_OF_F64)
    })
}

/// The number of digits of a number without zeros around them.
fn significant_digits(number: &str) -> usize {
    let mantissa = number.split(['e', 'E']).next().unwrap_or_default();
    let digits: String = mantissa.chars().filter(char::is_ascii_digit).collect();
    digits.trim_matches('0').len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::{Map, Value, json};

    fn merged(old: &str, new: &str) -> (bool, String) {
        let mut out = String::new();
        let is_same = merge(old, new, &mut out);
        (is_same, out)
    }

    #[test]
    fn values_that_are_the_same_keep_the_old_spelling() {
        for (old, new) in [
            ("18446744073709551616", "1.8446744073709552e19"),
            ("0.1000000000000000055511151231257827", "0.1"),
            ("1.50", "1.5"),
            ("-0", "-0.0"),
            ("1e5", "100000.0"),
            ("NaN", "\"NaN\""),
            ("-Infinity", "\"-Infinity\""),
            ("-1e400", "\"-Infinity\""),
            ("1e400", "\"Infinity\""),
            (r#""\u00e9\/""#, "\"é/\""),
            ("[ 1,2 ]", "[1, 2]"),
            (r#"{"a":1,"b":[NaN,{}]}"#, r#"{"b":["NaN",{}],"a":1}"#),
            (r#"{"a":1,"a":2}"#, r#"{"a":2}"#),
            (r#"{"a":2}"#, r#"{"a":1,"a":2}"#),
        ] {
            assert_eq!(merged(old, new), (true, old.to_owned()), "{new}");
        }
    }

    #[test]
    fn other_values_are_taken_as_they_are() {
        for (old, new) in [
            ("1", "1.0"),
            ("1", "2"),
            ("1", "\"1\""),
            ("\"NaN\"", "null"),
            ("NaN", "\"Infinity\""),
            ("null", "\"NaN\""),
            ("true", "false"),
            ("18446744073709551616", "18446744073709551617"),
            ("[1]", "[1,2]"),
            ("[1,2]", "[1]"),
            ("{}", "[]"),
            ("[]", "{}"),
            ("{\"a\":1}", "{}"),
            ("{}", "{\"a\":1}"),
            ("{\"a\":1}", "{\"b\":1}"),
        ] {
            assert_eq!(merged(old, new), (false, new.to_owned()), "{old}");
        }
    }

    #[test]
    fn a_change_costs_only_itself() {
        let old = r#"{"x":[1.50,NaN],"big":18446744073709551616,"y":{"z":1e400,"w":1}}"#;
        let new = "{\n    \"x\": [1.5, \"NaN\", 7],\n    \"big\": 1.8446744073709552e19,\n    \"y\": {\"z\": \"Infinity\", \"w\": 2}\n  }";
        assert_eq!(
            merged(old, new),
            (
                false,
                "{\n  \"x\": [1.50, NaN, 7],\n  \"big\": 18446744073709551616,\n  \"y\": {\"z\": 1e400, \"w\": 2}\n}"
                    .to_owned()
            )
        );
    }

    #[test]
    fn of_equal_names_the_last_is_written() {
        assert_eq!(
            merged(r#"{"b":1.0}"#, r#"{"a": 1, "b": 2, "a": 3}"#),
            (false, r#"{"a":3,"b":2}"#.to_owned())
        );
    }

    /// Any JSON value of a few levels, with names that often meet.
    fn any_json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            (0..3).prop_map(Value::from),
            any::<f64>().prop_map(Value::from),
            "[a-b\"\\\\\n]{0,2}".prop_map(Value::from),
        ];
        leaf.prop_recursive(3, 16, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::vec(("[a-c]|é\"", inner), 0..4)
                    .prop_map(|members| Value::from(Map::from_iter(members))),
            ]
        })
    }

    proptest! {
        #[test]
        fn texts_are_the_same_when_their_values_are(old in any_json(), new in any_json()) {
            for (old_text, new_text) in [
                (old.to_string(), new.to_string()),
                (format!("{old:#}"), new.to_string()),
                (old.to_string(), format!("{new:#}")),
            ] {
                let (is_same, out) = merged(&old_text, &new_text);
                prop_assert_eq!(is_same, old == new);
                prop_assert_eq!(serde_json::from_str::<Value>(&out).unwrap(), new.clone());
            }
            let indented = format!("{old:#}");
            prop_assert!(same(&old.to_string(), &indented));
        }
    }

    #[test]
    fn significant_digits_do_not_count_zeros_around() {
        for (number, expected) in [
            ("0", 0),
            ("-0.00120", 2),
            ("18446744073709552000", 17),
            ("1.8446744073709552e19", 17),
            ("10e5", 1),
        ] {
            assert_eq!(significant_digits(number), expected, "{number}");
        }
        assert!(same("18446744073709551616", "18446744073709552000"));
        assert_eq!(
            json!(18_446_744_073_709_551_616_f64).to_string(),
            "1.8446744073709552e+19"
        );
    }
}
