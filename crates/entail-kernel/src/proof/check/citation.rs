//! Quotes stand in the documents and state the values; calls returned them.

use super::super::{Proof, ProofStep};
use super::{Library, Report};
use crate::base::{Justification, JustificationKind, SourceKind};
use crate::text::Document;

pub(super) fn check(proof: &Proof<'_>, library: &impl Library, report: &mut Report<'_>) {
    for step in proof.steps() {
        let rests_on_premises = step
            .justification
            .as_ref()
            .is_some_and(|shown| shown.kind == JustificationKind::Premise);
        if !rests_on_premises {
            continue;
        }
        for premise in proof.base.justifications(step.belief.id) {
            if !premise.is_valid || premise.kind != JustificationKind::Premise {
                continue;
            }
            match premise.source.kind {
                SourceKind::Document => check_quote(&step, &premise, library, report),
                SourceKind::Tool => check_result(&step, &premise, library, report),
                _ => {}
            }
        }
    }
}

fn check_result(
    step: &ProofStep<'_>,
    premise: &Justification<'_>,
    library: &impl Library,
    report: &mut Report<'_>,
) {
    let (key, source) = (step.belief.key, &premise.source);
    if library.returned(key, source, step.belief.value) == Some(false) {
        report.error(
            step,
            format!(
                "is not what its call of tool `{}` returned by the record",
                source.name
            ),
        );
    }
}

fn check_quote(
    step: &ProofStep<'_>,
    premise: &Justification<'_>,
    library: &impl Library,
    report: &mut Report<'_>,
) {
    let name = &premise.source.name;
    let (Some(quote), Some(citation)) = (&premise.source.quote, premise.citation) else {
        let newest = library.newest(name).zip(premise.source.quote.as_ref());
        let problem = match newest {
            Some(((version, document), quote)) => match holds(document, quote, step) {
                Ok(()) => return,
                Err(problem) => format!("of its newest version {version} {problem}"),
            },
            None => "there is no quote that could be checked".to_owned(),
        };
        report.warn(
            step,
            format!("rests on document `{name}` without saying which version; {problem}"),
        );
        return;
    };
    let version = citation.version;
    let Some(document) = library.document(name, version) else {
        report.error(
            step,
            format!("cites version {version} of document `{name}`, which is not at hand"),
        );
        return;
    };
    if document.id() != citation.document {
        report.error(
            step,
            format!("cites version {version} of document `{name}`, whose text is another now"),
        );
        return;
    }
    if let Err(problem) = holds(document, quote, step) {
        report.error(
            step,
            format!("cites version {version} of document `{name}`, but {problem}"),
        );
        return;
    }
    let start = usize::try_from(citation.start).unwrap_or(usize::MAX);
    let end = usize::try_from(citation.end).unwrap_or(usize::MAX);
    let bytes = document.text().as_bytes().get(start..end);
    if bytes.map(entail_json::sha256) != Some(citation.digest) {
        report.error(
            step,
            format!("cites bytes {start} to {end} of document `{name}`, where the quote is not"),
        );
        return;
    }
    if let Some((newest, document)) = library.newest(name)
        && newest > version
        && let Err(problem) = holds(document, quote, step)
    {
        report.warn(
            step,
            format!(
                "cites version {version} of document `{name}`; of the newer version {newest} {problem}"
            ),
        );
    }
}

fn holds(document: &Document, quote: &str, step: &ProofStep<'_>) -> Result<(), String> {
    let found = document
        .find(quote)
        .ok_or_else(|| "the quote is not found there".to_owned())?;
    document
        .states(&found, step.belief.value)
        .map_err(|error| error.to_string())
}
