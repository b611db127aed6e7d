//! Commands as they came, for the journal.
//!
//! What an event holds in full (a document's text by its digest, a result's value) is named here
//! and not written a second time.

use entail_json::{Number, Object, Value};
use entail_kernel::base::{Antecedents, Expiry, Fault, Premise, Source, Step};
use entail_kernel::confidence::Totals;

use crate::command::{
    Command, ConstraintDefinition, Opening, Patch, RuleDefinition, Told, ToolResult, Turn,
    TurnContext,
};
use crate::options::labels_value;

pub(crate) fn of_opening(opening: &Opening) -> Value {
    let documents: Value = opening
        .documents
        .iter()
        .map(|(name, document)| {
            Value::from([
                ("name", name.as_str().into()),
                ("sha256", document.id().into()),
            ])
        })
        .collect();
    let tools: Value = opening
        .tools
        .iter()
        .map(|(name, _)| name.as_str())
        .collect();
    let ledger: Object = opening
        .ledger
        .iter()
        .map(|(source, totals)| (source.clone(), totals_value(totals)))
        .collect();
    Value::from([
        ("task", opening.task.as_str().into()),
        ("instructions", opening.instructions.clone().into()),
        ("policy", opening.policy.to_value()),
        ("documents", documents),
        ("tools", tools),
        (
            "rules",
            opening
                .rules
                .iter()
                .map(|(name, rule)| named(name, rule_value(rule)))
                .collect(),
        ),
        (
            "constraints",
            opening
                .constraints
                .iter()
                .map(|(name, c)| named(name, constraint_value(c)))
                .collect(),
        ),
        ("premises", opening.premises.iter().map(premise).collect()),
        ("plan", opening.plan.clone().into()),
        ("labels", labels_value(&opening.labels)),
        (
            "expires_at",
            opening.expires_at.map(|time| time.to_string()).into(),
        ),
        ("ledger", ledger.into()),
    ])
}

pub(crate) fn of(command: &Command) -> Value {
    match command {
        Command::Turn(turn) => of_turn(turn),
        Command::ToolResults(results) => {
            Value::from([("results", results.iter().map(result).collect())])
        }
        Command::Premises(premises) => {
            Value::from([("premises", premises.iter().map(premise).collect())])
        }
        Command::Retract(retraction) => Value::from([
            ("target", retraction.target.as_str().into()),
            ("reason", retraction.reason.clone().into()),
            (
                "fault",
                match retraction.fault {
                    Fault::None => "none",
                    Fault::Source => "source",
                }
                .into(),
            ),
        ]),
        Command::Restore { target } => Value::from([("target", target.as_str().into())]),
        Command::PutDocument { name, document } => Value::from([
            ("name", name.as_str().into()),
            ("sha256", document.id().into()),
            ("bytes", document.text().len().into()),
        ]),
        Command::PutTool { name, .. } | Command::DeleteTool { name } => {
            Value::from([("name", name.as_str().into())])
        }
        Command::GiveUpCall { call_id } => Value::from([("call_id", call_id.as_str().into())]),
        Command::Close(closing) => Value::from([
            ("how", closing.word().into()),
            ("reason", closing.reason().map(str::to_owned).into()),
        ]),
        Command::Reopen | Command::Refresh | Command::Propagate => Object::new().into(),
        Command::Justify(step) => of_step(step),
        Command::Derive(derivation) => Value::from([
            ("key", derivation.key.as_str().into()),
            ("rule", derivation.rule.as_str().into()),
            ("inputs", texts(&derivation.inputs)),
            ("unless", texts(&derivation.unless)),
            ("claim", derivation.claim.clone().into()),
        ]),
        Command::PutRule { name, rule } => named(name, rule_value(rule)),
        Command::PutConstraint { name, constraint } => named(name, constraint_value(constraint)),
        Command::DeleteRule { name } | Command::DeleteConstraint { name } => {
            Value::from([("name", name.as_str().into())])
        }
        Command::Resolve {
            conflict,
            settlement,
        } => Value::from([
            ("conflict", conflict.as_str().into()),
            ("keep", texts(&settlement.keep)),
            ("retract", texts(&settlement.retract)),
            ("reason", settlement.reason.clone().into()),
            ("learn", settlement.learn.into()),
        ]),
        Command::Outcomes(told) => {
            let one = |told: &Told| {
                let source = told.source.as_str().into();
                Value::from([("source", source), ("correct", told.correct.into())])
            };
            Value::from([("outcomes", told.iter().map(one).collect())])
        }
        Command::Reverify(reverification) => Value::from([
            ("keys", texts(&reverification.keys)),
            ("faded", Number::from_f64(reverification.faded).into()),
        ]),
        Command::Rederive { key, turn } => {
            let mut payload = of_turn(turn);
            if let Value::Object(object) = &mut payload {
                object.insert("key", key.as_str().into());
            }
            payload
        }
        Command::Patch(patch) => of_patch(patch),
    }
}

