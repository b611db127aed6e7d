//! The schema's migrations, embedded in the build.

use sqlx::SqlSafeStr;
use sqlx::migrate::{Migration, MigrationType, Migrator};

/// The migrations of one engine, from their texts, numbered in order from 1.
pub(crate) fn migrator(texts: &[(&'static str, &'static str)]) -> Migrator {
    let numbered = (1_i64..).zip(texts);
    let migrations = numbered.map(|(version, (description, sql))| {
        let kind = MigrationType::Simple;
        Migration::new(
            version,
            (*description).into(),
            kind,
            sql.into_sql_str(),
            false,
        )
    });
    Migrator::with_migrations(migrations.collect())
}

/// Whether each of the build's migrations is among those applied: version, checksum, success.
/// Later ones, of a newer build that shares the database, do no harm.
pub(crate) fn all_applied(migrator: &Migrator, applied: &[(i64, Vec<u8>, bool)]) -> bool {
    migrator.iter().all(|migration| {
        let same = |(version, checksum, success): &(i64, Vec<u8>, bool)| {
            *version == migration.version && *checksum == *migration.checksum && *success
        };
        applied.iter().any(same)
    })
}
