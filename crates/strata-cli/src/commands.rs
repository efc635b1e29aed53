//! The commands, one file each: its arguments, and `run`, which returns the exit code.

pub(crate) mod serve;
