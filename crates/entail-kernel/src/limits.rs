//! The limits of this crate, all in one place.

/// The longest formula or rule, in characters.
pub const EXPRESSION_CHARACTERS: usize = 2_000;

/// The deepest nesting of a formula or rule. Parentheses, calls and signs are levels; the links
/// of a chain such as `1 + 1 + 1` or `2 ** 2 ** 2` are not.
pub const EXPRESSION_LEVELS: usize = 100;

/// An exponent lies within ± this.
pub const EXPONENT: f64 = 64.0;

/// Texts quoted in a message are cut after so many characters.
pub const QUOTED_CHARACTERS: usize = 60;

/// How far apart two numbers may be and still be the same value, unless both are integers.
pub const VALUE_TOLERANCE: Tolerance = Tolerance {
    relative: 1e-9,
    absolute: 1e-12,
};

/// How far a stated number may be from what a formula or a rule computes.
pub const FORMULA_TOLERANCE: Tolerance = Tolerance {
    relative: 1e-6,
    absolute: 1e-9,
};

/// A distance between two numbers: the larger of a share of the larger one and a fixed amount.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tolerance {
    /// The share of the larger magnitude.
    pub relative: f64,
    /// The amount.
    pub absolute: f64,
}
