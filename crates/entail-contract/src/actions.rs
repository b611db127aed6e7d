//! From a value to actions and problems.

use crate::{
    Action, ActionKind, Answer, Cite, Claim, Code, Limits, Problem, Response, ToolCall,
    field::Field,
    fields::Fields,
    tape::{At, Part, Tape},
    words::{describe, excerpt},
};

/// What the model is asked for when nothing can be read.
pub(crate) const WAY_OUT: &str = "reply with one JSON object {\"actions\": [...]}";

/// What a value is as a response.
enum Form {
    /// The elements of this list are the actions.
    List(At),
    /// The value is the one action.
    Single,
}

/// Reads the actions of the value on the tape, and counts the parts and bytes visited.
pub(crate) fn read(tape: &Tape<'_>, limits: &Limits) -> (Response, u64) {
    let list = match form(tape) {
        Ok(Form::List(list)) => list,
        Ok(Form::Single) => {
            let mut response = Response::default();
            let steps = read_action(tape, limits, 1, 0, &mut response);
            return (response, steps + tape.len() as u64);
        }
        Err(problem) => return (Response::unusable(problem, None), tape.len() as u64),
    };
    let count = tape
        .elements(list)
        .take(limits.actions.saturating_add(1))
        .count();
    if count > limits.actions {
        let problem = Problem::of_response(
            Code::LimitExceeded,
            format!(
                "the response holds more than {} actions, so none was applied; send fewer at once",
                limits.actions
            ),
        );
        return (Response::unusable(problem, None), tape.len() as u64);
    }
    let mut response = Response {
        actions: Vec::with_capacity(count),
        ..Response::default()
    };
    let mut steps = tape.len() as u64;
    for (place, action) in tape.elements(list).enumerate() {
        steps += read_action(tape, limits, place + 1, action, &mut response);
    }
    (response, steps)
}

/// Whether the value has the form of a response.
pub(crate) fn is_response(tape: &Tape<'_>) -> bool {
    form(tape).is_ok()
        || tape
            .members(0)
            .any(|(name, _)| tape.said(name).is_some_and(|name| name == "actions"))
}

fn form(tape: &Tape<'_>) -> Result<Form, Problem> {
    match tape.part(0) {
        Part::List => return Ok(Form::List(0)),
        Part::Object => {}
        _ => {
            return Err(Problem::of_response(
                Code::NotAResponse,
                format!(
                    "the response is {} and not a list of actions; {WAY_OUT}",
                    describe(tape, 0)
                ),
            ));
        }
    }
    let mut actions = None;
    let mut single = false;
    for (name, value) in tape.members(0) {
        match tape.said(name).as_deref() {
            Some("actions") => actions = Some(value),
            Some("type") => single = true,
            _ => {}
        }
    }
    let Some(list) = actions else {
        return if single {
            Ok(Form::Single)
        } else {
            Err(Problem::of_response(
                Code::NotAResponse,
                format!("the response is an object without an `actions` list; {WAY_OUT}"),
            ))
        };
    };
    if let Some(name) = tape.duplicate(0) {
        return Err(Problem::of_response(
            Code::DuplicateField,
            format!(
                "the response gives `{}` twice, so none of it was applied; give it once",
                excerpt(&name)
            ),
        ));
    }
    let beside = tape.members(0).filter(|(_, value)| *value != list);
    if beside.into_iter().any(|(_, value)| tape.too_deep(value)) {
        return Err(Problem::of_response(
            Code::UnsupportedValue,
            format!(
                "a member beside `actions` is nested too deep; {WAY_OUT} and nothing beside it"
            ),
        ));
    }
    if tape.part(list) == Part::List {
        Ok(Form::List(list))
    } else {
        Err(Problem::of_response(
            Code::ActionsNotAList,
            format!(
                "`actions` must be a list, but is {}; {WAY_OUT}",
                describe(tape, list)
            ),
        ))
    }
}

/// Reads the action at `at`, and counts the bytes visited beside the tape.
fn read_action(
    tape: &Tape<'_>,
    limits: &Limits,
    index: usize,
    at: At,
    response: &mut Response,
) -> u64 {
    if tape.part(at) != Part::Object {
        response.problems.push(Problem {
            action: Some(index),
            kind: None,
            key: None,
            code: Code::NotAnObject,
            message: format!(
                "each action must be an object with a `type`, but this is {}; write it as one",
                describe(tape, at)
            ),
        });
        return 0;
    }
    let mut fields = Fields::collect(tape, limits, index, at, &mut response.problems);
    let action = fields.kind().map(|kind| match kind {
        ActionKind::CallTool => Action::CallTool(tool_call(&mut fields)),
        ActionKind::Cite => Action::Cite(cite(&mut fields)),
        ActionKind::Claim => Action::Claim(claim(&mut fields)),
        ActionKind::Answer => Action::Answer(answer(&mut fields)),
    });
    if tape.too_deep(at) && fields.clean() {
        fields.too_deep();
    }
    let steps = fields.steps;
    if let Some(action) = action.filter(|_| fields.clean()) {
        response.actions.push((index, action));
    }
    steps
}

fn tool_call(fields: &mut Fields<'_, '_>) -> ToolCall {
    fields.require(&[Field::Tool]);
    ToolCall {
        tool: fields.text(Field::Tool),
        args: fields.args(),
        key: fields.optional_text(Field::Key),
        claim: fields.text(Field::Claim),
    }
}

fn cite(fields: &mut Fields<'_, '_>) -> Cite {
    fields.require(&[Field::Document, Field::Quote, Field::Key]);
    fields.require_value(false);
    Cite {
        document: fields.text(Field::Document),
        quote: fields.text(Field::Quote),
        key: fields.text(Field::Key),
        value: fields.value(),
        claim: fields.text(Field::Claim),
    }
}

fn claim(fields: &mut Fields<'_, '_>) -> Claim {
    fields.require(&[Field::Key]);
    fields.require_value(true);
    Claim {
        key: fields.text(Field::Key),
        value: fields.value(),
        claim: fields.text(Field::Claim),
        follows_from: fields.follows_from(),
        formula: fields.optional_text(Field::Formula),
        confidence: fields.confidence(),
    }
}

fn answer(fields: &mut Fields<'_, '_>) -> Answer {
    fields.require(&[Field::Text]);
    Answer {
        text: fields.answer_text(),
        follows_from: fields.follows_from(),
        confidence: fields.confidence(),
    }
}
