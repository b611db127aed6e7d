//! The run so far as part of an image.
//!
//! What most records have in common is not written out: the nodes that a plan grew by, ids that
//! end in a digest, paths of evidence.

use std::sync::Arc;

use entail_json::{Digest, Object, sha256};
use entail_kernel::base::{Base, BeliefId};
use entail_kernel::image::{Malformed, Reader, Writer};
use entail_kernel::text::Document;
use entail_trace::{
    Claim, ClaimType, EvidenceRef, EvidenceRefContent, Id, IdKind, InsufficientEvidence, PlanNode,
    PlanNodeContent, ProblemSpec, ProblemSpecContent, Record, Span, StepKind, StepSpec, ToolCall,
    ToolCallContent, ToolRequest, ToolResult,
};
use rustc_hash::FxHashMap;

use super::build::digest_of;
use super::evidence::{EvidenceContent, EvidenceFile, EvidenceLog, path};
use super::kept::{Accepted, Kept, KeptClaim, What};
use super::plan::PlanLog;
use super::{Note, TraceLog};
use crate::image::ImageError;
use crate::state::State;

impl TraceLog {
    pub(crate) fn write_image(&self, out: &mut Writer) {
        out.text(&self.spec.description);
        self.plan.write_image(out);
        self.evidence.write_image(out);
        out.list(self.claims.iter(), write_claim);
        out.list(self.notes.iter(), |out, note| {
            out.maybe(note.as_ref(), |out, note| {
                out.number(note.claim.into());
                write_places(out, &note.evidence);
            });
        });
        out.list(self.events.iter(), |out, kept| {
            out.number(kept.step.into());
            write_what(out, &kept.what);
        });
        out.flag(self.has_gathered);
        out.count(self.derived);
    }

    /// Reads what belongs to this base and to the rest of this state.
    pub(crate) fn read_image(
        from: &mut Reader<'_>,
        base: &Base,
        state: &State,
    ) -> Result<Self, ImageError> {
        let mut log = Self::new();
        log.set_spec(ProblemSpec::new(ProblemSpecContent::new(from.text()?)));
        log.plan = PlanLog::read_image(from)?;
        log.evidence = EvidenceLog::read_image(from, state)?;
        let places = Places {
            beliefs: base.len(),
            evidence: log.evidence.len(),
            steps: log.plan.nodes.len(),
        };
        let count = from.count(2)?;
        log.claims.reserve(count);
        log.claim_ids.reserve(count);
        for _ in 0..count {
            let claim = read_claim(from, &places, log.claims.len())?;
            let id = match &claim {
                KeptClaim::Accepted(accepted) => accepted.id,
                KeptClaim::Rejected(claim) => digest_of(claim.id()),
            };
            let at = u32::try_from(log.claims.len()).unwrap_or(u32::MAX);
            log.claim_ids.insert(id, at);
            log.claims.push(claim);
        }
        let claims = log.claims.len();
        log.notes = from.list(1, |from| {
            from.maybe(|from| {
                Ok(Note {
                    claim: from.below(claims)?,
                    evidence: read_places(from, places.evidence)?,
                })
            })
        })?;
        log.events = from.list(2, |from| {
            Ok(Kept {
                step: from.below(places.steps)?,
                what: read_what(from, claims, places.evidence)?,
            })
        })?;
        log.has_gathered = from.flag()?;
        log.derived = size(from)?;
        log.settle();
        Ok(log)
    }
}

/// How many there are of what a claim may name.
struct Places {
    beliefs: usize,
    evidence: usize,
    steps: usize,
}

