//! What providers and tools say a call has cost, each in its own words.
//!
//! Some count what the cache found as a part of the input, some beside it; some count thoughts within the output, some
//! beside it. Here both are always parts: nobody who adds up prompts and outputs counts a token twice.
//!
//! [`read`] takes the usage object of any provider, [`Spelling`]s are the names that tools and telemetry use.

mod counts;
mod read;
mod report;
pub mod spelling;

pub use counts::Counts;
pub use read::{read, read_messages, take_from_answer};
pub use report::UsageReport;
pub use spelling::Spelling;
