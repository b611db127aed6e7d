//! The answer of a trace and what it rests on.

use std::collections::BTreeMap;
use std::io::BufReader;

use super::text::clipped;
use crate::bytes::{Bytes, Files, Stream};
use crate::id::Id;
use crate::jsonl::{ReadTraceError, TraceReader, read_event_line};
use crate::limits::{MAX_PICTURE_NODES, MAX_SHOWN_TEXT};
use crate::record::{Claim, EvidenceRef, Finalized, Payload, StepOutput, ToolCall};
use crate::verify::{Added, Ids, Line, markers};
use crate::words::ClaimStatus;

/// The last answer of a trace with the claims and the evidence that it rests on.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Answer {
    text: Option<String>,
    refusal: Option<String>,
    nodes: Vec<Node>,
    edges: Vec<(usize, usize)>,
    left_out: usize,
}

/// A claim, a piece of evidence or a tool call that an answer rests on.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// What it is.
    pub kind: NodeKind,
    /// Its id.
    pub id: String,
    /// What it says: a statement, a quote, a call.
    pub text: String,
    /// Where it is from, or what became of it.
    pub note: String,
}

/// What a node of a proof is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NodeKind {
    /// A claim.
    Claim,
    /// A claim that was taken back.
    Rejected,
    /// Evidence.
    Evidence,
    /// A tool call.
    ToolCall,
    /// Something that the trace does not hold.
    Missing,
}

impl NodeKind {
    /// The word for it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Claim => "claim",
            Self::Rejected => "rejected claim",
            Self::Evidence => "evidence",
            Self::ToolCall => "tool call",
            Self::Missing => "missing",
        }
    }
}

impl Node {
    /// The node in a line.
    #[must_use]
    pub fn line(&self) -> String {
        if self.note.is_empty() {
            self.text.clone()
        } else {
            format!("{} ({})", self.text, self.note)
        }
    }
}

impl Answer {
    /// Reads the answer of a trace: one pass to find it, then the records it rests on, at most
    /// [`MAX_PICTURE_NODES`]. `None` if the reasoning was not brought to an end.
    ///
    /// # Errors
    /// [`ReadTraceError`] if the trace cannot be read.
    pub fn of(
        trace: &dyn Bytes,
        files: Option<&dyn Files>,
    ) -> Result<Option<Self>, ReadTraceError> {
        let mut reader = TraceReader::new(BufReader::new(Stream::new(trace)))?;
        let mut records = Records {
            trace,
            files,
            lines: Ids::default(),
        };
        let (mut finalized, mut refusal) = (None, None);
        while let Some((place, event)) = reader.next_event()? {
            let line = Line::new(place.offset, place.length);
            match event.payload {
                Payload::StepFinished(StepOutput::Finalize(output)) => finalized = Some(output),
                Payload::StepFinished(StepOutput::InsufficientEvidence(output)) => {
                    refusal = Some(output.reason);
                }
                Payload::StepStarted | Payload::StepFinished(_) | Payload::ToolReturned(_) => {}
                Payload::ToolCalled(call) => records.add(call.id(), line),
                Payload::EvidenceRegistered(evidence) => records.add(evidence.id(), line),
                Payload::ClaimEmitted(claim) => records.add(claim.id(), line),
            }
        }
        Ok(finalized.map(|output| Self::build(output, refusal, &records)))
    }

    fn build(output: Finalized, refusal: Option<String>, records: &Records<'_>) -> Self {
        let mut answer = Self {
            text: output.final_answer,
            refusal,
            ..Self::default()
        };
        let mut numbers: BTreeMap<Id, usize> = BTreeMap::new();
        let mut queue: Vec<(Option<usize>, Id)> = output
            .final_claim_ids
            .into_iter()
            .map(|id| (None, id))
            .collect();
        let mut next = 0;
        while let Some((from, id)) = queue.get(next).cloned() {
            next = next.saturating_add(1);
            let number = match numbers.get(&id) {
                Some(number) => *number,
                None if answer.nodes.len() >= MAX_PICTURE_NODES => {
                    answer.left_out = answer.left_out.saturating_add(1);
                    continue;
                }
                None => {
                    let number = answer.nodes.len();
                    let (node, supports) = records.node(&id);
                    answer.nodes.push(node);
                    queue.extend(supports.into_iter().map(|id| (Some(number), id)));
                    numbers.insert(id, number);
                    number
                }
            };
            if let Some(from) = from
                && from != number
                && !answer.edges.contains(&(from, number))
            {
                answer.edges.push((from, number));
            }
        }
        answer.reduce();
        answer
    }

