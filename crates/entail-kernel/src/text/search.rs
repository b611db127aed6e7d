//! Substring search that is linear whatever the input, with a say in which matches count.

use std::ops::Range;

use memchr::memmem::Finder;

/// The first match and how many there are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Found {
    /// What the first match was turned into.
    pub(super) span: Range<usize>,
    pub(super) count: usize,
}

/// Finds `needle` in `haystack`, left to right; a place counts if `accept` turns it into a span
/// and it does not overlap an earlier place that counted.
///
/// After a refused place the search goes on one byte further, which a general search pays for
/// with a look at the whole needle. Once those looks have cost as much as the haystack is long,
/// an automaton that never looks back takes over.
pub(super) fn find(
    haystack: &[u8],
    needle: &[u8],
    accept: impl Fn(Range<usize>) -> Option<Range<usize>>,
) -> Option<Found> {
    if needle.is_empty() || needle.len() > haystack.len() {
        return None;
    }
    let mut tally = Tally {
        length: needle.len(),
        accept,
        found: None,
    };
    let finder = Finder::new(needle);
    let mut at = 0;
    let mut looks = 0_usize;
    while let Some(offset) = haystack.get(at..).and_then(|rest| finder.find(rest)) {
        let start = at + offset;
        if tally.take(start) {
            at = start + needle.len();
            continue;
        }
        at = start + 1;
        looks = looks.saturating_add(needle.len());
        if looks > haystack.len() {
            walk(haystack, needle, at, &mut tally);
            break;
        }
    }
    tally.found
}

struct Tally<A> {
    length: usize,
    accept: A,
    found: Option<Found>,
}

impl<A: Fn(Range<usize>) -> Option<Range<usize>>> Tally<A> {
    fn take(&mut self, start: usize) -> bool {
        let Some(span) = (self.accept)(start..start + self.length) else {
            return false;
        };
        match &mut self.found {
            Some(found) => found.count += 1,
            None => self.found = Some(Found { span, count: 1 }),
        }
        true
    }
}

/// Knuth, Morris and Pratt's search from `from` on.
fn walk<A>(haystack: &[u8], needle: &[u8], from: usize, tally: &mut Tally<A>)
where
    A: Fn(Range<usize>) -> Option<Range<usize>>,
{
    let borders = borders(needle);
    let border = |matched: usize| match matched.checked_sub(1) {
        Some(last) => borders.get(last).map_or(0, |border| *border as usize),
        None => 0,
    };
    let mut matched = 0;
    for (at, byte) in haystack.iter().enumerate().skip(from) {
        while matched > 0 && needle.get(matched) != Some(byte) {
            matched = border(matched);
        }
        if needle.get(matched) == Some(byte) {
            matched += 1;
        }
        if matched == needle.len() {
            matched = if tally.take(at + 1 - needle.len()) {
                0
            } else {
                border(matched)
            };
        }
    }
}

/// For each prefix, the length of its longest proper suffix that is a prefix too. Needles are
/// folded texts, so lengths fit.
fn borders(needle: &[u8]) -> Vec<u32> {
    let mut borders: Vec<u32> = Vec::with_capacity(needle.len());
    for (at, byte) in needle.iter().enumerate() {
        let before = |length: usize| match length.checked_sub(1) {
            Some(last) => borders.get(last).map_or(0, |border| *border as usize),
            None => 0,
        };
        let mut length = before(at);
        while length > 0 && needle.get(length) != Some(byte) {
            length = before(length);
        }
        if at > 0 && needle.get(length) == Some(byte) {
            length += 1;
        }
        borders.push(u32::try_from(length).unwrap_or(u32::MAX));
    }
    borders
}

#[cfg(test)]
mod tests {
    use super::*;

    use proptest::prelude::*;

    /// Every place in turn.
    fn naive(
        haystack: &[u8],
        needle: &[u8],
        accept: impl Fn(Range<usize>) -> Option<Range<usize>>,
    ) -> Option<Found> {
        let mut found: Option<Found> = None;
        let mut at = 0;
        while !needle.is_empty() && at + needle.len() <= haystack.len() {
            let range = at..at + needle.len();
            match accept(range.clone()) {
                Some(span) if &haystack[range] == needle => {
                    found.get_or_insert(Found { span, count: 0 }).count += 1;
                    at += needle.len();
                }
                _ => at += 1,
            }
        }
        found
    }

    proptest! {
        #[test]
        fn the_search_agrees_with_trying_every_place(
            haystack in "[ab]{0,60}",
            needle in "[ab]{1,6}",
            refused in prop::collection::vec(any::<bool>(), 61),
        ) {
            let accept = |range: Range<usize>| (!refused[range.start]).then_some(range);
            prop_assert_eq!(
                find(haystack.as_bytes(), needle.as_bytes(), accept),
                naive(haystack.as_bytes(), needle.as_bytes(), accept)
            );
        }

        #[test]
        fn the_automaton_alone_agrees_too(haystack in "[ab]{0,60}", needle in "[ab]{1,6}") {
            let accept = |range: Range<usize>| range.start.is_multiple_of(2).then_some(range);
            let mut tally = Tally { length: needle.len(), accept, found: None };
            walk(haystack.as_bytes(), needle.as_bytes(), 0, &mut tally);
            prop_assert_eq!(
                tally.found,
                naive(haystack.as_bytes(), needle.as_bytes(), accept)
            );
        }
    }

    #[test]
    fn places_that_never_count_do_not_cost_a_needle_each() {
        let haystack = vec![b'f'; 2_000_000];
        let needle = vec![b'f'; 1_000_001];
        let asked = std::cell::Cell::new(0_usize);
        let found = find(&haystack, &needle, |_| {
            asked.set(asked.get() + 1);
            None
        });
        assert_eq!(found, None);
        assert_eq!(asked.get(), haystack.len() - needle.len() + 1);
    }
}
