//! Plans: the steps of the reasoning and what each depends on.

use entail_json::{Object, Value};

use super::{Record, identified, sealed::Plumbing};
use crate::fault::{At, Faults};
use crate::fields::{self, Fields, ids, list, object, text};
use crate::id::{Content, Id, IdKind, Identified, sealed::Hashed};
use crate::sink::Sink;
use crate::words::StepKind;

/// A plan.
pub type Plan = Identified<PlanContent>;

/// What a [`Plan`] says.
#[derive(Clone, Debug, PartialEq)]
pub struct PlanContent {
    /// The problem in words.
    pub problem: String,
    /// The problem's record.
    pub spec_id: Id,
    /// The steps.
    pub nodes: Vec<PlanNode>,
    /// Which step comes before which.
    pub edges: Vec<(Id, Id)>,
}

impl PlanContent {
    fn write<S: Sink>(&self, id: Option<&Id>, sink: &mut S) {
        sink.open();
        sink.name("edges");
        sink.open_list();
        for (from, to) in &self.edges {
            sink.texts([from.as_str(), to.as_str()]);
        }
        sink.close_list();
        if let Some(id) = id {
            sink.text_member("id", id);
        }
        sink.name("nodes");
        sink.open_list();
        for node in &self.nodes {
            Plumbing::emit(node, sink);
        }
        sink.close_list();
        sink.text_member("problem", &self.problem);
        sink.text_member("spec_id", &self.spec_id);
        sink.close();
    }
}

impl Content for PlanContent {
    const ID_KIND: IdKind = IdKind::Plan;
}

impl Hashed for PlanContent {
    fn hashed<S: Sink>(&self, sink: &mut S) {
        self.write(None, sink);
    }

    fn emit<S: Sink>(&self, id: &Id, sink: &mut S) {
        self.write(Some(id), sink);
    }
}

impl Plumbing for Plan {
    fn parse(value: Value, at: &At<'_>, faults: &mut Faults) -> Option<Self> {
        let mut fields = Fields::open(value, at, faults)?;
        let id = fields.own_id();
        let problem = fields.defaulted(&["problem"], text, String::new);
        let spec_id = fields.required(&["spec_id"], fields::id);
        let nodes = fields.defaulted(&["nodes"], nodes, Vec::new);
        let edges = fields.defaulted(&["edges"], edges, Vec::new);
        fields.close();
        let content = PlanContent {
            problem: problem?,
            spec_id: spec_id?,
            nodes: nodes?,
            edges: edges?,
        };
        Some(Self::read_as(id?, content))
    }

    fn emit<S: Sink>(&self, sink: &mut S) {
        Hashed::emit(&**self, self.id(), sink);
    }
}

identified!(Plan);

fn nodes(value: Value, at: &At<'_>, faults: &mut Faults) -> Option<Vec<PlanNode>> {
    list(value, at, faults, PlanNode::parse)
}

fn edges(value: Value, at: &At<'_>, faults: &mut Faults) -> Option<Vec<(Id, Id)>> {
    list(value, at, faults, edge)
}

fn edge(value: Value, at: &At<'_>, faults: &mut Faults) -> Option<(Id, Id)> {
    match <[Id; 2]>::try_from(ids(value, at, faults)?) {
        Ok([from, to]) => Some((from, to)),
        Err(given) => {
            faults.push(
                at,
                format!("has {} ids: an edge is `[from, to]`", given.len()),
            );
            None
        }
    }
}

/// A step of a plan.
pub type PlanNode = Identified<PlanNodeContent>;

/// What a [`PlanNode`] says.
#[derive(Clone, Debug, PartialEq)]
pub struct PlanNodeContent {
    /// What the step does.
    pub kind: StepKind,
    /// The steps that come before it.
    pub dependencies: Vec<Id>,
    /// How it is done.
    pub step: StepSpec,
    /// What sets it apart; the plan of a session says `{"turn": n}`.
    pub parameters: Object,
}

impl Content for PlanNodeContent {
    const ID_KIND: IdKind = IdKind::Node;
}

impl Hashed for PlanNodeContent {
    fn hashed<S: Sink>(&self, sink: &mut S) {
        sink.open();
        sink.name("deps");
        sink.texts(self.dependencies.iter().map(Id::as_str));
        sink.text_member("kind", self.kind.as_str());
        sink.name("params");
        sink.object(&self.parameters);
        sink.name("step");
        self.step.emit(sink);
        sink.close();
    }

