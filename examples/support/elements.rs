//! Elements of an array, as what they are: 64-bit integers keep their last digit.

use zarrs_interop::n5::N5DataType;

/// Elements of one type.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Elements {
    UInt8(Vec<u8>),
    UInt16(Vec<u16>),
    UInt32(Vec<u32>),
    UInt64(Vec<u64>),
    Int8(Vec<i8>),
    Int16(Vec<i16>),
    Int32(Vec<i32>),
    Int64(Vec<i64>),
    Float32(Vec<f32>),
    Float64(Vec<f64>),
}

/// Evaluates the one expression for integers and the other for floats, with `$values` as the
/// vector of whatever type it has.
macro_rules! with_values {
    ($elements:expr, $values:ident, integers: $integers:expr, floats: $floats:expr) => {
        match $elements {
            Elements::UInt8($values) => $integers,
            Elements::UInt16($values) => $integers,
            Elements::UInt32($values) => $integers,
            Elements::UInt64($values) => $integers,
            Elements::Int8($values) => $integers,
            Elements::Int16($values) => $integers,
            Elements::Int32($values) => $integers,
            Elements::Int64($values) => $integers,
            Elements::Float32($values) => $floats,
            Elements::Float64($values) => $floats,
        }
    };
}
pub(crate) use with_values;

impl Elements {
    /// `len` zeros.
    pub(crate) fn zeros(data_type: N5DataType, len: usize) -> Self {
        match data_type {
            N5DataType::UInt8 => Self::UInt8(vec![0; len]),
            N5DataType::UInt16 => Self::UInt16(vec![0; len]),
            N5DataType::UInt32 => Self::UInt32(vec![0; len]),
            N5DataType::UInt64 => Self::UInt64(vec![0; len]),
            N5DataType::Int8 => Self::Int8(vec![0; len]),
            N5DataType::Int16 => Self::Int16(vec![0; len]),
            N5DataType::Int32 => Self::Int32(vec![0; len]),
            N5DataType::Int64 => Self::Int64(vec![0; len]),
            N5DataType::Float32 => Self::Float32(vec![0.0; len]),
            N5DataType::Float64 => Self::Float64(vec![0.0; len]),
        }
    }

    pub(crate) fn len(&self) -> usize {
        with_values!(self, values, integers: values.len(), floats: values.len())
    }
}
