//! `zarr.json` as `attributes.json`, which keeps what the old one said the same in its own
//! spelling.

use std::borrow::Cow;

use serde_json::{Map, Value};

use super::names::{MULTISCALES, OME};
use super::to_zarr::are_distinct;
use super::zarr_node::{ZarrArray, ZarrNode};
use crate::n5::attributes::DatasetAttributes;
use crate::n5::attributes::layout::{
    AXES, BLOCK_SIZE, CODECS, COMPRESSION, COMPRESSION_TYPE, DATA_TYPE, DIMENSIONS,
    compression_object, describes_dataset, is_dataset_member,
};
use crate::n5::attributes::version::{NEW_VERSION, VERSION, check_version};
use crate::n5::compression::Compression;
use crate::n5::data_type::N5DataType;
use crate::n5::error_text::shortened;
use crate::n5::json::{Document, ObjectWriter, Shift, merge, same};
use crate::n5::members::whole_numbers;
use crate::n5::metadata_error::{MetadataDocument, MetadataError, MetadataErrorKind};

/// The attributes that Zarr writers add on their own: `zarrs` its version, to arrays; the Python
/// package `zarr-n5` a copy of `attributes.json`.
const ZARR_WRITERS: [&str; 2] = ["_zarrs", "_n5"];

/// The `attributes.json` that says what a `zarr.json` says, or `None` if the existing one says it
/// already.
///
/// `existing` is the `attributes.json` that is there now, if any. All of it that says the same
/// keeps its spelling. The node path of the root is `/`.
///
/// # Errors
/// [`MetadataError`] if the `zarr.json` is malformed or says something that N5 cannot, and if the
/// existing document is not a JSON object or of a newer version of N5: it is then not this crate's
/// to overwrite.
pub fn zarr_to_attributes(
    zarr: &[u8],
    existing: Option<&[u8]>,
    node_path: &str,
) -> Result<Option<Vec<u8>>, MetadataError> {
    convert(zarr, existing, node_path, Beside::No)
}

/// The same for a `zarr.json` that stays where it is, beside the `attributes.json`: metadata of
/// OME-Zarr that conversion has put there does not go back. An attribute `ome` that describes an
/// image is left out unless `existing` has one, and `multiscales` stays as it is there.
pub(crate) fn zarr_to_attributes_beside(
    zarr: &[u8],
    existing: Option<&[u8]>,
    node_path: &str,
    beside: Beside,
) -> Result<Option<Vec<u8>>, MetadataError> {
    convert(zarr, existing, node_path, beside)
}

/// Whether the `zarr.json` stays, and so need not be said again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Beside {
    /// It goes.
    No,
    /// It stays.
    Yes,
    /// It stays, and names of dimensions that the `attributes.json` does not have are its own.
    WithNames,
}

fn convert(
    zarr: &[u8],
    existing: Option<&[u8]>,
    node_path: &str,
    beside: Beside,
) -> Result<Option<Vec<u8>>, MetadataError> {
    let of_zarr =
        |kind: MetadataErrorKind| MetadataError::new(node_path, MetadataDocument::Zarr, kind);
    let of_n5 = |kind: MetadataErrorKind| MetadataError::new(node_path, MetadataDocument::N5, kind);
    let zarr = Document::of_zarr(zarr).map_err(|error| of_zarr(error.into()))?;
    let mut node = ZarrNode::read(&zarr).map_err(of_zarr)?;
    let old = match existing {
        Some(existing) => {
            let old = Document::of_attributes(existing).map_err(|error| of_n5(error.into()))?;
            check_version(old.get(VERSION)).map_err(of_n5)?;
            Some(old)
        }
        None => None,
    };
    if beside == Beside::WithNames
        && let (Some(array), Some(old)) = (&mut node.array, &old)
        && !old.contains(AXES)
    {
        array.dimension_names = None;
    }
    let mut document = NewDocument::new(&node, old.as_ref(), node_path == "/").map_err(of_zarr)?;
    document.keeps_multiscales = beside != Beside::No && node.has_ome_image();
    check_version(document.version()).map_err(of_n5)?;
    Ok(document.write().map(String::into_bytes))
}

