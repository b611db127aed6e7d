//! Events from JSON, strictly.

use std::sync::Arc;

use entail_json::{Object, Value};

use super::event::{Event, Lesson, Record};
use super::{Citation, JustificationKind, Ref, Settings, Source, SourceKind};
use crate::confidence::{LedgerSettings, Priors, Totals, TrustPolicy};
use crate::{Span, Time};

/// JSON that is not an event.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{member}` of event `{event}` {problem}")]
pub struct InvalidEvent {
    /// Which kind of event, as far as that could be read.
    pub event: String,
    /// Which member, as a path.
    pub member: String,
    /// What is wrong with it.
    pub problem: String,
}

impl Event {
    /// Reads an event: every member that its kind needs, and none that it does not know.
    ///
    /// # Errors
    /// The first member that is missing, unknown or of the wrong form.
    pub fn from_json(json: &Value) -> Result<Self, InvalidEvent> {
        let mut from = Reader::new("", "event", json)?;
        let word = from.text("event")?;
        from.event.clone_from(&word);
        let event = match word.as_str() {
            "configured" => Self::Configured(Box::new(read_settings(&mut from)?)),
            "seeded" => Self::Seeded {
                source: from.text("source")?.into(),
                totals: Totals {
                    correct: from.float("correct")?,
                    total: from.float("total")?,
                    as_of: from.time("as_of")?,
                },
            },
            "rated" => Self::Rated {
                source: from.text("source")?.into(),
                prior: from.maybe("prior", Reader::float)?,
            },
            "belief_added" => Self::BeliefAdded {
                belief: from.reference("ref")?,
                value: from.take("value")?.clone(),
                claim: from.maybe("claim", Reader::text)?,
                metadata: from.maybe("metadata", Reader::object)?,
                at: from.time("at")?,
            },
            "set_added" => Self::SetAdded {
                set: from.number("set")?,
                extends: from.maybe("extends", Reader::number)?,
                refs: from.references("refs")?,
            },
            "justification_added" => Self::JustificationAdded {
                justification: from.number("justification")?,
                belief: from.reference("ref")?,
                record: Box::new(read_record(&mut from)?),
            },
            "justification_replaced" => Self::JustificationReplaced {
                justification: from.number("justification")?,
                belief: from.reference("ref")?,
                record: Box::new(read_record(&mut from)?),
            },
            "retracted" => Self::Retracted {
                belief: from.reference("ref")?,
                reason: from.maybe("reason", Reader::text)?,
                at: from.time("at")?,
            },
            "restored" => Self::Restored {
                belief: from.reference("ref")?,
                at: from.time("at")?,
            },
            "expired" => Self::Expired {
                justifications: from.list("justifications", |item| {
                    item.as_u64().and_then(|number| u32::try_from(number).ok())
                })?,
                at: from.time("at")?,
            },
            "outcome" => Self::Outcome {
                source: from.text("source")?.into(),
                correct: from.boolean("correct")?,
                lesson: from.word("lesson", &Lesson::ALL, Lesson::word)?,
                at: from.time("at")?,
            },
            "rule_set" => Self::RuleSet {
                name: from.text("name")?.into(),
                version: from.number("version")?,
                parameters: from.texts("parameters")?,
                expression: from.text("expression")?,
                confidence: from.float("confidence")?,
                at: from.time("at")?,
            },
            "rule_removed" => Self::RuleRemoved {
                name: from.text("name")?.into(),
                at: from.time("at")?,
            },
            "constraint_set" => Self::ConstraintSet {
                name: from.text("name")?.into(),
                version: from.number("version")?,
                inputs: from.list("inputs", |item| match item.as_array()? {
                    [name, key] => Some((name.as_str()?.to_owned(), key.as_str()?.to_owned())),
                    _ => None,
                })?,
                expression: from.text("expression")?,
                at: from.time("at")?,
            },
            "constraint_removed" => Self::ConstraintRemoved {
                name: from.text("name")?.into(),
                at: from.time("at")?,
            },
            "resolved" => Self::Resolved {
                key: from.maybe("key", Reader::text)?,
                constraint: from.maybe("constraint", Reader::text)?,
                by: from.text("by")?,
                kept: from.references("kept")?,
                retracted: from.references("retracted")?,
                reason: from.maybe("reason", Reader::text)?,
                at: from.time("at")?,
            },
            _ => return Err(from.problem("event", "is no kind of event that is known here")),
        };
        from.end()?;
        Ok(event)
    }
}