impl PlanLog {
    fn write_image(&self, out: &mut Writer) {
        let mut before: Option<&Id> = None;
        out.list(self.nodes.iter(), |out, node| {
            match grown(node, before) {
                Some((turn, digest)) => {
                    out.byte(1);
                    out.byte(node.kind as u8);
                    out.number(turn);
                    out.digest(&digest);
                    out.list(node.step.tool_requests.iter(), |out, request| {
                        out.text(&request.tool_name);
                        out.object(&request.arguments);
                    });
                }
                None => {
                    out.byte(0);
                    out.value(&node.to_value());
                }
            }
            before = Some(node.id());
        });
        out.list(self.finished.iter(), |out, finished| out.flag(*finished));
        let mut place: FxHashMap<&Id, usize> = FxHashMap::default();
        place.extend(self.nodes.iter().map(PlanNode::id).zip(0..));
        out.list(self.edges.iter(), |out, (from, to)| {
            match (place.get(from), place.get(to)) {
                (Some(from), Some(to)) => {
                    out.flag(true);
                    out.count(*from);
                    out.count(*to);
                }
                _ => {
                    out.flag(false);
                    out.text(from);
                    out.text(to);
                }
            }
        });
        // The caller's names, and an id that such a name hides.
        let named = self
            .places
            .iter()
            .filter(|(name, at)| self.nodes.get(**at).is_none_or(|node| node.id() != *name));
        let mut named: Vec<_> = named.collect();
        named.sort_unstable();
        out.list(named.into_iter(), |out, (name, at)| {
            out.text(name);
            out.count(*at);
        });
        for cursor in self.cursors {
            out.count(cursor);
        }
    }

    fn read_image(from: &mut Reader<'_>) -> Result<Self, Malformed> {
        let mut log = Self::default();
        for _ in 0..from.count(8)? {
            let before = log.nodes.last().map(|node| node.id().clone());
            let node = match from.byte()? {
                0 => {
                    let value = from.value()?;
                    PlanNode::read(value).map_err(|_| from.fault("a node that is none"))?
                }
                _ => read_grown(from, before)?,
            };
            log.push(node);
        }
        log.finished = from.list(1, Reader::flag)?;
        if log.finished.len() != log.nodes.len() {
            return Err(from.fault("another number of nodes"));
        }
        let nodes = log.nodes.len();
        for _ in 0..from.count(3)? {
            let edge = if from.flag()? {
                let ends = (from.below(nodes)?, from.below(nodes)?);
                let id = |at: u32| log.id(usize::try_from(at).ok()?).cloned();
                id(ends.0).zip(id(ends.1))
            } else {
                Id::new(from.text()?).ok().zip(Id::new(from.text()?).ok())
            };
            log.edges
                .push(edge.ok_or(from.fault("an edge without an end"))?);
        }
        for _ in 0..from.count(2)? {
            let name = Id::new(from.text()?).map_err(|_| from.fault("a name that is none"))?;
            let at = from.below(nodes)?;
            log.places.insert(name, usize::try_from(at).unwrap_or(0));
        }
        for cursor in &mut log.cursors {
            *cursor = size(from)?;
        }
        Ok(log)
    }
}

/// The turn of a node that the plan grew by after the one before, and the digest in its id.
fn grown(node: &PlanNode, before: Option<&Id>) -> Option<(u64, Digest)> {
    let turn = node.parameters.get("turn")?.as_u64()?;
    let digest = digest_of(node.id());
    let is_grown = node.parameters.len() == 1
        && node.step.kind == node.kind
        && node.step.notes.is_empty()
        && node.dependencies.iter().eq(before)
        && IdKind::Node.id(digest) == *node.id();
    is_grown.then_some((turn, digest))
}

fn read_grown(from: &mut Reader<'_>, before: Option<Id>) -> Result<PlanNode, Malformed> {
    let kind = word(from, StepKind::ALL)?;
    let turn = from.number()?;
    let id = IdKind::Node.id(from.digest()?);
    let tool_requests = from.list(2, |from| {
        Ok(ToolRequest {
            tool_name: from.text()?.to_owned(),
            arguments: from.object()?,
        })
    })?;
    let content = PlanNodeContent {
        kind,
        dependencies: before.into_iter().collect(),
        step: StepSpec {
            tool_requests,
            ..StepSpec::new(kind)
        },
        parameters: Object::from([("turn", turn.into())]),
    };
    Ok(PlanNode::with_id(id, content))
}