/// How a member is written.
enum Spelling<'a> {
    /// As it was.
    Old(&'a str),
    /// Anew, in lines of a document of its own.
    New(Cow<'a, str>),
    /// As the attribute stands in the `zarr.json`, one level deeper.
    Added(&'a str),
    /// As it was where it says the same, anew where it does not.
    Merged { old: &'a str, new: &'a str },
}

/// The document for a node, member by member.
struct NewDocument<'a> {
    /// The document that is there now.
    old: Option<&'a Document<'a>>,
    attributes: &'a Document<'a>,
    /// The members that describe the blocks; none for a group.
    dataset: Vec<(&'static str, Spelling<'a>)>,
    /// The member `axes`, where it is not just the attribute of that name.
    axes: Option<Spelling<'a>>,
    /// The version of a root whose attributes have none. It stands in front.
    version: Option<&'a str>,
    /// `ome` is not copied, and `multiscales` stays.
    keeps_multiscales: bool,
}

impl<'a> NewDocument<'a> {
    fn new(
        node: &'a ZarrNode<'a>,
        old: Option<&'a Document<'a>>,
        is_root: bool,
    ) -> Result<Self, MetadataErrorKind> {
        let attributes = &node.attributes;
        let (dataset, axes) = if let Some(array) = &node.array {
            check_attribute_names(attributes)?;
            let axes = axes(array, attributes, old)?;
            (dataset_members(&array.dataset, old), axes)
        } else {
            check_group(attributes)?;
            (Vec::new(), None)
        };
        let version_of = |document: &'a Document<'a>| {
            let version = document.get(VERSION);
            version.filter(|version| *version != "null")
        };
        let version = if is_root && version_of(attributes).is_none() {
            Some(old.and_then(version_of).unwrap_or(NEW_VERSION))
        } else {
            None
        };
        Ok(Self {
            old,
            attributes,
            dataset,
            axes,
            version,
            keeps_multiscales: false,
        })
    }

    /// The JSON text of the member `n5`.
    fn version(&self) -> Option<&str> {
        self.version.or_else(|| self.attributes.get(VERSION))
    }

    /// The text of the document; `None` if the old one says the same.
    fn write(&self) -> Option<String> {
        let mut text = String::new();
        let mut document = ObjectWriter::new(&mut text, 0);
        let mut is_same = self.old.is_some();
        // First the members that were there before, in their old order; then the new ones.
        for name in self.old.into_iter().flat_map(Document::names) {
            match self.spelling(&name) {
                Some(spelling) => is_same &= spelling.write(document.member(&name)),
                None => is_same = false,
            }
        }
        for name in self.names() {
            if !self.old.is_some_and(|old| old.contains(&name))
                && let Some(spelling) = self.spelling(&name)
            {
                spelling.write(document.member(&name));
                is_same = false;
            }
        }
        document.finish();
        (!is_same).then_some(text)
    }

    /// The names of all members in the order of a new document.
    fn names(&self) -> impl Iterator<Item = Cow<'_, str>> {
        let version = self.version.map(|_| VERSION);
        let dataset = self.dataset.iter().map(|(name, _)| *name);
        let first = version.into_iter().chain(dataset).map(Cow::Borrowed);
        let attributes = self.attributes.names();
        let attributes =
            attributes.filter(move |name| version.is_none_or(|version| name != version));
        let has_axes = self.axes.is_none() || self.attributes.contains(AXES);
        let last = (!has_axes).then_some(Cow::Borrowed(AXES));
        first.chain(attributes).chain(last)
    }

    /// How the member of a name is written; `None` if the document has none.
    fn spelling(&self, name: &str) -> Option<Spelling<'_>> {
        let old = self.old.and_then(|old| old.get(name));
        let is_ome = self.keeps_multiscales
            && match name {
                OME => old.is_none() && self.old.is_some(),
                MULTISCALES => !self.attributes.contains(MULTISCALES),
                _ => false,
            };
        if is_ome || ZARR_WRITERS.contains(&name) {
            return old.map(Spelling::Old);
        }
        if let (VERSION, Some(version)) = (name, self.version) {
            return Some(match old {
                Some(old) if old == version => Spelling::Old(old),
                _ => Spelling::New(version.into()),
            });
        }
        if let (AXES, Some(axes)) = (name, &self.axes) {
            return Some(axes.borrowed());
        }
        let mut dataset = self.dataset.iter();
        if let Some((_, spelling)) = dataset.find(|(member, _)| *member == name) {
            return Some(spelling.borrowed());
        }
        let new = self.attributes.get(name)?;
        Some(match old {
            Some(old) => Spelling::Merged { old, new },
            None => Spelling::Added(new),
        })
    }
}

impl Spelling<'_> {
    /// Writes the member; tells whether it is the old one.
    fn write(&self, out: &mut String) -> bool {
        match self {
            Self::Old(old) => {
                out.push_str(old);
                true
            }
            Self::New(new) => {
                Shift::In.push(out, new);
                false
            }
            Self::Added(new) => {
                Shift::Out.push(out, new);
                false
            }
            Self::Merged { old, new } => merge(old, new, out),
        }
    }

    fn borrowed(&self) -> Spelling<'_> {
        match self {
            Self::Old(old) => Spelling::Old(old),
            Self::New(new) => Spelling::New(Cow::Borrowed(new)),
            Self::Added(new) => Spelling::Added(new),
            Self::Merged { old, new } => Spelling::Merged { old, new },
        }
    }
}