/// The members of an object, each taken once.
struct Reader<'a> {
    event: String,
    /// What leads to this object.
    path: String,
    object: &'a Object,
    taken: usize,
}

impl<'a> Reader<'a> {
    fn new(event: &str, path: &str, json: &'a Value) -> Result<Self, InvalidEvent> {
        let object = json.as_object().ok_or_else(|| InvalidEvent {
            event: event.to_owned(),
            member: path.to_owned(),
            problem: format!("is {}, not an object", json.type_name()),
        })?;
        Ok(Self {
            event: event.to_owned(),
            path: path.to_owned(),
            object,
            taken: 0,
        })
    }

    fn problem(&self, member: &str, problem: impl Into<String>) -> InvalidEvent {
        InvalidEvent {
            event: self.event.clone(),
            member: if self.path == "event" {
                member.to_owned()
            } else {
                format!("{}.{member}", self.path)
            },
            problem: problem.into(),
        }
    }

    fn take(&mut self, member: &str) -> Result<&'a Value, InvalidEvent> {
        let value = self
            .object
            .get(member)
            .ok_or_else(|| self.problem(member, "is missing"))?;
        self.taken += 1;
        Ok(value)
    }

    fn maybe<T>(
        &mut self,
        member: &str,
        read: impl FnOnce(&mut Self, &str) -> Result<T, InvalidEvent>,
    ) -> Result<Option<T>, InvalidEvent> {
        if self.object.contains(member) {
            read(self, member).map(Some)
        } else {
            Ok(None)
        }
    }

    fn read<T>(
        &mut self,
        member: &str,
        wanted: &str,
        read: impl FnOnce(&'a Value) -> Option<T>,
    ) -> Result<T, InvalidEvent> {
        let value = self.take(member)?;
        read(value).ok_or_else(|| self.problem(member, format!("is not {wanted}")))
    }

    fn text(&mut self, member: &str) -> Result<String, InvalidEvent> {
        self.read(member, "a string", |value| value.as_str().map(Into::into))
    }

    fn boolean(&mut self, member: &str) -> Result<bool, InvalidEvent> {
        self.read(member, "a boolean", Value::as_bool)
    }

    fn float(&mut self, member: &str) -> Result<f64, InvalidEvent> {
        self.read(member, "a finite number", |value| {
            value.as_f64().filter(|number| number.is_finite())
        })
    }

    fn number(&mut self, member: &str) -> Result<u32, InvalidEvent> {
        self.read(member, "a whole number below 2^32", |value| {
            value.as_u64().and_then(|number| u32::try_from(number).ok())
        })
    }

    fn offset(&mut self, member: &str) -> Result<u64, InvalidEvent> {
        self.read(member, "a whole number", Value::as_u64)
    }

    fn span(&mut self, member: &str) -> Result<Span, InvalidEvent> {
        self.read(member, "a positive number of microseconds", |value| {
            let micros = value.as_i64().filter(|micros| *micros > 0)?;
            Some(Span::from_micros(micros))
        })
    }

    fn time(&mut self, member: &str) -> Result<Time, InvalidEvent> {
        self.read(member, "an RFC 3339 time", |value| {
            value.as_str()?.parse().ok()
        })
    }

    fn digest(&mut self, member: &str) -> Result<entail_json::Digest, InvalidEvent> {
        self.read(member, "a SHA-256 digest", |value| {
            value.as_str()?.parse().ok()
        })
    }

    fn object(&mut self, member: &str) -> Result<Object, InvalidEvent> {
        self.read(member, "an object", |value| value.as_object().cloned())
    }

    fn reference(&mut self, member: &str) -> Result<Ref, InvalidEvent> {
        self.read(member, "a ref", |value| Ref::parse(value.as_str()?))
    }

    fn list<T>(
        &mut self,
        member: &str,
        item: impl Fn(&Value) -> Option<T>,
    ) -> Result<Vec<T>, InvalidEvent> {
        self.read(member, "a list of what belongs there", |value| {
            value.as_array()?.iter().map(item).collect()
        })
    }

    fn texts(&mut self, member: &str) -> Result<Vec<String>, InvalidEvent> {
        self.list(member, |item| item.as_str().map(Into::into))
    }

    fn references(&mut self, member: &str) -> Result<Vec<Ref>, InvalidEvent> {
        self.list(member, |item| Ref::parse(item.as_str()?))
    }

    fn keys(&mut self, member: &str) -> Result<Vec<Arc<str>>, InvalidEvent> {
        self.list(member, |item| item.as_str().map(Into::into))
    }

    fn word<T: Copy>(
        &mut self,
        member: &str,
        all: &[T],
        word: impl Fn(T) -> &'static str,
    ) -> Result<T, InvalidEvent> {
        self.read(member, "a word that is known here", |value| {
            let text = value.as_str()?;
            all.iter().copied().find(|item| word(*item) == text)
        })
    }

    fn inner(&mut self, member: &str) -> Result<Self, InvalidEvent> {
        let path = self.problem(member, "").member;
        let value = self.take(member)?;
        Reader::new(&self.event, &path, value)
    }

    /// Checks that nothing is left over.
    fn end(&self) -> Result<(), InvalidEvent> {
        if self.taken == self.object.len() {
            return Ok(());
        }
        Err(InvalidEvent {
            event: self.event.clone(),
            member: self.path.clone(),
            problem: "has members that do not belong there".to_owned(),
        })
    }
}

