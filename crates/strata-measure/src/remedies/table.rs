//! Every remedy there is, by tool.

use strata_model::Str;

use super::aim::{Aim, KeptBy, some_of, tokens};
use super::writer::{Provider, Writer};

const CLAUDE_ENV: &str = "code.claude.com/docs/en/env-vars";
const CLAUDE_MEMORY: &str = "code.claude.com/docs/en/memory";
const CLAUDE_COMMANDS: &str = "code.claude.com/docs/en/commands";
const CLAUDE_COSTS: &str = "code.claude.com/docs/en/costs";
const CLAUDE_MCP: &str = "code.claude.com/docs/en/mcp";
const CLAUDE_PERMISSIONS: &str = "code.claude.com/docs/en/agent-sdk/permissions";
const CLAUDE_SETTINGS: &str = "~/.claude/settings.json";
const CODEX_CONFIG: &str = "developers.openai.com/codex/config-reference";
const CODEX_AGENTS: &str = "developers.openai.com/codex/guides/agents-md";
const CODEX_FILE: &str = "~/.codex/config.toml";
const GEMINI_CONFIG: &str = "geminicli.com/docs/reference/configuration";
const GEMINI_FILE: &str = "~/.gemini/settings.json";
const OPENCODE_CONFIG: &str = "opencode.ai/docs/config";
const OPENCODE_FILE: &str = "opencode.json";
const COPILOT_TOOLS: &str = "docs.github.com/en/copilot/how-tos/copilot-cli/use-copilot-cli/allowing-tools";
const COPILOT_HABITS: &str = "docs.github.com/en/copilot/how-tos/copilot-cli/cli-best-practices";
const ADK_AGENTS: &str = "google.github.io/adk-docs/agents/llm-agents";
const ADK_COMPACTION: &str = "google.github.io/adk-docs/context/compaction";
const ADK_FUNCTIONS: &str = "google.github.io/adk-docs/tools-custom/function-tools";
const ADK_STATE: &str = "google.github.io/adk-docs/sessions/state";
const ADK_CACHING: &str = "google.github.io/adk-docs/context/caching";
const LITELLM_CACHING: &str = "docs.litellm.ai/docs/tutorials/prompt_caching";
const OPENAI_CACHING: &str = "developers.openai.com/api/docs/guides/prompt-caching";
const OPENAI_TOOLS: &str = "developers.openai.com/api/docs/guides/function-calling";
const GEMINI_TOOLS: &str = "ai.google.dev/gemini-api/docs/function-calling";
const ANTHROPIC_TOOLS: &str = "platform.claude.com/docs/en/agents-and-tools/tool-use/overview";
const GEMINI_CACHING: &str = "ai.google.dev/gemini-api/docs/caching";
const ANTHROPIC_CACHING: &str = "platform.claude.com/docs/en/build-with-claude/prompt-caching";

const OWN_CODE: &str = "the code that makes the requests";
const IN_SESSION: &str = "in the session";
const NO_REPEATS: &str = "Do not read a file again that is in the conversation unchanged.";
const SHORT_COMMANDS: &str = "Cut long output of commands where it is made, as with head or grep.";
const COMPACT: &str = "/compact when a part of the task is done, /clear before another task";
const NO_VALUES: &str = "Leave times, ids and counters out of this file.";

/// What to change in a tool, as one writes it there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remedy {
    /// A line to copy: a setting, a command, a sentence for the instructions.
    pub text: String,
    /// Where it goes: `~/.codex/config.toml`.
    pub place: &'static str,
    /// Where it is documented.
    pub source: &'static str,
}

impl Remedy {
    fn new(text: impl Into<String>, place: &'static str, source: &'static str) -> Self {
        Self { text: text.into(), place, source }
    }
}

/// What to change in a tool for an aim. `None` where it has no such setting, or where Strata's own edit is the change.
pub fn remedy(writer: Writer, aim: &Aim) -> Option<Remedy> {
    match writer {
        Writer::Adk => of_adk(aim),
        Writer::ClaudeCode => of_claude_code(aim),
        Writer::Codex => of_codex(aim),
        Writer::GeminiCli => of_gemini_cli(aim),
        Writer::Opencode => of_opencode(aim),
        Writer::CopilotCli => of_copilot_cli(aim),
        Writer::OtherTool => None,
        Writer::Other(provider) => of_own_code(aim, provider),
    }
}

