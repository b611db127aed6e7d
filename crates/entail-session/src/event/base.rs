//! The belief base's events as JSON.

use entail_json::{Number, Object, Value};
use entail_kernel::base::{
    Citation, Event, JustificationKind, Lesson, Record, Ref, Settings, Source,
};
use entail_kernel::confidence::Totals;

use super::read::Members;
use super::{insert_text, shared, tagged};
use crate::options::{ledger_value, read_ledger, read_trust, trust_value};

pub(super) fn to_value(event: &Event) -> Value {
    match event {
        Event::Configured(settings) => {
            tagged("configured", [("settings", settings_value(settings))], |_| {})
        }
        Event::Seeded { source, totals } => tagged(
            "seeded",
            [("source", text(source)), ("totals", totals_value(totals))],
            |_| {},
        ),
        Event::Rated { source, prior } => {
            tagged("rated", [("source", text(source)), ("prior", optional_float(*prior))], |_| {})
        }
        Event::BeliefAdded { belief, value, claim, metadata, at } => tagged(
            "belief_added",
            [("ref", reference(belief)), ("value", value.clone()), ("at", time(at))],
            |object| {
                insert_text(object, "claim", claim.as_deref());
                if let Some(metadata) = metadata {
                    object.insert("metadata", metadata.clone().into());
                }
            },
        ),
        Event::SetAdded { set, extends, refs } => tagged(
            "set_added",
            [
                ("set", (*set).into()),
                ("extends", (*extends).into()),
                ("refs", refs.iter().map(reference).collect()),
            ],
            |_| {},
        ),
        Event::JustificationAdded { justification, belief, record } => {
            justification_value("justification_added", *justification, belief, record)
        }
        Event::JustificationReplaced { justification, belief, record } => {
            justification_value("justification_replaced", *justification, belief, record)
        }
        Event::Retracted { belief, reason, at } => {
            tagged("retracted", [("ref", reference(belief)), ("at", time(at))], |object| {
                insert_text(object, "reason", reason.as_deref());
            })
        }
        Event::Restored { belief, at } => {
            tagged("restored", [("ref", reference(belief)), ("at", time(at))], |_| {})
        }
        Event::Expired { justifications, at } => tagged(
            "expired",
            [("justifications", justifications.iter().copied().collect()), ("at", time(at))],
            |_| {},
        ),
        Event::Outcome { source, correct, lesson, at } => tagged(
            "outcome",
            [
                ("source", text(source)),
                ("correct", (*correct).into()),
                ("lesson", lesson.word().into()),
                ("at", time(at)),
            ],
            |_| {},
        ),
        Event::RuleSet { name, version, parameters, expression, confidence, at } => tagged(
            "rule_set",
            [
                ("name", text(name)),
                ("version", (*version).into()),
                ("parameters", parameters.iter().map(String::as_str).collect()),
                ("expression", expression.as_str().into()),
                ("confidence", float(*confidence)),
                ("at", time(at)),
            ],
            |_| {},
        ),
        Event::RuleRemoved { name, at } => {
            tagged("rule_removed", [("name", text(name)), ("at", time(at))], |_| {})
        }
        Event::ConstraintSet { name, version, inputs, expression, at } => tagged(
            "constraint_set",
            [
                ("name", text(name)),
                ("version", (*version).into()),
                ("inputs", inputs.iter().map(|(name, key)| pair(name, key)).collect()),
                ("expression", expression.as_str().into()),
                ("at", time(at)),
            ],
            |_| {},
        ),
        Event::ConstraintRemoved { name, at } => {
            tagged("constraint_removed", [("name", text(name)), ("at", time(at))], |_| {})
        }
        Event::Resolved { conflict, by, kept, retracted, reason, at } => tagged(
            "resolved",
            [
                ("conflict", conflict.as_str().into()),
                ("by", by.as_str().into()),
                ("kept", kept.iter().map(reference).collect()),
                ("retracted", retracted.iter().map(reference).collect()),
                ("at", time(at)),
            ],
            |object| insert_text(object, "reason", reason.as_deref()),
        ),
        // Written so that reading it fails by name rather than passing over what happened.
        other => tagged("unknown", [("debug", format!("{other:?}").into())], |_| {}),
    }
}

