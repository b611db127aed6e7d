//! `entail export`

use std::{
    collections::HashMap,
    io::{self, Write as _},
    process::ExitCode,
    sync::Arc,
};

use clap::{Args, ValueEnum};
use entail_json::{Digest, to_canonical};
use entail_session::{Document, Session, write_snapshot};
use entail_store::Store;
use entail_trace::journal::Entry;
use uuid::Uuid;

use crate::{
    caller::DEFAULT_TENANT,
    commands::{Failure, print, print_bytes, store_options},
    config::Config,
    kit::{Kit, KitError},
    logging, signing,
};

/// What to export, and how.
#[derive(Clone, Debug, Args)]
pub(crate) struct ExportCommand {
    /// The session's id.
    session: Uuid,
    /// The format.
    #[arg(long, value_enum, default_value_t = Format::Bundle)]
    format: Format,
    /// Whose session it is.
    #[arg(long, default_value = DEFAULT_TENANT)]
    tenant: String,
}

/// What a session can be written as.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Format {
    /// A `tar.gz` that `entail verify` checks, signed if a signing key is configured.
    Bundle,
    /// The trace, as `GET /sessions/{id}/trace` gives it.
    Trace,
    /// The journal, as `GET /sessions/{id}/journal` gives it.
    Journal,
    /// A snapshot that `BeliefBase.load` of the Python library `corollary` reads.
    Corollary,
}

/// Writes the session; what the format leaves to the loader is told on standard error.
pub(crate) async fn run(config: &Config, command: ExportCommand) -> Result<ExitCode, Failure> {
    logging::start(&config.settings.log)?;
    let key = signing::load(&config.settings.signing_key_file)?;
    let store = Store::open(&store_options(config)).await?;
    let (session, journal) = load(config, &store, &command).await?;
    store.close().await?;
    match command.format {
        Format::Bundle => {
            let mut kit = Kit::of(&session).map_err(in_full)?;
            journal.iter().for_each(|entry| kit.entry(entry));
            let packed = kit.with_bundle(key.as_ref(), |bundle| bundle.write_tar_gz(Vec::new()));
            print_bytes(&packed.map_err(in_full)?)
        }
        Format::Trace => print(&session.trace().to_jsonl()),
        Format::Journal => {
            let lines = journal.iter().map(|entry| entry.to_line() + "\n");
            print(&lines.collect::<String>())
        }
        Format::Corollary => {
            let written = write_snapshot(&session, &journal)
                .map_err(|error| Failure::Other(error.to_string()))?;
            for apart in &written.apart {
                let _ = writeln!(io::stderr(), "entail: {apart}");
            }
            print(&format!("{}\n", to_canonical(&written.snapshot)))
        }
    }
}

/// An error with what it was caused by.
fn in_full(error: KitError) -> Failure {
    let mut text = error.to_string();
    let mut source = std::error::Error::source(&error);
    while let Some(cause) = source {
        text.push_str(&format!(": {cause}"));
        source = cause.source();
    }
    Failure::Other(text)
}

/// The session and its whole journal.
async fn load(
    config: &Config,
    store: &Store,
    command: &ExportCommand,
) -> Result<(Session, Vec<Entry>), Failure> {
    let (tenant, id) = (&command.tenant, command.session);
    let row = store.session(tenant, id).await?;
    let row = row.ok_or_else(|| Failure::Other(format!("there is no session `{id}`")))?;
    let journal = store.journal(&row).read_all().await?;
    let mut documents: HashMap<Digest, Arc<Document>> = HashMap::new();
    for digest in journal.iter().flat_map(Session::documents_named) {
        let content = store.document(tenant, &digest).await?;
        let text = content.and_then(|content| String::from_utf8(content).ok());
        let document = text.and_then(|text| Document::new(text).ok());
        documents.extend(document.map(|document| (digest, Arc::new(document))));
    }
    let limits = config.settings.session_limits();
    let session = Session::replay(&journal, limits, |digest| documents.get(digest).cloned())
        .map_err(|error| Failure::Other(format!("the journal cannot be replayed: {error}")))?;
    Ok((session, journal))
}
