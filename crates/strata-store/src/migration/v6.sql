-- Events, what they were read from and pieces of requests, many in a row and packed. What stands in event_json,
-- raw_records and request_pieces was written by older versions, and is packed while the program runs.
CREATE TABLE event_packs (
    recording INTEGER NOT NULL REFERENCES recordings (id),
    last INTEGER NOT NULL,
    count INTEGER NOT NULL CHECK (count > 0),
    length INTEGER NOT NULL,
    packed BLOB NOT NULL,
    PRIMARY KEY (recording, last)
) STRICT;

CREATE TABLE source_packs (
    recording INTEGER NOT NULL REFERENCES recordings (id),
    last INTEGER NOT NULL,
    count INTEGER NOT NULL CHECK (count > 0),
    length INTEGER NOT NULL,
    packed BLOB NOT NULL,
    PRIMARY KEY (recording, last)
) STRICT;

CREATE TABLE request_packs (
    recording INTEGER NOT NULL REFERENCES recordings (id),
    last INTEGER NOT NULL,
    count INTEGER NOT NULL CHECK (count > 0),
    length INTEGER NOT NULL,
    packed BLOB NOT NULL,
    PRIMARY KEY (recording, last)
) STRICT;
