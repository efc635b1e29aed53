//! What the crate promises, through its public interface.

mod facts;
mod sqlite_file;
mod support;
