//! What evaluation tools keep of a run, and messages without anything around them.

pub(crate) mod atif;
pub(crate) mod inspect;
pub(crate) mod messages;
pub(crate) mod mini_swe;
pub(crate) mod swe_agent;
pub(crate) mod tau_bench;
pub(crate) mod who_and_when;
