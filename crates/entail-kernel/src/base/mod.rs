//! The belief base: what is believed, why, and what follows when that changes.
//!
//! A [`Base`] holds beliefs (revisions of keys), the justifications for them, and their labels:
//! a belief is IN when it is not retracted and some justification is valid, that is, when all its
//! antecedents are IN, no key of its `unless` has an IN revision and it has not expired. Labels
//! are the least fixpoint, so beliefs that only support each other are OUT. A change relabels
//! what is downstream of it and nothing else.
//!
//! Every operation is all-or-nothing, and takes the time as an argument. Several operations can
//! be undone together with [`Base::mark`] and [`Base::rollback`]. What happened can be taken out
//! as [`Event`]s, and [`Base::replay`] brings a base back from them.

mod command;
mod error;
mod event;
mod id;
mod key;
mod source;
mod view;

use std::sync::Arc;

use entail_json::Value;

pub use command::{
    Antecedents, ConflictPolicy, Derivation, Expiry, Fault, Premise, Settlement, Step,
};
pub use error::BaseError;
pub use event::{Event, Lesson, Record};
pub use id::{BeliefId, JustificationId, KeyId, NameId, SetId, SourceId};
pub use key::{KeyFault, check_key, split_ref};
pub use source::{Citation, InvalidSource, Source, SourceKind};
pub use view::{Belief, Change, Justification, JustificationKind, Ref, Retraction, Status, WhyOut};

use crate::Time;
use crate::confidence::{LedgerSettings, Totals, TrustPolicy};

/// What a base goes by.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Settings {
    /// Whom to trust how much.
    pub trust: TrustPolicy,
    /// How the ledger weighs what it has seen.
    pub ledger: LedgerSettings,
}

/// The belief base.
#[derive(Clone, Debug, Default)]
pub struct Base {
    settings: Settings,
}

/// A point to which a base can be taken back. Marks are given back, by [`Base::rollback`] or
/// [`Base::commit`], in the reverse of the order in which they were taken.
#[derive(Debug)]
#[must_use = "an open mark keeps the undo log growing: give it to `rollback` or `commit`"]
pub struct Mark {
    undo: usize,
    events: usize,
}

/// What asserting a premise did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asserted {
    /// The belief that now carries it.
    pub belief: BeliefId,
    /// How.
    pub how: Assertion,
    /// Revisions that were superseded.
    pub superseded: Vec<BeliefId>,
}

/// How a premise was taken in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Assertion {
    /// As a new revision.
    Added,
    /// As one more justification of a believed revision (or in the place of the same source's
    /// own earlier one).
    Corroborated,
    /// As renewed evidence for a revision that was out.
    Renewed,
}

/// What settling a conflict did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resolved {
    /// The sides that stay.
    pub kept: Vec<BeliefId>,
    /// The sides that went.
    pub retracted: Vec<BeliefId>,
}

/// A conflict that is open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conflict {
    /// What it is over.
    pub kind: ConflictKind,
    /// The believed revisions that cannot all stand, in order of creation.
    pub sides: Vec<BeliefId>,
}

/// What a conflict is over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ConflictKind {
    /// One key has believed revisions of unequal values.
    Value {
        /// The key.
        key: Arc<str>,
    },
    /// A constraint does not hold.
    Constraint {
        /// Its name.
        name: Arc<str>,
        /// How it failed: it is false, or why it could not be evaluated.
        reason: String,
    },
}

/// Something that lost its support and waits to be derived again.
#[derive(Clone, Debug, PartialEq)]
pub struct Pending {
    /// Its latest revision.
    pub belief: BeliefId,
    /// The justification that is the recipe.
    pub justification: JustificationId,
    /// Its inputs, each with the one believed, undisputed revision, if there is one.
    pub inputs: Vec<(Arc<str>, Option<BeliefId>)>,
    /// Whether all inputs are believed, so that only the model has to be asked.
    pub is_ready: bool,
    /// Why it waits, in words.
    pub reason: String,
}

/// What re-running rules did.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Propagation {
    /// Beliefs that rules derived again, in that order.
    pub derived: Vec<BeliefId>,
    /// What still waits, and why.
    pub pending: Vec<Pending>,
    /// Conflicts that are open.
    pub conflicts: Vec<Conflict>,
}

/// What the last operation touched: the cost of labelling, in things looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// Beliefs in the region of the change.
    pub beliefs: usize,
    /// Antecedent sets in it.
    pub sets: usize,
    /// Edges followed.
    pub edges: usize,
    /// Labels that changed.
    pub changes: usize,
}

/// A rule or a constraint as registered.
#[derive(Clone, Debug, PartialEq)]
pub struct Rule {
    /// Its name.
    pub name: Arc<str>,
    /// Its version, counted from 1.
    pub version: u32,
    /// What its inputs are called in the expression.
    pub parameters: Vec<String>,
    /// The expression.
    pub expression: String,
    /// How certain a step by it is, from 0 to 1.
    pub confidence: f64,
}

