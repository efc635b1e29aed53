//! Which thoughts of a model come back to it in later prompts: the one rule, by provider and model.

/// Which of a model's earlier thoughts it is shown again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReturnedThoughts {
    /// All that the history holds, for all that is known.
    All,
    /// Those since the user spoke last: between its calls of tools.
    OfTurn,
    /// None, wherever the history holds some.
    None,
}

use ReturnedThoughts::{All, None, OfTurn};

/// By the beginning of the bare name; the longest one decides.
const RULES: &[(&str, ReturnedThoughts)] = &[
    // Anthropic's page on extended thinking: before Opus 4.5 and Sonnet 4.6, what was thought before the user's last
    // message is taken out of the prompt.
    ("claude-3", OfTurn),
    ("claude-opus-4", OfTurn),
    ("claude-sonnet-4", OfTurn),
    ("claude-haiku-4", OfTurn),
    ("claude-opus-4-5", All),
    ("claude-opus-4-6", All),
    ("claude-opus-4-7", All),
    ("claude-opus-4-8", All),
    ("claude-sonnet-4-6", All),
    // The chat templates that these models are published with cut what stands before the end of a thought out of
    // answers before the user's last message.
    ("gpt-oss", OfTurn),
    ("qwen3", OfTurn),
    ("qwen-3", OfTurn),
    ("qwq", OfTurn),
    ("glm-4.5", OfTurn),
    ("glm-4.6", OfTurn),
    ("minimax-m2", OfTurn),
    // Theirs cut it out of every answer; DeepSeek's own service ignores `reasoning_content` that is sent back
    // (api-docs.deepseek.com, guide of the reasoning model).
    ("deepseek-r1", None),
    ("deepseek-reasoner", None),
];

/// The rule of a model; of one that nothing is known of, all thoughts return.
pub(super) fn returned_thoughts(bare_name: &str) -> ReturnedThoughts {
    let fitting = RULES.iter().filter(|(prefix, _)| bare_name.starts_with(prefix));
    fitting.max_by_key(|(prefix, _)| prefix.len()).map_or(All, |(_, rule)| *rule)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_name_decides() {
        for model in [
            "claude-sonnet-4-5-20250929",
            "claude-opus-4-1",
            "claude-haiku-4-5",
            "claude-3-7-sonnet",
            "qwen3-8b",
            "gpt-oss-20b",
        ] {
            assert_eq!(returned_thoughts(model), OfTurn, "{model}");
        }
        for model in
            ["claude-opus-4-5-20251101", "claude-sonnet-4-6", "claude-opus-5", "gpt-5", "gemini-3", ""]
        {
            assert_eq!(returned_thoughts(model), All, "{model}");
        }
        for model in ["deepseek-r1-distill-llama-8b", "deepseek-reasoner"] {
            assert_eq!(returned_thoughts(model), None, "{model}");
        }
    }
}