fn of_adk(aim: &Aim) -> Option<Remedy> {
    let in_agent = |text: &str| Some(Remedy::new(text, "the agent", ADK_AGENTS));
    match aim {
        Aim::SameSystemText => in_agent(
            "static_instruction=… for what never changes; instruction=… then moves behind the history",
        ),
        Aim::AllStatic => {
            in_agent("static_instruction=… for the whole of it: nothing of instruction=… changes")
        }
        Aim::SameTools => in_agent("tools=[…] in one order, with descriptions that hold no values"),
        Aim::SameAdditions => {
            in_agent("a callback that adds what changes to the last content, not to the system instruction")
        }
        Aim::SameSchema => in_agent("one output_schema=… for all calls"),
        Aim::SameModel | Aim::SameSettings => {
            in_agent("one model and one generate_content_config for all calls")
        }
        Aim::KeptLonger => Some(Remedy::new(
            "context_cache_config=ContextCacheConfig(ttl_seconds=3600)",
            "App(…)",
            ADK_CACHING,
        )),
        Aim::Cached => Some(Remedy::new(
            r#"cache_control_injection_points=[{"location": "message", "role": "system"}, {"location": "message", "index": -1}]"#,
            "LiteLlm(…)",
            LITELLM_CACHING,
        )),
        Aim::MarkedNearer { blocks } if *blocks > 0 => Some(Remedy::new(
            format!(
                r#"cache_control_injection_points=[{{"location": "message", "role": "system"}}, {{"location": "message", "index": -{}}}, {{"location": "message", "index": -1}}]"#,
                blocks.saturating_sub(2).max(2)
            ),
            "LiteLlm(…)",
            LITELLM_CACHING,
        )),
        Aim::FewerParameters { tool, names } => Some(Remedy::new(
            format!("a function for {tool} without {}", without(names)),
            "tools=[…]",
            ADK_FUNCTIONS,
        )),
        Aim::KeptInSummaries { names, by } => {
            let in_config =
                |text: String| Some(Remedy::new(text, "EventsCompactionConfig(…)", ADK_COMPACTION));
            match by {
                KeptBy::Retention(n) => in_config(format!("event_retention_size={n}")),
                KeptBy::ItsPrompt => in_config(format!(
                    "summarizer=LlmEventSummarizer(llm=…, prompt_template=\"… {} {{conversation_history}}\")",
                    keep_words(names)
                )),
                KeptBy::State => Some(Remedy::new(
                    format!(
                        "tool_context.state[\"…\"] = … for {}, and {{…}} in the instruction",
                        some_of(names)
                    ),
                    "the tool",
                    ADK_STATE,
                )),
            }
        }
        _ => None,
    }
}