/// A constraint as registered.
#[derive(Clone, Debug, PartialEq)]
pub struct Constraint {
    /// Its name.
    pub name: Arc<str>,
    /// Its version, counted from 1.
    pub version: u32,
    /// What each key is called in the expression, and the key.
    pub inputs: Vec<(String, String)>,
    /// What must hold.
    pub expression: String,
}

#[allow(unused_variables, clippy::todo, reason = "signatures first")]
impl Base {
    /// An empty base.
    #[must_use]
    pub fn new(settings: Settings) -> Self {
        Self { settings }
    }

    /// Sets trust policy and ledger settings.
    pub fn configure(&mut self, settings: Settings) {
        todo!()
    }

    /// Copies in what is known of a source (`kind:name`) from elsewhere.
    pub fn seed(&mut self, source: &str, totals: Totals) -> Result<(), BaseError> {
        todo!()
    }

    /// Gives a source (`kind:name`) a prior of its own, such as a tool's trust level.
    pub fn rate(&mut self, source: &str, prior: Option<f64>) -> Result<(), BaseError> {
        todo!()
    }

    /// Asserts a premise.
    pub fn assert(&mut self, premise: Premise, now: Time) -> Result<Asserted, BaseError> {
        todo!()
    }

    /// Interns an antecedent set: what `extends` holds, and these beliefs.
    pub fn antecedent_set(
        &mut self,
        extends: Option<SetId>,
        beliefs: &[BeliefId],
    ) -> Result<SetId, BaseError> {
        todo!()
    }

    /// Justifies a value by other beliefs.
    pub fn justify(&mut self, step: Step, now: Time) -> Result<BeliefId, BaseError> {
        todo!()
    }

    /// Like [`justify`](Self::justify), for what waits as pending: an equal value revives the old
    /// revision.
    pub fn rederive(&mut self, step: Step, now: Time) -> Result<BeliefId, BaseError> {
        todo!()
    }

    /// Runs a registered rule over current values.
    pub fn derive(&mut self, derivation: Derivation, now: Time) -> Result<BeliefId, BaseError> {
        todo!()
    }

    /// Takes back a key's believed revisions, or one ref. Returns those newly retracted.
    pub fn retract(
        &mut self,
        target: &str,
        reason: Option<&str>,
        fault: Fault,
        now: Time,
    ) -> Result<Vec<BeliefId>, BaseError> {
        todo!()
    }

    /// Undoes a retraction.
    pub fn restore(&mut self, target: &str, now: Time) -> Result<BeliefId, BaseError> {
        todo!()
    }

    /// Expires evidence whose time is up. Returns what expired.
    pub fn refresh(&mut self, now: Time) -> Vec<JustificationId> {
        todo!()
    }

    /// Settles a conflict by hand; the target is a key or `constraint:NAME`.
    pub fn resolve(
        &mut self,
        target: &str,
        settlement: &Settlement,
        now: Time,
    ) -> Result<Resolved, BaseError> {
        todo!()
    }

    /// Settles what conflicts a policy can. Close calls stay open.
    pub fn resolve_by(&mut self, policy: &ConflictPolicy, now: Time) -> Vec<Resolved> {
        todo!()
    }

    /// Tells the ledger that a source (`kind:name`) was right or wrong.
    pub fn outcome(
        &mut self,
        source: &str,
        correct: bool,
        lesson: Lesson,
        now: Time,
    ) -> Result<(), BaseError> {
        todo!()
    }

    /// Registers a rule, or a new version of it. Returns the version.
    pub fn set_rule(
        &mut self,
        name: &str,
        parameters: Vec<String>,
        expression: &str,
        confidence: Option<f64>,
        now: Time,
    ) -> Result<u32, BaseError> {
        todo!()
    }

    /// Withdraws a rule.
    pub fn remove_rule(&mut self, name: &str, now: Time) -> Result<(), BaseError> {
        todo!()
    }

    /// Registers a constraint, or a new version of it. Returns the version.
    pub fn set_constraint(
        &mut self,
        name: &str,
        inputs: Vec<(String, String)>,
        expression: &str,
        now: Time,
    ) -> Result<u32, BaseError> {
        todo!()
    }

    /// Withdraws a constraint.
    pub fn remove_constraint(&mut self, name: &str, now: Time) -> Result<(), BaseError> {
        todo!()
    }

    /// Runs rules again for what lost its support, until nothing more follows.
    pub fn propagate(&mut self, now: Time) -> Propagation {
        todo!()
    }

    /// What lost its support and waits, with why.
    #[must_use]
    pub fn pending(&self) -> Vec<Pending> {
        todo!()
    }

    /// A point to come back to.
    pub fn mark(&mut self) -> Mark {
        todo!()
    }

    /// Takes everything back that happened since the mark, events included.
    pub fn rollback(&mut self, mark: Mark) {
        todo!()
    }

    /// Lets everything stand that happened since the mark.
    pub fn commit(&mut self, mark: Mark) {
        todo!()
    }

