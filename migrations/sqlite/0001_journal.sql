-- Every table's key begins with the session or the tenant, as in Postgres.
-- Columns that end in `_us` are microseconds since 1970-01-01T00:00:00Z.

-- What a list needs; the journal is the truth behind it. No column that a turn changes is
-- indexed.
CREATE TABLE sessions (
    session_id    blob    NOT NULL PRIMARY KEY,
    tenant        text    NOT NULL,
    state         text    NOT NULL,
    version       integer NOT NULL,
    chain_head    blob    NOT NULL,
    answer        text    NOT NULL,
    beliefs       integer NOT NULL,
    believed      integer NOT NULL,
    turns         integer NOT NULL,
    rejections    integer NOT NULL,
    open_calls    integer NOT NULL,
    conflicts     integer NOT NULL,
    labels        text    NOT NULL,
    summary       text    NOT NULL,
    created_us    integer NOT NULL,
    active_us     integer NOT NULL,
    expires_us    integer
) STRICT, WITHOUT ROWID;
CREATE INDEX sessions_by_tenant ON sessions (tenant, session_id);
CREATE INDEX sessions_by_expiry ON sessions (expires_us) WHERE expires_us IS NOT NULL;

-- One row a commit. payload and events are canonical JSON; the hashes are of these bytes.
CREATE TABLE journal (
    session_id    blob    NOT NULL,
    seq           integer NOT NULL,
    v             integer NOT NULL,
    kind          text    NOT NULL,
    payload       text    NOT NULL,
    events        text    NOT NULL,
    prev_hash     blob    NOT NULL,
    hash          blob    NOT NULL,
    created_at    text    NOT NULL,
    PRIMARY KEY (session_id, seq)
) STRICT;

CREATE TABLE snapshots (
    session_id    blob    NOT NULL PRIMARY KEY,
    seq           integer NOT NULL,
    head          blob    NOT NULL,
    format        integer NOT NULL,
    sha256        blob    NOT NULL,
    state         blob    NOT NULL
) STRICT;

CREATE TABLE contexts (
    session_id    blob    NOT NULL,
    context_id    blob    NOT NULL,
    version       integer NOT NULL,
    as_of_us      integer NOT NULL,
    refs          text    NOT NULL,
    documents     text    NOT NULL,
    expires_us    integer NOT NULL,
    PRIMARY KEY (session_id, context_id)
) STRICT;
CREATE INDEX contexts_by_expiry ON contexts (expires_us);

-- The key is the hash of method, path and Idempotency-Key.
CREATE TABLE session_keys (
    session_id    blob    NOT NULL,
    key           blob    NOT NULL,
    body          blob    NOT NULL,
    answer        text    NOT NULL,
    created_us    integer NOT NULL,
    PRIMARY KEY (session_id, key)
) STRICT;
CREATE INDEX session_keys_by_age ON session_keys (created_us);

-- A key of POST /sessions first reserves the session's id; the answer comes with its creation.
CREATE TABLE tenant_keys (
    tenant        text    NOT NULL,
    key           blob    NOT NULL,
    body          blob    NOT NULL,
    session_id    blob,
    answer        text,
    created_us    integer NOT NULL,
    PRIMARY KEY (tenant, key)
) STRICT;
CREATE INDEX tenant_keys_by_age ON tenant_keys (created_us);

CREATE TABLE documents (
    tenant        text    NOT NULL,
    sha256        blob    NOT NULL,
    content       blob    NOT NULL,
    written_us    integer NOT NULL,
    PRIMARY KEY (tenant, sha256)
) STRICT;
CREATE INDEX documents_by_age ON documents (written_us);

-- Which contents a session names.
CREATE TABLE session_documents (
    session_id    blob    NOT NULL,
    sha256        blob    NOT NULL,
    tenant        text    NOT NULL,
    PRIMARY KEY (session_id, sha256)
) STRICT, WITHOUT ROWID;
CREATE INDEX session_documents_by_content ON session_documents (tenant, sha256);

-- Calls the service itself has to make; a lease moves due_us and counts the attempt.
CREATE TABLE calls (
    session_id    blob    NOT NULL,
    call_id       text    NOT NULL,
    tenant        text    NOT NULL,
    due_us        integer NOT NULL,
    attempt       integer NOT NULL,
    PRIMARY KEY (session_id, call_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX calls_by_due ON calls (due_us);

-- What commits taught and the ledger has not yet taken in.
CREATE TABLE outcome_queue (
    session_id    blob    NOT NULL,
    seq           integer NOT NULL,
    idx           integer NOT NULL,
    tenant        text    NOT NULL,
    source        text    NOT NULL,
    correct       integer NOT NULL,
    at_us         integer NOT NULL,
    PRIMARY KEY (session_id, seq, idx)
) STRICT, WITHOUT ROWID;

-- The tenant's ledger: each outcome once, by session and seq, and their totals by source.
CREATE TABLE outcomes (
    tenant        text    NOT NULL,
    session_id    blob    NOT NULL,
    seq           integer NOT NULL,
    idx           integer NOT NULL,
    source        text    NOT NULL,
    correct       integer NOT NULL,
    at_us         integer NOT NULL,
    PRIMARY KEY (tenant, session_id, seq, idx)
) STRICT, WITHOUT ROWID;
CREATE INDEX outcomes_by_source ON outcomes (tenant, source, at_us DESC, session_id, seq, idx);

CREATE TABLE sources (
    tenant        text    NOT NULL,
    source        text    NOT NULL,
    correct       integer NOT NULL,
    total         integer NOT NULL,
    last_us       integer NOT NULL,
    PRIMARY KEY (tenant, source)
) STRICT, WITHOUT ROWID;

CREATE TABLE api_keys (
    tenant        text    NOT NULL,
    key_id        blob    NOT NULL,
    name          text    NOT NULL,
    secret        blob    NOT NULL,
    scopes        text    NOT NULL,
    model         text,
    created_us    integer NOT NULL,
    revoked_us    integer,
    PRIMARY KEY (tenant, key_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX api_keys_by_id ON api_keys (key_id);

-- What the readiness probe writes.
CREATE TABLE probes (
    tenant        text    NOT NULL PRIMARY KEY,
    at_us         integer NOT NULL
) STRICT, WITHOUT ROWID;
