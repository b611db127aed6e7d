//! The formula reader and evaluator on any text.

#![no_main]

use entail_json::{Number, Value};
use entail_kernel::expression::{ExpressionError, Formula, placeholders};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let keys = placeholders(text);
    let formula = match Formula::parse(text) {
        Ok(formula) => formula,
        Err(error) => return check(text, &error),
    };
    assert_eq!(formula.placeholders(), keys);
    assert!(formula.steps() <= text.chars().count());
    let values = [
        Value::from(7_i64),
        Value::from(Number::from_f64(-0.5)),
        Value::from(i64::MIN),
        Value::from(Number::from_f64(1e308)),
        Value::from(0_i64),
        Value::from(true),
        Value::Null,
    ];
    let value_of = |key: &str| values.get(key.len());
    match formula.evaluate(value_of) {
        Ok(value) => {
            assert!(value.is_finite());
            assert_eq!(
                formula.evaluate(value_of).map(f64::to_bits),
                Ok(value.to_bits())
            );
            let spaced = format!(" {text}\n");
            if let Ok(again) = Formula::parse(&spaced) {
                assert_eq!(
                    again.evaluate(value_of).map(f64::to_bits),
                    Ok(value.to_bits())
                );
            }
        }
        Err(error) => check(text, &error),
    }
});

fn check(text: &str, error: &ExpressionError) {
    assert!(text.is_char_boundary(error.offset));
    assert!(!error.to_string().contains('\n'));
}
