-- Sessions with edits laid over them. AUTOINCREMENT: a number is never used again, so an old link shows nothing else.
CREATE TABLE experiments (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    session TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    applied INTEGER NOT NULL CHECK (applied >= 0),
    changed_at_ms INTEGER NOT NULL
) STRICT;

CREATE INDEX experiments_by_session ON experiments (session);

CREATE TABLE edits (
    experiment INTEGER NOT NULL REFERENCES experiments (id) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    edit TEXT NOT NULL,
    PRIMARY KEY (experiment, position)
) STRICT, WITHOUT ROWID;