pub(super) fn read(word: &str, members: &Members<'_>) -> Result<Event, String> {
    Ok(match word {
        "configured" => {
            Event::Configured(Box::new(read_settings(&Members::of(members.value("settings")?)?)?))
        }
        "seeded" => {
            let totals = Members::of(members.value("totals")?)?;
            Event::Seeded {
                source: shared(members.text("source")?),
                totals: Totals {
                    correct: totals.float("correct")?,
                    total: totals.float("total")?,
                    as_of: totals.parsed("as_of")?,
                },
            }
        }
        "rated" => Event::Rated {
            source: shared(members.text("source")?),
            prior: members.optional_float("prior")?,
        },
        "belief_added" => Event::BeliefAdded {
            belief: read_ref(members.text("ref")?)?,
            value: members.value("value")?.clone(),
            claim: members.optional_owned("claim")?,
            metadata: members.optional_object("metadata")?.cloned(),
            at: members.parsed("at")?,
        },
        "set_added" => Event::SetAdded {
            set: members.small("set")?,
            extends: members.optional_small("extends")?,
            refs: read_refs(members, "refs")?,
        },
        "justification_added" => {
            let (justification, belief, record) = read_justification(members)?;
            Event::JustificationAdded { justification, belief, record }
        }
        "justification_replaced" => {
            let (justification, belief, record) = read_justification(members)?;
            Event::JustificationReplaced { justification, belief, record }
        }
        "retracted" => Event::Retracted {
            belief: read_ref(members.text("ref")?)?,
            reason: members.optional_owned("reason")?,
            at: members.parsed("at")?,
        },
        "restored" => Event::Restored {
            belief: read_ref(members.text("ref")?)?,
            at: members.parsed("at")?,
        },
        "expired" => Event::Expired {
            justifications: members.smalls("justifications")?,
            at: members.parsed("at")?,
        },
        "outcome" => Event::Outcome {
            source: shared(members.text("source")?),
            correct: members.flag("correct")?,
            lesson: read_word(members.text("lesson")?, Lesson::ALL, Lesson::word)?,
            at: members.parsed("at")?,
        },
        "rule_set" => Event::RuleSet {
            name: shared(members.text("name")?),
            version: members.small("version")?,
            parameters: members.texts("parameters")?,
            expression: members.owned("expression")?,
            confidence: members.float("confidence")?,
            at: members.parsed("at")?,
        },
        "rule_removed" => {
            Event::RuleRemoved { name: shared(members.text("name")?), at: members.parsed("at")? }
        }
        "constraint_set" => Event::ConstraintSet {
            name: shared(members.text("name")?),
            version: members.small("version")?,
            inputs: read_pairs(members.list("inputs")?)?,
            expression: members.owned("expression")?,
            at: members.parsed("at")?,
        },
        "constraint_removed" => Event::ConstraintRemoved {
            name: shared(members.text("name")?),
            at: members.parsed("at")?,
        },
        "resolved" => Event::Resolved {
            conflict: members.owned("conflict")?,
            by: members.owned("by")?,
            kept: read_refs(members, "kept")?,
            retracted: read_refs(members, "retracted")?,
            reason: members.optional_owned("reason")?,
            at: members.parsed("at")?,
        },
        other => return Err(format!("`{other}` is no event that this build knows: update it")),
    })
}

const KINDS: [JustificationKind; 3] =
    [JustificationKind::Premise, JustificationKind::Rule, JustificationKind::Model];

fn justification_value(word: &str, number: u32, belief: &Ref, record: &Record) -> Value {
    tagged(
        word,
        [
            ("justification", number.into()),
            ("ref", reference(belief)),
            ("kind", record.kind.word().into()),
            ("source", source_value(&record.source)),
            ("at", time(&record.at)),
        ],
        |object| {
            let mut some = |name: &str, value: Option<Value>| {
                if let Some(value) = value {
                    object.insert(name, value);
                }
            };
            let names = |names: &[std::sync::Arc<str>]| {
                (!names.is_empty()).then(|| names.iter().map(|name| text(name)).collect())
            };
            some("set", record.set.map(Value::from));
            some("unless", names(&record.unless));
            some("inputs", names(&record.inputs));
            some("rule_version", record.rule_version.map(Value::from));
            some("formula", record.formula.as_deref().map(Value::from));
            some("confidence", record.confidence.map(float));
            some("valid_until", record.valid_until.as_ref().map(time));
            some("half_life_us", record.half_life.map(|span| span.micros().into()));
            some("citation", record.citation.as_ref().map(citation_value));
            some("note", record.note.as_deref().map(Value::from));
        },
    )
}

