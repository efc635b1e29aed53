//! What a request costs beyond its pieces.

use std::ops::Add as _;

use strata_model::{Json, LlmRequest, RequestContent, RequestPart};

use super::chat_format::{Declarations, hidden_tool_prompt};
use super::count::TokenCount;
use super::models::Tokenizer;
use super::sizes::{SizeKind, Sizes};

/// The tokens that nobody wrote: a line of its own in every sum, never spread over the pieces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Overhead {
    /// Once per request: a preamble of the template, the opening of the reply.
    pub request: TokenCount,
    /// Around messages, function calls and responses.
    pub messages: TokenCount,
    /// Around the tools: what introduces them, a prompt the provider adds, a forced choice.
    pub tools: TokenCount,
}

impl Overhead {
    pub fn total(self) -> TokenCount {
        self.request + self.messages + self.tools
    }

    /// `count` gives the tokens of a text.
    pub(super) fn of(
        tokenizer: &Tokenizer,
        request: &LlmRequest,
        count: impl Fn(&str) -> TokenCount,
    ) -> Self {
        let has_system = request.system_instruction.as_ref().is_some_and(|text| !text.is_empty());
        let contents = request.contents.iter().map(|content| Self::of_content(tokenizer, content));
        let chat = tokenizer.chat();
        Self {
            request: tokenizer.calibrate(SizeKind::MessageFraming, chat.request),
            messages: contents
                .chain(has_system.then(|| tokenizer.calibrate(SizeKind::MessageFraming, chat.message)))
                .sum(),
            tools: if request.tools.is_empty() {
                TokenCount::exact(0)
            } else {
                tokenizer.beside_calibrated(tools(tokenizer, request, has_system, count))
            },
        }
    }

    /// Of one content: the messages it becomes, and its calls and responses.
    pub(super) fn of_content(tokenizer: &Tokenizer, content: &RequestContent) -> TokenCount {
        let [messages, tools] = of_content(tokenizer, content);
        let messages = messages.map(|count| tokenizer.calibrate(SizeKind::MessageFraming, count));
        let tools = tools.map(|count| tokenizer.calibrate(SizeKind::ToolFraming, count));
        messages.into_iter().chain(tools).sum()
    }

    pub(super) fn sizes_of_content(tokenizer: &Tokenizer, content: &RequestContent) -> Sizes {
        let [messages, tools] = of_content(tokenizer, content);
        let tokens = |count: Option<TokenCount>| count.map_or(0, |count| count.tokens);
        Sizes::of(SizeKind::MessageFraming, tokens(messages))
            + Sizes::of(SizeKind::ToolFraming, tokens(tools))
    }
}

/// Around the messages that a content becomes, and around its calls and responses.
fn of_content(tokenizer: &Tokenizer, content: &RequestContent) -> [Option<TokenCount>; 2] {
    let chat = tokenizer.chat();
    let n_calls = content.parts.iter().filter(|part| part.part.function_call.is_some()).count();
    let n_responses = content.parts.iter().filter(|part| part.part.function_response.is_some()).count();
    let has_others = content.parts.len() > n_responses;
    let n_messages = if chat.splits_responses { n_responses + usize::from(has_others) } else { 1 };
    let arguments = |part: &RequestPart| {
        part.part.function_call.as_ref()?.args.as_deref().map(|arguments| arguments.len())
    };
    let n_arguments: usize = content.parts.iter().filter_map(arguments).sum();
    let calls = (n_calls > 0).then(|| chat.call.times(n_calls) + chat.argument.times(n_arguments));
    let responses = (n_responses > 0).then(|| chat.response.times(n_responses));
    let tools = calls.into_iter().chain(responses).reduce(TokenCount::add);
    [Some(chat.message.times(n_messages.max(1))), tools]
}

fn tools(
    tokenizer: &Tokenizer,
    request: &LlmRequest,
    has_system: bool,
    count: impl Fn(&str) -> TokenCount,
) -> TokenCount {
    let chat = tokenizer.chat();
    let choice = ToolChoice::of(request);
    if let Some(prompt) = hidden_tool_prompt(tokenizer.bare_name(), choice.is_forced()) {
        return prompt;
    }
    if chat.declarations != Declarations::TypeScript {
        return chat.tools;
    }
    // Tools share the system message where there is one.
    let saved = if has_system { 4 } else { 0 };
    let chosen = match choice {
        ToolChoice::Free | ToolChoice::Any => 0,
        ToolChoice::None => 1,
        ToolChoice::Function(name) => 7 + count(name).tokens,
    };
    let TokenCount { tokens, low, high, .. } = chat.tools;
    TokenCount::estimated(tokens + chosen - saved, low + chosen - saved, high + chosen)
}

/// `config.toolConfig`, as far as it costs tokens.
enum ToolChoice<'r> {
    Free,
    None,
    Any,
    Function(&'r str),
}

impl<'r> ToolChoice<'r> {
    fn of(request: &'r LlmRequest) -> Self {
        let config =
            request.config_field("toolConfig").and_then(|config| config.get("functionCallingConfig"));
        let allowed = config.and_then(|config| config.get("allowedFunctionNames")).and_then(Json::as_array);
        match (config.and_then(|config| config.get("mode")).and_then(Json::as_str), allowed) {
            (Some("NONE"), _) => Self::None,
            (Some("ANY"), Some([Json::String(name)])) => Self::Function(name),
            (Some("ANY"), _) => Self::Any,
            _ => Self::Free,
        }
    }

    fn is_forced(&self) -> bool {
        matches!(self, Self::Any | Self::Function(_))
    }
}
