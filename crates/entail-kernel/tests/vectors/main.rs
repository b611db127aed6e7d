//! The vectors, one trial a case. Every subject has a module with a function `trials`.

mod citation;
mod formula;

use libtest_mimic::Arguments;

fn main() {
    let mut trials = Vec::new();
    trials.extend(citation::trials());
    trials.extend(formula::trials());
    libtest_mimic::run(&Arguments::from_args(), trials).exit();
}
