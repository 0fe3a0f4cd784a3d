//! Which names are like the one that was looked for, and how names are listed in an error. Pure.

use std::borrow::Cow;
use std::error::Error;

use crate::n5::error_text::{full_text, shortened};

/// The most names that the text of an error lists.
const MAX_LISTED: usize = 16;

/// The most characters of a name that are compared: names that are longer differ early or not at
/// all, and the comparison takes the square of this.
const MAX_COMPARED: usize = 64;

/// Sorts `names` by how similar they are to `name`: first those that contain it or are contained in
/// it, then those that take the fewest changes of a character. Case does not count.
pub(super) fn sort_by_similarity(names: &mut [String], name: &str) {
    let name = comparable(name);
    names.sort_by_cached_key(|other| {
        let compared = comparable(other);
        let is_part = contains(&compared, &name) || contains(&name, &compared);
        (!is_part, changes(&compared, &name), other.clone())
    });
}

/// The one of `names` that differs from `name` by case at most.
pub(super) fn same_but_for_case<'a>(
    names: impl Iterator<Item = &'a str> + Clone,
    name: &str,
) -> Option<&'a str> {
    let lowercase = name.to_lowercase();
    let mut exactly = names.clone().filter(|other| *other == name);
    let mut otherwise = names.filter(|other| other.to_lowercase() == lowercase);
    exactly.next().or_else(|| otherwise.next())
}

fn comparable(name: &str) -> Vec<char> {
    let characters = name.chars().flat_map(char::to_lowercase);
    characters.take(MAX_COMPARED).collect()
}

fn contains(name: &[char], part: &[char]) -> bool {
    !part.is_empty() && name.windows(part.len()).any(|window| window == part)
}

/// How many characters are to be put in, taken out or replaced to get from one to the other.
fn changes(one: &[char], other: &[char]) -> usize {
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (index, character) in one.iter().enumerate() {
        let mut left = index + 1;
        let mut next = vec![left];
        for (above, compared) in row.windows(2).zip(other) {
            if let [diagonal, above] = above {
                let replaced = diagonal + usize::from(character != compared);
                left = replaced.min(left + 1).min(above + 1);
                next.push(left);
            }
        }
        row = next;
    }
    row.last().copied().unwrap_or(0)
}

/// A path or a name for an error: quoted where it has blanks at its names' ends, or characters that
/// do not show, so that these are seen.
pub(super) fn readable(path: &str) -> Cow<'_, str> {
    let is_odd = |name: &str| name.trim() != name || name.chars().any(char::is_control);
    if path.split('/').any(is_odd) {
        format!("{path:?}").into()
    } else {
        path.into()
    }
}

/// What is in a folder, for an error.
pub(super) fn list_of_names(names: &[String]) -> String {
    match names {
        [] => "no folder of a node is in it".to_owned(),
        [name] => format!("in it is {}", shortened(readable(name))),
        _ if names.is_sorted() => format!("in it are {}", list(names)),
        _ => format!("in it are (the most similar first) {}", list(names)),
    }
}

/// Which datasets are below a group, for an error.
pub(super) fn list_of_datasets(
    datasets: &[String],
    is_all: bool,
    not_listed: Option<&impl Error>,
) -> String {
    if let Some(error) = not_listed {
        let error = error as &dyn Error;
        return format!("what is below it cannot be listed: {}", full_text(error));
    }
    match (datasets, is_all) {
        ([], true) => "there is no dataset below it".to_owned(),
        ([], false) => "no dataset was found below it, but not all was searched".to_owned(),
        ([dataset], true) => format!("the dataset below it is {dataset}"),
        (_, true) => format!("datasets below it are {}", list(datasets)),
        (_, false) => format!(
            "among the datasets below it, of which not all were searched for, are {}",
            list(datasets)
        ),
    }
}

