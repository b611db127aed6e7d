//! The scripted sessions of `turns.jsonl`, and how to play one through whatever drives a session.
//!
//! This file stands on its own (it needs `entail-json` alone), so that the same scripts can be
//! played through the library and over HTTP: `#[path]` it, implement [`Driver`], call [`play`].

#![allow(
    unreachable_pub,
    reason = "several test targets take this file in as a module"
)]

use std::collections::BTreeMap;

use entail_json::{Object, Value, read_str};

/// The file itself.
pub const FILE: &str = include_str!(concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../tests/vectors/turns.jsonl"
));

/// How many cases the file has.
pub const CASES: usize = 18;

/// The name of the model in every case.
pub const MODEL: &str = "scripted";

/// One scripted session.
#[derive(Clone, Debug)]
pub struct Case {
    pub id: String,
    /// `conservative` or `declared`
    pub policy: String,
    pub documents: Vec<(String, String)>,
    pub tools: Vec<ScriptTool>,
    /// `{key, value, source, supersede?}` each
    pub premises: Vec<Value>,
    steps: Vec<Value>,
    last: Value,
}

/// A tool of a case.
#[derive(Clone, Debug)]
pub struct ScriptTool {
    pub name: String,
    /// `high`, `medium`, `low` or a number
    pub trust: Value,
    /// A JSON Schema.
    pub parameters: Value,
    /// What it returns: arguments, and `{"value": …}` or `{"error": …}`.
    results: Vec<(Value, Value)>,
}

/// What a context showed.
#[derive(Clone, Debug, Default)]
pub struct Shown {
    pub visible: Vec<String>,
    pub conflicts: Vec<String>,
}

/// What a turn came to.
#[derive(Clone, Debug, Default)]
pub struct Turned {
    /// Action, type, ref (none for a call), value (none for a call).
    pub accepted: Vec<(usize, String, Option<String>, Option<Value>)>,
    /// Action and code.
    pub rejected: Vec<(Option<usize>, String)>,
    pub answered: bool,
    /// Calls that this turn opened: the action that asked, the call's id, tool and arguments.
    pub pending: Vec<(usize, String, String, Value)>,
}

/// What is known of a belief at the end.
#[derive(Clone, Debug, Default)]
pub struct Known {
    pub value: Value,
    pub is_in: bool,
    /// Refs of the antecedents of the supporting justification, in any order.
    pub antecedents: Vec<String>,
    /// The supporting justification's `kind:name`.
    pub source: String,
    pub confidence: f64,
}

/// A session that can be driven.
pub trait Driver {
    /// Takes a context; the next turn answers it.
    fn context(&mut self) -> Shown;
    /// Posts a response to the context last taken.
    fn turn(&mut self, response: &str) -> Turned;
    /// Posts results (`{"value": …}` or `{"error": …}`) as one list; gives for each the ref and
    /// value of the premise it made, or the code of its rejection.
    fn results(&mut self, results: &[(String, Value)]) -> Vec<Result<(String, Value), String>>;
    fn premise(&mut self, premise: &Value);
    fn retract(&mut self, target: &str);
    fn restore(&mut self, target: &str);
    /// Every belief by its ref.
    fn beliefs(&mut self) -> BTreeMap<String, Known>;
}

/// The cases of the file.
pub fn cases() -> Vec<Case> {
    FILE.lines()
        .map(|line| read_case(&read_str(line).unwrap()))
        .collect()
}

fn read_case(case: &Value) -> Case {
    let text = |name: &str| case.get(name).unwrap().as_str().unwrap().to_owned();
    let list = |name: &str| {
        case.get(name)
            .and_then(Value::as_array)
            .map(<[Value]>::to_vec)
            .unwrap_or_default()
    };
    let documents = case.get("documents").unwrap().as_object().unwrap();
    Case {
        id: text("id"),
        policy: text("policy"),
        documents: documents
            .iter()
            .map(|(name, text)| (name.to_owned(), text.as_str().unwrap().to_owned()))
            .collect(),
        tools: list("tools").iter().map(read_tool).collect(),
        premises: list("premises"),
        steps: list("steps"),
        last: case.get("final").unwrap().clone(),
    }
}

