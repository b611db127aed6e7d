//! What a bundle is made of, taken of one version of a session.

use std::io;

use entail_trace::Bundle;

use crate::{
    app::App,
    kit::Kit,
    problem::{Code, Problem},
    sessions::{Target, study},
};

/// Entries read from the store at once.
const BATCH: u64 = 256;

/// The parts of a bundle.
pub(super) struct Snapshot {
    kit: Kit,
    app: App,
}

impl Snapshot {
    /// Takes it of a session as it is now. The report is as of the last commit's time.
    pub(super) async fn take(
        app: &App,
        target: &Target,
        min_version: Option<u64>,
    ) -> Result<Self, Problem> {
        let (version, mut kit) = study(app, target, min_version, |session, _| {
            let kit = Kit::of(session).map_err(|error| Problem::internal(&error))?;
            Ok((session.version(), kit))
        })
        .await?;
        let mut after = 0;
        while after < version {
            let left = version.saturating_sub(after).min(BATCH);
            let left = u32::try_from(left).unwrap_or(u32::MAX);
            let entries = app.store().entries(target.id, after, None, left).await?;
            let Some(last) = entries.last() else {
                return Err(Problem::new(
                    Code::UnknownSession,
                    "the session was deleted",
                ));
            };
            after = last.seq;
            entries.iter().for_each(|entry| kit.entry(entry));
        }
        Ok(Self {
            kit,
            app: app.clone(),
        })
    }

    /// Puts the bundle together, and gives of it what is asked for.
    pub(super) fn with_bundle<T>(
        &self,
        make: impl FnOnce(&Bundle<'_>) -> io::Result<T>,
    ) -> Result<T, Problem> {
        self.kit
            .with_bundle(self.app.signing_key(), make)
            .map_err(|error| Problem::internal(&error))
    }
}
