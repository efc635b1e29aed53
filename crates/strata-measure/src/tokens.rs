//! Counting tokens: how many a text, a part or a whole request is for the model that receives it, and what the number
//! is worth.
//!
//! - a [`Vocabulary`] has its tokenizer, a [`TokenCounter`]. [`verify`] asks another one,
//!   [`Verification`] about every text of a request.
//! - [`Tokenizer::of_model`] says which of them a model is counted with, and how to translate where that is not the
//!   model's own.
//! - [`Weigher`] weighs the pieces of a request for a model, and what is added around them ([`Overhead`]).
//! - [`Calibration`] learns from the tokens that providers report, and predicts those of calls without a report.
//! - [`TokenFit`] learns from what prompts grow by what a provider counts for each kind of text; a [`Tokenizer`] that
//!   has one gives calibrated counts.
//! - [`CountMemo`] remembers counts by content, so that only what changed is tokenised.
//!
//! Every count is a [`TokenCount`]: a number, its [`Basis`], and an interval for the truth.
//!
//! ```
//! use strata_measure::tokens::{Basis, CountMemo, Tokenizer, Weigher};
//!
//! let memo = CountMemo::default();
//! let tokenizer = Tokenizer::of_model("openai/gpt-4o");
//! let count = Weigher::new(&tokenizer, &memo).text("Where is Oslo?");
//! assert_eq!((count.tokens, count.basis), (4, Basis::Exact));
//! ```

mod calibration;
mod chat_format;
mod content_class;
mod count;
mod engine;
mod fit;
mod image_size;
mod learned;
mod marks;
mod media;
mod media_rule;
mod memo;
mod models;
mod overhead;
mod piece;
mod ratios;
mod referee;
mod returned_thoughts;
mod safe_cuts;
mod sizes;
#[cfg(test)]
mod tests;
mod typescript;
mod verification;
mod vocabulary;
mod weigher;

pub use calibration::{Anchor, Calibration, Measured};
pub use content_class::ContentClass;
pub use count::{Basis, TokenCount};
pub use fit::{Doubt, Errors, Growth, HeldOut, Learned, TokenFit, TokenPrior};
pub use learned::LearnedRatios;
pub use marks::Marks;
pub use memo::{CountMemo, Measure, MemoStats};
pub use models::{Tokenizer, bare_name};
pub use overhead::Overhead;
pub use ratios::{Ratio, Ratios};
pub use referee::{REFEREE, VerifyOutcome, verify};
pub use returned_thoughts::ReturnedThoughts;
pub use sizes::{SizeKind, Sizes};
pub use verification::{Disputed, Verification};
pub use vocabulary::{TokenCounter, Vocabulary};
pub use weigher::{RequestWeight, Weigher};