fn read_tool(tool: &Value) -> ScriptTool {
    let mut properties = Object::new();
    let mut required = Vec::new();
    for parameter in tool.get("parameters").unwrap().as_array().unwrap() {
        let name = parameter.get("name").unwrap().as_str().unwrap();
        let mut schema = Object::from([("type", parameter.get("type").unwrap().clone())]);
        match parameter.get("default") {
            Some(default) => {
                schema.insert("default", default.clone());
            }
            None => required.push(name.to_owned()),
        }
        properties.insert(name, schema.into());
    }
    let results = tool.get("results").unwrap().as_object().unwrap();
    ScriptTool {
        name: tool.get("name").unwrap().as_str().unwrap().to_owned(),
        trust: tool.get("trust").unwrap().clone(),
        parameters: Value::from([
            ("type", "object".into()),
            ("properties", properties.into()),
            ("required", required.into_iter().collect()),
            ("additionalProperties", false.into()),
        ]),
        results: results
            .iter()
            .map(|(arguments, result)| (read_str(arguments).unwrap(), result.clone()))
            .collect(),
    }
}

/// Plays a case and compares what comes of every step with what is expected.
///
/// A context is taken at the start and after every turn, once its results are posted.
pub fn play(case: &Case, driver: &mut dyn Driver) -> Result<(), String> {
    driver.context();
    for (index, step) in case.steps.iter().enumerate() {
        let object = step.as_object().unwrap();
        let expect = step.get("expect");
        let fail = |what: String| format!("step {}: {what}", index + 1);
        if object.contains("context") {
            compare_context(&driver.context(), expect.unwrap()).map_err(fail)?;
        } else if let Some(Value::String(response)) = object.get("turn") {
            let turned = play_turn(case, driver, response);
            compare_turn(&turned, expect.unwrap()).map_err(fail)?;
            driver.context();
        } else if let Some(premise) = object.get("premise") {
            driver.premise(premise);
        } else if let Some(Value::String(target)) = object.get("retract") {
            driver.retract(target);
        } else if let Some(Value::String(target)) = object.get("restore") {
            driver.restore(target);
        } else {
            return Err(fail(format!("unknown step {step}")));
        }
    }
    compare_final(&driver.beliefs(), &case.last)
}

/// A turn with its results posted: a call's result joins what was accepted, its error what was
/// rejected.
fn play_turn(case: &Case, driver: &mut dyn Driver, response: &str) -> Turned {
    let mut turned = driver.turn(response);
    let results: Vec<(String, Value)> = turned
        .pending
        .iter()
        .map(|(_, id, tool, arguments)| (id.clone(), result_of(case, tool, arguments)))
        .collect();
    if results.is_empty() {
        return turned;
    }
    let outcomes = driver.results(&results);
    for ((action, ..), outcome) in turned.pending.iter().zip(outcomes) {
        match outcome {
            Ok((reference, value)) => {
                let taken = turned
                    .accepted
                    .iter_mut()
                    .find(|taken| taken.0 == *action)
                    .unwrap();
                taken.2 = Some(reference);
                taken.3 = Some(value);
            }
            Err(code) => {
                turned.accepted.retain(|taken| taken.0 != *action);
                turned.rejected.push((Some(*action), code));
            }
        }
    }
    turned.rejected.sort();
    turned
}

fn result_of(case: &Case, tool: &str, arguments: &Value) -> Value {
    let tool = case.tools.iter().find(|there| there.name == tool).unwrap();
    let known = tool.results.iter().find(|(given, _)| given == arguments);
    known.map_or_else(
        || Value::from([("error", "nothing is known for these arguments".into())]),
        |(_, result)| result.clone(),
    )
}