fn list(names: &[String]) -> String {
    let names_listed = names.iter().take(MAX_LISTED);
    let listed: Vec<_> = names_listed.map(|name| shortened(readable(name))).collect();
    let listed = listed.join(", ");
    match names.len().saturating_sub(MAX_LISTED) {
        0 => listed,
        more => format!("{listed} and {more} more"),
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Error as NoError;

    use super::*;

    fn sorted(names: &[&str], name: &str) -> Vec<String> {
        let mut names: Vec<_> = names.iter().map(ToString::to_string).collect();
        sort_by_similarity(&mut names, name);
        names
    }

    #[test]
    fn changes_are_counted() {
        for (one, other, expected) in [
            ("", "", 0),
            ("", "abc", 3),
            ("abc", "", 3),
            ("kitten", "sitting", 3),
            ("raw", "row", 1),
            ("Raw", "raw", 0),
        ] {
            let found = changes(&comparable(one), &comparable(other));
            assert_eq!(found, expected, "{one} {other}");
        }
    }

    #[test]
    fn the_most_similar_names_come_first() {
        let names = ["labels", "fibsem-uint16", "raw", "fibsen"];
        let expected = ["fibsem-uint16", "fibsen", "labels", "raw"];
        assert_eq!(sorted(&names, "fibsem"), expected);
        assert_eq!(
            sorted(&["s2", "s1", "t10", "s10"], "s11"),
            ["s1", "s10", "s2", "t10"]
        );
        let long = "x".repeat(100_000);
        assert_eq!(sorted(&[&long, "y"], "y"), ["y", &long]);
    }

    #[test]
    fn a_name_of_other_case_is_found_and_the_same_name_before_it() {
        let names = ["RAW", "raw", "Äh"];
        let found = |name| same_but_for_case(names.into_iter(), name);
        assert_eq!(found("raw"), Some("raw"));
        assert_eq!(found("Raw"), Some("RAW"));
        assert_eq!(found("äH"), Some("Äh"));
        assert_eq!(found("row"), None);
    }

    #[test]
    fn blanks_at_the_ends_of_names_are_seen() {
        for path in ["/", "/em/s0", "/a name/é"] {
            assert_eq!(readable(path), path);
        }
        for (path, shown) in [
            ("/ em/s0", r#""/ em/s0""#),
            ("/em /s0", r#""/em /s0""#),
            ("/em/s0\n", r#""/em/s0\n""#),
            ("/e\tm", r#""/e\tm""#),
        ] {
            assert_eq!(readable(path), shown);
        }
    }

    #[test]
    fn an_order_by_similarity_is_said() {
        let names = ["b".to_owned(), "a".to_owned()];
        let said = "in it are (the most similar first) b, a";
        assert_eq!(list_of_names(&names), said);
        assert_eq!(list_of_names(&[]), "no folder of a node is in it");
    }

    #[test]
    fn long_lists_are_cut() {
        let names: Vec<_> = (10..30).map(|index| format!("n{index}")).collect();
        let text = list_of_names(&names);
        assert!(text.starts_with("in it are n10, n11, "), "{text}");
        assert!(text.ends_with(", n25 and 4 more"), "{text}");
        assert_eq!(list_of_names(&[]), "no folder of a node is in it");
    }

    #[test]
    fn a_search_that_ended_early_says_so() {
        let datasets = ["/a".to_owned(), "/b".to_owned()];
        let text = |datasets, is_all| list_of_datasets(datasets, is_all, None::<&NoError>);
        assert_eq!(text(&datasets[..1], true), "the dataset below it is /a");
        assert_eq!(text(&datasets, true), "datasets below it are /a, /b");
        assert_eq!(
            text(&datasets, false),
            "among the datasets below it, of which not all were searched for, are /a, /b"
        );
        assert_eq!(text(&[], true), "there is no dataset below it");
        assert_eq!(
            text(&[], false),
            "no dataset was found below it, but not all was searched"
        );
    }
}
