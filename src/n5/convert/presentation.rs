//! [`Presentation`]: in which order, and by which extensions, a Zarr array has the dimensions of a
//! dataset.

use serde_json::{Map, Value};
use zarrs_metadata::v3::MetadataV3;

use crate::n5::dimension_order::DimensionOrder;
use crate::n5::reversed_keys;

/// The chunk key encoding and the codec that say "backwards" to every reader.
const TEMPLATE: &str = "template";
const TRANSPOSE: &str = "transpose";

/// How a Zarr array shows the dimensions of a dataset.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Presentation {
    /// In N5's order: `v2` keys, and `n5_default` alone.
    #[default]
    Stored,
    /// Backwards, by a chunk key encoding and a codec that only this crate knows. In memory only.
    View,
    /// Backwards, by published extensions: `template` keys, and `transpose` before `n5_default`.
    /// With less than two dimensions there is nothing to reverse, and it is the same as `Stored`.
    Published,
}

impl Presentation {
    /// What is shown in memory.
    pub(crate) const fn view(order: DimensionOrder) -> Self {
        match order {
            DimensionOrder::AsStored => Self::Stored,
            DimensionOrder::Reversed => Self::View,
        }
    }

    /// What is written for other readers.
    pub(crate) const fn published(order: DimensionOrder) -> Self {
        match order {
            DimensionOrder::AsStored => Self::Stored,
            DimensionOrder::Reversed => Self::Published,
        }
    }

    /// The same for an array of so many dimensions.
    pub(super) const fn of_dimensionality(self, dimensionality: usize) -> Self {
        match self {
            Self::Published if dimensionality < 2 => Self::Stored,
            other => other,
        }
    }

    pub(super) const fn order(self) -> DimensionOrder {
        match self {
            Self::Stored => DimensionOrder::AsStored,
            Self::View | Self::Published => DimensionOrder::Reversed,
        }
    }

    /// The keys of the blocks.
    pub(super) fn keys(self, dimensionality: usize) -> MetadataV3 {
        match self {
            Self::Stored => with_member("v2", "separator", "/".into()),
            Self::View => MetadataV3::new(reversed_keys::NAME),
            Self::Published => with_member(TEMPLATE, "format", format(dimensionality).into()),
        }
    }

    /// Whether these are the keys of the blocks, in other words maybe. With one dimension there is
    /// no separator in a key, so that any one will do.
    pub(super) fn has_keys(self, keys: &MetadataV3, dimensionality: usize) -> bool {
        match self {
            Self::Stored => {
                let separator = if keys.configuration_is_none_or_empty() {
                    Some(".")
                } else {
                    only_member(keys, "separator").and_then(Value::as_str)
                };
                keys.name() == "v2"
                    && (separator == Some("/") || separator == Some(".") && dimensionality == 1)
            }
            Self::View => {
                keys.name() == reversed_keys::NAME && keys.configuration_is_none_or_empty()
            }
            Self::Published => {
                let found = only_member(keys, "format").and_then(Value::as_str);
                keys.name() == TEMPLATE && found == Some(&format(dimensionality))
            }
        }
    }

    /// What the keys have to be, for an error.
    pub(super) fn expected_keys(self, dimensionality: usize) -> String {
        match self {
            Self::Stored => "`v2` with the separator \"/\", the keys of N5 blocks".to_owned(),
            Self::View => reversed_keys::NAME.to_owned(),
            Self::Published => format!(
                "`template` with the format {:?}, the keys of N5 blocks with the dimensions \
                 backwards",
                format(dimensionality)
            ),
        }
    }
}

/// The codec that reverses the dimensions.
pub(super) fn transpose(dimensionality: usize) -> MetadataV3 {
    let order: Vec<usize> = (0..dimensionality).rev().collect();
    with_member(TRANSPOSE, "order", order.into())
}

/// Whether a codec is the one that reverses two dimensions or more.
pub(super) fn is_reversing(codec: &Value, dimensionality: usize) -> bool {
    let codec: Option<MetadataV3> = serde_json::from_value(codec.clone()).ok();
    dimensionality > 1 && codec == Some(transpose(dimensionality))
}

/// `{2}/{1}/{0}` for three dimensions.
fn format(dimensionality: usize) -> String {
    let places = (0..dimensionality)
        .rev()
        .map(|number| format!("{{{number}}}"));
    places.collect::<Vec<_>>().join("/")
}

/// Metadata with a configuration of one member.
fn with_member(name: &str, member: &str, value: Value) -> MetadataV3 {
    let configuration = Map::from_iter([(member.to_owned(), value)]);
    MetadataV3::new_with_configuration(name, configuration)
}

/// The value of a configuration's only member.
pub(super) fn only_member<'a>(metadata: &'a MetadataV3, name: &str) -> Option<&'a Value> {
    metadata
        .configuration()
        .filter(|configuration| configuration.len() == 1)?
        .get(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_backwards_begin_with_the_last_index() {
        let keys = Presentation::Published.keys(3);
        let text = serde_json::to_string(&keys).unwrap();
        assert!(text.contains(r#""format":"{2}/{1}/{0}""#), "{text}");
        assert!(Presentation::Published.has_keys(&keys, 3));
        assert!(!Presentation::Published.has_keys(&keys, 2));
        assert!(!Presentation::Stored.has_keys(&keys, 3));
    }

    #[test]
    fn one_dimension_is_not_reversed() {
        for (dimensionality, expected) in [
            (0, Presentation::Stored),
            (1, Presentation::Stored),
            (2, Presentation::Published),
        ] {
            let found = Presentation::Published.of_dimensionality(dimensionality);
            assert_eq!(found, expected);
        }
    }
}
