//! What waits for the model to derive it again.

use entail_kernel::Time;
use entail_kernel::base::{Base, JustificationKind, Pending};

use crate::commands::is_reserved;
use crate::context::{Context, ContextView};
use crate::error::CommandError;
use crate::outcome::Waiting;
use crate::prompt;
use crate::session::Session;

/// A pending belief, in words.
pub(crate) fn waiting_of(base: &Base, pending: &Pending) -> Option<Waiting> {
    let belief = base.belief(pending.belief)?;
    let reference = |id| base.ref_of(id).map(|reference| reference.to_string());
    Some(Waiting {
        reference: belief.reference().to_string(),
        key: belief.key.to_string(),
        inputs: pending
            .inputs
            .iter()
            .map(|(key, believed)| (key.to_string(), believed.and_then(reference)))
            .collect(),
        is_ready: pending.is_ready,
        reason: pending.reason.clone(),
    })
}

impl Session {
    /// What lost its support and waits to be derived again by the model, with why.
    #[must_use]
    pub fn rederivations(&self) -> Vec<Waiting> {
        let pending = self.base.pending();
        let of_model = pending
            .iter()
            .filter(|pending| pending.kind == JustificationKind::Model);
        of_model
            .filter_map(|pending| waiting_of(&self.base, pending))
            .collect()
    }

    /// A context for deriving one key again: it shows the current values of exactly its inputs,
    /// and not what was concluded before.
    ///
    /// # Errors
    /// `unknown_rederivation` when the key does not wait or its inputs are not all believed;
    /// `session_closed`.
    pub fn rederivation_context(
        &self,
        key: &str,
        id: &str,
        at: Time,
    ) -> Result<ContextView, CommandError> {
        if let Some(closing) = &self.state.closed {
            return Err(CommandError::SessionClosed {
                how: closing.word(),
            });
        }
        let pending = self
            .base
            .pending_of(key)
            .filter(|pending| pending.is_ready && pending.kind == JustificationKind::Model);
        let Some(pending) = pending else {
            return Err(CommandError::UnknownRederivation {
                key: key.to_owned(),
            });
        };
        let mut inputs: Vec<_> = pending.inputs.iter().filter_map(|(_, id)| *id).collect();
        inputs.sort_unstable();
        inputs.dedup();
        // What an answer says is its value.
        let claim = self
            .base
            .belief(pending.belief)
            .and_then(|belief| belief.claim)
            .filter(|_| !is_reserved(key));
        let (prompt, visible) = prompt::for_rederivation(self, key, claim, &inputs, at);
        let reference = |belief| {
            self.base
                .ref_of(belief)
                .map(|reference| reference.to_string())
        };
        Ok(ContextView {
            context: Context {
                id: id.to_owned(),
                version: self.version(),
                as_of: at,
                refs: inputs.into_iter().filter_map(reference).collect(),
                documents: Vec::new(),
                scope: Some(key.to_owned()),
            },
            system_prompt: entail_contract::SYSTEM_PROMPT,
            prompt,
            visible,
            conflicts: Vec::new(),
            feedback: String::new(),
        })
    }
}
