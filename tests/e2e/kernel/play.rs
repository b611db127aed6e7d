//! One case: a session opened, its steps taken, each compared.

use std::time::Instant;

use entail_json::{Object, Value};
use entail_tests::Client;

use crate::reading::{list, member, refs, segment, split, text};

/// Every span of time of a case is so many times as long in its session. Where the clock of the
/// case stands still that changes nothing, and the little by which that of the service moves
/// weighs next to nothing: nothing expires under way.
const STRETCH: f64 = 1e9;

/// A session, and what is known of it.
pub(crate) struct Player<'a> {
    pub(crate) client: &'a Client,
    /// The path of the session.
    pub(crate) session: String,
    /// The keys in the order in which they came to be.
    keys: Vec<String>,
    /// The version that the step before made.
    version: Value,
    opened: Instant,
    /// How fast a confidence may move at most: the share of a second.
    drift: f64,
}

/// Plays the first steps of a case; its end is compared when those are all.
pub(crate) fn play(client: &Client, case: &Value, playable: usize) -> Result<(), String> {
    let steps = list(case, "steps")?;
    let mut player = Player::open(client, case, steps)?;
    for (at, step) in steps.iter().take(playable).enumerate() {
        let told = player.step(step);
        told.map_err(|fault| format!("step {at}, {step}: {fault}"))?;
    }
    if playable < steps.len() {
        return Ok(());
    }
    let compared = player.compare_end(member(case, "final")?);
    compared.map_err(|fault| format!("final: {fault}"))
}

