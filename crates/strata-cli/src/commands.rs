//! The commands, one file each: its arguments, and `run`, which returns the exit code.

pub(crate) mod adk_recorder;
pub(crate) mod cache;
pub(crate) mod calibrate;
pub(crate) mod capture;
pub(crate) mod check;
pub(crate) mod compact;
pub(crate) mod compile;
pub(crate) mod diff;
pub(crate) mod export;
pub(crate) mod findings;
pub(crate) mod import;
pub(crate) mod mcp;
pub(crate) mod models;
pub(crate) mod places;
pub(crate) mod replay;
pub(crate) mod run;
pub(crate) mod scripts;
pub(crate) mod search;
pub(crate) mod secrets;
pub(crate) mod serve;
pub(crate) mod sessions;
pub(crate) mod show;
mod source;
pub(crate) mod stores;
pub(crate) mod sweep;
pub(crate) mod tokens;
pub(crate) mod usage;
