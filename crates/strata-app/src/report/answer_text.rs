//! Text for whoever answers agents: how long it is, and what of it may be shown.

use strata_measure::analysis::Counting;
use strata_measure::tokens::{Tokenizer, Weigher};
use strata_model::secret;

/// Of the models that agents have, the one that counts the most tokens for a text.
const READER: &str = "claude-opus-4-5";

/// Weighs and cleans texts.
pub struct AnswerText {
    counting: Counting,
    tokenizer: Tokenizer,
}

impl Default for AnswerText {
    fn default() -> Self {
        Self { counting: Counting::default(), tokenizer: Tokenizer::of_model(READER) }
    }
}

impl AnswerText {
    /// Tokens of a text, by the upper end of an estimate.
    pub fn tokens(&self, text: &str) -> u32 {
        let weigher = Weigher::new(&self.tokenizer, &self.counting.memo);
        let count = weigher.text(text);
        count.tokens.max(count.high)
    }

    /// The text without secrets.
    pub fn masked(text: &str) -> String {
        secret::without(text).into_owned()
    }
}