impl<'a> Player<'a> {
    #[expect(
        clippy::disallowed_methods,
        reason = "the service reads a clock, so what its answers may differ by follows from one"
    )]
    fn open(client: &'a Client, case: &Value, steps: &[Value]) -> Result<Self, String> {
        let opened = Instant::now();
        let ledger = stretched(member(case, "ledger")?, "ledger")?;
        let memory = span(&ledger, "memory_half_life_s");
        let spans = steps.iter().filter_map(|step| span(step, "half_life_s"));
        let shortest = spans
            .map(|span| span * STRETCH)
            .chain(memory)
            .fold(f64::INFINITY, f64::min);
        let body = Value::from([
            ("task", "the vectors' session".into()),
            ("policy", Value::from([("ledger", ledger)])),
        ]);
        let answer = client.post("/sessions", &body);
        let session = answer.header("location").filter(|_| answer.status == 201);
        Ok(Self {
            client,
            session: session.ok_or_else(|| answer.text().to_owned())?.to_owned(),
            keys: Vec::new(),
            version: member(&answer.json(), "version")?.clone(),
            opened,
            // A confidence adds up what its premises lost, each at most once a step.
            drift: std::f64::consts::LN_2 / shortest * steps.len() as f64,
        })
    }

    /// How far two confidences may be apart: the vectors have nine decimals, and what has a
    /// half-life has faded a little since the session was opened.
    pub(crate) fn tolerance(&self) -> f64 {
        0.5000001e-9 + self.opened.elapsed().as_secs_f64() * self.drift
    }

    fn step(&mut self, step: &Value) -> Result<(), String> {
        let mut told = self.perform(step)?;
        let page = self.beliefs("?status=IN&limit=1000")?;
        let before = std::mem::replace(&mut self.version, member(&page, "version")?.clone());
        if told.get("error").is_some() && self.version != before {
            return Err(format!("refused, yet it made version {}", self.version));
        }
        let mut believed = refs(&page)?
            .into_iter()
            .map(|name| {
                let (key, revision) = split(&name)?;
                let at = self.keys.iter().position(|known| known == key);
                Ok((at, revision, name))
            })
            .collect::<Result<Vec<_>, String>>()?;
        believed.sort();
        let believed = believed.into_iter().map(|(_, _, name)| name);
        told.insert("in", believed.collect());
        let (told, given) = (Value::from(told), member(step, "expect")?);
        if told == *given {
            return Ok(());
        }
        Err(format!("{told}"))
    }

    /// Performs a step: what the vectors tell of it, but for what is believed after it.
    fn perform(&mut self, step: &Value) -> Result<Object, String> {
        let body = stretched(step, "step")?;
        let op = text(step, "op")?;
        let path = match op {
            "assert" => "premises",
            "justify" => "justifications",
            "retract" => "retractions",
            "restore" => "restorations",
            "outcome" => "outcomes",
            "resolve" => return self.resolve(step),
            other => return Err(format!("operation `{other}` is not known here")),
        };
        let refs = match self.post(path, &body)? {
            Ok(refs) => refs,
            Err(code) => return Ok(Object::from([("error", code.into())])),
        };
        match op {
            "retract" => Ok(Object::from([("retracted", refs.into_iter().collect())])),
            "outcome" if refs.is_empty() => Ok(Object::new()),
            "outcome" => Err(format!("an outcome touched {refs:?}")),
            _ => {
                let [reference] = refs.as_slice() else {
                    return Err(format!("not one ref: {refs:?}"));
                };
                let (key, _) = split(reference)?;
                if !self.keys.iter().any(|known| known == key) {
                    self.keys.push(key.to_owned());
                }
                Ok(Object::from([("ref", reference.as_str().into())]))
            }
        }
    }

    fn resolve(&self, step: &Value) -> Result<Object, String> {
        let (key, learn) = (text(step, "key")?, member(step, "learn")?);
        let conflicts = self.get("/conflicts?limit=1000")?;
        let conflict = list(&conflicts, "items")?
            .iter()
            .find(|conflict| conflict.get("key").and_then(Value::as_str) == Some(key));
        let (id, kept) = match conflict {
            Some(conflict) => {
                let sides = list(conflict, "sides")?;
                let wanted = member(step, "keep")?.as_u64().ok_or("`keep` is no index")?;
                let wanted = usize::try_from(wanted).map_err(|error| error.to_string())?;
                let side = sides.get(wanted % sides.len()).ok_or("no sides")?;
                (text(conflict, "id")?.to_owned(), text(side, "ref")?)
            }
            None => (format!("value:{key}"), key),
        };
        let body = Value::from([("keep", kept.into()), ("learn", learn.clone())]);
        let path = format!("conflicts/{}/resolution", segment(&id));
        Ok(match self.post(&path, &body)? {
            Ok(refs) => Object::from([
                ("retracted", refs.into_iter().collect()),
                ("kept", kept.into()),
            ]),
            Err(code) => Object::from([("error", code.into())]),
        })
    }

    /// The refs that a request touched, or the code with which it was refused.
    pub(crate) fn post(
        &self,
        path: &str,
        body: &Value,
    ) -> Result<Result<Vec<String>, String>, String> {
        let path = format!("{}/{path}", self.session);
        let answer = self.client.post(&path, body);
        if answer.status != 200 {
            return Ok(Err(answer.code()));
        }
        crate::reading::texts(&answer.json(), "refs").map(Ok)
    }

    pub(crate) fn beliefs(&self, query: &str) -> Result<Value, String> {
        self.get(&format!("/beliefs{query}"))
    }

    pub(crate) fn get(&self, path: &str) -> Result<Value, String> {
        let answer = self.client.get(&format!("{}{path}", self.session));
        if answer.status == 200 {
            return Ok(answer.json());
        }
        Err(format!("{path}: {}", answer.text()))
    }
}

/// The members of a step or of a ledger's settings as a request has them.
fn stretched(value: &Value, what: &str) -> Result<Value, String> {
    let object = value.as_object();
    let object = object.ok_or_else(|| format!("a {what} is no object: {value}"))?;
    let members = object
        .iter()
        .filter(|(name, _)| !["op", "expect"].contains(name));
    let members = members.map(|(name, given)| {
        let given = match span(value, name).filter(|_| name.ends_with("_s")) {
            Some(span) => entail_json::Number::from_f64(span * STRETCH).into(),
            None => given.clone(),
        };
        (name.to_owned(), given)
    });
    Ok(members.collect::<Object>().into())
}

fn span(value: &Value, name: &str) -> Option<f64> {
    value.get(name).and_then(Value::as_f64)
}
