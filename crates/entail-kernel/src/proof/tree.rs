//! Proofs as a text tree.

use std::fmt::Write as _;

use rustc_hash::FxHashSet;

use super::json::name;
use super::{Proof, ProofStep};
use crate::base::{BeliefId, JustificationKind, LostInSets, SetId, Status};
use crate::limits::{PROOF_INDENT, PROOF_TEXT_CHARACTERS};

/// A line still to be written.
#[derive(Clone, Copy)]
enum Line {
    Belief(BeliefId),
    Set(SetId),
}

impl Proof<'_> {
    /// The proof as a tree, each root first and below each step what it rests on. What was printed
    /// before is only referred to.
    ///
    /// Indentation stops growing at [`PROOF_INDENT`] levels, where
    /// the level is written as a number instead, so the text is linear in the proof.
    #[must_use]
    pub fn to_text(&self) -> String {
        let mut out = String::new();
        let mut printed_beliefs = FxHashSet::default();
        let mut known = LostInSets::default();
        let mut printed_sets = FxHashSet::default();
        let roots = self.roots.iter().rev();
        let mut open: Vec<_> = roots.map(|root| (0, Line::Belief(*root))).collect();
        while let Some((level, line)) = open.pop() {
            indent(level, &mut out);
            let (beliefs, shared) = match line {
                Line::Belief(belief) => {
                    let Some(step) = self.step(belief) else {
                        continue;
                    };
                    if !printed_beliefs.insert(belief) {
                        let _ = writeln!(out, "{} (see above)", step.belief.reference());
                        continue;
                    }
                    self.write_step(&step, &mut known, &mut out);
                    let set = step.justification.and_then(|j| j.antecedents);
                    set.map_or((Vec::new(), None), |set| self.antecedents(set))
                }
                Line::Set(set) => {
                    if !printed_sets.insert(set) {
                        let _ = writeln!(out, "all of {} (see above)", name(set));
                        continue;
                    }
                    let _ = writeln!(out, "all of {}:", name(set));
                    self.members(set)
                }
            };
            let beliefs = beliefs.into_iter().rev().map(Line::Belief);
            let below = beliefs.chain(shared.map(Line::Set));
            open.extend(below.map(|line| (level + 1, line)));
        }
        out
    }

    fn write_step(&self, step: &ProofStep<'_>, known: &mut LostInSets, out: &mut String) {
        let belief = &step.belief;
        let _ = write!(
            out,
            "{} = {} [{}",
            belief.reference(),
            short(&belief.value.to_string()),
            belief.status
        );
        if belief.status == Status::In {
            let _ = write!(out, " {}", rounded(step.confidence));
        } else {
            let _ = write!(out, ": {}", self.base.out_in_words(belief.id, known));
        }
        out.push(']');
        if let Some(justification) = &step.justification {
            let verb = match justification.kind {
                JustificationKind::Premise => "asserted by",
                JustificationKind::Rule => "derived by",
                JustificationKind::Model => "concluded by",
            };
            let _ = write!(out, " {verb} {}", justification.source);
            if let Some(version) = justification.rule_version {
                let _ = write!(out, " v{version}");
            }
            if let Some(formula) = justification.formula {
                let _ = write!(out, " as {}", short(formula));
            }
            if justification.antecedents.is_some() {
                out.push_str(" from");
            }
        }
        if let Some(claim) = belief.claim {
            let _ = write!(out, " “{}”", short(claim));
        }
        out.push('\n');
    }
}

fn indent(level: usize, out: &mut String) {
    for _ in 0..level.min(PROOF_INDENT) {
        out.push_str("  ");
    }
    if level > PROOF_INDENT {
        let _ = write!(out, "({level}) ");
    }
}

/// A confidence with three decimals at most.
pub(super) fn rounded(confidence: f64) -> String {
    let text = format!("{confidence:.3}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    text.to_owned()
}

/// A text on one line, cut where it is long.
pub(super) fn short(text: &str) -> String {
    let mut out = String::new();
    for (count, c) in text.chars().enumerate() {
        if count == PROOF_TEXT_CHARACTERS {
            out.push('…');
            break;
        }
        out.push(if c.is_control() { ' ' } else { c });
    }
    out
}
