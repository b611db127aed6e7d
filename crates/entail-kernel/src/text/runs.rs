//! From offsets in a folded text to offsets in the original, in runs.

use std::cell::Cell;

/// A stretch of the folded text: first `units` pieces that each fold `unit_original` bytes into
/// `unit_folded`, and have no boundary inside; after them, up to the next run, bytes that
/// stand as far apart in the folded text as in the original.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Run {
    folded: u32,
    original: u32,
    units: u32,
    unit_folded: u16,
    unit_original: u16,
}

impl Run {
    /// The length of the pieces in the folded text.
    fn pieces(&self) -> usize {
        self.units as usize * usize::from(self.unit_folded)
    }

    /// The original offset of the end of the pieces.
    fn tail(&self) -> usize {
        self.original as usize + self.units as usize * usize::from(self.unit_original)
    }
}

/// The map of a whole text. Plain prose costs a run at each character that changes length.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Runs {
    runs: Vec<Run>,
}

impl Runs {
    pub(super) fn heap_bytes(&self) -> usize {
        self.runs.capacity() * size_of::<Run>()
    }

    /// Says that the text at `original` is folded at `folded` without a change of lengths. To be
    /// called at the start of every piece that is not given to [`Runs::piece`]; offsets never
    /// decrease.
    #[inline]
    pub(super) fn even(&mut self, folded: usize, original: usize) {
        let goes_on = self.runs.last().is_some_and(|run| {
            let into = folded.wrapping_sub(run.folded as usize);
            into >= run.pieces() && run.tail() + (into - run.pieces()) == original
        });
        if !goes_on {
            self.push(Run {
                folded: narrow(folded),
                original: narrow(original),
                units: 0,
                unit_folded: 0,
                unit_original: 0,
            });
        }
    }

    /// Says that `from` bytes at `original` became `into` bytes at `folded`, as one piece.
    pub(super) fn piece(&mut self, folded: usize, into: u16, original: usize, from: u16) {
        if let Some(run) = self.runs.last_mut()
            && run.units > 0
            && (run.unit_folded, run.unit_original) == (into, from)
            && run.folded as usize + run.pieces() == folded
            && run.tail() == original
        {
            run.units += 1;
            return;
        }
        self.push(Run {
            folded: narrow(folded),
            original: narrow(original),
            units: 1,
            unit_folded: into,
            unit_original: from,
        });
    }

    fn push(&mut self, run: Run) {
        match self.runs.last_mut() {
            Some(last) if last.folded == run.folded => *last = run,
            _ => self.runs.push(run),
        }
    }

    pub(super) fn finish(&mut self) {
        self.runs.shrink_to_fit();
    }

    /// Looks offsets up; the nearer each is to the one before, the faster.
    pub(super) fn lookup(&self) -> Lookup<'_> {
        Lookup {
            runs: &self.runs,
            near: Cell::new(0),
        }
    }

    /// The memory the map takes, in bytes.
    pub(super) fn bytes(&self) -> usize {
        self.runs.capacity() * size_of::<Run>()
    }

    /// How many runs there are.
    pub(super) fn len(&self) -> usize {
        self.runs.len()
    }
}

/// Looks up offsets in a map, and remembers the run of the last one.
pub(super) struct Lookup<'r> {
    runs: &'r [Run],
    near: Cell<usize>,
}

impl Lookup<'_> {
    /// Where the piece that starts at `folded` starts in the original; `None` inside a piece.
    pub(super) fn start(&self, folded: usize) -> Option<usize> {
        let run = self.containing(folded)?;
        let into = folded - run.folded as usize;
        if into >= run.pieces() {
            return Some(run.tail() + (into - run.pieces()));
        }
        let unit = usize::from(run.unit_folded);
        into.is_multiple_of(unit)
            .then(|| run.original as usize + into / unit * usize::from(run.unit_original))
    }

    /// Where the piece that ends at `folded` ends in the original; `None` inside a piece and at 0.
    pub(super) fn end(&self, folded: usize) -> Option<usize> {
        let last = folded.checked_sub(1)?;
        let run = self.containing(last)?;
        let into = folded - run.folded as usize;
        if into > run.pieces() {
            return Some(run.tail() + (into - run.pieces()));
        }
        let unit = usize::from(run.unit_folded);
        into.is_multiple_of(unit)
            .then(|| run.original as usize + into / unit * usize::from(run.unit_original))
    }

    fn containing(&self, folded: usize) -> Option<&Run> {
        const STEPS: usize = 4;
        let starts_by = |at: usize| {
            self.runs
                .get(at)
                .is_some_and(|run| run.folded as usize <= folded)
        };
        let near = self.near.get();
        for at in near..near + STEPS {
            if !starts_by(at) {
                break;
            }
            if !starts_by(at + 1) {
                self.near.set(at);
                return self.runs.get(at);
            }
        }
        let after = self
            .runs
            .partition_point(|run| run.folded as usize <= folded);
        let at = after.checked_sub(1)?;
        self.near.set(at);
        self.runs.get(at)
    }
}

/// Offsets fit: [`super::folding::Folded::new`] refuses longer texts.
fn narrow(offset: usize) -> u32 {
    u32::try_from(offset).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_pieces_in_a_row_share_a_run() {
        let mut runs = Runs::default();
        for n in 0..1000 {
            runs.piece(n * 3, 3, n * 2, 2);
        }
        assert_eq!(runs.len(), 1);
        assert_eq!(runs.lookup().start(300), Some(200));
        assert_eq!(runs.lookup().start(301), None);
        assert_eq!(runs.lookup().end(303), Some(202));
        assert_eq!(runs.lookup().end(302), None);
        assert_eq!(runs.lookup().end(0), None);
    }

    #[test]
    fn bytes_left_out_belong_to_neither_side() {
        let mut runs = Runs::default();
        runs.even(0, 0);
        runs.even(4, 6);
        assert_eq!(runs.lookup().end(4), Some(4));
        assert_eq!(runs.lookup().start(4), Some(6));
        assert_eq!(runs.len(), 2);
    }

    #[test]
    fn a_stretch_of_equal_lengths_needs_one_run() {
        let mut runs = Runs::default();
        runs.piece(0, 1, 0, 3);
        for n in 1..100 {
            runs.even(n, n + 2);
        }
        assert_eq!(runs.len(), 1);
        assert_eq!(
            (runs.lookup().start(50), runs.lookup().end(50)),
            (Some(52), Some(52))
        );
        assert_eq!(
            (runs.lookup().start(0), runs.lookup().end(1)),
            (Some(0), Some(3))
        );
    }
}
