//! `{ref, key, revision, value, claim, status, confidence, source, created_at, justifications,
//! why_out?}`

use entail_json::{Number, Object, Value};
use entail_kernel::{
    Base, Span, Time,
    base::{Belief, BeliefId, Justification, JustificationId},
};

use crate::limits::LISTED_ANTECEDENTS;

/// How much of a belief is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Extent {
    /// At most a few antecedents of each justification, as lists have it.
    Listed,
    /// Everything.
    Whole,
}

/// What gives a belief its confidence at a time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Weight {
    /// The confidence.
    pub(crate) confidence: f64,
    /// The justification it comes from.
    pub(crate) support: Option<JustificationId>,
}

/// A belief as an answer shows it.
pub(crate) fn belief(base: &Base, belief: &Belief<'_>, weight: Weight, extent: Extent) -> Value {
    let justifications = base.justifications(belief.id);
    let supporting = justifications
        .iter()
        .find(|given| Some(given.id) == weight.support)
        .or_else(|| justifications.last());
    let mut object = Object::from([
        ("ref", belief.reference().to_string().into()),
        ("key", belief.key.as_ref().into()),
        ("revision", belief.revision.into()),
        ("value", belief.value.clone()),
        ("claim", belief.claim.map(str::to_owned).into()),
        ("status", belief.status.to_string().into()),
        ("confidence", float(weight.confidence)),
        (
            "source",
            supporting.map(|given| given.source.label()).into(),
        ),
        ("created_at", belief.created_at.to_string().into()),
        (
            "justifications",
            justifications
                .iter()
                .map(|given| justification(base, given, weight.support, extent))
                .collect(),
        ),
    ]);
    if let Some(metadata) = belief.metadata {
        object.insert("metadata", metadata.clone().into());
    }
    if let Some(why) = why_out(base, belief) {
        object.insert("why_out", why);
    }
    object.into()
}

fn justification(
    base: &Base,
    given: &Justification<'_>,
    support: Option<JustificationId>,
    extent: Extent,
) -> Value {
    let antecedents = given
        .antecedents
        .map(|set| base.antecedents(set))
        .unwrap_or_default();
    let most = match extent {
        Extent::Listed => LISTED_ANTECEDENTS,
        Extent::Whole => usize::MAX,
    };
    let mut object = Object::from([
        ("kind", given.kind.word().into()),
        ("source", given.source.label().into()),
        ("antecedents_total", antecedents.len().into()),
        ("antecedents", refs(base, antecedents.iter().take(most))),
        ("created_at", given.created_at.to_string().into()),
        ("valid", given.is_valid.into()),
        ("supporting", (Some(given.id) == support).into()),
    ]);
    let mut set = |name: &str, value: Option<Value>| {
        if let Some(value) = value {
            object.insert(name, value);
        }
    };
    set("arguments", given.source.arguments.clone());
    set("quote", given.source.quote.clone().map(Value::from));
    set("origin", given.source.origin.clone().map(Value::from));
    set("formula", given.formula.map(Value::from));
    set("rule_version", given.rule_version.map(Value::from));
    set("confidence", given.confidence.map(float));
    set(
        "valid_until",
        given.valid_until.map(|time| time.to_string().into()),
    );
    set(
        "half_life_s",
        given.half_life.map(|span: Span| float(span.seconds())),
    );
    set("expired", given.is_expired.then_some(true.into()));
    set("note", given.note.map(Value::from));
    let keys = |keys: &[&std::sync::Arc<str>]| keys.iter().map(|key| key.as_ref()).collect();
    set(
        "unless",
        (!given.unless.is_empty()).then(|| keys(&given.unless)),
    );
    set(
        "inputs",
        (!given.inputs.is_empty()).then(|| keys(&given.inputs)),
    );
    set(
        "citation",
        given.citation.map(|citation| {
            Value::from([
                ("version", citation.version.into()),
                ("document_sha256", citation.document.into()),
                ("start", citation.start.into()),
                ("end", citation.end.into()),
                ("sha256", citation.digest.into()),
            ])
        }),
    );
    object.into()
}

fn why_out(base: &Base, belief: &Belief<'_>) -> Option<Value> {
    let why = base.why_out(belief.id)?;
    let mut object = Object::new();
    if let Some(retraction) = belief.retraction.filter(|_| why.retracted) {
        object.insert("retracted", true.into());
        object.insert("reason", retraction.reason.clone().into());
        object.insert("at", retraction.at.to_string().into());
    }
    if why.expired {
        object.insert("expired", true.into());
    }
    if !why.lost.is_empty() {
        object.insert("lost", refs(base, why.lost.iter()));
    }
    if !why.defeated_by.is_empty() {
        object.insert(
            "defeated_by",
            why.defeated_by.iter().map(|key| key.as_ref()).collect(),
        );
    }
    Some(object.into())
}

fn refs<'a>(base: &Base, beliefs: impl Iterator<Item = &'a BeliefId>) -> Value {
    beliefs
        .filter_map(|id| base.ref_of(*id))
        .map(|name| name.to_string())
        .collect()
}

/// A float, exactly.
pub(crate) fn float(number: f64) -> Value {
    Number::from_f64(number).into()
}

/// What one belief weighs at a time. Linear in what it rests on.
pub(crate) fn weigh(base: &Base, belief: BeliefId, at: Time) -> Weight {
    let nothing = Weight {
        confidence: 0.0,
        support: None,
    };
    weigh_all(base, &[belief], at).pop().unwrap_or(nothing)
}

/// What beliefs weigh at a time, in their order. Linear in what they rest on, which is looked at
/// once.
pub(crate) fn weigh_all(base: &Base, beliefs: &[BeliefId], at: Time) -> Vec<Weight> {
    let weights = base.weights_of(beliefs, at).into_iter();
    let weight = |(confidence, support)| Weight {
        confidence,
        support,
    };
    weights.map(weight).collect()
}
