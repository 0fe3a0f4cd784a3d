//! Planes of an array as one PNG.

use std::error::Error;
use std::fs::File;
use std::io::BufWriter;
use std::path::Path;

use super::shades::Colour;

/// A picture is enlarged until its longest dimension has so many pixels.
const LEAST_PIXELS: f64 = 512.0;

/// The most pixels of a dimension that voxels are stretched to.
const MOST_PIXELS: f64 = 8192.0;

/// How thick a dimension of one element is shown at least.
const LEAST_THICKNESS: usize = 32;

/// Between planes.
const GAP: usize = 6;
const GAP_COLOUR: Colour = [64; 3];

/// A dimension of what is shown.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Extent {
    pub(crate) len: usize,
    /// The size of a voxel, relative to that of other dimensions.
    pub(crate) size: f64,
}

/// How many pixels each dimension has, and whether voxels have their shape.
///
/// The dimension with the smallest voxels is enlarged by a whole factor, the others so that voxels
/// have their shape: by whole factors too if the sizes of voxels are multiples.
pub(crate) fn pixels(extents: &[Extent]) -> (Vec<usize>, bool) {
    let smallest = extents.iter().map(|extent| extent.size);
    let smallest = smallest.fold(f64::INFINITY, f64::min);
    let stretched = |extent: &Extent| extent.len as f64 * (extent.size / smallest);
    let longest = extents.iter().map(stretched).fold(1.0, f64::max);
    let unstretched = extents.iter().map(|extent| extent.len).max().unwrap_or(1);
    if longest > MOST_PIXELS.max(unstretched as f64) {
        let alike = extents.iter().map(|&extent| Extent {
            size: 1.0,
            ..extent
        });
        return (pixels(&alike.collect::<Vec<_>>()).0, false);
    }
    let factor = (LEAST_PIXELS / longest).ceil();
    let pixels = extents.iter().map(|extent| {
        let least = if extent.len == 1 { LEAST_THICKNESS } else { 1 };
        ((stretched(extent) * factor).round() as usize).max(least)
    });
    (pixels.collect(), true)
}

/// A plane: the element at (across, down) is at `across * step_across + down * step_down` of its
/// colours.
pub(crate) struct Plane<'a> {
    pub(crate) colours: &'a [Colour],
    pub(crate) len: [usize; 2],
    pub(crate) step: [usize; 2],
    /// The width and height in pixels.
    pub(crate) pixels: [usize; 2],
}

impl Plane<'_> {
    /// The colour of the pixel at (across, down), that of the nearest element.
    fn at(&self, across: usize, down: usize) -> Colour {
        let nearest = |pixel: usize, dimension: usize| {
            pixel * self.len[dimension] / self.pixels[dimension] * self.step[dimension]
        };
        self.colours[nearest(across, 0) + nearest(down, 1)]
    }
}

/// A picture in colours.
pub(crate) struct Picture {
    width: usize,
    height: usize,
    colours: Vec<Colour>,
}

