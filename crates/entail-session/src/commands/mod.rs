//! What each command does.
//!
//! | module | commands |
//! |---|---|
//! | `open`, `import` | the first commit |
//! | `results` | tool results, giving up on calls |
//! | `premises` | premises, retractions, restorations |
//! | `registrations` | documents, tools |
//! | `lifecycle` | close, reopen, patch, refresh |
//! | `reasoning` | justifications, derivations, propagation, outcomes, resolutions |
//! | `rules` | rules and constraints |
//! | `reverify` | opening calls again |
//! | `check` | what is refused at the door |

mod check;
mod import;
mod lifecycle;
pub(crate) mod open;
mod premises;
mod reasoning;
mod registrations;
mod results;
mod reverify;
mod rules;

use crate::command::Command;
use crate::commit::Commit;
use crate::error::CommandError;
use crate::outcome::{Changed, Outcome};
use crate::turn;

pub(crate) use check::{is_reserved, key_fault, name as check_name, value_fault};

pub(crate) fn carry_out(
    commit: &mut Commit<'_>,
    command: Command,
) -> Result<Outcome, CommandError> {
    match command {
        Command::Turn(turn) => {
            turn::take(commit, turn).map(|outcome| Outcome::Turn(Box::new(outcome)))
        }
        Command::ToolResults(results) => results::take(commit, results),
        Command::GiveUpCall { call_id } => results::give_up(commit, &call_id),
        Command::Premises(premises) => {
            let refs = premises::assert(commit, premises, "")?;
            Ok(changed(commit, refs))
        }
        Command::Retract(retraction) => premises::retract(commit, &retraction),
        Command::Restore { target } => premises::restore(commit, &target),
        Command::PutDocument { name, document } => {
            registrations::put_document(commit, &name, &document, "").map(Outcome::Document)
        }
        Command::PutTool { name, definition } => {
            let created = registrations::put_tool(commit, &name, *definition, "")?;
            Ok(Outcome::Tool { name, created })
        }
        Command::DeleteTool { name } => registrations::delete_tool(commit, &name),
        Command::Close(closing) => lifecycle::close(commit, closing),
        Command::Reopen => lifecycle::reopen(commit),
        Command::Patch(patch) => lifecycle::patch(commit, patch),
        Command::Refresh => lifecycle::refresh(commit),
        Command::Justify(step) => reasoning::justify(commit, *step),
        Command::Derive(derivation) => reasoning::derive(commit, derivation),
        Command::PutRule { name, rule } => rules::put(commit, &name, &rule, ""),
        Command::DeleteRule { name } => rules::delete(commit, &name),
        Command::PutConstraint { name, constraint } => {
            rules::put_constraint(commit, &name, &constraint, "")
        }
        Command::DeleteConstraint { name } => rules::delete_constraint(commit, &name),
        Command::Resolve {
            conflict,
            settlement,
        } => reasoning::resolve(commit, &conflict, &settlement),
        Command::Outcomes(told) => reasoning::tell(commit, &told),
        Command::Propagate => reasoning::propagate(commit),
        Command::Reverify(reverification) => reverify::open(commit, &reverification),
        Command::Rederive { key, turn } => {
            turn::rederive(commit, &key, turn).map(|outcome| Outcome::Turn(Box::new(outcome)))
        }
    }
}

/// The answer to a command that touched these refs, once what follows from it has happened.
fn changed(commit: &mut Commit<'_>, refs: Vec<String>) -> Outcome {
    commit.follow_up();
    Outcome::Changed(Changed {
        refs,
        changes: commit.changes(),
        conflicts: commit.conflict_keys(),
        ..Changed::default()
    })
}
