//! Where the members of an object are.

use std::ops::Range;

use super::text::{Entries, Entry, decoded, part};

/// A part of a text of less than 4 GiB.
#[derive(Clone, Copy, Debug)]
struct Span {
    start: u32,
    end: u32,
}

impl Span {
    fn new(range: &Range<usize>) -> Self {
        // Documents of 4 GiB are refused before they come here.
        let narrow = |position| u32::try_from(position).unwrap_or(u32::MAX);
        Self {
            start: narrow(range.start),
            end: narrow(range.end),
        }
    }

    fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// The name and the value of a member.
#[derive(Clone, Copy, Debug)]
struct Member {
    name: Span,
    value: Span,
}

/// Where the members of an object are, in the order of the text. Of members with equal names, the
/// last value stands in the place of the first, as in `serde_json`.
#[derive(Clone, Debug)]
pub(super) struct Index {
    members: Vec<Member>,
    /// The positions in `members`, in the order of the names.
    by_name: Vec<u32>,
    has_equal_names: bool,
}

impl Index {
    /// The members of `object`, valid JSON.
    pub(super) fn new(object: &str) -> Self {
        // Counted first, as growing would take three times the memory for a moment.
        let count = Entries::new(object).count();
        let mut members = Vec::with_capacity(count);
        members.extend(Entries::new(object).map(|entry| Member {
            name: Span::new(&entry.name),
            value: Span::new(&entry.value),
        }));
        let by_name = sorted(&members, object);
        let mut index = Self {
            members,
            by_name,
            has_equal_names: false,
        };
        index.merge_equal_names(object);
        index
    }

    fn merge_equal_names(&mut self, object: &str) {
        let mut is_kept = Vec::new();
        let mut groups = self.by_name.as_slice();
        while let [first, rest @ ..] = groups {
            let name_of = |position: &u32| decoded(name(&self.members, *position, object));
            let equal = rest
                .iter()
                .take_while(|position| name_of(position) == name_of(first))
                .count();
            let (later, others) = rest.split_at(equal);
            if let Some(last) = later.last() {
                is_kept.resize(self.members.len(), true);
                for position in later {
                    if let Some(kept) = is_kept.get_mut(*position as usize) {
                        *kept = false;
                    }
                }
                let value = self.members.get(*last as usize).map(|last| last.value);
                if let (Some(first), Some(value)) = (self.members.get_mut(*first as usize), value) {
                    first.value = value;
                }
            }
            groups = others;
        }
        if !is_kept.is_empty() {
            self.has_equal_names = true;
            let mut is_kept = is_kept.into_iter();
            self.members.retain(|_| is_kept.next().unwrap_or(true));
            self.by_name = sorted(&self.members, object);
        }
    }

    /// The number of members with different names.
    pub(super) fn len(&self) -> usize {
        self.members.len()
    }

    /// Whether the text has members of equal names, of which this knows only one.
    pub(super) fn has_equal_names(&self) -> bool {
        self.has_equal_names
    }

    /// The value of a member of `object`, the text that this is the index of.
    pub(super) fn get(&self, object: &str, wanted: &str) -> Option<Range<usize>> {
        let found = self
            .by_name
            .binary_search_by(|position| {
                let name = name(&self.members, *position, object);
                decoded(name).as_ref().cmp(wanted)
            })
            .ok()?;
        let member = self.members.get(*self.by_name.get(found)? as usize)?;
        Some(member.value.range())
    }

    /// The members in their order.
    pub(super) fn entries(&self) -> impl Iterator<Item = Entry> {
        self.members.iter().map(|member| Entry {
            name: member.name.range(),
            value: member.value.range(),
        })
    }
}

/// The positions of `members` by name, and those of equal names in their order.
fn sorted(members: &[Member], object: &str) -> Vec<u32> {
    let count = u32::try_from(members.len()).unwrap_or(u32::MAX);
    let mut by_name: Vec<u32> = (0..count).collect();
    by_name.sort_by(|a, b| {
        let [a, b] = [a, b].map(|position| decoded(name(members, *position, object)));
        a.cmp(&b)
    });
    by_name
}

/// The name of a member with its quotes.
fn name<'a>(members: &[Member], position: u32, object: &'a str) -> &'a str {
    members
        .get(position as usize)
        .map_or("", |member| part(object, member.name.range()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_are_found_by_their_decoded_names() {
        let object = r#"{"b":1,"\u0061":2,"":3}"#;
        let index = Index::new(object);
        for (name, value) in [("b", "1"), ("a", "2"), ("", "3")] {
            let range = index.get(object, name).unwrap();
            assert_eq!(part(object, range), value);
        }
        assert_eq!(index.get(object, "c"), None);
        assert!(!index.has_equal_names());
    }

    #[test]
    fn the_last_of_equal_names_stands_in_the_place_of_the_first() {
        let object = r#"{"b":1,"a":2,"c":3,"\u0061":4,"b":5,"a":6}"#;
        let index = Index::new(object);
        let members: Vec<_> = index
            .entries()
            .map(|entry| (part(object, entry.name), part(object, entry.value)))
            .collect();
        assert_eq!(members, [("\"b\"", "5"), ("\"a\"", "6"), ("\"c\"", "3")]);
        assert_eq!(index.len(), 3);
        assert!(index.has_equal_names());
        assert_eq!(
            index.get(object, "a").map(|range| part(object, range)),
            Some("6")
        );
    }
}