impl EvidenceLog {
    fn write_image(&self, out: &mut Writer) {
        out.list(self.files.iter(), |out, file| match &file.content {
            EvidenceContent::Document(_) => {
                out.byte(0);
                out.digest(&file.sha256);
            }
            EvidenceContent::Json(text) => {
                out.byte(1);
                out.text(text);
            }
        });
        out.list(self.records.iter(), |out, record| {
            let file = self.paths.get(&record.content_path).copied();
            out.text(&record.uri);
            out.count(file.unwrap_or_default());
            out.number(record.span.start());
            out.number(record.span.end());
            out.digest(&record.chunk_id);
            out.digest(&digest_of(record.id()));
        });
    }

    fn read_image(from: &mut Reader<'_>, state: &State) -> Result<Self, ImageError> {
        let mut documents: FxHashMap<Digest, Arc<Document>> = FxHashMap::default();
        for version in state.documents.iter().flat_map(|(_, versions)| versions) {
            documents.insert(version.sha256(), Arc::clone(&version.document));
        }
        let mut log = Self::default();
        for _ in 0..from.count(2)? {
            let file = read_file(from, &documents)?;
            log.paths.insert(file.path.clone(), log.files.len());
            log.files.push(file);
        }
        let count = from.count(68)?;
        log.records.reserve(count);
        log.index.reserve(count);
        for _ in 0..count {
            let uri = from.text()?.to_owned();
            let file = from.below(log.files.len())?;
            let file = usize::try_from(file).ok().and_then(|at| log.files.get(at));
            let file = file.ok_or(from.fault("evidence without a file"))?;
            let span = Span::new(from.number()?, from.number()?);
            let content = EvidenceRefContent {
                uri,
                sha256: file.sha256.to_string(),
                span: span.ok_or(from.fault("a span that is none"))?,
                chunk_id: from.digest()?,
                content_path: file.path.clone(),
            };
            let id = IdKind::Evidence.id(from.digest()?);
            let at = u32::try_from(log.records.len()).unwrap_or(u32::MAX);
            log.index.insert(id.clone(), at);
            log.records.push(EvidenceRef::with_id(id, content));
        }
        Ok(log)
    }
}

fn read_file(
    from: &mut Reader<'_>,
    documents: &FxHashMap<Digest, Arc<Document>>,
) -> Result<EvidenceFile, ImageError> {
    let (sha256, extension, content) = match from.byte()? {
        0 => {
            let sha256 = from.digest()?;
            let document = documents
                .get(&sha256)
                .ok_or(ImageError::MissingDocument { sha256 })?;
            let content = EvidenceContent::Document(Arc::clone(document));
            (sha256, "txt", content)
        }
        _ => {
            let text = from.text()?;
            let content = EvidenceContent::Json(text.into());
            (sha256(text.as_bytes()), "json", content)
        }
    };
    Ok(EvidenceFile {
        path: path(&sha256, extension).ok_or(from.fault("a path that is none"))?,
        sha256,
        content,
    })
}

fn write_claim(out: &mut Writer, claim: &KeptClaim) {
    match claim {
        KeptClaim::Accepted(accepted) => {
            out.byte(1);
            out.number(accepted.belief.number().into());
            out.digest(&accepted.id);
            out.number(accepted.length);
            out.digest(&accepted.sha256);
            out.float(accepted.confidence);
            out.byte(accepted.claim_type as u8);
            out.maybe(accepted.formula.as_deref(), Writer::text);
            write_places(out, &accepted.claims);
            write_places(out, &accepted.evidence);
            out.maybe(accepted.totals, |out, (claims, evidence, is_complete)| {
                out.count(claims);
                out.count(evidence);
                out.flag(is_complete);
            });
        }
        KeptClaim::Rejected(claim) => {
            out.byte(0);
            out.value(&claim.to_value());
        }
    }
}

/// A claim names claims before it.
fn read_claim(
    from: &mut Reader<'_>,
    places: &Places,
    before: usize,
) -> Result<KeptClaim, Malformed> {
    if from.byte()? == 0 {
        let value = from.value()?;
        let claim = Claim::read(value).map_err(|_| from.fault("a claim that is none"))?;
        return Ok(KeptClaim::Rejected(Box::new(claim)));
    }
    Ok(KeptClaim::Accepted(Box::new(Accepted {
        belief: BeliefId::from_number(from.below(places.beliefs)?),
        id: from.digest()?,
        length: from.number()?,
        sha256: from.digest()?,
        confidence: from.float()?,
        claim_type: word(from, ClaimType::ALL)?,
        formula: from.maybe(Reader::text)?.map(Into::into),
        claims: read_places(from, before)?,
        evidence: read_places(from, places.evidence)?,
        totals: from.maybe(|from| Ok((size(from)?, size(from)?, from.flag()?)))?,
    })))
}

