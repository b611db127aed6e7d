//! The checks there are, what each breaks when it fails, and the layer it belongs to.

/// A check by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CheckName {
    /// Versions, links, order: the trace is a trace of its plan.
    CoreInvariants,
    /// Every call has its one result, every result its call.
    ToolLinkage,
    /// Every support refers to something registered before.
    ClaimJustifications,
    /// Every derived claim has enough evidence, and its statement marks exactly that evidence.
    DerivedClaimGrounding,
    /// Every derived claim names the reasoning trace of the header.
    ReasoningTrace,
    /// There are derived claims or a refusal for want of evidence, and not both.
    InsufficientReasoning,
    /// The reasoning was brought to an end.
    FinalizePresent,
    /// A step of each kind was finished.
    RequiredSteps,
    /// Every evidence file is there and has the digest that is recorded.
    EvidenceHashes,
    /// The bytes cited from evidence have the digests that the claims give.
    SupportSpans,
    /// Every id follows from its content.
    ContentIds,
    /// The bytes cited from claims and tool results have the digests that the claims give, and
    /// evidence the digest of its own span.
    ClaimSpans,
    /// The journal's hash chain holds.
    Chain,
    /// The trace is the one that the journal gives, byte for byte.
    Replay,
    /// Proof: antecedents are present and every step holds.
    Structure,
    /// Proof: every leaf is a tool, a document or a person.
    Grounding,
    /// Proof: formulas and rules give the values claimed.
    Arithmetic,
    /// Proof: quotes and values stand in the documents cited.
    Citation,
    /// Proof: no evidence had expired, nothing was justified before its antecedents existed.
    Temporal,
    /// Proof: every number in a claim is stated by an antecedent.
    Provenance,
    /// Every record could be read: fields, types, spans, paths.
    Records,
    /// The trace is written canonically and has the fingerprint that is recorded.
    Serialization,
    /// Every file has the digest that the manifest records, and there are no others.
    Manifest,
    /// The checkpoint names the chain head and the manifest.
    Checkpoint,
    /// The checkpoint is signed by the key that the one who checks expects.
    Signature,
    /// The report that is recorded says what these checks say.
    RecordedReport,
}

/// What a check vouches for: one boundary of validation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Layer {
    /// The records themselves.
    Record,
    /// The bytes of the trace.
    Serialization,
    /// The registration of evidence.
    Construction,
    /// What the records say of each other.
    Trace,
    /// The files that were kept.
    Manifest,
}

impl Layer {
    /// Every layer, from the inside out.
    pub const ALL: [Self; 5] = [
        Self::Record,
        Self::Serialization,
        Self::Construction,
        Self::Trace,
        Self::Manifest,
    ];

    /// The layer's name.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Record => "record",
            Self::Serialization => "serialization",
            Self::Construction => "construction",
            Self::Trace => "trace",
            Self::Manifest => "manifest",
        }
    }

    /// What is known when the layer holds.
    #[must_use]
    pub fn establishes(self) -> &'static str {
        match self {
            Self::Record => {
                "field shape, discriminators, span form, safe path syntax, content-derived ids"
            }
            Self::Serialization => "canonical header and event records and stable newline bytes",
            Self::Construction => "registered file existence and whole-file SHA-256 equality",
            Self::Trace => {
                "event order, references, spans, support hashes, plan and provenance relationships"
            }
            Self::Manifest => "retained file bytes match recorded digests",
        }
    }

    /// What is not known when the layer holds, however much it may look so.
    #[must_use]
    pub fn leaves_open(self) -> &'static str {
        match self {
            Self::Record => "file existence or semantic support",
            Self::Serialization => "evidence-file integrity",
            Self::Construction => "claim support correctness",
            Self::Trace => "external truth of a supported claim",
            Self::Manifest => "scientific or logical correctness",
        }
    }
}

impl CheckName {
    /// What it needs in order to be run.
    #[must_use]
    pub fn needs(self) -> &'static str {
        match self {
            Self::Replay
            | Self::Structure
            | Self::Grounding
            | Self::Arithmetic
            | Self::Citation
            | Self::Temporal
            | Self::Provenance => "the journal, replayed",
            Self::Chain => "the journal",
            Self::Manifest => "the manifest",
            Self::Checkpoint => "the checkpoint",
            Self::Signature => "the public key that you expect",
            Self::RecordedReport => "the recorded report",
            _ => "the trace and its plan",
        }
    }
}

