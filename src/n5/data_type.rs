//! The ten data types that an N5 block in default mode can hold, in one table.

use std::convert::Infallible;
use std::fmt;
use std::str::FromStr;

use thiserror::Error;
use zarrs::array::data_type::{
    Float32DataType, Float64DataType, Int8DataType, Int16DataType, Int32DataType, Int64DataType,
    UInt8DataType, UInt16DataType, UInt32DataType, UInt64DataType,
};
use zarrs::array::{DataType, data_type};
use zarrs_plugin::ExtensionName;

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

    /// The N5 data type of a zarrs data type, if N5 has it.
    #[must_use]
    pub fn from_zarr(data_type: &DataType) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|candidate| candidate.is_zarr(data_type))
    }

    /// The zarrs data type.
    pub(crate) fn to_zarr(self) -> DataType {
        match self {
            Self::UInt8 => data_type::uint8(),
            Self::UInt16 => data_type::uint16(),
            Self::UInt32 => data_type::uint32(),
            Self::UInt64 => data_type::uint64(),
            Self::Int8 => data_type::int8(),
            Self::Int16 => data_type::int16(),
            Self::Int32 => data_type::int32(),
            Self::Int64 => data_type::int64(),
            Self::Float32 => data_type::float32(),
            Self::Float64 => data_type::float64(),
        }
    }

    /// Compares types, not names: a name costs a lock and an allocation for every chunk.
    fn is_zarr(self, data_type: &DataType) -> bool {
        match self {
            Self::UInt8 => data_type.is::<UInt8DataType>(),
            Self::UInt16 => data_type.is::<UInt16DataType>(),
            Self::UInt32 => data_type.is::<UInt32DataType>(),
            Self::UInt64 => data_type.is::<UInt64DataType>(),
            Self::Int8 => data_type.is::<Int8DataType>(),
            Self::Int16 => data_type.is::<Int16DataType>(),
            Self::Int32 => data_type.is::<Int32DataType>(),
            Self::Int64 => data_type.is::<Int64DataType>(),
            Self::Float32 => data_type.is::<Float32DataType>(),
            Self::Float64 => data_type.is::<Float64DataType>(),
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

impl TryFrom<&str> for N5DataType {
    type Error = DataTypeError;

    fn try_from(name: &str) -> Result<Self, DataTypeError> {
        name.parse()
    }
}

impl TryFrom<&DataType> for N5DataType {
    type Error = DataTypeError;

    fn try_from(data_type: &DataType) -> Result<Self, DataTypeError> {
        Self::from_zarr(data_type).ok_or_else(|| DataTypeError {
            name: data_type.name_v3().unwrap_or_default().into_owned(),
        })
    }
}

impl TryFrom<DataType> for N5DataType {
    type Error = DataTypeError;

    fn try_from(data_type: DataType) -> Result<Self, DataTypeError> {
        Self::try_from(&data_type)
    }
}

/// So that an [`N5DataType`] itself, whose conversion cannot fail, may stand where others convert
/// to one.
impl From<Infallible> for DataTypeError {
    fn from(never: Infallible) -> Self {
        match never {}
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
    fn every_zarr_data_type_of_that_name_is_recognised() {
        use zarrs::metadata::v3::MetadataV3;
        for data_type in N5DataType::ALL {
            let zarr = DataType::from_metadata(&MetadataV3::new(data_type.name())).unwrap();
            assert_eq!(data_type.to_zarr(), zarr);
            assert_eq!(N5DataType::from_zarr(&zarr), Some(data_type));
            assert_eq!(zarr.fixed_size(), Some(data_type.size()));
        }
        let bool = DataType::from_metadata(&MetadataV3::new("bool")).unwrap();
        assert_eq!(N5DataType::from_zarr(&bool), None);
    }

    #[test]
    fn an_unknown_name_is_refused_by_name() {
        let error = "object".parse::<N5DataType>().unwrap_err();
        assert!(error.to_string().contains("`object`"), "{error}");
        assert!(error.to_string().contains("float64"), "{error}");
    }
}