/// The members that describe the blocks. One that says the same as before stays as it was written.
fn dataset_members<'a>(
    dataset: &DatasetAttributes,
    old: Option<&'a Document<'a>>,
) -> Vec<(&'static str, Spelling<'a>)> {
    let value_of = |name| old?.parsed(name).ok().flatten();
    let text_of = |name| old?.get(name);
    let anew = |value: &Value| Spelling::New(format!("{value:#}").into());
    let list = |name, new: Value| {
        let is_same =
            value_of(name).is_some_and(|old| whole_numbers::<u64>(&old) == whole_numbers(&new));
        let old = text_of(name).filter(|_| is_same);
        (name, old.map_or_else(|| anew(&new), Spelling::Old))
    };
    let data_type = Value::from(dataset.data_type().name());
    let old_data_type = text_of(DATA_TYPE).filter(|old| same(old, &data_type.to_string()));
    let mut members = vec![
        list(DIMENSIONS, dataset.dimensions().into()),
        list(BLOCK_SIZE, dataset.block_size().into()),
        (
            DATA_TYPE,
            old_data_type.map_or_else(|| anew(&data_type), Spelling::Old),
        ),
    ];
    let old_compression: Map<String, Value> = [COMPRESSION, COMPRESSION_TYPE]
        .into_iter()
        .filter_map(|name| Some((name.to_owned(), value_of(name)?)))
        .collect();
    let compression = dataset.compression();
    if says_same_compression(compression, &old_compression, dataset.data_type()) {
        for name in [COMPRESSION, COMPRESSION_TYPE] {
            members.extend(text_of(name).map(|old| (name, Spelling::Old(old))));
        }
    } else {
        members.push((COMPRESSION, anew(&compression.to_json().into())));
    }
    members
}

/// Whether the existing compression makes the same codec. It may say so in other words, such as
/// `level: -1`, and may have members that only other programs know.
///
/// `new` is what a codec says in N5, so the existing one is normalised through its codec as well.
fn says_same_compression(
    new: &Compression,
    old: &Map<String, Value>,
    data_type: N5DataType,
) -> bool {
    let through_codec = |old: &Compression| {
        let codec = old.to_codec_metadata(data_type)?;
        Compression::from_codec_metadata(codec.as_ref())
    };
    compression_object(old)
        .and_then(|object| Compression::from_json(&object).ok())
        .and_then(|old| through_codec(&old).ok())
        .is_some_and(|old| old == *new)
}

/// `axes` holds both the attribute and the dimension names. Where they differ, the one that changed
/// wins. `None` is the attribute, which may be absent.
fn axes<'a>(
    array: &ZarrArray,
    attributes: &Document<'_>,
    old: Option<&'a Document<'a>>,
) -> Result<Option<Spelling<'a>>, MetadataErrorKind> {
    let Some(names) = &array.dimension_names else {
        return Ok(None);
    };
    let new = format!("{:#}", Value::from(names.as_slice()));
    let old = old.and_then(|old| old.get(AXES));
    if let Some(old) = old
        && same(old, &new)
    {
        let attribute = attributes.get(AXES);
        let is_changed = attribute.is_some_and(|attribute| !same(old, attribute));
        return Ok((!is_changed).then_some(Spelling::Old(old)));
    }
    if !are_distinct(names) {
        return Err(MetadataErrorKind::UnsupportedMember {
            member: "dimension_names",
            found: shortened(Value::from(names.as_slice())),
            expected: "a different name for every dimension, as N5 keeps them as `axes`, which \
                       readers refuse when two are equal"
                .to_owned(),
        });
    }
    match attributes.get(AXES) {
        Some(axes) if same(axes, &new) => Ok(None),
        Some(axes) if !old.is_some_and(|old| same(old, axes)) => Err(MetadataErrorKind::Axes {
            names: shortened(Value::from(names.as_slice())),
            axes: shortened(axes),
        }),
        _ => Ok(Some(Spelling::New(new.into()))),
    }
}

/// Attributes of an array stand beside the members that describe its blocks, and must not have
/// their names.
fn check_attribute_names(attributes: &Document<'_>) -> Result<(), MetadataErrorKind> {
    let mut names = attributes.names();
    match names.find(|name| is_dataset_member(name) || name == CODECS) {
        None => Ok(()),
        Some(attribute) => Err(MetadataErrorKind::ReservedAttribute {
            attribute: attribute.into_owned(),
        }),
    }
}

/// The attributes of a group must not make it a dataset.
fn check_group(attributes: &Document<'_>) -> Result<(), MetadataErrorKind> {
    let mut names = attributes.names();
    match names.find(|name| name != DIMENSIONS && is_dataset_member(name)) {
        Some(attribute) if describes_dataset(attributes) => {
            Err(MetadataErrorKind::GroupLikeDataset {
                attribute: attribute.into_owned(),
            })
        }
        _ => Ok(()),
    }
}