fn compare_context(shown: &Shown, expect: &Value) -> Result<(), String> {
    let mut visible = shown.visible.clone();
    visible.sort();
    same("visible", &visible, &texts(expect.get("visible")))?;
    same(
        "conflicts",
        &shown.conflicts,
        &texts(expect.get("conflicts")),
    )
}

fn compare_turn(turned: &Turned, expect: &Value) -> Result<(), String> {
    let accepted: Vec<_> = list(expect, "accepted")
        .iter()
        .map(|one| {
            let text = |name: &str| one.get(name).and_then(Value::as_str).map(str::to_owned);
            let action = usize::try_from(one.get("action").unwrap().as_u64().unwrap()).unwrap();
            (
                action,
                text("type").unwrap(),
                text("ref"),
                one.get("value").cloned(),
            )
        })
        .collect();
    same("accepted", &turned.accepted, &accepted)?;
    let rejected: Vec<_> = list(expect, "rejected")
        .iter()
        .map(|one| {
            let action = one.get("action").and_then(Value::as_u64);
            let action = action.map(|action| usize::try_from(action).unwrap());
            (
                action,
                one.get("code").unwrap().as_str().unwrap().to_owned(),
            )
        })
        .collect();
    same("rejected", &turned.rejected, &rejected)?;
    same(
        "answered",
        &turned.answered,
        &(expect.get("answered") == Some(&true.into())),
    )
}

fn compare_final(beliefs: &BTreeMap<String, Known>, last: &Value) -> Result<(), String> {
    let members = |name: &str| {
        let object = last.get(name).unwrap().as_object().unwrap();
        let members = object
            .iter()
            .map(|(name, value)| (name.to_owned(), value.clone()));
        members.collect::<BTreeMap<String, Value>>()
    };
    let of = |is_in: bool| {
        beliefs
            .iter()
            .filter(move |(_, known)| known.is_in == is_in)
    };
    let believed: BTreeMap<_, _> = of(true)
        .map(|(name, known)| (name.clone(), known.value.clone()))
        .collect();
    if believed.keys().ne(members("in").keys()) {
        return Err(format!(
            "in: {:?}, expected {:?}",
            believed.keys(),
            members("in").keys()
        ));
    }
    for (reference, value) in members("in") {
        same(
            &format!("value of {reference}"),
            &believed[&reference],
            &value,
        )?;
    }
    let out: Vec<_> = of(false).map(|(name, _)| name.clone()).collect();
    same("out", &out, &texts(last.get("out")))?;
    for (reference, expected) in members("antecedents") {
        let mut antecedents = beliefs[&reference].antecedents.clone();
        antecedents.sort();
        same(
            &format!("antecedents of {reference}"),
            &antecedents,
            &texts(Some(&expected)),
        )?;
    }
    for (reference, expected) in members("source") {
        let source = beliefs[&reference].source.as_str();
        same(
            &format!("source of {reference}"),
            &Some(source),
            &expected.as_str(),
        )?;
    }
    for (reference, expected) in members("confidence") {
        let (found, expected) = (beliefs[&reference].confidence, expected.as_f64().unwrap());
        if (found - expected).abs() > 1e-9 {
            return Err(format!(
                "confidence of {reference}: {found}, expected {expected}"
            ));
        }
    }
    Ok(())
}

fn list<'v>(value: &'v Value, name: &str) -> &'v [Value] {
    value.get(name).and_then(Value::as_array).unwrap()
}

fn texts(value: Option<&Value>) -> Vec<String> {
    let items = value.and_then(Value::as_array).unwrap().iter();
    items
        .map(|item| item.as_str().unwrap().to_owned())
        .collect()
}

fn same<T: PartialEq + std::fmt::Debug>(what: &str, found: &T, expected: &T) -> Result<(), String> {
    if found == expected {
        Ok(())
    } else {
        Err(format!("{what}: {found:?}, expected {expected:?}"))
    }
}
