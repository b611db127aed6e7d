//! Documents and tools.

use std::sync::Arc;

use entail_kernel::text::Document;

use crate::commit::Commit;
use crate::error::CommandError;
use crate::limits::SCHEMA_BYTES;
use crate::outcome::{Changed, DocumentOutcome, Outcome};
use crate::tool::{Tool, ToolDefinition};

use super::check;

/// The same text again changes nothing, other text is the next version.
pub(super) fn put_document(
    commit: &mut Commit<'_>,
    name: &str,
    document: &Arc<Document>,
    pointer: &str,
) -> Result<DocumentOutcome, CommandError> {
    check::name(name, "document", &format!("{pointer}/name"))?;
    check::plain(document.text(), &format!("{pointer}/text"))?;
    let bytes = document.text().len();
    let limits = commit.session.limits;
    if bytes > limits.document_bytes {
        return Err(CommandError::LimitExceeded {
            what: format!("document `{name}` has {bytes} bytes"),
            limit: limits.document_bytes,
        });
    }
    let sha256 = document.id();
    let newest = commit.session.state.documents.newest(name);
    if let Some(newest) = newest.filter(|newest| newest.sha256() == sha256) {
        let version = newest.version;
        return Ok(DocumentOutcome {
            name: name.to_owned(),
            version,
            sha256,
            bytes,
            created: false,
        });
    }
    if commit.session.state.documents.count() >= limits.documents {
        return Err(CommandError::LimitExceeded {
            what: "too many document versions".to_owned(),
            limit: limits.documents,
        });
    }
    let version = commit.put_document(name, document);
    Ok(DocumentOutcome {
        name: name.to_owned(),
        version,
        sha256,
        bytes,
        created: true,
    })
}

/// Registers a tool; says whether there was none of that name before.
pub(super) fn put_tool(
    commit: &mut Commit<'_>,
    name: &str,
    definition: ToolDefinition,
    pointer: &str,
) -> Result<bool, CommandError> {
    check::name(name, "tool", &format!("{pointer}/name"))?;
    check::plain(&definition.description, &format!("{pointer}/description"))?;
    let at = format!("{pointer}/parameters");
    if let Some(reason) = check::value_fault(&definition.parameters.clone().into(), SCHEMA_BYTES) {
        return Err(CommandError::UnsupportedValue {
            pointer: at,
            reason,
        });
    }
    let before = commit.session.state.tools.get(name);
    let created = before.is_none();
    let tool = Tool::new(name, definition).map_err(|schema| CommandError::InvalidSchema {
        pointer: at,
        schema,
    })?;
    let same = |before: &Arc<Tool>| {
        before.definition() == tool.definition() && before.order() == tool.order()
    };
    if before.is_some_and(same) {
        return Ok(false);
    }
    let limit = commit.session.limits.tools;
    if created && commit.session.state.tools.len() >= limit {
        return Err(CommandError::LimitExceeded {
            what: "too many tools".to_owned(),
            limit,
        });
    }
    commit.put_tool(tool);
    Ok(created)
}

pub(super) fn delete_tool(commit: &mut Commit<'_>, name: &str) -> Result<Outcome, CommandError> {
    if !commit.session.state.tools.contains_key(name) {
        return Err(CommandError::UnknownTool {
            name: name.to_owned(),
        });
    }
    commit.delete_tool(name);
    Ok(Outcome::Changed(Changed::default()))
}
