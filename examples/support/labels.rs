//! Labels: numbers that name things, each shown in a colour of its own.

use std::collections::{HashMap, HashSet};
use std::hash::Hash;

use super::shades::Colour;

/// One colour for each value, black for 0, and how many there are besides that.
pub(crate) fn colours<T>(values: &[T]) -> (Vec<Colour>, usize)
where
    T: Copy + Ord + Hash + Default,
{
    let mut distinct: HashMap<T, Colour> = HashMap::new();
    for_runs(values, |value, _| {
        distinct.entry(value).or_default();
    });
    let mut sorted: Vec<T> = distinct.keys().copied().collect();
    sorted.sort_unstable();
    sorted.retain(|&value| value != T::default());
    let count = sorted.len();
    for (value, colour) in sorted.into_iter().zip(label_colours()) {
        distinct.insert(value, colour);
    }
    let mut colours = Vec::with_capacity(values.len());
    for_runs(values, |value, len| {
        let colour = distinct.get(&value).copied().unwrap_or_default();
        colours.resize(colours.len() + len, colour);
    });
    (colours, count)
}

/// Whether few values come in patches: at most one value in 16 elements, and of the elements that
/// are not 0 three in four have the same value as their neighbour.
pub(crate) fn look_like_labels<T: Copy + Eq + Hash + Default>(values: &[T]) -> bool {
    let mut distinct = HashSet::new();
    let (mut pairs, mut same) = (0, 0);
    let (mut before, most) = (T::default(), values.len() / 16);
    for &value in values {
        if value == T::default() && before == T::default() {
            continue;
        }
        pairs += 1;
        if value == before {
            same += 1;
        } else {
            distinct.insert(value);
            if distinct.len() > most {
                return false;
            }
        }
        before = value;
    }
    distinct.len() > 1 && same * 4 >= pairs * 3
}

/// Calls `then` with each run of equal values and its length.
fn for_runs<T: Copy + Eq>(values: &[T], mut then: impl FnMut(T, usize)) {
    for run in values.chunk_by(|one, next| one == next) {
        if let Some(&value) = run.first() {
            then(value, run.len());
        }
    }
}

/// As many colours as are wanted, all different as long as there are any.
fn label_colours() -> impl Iterator<Item = Colour> {
    let mut used = HashSet::new();
    let mut number = 0;
    std::iter::repeat_with(move || {
        for _ in 0..50 {
            number += 1;
            if used.insert(label_colour(number)) {
                break;
            }
        }
        label_colour(number)
    })
}

/// A colour for a number: hues a golden section of the
/// circle apart, bright, pale and dark in turn.
fn label_colour(number: usize) -> Colour {
    let hue = (number as f64 * 0.618_033_988_749_895).fract() * 6.0;
    let (saturation, value) = match number % 3 {
        0 => (0.85, 1.0),
        1 => (0.45, 0.95),
        _ => (0.9, 0.65),
    };
    let part = |offset: f64| {
        let at = (offset + hue) % 6.0;
        let depth = at.min(4.0 - at).clamp(0.0, 1.0);
        ((value - value * saturation * depth) * 255.0).round() as u8
    };
    [part(5.0), part(3.0), part(1.0)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thousand_labels_have_a_thousand_colours() {
        let colours: HashSet<_> = label_colours().take(1000).collect();
        assert_eq!(colours.len(), 1000);
        // None of them looks like the background.
        assert!(
            colours
                .iter()
                .all(|colour| colour.iter().any(|&part| part > 100))
        );
    }

    #[test]
    fn patches_are_guessed_to_be_labels_and_gradients_and_noise_are_not() {
        let patches: Vec<u64> = (0..1024).map(|at| (at % 32) / 16 * 900 + 5).collect();
        assert!(look_like_labels(&patches));
        let gradient: Vec<u16> = (0..1024).map(|at| at % 32).collect();
        assert!(!look_like_labels(&gradient));
        let noise: Vec<u8> = (0..1024_u32).map(|at| (at * at / 7 % 4) as u8).collect();
        assert!(!look_like_labels(&noise));
        // Zeros around do not make an image look like labels.
        let mut image = vec![0_u16; 10_000];
        image.splice(500..532, 100..132);
        assert!(!look_like_labels(&image));
        // All the same says nothing.
        assert!(!look_like_labels(&[7_u8; 100]));
        assert!(!look_like_labels::<u8>(&[]));
    }
}
