//! One case of the vectors: a session opened, its steps taken, its end compared.

use std::collections::HashMap;

use entail_json::{Number, Object, Value, read_str};
use entail_tests::Client;

type Outcome = Result<(), String>;

/// How close two confidences have to be: the vectors hold nine decimals.
const TOLERANCE: f64 = 1e-9;

struct Player<'a> {
    client: &'a Client,
    session: String,
    context: String,
    visible: Vec<String>,
    conflicts: Vec<String>,
    /// What a tool gives, by its name and its arguments in canonical form.
    results: HashMap<(String, String), Value>,
}

/// Plays a case.
pub(crate) fn play(client: &Client, case: &Value) -> Outcome {
    let session = open(client, case)?;
    let mut player = Player {
        client,
        session,
        context: String::new(),
        visible: Vec::new(),
        conflicts: Vec::new(),
        results: results(case)?,
    };
    player.take_context()?;
    for (number, step) in list(case, "steps")?.iter().enumerate() {
        player
            .step(step)
            .map_err(|fault| format!("step {number}: {fault}"))?;
    }
    player
        .compare_end(member(case, "final")?)
        .map_err(|fault| format!("final: {fault}"))
}

fn open(client: &Client, case: &Value) -> Result<String, String> {
    let documents = member(case, "documents")?
        .as_object()
        .cloned()
        .unwrap_or_default();
    let documents: Value = documents
        .iter()
        .map(|(name, text)| Value::from([("name", name.into()), ("text", text.clone())]))
        .collect();
    let tools = list(case, "tools")?
        .iter()
        .map(tool)
        .collect::<Result<Object, String>>()?;
    let body = Value::from([
        ("task", "the vectors' session".into()),
        (
            "policy",
            Value::from([("dependencies", member(case, "policy")?.clone())]),
        ),
        ("documents", documents),
        ("tools", tools.into()),
        (
            "premises",
            case.get("premises").cloned().unwrap_or_default(),
        ),
    ]);
    let opened = client.post("/sessions", &body);
    if opened.status != 201 {
        return Err(format!("the session was not opened: {}", opened.text()));
    }
    opened
        .header("location")
        .map(str::to_owned)
        .ok_or_else(|| "no location".to_owned())
}

fn tool(tool: &Value) -> Result<(String, Value), String> {
    let mut properties = Object::new();
    let mut required = Vec::new();
    for parameter in list(tool, "parameters")? {
        let name = text(parameter, "name")?;
        let mut schema = Object::from([("type", member(parameter, "type")?.clone())]);
        match parameter.get("default") {
            Some(default) => {
                schema.insert("default", default.clone());
            }
            None => required.push(name.clone()),
        }
        properties.insert(name, schema.into());
    }
    let parameters = Value::from([
        ("type", "object".into()),
        ("properties", properties.into()),
        ("required", required.into()),
        ("additionalProperties", false.into()),
    ]);
    let definition = Value::from([
        ("description", "a tool of the vectors".into()),
        ("parameters", parameters),
        ("trust", member(tool, "trust")?.clone()),
    ]);
    Ok((text(tool, "name")?, definition))
}

fn results(case: &Value) -> Result<HashMap<(String, String), Value>, String> {
    let mut results = HashMap::new();
    for tool in list(case, "tools")? {
        let name = text(tool, "name")?;
        let given = member(tool, "results")?
            .as_object()
            .cloned()
            .unwrap_or_default();
        for (arguments, result) in given.iter() {
            let arguments = read_str(arguments).map_err(|error| error.to_string())?;
            results.insert((name.clone(), arguments.to_string()), result.clone());
        }
    }
    Ok(results)
}

