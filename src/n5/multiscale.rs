//! Pyramids of arrays, as the programs that write N5 describe them.
//!
//! Nothing here reads a store: [`recognise`] takes the attributes of a group, of what is above it
//! and of its datasets, and says what the levels, scales, translations, axes and units are. What
//! had to be guessed, what does not agree and what was left out are [notes](Note) of the result.
//!
//! ```
//! use serde_json::{Map, json};
//! use zarrs_interop::n5::multiscale::{DatasetView, GroupView, MultiscaleOptions, recognise};
//!
//! let object = |value: serde_json::Value| value.as_object().cloned().unwrap();
//! let root = object(json!({"n5": "2.0.0"}));
//! let c0 = object(json!({"pixelResolution": {"dimensions": [0.1, 0.1, 0.4], "unit": "um"}}));
//! let s0 = object(json!({"dimensions": [100, 80, 60], "axes": ["x", "y", "z"]}));
//! let s1 = object(json!({"dimensions": [50, 40, 60], "downsamplingFactors": [2, 2, 1]}));
//!
//! let pyramid = recognise(
//!     &GroupView {
//!         path: "/c0",
//!         attributes: &c0,
//!         ancestors: &[&root],
//!         children: &[
//!             DatasetView { path: "s0", attributes: &s0 },
//!             DatasetView { path: "s1", attributes: &s1 },
//!         ],
//!     },
//!     &MultiscaleOptions::new(),
//! )?
//! .expect("s0 and s1 are levels");
//! assert_eq!(pyramid.levels[1].scale, [0.2, 0.2, 0.4]);
//! assert_eq!(pyramid.levels[1].translation, [0.05, 0.05, 0.0]);
//! assert_eq!(pyramid.axes[0].unit.as_deref(), Some("micrometer"));
//! assert!(pyramid.notes.is_empty());
//! # Ok::<(), zarrs_interop::n5::multiscale::MultiscaleError>(())
//! ```
#![doc = include_str!("../../docs/multiscale.md")]

mod axes;
mod big_data_viewer;
mod canonical;
mod cosem;
mod error;
mod listed;
mod members;
mod n5_viewer;
mod neuroglancer;
#[cfg(feature = "ome")]
mod ome;
mod paintera;
mod placing;
mod plain;
mod pyramid;
mod reading;
mod sizes;
mod stated;
mod unit;
mod view;

#[cfg(test)]
mod tests;

use serde_json::{Map, Value};

#[cfg(feature = "ome")]
pub(crate) use big_data_viewer::setup;
pub use error::MultiscaleError;
#[cfg(feature = "ome")]
pub use ome::{OmeError, OmeOrder, ome_attributes};
pub use pyramid::{Axis, AxisKind, Dialect, Level, Note, NoteKind, Pyramid};
pub use unit::{VoxelSize, bdv_voxel_sizes};
pub use view::{DatasetView, GroupView, MultiscaleOptions};

use listed::Listed;

/// Recognises the pyramid whose levels are datasets of a group.
///
/// Returns `None` if no dataset is a level: none is named `s0`, `s1`, … and no `multiscales` names
/// any.
///
/// # Errors
/// [`MultiscaleError`] if there are levels without numbers (label multisets, Paintera's indices),
/// if a member that counts has another form than the dialect asks for, if a scale is not finite and
/// above 0, if the names in the options are not as many as the dimensions, or if every level had to
/// be left out.
pub fn recognise(
    group: &GroupView<'_>,
    options: &MultiscaleOptions,
) -> Result<Option<Pyramid>, MultiscaleError> {
    paintera::refuse_others(group)?;
    let listed = listed::listed(group.attributes);
    let pyramid = by_dialect(group, options, listed.as_ref())?;
    Ok(pyramid.map(|mut pyramid| {
        put_finest_first(&mut pyramid, group);
        if listed.is_some_and(|listed| listed.has("coordinateTransformations")) {
            pyramid.notes.push(Note {
                kind: NoteKind::LeftOut,
                path: group.path.to_owned(),
                text:
                    "`multiscales` has `coordinateTransformations` of OME-NGFF, which are not read \
                       from N5"
                        .to_owned(),
            });
        }
        pyramid
    }))
}

