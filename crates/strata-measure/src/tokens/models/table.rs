//! The models that are known, as of 2026-11-20.
//!
//! OpenAI: tiktoken 0.14's table; gpt-6 and later are not in it. Open weights: the tokenizers their owners publish,
//! as the `tiktoken` package carries them; llama3 and qwen2 were also checked against llama.cpp. Gemini: Google's SDK.
//! Claude: Anthropic's pages on token counting and models. The rules for media are explained at [`MediaRule`].

use super::rule::{Rule, Worth};
use crate::tokens::chat_format::{
    ANTHROPIC, CHAT_COMPLETIONS, ChatFormat, GEMINI, GEMMA_4, HARMONY, LLAMA_3, OPEN_WEIGHTS, QWEN_2_5,
    QWEN_3_CODER, RESPONSES,
};
use crate::tokens::media_rule::MediaRule;
use crate::tokens::ratios::{CLAUDE_2, CLAUDE_3, CLAUDE_4_7, GEMMA, NEAR, NEXT_OPENAI, Ratios, UNKNOWN};
use crate::tokens::vocabulary::Vocabulary::{
    self, Cl100kBase, DeepseekV3, Glm4, Glm5, KimiK2, Llama3, MinimaxM2, MistralV3, O200kBase, Qwen2,
};

/// The rule with the longest prefix of `bare_name`.
pub(super) fn rule_of(bare_name: &str) -> &'static Rule {
    let fitting = RULES.iter().filter(|rule| bare_name.starts_with(rule.prefix));
    fitting.max_by_key(|rule| rule.prefix.len()).unwrap_or(&UNKNOWN_MODEL)
}

static UNKNOWN_MODEL: Rule = estimated("", O200kBase, &UNKNOWN, &OPEN_WEIGHTS, MediaRule::Unknown);

const fn exact(
    prefix: &'static str,
    vocabulary: Vocabulary,
    chat: &'static ChatFormat,
    media: MediaRule,
) -> Rule {
    Rule { prefix, vocabulary, worth: Worth::Exact, chat, media }
}

const fn estimated(
    prefix: &'static str,
    vocabulary: Vocabulary,
    ratios: &'static Ratios,
    chat: &'static ChatFormat,
    media: MediaRule,
) -> Rule {
    Rule { prefix, vocabulary, worth: Worth::Estimated(ratios), chat, media }
}

/// An open model with the given vocabulary and nothing known of its images.
const fn open(prefix: &'static str, vocabulary: Vocabulary) -> Rule {
    exact(prefix, vocabulary, &OPEN_WEIGHTS, MediaRule::Unknown)
}

/// An open model whose vocabulary is not carried along.
const fn open_unknown(prefix: &'static str) -> Rule {
    estimated(prefix, O200kBase, &UNKNOWN, &OPEN_WEIGHTS, MediaRule::Unknown)
}

const fn gemini(prefix: &'static str, media: MediaRule) -> Rule {
    estimated(prefix, O200kBase, &GEMMA, &GEMINI, media)
}

const fn claude(prefix: &'static str, ratios: &'static Ratios, media: MediaRule) -> Rule {
    estimated(prefix, O200kBase, ratios, &ANTHROPIC, media)
}

const fn tiles(base: u32, tile: u32) -> MediaRule {
    MediaRule::Tiles { base, tile }
}

const fn patches(per_mille: u32) -> MediaRule {
    MediaRule::Patches { per_mille, most: 1536, likely_most: 1536 }
}

const GPT_5_4: MediaRule = MediaRule::Patches { per_mille: 1200, most: 10_000, likely_most: 2500 };
const GPT_5_6: MediaRule = MediaRule::Patches { per_mille: 1200, most: 30_000, likely_most: 30_000 };
const CLAUDE_IMAGE: MediaRule = MediaRule::Claude { longest_edge: 1568, most: 1568 };
const CLAUDE_LARGE_IMAGE: MediaRule = MediaRule::Claude { longest_edge: 2576, most: 4784 };