fn read_justification(members: &Members<'_>) -> Result<(u32, Ref, Box<Record>), String> {
    let names = |name: &str| {
        let texts = match members.optional(name) {
            Some(_) => members.texts(name)?,
            None => Vec::new(),
        };
        Ok::<_, String>(texts.iter().map(|text| shared(text)).collect())
    };
    let record = Record {
        kind: read_word(members.text("kind")?, KINDS, JustificationKind::word)?,
        source: read_source(members.value("source")?)?,
        set: members.optional_small("set")?,
        unless: names("unless")?,
        inputs: names("inputs")?,
        rule_version: members.optional_small("rule_version")?,
        formula: members.optional_owned("formula")?,
        confidence: members.optional_float("confidence")?,
        valid_until: members.optional_parsed("valid_until")?,
        half_life: members.optional_span("half_life_us")?,
        citation: members.optional("citation").map(read_citation).transpose()?,
        note: members.optional_owned("note")?,
        at: members.parsed("at")?,
    };
    Ok((members.small("justification")?, read_ref(members.text("ref")?)?, Box::new(record)))
}

/// A source with all that identifies it.
pub(crate) fn source_value(source: &Source) -> Value {
    let mut object = Object::from([("name", source.to_string().into())]);
    if let Some(arguments) = &source.arguments {
        object.insert("args", arguments.clone());
    }
    insert_text(&mut object, "quote", source.quote.as_deref());
    insert_text(&mut object, "origin", source.origin.as_deref());
    object.into()
}

fn read_source(value: &Value) -> Result<Source, String> {
    let members = Members::of(value)?;
    let mut source: Source = members.parsed("name")?;
    source.arguments = members.optional("args").cloned();
    source.quote = members.optional_owned("quote")?;
    source.origin = members.optional_owned("origin")?;
    Ok(source)
}

fn citation_value(citation: &Citation) -> Value {
    Value::from([
        ("version", citation.version.into()),
        ("document", citation.document.into()),
        ("start", citation.start.into()),
        ("end", citation.end.into()),
        ("sha256", citation.digest.into()),
    ])
}

fn read_citation(value: &Value) -> Result<Citation, String> {
    let members = Members::of(value)?;
    Ok(Citation {
        version: members.small("version")?,
        document: members.parsed("document")?,
        start: members.count("start")?,
        end: members.count("end")?,
        digest: members.parsed("sha256")?,
    })
}

pub(crate) fn settings_value(settings: &Settings) -> Value {
    Value::from([
        ("trust", trust_value(&settings.trust)),
        ("min_confidence", float(settings.trust.min_confidence)),
        ("ledger", ledger_value(&settings.ledger)),
    ])
}

fn read_settings(members: &Members<'_>) -> Result<Settings, String> {
    let mut settings = Settings::default();
    let mut faults = crate::fields::Faults::default();
    read_trust(&mut settings.trust, members.value("trust")?, "/trust", &mut faults);
    read_ledger(&mut settings.ledger, members.value("ledger")?, "/ledger", &mut faults);
    settings.trust.min_confidence = members.float("min_confidence")?;
    faults.settle(Some(settings)).map_err(|faults| faults.to_string())
}

pub(crate) fn totals_value(totals: &Totals) -> Value {
    Value::from([
        ("correct", float(totals.correct)),
        ("total", float(totals.total)),
        ("as_of", time(&totals.as_of)),
    ])
}

fn read_word<T: Copy, const N: usize>(
    word: &str,
    all: [T; N],
    name: impl Fn(T) -> &'static str,
) -> Result<T, String> {
    all.into_iter().find(|item| name(*item) == word).ok_or_else(|| format!("`{word}` is unknown"))
}

fn read_ref(text: &str) -> Result<Ref, String> {
    Ref::parse(text).ok_or_else(|| format!("`{text}` is no ref"))
}

fn read_refs(members: &Members<'_>, name: &str) -> Result<Vec<Ref>, String> {
    let list = members.list(name)?;
    list.iter().map(|item| read_ref(item.as_str().unwrap_or_default())).collect()
}

fn pair(name: &str, key: &str) -> Value {
    Value::from([("name", name.into()), ("key", key.into())])
}

fn read_pairs(items: &[Value]) -> Result<Vec<(String, String)>, String> {
    items
        .iter()
        .map(|item| {
            let item = Members::of(item)?;
            Ok((item.owned("name")?, item.owned("key")?))
        })
        .collect()
}

fn reference(reference: &Ref) -> Value {
    reference.to_string().into()
}

fn text(text: &std::sync::Arc<str>) -> Value {
    Value::from(&**text)
}

fn time(time: &entail_kernel::Time) -> Value {
    time.to_string().into()
}

fn float(number: f64) -> Value {
    Number::from_f64(number).into()
}

fn optional_float(number: Option<f64>) -> Value {
    number.and_then(Number::from_f64).into()
}
