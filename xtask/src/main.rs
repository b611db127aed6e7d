//! Development tasks: `cargo xtask ci`, `tidy`, `image`, `bench`.

mod bench;
mod browser;
mod ci;
mod image;
mod run;
mod tidy;

use std::{
    env,
    path::{Path, PathBuf},
    process::ExitCode,
};

use run::Outcome;

const USAGE: &str = "\
usage: cargo xtask TASK

  ci      all that has to hold: format, arrows, lints, documentation, tests
  tidy    the arrows between the crates and what each may touch
  image   the image's file tree from a released binary: its size, and that it serves
  bench   what a piece of work takes: `bench core`, `bench kernel`, `bench trace`, `bench session`,
          `bench service` (with `--full`: a session of 100,000 beliefs)";

fn main() -> ExitCode {
    let arguments: Vec<_> = env::args().skip(1).collect();
    let arguments: Vec<_> = arguments.iter().map(String::as_str).collect();
    match dispatch(&root(), &arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            complain(&why);
            ExitCode::FAILURE
        }
    }
}

fn dispatch(root: &Path, arguments: &[&str]) -> Outcome {
    match arguments {
        ["ci"] => ci::ci(root),
        ["tidy"] => tidy::tidy(root),
        ["image"] => image::image(root),
        ["bench", suite @ ..] => bench::bench(root, suite),
        _ => Err(USAGE.to_owned()),
    }
}

fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here).to_path_buf()
}

#[expect(
    clippy::print_stderr,
    reason = "a command line tool says what went wrong"
)]
fn complain(why: &str) {
    eprintln!("{why}");
}
