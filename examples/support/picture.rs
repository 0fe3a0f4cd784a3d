//! A plane of an array as a PNG.

use std::error::Error;
use std::fs::File;
use std::io::BufWriter;
use std::path::Path;

use zarrs_interop::n5::N5DataType;

/// Writes the elements of a region of `shape`, in C order, with at most two dimensions longer than
/// 1, the first of them across and the second down, as grey values: `uint8` as it is, everything
/// else from its smallest value (black) to its largest (white).
pub(crate) fn write(
    values: &[f64],
    shape: &[u64],
    data_type: N5DataType,
    file: &Path,
) -> Result<(), Box<dyn Error>> {
    let sizes = shape.iter().filter(|&&size| size > 1);
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