fn write_what(out: &mut Writer, what: &What) {
    match what {
        What::Started => out.byte(0),
        What::Understood(task) => {
            out.byte(1);
            out.text(task);
        }
        What::Gathered(evidence) => {
            out.byte(2);
            write_places(out, evidence);
        }
        What::Derived(claims) => {
            out.byte(3);
            write_places(out, claims);
        }
        What::Verified {
            validated,
            rejected,
        } => {
            out.byte(4);
            write_places(out, validated);
            write_places(out, rejected);
        }
        What::Finalized { claim } => {
            out.byte(5);
            out.maybe(*claim, |out, claim| out.number(claim.into()));
        }
        What::Insufficient(output) => {
            out.byte(6);
            out.text(&output.reason);
            out.number(output.retrieved);
            out.number(output.required);
        }
        What::Called(call) => {
            out.byte(7);
            out.text(call.id());
            out.text(&call.tool_name);
            out.object(&call.arguments);
            out.text(&call.step_id);
            out.number(call.call_idx);
        }
        What::Returned(result) => {
            out.byte(8);
            out.text(&result.call_id);
            out.flag(result.success);
            out.value(&result.result);
            out.maybe(result.error.as_deref(), Writer::text);
        }
        What::Evidence(at) => {
            out.byte(9);
            out.number((*at).into());
        }
        What::Claim(at) => {
            out.byte(10);
            out.number((*at).into());
        }
    }
}

fn read_what(from: &mut Reader<'_>, claims: usize, evidence: usize) -> Result<What, Malformed> {
    Ok(match from.byte()? {
        0 => What::Started,
        1 => What::Understood(from.text()?.into()),
        2 => What::Gathered(read_places(from, evidence)?),
        3 => What::Derived(read_places(from, claims)?),
        4 => What::Verified {
            validated: read_places(from, claims)?,
            rejected: read_places(from, claims)?,
        },
        5 => What::Finalized {
            claim: from.maybe(|from| from.below(claims))?,
        },
        6 => What::Insufficient(Box::new(InsufficientEvidence {
            reason: from.text()?.to_owned(),
            retrieved: from.number()?,
            required: from.number()?,
        })),
        7 => {
            let id = id(from)?;
            let content = ToolCallContent {
                tool_name: from.text()?.to_owned(),
                arguments: from.object()?,
                step_id: self::id(from)?,
                call_idx: from.number()?,
            };
            What::Called(Box::new(ToolCall::with_id(id, content)))
        }
        8 => What::Returned(Box::new(ToolResult {
            call_id: id(from)?,
            success: from.flag()?,
            result: from.value()?,
            error: from.maybe(Reader::text)?.map(str::to_owned),
        })),
        9 => What::Evidence(from.below(evidence)?),
        10 => What::Claim(from.below(claims)?),
        _ => return Err(from.fault("no event of a trace")),
    })
}

fn write_places(out: &mut Writer, places: &[u32]) {
    out.list(places.iter(), |out, place| out.number((*place).into()));
}

fn read_places(from: &mut Reader<'_>, bound: usize) -> Result<Box<[u32]>, Malformed> {
    let places = from.list(1, |from| from.below(bound))?;
    Ok(places.into_boxed_slice())
}

fn id(from: &mut Reader<'_>) -> Result<Id, Malformed> {
    let text = from.text()?;
    Id::new(text).map_err(|_| from.fault("an id that is none"))
}

fn size(from: &mut Reader<'_>) -> Result<usize, Malformed> {
    let size = from.number()?;
    usize::try_from(size).map_err(|_| from.fault("a size beyond memory"))
}

/// One of a closed list of words, by its place there.
fn word<T: Copy>(from: &mut Reader<'_>, all: &[T]) -> Result<T, Malformed> {
    let at = usize::from(from.byte()?);
    all.get(at).copied().ok_or(from.fault("no such word"))
}
