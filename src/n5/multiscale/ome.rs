//! OME-Zarr 0.5 metadata of a pyramid.

#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use ome_zarr_metadata::Validate;
use ome_zarr_metadata::v0_5::OmeFields;
use serde_json::{Map, Value, json};
use thiserror::Error;

use super::pyramid::{Axis, AxisKind, Level, Pyramid};

/// In which order the arrays present their dimensions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum OmeOrder {
    /// Backwards, as OME-Zarr has it by convention: z, y, x for N5's x, y, z.
    #[default]
    Reversed,
    /// As the pyramid has them. After [`Pyramid::permuted`] with [`Pyramid::ome_order`], this is
    /// OME-Zarr's order too.
    Stored,
}

/// Why a pyramid cannot be described as OME-Zarr.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum OmeError {
    /// An axis has no name.
    #[error(
        "dimension {dimension} of {dimensionality} has no name, and OME-Zarr needs one: give the names of all dimensions (n5_to_zarr: --axes)"
    )]
    Unnamed {
        /// The dimension in the order of the pyramid, counted from 0.
        dimension: usize,
        /// The number of dimensions.
        dimensionality: usize,
    },
    /// Two axes have the same name.
    #[error("two dimensions have the name {name:?}: OME-Zarr tells axes by their names")]
    SameName {
        /// The name.
        name: String,
    },
    /// There are too few or too many dimensions.
    #[error("{found} dimensions: OME-Zarr has from 2 to 5")]
    Dimensionality {
        /// The number of dimensions.
        found: usize,
    },
    /// There are too few or too many dimensions of space.
    #[error("{found} dimensions of space among {axes}: OME-Zarr has 2 or 3")]
    Space {
        /// The number of dimensions of space.
        found: usize,
        /// The names in the order that was asked for.
        axes: String,
    },
    /// The order of the axes is none that OME-Zarr allows.
    #[error(
        "the order of dimensions is {axes}: OME-Zarr wants time, then channel, then space; \
         rewrite the data in the order {wanted}"
    )]
    Order {
        /// The names in the order that was asked for.
        axes: String,
        /// The names in an order that would do.
        wanted: String,
    },
    /// The checker of the crate `ome_zarr_metadata` does not accept the result.
    #[error("the metadata is no OME-Zarr 0.5: {reason}")]
    Refused {
        /// What the checker says.
        reason: String,
    },
}

/// Makes the attributes of a group of OME-Zarr 0.5: `{"ome": {"version": "0.5", "multiscales":
/// […]}}`.
///
/// Level paths are those of the pyramid, below the group; the path of a dataset on its own is empty
/// there, so that the caller sets it first. Every level has a scale and a
/// translation. Channels have the scale 1 and the translation 0, whatever the pyramid says. The
/// checker of the crate `ome_zarr_metadata` has accepted what is returned; the numbers are those of
/// the pyramid in full (the crate itself holds 32 bits).
///
/// # Errors
/// [`OmeError`] if the axes have no names, or an order that OME-Zarr does not allow.
pub fn ome_attributes(pyramid: &Pyramid, order: OmeOrder) -> Result<Map<String, Value>, OmeError> {
    let presented = match order {
        OmeOrder::Stored => pyramid.clone(),
        OmeOrder::Reversed => pyramid.clone().reversed(),
    };
    let names = names(pyramid)?;
    check_axes(&presented, &names)?;
    let mut image = Map::new();
    if let Some(name) = &presented.name {
        image.insert("name".to_owned(), json!(name));
    }
    let axes: Vec<_> = presented.axes.iter().map(axis).collect();
    image.insert("axes".to_owned(), Value::Array(axes));
    let datasets: Vec<_> = presented
        .levels
        .iter()
        .map(|level| dataset(level, &presented.axes))
        .collect();
    image.insert("datasets".to_owned(), Value::Array(datasets));
    let ome = json!({"version": "0.5", "multiscales": [image]});
    check(&ome)?;
    Ok(Map::from_iter([("ome".to_owned(), ome)]))
}

