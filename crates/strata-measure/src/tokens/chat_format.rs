//! What a request costs beyond its texts: the template of the chat, and how tools are shown to the model.
//!
//! Figures of open templates were measured on 2026-11-20 with llama.cpp, rendering one and two messages, no, one and
//! two tools (a function of two parameters, 73 tokens as JSON). OpenAI: its cookbook on counting tokens, checked there
//! against the API for GPT-3.5 to GPT-4o; how tools are shown is what others found out (hmarr/openai-chat-tokens, litellm). Gemini and Anthropic publish nothing; the figures are those of single small requests.

use strata_model::json::{to_pretty, to_spaced};
use strata_model::{Json, Object};

use super::count::{Basis, TokenCount};
use super::piece::ValueForm;
use super::ratios::{Ratio, ratio};
use super::typescript;

/// What is added around texts.
#[derive(Debug, PartialEq)]
pub(super) struct ChatFormat {
    /// Once per request: a preamble, the opening of the reply.
    pub(super) request: TokenCount,
    /// Around each message, with its role.
    pub(super) message: TokenCount,
    /// Around each function call.
    pub(super) call: TokenCount,
    /// Around each argument of a function call.
    pub(super) argument: TokenCount,
    /// Around each function response.
    pub(super) response: TokenCount,
    /// Each function response is a message of its own.
    pub(super) splits_responses: bool,
    /// Once, if there are tools.
    pub(super) tools: TokenCount,
    pub(super) declarations: Declarations,
    /// Tokens of a declaration as the model sees it, per token as it is rendered here.
    pub(super) declaration: Ratio,
    pub(super) values: ValueForm,
    /// How the length of a thought's signature tells its size, where the text that is given is a summary of it.
    pub(super) signed_thoughts: Option<SignedThoughts>,
}

/// A signature that holds the whole thought, encrypted.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct SignedThoughts {
    /// Characters of the signature, which is base64, that every one has.
    pub(super) empty: u32,
    /// Tokens a character of the others.
    pub(super) tokens: f64,
}

impl SignedThoughts {
    /// Tokens of a thought with a signature of so many characters. `None` for one too short to hold any.
    pub(super) fn size(self, signature: usize) -> Option<u32> {
        let held = u32::try_from(signature).unwrap_or(u32::MAX).checked_sub(self.empty)?;
        Some((f64::from(held) * self.tokens).round() as u32)
    }
}

/// How function declarations are written out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Declarations {
    /// As types of a TypeScript namespace.
    TypeScript,
    Json,
    /// JSON on many lines.
    IndentedJson,
}

impl Declarations {
    /// Tells renderings of one declaration apart. Counts are stored with it.
    pub(super) fn key(self) -> u8 {
        match self {
            Self::TypeScript => 101,
            Self::Json => 102,
            Self::IndentedJson => 103,
        }
    }

    /// `declaration`, a `FunctionDeclaration`, as text.
    pub(super) fn render(self, declaration: &Object) -> String {
        match self {
            Self::TypeScript => typescript::declaration(declaration),
            Self::Json => to_spaced(&Json::Object(declaration.clone())),
            // Templates indent by four; an indent is one token either way.
            Self::IndentedJson => to_pretty(&Json::Object(declaration.clone())),
        }
    }
}

const fn about(tokens: u32, low: u32, high: u32) -> TokenCount {
    TokenCount { tokens, basis: Basis::Estimated, low, high }
}

const fn exactly(tokens: u32) -> TokenCount {
    TokenCount { tokens, basis: Basis::Exact, low: tokens, high: tokens }
}

/// OpenAI up to GPT-4.1: `<|im_start|>role<|im_sep|>…<|im_end|>`.
pub(super) static CHAT_COMPLETIONS: ChatFormat = ChatFormat {
    request: exactly(3),
    message: exactly(4),
    call: about(4, 2, 12),
    argument: exactly(0),
    response: about(1, 0, 8),
    splits_responses: true,
    // Makes 105 and 102 tokens of the cookbook's request with a tool, where the API reports 105 and 101.
    tools: about(16, 10, 24),
    declarations: Declarations::TypeScript,
    declaration: ratio(0.9, 1.0, 1.1),
    values: ValueForm::Json,
    signed_thoughts: None,
};

/// OpenAI's reasoning models: the template is not published, and taken to be as before.
pub(super) static RESPONSES: ChatFormat = ChatFormat {
    request: about(3, 3, 40),
    message: about(4, 3, 6),
    call: about(8, 2, 20),
    argument: exactly(0),
    response: about(4, 0, 12),
    declaration: ratio(0.85, 1.0, 1.2),
    tools: about(16, 8, 60),
    ..CHAT_COMPLETIONS
};

/// gpt-oss.
pub(super) static HARMONY: ChatFormat = ChatFormat {
    request: about(62, 55, 75),
    message: about(5, 4, 6),
    call: about(12, 6, 20),
    argument: exactly(0),
    response: about(8, 4, 16),
    tools: about(27, 20, 35),
    ..CHAT_COMPLETIONS
};

pub(super) static LLAMA_3: ChatFormat = ChatFormat {
    request: about(29, 4, 32),
    message: about(5, 5, 6),
    call: about(8, 2, 16),
    argument: exactly(0),
    response: about(4, 0, 10),
    splits_responses: true,
    tools: about(56, 40, 70),
    declarations: Declarations::IndentedJson,
    declaration: ratio(0.9, 1.0, 1.15),
    values: ValueForm::Json,
    signed_thoughts: None,
};

