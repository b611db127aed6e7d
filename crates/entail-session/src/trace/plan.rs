//! The plan of a session: the caller's own nodes, and those that commits add.

use entail_json::{Object, Value};
use entail_trace::{
    Id, Plan, PlanContent, PlanNode, PlanNodeContent, ProblemSpec, ProblemSpecContent, Record,
    StepKind, StepSpec, ToolRequest,
};
use rustc_hash::FxHashMap;

use crate::error::CommandError;
use crate::fields::Faults;
use crate::limits::PLAN_NODES;

/// A plan that a caller brings, checked: every node has the id of its content.
///
/// The ids that the caller gave are names: dependencies, edges and a turn's `step_id` may use
/// them, the trace has the content's.
#[derive(Clone, Debug)]
pub(crate) struct OwnPlan {
    nodes: Vec<PlanNode>,
    edges: Vec<(Id, Id)>,
    /// The caller's name of each node.
    names: Vec<Id>,
}

impl OwnPlan {
    /// Reads `{nodes, edges?, problem?, spec_id?}`.
    pub(crate) fn read(value: &Value, task: &str, pointer: &str) -> Result<Self, CommandError> {
        let fault = |at: &str, message: String| {
            let mut faults = Faults::default();
            faults.push(format!("{pointer}{at}"), message);
            CommandError::InvalidBody(faults)
        };
        let Value::Object(given) = value else {
            return Err(fault("", "must be an object with `nodes`".to_owned()));
        };
        let spec = ProblemSpec::new(ProblemSpecContent::new(task));
        let mut given = given.clone();
        let own = given
            .get("spec_id")
            .is_none_or(|id| id.as_str() == Some(spec.id().as_str()));
        if !own {
            return Err(fault(
                "/spec_id",
                format!("must be `{}`, the task's, or absent", spec.id()),
            ));
        }
        given.insert("spec_id", spec.id().as_str().into());
        if given.get("problem").is_none_or(Value::is_null) {
            given.insert("problem", task.into());
        }
        let plan = Plan::read(given.into()).map_err(|error| {
            let mut faults = Faults::default();
            for found in error.faults() {
                faults.push(format!("{pointer}{}", found.pointer), found.message.clone());
            }
            CommandError::InvalidBody(faults)
        })?;
        if plan.nodes.len() > PLAN_NODES {
            let what = format!("the plan has {} nodes", plan.nodes.len());
            return Err(CommandError::LimitExceeded {
                what,
                limit: PLAN_NODES,
            });
        }
        Self::rename(&plan).map_err(|(at, message)| fault(&at, message))
    }

    /// Gives every node the id of its content, in an order in which dependencies come first.
    fn rename(plan: &Plan) -> Result<Self, (String, String)> {
        let mut by_name: FxHashMap<&Id, usize> = FxHashMap::default();
        for (at, node) in plan.nodes.iter().enumerate() {
            if by_name.insert(node.id(), at).is_some() {
                return Err((
                    format!("/nodes/{at}/id"),
                    format!("`{}` is there twice", node.id()),
                ));
            }
        }
        let mut waiting = vec![0_usize; plan.nodes.len()];
        let mut after: Vec<Vec<usize>> = vec![Vec::new(); plan.nodes.len()];
        for (at, node) in plan.nodes.iter().enumerate() {
            for name in &node.dependencies {
                let Some(before) = by_name.get(name).and_then(|before| after.get_mut(*before))
                else {
                    let place = format!("/nodes/{at}/dependencies");
                    return Err((place, format!("`{name}` is no node of the plan")));
                };
                before.push(at);
                if let Some(count) = waiting.get_mut(at) {
                    *count = count.saturating_add(1);
                }
            }
        }
        let mut free: Vec<usize> = (0..plan.nodes.len()).rev().collect();
        free.retain(|at| waiting.get(*at) == Some(&0));
        let mut ids: Vec<Option<Id>> = vec![None; plan.nodes.len()];
        let mut seen: FxHashMap<Id, usize> = FxHashMap::default();
        let mut done = 0_usize;
        while let Some(at) = free.pop() {
            let Some(node) = plan.nodes.get(at) else {
                continue;
            };
            let renamed = node.dependencies.iter().filter_map(|name| {
                by_name
                    .get(name)
                    .and_then(|at| ids.get(*at))
                    .cloned()
                    .flatten()
            });
            let renamed = PlanNode::new(PlanNodeContent {
                dependencies: renamed.collect(),
                ..(**node).clone()
            });
            if let Some(twin) = seen.insert(renamed.id().clone(), at) {
                return Err((
                    format!("/nodes/{at}"),
                    format!("says the same as node {twin}: set them apart by `parameters`"),
                ));
            }
            if let Some(id) = ids.get_mut(at) {
                *id = Some(renamed.id().clone());
            }
            done = done.saturating_add(1);
            for next in after.get(at).into_iter().flatten() {
                if let Some(count) = waiting.get_mut(*next) {
                    *count = count.saturating_sub(1);
                    if *count == 0 {
                        free.push(*next);
                    }
                }
            }
        }
        if done < plan.nodes.len() {
            return Err((
                "/nodes".to_owned(),
                "depend on each other in a circle".to_owned(),
            ));
        }
        let id_of = |name: &Id| {
            by_name
                .get(name)
                .and_then(|at| ids.get(*at))
                .cloned()
                .flatten()
        };
        let mut nodes = Vec::with_capacity(plan.nodes.len());
        for node in &plan.nodes {
            let dependencies = node.dependencies.iter().filter_map(id_of).collect();
            nodes.push(PlanNode::new(PlanNodeContent {
                dependencies,
                ..(**node).clone()
            }));
        }
        let mut edges = Vec::new();
        for (at, (from, to)) in plan.edges.iter().enumerate() {
            match (id_of(from), id_of(to)) {
                (Some(from), Some(to)) if from != to => edges.push((from, to)),
                _ => {
                    let message = "must join two nodes of the plan".to_owned();
                    return Err((format!("/edges/{at}"), message));
                }
            }
        }
        for node in &nodes {
            for dependency in &node.dependencies {
                edges.push((dependency.clone(), node.id().clone()));
            }
        }
        let mut once = rustc_hash::FxHashSet::default();
        edges.retain(|edge| once.insert(edge.clone()));
        let names = plan.nodes.iter().map(|node| node.id().clone()).collect();
        let own = Self {
            nodes,
            edges,
            names,
        };
        if own.has_cycle() {
            return Err(("/edges".to_owned(), "lead in a circle".to_owned()));
        }
        Ok(own)
    }

