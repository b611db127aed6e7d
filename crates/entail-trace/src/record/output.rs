//! What a finished step puts out.

use entail_json::{Object, Value};

use super::{Record, sealed::Plumbing};
use crate::fault::{At, Faults};
use crate::fields::{Fields, any, ids, natural, object, text, texts};
use crate::id::Id;
use crate::sink::Sink;
use crate::words::{StepKind, unknown};

/// The output of a step: one of the five kinds, or that there is not enough evidence.
///
/// On input the tag may also be called `kind`.
#[derive(Clone, Debug, PartialEq)]
pub enum StepOutput {
    /// Of an understand step.
    Understand(Understood),
    /// Of a gather step.
    Gather(Gathered),
    /// Of a derive step.
    Derive(Derived),
    /// Of a verify step.
    Verify(Verified),
    /// Of a finalize step.
    Finalize(Finalized),
    /// Of a step that could not do its work for want of evidence.
    InsufficientEvidence(InsufficientEvidence),
}

/// What was understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Understood {
    /// The question as it is worked on.
    pub normalized_question: String,
    /// What is taken for granted.
    pub assumptions: Vec<String>,
    /// What kind of task it is; `generic` unless said otherwise.
    pub task_type: String,
}

/// What was gathered.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Gathered {
    /// The evidence. On input also `evidence_refs`.
    pub evidence_ids: Vec<Id>,
    /// What was searched for.
    pub retrieval_queries: Vec<String>,
    /// How it was searched for.
    pub retrieval_provenance: Object,
}

/// What was derived.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Derived {
    /// The claims emitted. On input also `emitted_claim_ids`.
    pub claim_ids: Vec<Id>,
}

/// What was verified.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verified {
    /// Claims that hold.
    pub validated_claim_ids: Vec<Id>,
    /// Claims that do not.
    pub rejected_claim_ids: Vec<Id>,
    /// Claims without enough support. On input also `insufficient_support`.
    pub missing_support_claim_ids: Vec<Id>,
}

/// The end of the reasoning.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Finalized {
    /// The claims that the answer rests on.
    pub final_claim_ids: Vec<Id>,
    /// The answer, if there is one.
    pub final_answer: Option<String>,
    /// How uncertain it is, in whatever terms; else `null`.
    pub uncertainty: Value,
}

/// An explicit refusal to answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InsufficientEvidence {
    /// Why.
    pub reason: String,
    /// How much evidence there is.
    pub retrieved: u64,
    /// How much would be needed.
    pub required: u64,
}

const TYPES: [&str; 6] = [
    "understand",
    "gather",
    "derive",
    "verify",
    "finalize",
    "insufficient_evidence",
];

impl StepOutput {
    /// The kind of step whose output this is; `None` for insufficient evidence, which any step
    /// may put out.
    #[must_use]
    pub fn step_kind(&self) -> Option<StepKind> {
        match self {
            Self::Understand(_) => Some(StepKind::Understand),
            Self::Gather(_) => Some(StepKind::Gather),
            Self::Derive(_) => Some(StepKind::Derive),
            Self::Verify(_) => Some(StepKind::Verify),
            Self::Finalize(_) => Some(StepKind::Finalize),
            Self::InsufficientEvidence(_) => None,
        }
    }

