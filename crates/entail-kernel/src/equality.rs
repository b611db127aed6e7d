//! When two values are the same value.

use entail_json::{Number, Value};

use crate::limits::{FORMULA_TOLERANCE, Tolerance, VALUE_TOLERANCE};

/// Whether two values are equal as values of beliefs.
///
/// Two integers are equal exactly, whatever their size. Other numbers are equal within
/// [`VALUE_TOLERANCE`], so `4300000000` equals `4300000000.0`. Lists are equal element by element,
/// objects member by member whatever their order, everything else exactly; a boolean never
/// equals a number. The comparison is symmetric but, being tolerant, not transitive.
///
/// Linear in the smaller value, for objects times the search for a member; values of any depth
/// use no stack.
///
/// ```
/// use entail_json::read_str;
/// use entail_kernel::equality::values_equal;
///
/// let a = read_str(r#"{"total": 4300000000, "parts": [0.1, "x"]}"#)?;
/// let b = read_str(r#"{"parts": [0.10000000000000002, "x"], "total": 4300000000.0}"#)?;
/// assert!(values_equal(&a, &b));
/// # Ok::<(), entail_json::ReadError>(())
/// ```
#[must_use]
pub fn values_equal(left: &Value, right: &Value) -> bool {
    // Scalars, which most values are, need no list of what is still to be compared.
    let mut compare = Vec::new();
    let mut next = Some((left, right));
    while let Some(pair) = next {
        let equal = match pair {
            (Value::Number(left), Value::Number(right)) => numbers_equal(left, right),
            (Value::Array(left), Value::Array(right)) => {
                compare.extend(left.iter().zip(right));
                left.len() == right.len()
            }
            (Value::Object(left), Value::Object(right)) => {
                let pairs_before = compare.len();
                compare.extend(
                    left.iter()
                        .filter_map(|(name, value)| Some((value, right.get(name)?))),
                );
                left.len() == right.len() && compare.len() - pairs_before == left.len()
            }
            (Value::Null, Value::Null) => true,
            (Value::Bool(left), Value::Bool(right)) => left == right,
            (Value::String(left), Value::String(right)) => left == right,
            _ => false,
        };
        if !equal {
            return false;
        }
        next = compare.pop();
    }
    true
}

/// Whether a formula's value is the one that was stated: a number within
/// [`FORMULA_TOLERANCE`] of it.
///
/// ```
/// use entail_json::Value;
/// use entail_kernel::equality::results_agree;
///
/// assert!(results_agree(4.651162790697675, &Value::from(entail_json::Number::from_f64(4.65116))));
/// assert!(!results_agree(4.651162790697675, &Value::from(entail_json::Number::from_f64(4.65))));
/// ```
#[must_use]
pub fn results_agree(computed: f64, stated: &Value) -> bool {
    stated
        .as_f64()
        .is_some_and(|stated| FORMULA_TOLERANCE.admits(computed, stated))
}

fn numbers_equal(left: &Number, right: &Number) -> bool {
    if left.is_integer() && right.is_integer() {
        left == right
    } else {
        VALUE_TOLERANCE.admits(left.as_f64(), right.as_f64())
    }
}

impl Tolerance {
    /// Whether two floats are within this tolerance of each other. An integer beyond the range
    /// of floats comes as an infinite one, and is within it of nothing.
    fn admits(self, left: f64, right: f64) -> bool {
        let relative = self.relative * left.abs().max(right.abs());
        left.is_finite() && right.is_finite() && (left - right).abs() <= relative.max(self.absolute)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use entail_json::read_str;

    fn equal(left: &str, right: &str) -> bool {
        let (left, right) = (read_str(left).unwrap(), read_str(right).unwrap());
        let equal = values_equal(&left, &right);
        assert_eq!(
            equal,
            values_equal(&right, &left),
            "symmetry of {left} and {right}"
        );
        equal
    }

    #[test]
    fn integers_of_any_size_are_equal_exactly() {
        assert!(equal("9007199254740993", "9007199254740993"));
        assert!(!equal("9007199254740993", "9007199254740992"));
        assert!(!equal("12345678901234567890123", "12345678901234567890124"));
        assert!(equal("-0", "0"));
    }

    #[test]
    fn an_integer_and_a_float_are_equal_within_the_tolerance() {
        assert!(equal("4300000000", "4300000000.0"));
        assert!(equal("4300000000", "4300000001.0"));
        assert!(!equal("4300000000", "4300000005.0"));
        assert!(equal("1000000000000", "1000000000001.0"));
        assert!(equal("12345678901234567890123", "1.2345678901234568e22"));
    }

    #[test]
    fn floats_are_equal_within_a_relative_or_an_absolute_tolerance() {
        assert!(equal("0.1", "0.10000000000000002"));
        assert!(equal("0.0", "0.000000000001"));
        assert!(!equal("0.0", "0.000000000002"));
        assert!(equal("1e300", "1.0000000009e300"));
        assert!(!equal("1e300", "1.000000002e300"));
        assert!(!equal("1.7e308", "-1.7e308"));
    }

    #[test]
    fn an_integer_beyond_the_range_of_floats_equals_itself_and_no_float() {
        let huge = format!("1{}", "0".repeat(400));
        assert!(equal(&huge, &huge));
        assert!(!equal(&huge, "1.7976931348623157e308"));
        assert!(!results_agree(f64::MAX, &read_str(&huge).unwrap()));
    }

    #[test]
    fn values_of_different_kinds_are_never_equal() {
        let kinds = ["null", "true", "1", "\"1\"", "[1]", "{\"1\":1}"];
        for (i, left) in kinds.iter().enumerate() {
            for (j, right) in kinds.iter().enumerate() {
                assert_eq!(equal(left, right), i == j, "{left} and {right}");
            }
        }
        assert!(!equal("false", "0"));
        assert!(!equal("true", "1.0"));
    }

    #[test]
    fn lists_and_objects_are_compared_in_depth() {
        assert!(equal("[1, [2.0, {\"a\": 3}]]", "[1.0, [2, {\"a\": 3.0}]]"));
        assert!(!equal("[1, 2]", "[1, 2, 3]"));
        assert!(!equal("[1, 2]", "[2, 1]"));
        assert!(equal(
            "{\"a\": 1, \"b\": [true]}",
            "{\"b\": [true], \"a\": 1.0}"
        ));
        assert!(!equal("{\"a\": 1}", "{\"a\": 1, \"b\": null}"));
        assert!(!equal("{\"a\": 1, \"c\": 2}", "{\"a\": 1, \"b\": 2}"));
        assert!(!equal("[{\"a\": [1]}]", "[{\"a\": [2]}]"));
    }

    #[test]
    fn a_stated_result_must_be_a_number_close_to_the_computed_one() {
        for (computed, stated, agree) in [
            (4.651_162_790_697_675, "4.65116", true),
            (4.651_162_790_697_675, "4.6511", false),
            (0.0, "0.000000001", true),
            (0.0, "0.000000002", false),
            (9.007_199_254_740_992e15, "9007199254740993", true),
            (1.0, "true", false),
            (1.0, "\"1\"", false),
            (1.0, "null", false),
        ] {
            assert_eq!(
                results_agree(computed, &read_str(stated).unwrap()),
                agree,
                "{stated}"
            );
        }
    }
}