/// The names of all axes, in the order of the pyramid.
fn names(pyramid: &Pyramid) -> Result<BTreeSet<&str>, OmeError> {
    let dimensionality = pyramid.axes.len();
    if !(2..=5).contains(&dimensionality) {
        return Err(OmeError::Dimensionality {
            found: dimensionality,
        });
    }
    let mut names = BTreeSet::new();
    for (dimension, axis) in pyramid.axes.iter().enumerate() {
        let Some(name) = axis.name.as_deref() else {
            return Err(OmeError::Unnamed {
                dimension,
                dimensionality,
            });
        };
        if !names.insert(name) {
            return Err(OmeError::SameName {
                name: name.to_owned(),
            });
        }
    }
    Ok(names)
}

/// Time, then channel or another thing, then space.
fn check_axes(presented: &Pyramid, names: &BTreeSet<&str>) -> Result<(), OmeError> {
    let listed = |axes: &[Axis]| -> String {
        let names: Vec<&str> = axes
            .iter()
            .map(|axis| axis.name.as_deref().unwrap_or("?"))
            .collect();
        names.join(", ")
    };
    let axes = listed(&presented.axes);
    let count = |kind| {
        presented
            .axes
            .iter()
            .filter(|axis| axis.kind == kind)
            .count()
    };
    let space = count(AxisKind::Space);
    if !(2..=3).contains(&space) {
        return Err(OmeError::Space { found: space, axes });
    }
    let place = |axis: &Axis| match axis.kind {
        AxisKind::Time => 0,
        AxisKind::Channel | AxisKind::Unknown => 1,
        AxisKind::Space => 2,
    };
    let others = names
        .len()
        .saturating_sub(space)
        .saturating_sub(count(AxisKind::Time));
    if presented.axes.is_sorted_by_key(place) && count(AxisKind::Time) <= 1 && others <= 1 {
        return Ok(());
    }
    let wanted = presented.clone();
    let wanted = match presented
        .ome_order()
        .and_then(|order| wanted.permuted(&order))
    {
        Some(wanted) => listed(&wanted.axes),
        None => "of time, one other dimension, space".to_owned(),
    };
    Err(OmeError::Order { axes, wanted })
}

fn axis(axis: &Axis) -> Value {
    let mut object = Map::new();
    object.insert("name".to_owned(), json!(axis.name));
    let kind = match axis.kind {
        AxisKind::Space => Some("space"),
        AxisKind::Time => Some("time"),
        AxisKind::Channel => Some("channel"),
        AxisKind::Unknown => None,
    };
    if let Some(kind) = kind {
        object.insert("type".to_owned(), json!(kind));
    }
    if let Some(unit) = &axis.unit {
        object.insert("unit".to_owned(), json!(unit));
    }
    Value::Object(object)
}

fn dataset(level: &Level, axes: &[Axis]) -> Value {
    let unless_channel = |values: &[f64], fixed: f64| -> Vec<f64> {
        values
            .iter()
            .zip(axes)
            .map(|(value, axis)| {
                if axis.kind == AxisKind::Channel {
                    fixed
                } else {
                    *value
                }
            })
            .collect()
    };
    json!({
        "path": level.path,
        "coordinateTransformations": [
            {"type": "scale", "scale": unless_channel(&level.scale, 1.)},
            {"type": "translation", "translation": unless_channel(&level.translation, 0.)},
        ],
    })
}

/// Lets the crate `ome_zarr_metadata` read and check it.
fn check(ome: &Value) -> Result<(), OmeError> {
    let refused = |reason: String| OmeError::Refused { reason };
    let fields: OmeFields =
        serde_json::from_value(ome.clone()).map_err(|error| refused(error.to_string()))?;
    fields
        .validate()
        .map_err(|error| refused(error.to_string()))
}
