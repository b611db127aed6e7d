//! The first commit of a session.

use crate::command::Opening;
use crate::commit::Commit;
use crate::error::CommandError;
use crate::limits::TASK_BYTES;
use crate::options::Options;
use crate::outcome::Outcome;
use crate::trace::OwnPlan;

use super::{changed, check, premises, registrations, rules};

pub(crate) fn carry_out(
    commit: &mut Commit<'_>,
    opening: Opening,
) -> Result<Outcome, CommandError> {
    check_task(&opening.task)?;
    if let Some(instructions) = &opening.instructions {
        check_text(instructions, "/instructions")?;
    }
    if opening.expires_at.is_some_and(|time| time <= commit.at) {
        return Err(check::invalid(
            "/expires_at",
            "has passed: give a time that lies ahead",
        ));
    }
    let plan = match &opening.plan {
        None => None,
        Some(plan) => Some(OwnPlan::read(plan, &opening.task, "/plan")?.to_value()),
    };
    let settings = opening.policy.settings();
    let options = Options {
        task: opening.task,
        instructions: opening.instructions,
        policy: opening.policy,
        labels: opening.labels,
        expires_at: opening.expires_at,
    };
    commit.open(options, plan);
    commit.base_at("/policy", |base| base.configure(settings))?;
    for (source, totals) in &opening.ledger {
        commit.base_at("/ledger", |base| base.seed(source, *totals))?;
    }
    for (index, (name, document)) in opening.documents.iter().enumerate() {
        let pointer = format!("/documents/{index}");
        let put = registrations::put_document(commit, name, document, &pointer)?;
        if put.version > 1 || !put.created {
            return Err(check::invalid(
                &pointer,
                format!("names `{name}` a second time"),
            ));
        }
    }
    for (index, (name, definition)) in opening.tools.into_iter().enumerate() {
        let pointer = format!("/tools/{index}");
        if !registrations::put_tool(commit, &name, definition, &pointer)? {
            return Err(check::invalid(
                &pointer,
                format!("names `{name}` a second time"),
            ));
        }
    }
    for (index, (name, rule)) in opening.rules.iter().enumerate() {
        rules::put(commit, name, rule, &format!("/rules/{index}"))?;
    }
    for (index, (name, constraint)) in opening.constraints.iter().enumerate() {
        rules::put_constraint(commit, name, constraint, &format!("/constraints/{index}"))?;
    }
    let refs = premises::assert(commit, opening.premises, "/premises")?;
    Ok(changed(commit, refs))
}

pub(super) fn check_task(task: &str) -> Result<(), CommandError> {
    check_text(task, "/task")?;
    if task.trim().is_empty() {
        return Err(check::invalid(
            "/task",
            "is empty: say what is to be found out",
        ));
    }
    Ok(())
}

fn check_text(text: &str, pointer: &str) -> Result<(), CommandError> {
    if text.len() > TASK_BYTES {
        return Err(check::invalid(
            pointer,
            format!("is longer than {TASK_BYTES} bytes"),
        ));
    }
    check::plain(text, pointer)
}
