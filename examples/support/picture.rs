//! A plane of an array as a PNG.

use std::error::Error;
use std::fs::File;
use std::io::BufWriter;
use std::path::Path;

use zarrs::array::{Array, ArraySubset};
use zarrs::storage::ReadableStorageTraits;
use zarrs_interop::n5::N5DataType;

/// The widest and highest picture; of a larger plane the part at the origin is shown.
const MOST_PIXELS: u64 = 4096;

/// The elements of a region as `f64`, in C order.
pub(crate) fn to_f64<S>(
    array: &Array<S>,
    subset: &ArraySubset,
    data_type: N5DataType,
) -> Result<Vec<f64>, Box<dyn Error + Send + Sync>>
where
    S: ReadableStorageTraits + 'static,
{
    macro_rules! read {
        ($type:ty) => {
            array
                .retrieve_array_subset::<Vec<$type>>(subset)?
                .into_iter()
                .map(|value| value as f64)
                .collect()
        };
    }
    Ok(match data_type {
        N5DataType::UInt8 => read!(u8),
        N5DataType::UInt16 => read!(u16),
        N5DataType::UInt32 => read!(u32),
        N5DataType::UInt64 => read!(u64),
        N5DataType::Int8 => read!(i8),
        N5DataType::Int16 => read!(i16),
        N5DataType::Int32 => read!(i32),
        N5DataType::Int64 => read!(i64),
        N5DataType::Float32 => read!(f32),
        N5DataType::Float64 => read!(f64),
    })
}

/// Writes a region with at most two dimensions longer than 1, the first of them across and the
/// second down, as grey values: `uint8` as it is, everything else from its smallest value (black)
/// to its largest (white).
pub(crate) fn write_slice<S>(
    array: &Array<S>,
    subset: &ArraySubset,
    file: &Path,
) -> Result<(), Box<dyn Error>>
where
    S: ReadableStorageTraits + 'static,
{
    let ranges: Vec<_> = subset
        .to_ranges()
        .into_iter()
        .map(|range| range.start..range.end.min(range.start + MOST_PIXELS))
        .collect();
    let subset = ArraySubset::new_with_ranges(&ranges);
    let data_type = N5DataType::from_zarr(array.data_type()).ok_or("not an N5 data type")?;
    let values = to_f64(array, &subset, data_type).map_err(|error| error as Box<dyn Error>)?;

    let sizes = subset.shape().iter().filter(|&&size| size > 1);
    let sizes: Vec<usize> = sizes.map(|&size| size as usize).collect();
    let (width, height) = match sizes[..] {
        [] => (1, 1),
        [width] => (width, 1),
        [width, height] => (width, height),
        _ => return Err("a picture has two dimensions".into()),
    };
    let (low, high) = match data_type {
        N5DataType::UInt8 => (0.0, 255.0),
        _ => values
            .iter()
            .filter(|value| value.is_finite())
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), &value| {
                (low.min(value), high.max(value))
            }),
    };
    let grey = |value: f64| ((value - low) / (high - low).max(f64::MIN_POSITIVE) * 255.0) as u8;
    // The region is in C order, in which its second dimension is the fastest; that of a picture is
    // the first.
    let pixels: Vec<u8> = (0..height)
        .flat_map(|y| (0..width).map(move |x| (x, y)))
        .map(|(x, y)| grey(values[x * height + y]))
        .collect();

    let mut encoder = png::Encoder::new(
        BufWriter::new(File::create(file)?),
        u32::try_from(width)?,
        u32::try_from(height)?,
    );
    encoder.set_color(png::ColorType::Grayscale);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.write_header()?.write_image_data(&pixels)?;
    Ok(())
}