    fn has_cycle(&self) -> bool {
        let place: FxHashMap<&Id, usize> = self
            .nodes
            .iter()
            .enumerate()
            .map(|(at, node)| (node.id(), at))
            .collect();
        let mut waiting = vec![0_usize; self.nodes.len()];
        let mut after: Vec<Vec<usize>> = vec![Vec::new(); self.nodes.len()];
        for (from, to) in &self.edges {
            let (Some(from), Some(to)) = (place.get(from), place.get(to)) else {
                continue;
            };
            if let (Some(list), Some(count)) = (after.get_mut(*from), waiting.get_mut(*to)) {
                list.push(*to);
                *count = count.saturating_add(1);
            }
        }
        let mut free: Vec<usize> = (0..self.nodes.len()).collect();
        free.retain(|at| waiting.get(*at) == Some(&0));
        let mut done = 0_usize;
        while let Some(at) = free.pop() {
            done = done.saturating_add(1);
            for next in after.get(at).into_iter().flatten() {
                if let Some(count) = waiting.get_mut(*next) {
                    *count = count.saturating_sub(1);
                    if *count == 0 {
                        free.push(*next);
                    }
                }
            }
        }
        done < self.nodes.len()
    }

    /// The plan as the journal has it.
    pub(crate) fn to_value(&self) -> Value {
        let id = |id: &Id| Value::from(id.as_str());
        let edges: Value = self
            .edges
            .iter()
            .map(|(from, to)| Value::Array(vec![id(from), id(to)]))
            .collect();
        Value::from([
            ("nodes", self.nodes.iter().map(Record::to_value).collect()),
            ("edges", edges),
            ("names", self.names.iter().map(id).collect()),
        ])
    }

    /// Reads what [`to_value`](Self::to_value) wrote; a journal that holds anything else has
    /// been tampered with, and then the plan is empty.
    fn from_journal(value: &Value) -> Self {
        let list = |name: &str| {
            value
                .get(name)
                .and_then(Value::as_array)
                .unwrap_or_default()
        };
        let id = |value: &Value| value.as_str().and_then(|text| Id::new(text).ok());
        Self {
            nodes: list("nodes")
                .iter()
                .filter_map(|n| PlanNode::read(n.clone()).ok())
                .collect(),
            edges: list("edges")
                .iter()
                .filter_map(|edge| match edge.as_array()? {
                    [from, to] => Some((id(from)?, id(to)?)),
                    _ => None,
                })
                .collect(),
            names: list("names").iter().filter_map(id).collect(),
        }
    }
}

/// The plan and how far its nodes are done.
#[derive(Debug, Default)]
pub(super) struct PlanLog {
    pub(super) nodes: Vec<PlanNode>,
    pub(super) finished: Vec<bool>,
    pub(super) edges: Vec<(Id, Id)>,
    /// Where a node stands, by its id and by the caller's name for it.
    pub(super) places: FxHashMap<Id, usize>,
    /// The first node of each kind that may not be finished.
    pub(super) cursors: [usize; 5],
    /// Nodes finished since the last settling.
    newly_finished: Vec<usize>,
    /// Names of the caller's taken over since then.
    newly_named: Vec<Id>,
    settled: (usize, usize, [usize; 5]),
}

impl PlanLog {
    pub(super) fn settle(&mut self) {
        self.newly_finished.clear();
        self.newly_named.clear();
        self.settled = (self.nodes.len(), self.edges.len(), self.cursors);
    }

