-- What a recording comes to up to each event, so that it can go on from there. Null in what was stored before, which is
-- written anew when its source grows.
ALTER TABLE events ADD COLUMN content BLOB;
ALTER TABLE events ADD COLUMN raw_records INTEGER;
ALTER TABLE events ADD COLUMN withheld INTEGER;

-- Answers of models that were paid for, by what was asked.
CREATE TABLE paid_answers (
    question BLOB PRIMARY KEY CHECK (length(question) = 16),
    answer TEXT NOT NULL
) STRICT;

-- They were settings before, with what was asked in hexadecimal digits behind a prefix of 11 letters.
INSERT OR REPLACE INTO paid_answers
SELECT unhex(substr(key, 12)), value FROM settings
WHERE key GLOB 'lab.answer.*' AND length(unhex(substr(key, 12))) = 16;

DELETE FROM settings WHERE key GLOB 'lab.answer.*' AND length(unhex(substr(key, 12))) = 16;

-- Nothing ever stood in it: counting a session again is quicker than asking for its counts.
DROP TABLE token_counts;
