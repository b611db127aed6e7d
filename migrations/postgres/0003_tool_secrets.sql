-- The values of http tools' headers. Journals name them by their id and never hold them.
CREATE TABLE tool_secrets (
    session_id    uuid   NOT NULL,
    id            uuid   NOT NULL,
    value         bytea  NOT NULL,
    written_us    bigint NOT NULL,
    PRIMARY KEY (session_id, id)
);
CREATE INDEX tool_secrets_by_age ON tool_secrets (written_us);
