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
