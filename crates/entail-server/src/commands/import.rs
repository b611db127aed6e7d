//! `entail import`

use std::{
    fs::File,
    io::{self, Read},
    path::PathBuf,
    process::ExitCode,
};

use clap::Args;
use entail_session::{Session, Snapshot, limits::SNAPSHOT_BYTES};
use entail_store::{Commit, Created, Creation, Store};

use crate::{
    caller::DEFAULT_TENANT,
    clock,
    commands::{Failure, print, store_options},
    config::Config,
    logging,
    sessions::{row, to_time},
};

/// What to import.
#[derive(Clone, Debug, Args)]
pub(crate) struct ImportCommand {
    /// The snapshot as `BeliefBase.save` wrote it (`corollary.beliefbase`, version 2), or `-` for
    /// standard input.
    file: PathBuf,
    /// What the session is to find out.
    #[arg(long)]
    task: Option<String>,
    /// Whose session it is.
    #[arg(long, default_value = DEFAULT_TENANT)]
    tenant: String,
}

/// Opens a session from the snapshot.
pub(crate) async fn run(config: &Config, command: ImportCommand) -> Result<ExitCode, Failure> {
    logging::start(&config.settings.log)?;
    let limits = config.settings.session_limits();
    let name = command.file.display();
    let snapshot = Snapshot::from_json(&read(&command.file)?, &limits).map_err(|faults| {
        let lines: String = faults
            .0
            .iter()
            .map(|fault| format!("\n  {fault}"))
            .collect();
        Failure::Other(format!("`{name}` cannot be imported:{lines}"))
    })?;
    let task = command
        .task
        .unwrap_or_else(|| format!("Go on from the snapshot `{name}`."));
    let store = Store::open(&store_options(config)).await?;
    if !config.settings.no_migrate {
        store.migrate().await?;
    }
    for (_, document) in snapshot.documents() {
        store
            .put_document(&command.tenant, document.text().as_bytes(), clock::now())
            .await?;
    }
    let id = clock::new_id();
    let at = to_time(clock::now());
    let (mut session, executed) = Session::import(&id.to_string(), &task, snapshot, limits, at)
        .map_err(|error| Failure::Other(format!("`{name}` cannot be imported: {error}")))?;
    let Some(entry) = executed.entry else {
        return Err(Failure::Other("nothing was imported".to_owned()));
    };
    let mut commit = Commit::new(id, entry, row::update(&session));
    commit.row.labels = Some(row::labels(&session));
    commit.row.summary = Some(row::summary(&session));
    commit.documents = executed.documents;
    let created = store
        .create(Creation {
            tenant: command.tenant,
            commit,
            key: None,
        })
        .await?;
    store.close().await?;
    match created {
        Created::Done => {
            session.confirm();
            print(&format!("{id}\n"))
        }
        Created::Exists => Err(Failure::Other(
            "the session's id is taken; try again".to_owned(),
        )),
    }
}

/// The snapshot's bytes, up to the longest that is read and one more.
fn read(file: &PathBuf) -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    let most = u64::try_from(SNAPSHOT_BYTES)
        .unwrap_or(u64::MAX)
        .saturating_add(1);
    if file.as_os_str() == "-" {
        io::stdin().lock().take(most).read_to_end(&mut bytes)?;
        return Ok(bytes);
    }
    let opened = File::open(file).and_then(|open| open.take(most).read_to_end(&mut bytes));
    match opened {
        Ok(_) => Ok(bytes),
        Err(error) => Err(Failure::Other(format!(
            "cannot read `{}`: {error}",
            file.display()
        ))),
    }
}
