//! A second opinion on a count, from another implementation of the same vocabulary.

use std::panic::{AssertUnwindSafe, catch_unwind};

use super::vocabulary::Vocabulary;

/// The implementation that is asked.
pub const REFEREE: &str = "tiktoken-rs 0.12.1";

/// What the referee says about our count of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VerifyOutcome {
    Agrees,
    Differs {
        referee: u32,
    },
    /// Only OpenAI's vocabularies have a referee.
    NoReferee,
    /// The referee cannot count this text, for the reason given.
    Declined {
        reason: &'static str,
    },
}

/// Counts `text`, which we count as `ours` tokens, with `tiktoken-rs` too. It may take a second per MB, and never panics.
pub fn verify(vocabulary: Vocabulary, text: &str, ours: u32) -> VerifyOutcome {
    let referee = match vocabulary {
        Vocabulary::O200kBase => tiktoken_rs::o200k_base_singleton,
        Vocabulary::Cl100kBase => tiktoken_rs::cl100k_base_singleton,
        _ => return VerifyOutcome::NoReferee,
    };
    if longest_blank(text) > LONGEST_BLANK {
        return VerifyOutcome::Declined { reason: "the referee cannot read white space this long" };
    }
    // Its regular expressions give up on some long words, and it panics when they do.
    match catch_unwind(AssertUnwindSafe(|| referee().encode_ordinary(text).len() as u32)) {
        Ok(referee) if referee == ours => VerifyOutcome::Agrees,
        Ok(referee) => VerifyOutcome::Differs { referee },
        Err(_) => VerifyOutcome::Declined { reason: "the referee failed on this text" },
    }
}

/// Characters of white space in a row that `tiktoken-rs` 0.12.1 reads with room to spare: its regular expressions
/// overflow their stack at a million.
const LONGEST_BLANK: usize = 100_000;

fn longest_blank(text: &str) -> usize {
    let mut longest = 0;
    let mut length = 0;
    for c in text.chars() {
        length = if c.is_whitespace() { length + 1 } else { 0 };
        longest = longest.max(length);
    }
    longest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blanks_are_measured_in_characters() {
        assert_eq!(longest_blank(""), 0);
        assert_eq!(longest_blank("a  b \u{a0}\u{3000}\n"), 4);
    }
}
