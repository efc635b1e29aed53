//! What a model answered.

#[expect(clippy::module_inception, reason = "the type that this module is about")]
mod answer;
mod body;
mod cache_verdict;
mod finish;
mod reader;

pub use answer::Answer;
pub use body::{error_message, is_other_answer};
pub use cache_verdict::CacheVerdict;
pub use finish::Finish;
pub use reader::{AnswerReader, StreamError};
