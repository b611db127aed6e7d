//! The table of settings in the operations document says what the command line says.

use clap::CommandFactory as _;
use figment::{Figment, providers::Serialized, value::Value};

use super::{NAMES, Settings};
use crate::cli::Cli;

const OPERATIONS: &str = include_str!("../../../../docs/operations.md");

const START: &str = "<!-- the settings, as `entail help` has them -->\n";
const END: &str = "<!-- end of the settings -->";

/// The table as it has to be.
fn table() -> String {
    let command = Cli::command();
    let defaults = Figment::from(Serialized::defaults(Settings::default()));
    let mut table =
        String::from("| flag | variable | entry | default | meaning |\n|---|---|---|---|---|\n");
    for name in NAMES {
        let argument = command
            .get_arguments()
            .find(|argument| argument.get_id() == *name)
            .unwrap();
        let default = match defaults.find_value(name).unwrap() {
            Value::String(_, text) if text.is_empty() => "empty".to_owned(),
            Value::String(_, text) => format!("`{text}`"),
            Value::Bool(_, value) => value.to_string(),
            Value::Num(_, number) => number.to_u128().unwrap().to_string(),
            other => panic!("{other:?}"),
        };
        let (flag, variable) = (argument.get_long().unwrap(), name.to_ascii_uppercase());
        let meaning = argument.get_help().unwrap();
        table.push_str(&format!(
            "| `--{flag}` | `ENTAIL_{variable}` | `{name}` | {default} | {meaning} |\n"
        ));
    }
    table
}

#[test]
fn every_setting_is_in_the_operations_document_as_the_command_line_has_it() {
    let (_, rest) = OPERATIONS.split_once(START).unwrap();
    let (written, _) = rest.split_once(END).unwrap();
    let table = table();
    assert!(
        written == table,
        "docs/operations.md is behind: put this table there\n\n{table}"
    );
}