impl Player<'_> {
    fn step(&mut self, step: &Value) -> Outcome {
        if step.get("context").is_some() {
            self.take_context()?;
            let expected = member(step, "expect")?;
            same("visible", &strings(expected, "visible")?, &self.visible)?;
            return same(
                "conflicts",
                &strings(expected, "conflicts")?,
                &self.conflicts,
            );
        }
        if let Some(response) = step.get("turn") {
            let compared = self.turn(response, member(step, "expect")?);
            self.take_context()?;
            return compared;
        }
        let (what, body) = if let Some(premise) = step.get("premise") {
            ("premises", premise.clone())
        } else if let Some(target) = step.get("retract") {
            ("retractions", Value::from([("target", target.clone())]))
        } else if let Some(target) = step.get("restore") {
            ("restorations", Value::from([("target", target.clone())]))
        } else {
            return Err(format!("an unknown step: {step}"));
        };
        self.post(what, &body).map(drop)
    }

    fn take_context(&mut self) -> Outcome {
        let context = self.post("context", &Value::Object(Object::new()))?;
        self.context = text(&context, "id")?;
        self.visible = list(&context, "visible")?
            .iter()
            .map(|shown| text(shown, "ref"))
            .collect::<Result<_, _>>()?;
        self.visible.sort();
        self.conflicts = strings(&context, "conflicts")?;
        Ok(())
    }

    fn turn(&self, response: &Value, expected: &Value) -> Outcome {
        let body = Value::from([
            ("response", response.clone()),
            ("context_id", self.context.as_str().into()),
            ("model", "scripted".into()),
        ]);
        let turn = self.post("turns", &body)?;
        let mut accepted = HashMap::new();
        let mut calls = HashMap::new();
        for action in list(&turn, "accepted")? {
            let at = number(action, "action")?;
            match action.get("call_id").and_then(Value::as_str) {
                Some(call) => {
                    calls.insert(call.to_owned(), at);
                }
                None => {
                    accepted.insert(at, (text(action, "ref")?, member(action, "value")?.clone()));
                }
            }
        }
        let mut rejected = Vec::new();
        for rejection in list(&turn, "rejected")? {
            let action = rejection.get("action").and_then(Value::as_u64);
            rejected.push((action, text(rejection, "code")?));
        }
        self.run(&turn, &calls, &mut accepted, &mut rejected)?;
        let answered = turn.get("answer").is_some_and(|answer| !answer.is_null());
        compare_turn(expected, accepted, rejected, answered)
    }

    /// Runs the calls that a turn opened, and posts what came of them.
    fn run(
        &self,
        turn: &Value,
        calls: &HashMap<String, u64>,
        accepted: &mut HashMap<u64, (String, Value)>,
        rejected: &mut Vec<(Option<u64>, String)>,
    ) -> Outcome {
        let pending = list(turn, "pending_calls")?;
        let mut posted = Vec::new();
        for call in pending {
            let id = text(call, "call_id")?;
            let action = calls.get(&id).copied();
            let tool = text(call, "tool")?;
            let arguments = member(call, "args")?.to_string();
            let result = self.results.get(&(tool, arguments));
            let (outcome, value) = match result.and_then(|result| result.get("value")) {
                Some(value) => ("value", value.clone()),
                None => {
                    let error = result.and_then(|result| result.get("error")).cloned();
                    rejected.push((action, "tool_error".to_owned()));
                    (
                        "error",
                        error.unwrap_or_else(|| "no result is known".into()),
                    )
                }
            };
            posted.push(Value::from([
                ("call_id", id.as_str().into()),
                (outcome, value),
            ]));
        }
        if posted.is_empty() {
            return Ok(());
        }
        let results = self.post("tool-results", &Value::Array(posted))?;
        let errors = list(&results, "rejected")?;
        let told = errors
            .iter()
            .filter(|error| text(error, "code").as_deref() == Ok("tool_error"));
        let failed = rejected
            .iter()
            .filter(|(_, code)| code == "tool_error")
            .count();
        same("errors told of results", &failed, &told.count())?;
        for call in pending {
            let (id, key) = (text(call, "call_id")?, text(call, "key")?);
            let Some(action) = calls.get(&id) else {
                return Err(format!("the pending call {id} was not accepted"));
            };
            if rejected
                .iter()
                .any(|(failed, code)| *failed == Some(*action) && code == "tool_error")
            {
                continue;
            }
            let belief = self.belief(&key)?;
            accepted.insert(
                *action,
                (text(&belief, "ref")?, member(&belief, "value")?.clone()),
            );
        }
        Ok(())
    }

    fn belief(&self, name: &str) -> Result<Value, String> {
        let path = format!("{}/beliefs?ref={}", self.session, encode(name));
        let page = self.client.get(&path);
        let page_read = page.json();
        let items = list(&page_read, "items")?;
        items
            .last()
            .cloned()
            .ok_or_else(|| format!("no belief `{name}`: {}", page.text()))
    }

    fn compare_end(&self, expected: &Value) -> Outcome {
        let mut beliefs = HashMap::new();
        let mut cursor = String::new();
        loop {
            let path = format!("{}/beliefs?limit=2{cursor}", self.session);
            let page = self.client.get(&path).ok();
            for belief in list(&page, "items")? {
                beliefs.insert(text(belief, "ref")?, belief.clone());
            }
            match page.get("next_cursor").and_then(Value::as_str) {
                Some(next) => cursor = format!("&cursor={next}"),
                None => break,
            }
        }
        let with_status = |status: &str| {
            let mut refs: Vec<_> = beliefs
                .iter()
                .filter(|(_, belief)| text(belief, "status").as_deref() == Ok(status))
                .map(|(reference, _)| reference.clone())
                .collect();
            refs.sort();
            refs
        };
        let believed = member(expected, "in")?
            .as_object()
            .cloned()
            .unwrap_or_default();
        let mut names: Vec<_> = believed.iter().map(|(name, _)| name.to_owned()).collect();
        names.sort();
        same("IN", &names, &with_status("IN"))?;
        let mut out = strings(expected, "out")?;
        out.sort();
        same("OUT", &out, &with_status("OUT"))?;
        for (name, value) in believed.iter() {
            let belief = beliefs.get(name).ok_or_else(|| format!("no `{name}`"))?;
            equal(
                &format!("the value of {name}"),
                value,
                member(belief, "value")?,
            )?;
            let source = member(expected, "source")?
                .get(name)
                .cloned()
                .unwrap_or_default();
            same(
                &format!("the source of {name}"),
                &source,
                member(belief, "source")?,
            )?;
            self.compare_support(expected, name, belief)?;
        }
        Ok(())
    }

    fn compare_support(&self, expected: &Value, name: &str, listed: &Value) -> Outcome {
        let wanted = member(expected, "confidence")?
            .get(name)
            .and_then(Value::as_f64);
        let wanted = wanted.ok_or_else(|| format!("no confidence of {name}"))?;
        let found = member(listed, "confidence")?.as_f64().unwrap_or(f64::NAN);
        let close = (wanted - found).abs() <= TOLERANCE;
        if !close {
            return Err(format!("the confidence of {name} is {found}, not {wanted}"));
        }
        let Some(_) = member(expected, "antecedents")?.get(name) else {
            return Ok(());
        };
        let whole = self
            .client
            .get(&format!("{}/beliefs/{}", self.session, encode(name)))
            .ok();
        let justifications = list(&whole, "justifications")?;
        let supporting = justifications
            .iter()
            .find(|given| given.get("supporting").and_then(Value::as_bool) == Some(true))
            .ok_or_else(|| format!("nothing supports {name}"))?;
        let mut found = strings(supporting, "antecedents")?;
        found.sort();
        let mut wanted = strings(member(expected, "antecedents")?, name)?;
        wanted.sort();
        same(&format!("the antecedents of {name}"), &wanted, &found)
    }

    fn post(&self, what: &str, body: &Value) -> Result<Value, String> {
        let answer = self.client.post(&format!("{}/{what}", self.session), body);
        if answer.status == 200 {
            Ok(answer.json())
        } else {
            Err(format!("{what}: {} {}", answer.status, answer.text()))
        }
    }
}

