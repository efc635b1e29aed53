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
