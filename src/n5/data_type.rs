//! The ten data types that an N5 block in default mode can hold, in one table.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

/// The element type of an N5 dataset (`dataType` of `attributes.json`).
///
/// The names of N5 and Zarr V3 are the same for all ten.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum N5DataType {
    /// Unsigned 8-bit integer.
    UInt8,
    /// Unsigned 16-bit integer.
    UInt16,
    /// Unsigned 32-bit integer.
    UInt32,
    /// Unsigned 64-bit integer.
    UInt64,
    /// Signed 8-bit integer.
    Int8,
    /// Signed 16-bit integer.
    Int16,
    /// Signed 32-bit integer.
    Int32,
    /// Signed 64-bit integer.
    Int64,
    /// IEEE 754 single precision.
    Float32,
    /// IEEE 754 double precision.
    Float64,
}

/// A data type that N5 blocks in default mode cannot hold.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(
    "the data type `{name}` is not supported: expected one of {}",
    N5DataType::names()
)]
pub struct DataTypeError {
    /// The name that was found.
    pub name: String,
}

impl N5DataType {
    /// Every data type, in the order in which the documentation lists them.
    pub const ALL: [Self; 10] = [
        Self::UInt8,
        Self::UInt16,
        Self::UInt32,
        Self::UInt64,
        Self::Int8,
        Self::Int16,
        Self::Int32,
        Self::Int64,
        Self::Float32,
        Self::Float64,
    ];

    /// The name, the same in `attributes.json` and `zarr.json`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::UInt8 => "uint8",
            Self::UInt16 => "uint16",
            Self::UInt32 => "uint32",
            Self::UInt64 => "uint64",
            Self::Int8 => "int8",
            Self::Int16 => "int16",
            Self::Int32 => "int32",
            Self::Int64 => "int64",
            Self::Float32 => "float32",
            Self::Float64 => "float64",
        }
    }

    /// The size of one element in bytes: 1, 2, 4 or 8.
    #[must_use]
    pub const fn size(self) -> usize {
        match self {
            Self::UInt8 | Self::Int8 => 1,
            Self::UInt16 | Self::Int16 => 2,
            Self::UInt32 | Self::Int32 | Self::Float32 => 4,
            Self::UInt64 | Self::Int64 | Self::Float64 => 8,
        }
    }

    fn names() -> String {
        Self::ALL.map(Self::name).join(", ")
    }
}

impl fmt::Display for N5DataType {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

impl FromStr for N5DataType {
    type Err = DataTypeError;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .into_iter()
            .find(|data_type| data_type.name() == name)
            .ok_or_else(|| DataTypeError {
                name: name.to_owned(),
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_parses_to_its_type() {
        for data_type in N5DataType::ALL {
            assert_eq!(data_type.name().parse(), Ok(data_type));
        }
    }

    #[test]
    fn an_unknown_name_is_refused_by_name() {
        let error = "object".parse::<N5DataType>().unwrap_err();
        assert!(error.to_string().contains("`object`"), "{error}");
        assert!(error.to_string().contains("float64"), "{error}");
    }
}
