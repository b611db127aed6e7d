-- What dashboards query: a projection of the journals that may lag behind them. The service
-- itself never reads it.

-- How far a session's journal is projected.
CREATE TABLE projections (
    session_id    blob    NOT NULL PRIMARY KEY,
    version       integer NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE beliefs (
    session_id    blob    NOT NULL,
    ref           text    NOT NULL,
    tenant        text    NOT NULL,
    key           text    NOT NULL,
    value         text    NOT NULL,
    source        text    NOT NULL,
    status        text    NOT NULL,
    confidence    real    NOT NULL,
    as_of_version integer NOT NULL,
    PRIMARY KEY (session_id, ref)
) STRICT;

CREATE TABLE turns (
    session_id    blob    NOT NULL,
    turn          integer NOT NULL,
    tenant        text    NOT NULL,
    model         text,
    verdict       text    NOT NULL,
    accepted      integer NOT NULL,
    rejected      integer NOT NULL,
    at_us         integer NOT NULL,
    PRIMARY KEY (session_id, turn)
) STRICT, WITHOUT ROWID;
CREATE INDEX turns_by_time ON turns (tenant, at_us);

CREATE TABLE rejections (
    session_id    blob    NOT NULL,
    turn          integer NOT NULL,
    idx           integer NOT NULL,
    tenant        text    NOT NULL,
    action        text,
    key           text,
    code          text    NOT NULL,
    message       text    NOT NULL,
    at_us         integer NOT NULL,
    PRIMARY KEY (session_id, turn, idx)
) STRICT;
CREATE INDEX rejections_by_time ON rejections (tenant, at_us);

CREATE VIEW entail_beliefs AS
SELECT tenant, lower(hex(session_id)) AS session_id, ref, key, value, source, status, confidence,
    as_of_version
FROM beliefs;

CREATE VIEW entail_turns AS
SELECT tenant, lower(hex(session_id)) AS session_id, turn, model, verdict, accepted, rejected,
    strftime('%Y-%m-%dT%H:%M:%S', at_us / 1000000, 'unixepoch')
        || printf('.%06dZ', at_us % 1000000) AS created_at
FROM turns;

CREATE VIEW entail_rejections AS
SELECT tenant, lower(hex(session_id)) AS session_id, turn, idx, action, key, code, message,
    strftime('%Y-%m-%dT%H:%M:%S', at_us / 1000000, 'unixepoch')
        || printf('.%06dZ', at_us % 1000000) AS created_at
FROM rejections;
