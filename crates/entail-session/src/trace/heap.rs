//! What the run so far takes of memory.

use entail_json::Digest;
use entail_kernel::base::{object_bytes, value_bytes};
use entail_trace::{Claim, EvidenceRef, Id, PlanNode, ToolCall, ToolRequest, ToolResult};

use super::evidence::{EvidenceContent, EvidenceFile, EvidenceLog};
use super::kept::{Accepted, Kept, KeptClaim, What};
use super::plan::PlanLog;
use super::{Note, TraceLog};
use crate::heap::ENTRY;

impl TraceLog {
    pub(crate) fn heap_bytes(&self) -> usize {
        let claims = self.claims.iter().map(|claim| match claim {
            KeptClaim::Accepted(accepted) => {
                size_of::<Accepted>()
                    + accepted.formula.as_ref().map_or(0, |text| text.len())
                    + size_of_val(&*accepted.claims)
                    + size_of_val(&*accepted.evidence)
            }
            KeptClaim::Rejected(claim) => {
                size_of::<Claim>()
                    + claim.statement.len()
                    + claim.structured.as_ref().map_or(0, object_bytes)
            }
        });
        let notes = self.notes.iter().flatten();
        let notes = notes.map(|note| size_of_val(&*note.evidence));
        let events = self.events.iter().map(|kept| what_bytes(&kept.what));
        self.plan.heap_bytes()
            + self.evidence.heap_bytes()
            + self.claims.capacity() * size_of::<KeptClaim>()
            + self.claim_ids.capacity() * size_of::<(Digest, u32)>()
            + self.notes.capacity() * size_of::<Option<Note>>()
            + self.events.capacity() * size_of::<Kept>()
            + claims.sum::<usize>()
            + notes.sum::<usize>()
            + events.sum::<usize>()
    }
}

impl PlanLog {
    fn heap_bytes(&self) -> usize {
        let ids = |ids: &[Id]| {
            ids.iter()
                .map(|id| size_of::<Id>() + id.len())
                .sum::<usize>()
        };
        let nodes = self.nodes.iter().map(|node| {
            let requests = node.step.tool_requests.iter().map(|request| {
                size_of::<ToolRequest>()
                    + request.tool_name.len()
                    + object_bytes(&request.arguments)
            });
            // The id stands in the map of places once more.
            size_of::<PlanNode>()
                + 2 * node.id().len()
                + ids(&node.dependencies)
                + node.step.notes.len()
                + object_bytes(&node.parameters)
                + requests.sum::<usize>()
                + ENTRY
        });
        let edges = self.edges.iter();
        let edges = edges.map(|(from, to)| from.len() + to.len() + size_of::<(Id, Id)>());
        nodes.sum::<usize>() + edges.sum::<usize>()
    }
}

impl EvidenceLog {
    fn heap_bytes(&self) -> usize {
        let files = self.files.iter().map(|file| {
            let text = match &file.content {
                EvidenceContent::Document(_) => 0,
                EvidenceContent::Json(text) => text.len(),
            };
            size_of::<EvidenceFile>() + 2 * file.path.as_str().len() + text + ENTRY
        });
        let records = self.records.iter().map(|record| {
            size_of::<EvidenceRef>()
                + 2 * record.id().len()
                + record.uri.len()
                + record.sha256.len()
                + record.content_path.as_str().len()
                + ENTRY
        });
        files.sum::<usize>() + records.sum::<usize>()
    }
}

fn what_bytes(what: &What) -> usize {
    match what {
        What::Started | What::Finalized { .. } | What::Evidence(_) | What::Claim(_) => 0,
        What::Understood(text) => text.len(),
        What::Gathered(places) | What::Derived(places) => size_of_val(&**places),
        What::Verified {
            validated,
            rejected,
        } => size_of_val(&**validated) + size_of_val(&**rejected),
        What::Insufficient(output) => output.reason.len() + ENTRY,
        What::Called(call) => {
            size_of::<ToolCall>()
                + call.id().len()
                + call.tool_name.len()
                + call.step_id.len()
                + object_bytes(&call.arguments)
        }
        What::Returned(result) => {
            size_of::<ToolResult>()
                + result.call_id.len()
                + value_bytes(&result.result)
                + result.error.as_ref().map_or(0, String::len)
        }
    }
}
