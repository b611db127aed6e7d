//! The vectors, one trial a case. Every subject has a module with a function `trials`.

mod citation;
mod formula;
mod kernel;

use libtest_mimic::Arguments;

fn main() {
    let mut trials = Vec::new();
    trials.extend(citation::trials());
    trials.extend(formula::trials());
    trials.extend(kernel::trials());
    libtest_mimic::run(&Arguments::from_args(), trials).exit();
}
