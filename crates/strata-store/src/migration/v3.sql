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
