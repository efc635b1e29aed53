-- What was promised when the edit was applied, with those before it that belong to it. Null for edits that promise nothing.
ALTER TABLE edits ADD COLUMN promise TEXT;
