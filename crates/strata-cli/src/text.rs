//! Documents as people read them.

mod cache;
mod check;
mod compile;
mod diagnostics;
mod diff;
mod fields;
mod findings;
mod import;
mod kind;
mod number;
mod sessions;
mod show;
mod style;
mod table;
mod tokens;

pub(crate) use cache::cache;
pub(crate) use check::check;
pub(crate) use compile::compile;
pub(crate) use diagnostics::diagnostics;
pub(crate) use diff::diff;
pub(crate) use findings::findings;
pub(crate) use import::import;
pub(crate) use sessions::sessions;
pub(crate) use show::show;
pub(crate) use style::Style;
pub(crate) use tokens::tokens;