    /// Beliefs whose status differs from that at the mark, in order of creation, with why.
    #[must_use]
    pub fn changes(&self, mark: &Mark) -> Vec<Change> {
        todo!()
    }

    /// Takes out what happened since the last time.
    pub fn take_events(&mut self) -> Vec<Event> {
        todo!()
    }

    /// Applies events that another base gave. All or nothing; no event is given for them.
    pub fn replay<'a>(
        &mut self,
        events: impl IntoIterator<Item = &'a Event>,
    ) -> Result<(), BaseError> {
        todo!()
    }

    /// The belief of that ref, or the currently believed revision of that key (the latest, when
    /// several equal ones are).
    ///
    /// # Errors
    /// `unknown_belief`, `not_believed` (a key without a believed revision),
    /// `unresolved_conflict` (a disputed key).
    pub fn current(&self, target: &str) -> Result<BeliefId, BaseError> {
        todo!()
    }

    /// The belief of that ref.
    #[must_use]
    pub fn find(&self, reference: &str) -> Option<BeliefId> {
        todo!()
    }

    /// A belief.
    #[must_use]
    pub fn belief(&self, belief: BeliefId) -> Option<Belief<'_>> {
        todo!()
    }

    /// How many beliefs there are.
    #[must_use]
    pub fn len(&self) -> usize {
        todo!()
    }

    /// All revisions of a key, oldest first; empty for a key without any.
    #[must_use]
    pub fn revisions(&self, key: &str) -> Vec<BeliefId> {
        todo!()
    }

    /// The believed revisions of a key, oldest first.
    #[must_use]
    pub fn believed(&self, key: &str) -> Vec<BeliefId> {
        todo!()
    }

    /// Whether the key has believed revisions of unequal values.
    #[must_use]
    pub fn is_disputed(&self, key: &str) -> bool {
        todo!()
    }

    /// Whether a belief is believed and its key undisputed.
    #[must_use]
    pub fn is_visible(&self, belief: BeliefId) -> bool {
        todo!()
    }

    /// Every belief that is believed and undisputed, in order of creation. Of several equal
    /// believed revisions of a key only the latest is listed.
    #[must_use]
    pub fn visible(&self) -> Vec<BeliefId> {
        todo!()
    }

    /// Everything believed, keys in order of creation, revisions in theirs.
    #[must_use]
    pub fn all_in(&self) -> Vec<BeliefId> {
        todo!()
    }

    /// The justifications of a belief, oldest first.
    #[must_use]
    pub fn justifications(&self, belief: BeliefId) -> Vec<Justification<'_>> {
        todo!()
    }

    /// The justification that gives a believed belief its confidence.
    #[must_use]
    pub fn supporting(&self, belief: BeliefId, at: Time) -> Option<JustificationId> {
        todo!()
    }

    /// The beliefs of a set, those of the set it extends first.
    #[must_use]
    pub fn antecedents(&self, set: SetId) -> Vec<BeliefId> {
        todo!()
    }

    /// Why a belief is not believed; `None` if it is.
    #[must_use]
    pub fn why_out(&self, belief: BeliefId) -> Option<WhyOut> {
        todo!()
    }

    /// Everything that rests on a belief, directly or not, or on its absence, in order of
    /// creation.
    #[must_use]
    pub fn dependents(&self, belief: BeliefId) -> Vec<BeliefId> {
        todo!()
    }

    /// Conflicts that are open: over values, by creation of the keys, then over constraints.
    #[must_use]
    pub fn conflicts(&self) -> Vec<Conflict> {
        todo!()
    }

    /// The latest revision of each key with nothing believed, that was not retracted and rests on
    /// premises only, all of them expired.
    #[must_use]
    pub fn stale(&self) -> Vec<BeliefId> {
        todo!()
    }

    /// Believed beliefs whose premises have lost at least that share of their weight with time.
    #[must_use]
    pub fn faded(&self, share: f64, at: Time) -> Vec<BeliefId> {
        todo!()
    }

    /// The confidence of a belief at a time; 0 if it is not believed.
    #[must_use]
    pub fn confidence(&self, belief: BeliefId, at: Time) -> f64 {
        todo!()
    }

    /// The confidence of every belief at a time, by handle.
    #[must_use]
    pub fn confidences(&self, at: Time) -> Vec<f64> {
        todo!()
    }

    /// The reliability of a source (`kind:name`) at a time.
    #[must_use]
    pub fn reliability(&self, source: &str, at: Time) -> f64 {
        todo!()
    }

    /// A rule; its newest version when none is named.
    #[must_use]
    pub fn rule(&self, name: &str, version: Option<u32>) -> Option<Rule> {
        todo!()
    }

    /// What the last operation touched.
    #[must_use]
    pub fn work(&self) -> Work {
        todo!()
    }

    /// Bytes on the heap, spare capacity included.
    #[must_use]
    pub fn heap_bytes(&self) -> usize {
        todo!()
    }

    /// Everything observable as one value, the same for the same history.
    #[must_use]
    pub fn dump(&self) -> Value {
        todo!()
    }
}
