//! The size of a voxel, as far as attributes say it.

use serde_json::{Map, Value};
use zarrs::storage::{ReadableStorageTraits, StoreKey};
use zarrs_interop::n5::multiscale::{Axis, AxisKind, MultiscaleOptions, recognise_dataset};

use super::folder::special;
use super::place::Hierarchy;
use super::terminal::Result;

/// What attributes say of the dimensions of a dataset, dimension 0 first.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Voxels {
    axes: Vec<Axis>,
    sizes: Vec<f64>,
    pub(crate) are_labels: bool,
}

impl Voxels {
    /// Of the dataset at `path`, with its whole document and those of the groups above, the parent
    /// first. Of what is not understood nothing is said.
    pub(crate) fn of(
        path: &str,
        document: &Map<String, Value>,
        above: &[Map<String, Value>],
    ) -> Self {
        let above: Vec<_> = above.iter().collect();
        let pyramid = recognise_dataset(path, document, &above, &MultiscaleOptions::new());
        let Ok(Some(pyramid)) = pyramid else {
            return Self::default();
        };
        let sizes = pyramid.levels.into_iter().next().map(|level| level.scale);
        Self {
            axes: pyramid.axes,
            sizes: sizes.unwrap_or_default(),
            are_labels: pyramid.is_label,
        }
    }

    /// The names of the dimensions, as far as they have any.
    pub(crate) fn names(&self) -> Vec<Option<String>> {
        self.axes.iter().map(|axis| axis.name.clone()).collect()
    }

    /// The sizes of a voxel along these dimensions, as multiples of each other; all 1 unless they
    /// can be compared.
    pub(crate) fn along(&self, dimensions: &[usize]) -> Vec<f64> {
        let axes: Option<Vec<_>> = dimensions.iter().map(|&at| self.axes.get(at)).collect();
        let sizes: Option<Vec<_>> = dimensions.iter().map(|&at| self.sizes.get(at)).collect();
        let are_of_one_unit = |axes: &[&Axis]| {
            let are_of_space = axes
                .iter()
                .all(|axis| matches!(axis.kind, AxisKind::Space | AxisKind::Unknown));
            are_of_space && axes.windows(2).all(|two| two[0].unit == two[1].unit)
        };
        match (axes, sizes) {
            (Some(axes), Some(sizes)) if are_of_one_unit(&axes) => {
                sizes.into_iter().copied().collect()
            }
            _ => vec![1.0; dimensions.len()],
        }
    }
}

/// Reads what attributes say of the dataset at `path`: its document and those of the groups above.
pub(crate) fn read<S: ReadableStorageTraits>(
    hierarchy: &Hierarchy<S>,
    path: &str,
) -> Result<Voxels> {
    let root = hierarchy.folder.as_deref();
    let mut documents = Vec::new();
    let mut folder = Some(path.trim_matches('/'));
    while let Some(name) = folder {
        let key = format!("{name}/attributes.json");
        let key = StoreKey::new(key.trim_start_matches('/'))?;
        let is_special = root.is_some_and(|root| special(&root.join(key.as_str())).is_some());
        // Groups need none, and one that cannot be read says nothing.
        let document = match is_special {
            true => None,
            false => hierarchy.store.get(&key).ok().flatten(),
        };
        let document = document.and_then(|document| serde_json::from_slice(&document).ok());
        documents.push(document.unwrap_or_default());
        folder = match name.rsplit_once('/') {
            Some((above, _)) => Some(above),
            None if name.is_empty() => None,
            None => Some(""),
        };
    }
    let mut documents = documents.into_iter();
    let document = documents.next().unwrap_or_default();
    Ok(Voxels::of(path, &document, &documents.collect::<Vec<_>>()))
}

