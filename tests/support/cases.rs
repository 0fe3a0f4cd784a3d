//! The cases of `tests/data`: the manifests, and the right value of every element
//! (`tests/data/java/FORMULAS.md`).
//!
//! Coordinates are in the order of the N5 dimensions, which is that of the Zarr array: dimension 0
//! first.

#![allow(
    dead_code,
    reason = "every test binary that includes this module uses a part of it"
)]

use std::fmt::Debug;
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use serde::{Deserialize, Serialize};
use zarrs::array::ElementOwned;

/// One dataset of a manifest.json.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Case {
    /// The folder of the N5 container.
    #[serde(rename = "case")]
    pub(crate) container: String,
    /// The dataset's path in the container; empty for the root.
    pub(crate) dataset: String,
    pub(crate) dims: Vec<u64>,
    pub(crate) block_size: Vec<u64>,
    pub(crate) data_type: String,
    /// As in attributes.json; a string for N5 1.x.
    pub(crate) compression: serde_json::Value,
    /// What the elements are; `None` where they are no numbers.
    pub(crate) formula: Option<Formula>,
    /// `truncated`, `padded`, `mixed` or `aligned`.
    pub(crate) edge: String,
    pub(crate) notes: String,
    #[serde(rename = "missing_blocks")]
    pub(crate) missing_blocks: Vec<Vec<u64>>,
    /// A word that the error must contain when the dataset cannot be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) refused: Option<String>,
}

/// A formula of `tests/data/java/FORMULAS.md`.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(tag = "id")]
pub(crate) enum Formula {
    /// A weighted sum of the coordinates, multiplied and reduced.
    A {
        #[serde(rename = "K", with = "decimal")]
        k: i128,
        #[serde(rename = "M", with = "decimal")]
        m: i128,
        #[serde(with = "decimal")]
        offset: i128,
        scale: f64,
        bias: f64,
    },
    /// A hash of the linear index: bytes that do not compress.
    B,
    /// 7 in every other row, else B: bytes that compress in places.
    C,
}

/// The manifests write the big numbers as strings, since JSON readers lose digits.
mod decimal {
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<i128, D::Error> {
        String::deserialize(deserializer)?
            .parse()
            .map_err(D::Error::custom)
    }

    pub(super) fn serialize<S: Serializer>(
        number: &i128,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.collect_str(number)
    }
}

const COEFFICIENTS: [u64; 5] = [1, 101, 10_007, 1_000_003, 100_000_007];

impl Formula {
    /// The value at `x` in an array of shape `dims`.
    pub(crate) fn value<T: CaseElement>(&self, x: &[u64], dims: &[u64]) -> T {
        match self {
            Self::A {
                k,
                m,
                offset,
                scale,
                bias,
            } => {
                let s: u64 = x.iter().zip(COEFFICIENTS).map(|(x, c)| x * c).sum();
                // s and K are below 2^63, so the product needs the 128 bits and stays within them.
                let f = (i128::from(s) * k).rem_euclid(*m);
                T::from_formula(f, *offset, *scale, *bias)
            }
            Self::B => T::from_formula(hash(x, dims).into(), 0, 1.0, 0.0),
            Self::C if x[1] % 2 == 1 => T::from_formula(7, 0, 1.0, 0.0),
            Self::C => Self::B.value(x, dims),
        }
    }
}

/// The low byte of `SplitMix64` of the linear index, dimension 0 fastest.
fn hash(x: &[u64], dims: &[u64]) -> u8 {
    let index = x
        .iter()
        .zip(dims)
        .rev()
        .fold(0, |index, (x, dim)| index * dim + x);
    let mut z = (index + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    (z ^ (z >> 31)).to_be_bytes()[7]
}

/// An element type of N5 that a formula can give.
pub(crate) trait CaseElement: ElementOwned + Copy + Debug + Default + PartialEq {
    fn from_formula(f: i128, offset: i128, scale: f64, bias: f64) -> Self;
}

macro_rules! integers {
    ($($type:ty),+) => {$(
        impl CaseElement for $type {
            fn from_formula(f: i128, offset: i128, _scale: f64, _bias: f64) -> Self {
                Self::try_from(f - offset).expect("the formula stays within its data type")
            }
        }
    )+};
}

integers!(u8, i8, u16, i16, u32, i32, u64, i64);

impl CaseElement for f64 {
    fn from_formula(f: i128, _offset: i128, scale: f64, bias: f64) -> Self {
        let f = u16::try_from(f).expect("the formula of floats stays below 65521");
        Self::from(f) * scale + bias
    }
}

impl CaseElement for f32 {
    #[expect(
        clippy::cast_possible_truncation,
        reason = "halves of 16-bit numbers are exact in single precision"
    )]
    fn from_formula(f: i128, offset: i128, scale: f64, bias: f64) -> Self {
        f64::from_formula(f, offset, scale, bias) as Self
    }
}

impl Case {
    /// The element at `x`; 0 in a missing block. `None` where the manifest has no formula.
    pub(crate) fn value<T: CaseElement>(&self, x: &[u64]) -> Option<T> {
        let block: Vec<u64> = x.iter().zip(&self.block_size).map(|(x, b)| x / b).collect();
        if self.missing_blocks.contains(&block) {
            return Some(T::default());
        }
        Some(self.formula.as_ref()?.value(x, &self.dims))
    }

    /// The elements of a region in C order, the last dimension fastest. `None` where the manifest
    /// has no formula.
    pub(crate) fn region<T: CaseElement>(&self, region: &[Range<u64>]) -> Option<Vec<T>> {
        coordinates(region).iter().map(|x| self.value(x)).collect()
    }

    /// The region of the whole array.
    pub(crate) fn everything(&self) -> Vec<Range<u64>> {
        self.dims.iter().map(|&dim| 0..dim).collect()
    }

    /// The dataset's node path, as zarrs spells it.
    pub(crate) fn node_path(&self) -> String {
        format!("/{}", self.dataset)
    }
}

/// The coordinates in a region in C order, the last dimension fastest.
pub(crate) fn coordinates(region: &[Range<u64>]) -> Vec<Vec<u64>> {
    region.iter().fold(vec![vec![]], |prefixes, range| {
        prefixes
            .iter()
            .flat_map(|prefix| range.clone().map(|x| [prefix.as_slice(), &[x]].concat()))
            .collect()
    })
}

/// A folder below `tests/data`.
pub(crate) fn data(folder: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/data")
        .join(folder)
}

/// The cases of a folder below `tests/data`.
pub(crate) fn load(folder: &str) -> Vec<Case> {
    let path = data(folder).join("manifest.json");
    let text =
        fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Formula A for a data type, as the manifests have it.
pub(crate) fn formula_a(data_type: &str) -> Formula {
    static MANIFEST: LazyLock<Vec<Case>> = LazyLock::new(|| load("tensorstore"));
    let dataset = format!("raw/{data_type}");
    let case = MANIFEST.iter().find(|case| case.dataset == dataset);
    case.and_then(|case| case.formula.clone())
        .unwrap_or_else(|| panic!("no formula for {data_type}"))
}

/// An error and all that caused it, as a user would see it.
pub(crate) fn error_text(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        text = format!("{text}: {cause}");
        source = cause.source();
    }
    text
}
