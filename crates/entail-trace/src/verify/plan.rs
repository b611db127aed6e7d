//! The steps of a plan, and whether it is one.

use super::catalog::CheckName;
use super::index::{Added, Ids};
use super::result::{CheckResult, shown};
use crate::id::Id;
use crate::record::Plan;
use crate::words::StepKind;

/// What the checks need of a plan; the plan itself need not be held.
#[derive(Debug)]
pub struct PlanIndex {
    pub(super) id: Id,
    pub(super) spec_id: Id,
    pub(super) content_id: Id,
    pub(super) steps: Ids<Step>,
    pub(super) core: CheckResult,
    pub(super) ids: CheckResult,
}

/// A step of the plan and how far it got.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    pub(super) kind: StepKind,
    pub(super) started: bool,
    pub(super) finished: bool,
}

const LINKS: &str = "INV-LNK-001";
const ORDER: &str = "INV-ORD-001";

impl PlanIndex {
    /// Looks through a plan: its steps, their ids, what depends on what.
    #[must_use]
    pub fn new(plan: &Plan) -> Self {
        let mut index = Self {
            id: plan.id().clone(),
            spec_id: plan.spec_id.clone(),
            content_id: plan.content_id(),
            steps: Ids::default(),
            core: CheckResult::new(CheckName::CoreInvariants),
            ids: CheckResult::new(CheckName::ContentIds),
        };
        index.read_nodes(plan);
        index.check_order(plan);
        index
    }

    fn read_nodes(&mut self, plan: &Plan) {
        if *plan.id() != self.content_id {
            let (id, content_id) = (shown(plan.id()), &self.content_id);
            self.ids
                .error(format!("plan `{id}`: its content gives `{content_id}`"));
        }
        for node in &plan.nodes {
            let step = Step {
                kind: node.kind,
                started: false,
                finished: false,
            };
            match self.steps.add(node.id(), step) {
                Added::New(_) => {}
                Added::Present(_) => {
                    let message = format!("plan: node `{}` is there twice", shown(node.id()));
                    self.core.broken(LINKS, message);
                }
                Added::Full => self.core.broken(LINKS, "plan: too many nodes"),
            }
            let content_id = node.content_id();
            if *node.id() != content_id {
                let id = shown(node.id());
                self.ids
                    .error(format!("node `{id}`: its content gives `{content_id}`"));
            }
        }
    }

    /// Takes steps away that depend on none left; what cannot be taken away is in a cycle.
    fn check_order(&mut self, plan: &Plan) {
        let mut pairs: Vec<(usize, usize)> = Vec::new();
        let mut link = |from: &Id, to: &Id, what: &str, core: &mut CheckResult| match (
            self.steps.find(from),
            self.steps.find(to),
        ) {
            (Some(from), Some(to)) => pairs.push((from, to)),
            (None, _) => core.broken(
                LINKS,
                format!(
                    "plan: {what} names `{}`, which is no node of it",
                    shown(from)
                ),
            ),
            (_, None) => core.broken(
                LINKS,
                format!("plan: {what} names `{}`, which is no node of it", shown(to)),
            ),
        };
        for node in &plan.nodes {
            for dependency in &node.dependencies {
                link(dependency, node.id(), "a dependency", &mut self.core);
            }
        }
        for (from, to) in &plan.edges {
            link(from, to, "an edge", &mut self.core);
        }
        pairs.sort_unstable();
        pairs.dedup();
        let mut waiting = vec![0_usize; self.steps.len()];
        for (_, to) in &pairs {
            if let Some(count) = waiting.get_mut(*to) {
                *count = count.saturating_add(1);
            }
        }
        let mut free: Vec<usize> = (0..)
            .zip(&waiting)
            .filter_map(|(step, count)| (*count == 0).then_some(step))
            .collect();
        let mut taken = 0_usize;
        while let Some(step) = free.pop() {
            taken = taken.saturating_add(1);
            let first = pairs.partition_point(|(from, _)| *from < step);
            let after = pairs.get(first..).unwrap_or_default();
            for (_, to) in after.iter().take_while(|(from, _)| *from == step) {
                if let Some(count) = waiting.get_mut(*to) {
                    *count = count.saturating_sub(1);
                    if *count == 0 {
                        free.push(*to);
                    }
                }
            }
        }
        if taken < self.steps.len() {
            let left = self.steps.len().saturating_sub(taken);
            self.core.broken(
                ORDER,
                format!("plan: {left} nodes lie on or behind a cycle"),
            );
        }
    }
}
