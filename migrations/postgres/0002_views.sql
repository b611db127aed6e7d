-- What dashboards query: a projection of the journals that may lag behind them. The service
-- itself never reads it.

-- How far a session's journal is projected.
CREATE TABLE projections (
    session_id    uuid   PRIMARY KEY,
    version       bigint NOT NULL
);

CREATE TABLE beliefs (
    session_id    uuid   NOT NULL,
    ref           text COLLATE "C" NOT NULL,
    tenant        text COLLATE "C" NOT NULL,
    key           text   NOT NULL,
    value         text   NOT NULL,
    source        text   NOT NULL,
    status        text   NOT NULL,
    confidence    double precision NOT NULL,
    as_of_version bigint NOT NULL,
    PRIMARY KEY (session_id, ref)
);

CREATE TABLE turns (
    session_id    uuid   NOT NULL,
    turn          bigint NOT NULL,
    tenant        text COLLATE "C" NOT NULL,
    model         text,
    verdict       text   NOT NULL,
    accepted      bigint NOT NULL,
    rejected      bigint NOT NULL,
    at_us         bigint NOT NULL,
    PRIMARY KEY (session_id, turn)
);
CREATE INDEX turns_by_time ON turns (tenant, at_us);

CREATE TABLE rejections (
    session_id    uuid    NOT NULL,
    turn          bigint  NOT NULL,
    idx           integer NOT NULL,
    tenant        text COLLATE "C" NOT NULL,
    action        text,
    key           text,
    code          text    NOT NULL,
    message       text    NOT NULL,
    at_us         bigint  NOT NULL,
    PRIMARY KEY (session_id, turn, idx)
);
CREATE INDEX rejections_by_time ON rejections (tenant, at_us);

CREATE VIEW entail_beliefs AS
SELECT tenant, session_id, ref, key, value, source, status, confidence, as_of_version
FROM beliefs;

CREATE VIEW entail_turns AS
SELECT tenant, session_id, turn, model, verdict, accepted, rejected,
    to_timestamp(at_us / 1e6) AS created_at
FROM turns;

CREATE VIEW entail_rejections AS
SELECT tenant, session_id, turn, idx, action, key, code, message,
    to_timestamp(at_us / 1e6) AS created_at
FROM rejections;