fn texts(texts: &[String]) -> Value {
    texts.iter().map(String::as_str).collect()
}

fn named(name: &str, value: Value) -> Value {
    Value::from([("name", name.into()), ("definition", value)])
}

fn rule_value(rule: &RuleDefinition) -> Value {
    Value::from([
        ("parameters", texts(&rule.parameters)),
        ("expression", rule.expression.as_str().into()),
        (
            "confidence",
            rule.confidence.and_then(Number::from_f64).into(),
        ),
    ])
}

fn constraint_value(constraint: &ConstraintDefinition) -> Value {
    let inputs = constraint.inputs.iter().map(|(name, key)| {
        Value::from([("name", name.as_str().into()), ("key", key.as_str().into())])
    });
    Value::from([
        ("inputs", inputs.collect()),
        ("expression", constraint.expression.as_str().into()),
    ])
}

fn of_step(step: &Step) -> Value {
    let antecedents = match &step.antecedents {
        Antecedents::Named(names) => texts(names),
        // Handles mean nothing outside; what they named is in the events.
        Antecedents::Beliefs(_) | Antecedents::Set(_) => Value::Null,
    };
    Value::from([
        ("key", step.key.as_str().into()),
        ("value", step.value.clone().into()),
        ("claim", step.claim.clone().into()),
        ("antecedents", antecedents),
        ("source", source_value(&step.source)),
        ("formula", step.formula.clone().into()),
        (
            "confidence",
            step.confidence.and_then(Number::from_f64).into(),
        ),
        ("unless", texts(&step.unless)),
        ("inputs", texts(&step.inputs)),
        ("note", step.note.clone().into()),
        ("metadata", step.metadata.clone().into()),
    ])
}

fn of_turn(turn: &Turn) -> Value {
    let context = match &turn.context {
        TurnContext::Given(context) => Value::from(context.id.as_str()),
        TurnContext::Present { .. } => Value::Null,
    };
    Value::from([
        ("response", turn.response.as_str().into()),
        ("context_id", context),
        ("model", turn.model.clone().into()),
        ("step_id", turn.step_id.clone().into()),
    ])
}

fn result(result: &ToolResult) -> Value {
    let word = if result.result.is_ok() {
        "value"
    } else {
        "error"
    };
    Value::from([
        ("call_id", result.call_id.as_str().into()),
        ("outcome", word.into()),
    ])
}

fn of_patch(patch: &Patch) -> Value {
    let mut object = Object::new();
    if let Some(labels) = &patch.labels {
        object.insert("labels", labels_value(labels));
    }
    if let Some(policy) = &patch.policy {
        object.insert("policy", policy.to_value());
    }
    if let Some(expires_at) = &patch.expires_at {
        object.insert("expires_at", expires_at.map(|time| time.to_string()).into());
    }
    object.into()
}

fn premise(premise: &Premise) -> Value {
    let mut object = Object::from([
        ("key", premise.key.as_str().into()),
        ("value", premise.value.clone()),
        ("source", source_value(&premise.source)),
    ]);
    let mut some = |name: &str, value: Option<Value>| {
        if let Some(value) = value {
            object.insert(name, value);
        }
    };
    let seconds = |span: entail_kernel::Span| Value::from(Number::from_f64(span.seconds()));
    some("claim", premise.claim.as_deref().map(Value::from));
    some(
        "confidence",
        premise
            .confidence
            .map(|share| Number::from_f64(share).into()),
    );
    some("half_life_s", premise.half_life.map(seconds));
    some("supersede", premise.supersede.then_some(true.into()));
    some("metadata", premise.metadata.clone().map(Value::from));
    some("note", premise.note.as_deref().map(Value::from));
    match premise.expiry {
        None => {}
        Some(Expiry::At(time)) => some("valid_until", Some(time.to_string().into())),
        Some(Expiry::After(span)) => some("ttl_s", Some(seconds(span))),
    }
    object.into()
}

fn source_value(source: &Source) -> Value {
    let mut object = Object::from([("name", source.to_string().into())]);
    if let Some(arguments) = &source.arguments {
        object.insert("args", arguments.clone());
    }
    if let Some(quote) = &source.quote {
        object.insert("quote", quote.as_str().into());
    }
    if let Some(origin) = &source.origin {
        object.insert("origin", origin.as_str().into());
    }
    object.into()
}

fn totals_value(totals: &Totals) -> Value {
    Value::from([
        ("correct", Number::from_f64(totals.correct).into()),
        ("total", Number::from_f64(totals.total).into()),
        ("as_of", totals.as_of.to_string().into()),
    ])
}
