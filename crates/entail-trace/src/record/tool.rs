//! Tool calls and what they returned.

use entail_json::{Object, Value};

use super::{Record, identified, sealed::Plumbing};
use crate::fault::{At, Faults};
use crate::fields::{self, Fields, any, natural, object, text, truth};
use crate::id::{Content, Id, IdKind, Identified, sealed::Hashed};
use crate::sink::Sink;

/// A call of a tool.
pub type ToolCall = Identified<ToolCallContent>;

/// What a [`ToolCall`] says.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolCallContent {
    /// The tool.
    pub tool_name: String,
    /// Its arguments.
    pub arguments: Object,
    /// The step that made the call.
    pub step_id: Id,
    /// Which call of its step this is, so that two equal calls have different ids.
    pub call_idx: u64,
}

impl Content for ToolCallContent {
    const ID_KIND: IdKind = IdKind::Call;
}

impl Hashed for ToolCallContent {
    fn hashed<S: Sink>(&self, sink: &mut S) {
        sink.open();
        sink.name("args");
        sink.object(&self.arguments);
        sink.name("call_idx");
        sink.integer(self.call_idx);
        sink.text_member("step_id", &self.step_id);
        sink.text_member("tool", &self.tool_name);
        sink.close();
    }

    fn emit<S: Sink>(&self, id: &Id, sink: &mut S) {
        sink.open();
        sink.name("arguments");
        sink.object(&self.arguments);
        sink.name("call_idx");
        sink.integer(self.call_idx);
        sink.text_member("id", id);
        sink.text_member("step_id", &self.step_id);
        sink.text_member("tool_name", &self.tool_name);
        sink.close();
    }
}

impl Plumbing for ToolCall {
    fn parse(value: Value, at: &At<'_>, faults: &mut Faults) -> Option<Self> {
        let mut fields = Fields::open(value, at, faults)?;
        let id = fields.own_id();
        let tool_name = fields.required(&["tool_name"], text);
        let arguments = fields.defaulted(&["arguments"], object, Object::new);
        let step_id = fields.required(&["step_id"], fields::id);
        let call_idx = fields.required(&["call_idx"], natural);
        fields.close();
        let content = ToolCallContent {
            tool_name: tool_name?,
            arguments: arguments?,
            step_id: step_id?,
            call_idx: call_idx?,
        };
        Some(Self::read_as(id?, content))
    }

    fn emit<S: Sink>(&self, sink: &mut S) {
        Hashed::emit(&**self, self.id(), sink);
    }
}

identified!(ToolCall);

/// What a tool returned.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolResult {
    /// The call that this answers.
    pub call_id: Id,
    /// Whether the tool gave a result rather than an error. On input also `ok`.
    pub success: bool,
    /// The result; `null` for an error.
    pub result: Value,
    /// The error, if there was one.
    pub error: Option<String>,
}

impl Plumbing for ToolResult {
    fn parse(value: Value, at: &At<'_>, faults: &mut Faults) -> Option<Self> {
        let mut fields = Fields::open(value, at, faults)?;
        let call_id = fields.required(&["call_id"], fields::id);
        let success = fields.required(&["success", "ok"], truth);
        let result = fields.defaulted(&["result"], any, || Value::Null);
        let error = fields.nullable("error", text);
        fields.close();
        Some(Self {
            call_id: call_id?,
            success: success?,
            result: result?,
            error: error?,
        })
    }

    fn emit<S: Sink>(&self, sink: &mut S) {
        sink.open();
        sink.text_member("call_id", &self.call_id);
        sink.name("error");
        sink.optional_text(self.error.as_deref());
        sink.name("result");
        sink.value(&self.result);
        sink.name("success");
        sink.truth(self.success);
        sink.close();
    }
}

impl Record for ToolResult {
    const NAME: &'static str = "ToolResult";
}
