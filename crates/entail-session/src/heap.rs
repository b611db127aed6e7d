//! What a session takes of memory.

use entail_kernel::base::value_bytes;

use crate::limits::COMPILED_SCHEMA_BYTES;
use crate::session::Session;
use crate::state::{AnswerRecord, State, TurnRecord};
use crate::tool::Tool;

/// What an entry of a map takes beside its key and value: the table is at most three quarters
/// full, and an allocation has a header of its own.
pub(crate) const ENTRY: usize = 48;

impl Session {
    /// Bytes on the heap, about: the belief base, the turns, the trace. The texts of documents,
    /// which other sessions may share, are not counted. Linear in the session.
    #[must_use]
    pub fn heap_bytes(&self) -> usize {
        self.base
            .heap_bytes()
            .saturating_add(self.state.heap_bytes())
            .saturating_add(self.trace.heap_bytes())
    }
}

impl State {
    fn heap_bytes(&self) -> usize {
        let turns = self.turns.iter();
        let turns = turns.map(|turn| turn.model.len() + turn.context_id.len() + ENTRY);
        let answers = self.answers.iter();
        let answers = answers.map(|answer| answer.reference.len() + ENTRY);
        let tools = self.tools.values().map(|tool| {
            let definition = tool.definition();
            let schema = value_bytes(&definition.parameters.clone().into());
            size_of::<Tool>() + 2 * schema + definition.description.len() + COMPILED_SCHEMA_BYTES
        });
        let problems = self.feedback.rejections.iter().chain(&self.feedback.errors);
        let problems = problems.map(|problem| problem.message.len() + 2 * ENTRY);
        let options =
            self.options.task.len() + self.options.instructions.as_ref().map_or(0, String::len);
        self.turns.capacity() * size_of::<TurnRecord>()
            + self.answers.capacity() * size_of::<AnswerRecord>()
            + turns.sum::<usize>()
            + answers.sum::<usize>()
            + tools.sum::<usize>()
            + problems.sum::<usize>()
            + options
            + self.plan.as_deref().map_or(0, value_bytes)
            + self.calls.heap_bytes()
            + self.documents.heap_bytes()
    }
}