    /// Leaves away every edge that a longer way makes superfluous: a claim names all evidence
    /// under it, also what only the claims it rests on need.
    fn reduce(&mut self) {
        let all = self.edges.clone();
        let reaches = |from: usize, to: usize| {
            let mut seen = vec![false; self.nodes.len()];
            let mut open: Vec<usize> = all
                .iter()
                .filter(|(a, b)| *a == from && *b != to)
                .map(|(_, b)| *b)
                .collect();
            while let Some(at) = open.pop() {
                if at == to {
                    return true;
                }
                if let Some(seen) = seen.get_mut(at).filter(|seen| !**seen) {
                    *seen = true;
                    open.extend(all.iter().filter(|(a, _)| *a == at).map(|(_, b)| *b));
                }
            }
            false
        };
        self.edges.retain(|(from, to)| !reaches(*from, *to));
    }

    /// The answer in words, or why there is none.
    #[must_use]
    pub fn summary(&self) -> String {
        match (&self.text, &self.refusal) {
            (Some(text), _) => text.clone(),
            (None, Some(reason)) => format!("No answer: {reason}"),
            (None, None) => "No answer was given.".to_owned(),
        }
    }

    /// What it rests on, the nearest first.
    #[must_use]
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// Which node rests on which, by number.
    #[must_use]
    pub fn edges(&self) -> &[(usize, usize)] {
        &self.edges
    }

    /// How many references lead to nodes that are not shown.
    #[must_use]
    pub fn left_out(&self) -> usize {
        self.left_out
    }
}

/// The records of a trace, found by id.
struct Records<'r> {
    trace: &'r dyn Bytes,
    files: Option<&'r dyn Files>,
    lines: Ids<Line>,
}

impl Records<'_> {
    fn add(&mut self, id: &Id, line: Line) {
        if let Added::Present(number) = self.lines.add(id, line)
            && let Some(there) = self.lines.get_mut(number)
        {
            *there = line;
        }
    }

    fn node(&self, id: &Id) -> (Node, Vec<Id>) {
        let line = self
            .lines
            .find(id)
            .and_then(|number| self.lines.get(number));
        match line.and_then(|line| self.payload(line)) {
            Some(Payload::ClaimEmitted(claim)) => of_claim(&claim),
            Some(Payload::EvidenceRegistered(evidence)) => (self.of_evidence(&evidence), vec![]),
            Some(Payload::ToolCalled(call)) => (of_call(&call), vec![]),
            _ => {
                let text = "the trace does not hold it".to_owned();
                let id = clipped(id);
                (
                    Node {
                        kind: NodeKind::Missing,
                        id,
                        text,
                        note: String::new(),
                    },
                    vec![],
                )
            }
        }
    }

    fn payload(&self, line: Line) -> Option<Payload> {
        let mut bytes = vec![0; usize::try_from(line.length()).ok()?];
        self.trace.read_exact_at(line.offset(), &mut bytes).ok()?;
        read_event_line(&bytes).ok().map(|event| event.payload)
    }

    fn of_evidence(&self, evidence: &EvidenceRef) -> Node {
        Node {
            kind: NodeKind::Evidence,
            id: clipped(evidence.id()),
            text: self
                .quote(evidence)
                .unwrap_or_else(|| "its file is not there".to_owned()),
            note: clipped(&evidence.uri),
        }
    }

    fn quote(&self, evidence: &EvidenceRef) -> Option<String> {
        let file = self.files?.open(evidence.content_path.as_str()).ok()??;
        let length = usize::try_from(evidence.span.length())
            .ok()?
            .min(MAX_SHOWN_TEXT * 4);
        let mut bytes = vec![0; length];
        file.read_exact_at(evidence.span.start(), &mut bytes).ok()?;
        Some(clipped(&String::from_utf8_lossy(&bytes)))
    }
}

fn of_claim(claim: &Claim) -> (Node, Vec<Id>) {
    let mut text = claim.statement.clone();
    let found: Vec<String> = markers(&claim.statement).map(str::to_owned).collect();
    for marker in found.iter().take(MAX_PICTURE_NODES) {
        text = text.replace(marker.as_str(), "");
    }
    let kind = match claim.status {
        ClaimStatus::Rejected => NodeKind::Rejected,
        ClaimStatus::Proposed | ClaimStatus::Validated => NodeKind::Claim,
    };
    let note = format!(
        "{}, confidence {:.2}",
        claim.claim_type,
        claim.confidence.get()
    );
    let nearest = claim.supports.iter().take(MAX_PICTURE_NODES);
    let supports = nearest.map(|support| support.ref_id.clone()).collect();
    (
        Node {
            kind,
            id: clipped(claim.id()),
            text: clipped(&text),
            note,
        },
        supports,
    )
}

fn of_call(call: &ToolCall) -> Node {
    let arguments = entail_json::Value::Object(call.arguments.clone());
    let text = clipped(&format!("{}{arguments}", call.tool_name));
    Node {
        kind: NodeKind::ToolCall,
        id: clipped(call.id()),
        text,
        note: String::new(),
    }
}
