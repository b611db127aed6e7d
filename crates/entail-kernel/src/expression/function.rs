//! The named functions.

use super::arithmetic::{finite, round};
use super::error::ExpressionFault;

/// A function of numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Function {
    Abs,
    Min,
    Max,
    Round,
    Sqrt,
    Log,
    Exp,
}

impl Function {
    /// The names of all, in words.
    pub(super) const ALL: &'static str = "`abs`, `min`, `max`, `round`, `sqrt`, `log` and `exp`";

    /// The function of that name, in exactly this spelling.
    pub(super) fn named(name: &str) -> Option<Self> {
        Some(match name {
            "abs" => Self::Abs,
            "min" => Self::Min,
            "max" => Self::Max,
            "round" => Self::Round,
            "sqrt" => Self::Sqrt,
            "log" => Self::Log,
            "exp" => Self::Exp,
            _ => return None,
        })
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Abs => "abs",
            Self::Min => "min",
            Self::Max => "max",
            Self::Round => "round",
            Self::Sqrt => "sqrt",
            Self::Log => "log",
            Self::Exp => "exp",
        }
    }

    /// Whether it can be called with so many arguments.
    pub(super) fn check_arguments(self, given: usize) -> Result<(), ExpressionFault> {
        let (fits, takes) = match self {
            Self::Abs | Self::Sqrt | Self::Exp => (given == 1, "one argument"),
            Self::Round | Self::Log => (given == 1 || given == 2, "one or two arguments"),
            Self::Min | Self::Max => (given >= 2, "at least two arguments"),
        };
        if fits {
            Ok(())
        } else {
            Err(ExpressionFault::WrongArguments {
                function: self.name(),
                takes,
                given,
            })
        }
    }

    /// Its value for arguments of a number that [`check_arguments`](Self::check_arguments) allows.
    pub(super) fn apply(self, arguments: &[f64]) -> Result<f64, ExpressionFault> {
        let (Some(&first), second) = (arguments.first(), arguments.get(1)) else {
            return self.check_arguments(arguments.len()).map(|()| 0.0);
        };
        finite(match self {
            Self::Abs => first.abs(),
            Self::Sqrt if first < 0.0 => return Err(ExpressionFault::NegativeRoot),
            Self::Sqrt => first.sqrt(),
            Self::Exp => first.exp(),
            Self::Round => match second {
                Some(&digits) => round(first, digits)?,
                // Rounding to a whole number gives an integer, which has no negative zero.
                None => first.round_ties_even() + 0.0,
            },
            Self::Log => match second {
                Some(&base) => {
                    let (value, base) = (logarithm(first)?, logarithm(base)?);
                    if base == 0.0 {
                        return Err(ExpressionFault::DivisionByZero);
                    }
                    value / base
                }
                None => logarithm(first)?,
            },
            // The first of equal arguments wins, which decides between 0 and -0.
            Self::Min => arguments.iter().fold(
                first,
                |least, &next| if next < least { next } else { least },
            ),
            Self::Max => arguments
                .iter()
                .fold(first, |most, &next| if next > most { next } else { most }),
        })
    }
}

fn logarithm(value: f64) -> Result<f64, ExpressionFault> {
    if value > 0.0 {
        Ok(value.ln())
    } else {
        Err(ExpressionFault::LogarithmOfNothing)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_leads_back_to_its_function() {
        for name in ["abs", "min", "max", "round", "sqrt", "log", "exp"] {
            assert_eq!(Function::named(name).map(Function::name), Some(name));
        }
        assert_eq!(Function::named("MAX"), None);
        assert_eq!(Function::named("pow"), None);
    }

    #[test]
    fn no_number_of_arguments_panics() {
        for function in ["abs", "min", "max", "round", "sqrt", "log", "exp"] {
            let function = Function::named(function).unwrap();
            assert!(function.apply(&[]).is_err());
            for given in 0..5 {
                assert_eq!(
                    function.check_arguments(given).is_ok(),
                    match function.name() {
                        "min" | "max" => given >= 2,
                        "round" | "log" => (1..=2).contains(&given),
                        _ => given == 1,
                    }
                );
            }
        }
    }

    #[test]
    fn functions_outside_their_domain_are_faults() {
        assert_eq!(
            Function::Sqrt.apply(&[-1.0]),
            Err(ExpressionFault::NegativeRoot)
        );
        assert_eq!(
            Function::Log.apply(&[0.0]),
            Err(ExpressionFault::LogarithmOfNothing)
        );
        assert_eq!(
            Function::Log.apply(&[2.0, -2.0]),
            Err(ExpressionFault::LogarithmOfNothing)
        );
        assert_eq!(
            Function::Log.apply(&[2.0, 1.0]),
            Err(ExpressionFault::DivisionByZero)
        );
        assert_eq!(
            Function::Exp.apply(&[1000.0]),
            Err(ExpressionFault::Overflow)
        );
        assert_eq!(Function::Exp.apply(&[-1000.0]), Ok(0.0));
        assert_eq!(Function::Log.apply(&[8.0, 2.0]), Ok(3.0));
    }
}
