-- The values of http tools' headers. Journals name them by their id and never hold them.
CREATE TABLE tool_secrets (
    session_id    blob    NOT NULL,
    id            blob    NOT NULL,
    value         blob    NOT NULL,
    written_us    integer NOT NULL,
    PRIMARY KEY (session_id, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX tool_secrets_by_age ON tool_secrets (written_us);
