//! What a check found, as the programs around a test run read it.

mod github;
mod junit;
mod sarif;
mod words;

pub(crate) use github::github;
pub(crate) use junit::junit;
pub(crate) use sarif::sarif;
