//! Proofs as drawings: Mermaid and Graphviz DOT.

use std::fmt::Write as _;

use super::Proof;
use super::json::name;
use super::tree::{rounded, short};
use crate::base::{BeliefId, JustificationKind, SetId, Status};

/// A node of a drawing.
enum Shape {
    Premise,
    Step,
    Out,
    Set,
}

impl Proof<'_> {
    /// The proof as a Mermaid flowchart, antecedents above what rests on them.
    ///
    /// Text of values and claims is escaped, so that nothing in it can be read as part of the
    /// drawing.
    #[must_use]
    pub fn to_mermaid(&self) -> String {
        let mut out = String::from("flowchart TD\n");
        self.draw(
            &mut out,
            |out, node, label, shape| {
                let label = mermaid_text(label);
                let _ = match shape {
                    Shape::Premise => writeln!(out, "  {node}[(\"{label}\")]"),
                    Shape::Step => writeln!(out, "  {node}[\"{label}\"]"),
                    Shape::Out => writeln!(out, "  {node}[\"{label}\"]:::out"),
                    Shape::Set => writeln!(out, "  {node}((\"{label}\"))"),
                };
            },
            |out, from, to| {
                let _ = writeln!(out, "  {from} --> {to}");
            },
        );
        out.push_str("  classDef out stroke-dasharray: 4 4\n");
        out
    }

    /// The proof as a Graphviz digraph, antecedents above what rests on them.
    #[must_use]
    pub fn to_dot(&self) -> String {
        let mut out = String::from("digraph proof {\n  node [shape=box];\n");
        self.draw(
            &mut out,
            |out, node, label, shape| {
                let style = match shape {
                    Shape::Premise => ", shape=cylinder",
                    Shape::Step => "",
                    Shape::Out => ", style=dashed",
                    Shape::Set => ", shape=circle",
                };
                let _ = writeln!(out, "  {node} [label=\"{}\"{style}];", dot_text(label));
            },
            |out, from, to| {
                let _ = writeln!(out, "  {from} -> {to};");
            },
        );
        out.push_str("}\n");
        out
    }

    /// Goes over nodes and then edges.
    fn draw(
        &self,
        out: &mut String,
        node: impl Fn(&mut String, &str, &str, Shape),
        edge: impl Fn(&mut String, &str, &str),
    ) {
        let belief_node = |belief: BeliefId| format!("b{}", belief.number());
        for step in self.steps() {
            let belief = &step.belief;
            let (source, kind) = step.justification.as_ref().map_or_else(
                || (String::new(), JustificationKind::Model),
                |justification| (justification.source.label(), justification.kind),
            );
            let shape = match (belief.status, kind) {
                (Status::Out, _) => Shape::Out,
                (Status::In, JustificationKind::Premise) => Shape::Premise,
                (Status::In, _) => Shape::Step,
            };
            let label = format!(
                "{} = {}\n{} {} · {source}",
                belief.reference(),
                short(&belief.value.to_string()),
                belief.status,
                rounded(step.confidence),
            );
            node(out, &belief_node(belief.id), &label, shape);
        }
        for set in self.shared_sets() {
            node(out, &name(set), "and", Shape::Set);
        }
        let mut edges = |to: &str, (beliefs, shared): (Vec<BeliefId>, Option<SetId>)| {
            for belief in beliefs {
                edge(out, &belief_node(belief), to);
            }
            if let Some(set) = shared {
                edge(out, &name(set), to);
            }
        };
        for set in self.shared_sets() {
            edges(&name(set), self.members(set));
        }
        for step in self.steps() {
            if let Some(set) = step.justification.and_then(|j| j.antecedents) {
                edges(&belief_node(step.belief.id), self.antecedents(set));
            }
        }
    }
}

/// Text inside a quoted Mermaid label. Everything that Mermaid, Markdown or HTML might read is
/// written as a character code; a line break stays one.
fn mermaid_text(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' => out.push_str("<br/>"),
            '"' | '<' | '>' | '&' | '#' | '`' | '*' | '_' | '~' | ';' | '\\' | '[' | ']' | '('
            | ')' | '{' | '}' | '|' => {
                let _ = write!(out, "#{};", u32::from(c));
            }
            other => out.push(other),
        }
    }
    out
}

/// Text inside a quoted DOT label.
fn dot_text(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' => out.push_str("\\n"),
            '"' | '\\' => {
                out.push('\\');
                out.push(c);
            }
            other => out.push(other),
        }
    }
    out
}