fn of_claude_code(aim: &Aim) -> Option<Remedy> {
    let setting = |text: String| Some(Remedy::new(text, CLAUDE_SETTINGS, CLAUDE_ENV));
    let memory = |text: &str| Some(Remedy::new(text, "CLAUDE.md", CLAUDE_MEMORY));
    let command = |text: String, source| Some(Remedy::new(text, IN_SESSION, source));
    match aim {
        // The setting is of the shell's output alone.
        Aim::ShorterResults { tools, characters } if tools.iter().all(|tool| tool.starts_with("Bash")) => {
            match characters {
                Some(characters) => {
                    setting(format!(r#""env": {{ "BASH_MAX_OUTPUT_LENGTH": "{characters}" }}"#))
                }
                None => memory(SHORT_COMMANDS),
            }
        }
        Aim::ShorterResults { tools, .. } if tools.iter().all(|tool| matches!(&**tool, "Grep" | "Glob")) => {
            memory("Search with narrow patterns, and in Grep with head_limit.")
        }
        Aim::ShorterResults { tools, .. } => {
            memory(&format!("Ask {} for the part that is needed, not for all there is.", some_of(tools)))
        }
        Aim::ShorterMcp { characters: Some(characters) } => {
            setting(format!(r#""env": {{ "MAX_MCP_OUTPUT_TOKENS": "{}" }}"#, tokens(*characters)))
        }
        Aim::ShorterMcp { characters: None } => None,
        Aim::SameClientBlock => setting(r#""env": { "CLAUDE_CODE_ATTRIBUTION_HEADER": "0" }"#.to_owned()),
        Aim::KeptLonger => setting(r#""env": { "ENABLE_PROMPT_CACHING_1H": "1" }"#.to_owned()),
        Aim::Cached => setting(r#""env": {} without DISABLE_PROMPT_CACHING"#.to_owned()),
        Aim::ShorterReads { .. } => memory("Read long files with offset and limit."),
        Aim::NoRepeats => memory(NO_REPEATS),
        Aim::KeptInSummaries { names, .. } => Some(Remedy::new(
            format!("# Compact instructions: {}", keep_words(names)),
            "CLAUDE.md",
            CLAUDE_COSTS,
        )),
        Aim::ShorterHistory => command(COMPACT.to_owned(), CLAUDE_COMMANDS),
        // What is denied by its bare name is not declared to the model.
        Aim::FewerTools { names } => {
            let (of_servers, own): (Vec<Str>, Vec<Str>) =
                names.iter().cloned().partition(|name| name.starts_with("mcp__"));
            if own.is_empty() {
                return command(format!("/mcp, and turn off what has {}", some_of(&of_servers)), CLAUDE_MCP);
            }
            let denied: Vec<String> = names.iter().map(|name| format!("{name:?}")).collect();
            let text = format!(r#""permissions": {{ "deny": [{}] }}"#, denied.join(", "));
            Some(Remedy::new(text, CLAUDE_SETTINGS, CLAUDE_PERMISSIONS))
        }
        Aim::SameTools => {
            command("/mcp before the first message: connect and turn off servers then".to_owned(), CLAUDE_MCP)
        }
        Aim::SameModel | Aim::SameSettings => {
            command("/clear before /model or another effort".to_owned(), CLAUDE_COMMANDS)
        }
        Aim::SameSystemText => memory(NO_VALUES),
        Aim::CompactAt { .. }
        | Aim::AllStatic
        | Aim::FewerParameters { .. }
        | Aim::SameHistory
        | Aim::SameMessages
        | Aim::SameAdditions
        | Aim::SameSchema
        | Aim::DropSeldom
        | Aim::AddBehind
        | Aim::MarkedNearer { .. }
        | Aim::SameCacheKey => None,
    }
}

fn of_codex(aim: &Aim) -> Option<Remedy> {
    let setting = |text: String| Some(Remedy::new(text, CODEX_FILE, CODEX_CONFIG));
    match aim {
        Aim::ShorterResults { characters, .. }
        | Aim::ShorterMcp { characters }
        | Aim::ShorterReads { characters } => {
            setting(format!("tool_output_token_limit = {}", tokens((*characters)?)))
        }
        Aim::ShorterHistory => setting("model_auto_compact_token_limit = 100000".to_owned()),
        Aim::CompactAt { tokens } => setting(format!("model_auto_compact_token_limit = {tokens}")),
        Aim::KeptInSummaries { names, .. } => {
            setting(format!("compact_prompt = \"Write a handoff summary. {}\"", keep_words(names)))
        }
        Aim::FewerTools { names } => Some(Remedy::new(
            format!("enabled = false    # for the server that has {}", some_of(names)),
            "~/.codex/config.toml, [mcp_servers.…]",
            CODEX_CONFIG,
        )),
        Aim::NoRepeats => Some(Remedy::new(NO_REPEATS, "AGENTS.md", CODEX_AGENTS)),
        Aim::SameSystemText => Some(Remedy::new(NO_VALUES, "AGENTS.md", CODEX_AGENTS)),
        Aim::SameModel | Aim::SameSettings => {
            setting("model and model_reasoning_effort, once for a session".to_owned())
        }
        Aim::FewerParameters { .. }
        | Aim::AllStatic
        | Aim::SameClientBlock
        | Aim::SameHistory
        | Aim::SameMessages
        | Aim::DropSeldom
        | Aim::AddBehind
        | Aim::SameTools
        | Aim::SameAdditions
        | Aim::SameSchema
        | Aim::KeptLonger
        | Aim::Cached
        | Aim::MarkedNearer { .. }
        | Aim::SameCacheKey => None,
    }
}

fn of_gemini_cli(aim: &Aim) -> Option<Remedy> {
    let setting = |text: String| Some(Remedy::new(text, GEMINI_FILE, GEMINI_CONFIG));
    let memory = |text: &str| Some(Remedy::new(text, "GEMINI.md", GEMINI_CONFIG));
    match aim {
        Aim::ShorterResults { characters, .. }
        | Aim::ShorterMcp { characters }
        | Aim::ShorterReads { characters } => {
            setting(format!(r#""tools": {{ "truncateToolOutputThreshold": {} }}"#, (*characters)?))
        }
        Aim::ShorterHistory => setting(r#""model": { "compressionThreshold": 0.3 }"#.to_owned()),
        Aim::FewerTools { names } => {
            let names: Vec<String> = names.iter().map(|name| format!("\"{name}\"")).collect();
            setting(format!(r#""tools": {{ "exclude": [{}] }}"#, names.join(", ")))
        }
        Aim::NoRepeats => memory(NO_REPEATS),
        Aim::SameSystemText => memory(NO_VALUES),
        Aim::SameModel | Aim::SameSettings => {
            setting(r#""model": { "name": "…" }, one for a session"#.to_owned())
        }
        // It compacts at a share of the window that is smaller by default.
        Aim::KeptInSummaries { .. } => setting(r#""model": { "compressionThreshold": 0.8 }"#.to_owned()),
        Aim::CompactAt { .. }
        | Aim::AllStatic
        | Aim::FewerParameters { .. }
        | Aim::SameClientBlock
        | Aim::SameHistory
        | Aim::SameMessages
        | Aim::DropSeldom
        | Aim::AddBehind
        | Aim::SameTools
        | Aim::SameAdditions
        | Aim::SameSchema
        | Aim::KeptLonger
        | Aim::Cached
        | Aim::MarkedNearer { .. }
        | Aim::SameCacheKey => None,
    }
}

fn of_opencode(aim: &Aim) -> Option<Remedy> {
    let setting = |text: String| Some(Remedy::new(text, OPENCODE_FILE, OPENCODE_CONFIG));
    match aim {
        Aim::ShorterHistory => setting(r#""compaction": { "auto": true, "prune": true }"#.to_owned()),
        Aim::FewerTools { names } => {
            let names: Vec<String> = names.iter().map(|name| format!("\"{name}\": false")).collect();
            setting(format!(r#""tools": {{ {} }}"#, names.join(", ")))
        }
        // Pruning clears old results one by one, each time it runs.
        Aim::SameHistory => setting(r#""compaction": { "prune": false }"#.to_owned()),
        _ => None,
    }
}

fn of_copilot_cli(aim: &Aim) -> Option<Remedy> {
    let memory = |text: &str| Some(Remedy::new(text, "AGENTS.md", COPILOT_HABITS));
    match aim {
        Aim::ShorterResults { tools, .. } if tools.iter().any(|tool| tool.ends_with("bash")) => {
            memory(SHORT_COMMANDS)
        }
        Aim::ShorterResults { .. } | Aim::ShorterReads { .. } => {
            memory("Look at the part of a file that is needed, not at all of it.")
        }
        Aim::NoRepeats => memory(NO_REPEATS),
        Aim::SameSystemText => memory(NO_VALUES),
        Aim::ShorterHistory => Some(Remedy::new(COMPACT, IN_SESSION, COPILOT_HABITS)),
        Aim::FewerTools { names } => {
            let text = format!("copilot --excluded-tools='{}'", names.join(", "));
            Some(Remedy::new(text, "on the command line", COPILOT_TOOLS))
        }
        _ => None,
    }
}

/// Parameters that are not needed.
fn without(names: &[Str]) -> String {
    if names.is_empty() { "the parameters that no call passes".to_owned() } else { some_of(names) }
}

/// What a summariser is told.
fn keep_words(names: &[Str]) -> String {
    format!("Keep ids, paths and numbers of results word for word, as {}.", some_of(names))
}

/// For requests that somebody's own code makes.
fn of_own_code(aim: &Aim, provider: Provider) -> Option<Remedy> {
    let source = match provider {
        Provider::Anthropic => ANTHROPIC_CACHING,
        Provider::Gemini => GEMINI_CACHING,
        Provider::OpenAi => OPENAI_CACHING,
    };
    let code = |text: &str| Some(Remedy::new(text, OWN_CODE, source));
    // What only Anthropic has is read about there.
    let of_anthropic = |text: &str| Some(Remedy::new(text, OWN_CODE, ANTHROPIC_CACHING));
    match aim {
        Aim::SameSystemText => {
            code("Keep the system text the same for all calls, and say what changes in the newest message")
        }
        Aim::SameClientBlock => of_anthropic("Leave the block out, or put it behind the last cache_control"),
        Aim::SameHistory => code(
            "Cut a result when it comes in and send it the same from then on; clear old ones many at once",
        ),
        Aim::SameMessages => code("Keep every message as it was sent, and send the same text again"),
        Aim::DropSeldom => code("Leave out many old messages at once and seldom, not some for each call"),
        Aim::AddBehind => code("Add reminders behind what was sent, and leave them where they are"),
        Aim::SameTools => {
            code("Declare the same tools in the same order in every request; sort lists and keys")
        }
        Aim::SameSchema => code("Ask for answers of another shape in a conversation of its own"),
        Aim::FewerParameters { tool, names } => {
            let source = match provider {
                Provider::Anthropic => ANTHROPIC_TOOLS,
                Provider::Gemini => GEMINI_TOOLS,
                Provider::OpenAi => OPENAI_TOOLS,
            };
            let text = format!("Declare {tool} without {}", without(names));
            Some(Remedy::new(text, OWN_CODE, source))
        }
        Aim::SameModel => code("Give other work to another model in a conversation of its own"),
        Aim::SameCacheKey => {
            let text = "Send one prompt_cache_key in all requests of a conversation";
            Some(Remedy::new(text, OWN_CODE, OPENAI_CACHING))
        }
        Aim::SameSettings => {
            of_anthropic("Send the same thinking and tool_choice in all requests of a conversation")
        }
        Aim::KeptLonger => of_anthropic(r#""cache_control": { "type": "ephemeral", "ttl": "1h" }"#),
        Aim::Cached => of_anthropic(
            r#""cache_control": { "type": "ephemeral" } in the request, or in the last block of what is to be kept"#,
        ),
        Aim::MarkedNearer { blocks: 0 } => code(
            r#""prompt_cache_breakpoint": { "mode": "explicit" } in the last block of what is to be kept, and there in the next request too"#,
        ),
        Aim::MarkedNearer { blocks } => of_anthropic(&format!(
            r#""cache_control": {{ "type": "ephemeral" }} in one block of every {} that come in at once, in four at most"#,
            blocks.saturating_sub(2)
        )),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WRITERS: [Writer; 10] = [
        Writer::Adk,
        Writer::ClaudeCode,
        Writer::Codex,
        Writer::GeminiCli,
        Writer::Opencode,
        Writer::CopilotCli,
        Writer::OtherTool,
        Writer::Other(Provider::Anthropic),
        Writer::Other(Provider::Gemini),
        Writer::Other(Provider::OpenAi),
    ];

    fn aims() -> Vec<Aim> {
        let names = ["a", "b", "c", "d", "e"].map(Into::into).to_vec();
        vec![
            Aim::ShorterResults { tools: Vec::new(), characters: Some(8000) },
            Aim::ShorterResults { tools: Vec::new(), characters: None },
            Aim::ShorterResults { tools: vec!["Grep".into()], characters: Some(8000) },
            Aim::ShorterReads { characters: None },
            Aim::ShorterMcp { characters: Some(8000) },
            Aim::FewerTools { names },
            Aim::FewerParameters { tool: "search".into(), names: vec!["filters".into()] },
            Aim::ShorterHistory,
            Aim::CompactAt { tokens: 60_000 },
            Aim::NoRepeats,
            Aim::KeptInSummaries { names: vec!["ORD-4411".into()], by: KeptBy::ItsPrompt },
            Aim::KeptInSummaries { names: vec!["ORD-4411".into()], by: KeptBy::Retention(12) },
            Aim::KeptInSummaries { names: vec!["ORD-4411".into()], by: KeptBy::State },
            Aim::MarkedNearer { blocks: 20 },
            Aim::MarkedNearer { blocks: 0 },
            Aim::SameSystemText,
            Aim::AllStatic,
            Aim::SameClientBlock,
            Aim::SameHistory,
            Aim::SameMessages,
            Aim::DropSeldom,
            Aim::AddBehind,
            Aim::SameTools,
            Aim::SameAdditions,
            Aim::SameSchema,
            Aim::SameModel,
            Aim::SameSettings,
            Aim::SameCacheKey,
            Aim::KeptLonger,
            Aim::Cached,
        ]
    }

    #[test]
    fn a_tool_is_told_in_its_own_words() {
        let text = |writer, aim: Aim| remedy(writer, &aim).map(|remedy| remedy.text).unwrap_or_default();
        let cut_of = |tool: &str| Aim::ShorterResults { tools: vec![tool.into()], characters: Some(8000) };
        let cut = || cut_of("Bash");
        assert_eq!(text(Writer::ClaudeCode, cut()), r#""env": { "BASH_MAX_OUTPUT_LENGTH": "8000" }"#);
        let narrow = "Search with narrow patterns, and in Grep with head_limit.";
        assert_eq!(text(Writer::ClaudeCode, cut_of("Glob")), narrow);
        let part = "Ask WebFetch for the part that is needed, not for all there is.";
        assert_eq!(text(Writer::ClaudeCode, cut_of("WebFetch")), part);
        let at_its_source = "Cut long output of commands where it is made, as with head or grep.";
        assert_eq!(text(Writer::CopilotCli, cut_of("read_bash")), at_its_source);
        // Where results get shorter in another way than by a cut, no size is named.
        let rows_of = |tool: &str| Aim::ShorterResults { tools: vec![tool.into()], characters: None };
        assert_eq!(text(Writer::ClaudeCode, rows_of("Bash")), at_its_source);
        assert_eq!([Writer::Codex, Writer::GeminiCli].map(|writer| text(writer, rows_of("shell"))), ["", ""]);
        assert_eq!(text(Writer::OtherTool, Aim::SameHistory), "");
        let source = |provider| remedy(Writer::Other(provider), &Aim::SameTools).map(|remedy| remedy.source);
        assert_eq!(source(Provider::Anthropic), Some(ANTHROPIC_CACHING));
        assert_eq!(source(Provider::Gemini), Some(GEMINI_CACHING));
        assert_eq!(text(Writer::Codex, cut()), "tool_output_token_limit = 2000");
        let at = Aim::CompactAt { tokens: 60_000 };
        assert_eq!(text(Writer::Codex, at), "model_auto_compact_token_limit = 60000");
        assert_eq!(text(Writer::GeminiCli, cut()), r#""tools": { "truncateToolOutputThreshold": 8000 }"#);
        assert_eq!(text(Writer::Adk, cut()), "");
        let names = ["a", "b", "c", "d", "e"].map(|name| Str::from(format!("mcp__{name}"))).to_vec();
        let dropped = text(Writer::ClaudeCode, Aim::FewerTools { names });
        assert_eq!(dropped, "/mcp, and turn off what has mcp__a, mcp__b, mcp__c and 2 more");
        let names = ["Bash", "Edit", "mcp__a"].map(Into::into).to_vec();
        let dropped = text(Writer::ClaudeCode, Aim::FewerTools { names });
        assert_eq!(dropped, r#""permissions": { "deny": ["Bash", "Edit", "mcp__a"] }"#);
    }

    #[test]
    fn nobody_is_told_another_tools_setting_and_every_row_has_a_source() {
        const OTHERS: [(&str, Writer); 6] = [
            ("static_instruction", Writer::Adk),
            ("CLAUDE", Writer::ClaudeCode),
            ("tool_output_token_limit", Writer::Codex),
            ("truncateToolOutputThreshold", Writer::GeminiCli),
            ("event_retention_size", Writer::Adk),
            ("compact_prompt", Writer::Codex),
        ];
        for writer in WRITERS {
            for found in aims().iter().filter_map(|aim| remedy(writer, aim)) {
                assert!(found.source.contains('.') && !found.place.is_empty(), "{found:?}");
                let told = format!("{} {}", found.text, found.place);
                let foreign = OTHERS.iter().find(|(word, of)| told.contains(word) && *of != writer);
                assert_eq!(foreign, None, "{writer:?}: {found:?}");
            }
        }
    }

    #[test]
    fn formats_name_their_tools() {
        let names = [
            "Claude Code transcript",
            "Codex rollout",
            "Gemini CLI chat",
            "ADK session",
            "HAR archive",
            "claude-code",
            "Copilot CLI event log",
            "copilot-cli-events-jsonl",
            "Aider chat history",
            "VS Code chat replay",
            "log of model requests",
        ];
        let expected = [
            Writer::ClaudeCode,
            Writer::Codex,
            Writer::GeminiCli,
            Writer::Adk,
            Writer::Other(Provider::OpenAi),
            Writer::ClaudeCode,
            Writer::CopilotCli,
            Writer::CopilotCli,
            Writer::OtherTool,
            Writer::OtherTool,
            Writer::Other(Provider::OpenAi),
        ];
        assert_eq!(names.map(Writer::of_format), expected);
    }
}