macro_rules! catalog {
    ($($check:ident = $name:literal, $layer:ident, $invariant:literal, $title:literal;)+) => {
        impl CheckName {
            /// Every check, in the order of a report.
            pub const ALL: &'static [Self] = &[$(Self::$check,)+];

            /// The check's name in a report.
            #[must_use]
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$check => $name,)+ }
            }

            /// The layer it belongs to.
            #[must_use]
            pub fn layer(self) -> Layer {
                match self { $(Self::$check => Layer::$layer,)+ }
            }

            /// The invariant that is broken when it fails, unless a failure names another.
            #[must_use]
            pub fn invariant(self) -> &'static str {
                match self { $(Self::$check => $invariant,)+ }
            }

            /// What it establishes, in a sentence.
            #[must_use]
            pub fn title(self) -> &'static str {
                match self { $(Self::$check => $title,)+ }
            }

            /// The check of that name.
            #[must_use]
            pub fn from_name(name: &str) -> Option<Self> {
                match name {
                    $($name => Some(Self::$check),)+
                    _ => None,
                }
            }
        }
    };
}

catalog! {
    CoreInvariants = "core_invariants", Trace, "INV-ORD-001",
        "the trace is a trace of its plan, in order";
    ToolLinkage = "tool_linkage", Trace, "INV-TLK-001",
        "every tool call has exactly one result";
    ClaimJustifications = "claim_justifications", Trace, "INV-LNK-001",
        "every support refers to something registered before its claim";
    DerivedClaimGrounding = "derived_claim_grounding", Trace, "INV-GRD-001",
        "every derived claim has enough evidence and marks it";
    ReasoningTrace = "reasoning_trace", Trace, "INV-GRD-002",
        "every derived claim names the header's reasoning trace: a formality, no evidence";
    InsufficientReasoning = "insufficient_reasoning", Trace, "INV-GRD-002",
        "there are derived claims or a refusal, and not both";
    FinalizePresent = "finalize_present", Trace, "INV-ORD-001",
        "the reasoning was brought to an end";
    RequiredSteps = "required_steps", Trace, "INV-ORD-001",
        "a step of each kind was finished";
    EvidenceHashes = "evidence_hashes", Construction, "INV-EVD-001",
        "every evidence file is there and has its recorded digest";
    SupportSpans = "support_spans", Trace, "INV-EVD-001",
        "the bytes cited from evidence are the bytes in the files";
    ContentIds = "content_ids", Record, "INV-DET-001",
        "every id follows from its content";
    ClaimSpans = "claim_spans", Trace, "INV-EVD-001",
        "the bytes cited from claims and tool results are the bytes in the trace";
    Chain = "chain", Manifest, "INV-DET-001",
        "the journal's hash chain holds";
    Replay = "replay", Manifest, "INV-DET-001",
        "the journal gives this trace, byte for byte";
    Structure = "structure", Trace, "INV-LNK-001",
        "proof: antecedents are present and every step holds";
    Grounding = "grounding", Trace, "INV-GRD-001",
        "proof: every leaf is a tool, a document or a person";
    Arithmetic = "arithmetic", Trace, "INV-DET-001",
        "proof: formulas and rules give the values claimed";
    Citation = "citation", Trace, "INV-EVD-001",
        "proof: quotes and values stand in the documents cited";
    Temporal = "temporal", Trace, "INV-ORD-001",
        "proof: no evidence had expired, nothing rests on what came later";
    Provenance = "provenance", Trace, "INV-GRD-002",
        "proof: every number in a claim is stated by an antecedent";
    Records = "records", Record, "INV-SCH-001",
        "every record could be read";
    Serialization = "serialization", Serialization, "INV-DET-001",
        "the trace is canonical and has its recorded fingerprint";
    Manifest = "manifest", Manifest, "INV-DET-001",
        "every file has its recorded digest, and there are no others";
    Checkpoint = "checkpoint", Manifest, "INV-DET-001",
        "the checkpoint names the chain head and the manifest";
    Signature = "signature", Manifest, "INV-DET-001",
        "the checkpoint is signed by the key that was given";
    RecordedReport = "recorded_report", Manifest, "INV-DET-001",
        "the recorded report says what the checks say";
}

impl std::fmt::Display for CheckName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}

impl std::fmt::Display for Layer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}
