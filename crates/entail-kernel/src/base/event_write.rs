//! Events as JSON.

use entail_json::{Number, Object, Value};

use super::event::{Event, Record};
use super::{Citation, Settings, Source, SourceKind};
use crate::Span;
use crate::confidence::TrustPolicy;

impl Event {
    /// The word for this kind of event.
    #[must_use]
    pub const fn word(&self) -> &'static str {
        match self {
            Self::Configured(_) => "configured",
            Self::Seeded { .. } => "seeded",
            Self::Rated { .. } => "rated",
            Self::BeliefAdded { .. } => "belief_added",
            Self::SetAdded { .. } => "set_added",
            Self::JustificationAdded { .. } => "justification_added",
            Self::JustificationReplaced { .. } => "justification_replaced",
            Self::Retracted { .. } => "retracted",
            Self::Restored { .. } => "restored",
            Self::Expired { .. } => "expired",
            Self::Outcome { .. } => "outcome",
            Self::RuleSet { .. } => "rule_set",
            Self::RuleRemoved { .. } => "rule_removed",
            Self::ConstraintSet { .. } => "constraint_set",
            Self::ConstraintRemoved { .. } => "constraint_removed",
            Self::Resolved { .. } => "resolved",
        }
    }

    /// The event as an object whose member `event` names its kind. What is absent is left out.
    ///
    /// ```
    /// use entail_kernel::base::{Event, Ref};
    /// use entail_kernel::Time;
    ///
    /// let event = Event::Restored { belief: Ref::parse("a@1").ok_or("ref")?, at: Time::EPOCH };
    /// let json = event.to_json();
    /// assert_eq!(
    ///     json.to_string(),
    ///     r#"{"at":"1970-01-01T00:00:00.000000Z","event":"restored","ref":"a@1"}"#,
    /// );
    /// assert_eq!(Event::from_json(&json)?, event);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn to_json(&self) -> Value {
        let mut out = Writer::default();
        out.put("event", self.word());
        match self {
            Self::Configured(settings) => write_settings(settings, &mut out),
            Self::Seeded { source, totals } => {
                out.put("source", &**source);
                out.put("correct", float(totals.correct));
                out.put("total", float(totals.total));
                out.put("as_of", totals.as_of.to_string());
            }
            Self::Rated { source, prior } => {
                out.put("source", &**source);
                out.maybe("prior", prior.map(float));
            }
            Self::BeliefAdded {
                belief,
                value,
                claim,
                metadata,
                at,
            } => {
                out.put("ref", belief.to_string());
                out.put("value", value.clone());
                out.maybe("claim", claim.as_deref());
                out.maybe("metadata", metadata.clone());
                out.put("at", at.to_string());
            }
            Self::SetAdded { set, extends, refs } => {
                out.put("set", *set);
                out.maybe("extends", *extends);
                out.put("refs", texts(refs));
            }
            Self::JustificationAdded {
                justification,
                belief,
                record,
            }
            | Self::JustificationReplaced {
                justification,
                belief,
                record,
            } => {
                out.put("justification", *justification);
                out.put("ref", belief.to_string());
                write_record(record, &mut out);
            }
            Self::Retracted { belief, reason, at } => {
                out.put("ref", belief.to_string());
                out.maybe("reason", reason.as_deref());
                out.put("at", at.to_string());
            }
            Self::Restored { belief, at } => {
                out.put("ref", belief.to_string());
                out.put("at", at.to_string());
            }
            Self::Expired { justifications, at } => {
                out.put("justifications", justifications.clone());
                out.put("at", at.to_string());
            }
            Self::Outcome {
                source,
                correct,
                lesson,
                at,
            } => {
                out.put("source", &**source);
                out.put("correct", *correct);
                out.put("lesson", lesson.word());
                out.put("at", at.to_string());
            }
            Self::RuleSet {
                name,
                version,
                parameters,
                expression,
                confidence,
                at,
            } => {
                out.put("name", &**name);
                out.put("version", *version);
                out.put("parameters", texts(parameters));
                out.put("expression", expression.as_str());
                out.put("confidence", float(*confidence));
                out.put("at", at.to_string());
            }
            Self::ConstraintSet {
                name,
                version,
                inputs,
                expression,
                at,
            } => {
                out.put("name", &**name);
                out.put("version", *version);
                let pairs = inputs
                    .iter()
                    .map(|(name, key)| Value::from(vec![name.as_str(), key.as_str()]));
                out.put("inputs", pairs.collect::<Value>());
                out.put("expression", expression.as_str());
                out.put("at", at.to_string());
            }
            Self::RuleRemoved { name, at } | Self::ConstraintRemoved { name, at } => {
                out.put("name", &**name);
                out.put("at", at.to_string());
            }
            Self::Resolved {
                key,
                constraint,
                by,
                kept,
                retracted,
                reason,
                at,
            } => {
                out.maybe("key", key.as_deref());
                out.maybe("constraint", constraint.as_deref());
                out.put("by", by.as_str());
                out.put("kept", texts(kept));
                out.put("retracted", texts(retracted));
                out.maybe("reason", reason.as_deref());
                out.put("at", at.to_string());
            }
        }
        out.0.into()
    }
}

