//! The coarser levels of a pyramid that is made: factors, shapes, scales and translations. Pure.

/// A level that is made of the one before.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct CoarserLevel {
    /// How many elements of the finer level are one of this, along each dimension: 1 or 2.
    pub(super) factors: Vec<u64>,
    pub(super) shape: Vec<u64>,
    pub(super) scale: Vec<f64>,
    pub(super) translation: Vec<f64>,
}

/// A level to make coarser ones of.
#[derive(Clone, Copy, Debug)]
pub(super) struct FinerLevel<'a> {
    pub(super) shape: &'a [u64],
    pub(super) scale: &'a [f64],
    pub(super) translation: &'a [f64],
}

/// The levels below `finest`, until none is longer than a chunk along a dimension of space.
///
/// A dimension is halved if it is one of space, has more than one element, and its voxels are
/// shorter than twice the shortest voxel of such dimensions: so 4 x 4 x 40 becomes 8 x 8 x 40, and
/// so on until voxels are as long as they are wide. An odd last element is a level's last element
/// on its own. The centre of a voxel that is made of two lies half a finer voxel further on.
pub(super) fn coarser_levels(
    finest: FinerLevel<'_>,
    is_space: &[bool],
    chunk: &[u64],
) -> Vec<CoarserLevel> {
    let mut levels: Vec<CoarserLevel> = Vec::new();
    loop {
        let finer = levels.last().map_or(finest, |level| FinerLevel {
            shape: &level.shape,
            scale: &level.scale,
            translation: &level.translation,
        });
        let mut lens = finer.shape.iter().zip(chunk).zip(is_space);
        if !lens.any(|((len, chunk), is_space)| *is_space && len > chunk) {
            return levels;
        }
        levels.push(coarser(finer, is_space));
    }
}

fn coarser(finer: FinerLevel<'_>, is_space: &[bool]) -> CoarserLevel {
    let can_halve = |dimension: usize| {
        is_space.get(dimension) == Some(&true)
            && finer.shape.get(dimension).is_some_and(|len| *len > 1)
    };
    let shortest = finer
        .scale
        .iter()
        .enumerate()
        .filter(|(dimension, _)| can_halve(*dimension))
        .map(|(_, scale)| *scale)
        .fold(f64::INFINITY, f64::min);
    let factors: Vec<u64> = finer
        .scale
        .iter()
        .enumerate()
        .map(|(dimension, scale)| {
            if can_halve(dimension) && *scale < 2. * shortest {
                2
            } else {
                1
            }
        })
        .collect();
    let as_float = |factor: u64| if factor == 2 { 2. } else { 1. };
    CoarserLevel {
        shape: finer
            .shape
            .iter()
            .zip(&factors)
            .map(|(len, factor)| len.div_ceil(*factor))
            .collect(),
        scale: finer
            .scale
            .iter()
            .zip(&factors)
            .map(|(scale, factor)| scale * as_float(*factor))
            .collect(),
        translation: finer
            .translation
            .iter()
            .zip(finer.scale)
            .zip(&factors)
            .map(|((translation, scale), factor)| {
                translation + (as_float(*factor) - 1.) / 2. * scale
            })
            .collect(),
        factors,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn levels(shape: &[u64], scale: &[f64], chunk: &[u64]) -> Vec<CoarserLevel> {
        let finest = FinerLevel {
            shape,
            scale,
            translation: &vec![0.; shape.len()],
        };
        coarser_levels(finest, &vec![true; shape.len()], chunk)
    }

    #[test]
    fn cubes_are_halved_until_they_fit_a_chunk() {
        let levels = levels(&[1024; 3], &[4.; 3], &[64; 3]);
        let shapes: Vec<_> = levels.iter().map(|level| level.shape[0]).collect();
        assert_eq!(shapes, [512, 256, 128, 64]);
        assert_eq!(levels[3].scale, [64.; 3]);
        assert_eq!(levels[0].translation, [2.; 3]);
        // 30 = (16 - 1) / 2 x 4
        assert_eq!(levels[3].translation, [30.; 3]);
    }

    #[test]
    fn flat_voxels_become_cubes_first() {
        let levels = levels(&[100, 1000, 1000], &[40., 4., 4.], &[64; 3]);
        let factors: Vec<_> = levels.iter().map(|level| level.factors.clone()).collect();
        assert_eq!(factors, [[1, 2, 2], [1, 2, 2], [1, 2, 2], [2, 2, 2]]);
        assert_eq!(levels[3].scale, [80., 64., 64.]);
        assert_eq!(levels[2].translation, [0., 14., 14.]);
        assert_eq!(levels[3].translation, [20., 30., 30.]);
    }

    #[test]
    fn a_voxel_of_twice_the_length_is_not_halved() {
        let levels = levels(&[100, 100], &[2., 1.], &[50, 50]);
        assert_eq!(levels[0].factors, [1, 2]);
        assert_eq!(levels[1].factors, [2, 2]);
    }

    #[test]
    fn odd_sizes_are_rounded_up() {
        let levels = levels(&[7, 1], &[1., 1.], &[2, 2]);
        let shapes: Vec<_> = levels.iter().map(|level| level.shape.clone()).collect();
        assert_eq!(shapes, [[4, 1], [2, 1]]);
    }

    #[test]
    fn a_single_plane_does_not_stop_the_others() {
        // The plane has the shortest voxel, but cannot be halved.
        let levels = levels(&[1, 40, 40], &[1., 8., 8.], &[1, 20, 20]);
        assert_eq!(levels.len(), 1);
        assert_eq!(levels[0].factors, [1, 2, 2]);
    }

    #[test]
    fn time_and_channels_are_not_halved() {
        let finest = FinerLevel {
            shape: &[500, 3, 40, 40],
            scale: &[1.; 4],
            translation: &[0.; 4],
        };
        let levels = coarser_levels(finest, &[false, false, true, true], &[1, 1, 20, 20]);
        assert_eq!(levels.len(), 1);
        assert_eq!(levels[0].factors, [1, 1, 2, 2]);
    }

    #[test]
    fn what_fits_a_chunk_has_no_coarser_levels() {
        assert_eq!(levels(&[64, 10], &[1., 1.], &[64, 64]), []);
    }
}