    fn emit<S: Sink>(&self, id: &Id, sink: &mut S) {
        sink.open();
        sink.name("dependencies");
        sink.texts(self.dependencies.iter().map(Id::as_str));
        sink.text_member("id", id);
        sink.text_member("kind", self.kind.as_str());
        sink.name("parameters");
        sink.object(&self.parameters);
        sink.name("step");
        self.step.emit(sink);
        sink.close();
    }
}

impl Plumbing for PlanNode {
    fn parse(value: Value, at: &At<'_>, faults: &mut Faults) -> Option<Self> {
        let mut fields = Fields::open(value, at, faults)?;
        let id = fields.own_id();
        let kind = fields.required(&["kind"], StepKind::parse);
        let dependencies = fields.defaulted(&["dependencies"], ids, Vec::new);
        let step = fields.nullable("step", StepSpec::parse);
        let parameters = fields.defaulted(&["parameters"], object, Object::new);
        if let (Some(kind), Some(Some(step))) = (kind, &step)
            && step.kind != kind
        {
            let message = format!(
                "is `{}` in a node that is `{kind}`: make them equal",
                step.kind
            );
            fields.fault("step", message);
        }
        fields.close();
        let kind = kind?;
        let content = PlanNodeContent {
            kind,
            dependencies: dependencies?,
            step: step?.unwrap_or_else(|| StepSpec::new(kind)),
            parameters: parameters?,
        };
        Some(Self::read_as(id?, content))
    }

    fn emit<S: Sink>(&self, sink: &mut S) {
        Hashed::emit(&**self, self.id(), sink);
    }
}

identified!(PlanNode);

/// How a step is done.
#[derive(Clone, Debug, PartialEq)]
pub struct StepSpec {
    /// What the step does: the same as its node.
    pub kind: StepKind,
    /// Remarks.
    pub notes: String,
    /// The tools that it asks for.
    pub tool_requests: Vec<ToolRequest>,
}

impl StepSpec {
    /// A step of this kind without notes or tools.
    #[must_use]
    pub fn new(kind: StepKind) -> Self {
        Self {
            kind,
            notes: String::new(),
            tool_requests: Vec::new(),
        }
    }
}

impl Plumbing for StepSpec {
    fn parse(value: Value, at: &At<'_>, faults: &mut Faults) -> Option<Self> {
        let mut fields = Fields::open(value, at, faults)?;
        let kind = fields.required(&["kind"], StepKind::parse);
        let notes = fields.defaulted(&["notes"], text, String::new);
        let requests = fields.defaulted(&["tool_requests"], requests, Vec::new);
        fields.close();
        Some(Self {
            kind: kind?,
            notes: notes?,
            tool_requests: requests?,
        })
    }

    fn emit<S: Sink>(&self, sink: &mut S) {
        sink.open();
        sink.text_member("kind", self.kind.as_str());
        sink.text_member("notes", &self.notes);
        sink.name("tool_requests");
        sink.open_list();
        for request in &self.tool_requests {
            request.emit(sink);
        }
        sink.close_list();
        sink.close();
    }
}

impl Record for StepSpec {
    const NAME: &'static str = "StepSpec";
}

fn requests(value: Value, at: &At<'_>, faults: &mut Faults) -> Option<Vec<ToolRequest>> {
    list(value, at, faults, ToolRequest::parse)
}

/// A tool that a step asks for.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolRequest {
    /// The tool.
    pub tool_name: String,
    /// Its arguments.
    pub arguments: Object,
}

impl Plumbing for ToolRequest {
    fn parse(value: Value, at: &At<'_>, faults: &mut Faults) -> Option<Self> {
        let mut fields = Fields::open(value, at, faults)?;
        let tool_name = fields.required(&["tool_name"], text);
        let arguments = fields.defaulted(&["arguments"], object, Object::new);
        fields.close();
        Some(Self {
            tool_name: tool_name?,
            arguments: arguments?,
        })
    }

    fn emit<S: Sink>(&self, sink: &mut S) {
        sink.open();
        sink.name("arguments");
        sink.object(&self.arguments);
        sink.text_member("tool_name", &self.tool_name);
        sink.close();
    }
}

impl Record for ToolRequest {
    const NAME: &'static str = "ToolRequest";
}