impl std::fmt::Display for Voxels {
    /// Such as `x 4 nanometer, y 4 nanometer, z 40 nanometer`; nothing if nothing is known.
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let is_known = self.sizes.iter().any(|&size| size != 1.0)
            || self.axes.iter().any(|axis| axis.unit.is_some());
        if !is_known {
            return Ok(());
        }
        for (number, (axis, size)) in self.axes.iter().zip(&self.sizes).enumerate() {
            let comma = if number == 0 { "" } else { ", " };
            match &axis.name {
                Some(name) => write!(formatter, "{comma}{name} {size}")?,
                None => write!(formatter, "{comma}{size}")?,
            }
            if let Some(unit) = &axis.unit {
                write!(formatter, " {unit}")?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn object(value: Value) -> Map<String, Value> {
        value.as_object().cloned().unwrap()
    }

    fn voxels(path: &str, document: Value, above: Value) -> Voxels {
        Voxels::of(path, &object(document), &[object(above)])
    }

    #[test]
    fn each_dialect_says_its_sizes() {
        let shape = json!([10, 10, 10]);
        for (path, document, above, sizes, text) in [
            (
                "/raw",
                json!({"dimensions": shape, "resolution": [4.0, 4.0, 40.0]}),
                json!({}),
                [4.0, 4.0, 40.0],
                "x 4, y 4, z 40",
            ),
            (
                "/raw",
                json!({"dimensions": shape,
                    "pixelResolution": {"dimensions": [0.1, 0.1, 0.5], "unit": "um"}}),
                json!({}),
                [0.1, 0.1, 0.5],
                "x 0.1 micrometer, y 0.1 micrometer, z 0.5 micrometer",
            ),
            (
                "/em/s1",
                json!({"dimensions": shape, "downsamplingFactors": [2, 2, 1]}),
                json!({"pixelResolution": [1.0, 1.0, 3.0]}),
                [2.0, 2.0, 3.0],
                "x 2, y 2, z 3",
            ),
            (
                "/em/s0",
                json!({"dimensions": shape, "transform": {"axes": ["z", "y", "x"],
                    "scale": [5.24, 4.0, 4.0], "translate": [0, 0, 0],
                    "units": ["nm", "nm", "nm"]}}),
                json!({}),
                [4.0, 4.0, 5.24],
                "x 4 nanometer, y 4 nanometer, z 5.24 nanometer",
            ),
        ] {
            let found = voxels(path, document, above);
            assert_eq!(found.along(&[0, 1, 2]), sizes, "{path}");
            assert_eq!(found.to_string(), text);
        }
    }

    #[test]
    fn where_nothing_is_known_all_are_alike() {
        let found = voxels("/raw", json!({"dimensions": [4, 4]}), json!({}));
        assert_eq!(
            (found.along(&[0, 1]), &*found.to_string()),
            (vec![1.0; 2], "")
        );
        // A resolution that is no resolution is none.
        let wrong = json!({"dimensions": [4, 4], "resolution": [0.0, "a"]});
        assert_eq!(voxels("/raw", wrong, json!({})).along(&[1, 0]), [1.0; 2]);
        assert_eq!(Voxels::default().along(&[7]), [1.0]);
    }

    #[test]
    fn time_and_channels_have_no_size() {
        let document = json!({"dimensions": [4, 4, 4], "axes": ["x", "y", "t"],
            "resolution": [2.0, 4.0, 60.0]});
        let found = voxels("/raw", document, json!({}));
        assert_eq!(found.along(&[0, 1]), [2.0, 4.0]);
        assert_eq!(found.along(&[0, 2]), [1.0, 1.0]);
    }

    #[test]
    fn sizes_in_different_units_are_not_compared() {
        let document = json!({"dimensions": [4, 4], "transform": {"axes": ["y", "x"],
            "scale": [5.0, 4.0], "translate": [0, 0], "units": ["nm", "um"]}});
        assert_eq!(
            voxels("/em/s0", document, json!({})).along(&[0, 1]),
            [1.0, 1.0]
        );
    }
}
