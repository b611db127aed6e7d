//! Reading a snapshot.

use std::sync::Arc;

use entail_json::{Digest, Failure, Object, ReadErrorKind, Reader, Value, fingerprint};
use entail_kernel::Time;
use entail_kernel::base::Event as BaseEvent;
use entail_kernel::confidence::{LedgerSettings, Totals};
use entail_kernel::text::Document;
use rustc_hash::FxHashMap;

use super::beliefs::{self, Beliefs};
use super::kept::Kept;
use super::{FORMAT, VERSION, justifications, ledger, source, time};
use crate::fields::{Fault, Faults, Fields, member};
use crate::limits::{Limits, SNAPSHOT_BYTES, SNAPSHOT_DEPTH, SNAPSHOT_FAULTS};

/// A snapshot that was read and checked: what a session can be opened from.
///
/// ```
/// use entail_kernel::Time;
/// use entail_session::{Limits, Session, Snapshot};
///
/// let text = r#"{"format": "corollary.beliefbase", "version": 2, "documents": {},
///   "beliefs": [{"belief": {"key": "revenue:Q2", "revision": 1, "value": 4300000000, "claim": "",
///     "source": {"kind": "human", "name": "ann", "detail": {}}, "confidence": 0.99,
///     "created_at": "2026-01-01T00:00:00+00:00", "metadata": {}},
///     "retracted": false, "retract_reason": ""}],
///   "justifications": [{"id": "j1", "conclusion": "revenue:Q2@1", "kind": "premise",
///     "antecedents": [], "unless": [], "inputs": [],
///     "source": {"kind": "human", "name": "ann", "detail": {}}, "rule": null, "formula": null,
///     "confidence": 0.99, "valid_until": null, "half_life": null, "note": "",
///     "created_at": "2026-01-01T00:00:00+00:00"}]}"#;
/// let snapshot = Snapshot::read(&entail_json::read_str(text)?, &Limits::default())?;
/// let id = "0190a6f0-0000-7000-8000-000000000000";
/// let (session, imported) =
///     Session::import(id, "Go on.", snapshot, Limits::default(), Time::EPOCH)?;
/// assert_eq!(imported.entry.map(|entry| entry.kind), Some("import".to_owned()));
/// assert_eq!(session.base().believed("revenue:Q2").len(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Snapshot {
    pub(crate) documents: Vec<(String, Arc<Document>)>,
    pub(crate) ledger: LedgerSettings,
    pub(crate) seeds: Vec<(String, Totals)>,
    /// Beliefs, sets, justifications, retractions.
    pub(crate) events: Vec<BaseEvent>,
    pub(crate) latest: Time,
    pub(crate) beliefs: usize,
    pub(crate) sha256: Digest,
    pub(crate) kept: Kept,
}

impl Snapshot {
    /// Reads a snapshot's text: strict JSON, as the library writes it but for `NaN`, `Infinity`
    /// and unpaired surrogates, which are no values.
    ///
    /// # Errors
    /// Where the text is no JSON or longer than [`SNAPSHOT_BYTES`], with line and column; else as
    /// [`read`](Self::read).
    pub fn from_json(text: &[u8], limits: &Limits) -> Result<Self, Faults> {
        let mut reader = Reader::default();
        reader.limits.max_bytes = SNAPSHOT_BYTES;
        reader.limits.max_depth = SNAPSHOT_DEPTH;
        let reading = reader.read(text).and_then(|reading| {
            let fault = reading.faults.first().map(|fault| Failure {
                kind: ReadErrorKind::Fault(fault.kind),
                offset: fault.offset,
            });
            fault.map_or(Ok(reading.value), |fault| Err(fault.locate(text)))
        });
        match reading {
            Ok(value) => Self::read(&value, limits),
            Err(error) => {
                let mut faults = Faults::default();
                faults.push("", error.to_string());
                Err(faults)
            }
        }
    }

    /// Reads a snapshot; every member is known or a fault, so that nothing is lost unnoticed.
    ///
    /// A rule's step is kept as one by version 1 of the rule of that name, whatever rule is
    /// registered under it later: the library, too, finds rules again by name. The quote of a
    /// document that stands in the snapshot is looked up in it.
    ///
    /// # Errors
    /// Every fault with its JSON pointer into the snapshot, up to [`SNAPSHOT_FAULTS`]; what a
    /// session with these limits could not hold is a fault, too.
    pub fn read(value: &Value, limits: &Limits) -> Result<Self, Faults> {
        let mut faults = Faults::default();
        let read = read(value, limits, &mut faults);
        faults.settle(read).map_err(|mut faults| {
            let more = faults.0.len().saturating_sub(SNAPSHOT_FAULTS);
            if more > 0 {
                faults.0.truncate(SNAPSHOT_FAULTS);
                faults.push("", format!("and {more} more faults"));
            }
            faults
        })
    }

    /// The latest time named by what happened in it. A session cannot begin before.
    #[must_use]
    pub const fn latest(&self) -> Time {
        self.latest
    }

    /// Its documents, by name.
    #[must_use]
    pub fn documents(&self) -> &[(String, Arc<Document>)] {
        &self.documents
    }
}