static RULES: &[Rule] = &[
    exact("gpt-4o", O200kBase, &CHAT_COMPLETIONS, tiles(85, 170)),
    exact("gpt-4o-mini", O200kBase, &CHAT_COMPLETIONS, tiles(2833, 5667)),
    exact("chatgpt-4o", O200kBase, &CHAT_COMPLETIONS, tiles(85, 170)),
    exact("gpt-4.1", O200kBase, &CHAT_COMPLETIONS, tiles(85, 170)),
    exact("gpt-4.1-mini", O200kBase, &CHAT_COMPLETIONS, patches(1620)),
    exact("gpt-4.1-nano", O200kBase, &CHAT_COMPLETIONS, patches(2460)),
    exact("gpt-4.5", O200kBase, &CHAT_COMPLETIONS, tiles(85, 170)),
    exact("gpt-5", O200kBase, &RESPONSES, tiles(70, 140)),
    exact("gpt-5-mini", O200kBase, &RESPONSES, patches(1620)),
    exact("gpt-5-nano", O200kBase, &RESPONSES, patches(2460)),
    exact("gpt-5.2", O200kBase, &RESPONSES, patches(1200)),
    exact("gpt-5.3", O200kBase, &RESPONSES, patches(1200)),
    exact("gpt-5.4", O200kBase, &RESPONSES, GPT_5_4),
    exact("gpt-5.5", O200kBase, &RESPONSES, GPT_5_4),
    exact("gpt-5.6", O200kBase, &RESPONSES, GPT_5_6),
    estimated("gpt-", O200kBase, &NEXT_OPENAI, &RESPONSES, GPT_5_6),
    estimated("chatgpt-", O200kBase, &NEXT_OPENAI, &RESPONSES, GPT_5_6),
    exact("o1", O200kBase, &RESPONSES, tiles(75, 150)),
    exact("o3", O200kBase, &RESPONSES, tiles(75, 150)),
    exact("o4-mini", O200kBase, &RESPONSES, patches(1720)),
    exact("codex-mini", O200kBase, &RESPONSES, patches(1720)),
    exact("computer-use-preview", O200kBase, &RESPONSES, tiles(65, 129)),
    exact("gpt-oss", O200kBase, &HARMONY, MediaRule::Unknown),
    exact("gpt-4", Cl100kBase, &CHAT_COMPLETIONS, tiles(85, 170)),
    exact("gpt-3.5", Cl100kBase, &CHAT_COMPLETIONS, MediaRule::Unknown),
    exact("gpt-35", Cl100kBase, &CHAT_COMPLETIONS, MediaRule::Unknown),
    exact("text-embedding-3", Cl100kBase, &OPEN_WEIGHTS, MediaRule::Unknown),
    exact("text-embedding-ada", Cl100kBase, &OPEN_WEIGHTS, MediaRule::Unknown),
    gemini("gemini-", MediaRule::Gemini3),
    gemini("gemini-1", MediaRule::Gemini2),
    gemini("gemini-2", MediaRule::Gemini2),
    gemini("gemini-pro", MediaRule::Gemini2),
    gemini("gemini-flash", MediaRule::Gemini3),
    estimated("gemma", O200kBase, &GEMMA, &GEMMA_4, MediaRule::Gemini2),
    claude("claude", &CLAUDE_4_7, CLAUDE_LARGE_IMAGE),
    claude("claude-2", &CLAUDE_2, CLAUDE_IMAGE),
    claude("claude-v", &CLAUDE_2, CLAUDE_IMAGE),
    claude("claude-instant", &CLAUDE_2, CLAUDE_IMAGE),
    claude("claude-3", &CLAUDE_3, CLAUDE_IMAGE),
    claude("claude-opus-4", &CLAUDE_3, CLAUDE_IMAGE),
    claude("claude-opus-4-7", &CLAUDE_4_7, CLAUDE_LARGE_IMAGE),
    claude("claude-opus-4-8", &CLAUDE_4_7, CLAUDE_LARGE_IMAGE),
    claude("claude-sonnet-4", &CLAUDE_3, CLAUDE_IMAGE),
    claude("claude-haiku-4", &CLAUDE_3, CLAUDE_IMAGE),
    exact("llama-3", Llama3, &LLAMA_3, MediaRule::Unknown),
    exact("llama3", Llama3, &LLAMA_3, MediaRule::Unknown),
    exact("llama-v3", Llama3, &LLAMA_3, MediaRule::Unknown),
    open_unknown("llama"),
    exact("qwen2", Qwen2, &QWEN_2_5, MediaRule::Unknown),
    exact("qwen-2", Qwen2, &QWEN_2_5, MediaRule::Unknown),
    exact("qwen3", Qwen2, &QWEN_2_5, MediaRule::Unknown),
    exact("qwen-3", Qwen2, &QWEN_2_5, MediaRule::Unknown),
    exact("qwen3-coder", Qwen2, &QWEN_3_CODER, MediaRule::Unknown),
    exact("qwq", Qwen2, &QWEN_2_5, MediaRule::Unknown),
    estimated("qwen", Qwen2, &NEAR, &QWEN_2_5, MediaRule::Unknown),
    // Not qwen2's vocabulary: llama.cpp counted 3 % more with its own.
    estimated("qwen3.", Qwen2, &NEAR, &QWEN_2_5, MediaRule::Unknown),
    open("deepseek-v3", DeepseekV3),
    open("deepseek-v4", DeepseekV3),
    open("deepseek-r1", DeepseekV3),
    open("deepseek-chat", DeepseekV3),
    open("deepseek-reasoner", DeepseekV3),
    exact("deepseek-r1-distill-llama", Llama3, &LLAMA_3, MediaRule::Unknown),
    exact("deepseek-r1-distill-qwen", Qwen2, &QWEN_2_5, MediaRule::Unknown),
    estimated("deepseek", DeepseekV3, &NEAR, &OPEN_WEIGHTS, MediaRule::Unknown),
    open("mistral", MistralV3),
    open("ministral", MistralV3),
    open("magistral", MistralV3),
    open("devstral", MistralV3),
    open("pixtral", MistralV3),
    // Before Tekken, Mistral's models used a vocabulary of 32,000 tokens.
    open_unknown("mistral-7b"),
    open_unknown("mistral-large-2"),
    open_unknown("mistral-large-2411"),
    estimated("codestral", MistralV3, &NEAR, &OPEN_WEIGHTS, MediaRule::Unknown),
    open("kimi-k2", KimiK2),
    open("kimi-k3", KimiK2),
    open("kimi-latest", KimiK2),
    estimated("kimi", KimiK2, &NEAR, &OPEN_WEIGHTS, MediaRule::Unknown),
    open("glm-4.5", Glm4),
    open("glm-4.6", Glm4),
    open("glm-4.7", Glm4),
    open("glm-5", Glm5),
    estimated("glm", Glm5, &NEAR, &OPEN_WEIGHTS, MediaRule::Unknown),
    open("minimax-m2", MinimaxM2),
    estimated("minimax", MinimaxM2, &NEAR, &OPEN_WEIGHTS, MediaRule::Unknown),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefixes_are_bare_names_and_none_stands_twice() {
        let mut prefixes: Vec<&str> = RULES.iter().map(|rule| rule.prefix).collect();
        for prefix in &prefixes {
            assert_eq!(super::super::bare_name(prefix), *prefix);
        }
        let n = prefixes.len();
        prefixes.sort_unstable();
        prefixes.dedup();
        assert_eq!(prefixes.len(), n);
    }
}
