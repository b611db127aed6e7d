//! Chance that can be had again.

use std::hash::{BuildHasher as _, Hasher as _, RandomState};

/// Names the seed of a run that is to be had again.
const SEED: &str = "ENTAIL_SEED";

/// Random numbers that follow from a seed (SplitMix64).
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// Those of a seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The seed that `ENTAIL_SEED` names, else one that is new; it is printed either way.
    ///
    /// # Panics
    /// When `ENTAIL_SEED` is no number.
    #[must_use]
    pub fn seed(of: &str) -> u64 {
        let seed = match std::env::var(SEED) {
            Ok(given) => given.parse().expect("`ENTAIL_SEED` is a number"),
            Err(_) => RandomState::new().build_hasher().finish(),
        };
        eprintln!("{of}: {SEED}={seed}");
        seed
    }

    /// Others of the same seed, for one of several threads.
    #[must_use]
    pub fn split(&self, thread: usize) -> Self {
        let mut other = Self(self.0 ^ (thread as u64).wrapping_mul(0xd1b5_4a32_d192_ed03));
        other.next();
        other
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below that one.
    pub fn below(&mut self, bound: usize) -> usize {
        usize::try_from(self.next() % bound as u64).expect("it is below a `usize`")
    }

    /// Whether something happens that happens so many times in a hundred.
    pub fn percent(&mut self, chance: usize) -> bool {
        self.below(100) < chance
    }

    /// One of several.
    pub fn of<'a, T>(&mut self, several: &'a [T]) -> &'a T {
        &several[self.below(several.len())]
    }
}
