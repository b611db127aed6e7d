//! A session as a snapshot.

use entail_json::{Number, Object, Value};
use entail_kernel::Time;
use entail_kernel::base::{
    Base, Belief, Justification, JustificationKind, Source, SourceKind, WhyOut,
};
use entail_kernel::confidence::{Totals, TrustPolicy};
use entail_kernel::limits::LEDGER_OUTCOMES;
use entail_trace::journal::Entry;
use rustc_hash::FxHashMap;

use super::journal::{self, Told};
use super::justifications::plain_id;
use super::kept::SourceOf;
use super::{FORMAT, LEDGER_FORMAT, LEDGER_VERSION, VERSION, source, time};
use crate::error::ReplayError;
use crate::fields::Faults;
use crate::limits::PYTHON_INTEGER_DIGITS;
use crate::session::Session;

/// A snapshot, and what the format leaves to whoever loads it.
#[derive(Clone, Debug, PartialEq)]
pub struct Written {
    /// The snapshot: `{format, version, beliefs, justifications, documents, reasons, history,
    /// ledger}`.
    pub snapshot: Value,
    /// What a session holds beside that and `BeliefBase.load` takes as arguments, or that the
    /// library does not keep: each named, with what to do.
    pub apart: Vec<String>,
}

/// Why a session cannot be written as a snapshot.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SnapshotError {
    /// Something does not fit into the format. The pointers lead into the snapshot.
    #[error("this does not fit into a snapshot: {0}")]
    Unrepresentable(Faults),
    /// The entries are not the whole journal of the session.
    #[error("the entries up to {seq} are not the whole journal of the session: read it anew")]
    OtherJournal {
        /// The last entry that is of it.
        seq: u64,
    },
    /// The payload of the entry that imported a snapshot cannot be read.
    #[error("the payload of entry {seq} cannot be read: the journal is damaged")]
    Payload {
        /// The entry's place.
        seq: u64,
    },
    /// An entry cannot be read.
    #[error(transparent)]
    Entry(#[from] ReplayError),
}

/// Writes a session as a snapshot; `journal` is the whole journal of it.
///
/// Loaded by the library with its default trust policy, the snapshot gives the labels and
/// confidences of the session. What came from a snapshot goes back as it came: ids, history and
/// outcomes included. A premise without a confidence of its own gets the prior of its source.
///
/// # Errors
/// [`SnapshotError`]; everything that does not fit is named at once.
pub fn write<'e>(
    session: &Session,
    journal: impl IntoIterator<Item = &'e Entry>,
) -> Result<Written, SnapshotError> {
    let mut faults = Faults::default();
    let told = journal::read(session, journal, &mut faults)?;
    let base = session.base();
    let own: FxHashMap<&str, &SourceOf> = told
        .kept
        .sources
        .iter()
        .map(|own| (own.belief.as_str(), own))
        .collect();
    let mut beliefs = Vec::with_capacity(base.len());
    let mut reasons = Object::new();
    let mut steps = Vec::new();
    for belief in base.beliefs() {
        let pointer = format!("/beliefs/{}", beliefs.len());
        let reference = belief.reference().to_string();
        let justifications = base.justifications(belief.id);
        let first = justifications.iter().min_by_key(|step| step.id);
        let given = match (own.get(reference.as_str()), first) {
            (Some(own), _) => Some((own.source.clone(), own.confidence)),
            (None, Some(first)) => Some(((*first.source).clone(), certainty(base, first))),
            (None, None) => None,
        };
        let source = given.as_ref().map(|(source, _)| source);
        reasons.insert(&*reference, reason(base, &belief, source).into());
        beliefs.push(belief_value(&belief, given, &pointer, &mut faults));
        // The order of a belief's justifications holds; beside that they are in order of number.
        let mut place = 0;
        for step in justifications {
            place = place.max(step.id.number());
            steps.push((place, reference.clone(), step));
        }
    }
    steps.sort_by_key(|(place, _, _)| *place);
    let ids = Ids::new(&told);
    let mut justifications = Vec::with_capacity(steps.len());
    for (_, conclusion, step) in &steps {
        let pointer = format!("/justifications/{}", justifications.len());
        let id = ids.of(step.id.number() as usize);
        justifications.push(step_value(
            base,
            id,
            conclusion,
            step,
            &pointer,
            &mut faults,
        ));
    }
    let documents: Object = session
        .documents()
        .filter_map(|(name, versions)| {
            let text = versions.last()?.document.text();
            Some((name.to_owned(), text.into()))
        })
        .collect();
    let ledger = ledger_value(session, &told, &mut faults);
    if !faults.0.is_empty() {
        return Err(SnapshotError::Unrepresentable(faults));
    }
    Ok(Written {
        snapshot: Value::from([
            ("format", FORMAT.into()),
            ("version", VERSION.into()),
            ("beliefs", beliefs.into()),
            ("justifications", justifications.into()),
            ("documents", documents.into()),
            ("reasons", reasons.into()),
            ("history", told.history.into()),
            ("ledger", ledger),
        ]),
        apart: apart(session),
    })
}

