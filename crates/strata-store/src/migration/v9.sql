-- Sessions of some kinds at some time: recordings of one run are found in each other.
CREATE INDEX sessions_by_format ON sessions (format, last_update_time);