fn read(value: &Value, limits: &Limits, faults: &mut Faults) -> Option<Snapshot> {
    let mut fields = Fields::open(value, "", faults)?;
    check_version(&mut fields, faults)?;
    let documents = documents(&mut fields, limits, faults);
    let (history, retractions, happened) = history(&mut fields, faults);
    let list = fields.list("beliefs", faults);
    let list = fields.required("beliefs", list, faults)?;
    let mut beliefs = beliefs::read(list, limits, faults);
    let list = fields.list("justifications", faults);
    let list = fields.required("justifications", list, faults)?;
    let reasons = fields.object("reasons", faults).cloned();
    let ledger = fields.value("ledger");
    let pointer = fields.at("ledger");
    fields.close(faults);
    let steps = justifications::read(list, &beliefs, &documents, faults);
    let ledger = ledger.map(|ledger| ledger::read(ledger, &pointer, faults));
    let ledger = ledger.unwrap_or_default();
    let latest = [happened, beliefs.latest, steps.latest, ledger.latest];
    let latest = latest.into_iter().flatten().max().unwrap_or(Time::MIN);
    let sources = beliefs.differing(&steps.first);
    let mut events = std::mem::take(&mut beliefs.events);
    events.extend(steps.events);
    events.extend(retracted(&beliefs, &retractions, latest));
    Some(Snapshot {
        kept: Kept {
            sources,
            ids: steps.ids,
            history,
            reasons,
            ledger: ledger.kept,
            max_history: ledger.max_history,
        },
        documents: documents
            .into_iter()
            .map(|(name, text)| (name.to_owned(), text))
            .collect(),
        ledger: ledger.settings,
        seeds: ledger.seeds,
        events,
        latest,
        beliefs: beliefs.refs.len(),
        sha256: fingerprint(value),
    })
}

fn check_version(fields: &mut Fields<'_>, faults: &mut Faults) -> Option<()> {
    let format = fields.text("format", faults);
    let format = fields.required("format", format, faults)?;
    if format != FORMAT {
        let format = crate::text::shorten(format, 40);
        faults.push("/format", format!("is `{format}`: only `{FORMAT}` is read"));
        return None;
    }
    let version = fields.count("version", faults);
    let version = fields.required("version", version, faults)?;
    if version != VERSION {
        faults.push(
            "/version",
            format!("is {version}: only version {VERSION} is read; load and save it with `corollary` 0.1.0a4"),
        );
        return None;
    }
    Some(())
}

fn documents<'a>(
    fields: &mut Fields<'a>,
    limits: &Limits,
    faults: &mut Faults,
) -> Vec<(&'a str, Arc<Document>)> {
    let pointer = fields.at("documents");
    let Some(object) = fields.object("documents", faults) else {
        return Vec::new();
    };
    if object.len() > limits.documents {
        let (count, limit) = (object.len(), limits.documents);
        faults.push(&*pointer, format!("are {count}: the limit is {limit}"));
        return Vec::new();
    }
    let mut documents = Vec::with_capacity(object.len());
    for (name, text) in object {
        let at = member(&pointer, name);
        source::named(name, "document", &at, faults);
        let Some(text) = text.as_str() else {
            faults.push(at, "must be a string");
            continue;
        };
        let document = match Document::new(text) {
            Ok(document) if text.len() <= limits.document_bytes => document,
            _ => {
                let (bytes, limit) = (text.len(), limits.document_bytes);
                faults.push(at, format!("has {bytes} bytes: the limit is {limit}"));
                continue;
            }
        };
        documents.push((name, Arc::new(document)));
    }
    documents
}

/// The history, when each ref was retracted last, and the latest time in it.
type History<'a> = (Vec<Value>, FxHashMap<&'a str, Time>, Option<Time>);

fn history<'a>(fields: &mut Fields<'a>, faults: &mut Faults) -> History<'a> {
    let list = fields.list("history", faults).unwrap_or_default();
    let mut retracted = FxHashMap::default();
    let mut latest = None;
    for (index, line) in list.iter().enumerate() {
        if is_full(faults) {
            break;
        }
        let pointer = format!("/history/{index}");
        let Some(mut fields) = Fields::open(line, &pointer, faults) else {
            continue;
        };
        let at = time::required(&mut fields, "at", faults);
        let action = fields.text("action", faults);
        let action = fields.required("action", action, faults);
        let reference = fields.text("ref", faults);
        fields.text("detail", faults);
        fields.close(faults);
        latest = latest.max(at);
        if let (Some("retract"), Some(reference), Some(at)) = (action, reference, at) {
            retracted.insert(reference, at);
        }
    }
    (list.to_vec(), retracted, latest)
}

/// The retractions; the library tells their times in its history only.
fn retracted(beliefs: &Beliefs<'_>, times: &FxHashMap<&str, Time>, latest: Time) -> Vec<BaseEvent> {
    let event = |(belief, reason): &(entail_kernel::base::Ref, Option<String>)| {
        let at = times.get(&*belief.to_string()).copied().unwrap_or(latest);
        BaseEvent::Retracted {
            belief: belief.clone(),
            reason: reason.clone(),
            at,
        }
    };
    beliefs.retracted.iter().map(event).collect()
}

/// Whether there are so many faults that looking for more is of no use.
pub(super) const fn is_full(faults: &Faults) -> bool {
    faults.0.len() > SNAPSHOT_FAULTS
}

/// A text that is not empty.
pub(super) fn filled(text: Option<&str>) -> Option<String> {
    text.filter(|text| !text.is_empty()).map(str::to_owned)
}

/// A fault in a value that a session keeps.
pub(super) fn value_fault(value: &Value, pointer: String, limit: usize) -> Option<Fault> {
    crate::commands::value_fault(value, limit).map(|reason| Fault {
        pointer,
        message: format!("cannot be kept: {reason}"),
    })
}

/// An object that is not empty.
pub(super) fn filled_object(object: Option<&Object>) -> Option<Object> {
    object.filter(|object| !object.is_empty()).cloned()
}
