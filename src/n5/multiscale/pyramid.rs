//! A recognised pyramid.

use std::fmt;

/// Who writes pyramids in this way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Dialect {
    /// COSEM, OpenOrganelle: a `transform` with named axes.
    Cosem,
    /// The canonical documents of n5-universe: a `spatialTransform`.
    Canonical,
    /// Paintera: `painteraData`, or `multiScale` on the group.
    Paintera,
    /// BigDataViewer, BigStitcher: `setupN/timepointM/sK`.
    BigDataViewer,
    /// fibsem-tools, render, and what Neuroglancer reads: axes, units and factors on the group.
    Neuroglancer,
    /// A dataset on its own, with `resolution` and `offset` as ground truth crops have, or with
    /// nothing that says who wrote it.
    Plain,
    /// n5-viewer, Fiji: factors and `pixelResolution`, or nothing but the names `sK`.
    N5Viewer,
}

impl fmt::Display for Dialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Cosem => "COSEM",
            Self::Canonical => "n5-universe",
            Self::Paintera => "Paintera",
            Self::BigDataViewer => "BigDataViewer",
            Self::Neuroglancer => "Neuroglancer",
            Self::Plain => "plain",
            Self::N5Viewer => "n5-viewer",
        })
    }
}

/// What a dimension counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum AxisKind {
    /// A direction in space.
    Space,
    /// Time.
    Time,
    /// Channels, or colours.
    Channel,
    /// It is not known.
    Unknown,
}

/// A dimension of every level.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Axis {
    /// The name, or `None` where the attributes do not say and a guess would be too bold.
    pub name: Option<String>,
    /// What it counts.
    pub kind: AxisKind,
    /// The unit by its UDUNITS name (`nanometer`), or `None` if it is not known for sure.
    pub unit: Option<String>,
}

impl Axis {
    /// An axis without a unit, the kind from the name: x, y, z; t, time; c, channel, channels.
    #[must_use]
    pub fn named(name: &str) -> Self {
        let kind = match name.to_ascii_lowercase().as_str() {
            "x" | "y" | "z" => AxisKind::Space,
            "t" | "time" => AxisKind::Time,
            "c" | "channel" | "channels" => AxisKind::Channel,
            _ => AxisKind::Unknown,
        };
        Self {
            name: Some(name.to_owned()),
            kind,
            unit: None,
        }
    }

    /// An axis of which nothing is known.
    pub(super) const fn unknown() -> Self {
        Self {
            name: None,
            kind: AxisKind::Unknown,
            unit: None,
        }
    }
}

/// A level of a pyramid, an array.
#[derive(Clone, Debug, PartialEq)]
pub struct Level {
    /// The path of the dataset below the group; empty for a dataset on its own.
    pub path: String,
    /// The distance of neighbouring voxel centres along each dimension, in its unit. Finite and
    /// above 0.
    pub scale: Vec<f64>,
    /// Where the centre of the first voxel lies along each dimension, in its unit. Finite.
    pub translation: Vec<f64>,
}

/// What kind of thing a note says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum NoteKind {
    /// The attributes do not say it, so it was guessed.
    Guessed,
    /// Two attributes do not agree.
    Contradiction,
    /// It was not used.
    LeftOut,
}

/// Something that a user should know about how a pyramid was understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// What kind of thing it is.
    pub kind: NoteKind,
    /// The path of the group, or of the dataset below it.
    pub path: String,
    /// What was guessed, contradicted or left out, in a sentence.
    pub text: String,
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match self.kind {
            NoteKind::Guessed => "guessed",
            NoteKind::Contradiction => "contradiction",
            NoteKind::LeftOut => "left out",
        };
        write!(f, "{}: {kind}: {}", self.path, self.text)
    }
}

/// A pyramid: arrays of the same thing, finer and coarser.
///
/// Axes, scales and translations are in the order of N5, dimension 0 first, until
/// [`reversed`](Self::reversed) or [`permuted`](Self::permuted) says otherwise.
#[derive(Clone, Debug, PartialEq)]
pub struct Pyramid {
    /// Who writes pyramids in this way.
    pub dialect: Dialect,
    /// The name of the image, if the attributes give one.
    pub name: Option<String>,
    /// The dimensions, the same for all levels.
    pub axes: Vec<Axis>,
    /// The levels, the finest first. There is at least one.
    pub levels: Vec<Level>,
    /// Whether the elements are known to be labels, which are downsampled by mode and not by mean.
    pub is_label: bool,
    /// What was guessed, contradicted or left out.
    pub notes: Vec<Note>,
}

