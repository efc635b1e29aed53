//! What the crate promises, through its public interface.

mod adk;
mod claude;
mod detection;
mod dump;
mod facts;
mod formats;
mod robust;
mod sqlite_file;
mod support;
