//! Claims and what they rest on.

use entail_json::{Digest, Object, Value};

use super::{Record, identified, sealed::Plumbing};
use crate::fault::{At, Faults};
use crate::fields::{self, Fields, digest, list, object, text};
use crate::id::{Content, Id, IdKind, Identified, sealed::Hashed};
use crate::sink::Sink;
use crate::span::Span;
use crate::words::{ClaimStatus, ClaimType, SupportKind, unknown};

/// A claim with its supports.
pub type Claim = Identified<ClaimContent>;

/// What a [`Claim`] says.
#[derive(Clone, Debug, PartialEq)]
pub struct ClaimContent {
    /// The claim in words, followed by a marker for each evidence support.
    pub statement: String,
    /// Whether it was accepted.
    pub status: ClaimStatus,
    /// How sure it is.
    pub confidence: Confidence,
    /// What it rests on. On input also `support_refs`.
    pub supports: Vec<SupportRef>,
    /// Where it comes from.
    pub claim_type: ClaimType,
    /// The claim as data, if there is any.
    pub structured: Option<Object>,
}

impl ClaimContent {
    /// A proposed, derived claim of no confidence that rests on nothing: the format's defaults.
    #[must_use]
    pub fn new(statement: impl Into<String>) -> Self {
        Self {
            statement: statement.into(),
            status: ClaimStatus::Proposed,
            confidence: Confidence::ZERO,
            supports: Vec::new(),
            claim_type: ClaimType::Derived,
            structured: None,
        }
    }

    fn write<S: Sink>(&self, id: Option<&Id>, sink: &mut S) {
        sink.open();
        sink.text_member("claim_type", self.claim_type.as_str());
        sink.name("confidence");
        sink.float(self.confidence.get());
        if let Some(id) = id {
            sink.text_member("id", id);
        }
        sink.text_member("statement", &self.statement);
        sink.text_member("status", self.status.as_str());
        sink.name("structured");
        match &self.structured {
            Some(structured) => sink.object(structured),
            None => sink.value(&Value::Null),
        }
        sink.name("supports");
        sink.open_list();
        for support in &self.supports {
            support.emit(sink);
        }
        sink.close_list();
        sink.close();
    }
}

impl Content for ClaimContent {
    const ID_KIND: IdKind = IdKind::Claim;
}

impl Hashed for ClaimContent {
    fn hashed<S: Sink>(&self, sink: &mut S) {
        self.write(None, sink);
    }

    fn emit<S: Sink>(&self, id: &Id, sink: &mut S) {
        self.write(Some(id), sink);
    }
}

impl Plumbing for Claim {
    fn parse(value: Value, at: &At<'_>, faults: &mut Faults) -> Option<Self> {
        let mut fields = Fields::open(value, at, faults)?;
        let id = fields.own_id();
        let statement = fields.required(&["statement"], text);
        let status = fields.defaulted(&["status"], ClaimStatus::parse, || ClaimStatus::Proposed);
        let confidence = fields.defaulted(&["confidence"], Confidence::parse, || Confidence::ZERO);
        let supports = fields.defaulted(&["supports", "support_refs"], supports, Vec::new);
        let kind = fields.defaulted(&["claim_type"], ClaimType::parse, || ClaimType::Derived);
        let structured = fields.nullable("structured", object);
        fields.close();
        let content = ClaimContent {
            statement: statement?,
            status: status?,
            confidence: confidence?,
            supports: supports?,
            claim_type: kind?,
            structured: structured?,
        };
        Some(Self::read_as(id?, content))
    }

    fn emit<S: Sink>(&self, sink: &mut S) {
        Hashed::emit(&**self, self.id(), sink);
    }
}

identified!(Claim);

fn supports(value: Value, at: &At<'_>, faults: &mut Faults) -> Option<Vec<SupportRef>> {
    list(value, at, faults, SupportRef::parse)
}

/// A confidence from 0 to 1. It is a float in every record, also when it is whole.
///
/// ```
/// use entail_trace::Confidence;
///
/// assert_eq!(Confidence::new(0.95).map(Confidence::get), Some(0.95));
/// assert_eq!(Confidence::new(1.5), None);
/// assert_eq!(Confidence::new(f64::NAN), None);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd)]
pub struct Confidence(f64);

impl Confidence {
    /// No confidence at all.
    pub const ZERO: Self = Self(0.0);

    /// The confidence, or `None` outside 0 to 1.
    #[must_use]
    pub fn new(confidence: f64) -> Option<Self> {
        (0.0..=1.0)
            .contains(&confidence)
            .then_some(Self(confidence))
    }

    /// The number.
    #[must_use]
    pub fn get(self) -> f64 {
        self.0
    }

    fn parse(value: Value, at: &At<'_>, faults: &mut Faults) -> Option<Self> {
        let Some(number) = value.as_f64() else {
            faults.push(at, format!("must be a number, not `{}`", value.type_name()));
            return None;
        };
        let confidence = Self::new(number);
        if confidence.is_none() {
            faults.push(
                at,
                format!("`{value}` is out of range: a confidence lies in 0 to 1"),
            );
        }
        confidence
    }
}

/// A reference from a claim to the exact bytes that support it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SupportRef {
    /// What is referred to.
    pub kind: SupportKind,
    /// Its id.
    pub ref_id: Id,
    /// The bytes of it that matter.
    pub span: Span,
    /// The digest of exactly those bytes.
    pub snippet_sha256: Digest,
}

impl SupportRef {
    /// The marker that stands in a statement for this support:
    /// `[evidence:<id>:<start>-<end>:<sha256>]`.
    #[must_use]
    pub fn marker(&self) -> String {
        format!(
            "[{}:{}:{}:{}]",
            self.kind, self.ref_id, self.span, self.snippet_sha256
        )
    }
}

impl Plumbing for SupportRef {
    fn parse(value: Value, at: &At<'_>, faults: &mut Faults) -> Option<Self> {
        let mut fields = Fields::open(value, at, faults)?;
        let kind = fields.required(&["kind"], SupportKind::parse);
        let ref_id = fields.required(&["ref_id"], fields::id);
        let span = fields.required(&["span"], Span::parse);
        let snippet = fields.required(&["snippet_sha256"], digest);
        let algo = fields.defaulted(&["hash_algo"], hash_algo, || ());
        fields.close();
        algo?;
        Some(Self {
            kind: kind?,
            ref_id: ref_id?,
            span: span?,
            snippet_sha256: snippet?,
        })
    }

    fn emit<S: Sink>(&self, sink: &mut S) {
        sink.open();
        sink.text_member("hash_algo", "sha256");
        sink.text_member("kind", self.kind.as_str());
        sink.text_member("ref_id", &self.ref_id);
        sink.text_member("snippet_sha256", &self.snippet_sha256.to_string());
        sink.name("span");
        self.span.emit(sink);
        sink.close();
    }
}

impl Record for SupportRef {
    const NAME: &'static str = "SupportRef";
}

fn hash_algo(value: Value, at: &At<'_>, faults: &mut Faults) -> Option<()> {
    let algo = text(value, at, faults)?;
    if algo == "sha256" {
        return Some(());
    }
    faults.push(
        at,
        unknown(&algo, "hash that can be checked here", &["sha256"]),
    );
    None
}