fn compare_turn(
    expected: &Value,
    mut accepted: HashMap<u64, (String, Value)>,
    mut rejected: Vec<(Option<u64>, String)>,
    answered: bool,
) -> Outcome {
    for action in list(expected, "accepted")? {
        let number = number(action, "action")?;
        let (reference, value) = accepted
            .remove(&number)
            .ok_or_else(|| format!("action {number} was not accepted; rejected: {rejected:?}"))?;
        same(
            &format!("the ref of action {number}"),
            &text(action, "ref")?,
            &reference,
        )?;
        equal(
            &format!("the value of action {number}"),
            member(action, "value")?,
            &value,
        )?;
    }
    if !accepted.is_empty() {
        return Err(format!("accepted without being expected: {accepted:?}"));
    }
    let mut wanted = Vec::new();
    for rejection in list(expected, "rejected")? {
        let action = rejection.get("action").and_then(Value::as_u64);
        wanted.push((action, text(rejection, "code")?));
    }
    wanted.sort();
    rejected.sort();
    same("rejected", &wanted, &rejected)?;
    same(
        "answered",
        &member(expected, "answered")?.as_bool(),
        &Some(answered),
    )
}

/// Compares values as the vectors mean them: an integer and a float of one value are equal.
fn equal(what: &str, wanted: &Value, found: &Value) -> Outcome {
    same(what, &loose(wanted), &loose(found))
}

fn loose(value: &Value) -> Value {
    match value {
        Value::Number(number) => Number::from_f64(number.as_f64()).into(),
        Value::Array(items) => items.iter().map(loose).collect(),
        Value::Object(members) => members
            .iter()
            .map(|(name, value)| (name.to_owned(), loose(value)))
            .collect::<Object>()
            .into(),
        other => other.clone(),
    }
}

fn same<T: PartialEq + std::fmt::Debug>(what: &str, wanted: &T, found: &T) -> Outcome {
    if wanted == found {
        return Ok(());
    }
    Err(format!("{what}: expected {wanted:?}, found {found:?}"))
}

fn member<'a>(value: &'a Value, name: &str) -> Result<&'a Value, String> {
    value
        .get(name)
        .ok_or_else(|| format!("no `{name}` in {value}"))
}

fn text(value: &Value, name: &str) -> Result<String, String> {
    let text = member(value, name)?.as_str();
    text.map(str::to_owned)
        .ok_or_else(|| format!("`{name}` is no string in {value}"))
}

fn number(value: &Value, name: &str) -> Result<u64, String> {
    member(value, name)?
        .as_u64()
        .ok_or_else(|| format!("`{name}` is no number in {value}"))
}

fn list<'a>(value: &'a Value, name: &str) -> Result<&'a [Value], String> {
    let list = member(value, name)?.as_array();
    list.ok_or_else(|| format!("`{name}` is no list in {value}"))
}

fn strings(value: &Value, name: &str) -> Result<Vec<String>, String> {
    list(value, name)?
        .iter()
        .map(|item| {
            item.as_str()
                .map(str::to_owned)
                .ok_or_else(|| format!("{item} is no string"))
        })
        .collect()
}

fn encode(text: &str) -> String {
    text.bytes().map(|byte| format!("%{byte:02X}")).collect()
}