fn read_settings(from: &mut Reader<'_>) -> Result<Settings, InvalidEvent> {
    let mut trust = from.inner("trust")?;
    let mut priors = trust.inner("priors")?;
    let given = Priors {
        human: priors.float("human")?,
        tool: priors.float("tool")?,
        document: priors.float("document")?,
        model: priors.float("model")?,
        assumption: priors.float("assumption")?,
        rule: priors.float("rule")?,
    };
    priors.end()?;
    let overrides = trust.read("overrides", "an object of numbers", |value| {
        let members = value.as_object()?.iter();
        members
            .map(|(source, prior)| Some((source.to_owned(), prior.as_f64()?)))
            .collect()
    })?;
    let policy = TrustPolicy {
        priors: given,
        overrides,
        min_confidence: trust.float("min_confidence")?,
        source_rank: trust.list("source_rank", |item| item.as_str()?.parse().ok())?,
        corroboration: trust.boolean("corroboration")?,
    };
    trust.end()?;
    let mut ledger = from.inner("ledger")?;
    let weights = LedgerSettings {
        prior_weight: ledger.float("prior_weight")?,
        memory_half_life: ledger.maybe("memory_half_life_us", Reader::span)?,
    };
    ledger.end()?;
    Ok(Settings {
        trust: policy,
        ledger: weights,
    })
}

fn read_record(from: &mut Reader<'_>) -> Result<Record, InvalidEvent> {
    const KINDS: [JustificationKind; 3] = [
        JustificationKind::Premise,
        JustificationKind::Rule,
        JustificationKind::Model,
    ];
    Ok(Record {
        kind: from.word("kind", &KINDS, JustificationKind::word)?,
        source: Arc::new(read_source(from.inner("source")?)?),
        set: from.maybe("antecedents", Reader::number)?,
        unless: from.maybe("unless", Reader::keys)?.unwrap_or_default(),
        inputs: from.maybe("inputs", Reader::keys)?.unwrap_or_default(),
        rule_version: from.maybe("rule_version", Reader::number)?,
        formula: from.maybe("formula", Reader::text)?,
        confidence: from.maybe("confidence", Reader::float)?,
        valid_until: from.maybe("valid_until", Reader::time)?,
        half_life: from.maybe("half_life_us", Reader::span)?,
        citation: match from.maybe("citation", Reader::inner)? {
            Some(citation) => Some(read_citation(citation)?),
            None => None,
        },
        note: from.maybe("note", Reader::text)?,
        at: from.time("at")?,
    })
}

fn read_source(mut from: Reader<'_>) -> Result<Source, InvalidEvent> {
    let source = Source {
        kind: from.word("kind", &SourceKind::ALL, SourceKind::word)?,
        name: from.text("name")?,
        arguments: from.maybe("arguments", Reader::take)?.cloned(),
        quote: from.maybe("quote", Reader::text)?,
        origin: from.maybe("origin", Reader::text)?,
    };
    from.end()?;
    Ok(source)
}

fn read_citation(mut from: Reader<'_>) -> Result<Citation, InvalidEvent> {
    let citation = Citation {
        version: from.number("version")?,
        document: from.digest("document")?,
        start: from.offset("start")?,
        end: from.offset("end")?,
        digest: from.digest("digest")?,
    };
    from.end()?;
    Ok(citation)
}