    pub(super) fn rollback(&mut self) {
        let (nodes, edges, cursors) = self.settled;
        for at in self.newly_finished.drain(..) {
            if let Some(finished) = self.finished.get_mut(at) {
                *finished = false;
            }
        }
        for node in self.nodes.drain(nodes..) {
            self.places.remove(node.id());
        }
        for name in self.newly_named.drain(..) {
            self.places.remove(&name);
        }
        self.finished.truncate(nodes);
        self.edges.truncate(edges);
        self.cursors = cursors;
    }

    /// Takes the caller's plan over.
    pub(super) fn adopt(&mut self, plan: &Value) {
        let own = OwnPlan::from_journal(plan);
        for (node, name) in own.nodes.into_iter().zip(own.names) {
            self.places.insert(name.clone(), self.nodes.len());
            self.newly_named.push(name);
            self.push(node);
        }
        self.edges.extend(own.edges);
    }

    pub(super) fn push(&mut self, node: PlanNode) -> usize {
        let at = self.nodes.len();
        self.places.insert(node.id().clone(), at);
        self.nodes.push(node);
        self.finished.push(false);
        at
    }

    pub(super) fn check(&self, step_id: &str) -> Result<(), CommandError> {
        let invalid = |reason: &str| {
            Err(CommandError::InvalidStep {
                step_id: step_id.to_owned(),
                reason: reason.to_owned(),
            })
        };
        match self.place(step_id) {
            None => invalid("is no node of the plan: read the session's plan"),
            Some(at) if self.finished.get(at) == Some(&true) => {
                invalid("is finished: name one that is not, or none")
            }
            Some(_) => Ok(()),
        }
    }

    fn place(&self, step_id: &str) -> Option<usize> {
        Id::new(step_id)
            .ok()
            .and_then(|id| self.places.get(&id))
            .copied()
    }

    /// Which node takes a commit's events of a kind: the one named if it is of that kind, else
    /// the first of the kind not finished; none when the plan has to grow.
    fn find(&self, kind: StepKind, step_id: Option<&str>) -> Option<usize> {
        let is_free = |at: usize| {
            self.nodes.get(at).is_some_and(|node| node.kind == kind)
                && self.finished.get(at) == Some(&false)
        };
        let named = step_id
            .and_then(|step_id| self.place(step_id))
            .filter(|at| is_free(*at));
        named.or_else(|| {
            let from = self.cursors.get(kind as usize).copied().unwrap_or_default();
            (from..self.nodes.len()).find(|at| is_free(*at))
        })
    }

    /// The node that the plan would grow by.
    fn grown(&self, kind: StepKind, version: u64, requests: &[ToolRequest]) -> PlanNode {
        PlanNode::new(PlanNodeContent {
            kind,
            dependencies: self
                .nodes
                .last()
                .map(|node| node.id().clone())
                .into_iter()
                .collect(),
            step: StepSpec {
                tool_requests: requests.to_vec(),
                ..StepSpec::new(kind)
            },
            parameters: Object::from([("turn", version.into())]),
        })
    }

    /// The step that will take a commit's calls.
    pub(super) fn gather_step(
        &self,
        version: u64,
        step_id: Option<&str>,
        requests: &[ToolRequest],
    ) -> Id {
        match self
            .find(StepKind::Gather, step_id)
            .and_then(|at| self.nodes.get(at))
        {
            Some(node) => node.id().clone(),
            None => self.grown(StepKind::Gather, version, requests).id().clone(),
        }
    }

    /// The id of the node at a place.
    pub(super) fn id(&self, at: usize) -> Option<&Id> {
        self.nodes.get(at).map(PlanNode::id)
    }

    /// Takes the node for a commit's events of a kind, which it is finished with; gives its
    /// place.
    pub(super) fn take(
        &mut self,
        kind: StepKind,
        version: u64,
        step_id: Option<&str>,
        requests: &[ToolRequest],
    ) -> u32 {
        let at = match self.find(kind, step_id) {
            Some(at) => at,
            None => {
                let node = self.grown(kind, version, requests);
                let edges = node
                    .dependencies
                    .iter()
                    .map(|from| (from.clone(), node.id().clone()));
                self.edges.extend(edges);
                self.push(node)
            }
        };
        if let Some(finished) = self.finished.get_mut(at) {
            *finished = true;
        }
        self.newly_finished.push(at);
        if let Some(cursor) = self.cursors.get_mut(kind as usize) {
            while self.finished.get(*cursor) == Some(&true)
                || self
                    .nodes
                    .get(*cursor)
                    .is_some_and(|node| node.kind != kind)
            {
                *cursor = cursor.saturating_add(1);
            }
        }
        u32::try_from(at).unwrap_or(u32::MAX)
    }

    pub(super) fn to_plan(&self, spec: &ProblemSpec) -> Plan {
        Plan::new(PlanContent {
            problem: spec.description.clone(),
            spec_id: spec.id().clone(),
            nodes: self.nodes.clone(),
            edges: self.edges.clone(),
        })
    }
}