impl Pyramid {
    /// Presents the dimensions backwards: from N5's x, y, z to z, y, x, and back.
    #[must_use]
    pub fn reversed(self) -> Self {
        let order: Vec<usize> = (0..self.axes.len()).rev().collect();
        self.with_order(&order)
    }

    /// Presents the dimensions in another order: `order[i]` is the dimension that comes to place
    /// `i`.
    ///
    /// Returns `None` unless `order` names every dimension once.
    #[must_use]
    pub fn permuted(self, order: &[usize]) -> Option<Self> {
        let mut sorted = order.to_vec();
        sorted.sort_unstable();
        sorted
            .into_iter()
            .eq(0..self.axes.len())
            .then(|| self.with_order(order))
    }

    /// The order of dimensions that OME-Zarr asks for: time, channel, then space as z, y, x.
    ///
    /// `order[i]` is the dimension that comes to place `i`, as for [`permuted`](Self::permuted).
    /// Returns `None` if an axis has no name, or its kind is not known, or two have the same place.
    #[must_use]
    pub fn ome_order(&self) -> Option<Vec<usize>> {
        let place = |axis: &Axis| match (axis.kind, axis.name.as_deref()?) {
            (AxisKind::Time, _) => Some(0),
            (AxisKind::Channel, _) => Some(1),
            (AxisKind::Space, "z" | "Z") => Some(2),
            (AxisKind::Space, "y" | "Y") => Some(3),
            (AxisKind::Space, "x" | "X") => Some(4),
            _ => None,
        };
        let mut places = Vec::with_capacity(self.axes.len());
        for (dimension, axis) in self.axes.iter().enumerate() {
            places.push((place(axis)?, dimension));
        }
        places.sort_unstable();
        let are_distinct = places
            .iter()
            .zip(places.iter().skip(1))
            .all(|(one, next)| one.0 != next.0);
        are_distinct.then(|| places.into_iter().map(|(_, dimension)| dimension).collect())
    }

    /// `order` names every dimension once.
    fn with_order(mut self, order: &[usize]) -> Self {
        self.axes = picked(&self.axes, order);
        for level in &mut self.levels {
            level.scale = picked(&level.scale, order);
            level.translation = picked(&level.translation, order);
        }
        self
    }
}

fn picked<T: Clone>(values: &[T], order: &[usize]) -> Vec<T> {
    order
        .iter()
        .filter_map(|&dimension| values.get(dimension).cloned())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn five_dimensions() -> Pyramid {
        Pyramid {
            dialect: Dialect::N5Viewer,
            name: None,
            axes: ["x", "y", "c", "z", "t"].map(Axis::named).to_vec(),
            levels: vec![Level {
                path: "s0".to_owned(),
                scale: vec![1., 2., 3., 4., 5.],
                translation: vec![10., 20., 30., 40., 50.],
            }],
            is_label: false,
            notes: Vec::new(),
        }
    }

    #[test]
    fn reversing_turns_axes_scales_and_translations() {
        let reversed = five_dimensions().reversed();
        assert_eq!(reversed.axes[0].name.as_deref(), Some("t"));
        assert_eq!(reversed.levels[0].scale, [5., 4., 3., 2., 1.]);
        assert_eq!(reversed.levels[0].translation, [50., 40., 30., 20., 10.]);
        assert_eq!(reversed.reversed(), five_dimensions());
    }

    #[test]
    fn the_order_of_ome_zarr_is_found_by_name() {
        let order = five_dimensions().ome_order().unwrap();
        assert_eq!(order, [4, 2, 3, 1, 0]);
        let permuted = five_dimensions().permuted(&order).unwrap();
        assert_eq!(permuted.levels[0].scale, [5., 3., 4., 2., 1.]);
    }

    #[test]
    fn an_order_that_is_no_permutation_is_refused() {
        assert_eq!(five_dimensions().permuted(&[0, 1, 2, 3, 3]), None);
        assert_eq!(five_dimensions().permuted(&[0, 1, 2, 3]), None);
        assert_eq!(five_dimensions().permuted(&[0, 1, 2, 3, 5]), None);
    }

    #[test]
    fn unnamed_and_equal_axes_have_no_order() {
        let mut unnamed = five_dimensions();
        unnamed.axes[2] = Axis::unknown();
        assert_eq!(unnamed.ome_order(), None);
        let mut equal = five_dimensions();
        equal.axes[2] = Axis::named("t");
        assert_eq!(equal.ome_order(), None);
    }
}
