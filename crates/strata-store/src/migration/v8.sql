-- What outlives a run: the files that agents save, and what they remember.
CREATE TABLE blobs (
    hash BLOB PRIMARY KEY,
    packed BLOB NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE artifacts (
    app TEXT NOT NULL,
    user TEXT NOT NULL,
    session TEXT NOT NULL,
    name TEXT NOT NULL,
    version INTEGER NOT NULL,
    blob BLOB REFERENCES blobs (hash),
    mime_type TEXT,
    bytes INTEGER NOT NULL,
    saved_at_ms INTEGER NOT NULL,
    PRIMARY KEY (app, user, session, name, version)
) STRICT, WITHOUT ROWID;

CREATE INDEX artifacts_by_blob ON artifacts (blob);

CREATE TABLE remembered_sessions (
    id INTEGER PRIMARY KEY,
    app TEXT NOT NULL,
    user TEXT NOT NULL,
    session TEXT NOT NULL,
    added_at_ms INTEGER NOT NULL,
    UNIQUE (app, user, session)
) STRICT;

CREATE TABLE memories (
    id INTEGER PRIMARY KEY,
    session INTEGER NOT NULL REFERENCES remembered_sessions (id),
    position INTEGER NOT NULL,
    event TEXT NOT NULL,
    author TEXT NOT NULL,
    said_at REAL NOT NULL,
    content TEXT NOT NULL,
    UNIQUE (session, position)
) STRICT;

CREATE VIRTUAL TABLE memory_words USING fts5 (
    words,
    content = '', contentless_delete = 1, tokenize = "unicode61 remove_diacritics 0 tokenchars '_'"
);
