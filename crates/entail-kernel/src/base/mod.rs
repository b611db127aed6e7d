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
//!
//! | modules | subject |
//! |---|---|
//! | `id`, `key`, `source`, `command`, `error`, `view` | what goes in and comes out |
//! | `arena`, `nodes`, `graph`, `heap`, `label`, `region`, `settle`, `check` | storage and labelling |
//! | `record`, `undo`, `event`, `event_write`, `event_read`, `replay` | what happened, forwards and back |
//! | `assert`, `justify`, `retract`, `refresh`, `resolve`, `learn` | the operations |
//! | `rules`, `derive`, `propagate`, `conflict` | rules, constraints and what waits |
//! | `query`, `why`, `changes`, `dump` | questions |
//! | `image_write`, `image_read` | the whole base as bytes, and back |

mod arena;
mod assert;
mod changes;
mod check;
mod command;
mod conflict;
mod derive;
mod dump;
mod error;
mod event;
mod event_read;
mod event_write;
pub(crate) mod graph;
mod heap;
mod id;
mod image_read;
mod image_write;
mod justify;
mod key;
mod label;
mod learn;
pub(crate) mod nodes;
mod propagate;
mod query;
mod record;
mod refresh;
mod region;
mod replay;
mod resolve;
mod retract;
mod rules;
mod settle;
mod source;
mod undo;
mod view;
mod why;

use std::collections::BTreeSet;

pub use assert::{Asserted, Assertion};
pub use command::{
    Antecedents, ConflictPolicy, Derivation, Expiry, Fault, Premise, Settlement, Step,
};
pub use conflict::{Conflict, ConflictKind, Disputed};
pub use error::BaseError;
pub use event::{Event, Lesson, Record};
pub use event_read::InvalidEvent;
pub(crate) use event_write::{citation_json, float, source_json};
pub use heap::{object_bytes, value_bytes};
pub use id::{BeliefId, JustificationId, KeyId, NameId, SetId, SourceId};
pub(crate) use image_read::read_totals;
pub(crate) use image_write::write_totals;
pub use key::{KeyFault, check_key, split_ref};
pub use propagate::{Pending, Propagation};
pub use resolve::Resolved;
pub use rules::{Constraint, Rule};
pub use source::{Citation, InvalidSource, Source, SourceKind};
pub use undo::Mark;
pub use view::{Belief, Change, Justification, JustificationKind, Ref, Retraction, Status, WhyOut};
pub(crate) use why::LostInSets;

use crate::confidence::{Ledger, LedgerSettings, TrustPolicy};

/// What a base goes by.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Settings {
    /// Whom to trust how much.
    pub trust: TrustPolicy,
    /// How the ledger weighs what it has seen.
    pub ledger: LedgerSettings,
}

/// The belief base. See the [module](self) for what it is.
///
/// ```
/// use entail_kernel::base::{Fault, Premise, Step};
/// use entail_kernel::{Base, Time};
///
/// let mut base = Base::default();
/// let now = Time::EPOCH;
/// for (key, value) in [("q2", 4_300_i64), ("q3", 4_500)] {
///     base.assert(Premise::new(key, value, "tool:revenue".parse()?), now)?;
/// }
/// let step = Step::new("grew", true, "model:m".parse()?, ["q2", "q3"]);
/// let grew = base.justify(step, now)?;
/// assert!(base.is_in(grew));
///
/// base.retract("q2", Some("restated"), Fault::None, now)?;
/// assert!(!base.is_in(grew));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Base {
    settings: Settings,
    pub(crate) graph: graph::Graph,
    pub(crate) ledger: Ledger,
    rules: rules::Rules,
    /// When evidence expires, soonest first, in microseconds.
    expiring: BTreeSet<(i64, JustificationId)>,
    /// Keys that rules may derive again.
    woken: BTreeSet<KeyId>,
    /// How many conflicts were settled.
    resolutions: u32,
    undo: Vec<undo::Undo>,
    open_marks: u32,
    events: Vec<Event>,
    is_replaying: bool,
    /// The source of the operation before.
    last_source: Option<SourceId>,
    seeds: Vec<settle::Seed>,
    region: region::Region,
    work: Work,
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

impl Base {
    /// An empty base. Settings other than the default are an event, since a replay needs them.
    #[must_use]
    pub fn new(settings: Settings) -> Self {
        let mut base = Self::default();
        if settings != Settings::default() {
            base.settings = settings.clone();
            base.events.push(Event::Configured(Box::new(settings)));
        }
        base
    }

    /// What it goes by.
    #[must_use]
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Runs an operation: all of it, or nothing.
    fn operate<T>(
        &mut self,
        operation: impl FnOnce(&mut Self) -> Result<T, BaseError>,
    ) -> Result<T, BaseError> {
        self.work = Work::default();
        let mark = self.mark();
        match operation(self) {
            Ok(done) => {
                self.settle();
                self.commit(mark);
                Ok(done)
            }
            Err(error) => {
                self.rollback(mark);
                Err(error)
            }
        }
    }

    /// What happened since events were last taken out.
    #[must_use]
    pub fn events(&self) -> &[Event] {
        &self.events
    }

    /// Takes out what happened since the last time.
    ///
    /// Not while a mark is open: what is taken could no longer be rolled back.
    pub fn take_events(&mut self) -> Vec<Event> {
        debug_assert_eq!(self.open_marks, 0, "events are taken between transactions");
        std::mem::take(&mut self.events)
    }
}