#[derive(Default)]
struct Writer(Object);

impl Writer {
    fn put(&mut self, name: &str, value: impl Into<Value>) {
        self.0.insert(name, value.into());
    }

    fn maybe(&mut self, name: &str, value: Option<impl Into<Value>>) {
        if let Some(value) = value {
            self.put(name, value);
        }
    }
}

/// A float as JSON. Those of a base are finite.
pub(crate) fn float(value: f64) -> Value {
    Number::from_f64(value).map_or(Value::Null, Value::Number)
}

fn texts(items: &[impl ToString]) -> Value {
    items.iter().map(ToString::to_string).collect()
}

fn write_settings(settings: &Settings, out: &mut Writer) {
    out.put("trust", trust_json(&settings.trust));
    let mut ledger = Writer::default();
    ledger.put("prior_weight", float(settings.ledger.prior_weight));
    let half_life = settings.ledger.memory_half_life;
    ledger.maybe("memory_half_life_us", half_life.map(Span::micros));
    out.put("ledger", ledger.0);
}

fn trust_json(trust: &TrustPolicy) -> Value {
    let priors: Object = SourceKind::ALL
        .into_iter()
        .map(|kind| (kind.word().to_owned(), float(trust.prior(kind))))
        .collect();
    let overrides: Object = trust
        .overrides
        .iter()
        .map(|(source, prior)| (source.clone(), float(*prior)))
        .collect();
    let mut out = Writer::default();
    out.put("priors", priors);
    out.put("overrides", overrides);
    out.put("min_confidence", float(trust.min_confidence));
    out.put("source_rank", texts(&trust.source_rank));
    out.put("corroboration", trust.corroboration);
    out.0.into()
}

/// What is recorded of a justification, as members of an object.
fn write_record(record: &Record, out: &mut Writer) {
    out.put("kind", record.kind.word());
    out.put("source", source_json(&record.source));
    out.maybe("antecedents", record.set);
    if !record.unless.is_empty() {
        out.put("unless", texts(&record.unless));
    }
    if !record.inputs.is_empty() {
        out.put("inputs", texts(&record.inputs));
    }
    out.maybe("rule_version", record.rule_version);
    out.maybe("formula", record.formula.as_deref());
    out.maybe("confidence", record.confidence.map(float));
    out.maybe("valid_until", record.valid_until.map(|at| at.to_string()));
    out.maybe("half_life_us", record.half_life.map(Span::micros));
    out.maybe("citation", record.citation.as_ref().map(citation_json));
    out.maybe("note", record.note.as_deref());
    out.put("at", record.at.to_string());
}

pub(super) fn record_json(record: &Record) -> Value {
    let mut out = Writer::default();
    write_record(record, &mut out);
    out.0.into()
}

pub(crate) fn source_json(source: &Source) -> Value {
    let mut out = Writer::default();
    out.put("kind", source.kind.word());
    out.put("name", source.name.as_str());
    out.maybe("arguments", source.arguments.clone());
    out.maybe("quote", source.quote.as_deref());
    out.maybe("origin", source.origin.as_deref());
    out.0.into()
}

pub(crate) fn citation_json(citation: &Citation) -> Value {
    let mut out = Writer::default();
    out.put("version", citation.version);
    out.put("document", citation.document);
    out.put("start", citation.start);
    out.put("end", citation.end);
    out.put("digest", citation.digest);
    out.0.into()
}