/// The ids of justifications: those imported have theirs, new ones follow.
struct Ids<'t> {
    kept: Option<&'t [String]>,
    imported: usize,
    next: usize,
}

impl<'t> Ids<'t> {
    fn new(told: &'t Told) -> Self {
        let kept = told.kept.ids.as_deref();
        let numbers = kept.unwrap_or_default().iter();
        let numbers = numbers.filter_map(|id| id.strip_prefix('j')?.parse::<usize>().ok());
        Self {
            kept,
            imported: told.imported,
            next: numbers.max().unwrap_or_default().max(told.imported),
        }
    }

    fn of(&self, number: usize) -> String {
        match self.kept.and_then(|ids| ids.get(number)) {
            Some(id) => id.clone(),
            None if number < self.imported => plain_id(number),
            None => plain_id(
                self.next
                    .saturating_add(number.saturating_sub(self.imported)),
            ),
        }
    }
}

fn belief_value(
    belief: &Belief<'_>,
    given: Option<(Source, f64)>,
    pointer: &str,
    faults: &mut Faults,
) -> Value {
    let at = format!("{pointer}/belief");
    if given.is_none() {
        let what = format!(
            "of `{}` is unknown: nothing justifies it",
            belief.reference()
        );
        faults.push(format!("{at}/source"), what);
    }
    let (source, confidence) = match given {
        Some((source, confidence)) => (
            source::value(&source, &format!("{at}/source"), faults),
            Number::from_f64(confidence).into(),
        ),
        None => (Value::Null, Value::Null),
    };
    let metadata = Value::from(belief.metadata.cloned().unwrap_or_default());
    check_integers(belief.value, &format!("{at}/value"), faults);
    check_integers(&metadata, &format!("{at}/metadata"), faults);
    let retract_reason = belief.retraction.and_then(|there| there.reason.as_deref());
    let created_at = time::value(belief.created_at, &format!("{at}/created_at"), faults);
    Value::from([
        (
            "belief",
            Value::from([
                ("key", Value::from(&**belief.key)),
                ("revision", belief.revision.into()),
                ("value", belief.value.clone()),
                ("claim", belief.claim.unwrap_or_default().into()),
                ("source", source),
                ("confidence", confidence),
                ("created_at", created_at),
                ("metadata", metadata),
            ]),
        ),
        ("retracted", belief.retraction.is_some().into()),
        ("retract_reason", retract_reason.unwrap_or_default().into()),
    ])
}

