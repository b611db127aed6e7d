//! Taking beliefs back, and undoing that.

use super::{
    Base, BaseError, BeliefId, Fault, JustificationId, JustificationKind, Lesson, NameId,
    SourceKind, split_ref,
};
use crate::Time;

impl Base {
    /// Takes back a key's believed revisions, or the one that a ref names, believed or not.
    /// Returns those newly retracted: one that already was is no error and teaches nothing.
    ///
    /// `Fault::Source` records every accountable source as wrong: those of its premises, and the
    /// model behind a step without a formula, of all its justifications, valid now or not.
    ///
    /// # Errors
    /// `unknown_belief`; `not_believed` for a key with nothing believed; `invalid_argument` when a
    /// source is to blame and nobody is accountable.
    pub fn retract(
        &mut self,
        target: &str,
        reason: Option<&str>,
        fault: Fault,
        now: Time,
    ) -> Result<Vec<BeliefId>, BaseError> {
        self.operate(|base| {
            let mut beliefs = base.retractable(target)?;
            beliefs.retain(|id| !base.graph.labels.at(*id).is_retracted);
            if fault == Fault::Source && !beliefs.is_empty() {
                let mut accountable = Vec::new();
                for belief in &beliefs {
                    accountable.extend(base.accountable(*belief));
                }
                if accountable.is_empty() {
                    return Err(BaseError::argument(
                        "fault",
                        format!(
                            "of `{target}` lies with no source, since it was computed: retract what it rests on"
                        ),
                    ));
                }
                for name in accountable {
                    base.tell_now(name, false, Lesson::Retraction, now);
                }
            }
            for belief in &beliefs {
                base.retract_now(*belief, reason, now);
            }
            Ok(beliefs)
        })
    }

    fn retractable(&self, target: &str) -> Result<Vec<BeliefId>, BaseError> {
        match split_ref(target) {
            Some((key, None)) => {
                let node = self.key_node(key)?;
                if node.believed.len() == 0 {
                    return Err(self.key_not_believed(key));
                }
                Ok(node
                    .believed
                    .as_slice()
                    .iter()
                    .map(|id| BeliefId(*id))
                    .collect())
            }
            _ => Ok(vec![self.known(target)?]),
        }
    }

    /// The sources that answer for a belief, each once, in the order of its justifications.
    pub(super) fn accountable(&self, belief: BeliefId) -> Vec<NameId> {
        let names: Vec<_> = self
            .graph
            .beliefs
            .at(belief)
            .justifications
            .as_slice()
            .iter()
            .filter_map(|id| {
                let node = self.graph.justifications.at(JustificationId(*id));
                let source = self.graph.sources.at(node.source);
                let answers = match node.kind {
                    JustificationKind::Premise => true,
                    JustificationKind::Rule => false,
                    JustificationKind::Model => {
                        source.source.kind != SourceKind::Rule && node.formula().is_none()
                    }
                };
                answers.then_some(source.label)
            })
            .collect();
        super::justify::distinct(&names)
    }

    /// Undoes a retraction: of a ref, or of a key's latest retracted revision.
    ///
    /// # Errors
    /// `unknown_belief`; `not_believed` when nothing there is retracted.
    pub fn restore(&mut self, target: &str, now: Time) -> Result<BeliefId, BaseError> {
        self.operate(|base| {
            let belief = match split_ref(target) {
                Some((key, None)) => base
                    .key_node(key)?
                    .revisions
                    .as_slice()
                    .iter()
                    .rev()
                    .map(|id| BeliefId(*id))
                    .find(|id| base.graph.labels.at(*id).is_retracted),
                _ => Some(base.known(target)?).filter(|id| base.graph.labels.at(*id).is_retracted),
            };
            let Some(belief) = belief else {
                return Err(BaseError::NotBelieved {
                    target: target.to_owned(),
                    reason: "was not retracted, so there is nothing to restore: assert it anew"
                        .to_owned(),
                });
            };
            base.restore_now(belief, now);
            Ok(belief)
        })
    }
}
