//! The limits of this crate, all in one place.

/// The longest formula or rule, in characters.
pub const EXPRESSION_CHARACTERS: usize = 2_000;

/// The deepest nesting of a formula or rule. Parentheses, calls and signs are levels; the links
/// of a chain such as `1 + 1 + 1` or `2 ** 2 ** 2` are not.
pub const EXPRESSION_LEVELS: usize = 100;

/// The most work an evaluation of a rule may take. A step is an operation, an element looked at,
/// or [`RULE_STEP_BYTES`] of text.
pub const RULE_STEPS: usize = 1_000_000;

/// How much text a rule handles in one step, in bytes.
pub const RULE_STEP_BYTES: usize = 64;

/// The levels of nesting of a value that a rule gives, as of any value that can be stated: what
/// rules derive from one another must not grow past what a reader takes.
pub const RULE_VALUE_LEVELS: usize = 128;

/// The bytes of a value that a rule gives, as canonical JSON.
pub const RULE_VALUE_BYTES: usize = 256 << 10;

/// Integers within ± this are floats exactly: 2^53.
pub const EXACT_INTEGER: i64 = 1 << 53;

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

/// The longest document, in bytes.
pub const DOCUMENT_BYTES: usize = 1 << 30;

/// The longest piece of folded text (a character with its marks), in original bytes; a longer
/// one is folded in parts.
pub const PIECE_BYTES: usize = 4_096;

/// So many combining marks in a row are put in canonical order at a time.
pub const PIECE_MARKS: usize = 64;

/// A number written with an exponent beyond ± this is not read.
pub const DECIMAL_EXPONENT: i64 = 400;

/// The most beliefs, keys, sources, antecedent sets or justifications of one base.
pub const BASE_ITEMS: usize = (1 << 29) - 1;

/// The most outcomes that the ledger keeps of one source; the oldest go first.
pub const LEDGER_OUTCOMES: usize = 10_000;

/// How many items a working list keeps room for between operations.
pub const KEPT_SCRATCH: usize = 1 << 14;

/// Bases of at most so many beliefs are checked as a whole after every change in debug builds.
pub const CHECKED_BELIEFS: usize = 64;

/// A token of so many numbers tied together (`1-2-3-…`) is a code, and none of them a figure.
pub const FIGURE_PARTS: usize = 12;

/// So many figures at most take the unit that ends their range.
pub const FIGURES_IN_RANGE: usize = 16;

/// A message lists so many figures of a quote.
pub const FIGURES_IN_MESSAGE: usize = 5;

/// How far beyond the end of a quote the word is looked at that the end cuts, in bytes.
pub const TOKEN_BYTES: usize = 256;

/// How many levels of a proof's text are shown by indentation.
pub const PROOF_INDENT: usize = 24;

/// Values and claims in a proof's text are cut after so many characters.
pub const PROOF_TEXT_CHARACTERS: usize = 80;

/// Whole numbers below this need no source of their own in what a model writes.
pub const SMALL_INTEGERS: u64 = 13;

/// Whole numbers of four digits in this range count as years.
pub const YEARS: std::ops::RangeInclusive<u64> = 1900..=2100;
