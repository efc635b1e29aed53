-- Where sessions came from: a file, or a label such as the name of a bundled sample.
CREATE TABLE sources (
    id INTEGER PRIMARY KEY,
    location TEXT NOT NULL UNIQUE,
    format TEXT NOT NULL,
    size_bytes INTEGER NOT NULL,
    modified_ms INTEGER,
    content BLOB CHECK (length(content) = 16),
    imported_at_ms INTEGER NOT NULL
) STRICT;

CREATE TABLE diagnostics (
    source INTEGER NOT NULL REFERENCES sources (id) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    severity TEXT NOT NULL CHECK (severity IN ('info', 'warning', 'error')),
    code TEXT NOT NULL,
    message TEXT NOT NULL,
    at TEXT NOT NULL,
    PRIMARY KEY (source, position)
) STRICT, WITHOUT ROWID;

-- A body of events. Written while it is staged, never changed after that. AUTOINCREMENT: a number is never used
-- again, so an import that lost its recording cannot write into another one's.
CREATE TABLE recordings (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    status TEXT NOT NULL CHECK (status IN ('staged', 'kept', 'discarded')),
    events INTEGER NOT NULL DEFAULT 0,
    json_bytes INTEGER NOT NULL DEFAULT 0,
    content BLOB CHECK (length(content) = 16)
) STRICT;

CREATE INDEX recordings_not_kept ON recordings (status) WHERE status <> 'kept';

-- What readers see. A row appears, or moves to another recording, only when an import commits.
CREATE TABLE sessions (
    id TEXT PRIMARY KEY,
    source INTEGER NOT NULL REFERENCES sources (id),
    recording INTEGER NOT NULL UNIQUE REFERENCES recordings (id),
    adk_id TEXT NOT NULL,
    app_name TEXT NOT NULL,
    user_id TEXT NOT NULL,
    title TEXT NOT NULL,
    format TEXT NOT NULL,
    summary TEXT NOT NULL,
    other TEXT NOT NULL,
    last_update_time REAL,
    imported_at_ms INTEGER NOT NULL,
    opened_at_ms INTEGER
) STRICT, WITHOUT ROWID;

CREATE INDEX sessions_by_source ON sessions (source);

-- The short columns of an event, apart from its JSON so that a page of them touches few pages of the file.
CREATE TABLE events (
    recording INTEGER NOT NULL REFERENCES recordings (id),
    seq INTEGER NOT NULL,
    event_id TEXT NOT NULL,
    invocation_id TEXT NOT NULL,
    author TEXT NOT NULL,
    branch TEXT,
    timestamp REAL NOT NULL,
    kinds INTEGER NOT NULL,
    json_bytes INTEGER NOT NULL,
    records TEXT,
    PRIMARY KEY (recording, seq)
) STRICT, WITHOUT ROWID;

CREATE TABLE event_json (
    recording INTEGER NOT NULL REFERENCES recordings (id),
    seq INTEGER NOT NULL,
    json TEXT NOT NULL,
    PRIMARY KEY (recording, seq)
) STRICT;

CREATE TABLE raw_records (
    recording INTEGER NOT NULL REFERENCES recordings (id),
    number INTEGER NOT NULL,
    bytes BLOB NOT NULL,
    PRIMARY KEY (recording, number)
) STRICT;

CREATE TABLE states (
    recording INTEGER NOT NULL REFERENCES recordings (id),
    position INTEGER NOT NULL,
    scope TEXT NOT NULL CHECK (scope IN ('session', 'user', 'app')),
    key TEXT NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (recording, position)
) STRICT;

CREATE TABLE app_configs (
    session TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    origin TEXT NOT NULL CHECK (origin IN ('given', 'inferred')),
    format TEXT NOT NULL,
    text TEXT NOT NULL,
    location TEXT,
    PRIMARY KEY (session, origin)
) STRICT;

CREATE TABLE settings (
    key TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE token_counts (
    vocabulary TEXT NOT NULL,
    content BLOB NOT NULL CHECK (length(content) = 16),
    tokens INTEGER NOT NULL,
    PRIMARY KEY (vocabulary, content)
) STRICT, WITHOUT ROWID;

-- Counts what readers can notice, so that another process can be noticed without reading anything.
CREATE TABLE changes (
    only INTEGER PRIMARY KEY CHECK (only = 1),
    counter INTEGER NOT NULL
) STRICT;

INSERT INTO changes (only, counter) VALUES (1, 0);
