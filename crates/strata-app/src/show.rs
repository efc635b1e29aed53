//! Words and numbers that the window and the command line both show, so that a document says what the command's answer
//! says, written differently.

mod before_after;
pub(crate) mod breaks;
mod buckets;
pub(crate) mod commands;
mod comparison;
pub(crate) mod edit_words;
mod found;
pub(crate) mod lab_words;
mod nearest;
pub(crate) mod numbers;
mod part_diff;
mod promise;
mod segments;
mod tokenizers;
pub(crate) mod tool_words;
mod verification;
mod window;
pub(crate) mod words;

pub(crate) use before_after::{NamedSession, cause_title, difference_causes, session_comparison};
pub(crate) use buckets::buckets;
pub(crate) use comparison::{compared, pairs};
pub(crate) use found::found_page;
pub(crate) use nearest::nearest;
pub(crate) use part_diff::{part_diff, place, role};
pub(crate) use promise::kept_promise;
pub(crate) use segments::{DeltaScale, SegmentScale, line, readable, writer};
pub(crate) use tokenizers::explanations;
pub(crate) use verification::verification;
pub(crate) use window::context_window;