fn step_value(
    base: &Base,
    id: String,
    conclusion: &str,
    step: &Justification<'_>,
    pointer: &str,
    faults: &mut Faults,
) -> Value {
    let antecedents = step.antecedents.map(|set| base.antecedents(set));
    let refs = antecedents.unwrap_or_default();
    let refs = refs.into_iter().filter_map(|belief| base.ref_of(belief));
    let keys = |keys: &[&std::sync::Arc<str>]| keys.iter().map(|key| &***key).collect::<Value>();
    let rule = (step.kind == JustificationKind::Rule).then(|| step.source.name.clone());
    if let Some(arguments) = &step.source.arguments {
        check_integers(arguments, &format!("{pointer}/source/detail/args"), faults);
    }
    let mut at = |time: Time, name: &str| time::value(time, &format!("{pointer}/{name}"), faults);
    let valid_until = step.valid_until.map(|time| at(time, "valid_until"));
    let created_at = at(step.created_at, "created_at");
    Value::from([
        ("id", id.into()),
        ("conclusion", conclusion.into()),
        ("kind", step.kind.word().into()),
        (
            "antecedents",
            refs.map(|r| Value::from(r.to_string())).collect(),
        ),
        ("unless", keys(&step.unless)),
        ("inputs", keys(&step.inputs)),
        (
            "source",
            source::value(&step.source, &format!("{pointer}/source"), faults),
        ),
        ("rule", rule.into()),
        ("formula", step.formula.map(str::to_owned).into()),
        ("confidence", Number::from_f64(certainty(base, step)).into()),
        ("valid_until", valid_until.into()),
        (
            "half_life",
            step.half_life
                .and_then(|span| Number::from_f64(span.seconds()))
                .into(),
        ),
        ("note", step.note.unwrap_or_default().into()),
        ("created_at", created_at),
    ])
}

/// The number that the library keeps with a justification: a premise's prior, a step's certainty.
fn certainty(base: &Base, step: &Justification<'_>) -> f64 {
    step.confidence.unwrap_or_else(|| match step.kind {
        JustificationKind::Premise => base.prior_of(&step.source),
        JustificationKind::Rule => base.settings().trust.priors.rule,
        JustificationKind::Model => 1.0,
    })
}

/// Why a belief has its label, in the library's words.
fn reason(base: &Base, belief: &Belief<'_>, source: Option<&Source>) -> String {
    if let Some(retraction) = belief.retraction {
        return match &retraction.reason {
            Some(reason) => format!("retracted: {reason}"),
            None => "retracted".to_owned(),
        };
    }
    if let Some(why) = base.why_out(belief.id) {
        return out_reason(base, &why);
    }
    match source {
        Some(source) if source.kind == SourceKind::Rule => format!("derived via {source}"),
        Some(source) if source.kind == SourceKind::Model => format!("derived by {source}"),
        Some(source) => format!("asserted by {source}"),
        None => String::new(),
    }
}

fn out_reason(base: &Base, why: &WhyOut) -> String {
    if why.expired {
        return "expired".to_owned();
    }
    let mut parts = Vec::new();
    let lost: Vec<&str> = why
        .lost
        .iter()
        .filter_map(|lost| base.belief(*lost).map(|belief| &**belief.key))
        .collect();
    if !lost.is_empty() {
        parts.push(format!("lost support: {}", lost.join(", ")));
    }
    if !why.defeated_by.is_empty() {
        parts.push(format!("defeated by: {}", why.defeated_by.join(", ")));
    }
    if parts.is_empty() {
        "no valid justification".to_owned()
    } else {
        parts.join("; ")
    }
}