/// Recognises a dataset on its own: a pyramid of one level, whose path is empty.
///
/// `ancestors` are the attributes of the groups above, the parent first and the root of the
/// container last. A dataset `sK` lies where it lies as a level of its group; one with another name
/// is described by its own attributes.
///
/// # Errors
/// As [`recognise`].
pub fn recognise_dataset(
    path: &str,
    attributes: &Map<String, Value>,
    ancestors: &[&Map<String, Value>],
    options: &MultiscaleOptions,
) -> Result<Option<Pyramid>, MultiscaleError> {
    let (folder, name) = path
        .trim_end_matches('/')
        .rsplit_once('/')
        .unwrap_or_default();
    if let Some((parent, above)) = ancestors.split_first()
        && reading::level_index(name).is_some()
    {
        let as_level = GroupView {
            path: folder,
            attributes: parent,
            ancestors: above,
            children: &[DatasetView {
                path: name,
                attributes,
            }],
        };
        if let Some(mut pyramid) = recognise(&as_level, options)? {
            // The other levels are not missing: nobody looked for them.
            pyramid
                .notes
                .retain(|note| note.path == path || note.kind != NoteKind::LeftOut);
            for level in &mut pyramid.levels {
                level.path.clear();
            }
            return Ok(Some(pyramid));
        }
    }
    let empty = Map::new();
    let alone = GroupView {
        path,
        attributes: &empty,
        ancestors,
        children: &[DatasetView {
            path: "",
            attributes,
        }],
    };
    recognise(&alone, options)
}

/// The paths of the levels that the attribute `multiscales` of a group names, below the group and
/// without a slash at either end, as in `s0`. Whether there are such datasets is not known here.
///
/// Paths that lead out of the group are left out. Of several images the first one counts, as for
/// [`recognise`].
#[must_use]
pub fn listed_paths(attributes: &Map<String, Value>) -> Vec<String> {
    let paths = listed::listed(attributes).map(|listed| listed.paths());
    let mut paths = paths.unwrap_or_default();
    paths.retain(|path| !path.is_empty() && !path.split('/').any(|name| name == ".."));
    paths
}

/// The first dialect that fits decides.
fn by_dialect(
    group: &GroupView<'_>,
    options: &MultiscaleOptions,
    listed: Option<&Listed>,
) -> Result<Option<Pyramid>, MultiscaleError> {
    if cosem::is_here(group, listed) {
        return cosem::recognise(group, options, listed);
    }
    if canonical::is_here(group, listed) {
        return canonical::recognise(group, options, listed);
    }
    let paths = listed.map(Listed::paths);
    let paths = paths.as_deref();
    if paintera::is_below_data(group) {
        return paintera::recognise(group, options, paths);
    }
    if big_data_viewer::numbers(group.path).is_some() {
        return big_data_viewer::recognise(group, options);
    }
    if neuroglancer::is_here(group) {
        return neuroglancer::recognise(group, options, paths);
    }
    if paintera::says_multiscale(group) && !group.attributes.contains_key("pixelResolution") {
        return paintera::recognise(group, options, paths);
    }
    if plain::is_here(group) {
        return plain::recognise(group, options, paths);
    }
    n5_viewer::recognise(group, options, paths)
}

/// Orders the levels by the size of a voxel, if they are not.
fn put_finest_first(pyramid: &mut Pyramid, group: &GroupView<'_>) {
    let volume = |level: &Level| -> f64 { level.scale.iter().product() };
    if pyramid
        .levels
        .is_sorted_by(|one, next| volume(one) <= volume(next))
    {
        return;
    }
    pyramid
        .levels
        .sort_by(|one, other| volume(one).total_cmp(&volume(other)));
    pyramid.notes.push(Note {
        kind: NoteKind::Contradiction,
        path: group.path.to_owned(),
        text: "a later level is finer than one before: ordered by the size of a voxel".to_owned(),
    });
}
