//! How long a prompt a model takes.

use super::{Prices, name};
use crate::tokens::bare_name;

/// The longest prompt that a model takes, and who says so.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContextWindow {
    pub tokens: u32,
    pub source: String,
}

/// What Claude Code writes behind the name of a model that it asks for its long window.
const LONG: &str = "[1m]";
const LONG_TOKENS: u32 = 1_000_000;

/// Models without a price here, by the beginning of their bare names, as their makers list them.
const UNPRICED: &[(&str, u32)] = &[
    ("claude-3", 200_000),
    ("claude-opus-4-1", 200_000),
    ("claude-opus-4-2025", 200_000),
    ("claude-sonnet-4-2025", 200_000),
    ("gemini-1.5-flash", 1_048_576),
    ("gemini-2.0-flash", 1_048_576),
    ("gpt-5-codex", 272_000),
    ("gpt-5.1-codex", 272_000),
    ("gpt-5.2-codex", 272_000),
];

impl Prices {
    /// `None` for a model that no maker lists: a guess would be a limit that is not there. Clouds and regions, which have
    /// prices of their own, serve the same window.
    pub fn context_window(&self, model: &str) -> Option<ContextWindow> {
        let bare = bare_name(model);
        if bare.ends_with(LONG) {
            let source = format!("{LONG} in the name of the model");
            return Some(ContextWindow { tokens: LONG_TOKENS, source });
        }
        let listed =
            [&*name::key(&bare), name::without_version(&bare)].into_iter().find_map(|key| self.find(key));
        if let Some(price) = listed {
            let source = format!("{}, seen on {}", price.source, price.seen_on);
            return Some(ContextWindow { tokens: price.context_tokens?, source });
        }
        let (_, tokens) = UNPRICED.iter().find(|(beginning, _)| bare.starts_with(beginning))?;
        Some(ContextWindow { tokens: *tokens, source: "the list of the model's maker".to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_is_that_of_the_model_however_it_is_served() {
        let prices = Prices::embedded();
        let check = |name: &str, tokens: Option<u32>| {
            assert_eq!(prices.context_window(name).map(|window| window.tokens), tokens, "{name}");
        };
        check("claude-opus-4-5-20251101", Some(200_000));
        check("claude-opus-4-6", Some(1_000_000));
        check("claude-sonnet-4-5[1m]", Some(1_000_000));
        check("us.anthropic.claude-sonnet-4-5-20250929-v1:0", Some(200_000));
        check("claude-3-5-sonnet-20241022", Some(200_000));
        check("claude-sonnet-4-20250514", Some(200_000));
        check("openai/gpt-4o-mini", Some(128_000));
        check("gpt-5.1-codex", Some(272_000));
        check("gpt-5-chat-something", None);
        check("gemini-3.5-flash", Some(1_048_576));
        check("tiny", None);
    }
}
