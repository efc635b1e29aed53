-- What was really sent to models, in pieces: a request repeats the conversation before it, and a piece is kept once.
CREATE TABLE requests (
    recording INTEGER NOT NULL REFERENCES recordings (id),
    position INTEGER NOT NULL,
    answer INTEGER,
    place TEXT NOT NULL,
    added_from TEXT,
    shared INTEGER NOT NULL,
    appended INTEGER NOT NULL,
    removed INTEGER NOT NULL,
    rewritten INTEGER NOT NULL,
    pieces TEXT NOT NULL,
    PRIMARY KEY (recording, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE request_pieces (
    recording INTEGER NOT NULL REFERENCES recordings (id),
    number INTEGER NOT NULL,
    text TEXT NOT NULL,
    PRIMARY KEY (recording, number)
) STRICT;

-- Runs of compaction, with all that was written and paid for. AUTOINCREMENT: a number is never used again.
CREATE TABLE lab_runs (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    session TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    subject TEXT NOT NULL,
    settings TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('running', 'done', 'cancelled', 'failed')),
    result TEXT NOT NULL,
    started_at_ms INTEGER NOT NULL,
    changed_at_ms INTEGER NOT NULL
) STRICT;

CREATE INDEX lab_runs_by_session ON lab_runs (session);

-- What providers reported for requests that Strata sent, beside what it had expected.
CREATE TABLE measured_calls (
    id INTEGER PRIMARY KEY,
    model TEXT NOT NULL,
    shape TEXT NOT NULL CHECK (shape IN ('text', 'conversation')),
    request BLOB NOT NULL CHECK (length(request) = 16),
    counted INTEGER NOT NULL CHECK (counted >= 0),
    reported INTEGER NOT NULL CHECK (reported >= 0),
    expected_cached INTEGER,
    reported_cached INTEGER,
    measured_at_ms INTEGER NOT NULL
) STRICT;

CREATE INDEX measured_calls_by_model ON measured_calls (model, shape);

-- Finds events and sessions by words. It keeps no text: what a row stands for is told by its rowid, and its text is
-- made from the event again.
CREATE VIRTUAL TABLE search USING fts5 (
    text, tools, agents, files,
    content = '', contentless_delete = 1, tokenize = "unicode61 remove_diacritics 2"
);

-- How many of its events, from the first, are in `search`: none of those that were stored before there was one.
ALTER TABLE recordings ADD COLUMN indexed INTEGER NOT NULL DEFAULT 0;

CREATE INDEX recordings_not_indexed ON recordings (id) WHERE indexed < events;
