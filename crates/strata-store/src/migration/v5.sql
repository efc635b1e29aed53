-- Finds events and sessions by words. It keeps no text: what a row stands for is told by its rowid, and its text is
-- made from the event again.
CREATE VIRTUAL TABLE search USING fts5 (
    text, tools, agents, files,
    content = '', contentless_delete = 1, tokenize = "unicode61 remove_diacritics 2"
);

-- How many of its events, from the first, are in `search`: none of those that were stored before there was one.
ALTER TABLE recordings ADD COLUMN indexed INTEGER NOT NULL DEFAULT 0;

CREATE INDEX recordings_not_indexed ON recordings (id) WHERE indexed < events;
