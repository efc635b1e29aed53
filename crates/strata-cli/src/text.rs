//! Documents as people read them.

mod cache;
mod check;
mod compact;
mod compile;
mod diagnostics;
mod diff;
mod fields;
mod findings;
mod import;
mod kind;
mod models;
mod number;
mod replay;
mod scripts;
mod sessions;
mod show;
mod style;
mod sweep;
mod table;
mod tokens;

pub(crate) use cache::cache;
pub(crate) use check::check;
pub(crate) use compact::{compact, compact_estimate};
pub(crate) use compile::{compile, recorded};
pub(crate) use diagnostics::diagnostics;
pub(crate) use diff::diff;
pub(crate) use findings::findings;
pub(crate) use import::import;
pub(crate) use models::models;
pub(crate) use replay::{replay_answer, replay_request};
pub(crate) use scripts::scripts;
pub(crate) use sessions::sessions;
pub(crate) use show::show;
pub(crate) use style::Style;
pub(crate) use sweep::sweep;
pub(crate) use tokens::tokens;
