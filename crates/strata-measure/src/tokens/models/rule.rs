//! What is known of the models of one family.

use crate::tokens::chat_format::ChatFormat;
use crate::tokens::media_rule::MediaRule;
use crate::tokens::ratios::Ratios;
use crate::tokens::vocabulary::Vocabulary;

/// A line of the table: what is known of the models whose bare name starts with `prefix`.
#[derive(Debug, PartialEq)]
pub(super) struct Rule {
    pub prefix: &'static str,
    pub vocabulary: Vocabulary,
    pub worth: Worth,
    pub chat: &'static ChatFormat,
    pub media: MediaRule,
}

/// What a count of plain text is worth.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Worth {
    /// The vocabulary is the model's own.
    Exact,
    /// The model has another vocabulary; counts are translated by these ratios.
    Estimated(&'static Ratios),
}