fn ledger_value(session: &Session, told: &Told, faults: &mut Faults) -> Value {
    let mut outcomes = told.kept.ledger.clone().unwrap_or_default();
    for (source, totals) in &told.seeds {
        let list = seed_value(source, totals, faults);
        outcomes.insert(source.as_str(), list.into());
    }
    for (source, own) in &told.outcomes {
        let pointer = format!("/ledger/outcomes/{source}");
        let mut list = match outcomes.remove(source) {
            Some(Value::Array(list)) => list,
            _ => Vec::new(),
        };
        for (at, correct, lesson) in own {
            let at = time::value(*at, &pointer, faults);
            list.push(vec![at, (*correct).into(), (*lesson).into()].into());
        }
        outcomes.insert(source.as_str(), list.into());
    }
    let longest = outcomes
        .iter()
        .filter_map(|(_, list)| Some(list.as_array()?.len()));
    let longest = longest.max().unwrap_or_default().max(LEDGER_OUTCOMES);
    let most = u64::try_from(longest).unwrap_or(u64::MAX);
    let settings = &session.base().settings().ledger;
    let half_life = settings.memory_half_life;
    Value::from([
        ("format", LEDGER_FORMAT.into()),
        ("version", LEDGER_VERSION.into()),
        (
            "prior_weight",
            Number::from_f64(settings.prior_weight).into(),
        ),
        (
            "memory_half_life",
            half_life
                .and_then(|span| Number::from_f64(span.seconds()))
                .into(),
        ),
        (
            "max_history",
            told.kept.max_history.unwrap_or_default().max(most).into(),
        ),
        ("outcomes", outcomes.into()),
    ])
}

/// What a session copied of its tenant's ledger, as so many outcomes at the time of the totals.
fn seed_value(source: &str, totals: &Totals, faults: &mut Faults) -> Vec<Value> {
    let pointer = format!("/ledger/outcomes/{source}");
    let is_whole = |count: f64| count.fract() == 0.0 && count <= LEDGER_OUTCOMES as f64;
    if !(is_whole(totals.correct) && is_whole(totals.total)) {
        let reason = format!(
            "began with {} outcomes of which {} were right: a snapshot holds whole ones, up to {LEDGER_OUTCOMES}",
            totals.total, totals.correct
        );
        faults.push(pointer, reason);
        return Vec::new();
    }
    let at = time::value(totals.as_of, &pointer, faults);
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "whole numbers from 0 to the limit checked above"
    )]
    let (correct, total) = (totals.correct as usize, totals.total as usize);
    let outcome = |n: usize| vec![at.clone(), (n < correct).into(), "known before".into()].into();
    (0..total).map(outcome).collect()
}

/// Python reads no integer with more digits than that.
fn check_integers(value: &Value, pointer: &str, faults: &mut Faults) {
    let mut open = vec![value];
    while let Some(value) = open.pop() {
        match value {
            Value::Number(number) if number.is_integer() => {
                let text = number.to_string();
                let digits = text.strip_prefix('-').unwrap_or(&text).len();
                if digits > PYTHON_INTEGER_DIGITS {
                    let reason = format!(
                        "holds an integer of {digits} digits: Python reads up to {PYTHON_INTEGER_DIGITS}"
                    );
                    faults.push(pointer, reason);
                }
            }
            Value::Array(items) => open.extend(items),
            Value::Object(object) => open.extend(object.iter().map(|(_, value)| value)),
            _ => {}
        }
    }
}

fn apart(session: &Session) -> Vec<String> {
    let base = session.base();
    let mut apart = Vec::new();
    for rule in base.rules() {
        let name = &rule.name;
        apart.push(format!(
            "rule `{name}` is written by name only: pass it as one of `rules`"
        ));
    }
    for constraint in base.constraints() {
        let name = &constraint.name;
        apart.push(format!(
            "constraint `{name}` is not written: pass it as one of `constraints`"
        ));
    }
    if base.settings().trust != TrustPolicy::default() {
        let policy = "the trust policy is not the default and is not written: pass it as `trust`";
        apart.push(policy.to_owned());
    }
    for (name, versions) in session
        .documents()
        .filter(|(_, versions)| versions.len() > 1)
    {
        let before = versions.len().saturating_sub(1);
        apart.push(format!(
            "document `{name}` is written as it stands now, without {before} earlier versions"
        ));
    }
    apart
}