    fn read_members(kind: &str, fields: &mut Fields<'_>) -> Option<Self> {
        match kind {
            "understand" => {
                let question = fields.required(&["normalized_question"], text);
                let assumptions = fields.defaulted(&["assumptions"], texts, Vec::new);
                let task_type = fields.defaulted(&["task_type"], text, || "generic".to_owned());
                Some(Self::Understand(Understood {
                    normalized_question: question?,
                    assumptions: assumptions?,
                    task_type: task_type?,
                }))
            }
            "gather" => {
                let evidence = fields.defaulted(&["evidence_ids", "evidence_refs"], ids, Vec::new);
                let queries = fields.defaulted(&["retrieval_queries"], texts, Vec::new);
                let provenance = fields.defaulted(&["retrieval_provenance"], object, Object::new);
                Some(Self::Gather(Gathered {
                    evidence_ids: evidence?,
                    retrieval_queries: queries?,
                    retrieval_provenance: provenance?,
                }))
            }
            "derive" => {
                let claims = fields.defaulted(&["claim_ids", "emitted_claim_ids"], ids, Vec::new);
                Some(Self::Derive(Derived { claim_ids: claims? }))
            }
            "verify" => {
                let validated = fields.defaulted(&["validated_claim_ids"], ids, Vec::new);
                let rejected = fields.defaulted(&["rejected_claim_ids"], ids, Vec::new);
                let names = ["missing_support_claim_ids", "insufficient_support"];
                let missing = fields.defaulted(&names, ids, Vec::new);
                Some(Self::Verify(Verified {
                    validated_claim_ids: validated?,
                    rejected_claim_ids: rejected?,
                    missing_support_claim_ids: missing?,
                }))
            }
            "finalize" => {
                let claims = fields.defaulted(&["final_claim_ids"], ids, Vec::new);
                let answer = fields.nullable("final_answer", text);
                let uncertainty = fields.defaulted(&["uncertainty"], any, || Value::Null);
                Some(Self::Finalize(Finalized {
                    final_claim_ids: claims?,
                    final_answer: answer?,
                    uncertainty: uncertainty?,
                }))
            }
            "insufficient_evidence" => {
                let reason = fields.required(&["reason"], text);
                let retrieved = fields.required(&["retrieved"], natural);
                let required = fields.required(&["required"], natural);
                Some(Self::InsufficientEvidence(InsufficientEvidence {
                    reason: reason?,
                    retrieved: retrieved?,
                    required: required?,
                }))
            }
            other => {
                fields.fault("type", unknown(other, "type of output", &TYPES));
                None
            }
        }
    }
}

impl Plumbing for StepOutput {
    fn parse(value: Value, at: &At<'_>, faults: &mut Faults) -> Option<Self> {
        let mut fields = Fields::open(value, at, faults)?;
        let kind = fields.required(&["type", "kind"], text)?;
        let output = Self::read_members(&kind, &mut fields)?;
        fields.close();
        Some(output)
    }

    fn emit<S: Sink>(&self, sink: &mut S) {
        sink.open();
        match self {
            Self::Understand(output) => {
                sink.name("assumptions");
                sink.texts(output.assumptions.iter().map(String::as_str));
                sink.text_member("normalized_question", &output.normalized_question);
                sink.text_member("task_type", &output.task_type);
                sink.text_member("type", "understand");
            }
            Self::Gather(output) => {
                sink.name("evidence_ids");
                sink.texts(output.evidence_ids.iter().map(Id::as_str));
                sink.name("retrieval_provenance");
                sink.object(&output.retrieval_provenance);
                sink.name("retrieval_queries");
                sink.texts(output.retrieval_queries.iter().map(String::as_str));
                sink.text_member("type", "gather");
            }
            Self::Derive(output) => {
                sink.name("claim_ids");
                sink.texts(output.claim_ids.iter().map(Id::as_str));
                sink.text_member("type", "derive");
            }
            Self::Verify(output) => {
                sink.name("missing_support_claim_ids");
                sink.texts(output.missing_support_claim_ids.iter().map(Id::as_str));
                sink.name("rejected_claim_ids");
                sink.texts(output.rejected_claim_ids.iter().map(Id::as_str));
                sink.text_member("type", "verify");
                sink.name("validated_claim_ids");
                sink.texts(output.validated_claim_ids.iter().map(Id::as_str));
            }
            Self::Finalize(output) => {
                sink.name("final_answer");
                sink.optional_text(output.final_answer.as_deref());
                sink.name("final_claim_ids");
                sink.texts(output.final_claim_ids.iter().map(Id::as_str));
                sink.text_member("type", "finalize");
                sink.name("uncertainty");
                sink.value(&output.uncertainty);
            }
            Self::InsufficientEvidence(output) => {
                sink.text_member("reason", &output.reason);
                sink.name("required");
                sink.integer(output.required);
                sink.name("retrieved");
                sink.integer(output.retrieved);
                sink.text_member("type", "insufficient_evidence");
            }
        }
        sink.close();
    }
}

impl Record for StepOutput {
    const NAME: &'static str = "StepOutput";
}
