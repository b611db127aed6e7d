//! Citations.

use std::sync::Arc;

use entail_contract::{Cite, Code};
use entail_kernel::base::{BeliefId, Citation, Lesson, Premise, Source, SourceKind};

use super::refusal::{Refusal, quoted};
use super::{Turning, non_blank};
use crate::text::listed;

impl Turning<'_, '_> {
    pub(super) fn cite(&mut self, cite: Cite) -> Result<BeliefId, Refusal> {
        if let Some(scope) = &self.context.scope {
            return Err(Refusal::new(
                Code::NotVisible,
                format!("only a claim of `{}` is asked for here", quoted(scope)),
            ));
        }
        Self::check_key(&cite.key)?;
        let versions = &self.context.documents;
        let shown = versions.iter().find(|(name, _)| *name == cite.document);
        let version = shown.and_then(|(name, version)| {
            self.commit.session.state.documents.version(name, *version)
        });
        let Some(version) = version else {
            let names = listed(versions.iter().map(|(name, _)| name.as_str()), 10);
            let name = quoted(&cite.document);
            return Err(Refusal::new(
                Code::UnknownDocument,
                if versions.is_empty() {
                    format!("there is no document `{name}`; this context shows none")
                } else {
                    format!("there is no document `{name}` in this context; there is {names}")
                },
            ));
        };
        let (number, document) = (version.version, Arc::clone(&version.document));
        let Some(found) = document.find(&cite.quote) else {
            self.teach(false, Lesson::Citation);
            return Err(Refusal::new(
                Code::QuoteNotFound,
                format!(
                    "document `{}` does not hold \"{}\"; copy the quote from it word for word",
                    quoted(&cite.document),
                    quoted(&cite.quote)
                ),
            ));
        };
        if let Err(fault) = document.states(&found, &cite.value) {
            self.teach(false, Lesson::Citation);
            return Err(Refusal::new(
                Code::ValueNotStated,
                format!("{fault}; cite the value that the quote states, or another quote"),
            ));
        }
        self.teach(true, Lesson::Citation);
        self.check_words(&cite.claim)?;
        self.check_room()?;
        let offset = |at: usize| u64::try_from(at).unwrap_or(u64::MAX);
        let quote = document
            .text()
            .get(found.span.clone())
            .unwrap_or(&cite.quote);
        let source = Source::new(SourceKind::Document, cite.document).with_quote(quote);
        let mut premise = Premise::new(cite.key.clone(), cite.value, source);
        premise.claim = non_blank(cite.claim);
        premise.citation = Some(Citation {
            version: number,
            document: document.id(),
            start: offset(found.span.start),
            end: offset(found.span.end),
            digest: found.sha256,
        });
        let now = self.commit.at;
        let asserted = self
            .commit
            .base(|base| base.assert(premise, now))
            .map_err(|error| Refusal::new(Code::UnsupportedValue, error.to_string()))?;
        self.shown.cited(&cite.key);
        Ok(asserted.belief)
    }
}
