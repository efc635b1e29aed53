-- Contexts: what clients and served apps share from one request to the next. What was said, done and put away in one
-- stays with its id when it is archived.
CREATE TABLE contexts (
    id TEXT PRIMARY KEY,
    principal TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('active', 'idle', 'archived', 'expired')),
    created_at_ms INTEGER NOT NULL,
    updated_at_ms INTEGER NOT NULL,
    expires_at_ms INTEGER,
    session TEXT,
    document TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE archived_contexts (
    id TEXT PRIMARY KEY,
    principal TEXT NOT NULL,
    expired_at_ms INTEGER NOT NULL,
    archived_at_ms INTEGER NOT NULL,
    session TEXT,
    document TEXT
) STRICT, WITHOUT ROWID;

CREATE TABLE context_messages (
    context TEXT NOT NULL,
    number INTEGER NOT NULL,
    summary INTEGER NOT NULL CHECK (summary IN (0, 1)),
    message TEXT NOT NULL,
    PRIMARY KEY (context, number)
) STRICT, WITHOUT ROWID;

CREATE TABLE context_tasks (
    id TEXT PRIMARY KEY,
    context TEXT NOT NULL,
    principal TEXT NOT NULL,
    status TEXT NOT NULL,
    created_at_ms INTEGER NOT NULL,
    updated_at_ms INTEGER NOT NULL,
    document TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX context_tasks_by_context ON context_tasks (context, created_at_ms);

CREATE TABLE context_artifacts (
    context TEXT NOT NULL,
    name TEXT NOT NULL,
    version INTEGER NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (context, name, version)
) STRICT, WITHOUT ROWID;
