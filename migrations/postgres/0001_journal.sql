-- Every table's key begins with the session or the tenant, so that the schema distributes by it.
-- Columns that end in `_us` are microseconds since 1970-01-01T00:00:00Z. Names are ordered by
-- code point, as in SQLite.

-- What a list needs; the journal is the truth behind it. No column that a turn changes is
-- indexed, and pages keep room, so that a turn updates the row in place (HOT).
CREATE TABLE sessions (
    session_id    uuid   PRIMARY KEY,
    tenant        text COLLATE "C" NOT NULL,
    state         text   NOT NULL,
    version       bigint NOT NULL,
    chain_head    bytea  NOT NULL,
    answer        text   NOT NULL,
    beliefs       bigint NOT NULL,
    believed      bigint NOT NULL,
    turns         bigint NOT NULL,
    rejections    bigint NOT NULL,
    open_calls    bigint NOT NULL,
    conflicts     bigint NOT NULL,
    labels        jsonb  NOT NULL,
    summary       text   NOT NULL,
    created_us    bigint NOT NULL,
    active_us     bigint NOT NULL,
    expires_us    bigint
) WITH (fillfactor = 70);
CREATE INDEX sessions_by_tenant ON sessions (tenant, session_id);
CREATE INDEX sessions_by_expiry ON sessions (expires_us) WHERE expires_us IS NOT NULL;
CREATE INDEX sessions_by_label ON sessions USING gin (labels jsonb_path_ops);

-- One row a commit. payload and events are canonical JSON kept as text: jsonb would rewrite
-- numbers and the order of keys, and the hashes are of these bytes.
CREATE TABLE journal (
    session_id    uuid    NOT NULL,
    seq           bigint  NOT NULL,
    v             integer NOT NULL,
    kind          text    NOT NULL,
    payload       text    NOT NULL,
    events        text    NOT NULL,
    prev_hash     bytea   NOT NULL,
    hash          bytea   NOT NULL,
    created_at    text    NOT NULL,
    PRIMARY KEY (session_id, seq)
);

CREATE TABLE snapshots (
    session_id    uuid    PRIMARY KEY,
    seq           bigint  NOT NULL,
    head          bytea   NOT NULL,
    format        integer NOT NULL,
    sha256        bytea   NOT NULL,
    state         bytea   NOT NULL
);

CREATE TABLE contexts (
    session_id    uuid   NOT NULL,
    context_id    uuid   NOT NULL,
    version       bigint NOT NULL,
    as_of_us      bigint NOT NULL,
    refs          text   NOT NULL,
    documents     text   NOT NULL,
    expires_us    bigint NOT NULL,
    PRIMARY KEY (session_id, context_id)
);
CREATE INDEX contexts_by_expiry ON contexts USING brin (expires_us);

-- The key is the hash of method, path and Idempotency-Key.
CREATE TABLE session_keys (
    session_id    uuid   NOT NULL,
    key           bytea  NOT NULL,
    body          bytea  NOT NULL,
    answer        text   NOT NULL,
    created_us    bigint NOT NULL,
    PRIMARY KEY (session_id, key)
);
CREATE INDEX session_keys_by_age ON session_keys USING brin (created_us);

-- A key of POST /sessions first reserves the session's id; the answer comes with its creation.
CREATE TABLE tenant_keys (
    tenant        text COLLATE "C" NOT NULL,
    key           bytea  NOT NULL,
    body          bytea  NOT NULL,
    session_id    uuid,
    answer        text,
    created_us    bigint NOT NULL,
    PRIMARY KEY (tenant, key)
);
CREATE INDEX tenant_keys_by_age ON tenant_keys (created_us);

CREATE TABLE documents (
    tenant        text COLLATE "C" NOT NULL,
    sha256        bytea  NOT NULL,
    content       bytea  NOT NULL,
    written_us    bigint NOT NULL,
    PRIMARY KEY (tenant, sha256)
);
CREATE INDEX documents_by_age ON documents (written_us);

-- Which contents a session names.
CREATE TABLE session_documents (
    session_id    uuid  NOT NULL,
    sha256        bytea NOT NULL,
    tenant        text COLLATE "C" NOT NULL,
    PRIMARY KEY (session_id, sha256)
);
CREATE INDEX session_documents_by_content ON session_documents (tenant, sha256);

-- Calls the service itself has to make; a lease moves due_us and counts the attempt.
CREATE TABLE calls (
    session_id    uuid    NOT NULL,
    call_id       text COLLATE "C" NOT NULL,
    tenant        text COLLATE "C" NOT NULL,
    due_us        bigint  NOT NULL,
    attempt       integer NOT NULL,
    PRIMARY KEY (session_id, call_id)
);
CREATE INDEX calls_by_due ON calls (due_us);

-- What commits taught and the ledger has not yet taken in.
CREATE TABLE outcome_queue (
    session_id    uuid    NOT NULL,
    seq           bigint  NOT NULL,
    idx           integer NOT NULL,
    tenant        text COLLATE "C" NOT NULL,
    source        text COLLATE "C" NOT NULL,
    correct       boolean NOT NULL,
    at_us         bigint  NOT NULL,
    PRIMARY KEY (session_id, seq, idx)
);

-- The tenant's ledger: each outcome once, by session and seq, and their totals by source.
CREATE TABLE outcomes (
    tenant        text COLLATE "C" NOT NULL,
    session_id    uuid    NOT NULL,
    seq           bigint  NOT NULL,
    idx           integer NOT NULL,
    source        text COLLATE "C" NOT NULL,
    correct       boolean NOT NULL,
    at_us         bigint  NOT NULL,
    PRIMARY KEY (tenant, session_id, seq, idx)
);
CREATE INDEX outcomes_by_source ON outcomes (tenant, source, at_us DESC, session_id, seq, idx);

CREATE TABLE sources (
    tenant        text COLLATE "C" NOT NULL,
    source        text COLLATE "C" NOT NULL,
    correct       bigint NOT NULL,
    total         bigint NOT NULL,
    last_us       bigint NOT NULL,
    PRIMARY KEY (tenant, source)
);

CREATE TABLE api_keys (
    tenant        text COLLATE "C" NOT NULL,
    key_id        uuid   NOT NULL,
    name          text   NOT NULL,
    secret        bytea  NOT NULL,
    scopes        text   NOT NULL,
    model         text,
    created_us    bigint NOT NULL,
    revoked_us    bigint,
    PRIMARY KEY (tenant, key_id)
);
CREATE INDEX api_keys_by_id ON api_keys (key_id);

-- What the readiness probe writes.
CREATE TABLE probes (
    tenant        text COLLATE "C" PRIMARY KEY,
    at_us         bigint NOT NULL
);

-- Long texts are squeezed with lz4 where the server has it: a commit must not wait for pglz.
DO $$ BEGIN
    ALTER TABLE journal ALTER COLUMN payload SET COMPRESSION lz4;
    ALTER TABLE journal ALTER COLUMN events SET COMPRESSION lz4;
    ALTER TABLE session_keys ALTER COLUMN answer SET COMPRESSION lz4;
    ALTER TABLE contexts ALTER COLUMN refs SET COMPRESSION lz4;
    ALTER TABLE documents ALTER COLUMN content SET COMPRESSION lz4;
EXCEPTION WHEN feature_not_supported THEN NULL;
END $$;
