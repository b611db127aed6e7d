//! What a model is shown.
//!
//! A prompt is a run of sections, each beginning with a line that starts with `## `. Nothing that
//! a document or a model wrote can begin such a line: values, claims and messages stand on one
//! line behind `- `, documents in a fence that does not occur in them.
//!
//! | module | subject |
//! |---|---|
//! | `select` | which beliefs, best first |
//! | `room` | whether all of them fit, told without writing them |
//! | `render` | the sections |

mod render;
mod room;
mod select;

use entail_contract::SYSTEM_PROMPT;
use entail_kernel::Time;
use entail_kernel::base::BeliefId;

use crate::commit::conflict_keys;
use crate::context::{Context, ContextOptions, ContextView, Visible};
use crate::error::CommandError;
use crate::session::Session;
use select::Ranked;

impl Session {
    /// A context of the present state. It is no commit: keep it until a turn uses it.
    ///
    /// It shows what is believed and undisputed, at or above the policy's least confidence, at
    /// most as many beliefs as the policy says and the prompt has room for: the most confident
    /// first, of equal ones the newest.
    ///
    /// # Errors
    /// `session_closed`; an argument that makes no sense.
    pub fn context(
        &self,
        id: &str,
        at: Time,
        options: &ContextOptions,
    ) -> Result<ContextView, CommandError> {
        if let Some(closing) = &self.state.closed {
            return Err(CommandError::SessionClosed {
                how: closing.word(),
            });
        }
        let ranked = select::ranked(self, at, options);
        let conflicts = conflict_keys(&self.base);
        let task = options.task.as_deref().unwrap_or(&self.state.options.task);
        let feedback = self.state.feedback.text();
        let (prompt, shown) = render::prompt(self, task, &ranked, &conflicts, &feedback);
        let reference = |belief| {
            self.base
                .ref_of(belief)
                .map(|reference| reference.to_string())
        };
        let ids = in_order(&ranked, shown);
        let refs = ids.into_iter().filter_map(reference).collect();
        Ok(ContextView {
            context: self.showing(id, at, refs),
            system_prompt: SYSTEM_PROMPT,
            prompt,
            visible: visible(self, ranked.get(..shown).unwrap_or(&ranked)),
            conflicts,
            feedback,
        })
    }

    /// The context that would be handed out now, as handles: nothing is written for a model, and
    /// the context's refs are left empty.
    pub(crate) fn present(&self, id: &str, at: Time) -> (Context, Vec<BeliefId>) {
        let ranked = select::ranked(self, at, &ContextOptions::default());
        let conflicts = conflict_keys(&self.base);
        let shown = if room::suffices(self, &ranked, &conflicts) {
            ranked.len()
        } else {
            let (task, feedback) = (&self.state.options.task, self.state.feedback.text());
            render::prompt(self, task, &ranked, &conflicts, &feedback).1
        };
        let context = self.showing(id, at, Vec::new());
        (context, in_order(&ranked, shown))
    }

    fn showing(&self, id: &str, at: Time, refs: Vec<String>) -> Context {
        let documents = self.state.documents.iter();
        let newest = documents.filter_map(|(name, versions)| {
            versions
                .last()
                .map(|newest| (name.to_owned(), newest.version))
        });
        Context {
            id: id.to_owned(),
            version: self.version(),
            as_of: at,
            refs,
            documents: newest.collect(),
            scope: None,
        }
    }
}

/// The best so many of the ranked beliefs, in order of creation.
fn in_order(ranked: &[Ranked], shown: usize) -> Vec<BeliefId> {
    let mut ids: Vec<_> = ranked
        .iter()
        .take(shown)
        .map(|ranked| ranked.belief)
        .collect();
    ids.sort_unstable();
    ids
}

/// The prompt for deriving one key again from its inputs, and what it shows.
pub(crate) fn for_rederivation(
    session: &Session,
    key: &str,
    claim: Option<&str>,
    inputs: &[BeliefId],
    at: Time,
) -> (String, Vec<Visible>) {
    let confidences = session.base.confidences_of(inputs, at);
    let ranked: Vec<Ranked> = inputs
        .iter()
        .zip(confidences)
        .map(|(belief, confidence)| Ranked {
            belief: *belief,
            confidence,
        })
        .collect();
    (
        render::rederivation(session, key, claim, &ranked),
        visible(session, &ranked),
    )
}

fn visible(session: &Session, ranked: &[Ranked]) -> Vec<Visible> {
    let of = |ranked: &Ranked| {
        let belief = session.base.belief(ranked.belief)?;
        Some(Visible {
            reference: belief.reference().to_string(),
            key: belief.key.to_string(),
            value: belief.value.clone(),
            confidence: ranked.confidence,
        })
    };
    ranked.iter().filter_map(of).collect()
}