impl Picture {
    /// One plane; or of three the second to the right of the first, the third below it.
    pub(crate) fn of(planes: &[Plane<'_>]) -> Self {
        let sizes: Vec<_> = planes.iter().map(|plane| plane.pixels).collect();
        let first = sizes.first().copied().unwrap_or_default();
        let beside = |plane: usize, dimension: usize| {
            sizes.get(plane).map_or(0, |size| GAP + size[dimension])
        };
        let width = first[0] + beside(1, 0);
        let height = first[1] + beside(2, 1);
        let mut picture = Self {
            width,
            height,
            colours: vec![GAP_COLOUR; width * height],
        };
        let right = [first[0] + GAP, 0];
        let below = [0, first[1] + GAP];
        for (plane, [left, top]) in planes.iter().zip([[0, 0], right, below]) {
            for down in 0..plane.pixels[1] {
                for across in 0..plane.pixels[0] {
                    let at = (top + down) * width + left + across;
                    picture.colours[at] = plane.at(across, down);
                }
            }
        }
        picture
    }

    /// Writes it as a PNG, in grey if it has no other colours.
    pub(crate) fn write(&self, file: &Path) -> Result<(), Box<dyn Error>> {
        let mut encoder = png::Encoder::new(
            BufWriter::new(File::create(file)?),
            u32::try_from(self.width)?,
            u32::try_from(self.height)?,
        );
        encoder.set_depth(png::BitDepth::Eight);
        let is_grey = |[red, green, blue]: &Colour| red == green && green == blue;
        if self.colours.iter().all(is_grey) {
            encoder.set_color(png::ColorType::Grayscale);
            let greys: Vec<u8> = self.colours.iter().map(|colour| colour[0]).collect();
            encoder.write_header()?.write_image_data(&greys)?;
        } else {
            encoder.set_color(png::ColorType::Rgb);
            let bytes = self.colours.as_flattened();
            encoder.write_header()?.write_image_data(bytes)?;
        }
        Ok(())
    }

    pub(crate) fn size(&self) -> (usize, usize) {
        (self.width, self.height)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn extents(of: &[(usize, f64)]) -> Vec<Extent> {
        of.iter().map(|&(len, size)| Extent { len, size }).collect()
    }

    #[test]
    fn small_planes_are_enlarged_by_whole_factors() {
        for (lens, expected) in [
            ([64, 64], [512, 512]),
            ([64, 32], [512, 256]),
            ([5, 3], [515, 309]),
            ([511, 10], [1022, 20]),
            ([512, 512], [512, 512]),
            ([4096, 4096], [4096, 4096]),
        ] {
            let found = pixels(&extents(&lens.map(|len| (len, 1.0))));
            assert_eq!(found, (expected.to_vec(), true));
        }
    }

    #[test]
    fn voxels_keep_their_shape() {
        for (of, expected) in [
            ([(100, 4.0), (10, 40.0)], [600, 600]),
            ([(64, 4.0), (32, 5.24)], [512, 335]),
            ([(10, 40.0), (100, 4.0)], [600, 600]),
            ([(1000, 1.0), (100, 10.0)], [1000, 1000]),
        ] {
            assert_eq!(pixels(&extents(&of)), (expected.to_vec(), true));
        }
    }

    #[test]
    fn voxels_too_long_to_show_lose_their_shape() {
        let found = pixels(&extents(&[(4096, 1.0), (4096, 1000.0)]));
        assert_eq!(found, (vec![4096, 4096], false));
        let found = pixels(&extents(&[(1, 1.0), (1, 1e300)]));
        assert_eq!(found, (vec![512, 512], false));
    }

    #[test]
    fn a_line_and_a_voxel_are_thick_enough_to_be_seen() {
        assert_eq!(pixels(&extents(&[(100, 1.0), (1, 1.0)])).0, [600, 32]);
        assert_eq!(pixels(&extents(&[(1, 1.0), (1, 1.0)])).0, [512, 512]);
        assert_eq!(pixels(&extents(&[(3000, 1.0), (1, 1.0)])).0, [3000, 32]);
    }

    #[test]
    fn elements_become_squares_of_pixels_and_none_is_turned() {
        // (across, down) = (3, 2), with what is down the fastest in memory.
        let colours: Vec<Colour> = (0..6).map(|value| [value; 3]).collect();
        let picture = Picture::of(&[Plane {
            colours: &colours,
            len: [3, 2],
            step: [2, 1],
            pixels: [6, 4],
        }]);
        assert_eq!(picture.size(), (6, 4));
        let greys: Vec<u8> = picture.colours.iter().map(|colour| colour[0]).collect();
        let (upper, lower) = ([0, 0, 2, 2, 4, 4], [1, 1, 3, 3, 5, 5]);
        assert_eq!(greys, [upper, upper, lower, lower].concat());
    }

    #[test]
    fn three_planes_lie_beside_each_other_with_gaps_between() {
        let plane = |value: &'static [Colour], pixels| Plane {
            colours: value,
            len: [1, 1],
            step: [1, 1],
            pixels,
        };
        let picture = Picture::of(&[
            plane(&[[1; 3]], [20, 30]),
            plane(&[[2; 3]], [5, 30]),
            plane(&[[3; 3]], [20, 5]),
        ]);
        assert_eq!(picture.size(), (20 + GAP + 5, 30 + GAP + 5));
        let at = |x: usize, y: usize| picture.colours[y * picture.width + x][0];
        assert_eq!([at(0, 0), at(19, 29), at(30, 29), at(19, 40)], [1, 1, 2, 3]);
        assert_eq!([at(20, 0), at(0, 30), at(30, 40)], [GAP_COLOUR[0]; 3]);
    }
}
