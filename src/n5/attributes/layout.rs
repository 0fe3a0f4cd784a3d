//! The members of `attributes.json` that mean something to N5.

use std::borrow::Cow;

use serde_json::{Map, Value};

use crate::n5::json::{Document, DocumentError};

pub(crate) const DIMENSIONS: &str = "dimensions";
pub(crate) const BLOCK_SIZE: &str = "blockSize";
pub(crate) const DATA_TYPE: &str = "dataType";
pub(crate) const COMPRESSION: &str = "compression";
/// Where N5 1.x keeps the name of the compression.
pub(crate) const COMPRESSION_TYPE: &str = "compressionType";
/// The sharding of N5 4.
pub(crate) const CODECS: &str = "codecs";
/// The names of the dimensions, by convention of several N5 tools.
pub(crate) const AXES: &str = "axes";

/// The member of a compression object that names its type.
const TYPE: &str = "type";

/// The members of a dataset that describe its blocks, and so are no attributes.
const DATASET_MEMBERS: [&str; 5] = [
    DIMENSIONS,
    BLOCK_SIZE,
    DATA_TYPE,
    COMPRESSION,
    COMPRESSION_TYPE,
];

/// Whether a member of a dataset describes its blocks.
pub(crate) fn is_dataset_member(name: &str) -> bool {
    DATASET_MEMBERS.contains(&name)
}

/// Whether a document describes a dataset, be it a good one or not.
pub(crate) fn describes_dataset(document: &Document<'_>) -> bool {
    document.contains(DIMENSIONS)
        && DATASET_MEMBERS
            .iter()
            .any(|name| *name != DIMENSIONS && document.contains(name))
}

/// The values of the members that describe the blocks. `compressionType` does not count beside
/// `compression`.
pub(crate) fn dataset_members(
    document: &Document<'_>,
) -> Result<Map<String, Value>, DocumentError> {
    let mut members = Map::new();
    for name in DATASET_MEMBERS {
        if name == COMPRESSION_TYPE && members.contains_key(COMPRESSION) {
            continue;
        }
        if let Some(value) = document.parsed(name)? {
            members.insert(name.to_owned(), value);
        }
    }
    Ok(members)
}

/// The `compression` of a dataset, or the `compressionType` of N5 1.x as such an object. `None` if
/// there is none whose type is a string.
pub(crate) fn compression_object(
    members: &Map<String, Value>,
) -> Option<Cow<'_, Map<String, Value>>> {
    if let Some(compression) = members.get(COMPRESSION) {
        let object = compression.as_object()?;
        object.get(TYPE)?.as_str()?;
        Some(Cow::Borrowed(object))
    } else {
        let name = members.get(COMPRESSION_TYPE)?.as_str()?;
        Some(Cow::Owned(Map::from_iter([(TYPE.to_owned(), name.into())])))
    }
}