pub(super) static QWEN_2_5: ChatFormat = ChatFormat {
    request: about(24, 3, 27),
    message: about(5, 5, 6),
    call: about(10, 6, 18),
    argument: exactly(0),
    response: about(10, 4, 16),
    tools: about(86, 75, 140),
    declarations: Declarations::Json,
    declaration: ratio(1.0, 1.05, 1.25),
    splits_responses: true,
    values: ValueForm::Json,
    signed_thoughts: None,
};

pub(super) static QWEN_3_CODER: ChatFormat = ChatFormat {
    request: about(3, 3, 6),
    tools: about(181, 160, 200),
    declaration: ratio(1.1, 1.4, 1.7),
    ..QWEN_2_5
};

pub(super) static GEMMA_4: ChatFormat = ChatFormat {
    request: about(10, 4, 14),
    message: about(5, 5, 6),
    call: about(8, 4, 16),
    argument: exactly(0),
    response: about(8, 4, 16),
    splits_responses: false,
    tools: about(0, 0, 10),
    declarations: Declarations::Json,
    declaration: ratio(0.6, 0.95, 1.1),
    values: ValueForm::Json,
    signed_thoughts: None,
};

/// Open models whose template was not measured: the spread of those that were, and of DeepSeek V4's 222 tokens.
pub(super) static OPEN_WEIGHTS: ChatFormat = ChatFormat {
    request: about(15, 2, 70),
    message: about(5, 2, 8),
    call: about(10, 2, 20),
    argument: exactly(0),
    response: about(8, 0, 16),
    splits_responses: true,
    tools: about(100, 0, 260),
    declarations: Declarations::Json,
    declaration: ratio(0.5, 1.1, 1.7),
    values: ValueForm::Json,
    signed_thoughts: None,
};

pub(super) static GEMINI: ChatFormat = ChatFormat {
    request: about(1, 0, 10),
    message: about(1, 0, 5),
    call: about(5, 0, 16),
    argument: exactly(0),
    response: about(5, 0, 16),
    splits_responses: false,
    tools: about(10, 0, 80),
    declarations: Declarations::Json,
    declaration: ratio(0.4, 0.9, 1.3),
    values: ValueForm::Json,
    signed_thoughts: None,
};

/// The prompt that comes with tools depends on the model: [`hidden_tool_prompt`].
pub(super) static ANTHROPIC: ChatFormat = ChatFormat {
    request: about(3, 0, 10),
    message: about(3, 2, 8),
    // By the growths that `CLAUDE_3` is measured by. How a call and its response share theirs is not known.
    call: about(23, 12, 40),
    argument: about(13, 6, 20),
    response: about(23, 12, 40),
    splits_responses: false,
    tools: about(400, 250, 900),
    declarations: Declarations::Json,
    declaration: ratio(0.8, 1.05, 1.4),
    values: ValueForm::Text,
    // 0.20 tokens a character less 41 tokens a thought, by the same growths.
    signed_thoughts: Some(SignedThoughts { empty: 205, tokens: 0.2 }),
};

/// The system prompt that Anthropic adds when there are tools: `(prefix of the bare name, tokens, tokens when the
/// model must call one)`. From Anthropic's overview of tool use, middle of 2026; the figures have moved before.
const TOOL_PROMPTS: &[(&str, u32, u32)] = &[
    ("claude-opus-4-8", 290, 410),
    ("claude-opus-4-7", 675, 804),
    ("claude-opus-4-6", 497, 589),
    ("claude-sonnet-4-6", 497, 589),
    ("claude-opus-4-5", 496, 588),
    ("claude-sonnet-4-5", 496, 588),
    ("claude-haiku-4-5", 496, 588),
    ("claude-sonnet-5", 354, 474),
    ("claude-opus-4", 313, 315),
    ("claude-sonnet-4", 313, 315),
];

/// What Anthropic adds for tools, where its size is published; `must_call` if the request forces a call.
pub(super) fn hidden_tool_prompt(bare_name: &str, must_call: bool) -> Option<TokenCount> {
    let prompts = TOOL_PROMPTS.iter().filter(|(prefix, ..)| bare_name.starts_with(prefix));
    let (_, auto, forced) = prompts.max_by_key(|(prefix, ..)| prefix.len())?;
    let tokens = if must_call { *forced } else { *auto };
    Some(TokenCount::estimated(tokens, tokens * 9 / 10, tokens * 11 / 10))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_name_decides() {
        assert_eq!(hidden_tool_prompt("claude-opus-4-7", false).map(|count| count.tokens), Some(675));
        assert_eq!(hidden_tool_prompt("claude-opus-4-1", true).map(|count| count.tokens), Some(315));
        assert_eq!(hidden_tool_prompt("claude-opus-9", true), None);
    }

    #[test]
    fn bounds_hold_the_middle() {
        for chat in [
            &CHAT_COMPLETIONS,
            &RESPONSES,
            &HARMONY,
            &LLAMA_3,
            &QWEN_2_5,
            &QWEN_3_CODER,
            &GEMMA_4,
            &OPEN_WEIGHTS,
            &GEMINI,
            &ANTHROPIC,
        ] {
            for count in [chat.request, chat.message, chat.call, chat.response, chat.tools] {
                assert!(count.low <= count.tokens && count.tokens <= count.high, "{chat:?}");
            }
        }
    }
}
