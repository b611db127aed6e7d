//! What the tests of snapshots share.

use std::collections::BTreeMap;
use std::sync::Arc;

use entail_json::{Digest, Value, read_str};
use entail_kernel::Time;
use entail_kernel::base::Base;
use entail_session::{Document, Limits, Session, Snapshot, Written, write_snapshot};
use entail_trace::journal::Entry;

pub(crate) const ID: &str = "0190a6f0-0000-7000-8000-000000000000";

/// A session with its journal.
pub(crate) struct Imported {
    pub session: Session,
    pub journal: Vec<Entry>,
    pub documents: Vec<Arc<Document>>,
}

impl Imported {
    pub(crate) fn from(snapshot: &Value, at: Time) -> Self {
        let snapshot = Snapshot::read(snapshot, &Limits::default()).unwrap();
        let documents = snapshot.documents().iter();
        let documents = documents
            .map(|(_, document)| Arc::clone(document))
            .collect();
        let (mut session, executed) =
            Session::import(ID, "Go on.", snapshot, Limits::default(), at).unwrap();
        session.confirm();
        let journal = executed.entry.into_iter().collect();
        Self {
            session,
            journal,
            documents,
        }
    }

    pub(crate) fn write(&self) -> Written {
        write_snapshot(&self.session, &self.journal).unwrap()
    }

    pub(crate) fn replayed(&self) -> Session {
        let text = |digest: &Digest| {
            let found = self.documents.iter().find(|there| there.id() == *digest);
            found.cloned()
        };
        Session::replay(&self.journal, Limits::default(), text).unwrap()
    }
}

/// Everything of a base that a snapshot has to keep: label, confidence, why out, by ref; disputed
/// keys; what is stale; reliabilities.
#[derive(Debug, PartialEq)]
pub(crate) struct State {
    pub beliefs: BTreeMap<String, (bool, u64, String)>,
    pub conflicts: Vec<String>,
    pub stale: Vec<String>,
    pub reliabilities: BTreeMap<String, u64>,
}

impl State {
    pub(crate) fn of(base: &Base, at: Time) -> Self {
        let nano = |share: f64| (share * 1e9).round() as u64;
        let confidences = base.confidences(at);
        let beliefs = base.beliefs().map(|belief| {
            let why = base.why_out(belief.id);
            let why = why.map(|why| {
                let lost = why.lost.iter().map(|id| base.ref_of(*id).unwrap());
                let lost: Vec<_> = lost.map(|there| there.to_string()).collect();
                let (retracted, expired, by) = (why.retracted, why.expired, why.defeated_by);
                format!("retracted {retracted} expired {expired} lost {lost:?} by {by:?}")
            });
            let reference = belief.reference().to_string();
            let confidence = nano(confidences.of(belief.id));
            (
                reference,
                (belief.is_in(), confidence, why.unwrap_or_default()),
            )
        });
        let mut conflicts: Vec<_> = base
            .keys()
            .filter(|key| base.is_disputed(key))
            .map(ToString::to_string)
            .collect();
        conflicts.sort();
        let refs = |ids: Vec<_>| {
            let refs = ids.into_iter().map(|id| base.ref_of(id).unwrap());
            let mut refs: Vec<_> = refs.map(|there| there.to_string()).collect();
            refs.sort();
            refs
        };
        let reliabilities = base.sources(at).into_iter().map(|(source, _)| {
            let reliability = nano(base.reliability(&source, at));
            (source.to_string(), reliability)
        });
        Self {
            beliefs: beliefs.collect(),
            conflicts,
            stale: refs(base.stale()),
            reliabilities: reliabilities.collect(),
        }
    }
}

pub(crate) fn time(text: &str) -> Time {
    text.parse().unwrap()
}

pub(crate) fn json(text: &str) -> Value {
    read_str(text).unwrap()
}
