//! What no event holds of a snapshot: it stands in the payload of the entry that imports it, and
//! a later export takes it from there.

use entail_json::{Number, Object, Value};
use entail_kernel::base::Source;

use super::source;
use crate::fields::Faults;

/// What the entry of an import keeps of its snapshot beside the events.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Kept {
    /// Beliefs whose source or confidence is not that of their first justification.
    pub sources: Vec<SourceOf>,
    /// The justifications' ids in order, if they are not simply `j1`, `j2`, ….
    pub ids: Option<Vec<String>>,
    /// The history.
    pub history: Vec<Value>,
    /// Why each belief has its label, in the library's words.
    pub reasons: Option<Object>,
    /// Outcomes by source.
    pub ledger: Option<Object>,
    /// How many outcomes of a source the library keeps.
    pub max_history: Option<u64>,
}

/// A belief's own source and confidence.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct SourceOf {
    pub belief: String,
    pub source: Source,
    pub confidence: f64,
}

impl Kept {
    /// As members of a payload.
    pub(crate) fn members(&self) -> [(&'static str, Value); 6] {
        // Sources were read from JSON, so nothing about them can be at fault.
        let faults = &mut Faults::default();
        let source_of = |own: &SourceOf| {
            Value::from([
                ("ref", own.belief.as_str().into()),
                ("source", source::value(&own.source, "", &mut *faults)),
                ("confidence", Number::from_f64(own.confidence).into()),
            ])
        };
        let ids = self.ids.as_ref();
        [
            ("sources", self.sources.iter().map(source_of).collect()),
            (
                "ids",
                ids.map(|ids| ids.iter().map(String::as_str).collect::<Value>())
                    .into(),
            ),
            ("history", self.history.clone().into()),
            ("reasons", self.reasons.clone().into()),
            ("ledger", self.ledger.clone().into()),
            ("max_history", self.max_history.into()),
        ]
    }

    /// Reads the members back.
    pub(super) fn read(payload: &Value) -> Option<Self> {
        let list = |name: &str| payload.get(name).and_then(Value::as_array);
        let object = |name: &str| payload.get(name).and_then(Value::as_object).cloned();
        let source_of = |own: &Value| {
            Some(SourceOf {
                belief: own.get("ref")?.as_str()?.to_owned(),
                source: source::read(own.get("source")?, "", &mut Faults::default())?,
                confidence: own.get("confidence")?.as_f64()?,
            })
        };
        let text = |id: &Value| id.as_str().map(str::to_owned);
        Some(Self {
            sources: list("sources")?
                .iter()
                .map(source_of)
                .collect::<Option<_>>()?,
            ids: match list("ids") {
                None => None,
                Some(ids) => Some(ids.iter().map(text).collect::<Option<_>>()?),
            },
            history: list("history")?.to_vec(),
            reasons: object("reasons"),
            ledger: object("ledger"),
            max_history: payload.get("max_history").and_then(Value::as_u64),
        })
    }
}
