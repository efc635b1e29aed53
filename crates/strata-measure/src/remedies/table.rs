//! Every remedy there is, by tool.

use strata_model::Str;

use super::aim::{Aim, some_of, tokens};
use super::writer::Writer;

const CLAUDE_ENV: &str = "code.claude.com/docs/en/env-vars";
const CLAUDE_MEMORY: &str = "code.claude.com/docs/en/memory";
const CLAUDE_COMMANDS: &str = "code.claude.com/docs/en/commands";
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
const ADK_AGENTS: &str = "google.github.io/adk-docs/agents/llm-agents";
const ADK_CACHING: &str = "google.github.io/adk-docs/context/caching";
const OPENAI_CACHING: &str = "developers.openai.com/api/docs/guides/prompt-caching";
const ANTHROPIC_CACHING: &str = "platform.claude.com/docs/en/build-with-claude/prompt-caching";

const OWN_CODE: &str = "the code that makes the requests";
const IN_SESSION: &str = "in the session";
const NO_REPEATS: &str = "Do not read a file again that is in the conversation unchanged.";

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
        Writer::Other => of_own_code(aim),
    }
}

fn of_adk(aim: &Aim) -> Option<Remedy> {
    let in_agent = |text: &str| Some(Remedy::new(text, "the agent", ADK_AGENTS));
    match aim {
        Aim::SameSystemText => in_agent(
            "static_instruction=… for what never changes; instruction=… then moves behind the history",
        ),
        Aim::SameTools => in_agent("tools=[…] in one order, with descriptions that hold no values"),
        Aim::SameModel | Aim::SameSettings => {
            in_agent("one model and one generate_content_config for all calls")
        }
        Aim::KeptLonger => Some(Remedy::new(
            "context_cache_config=ContextCacheConfig(ttl_seconds=3600)",
            "App(…)",
            ADK_CACHING,
        )),
        _ => None,
    }
}

fn of_claude_code(aim: &Aim) -> Option<Remedy> {
    let setting = |text: String| Some(Remedy::new(text, CLAUDE_SETTINGS, CLAUDE_ENV));
    let memory = |text: &str| Some(Remedy::new(text, "CLAUDE.md", CLAUDE_MEMORY));
    let command = |text: String, source| Some(Remedy::new(text, IN_SESSION, source));
    match aim {
        Aim::ShorterResults { characters } => {
            setting(format!(r#""env": {{ "BASH_MAX_OUTPUT_LENGTH": "{characters}" }}"#))
        }
        Aim::ShorterMcp { characters } => {
            setting(format!(r#""env": {{ "MAX_MCP_OUTPUT_TOKENS": "{}" }}"#, tokens(*characters)))
        }
        Aim::SameClientBlock => setting(r#""env": { "CLAUDE_CODE_ATTRIBUTION_HEADER": "0" }"#.to_owned()),
        Aim::KeptLonger => setting(r#""env": { "ENABLE_PROMPT_CACHING_1H": "1" }"#.to_owned()),
        Aim::ShorterReads => memory("Read long files with offset and limit."),
        Aim::NoRepeats => memory(NO_REPEATS),
        Aim::ShorterHistory => command(
            "/compact when a part of the task is done, /clear before another task".to_owned(),
            CLAUDE_COMMANDS,
        ),
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
        Aim::SameSystemText => memory("Leave times, ids and counters out of this file."),
        Aim::CompactAt { .. } | Aim::SameHistory | Aim::SameMessages | Aim::DropSeldom | Aim::AddBehind => {
            None
        }
    }
}

fn of_codex(aim: &Aim) -> Option<Remedy> {
    let setting = |text: String| Some(Remedy::new(text, CODEX_FILE, CODEX_CONFIG));
    match aim {
        Aim::ShorterResults { characters } | Aim::ShorterMcp { characters } => {
            setting(format!("tool_output_token_limit = {}", tokens(*characters)))
        }
        Aim::ShorterReads => setting("tool_output_token_limit = 3000".to_owned()),
        Aim::ShorterHistory => setting("model_auto_compact_token_limit = 100000".to_owned()),
        Aim::CompactAt { tokens } => setting(format!("model_auto_compact_token_limit = {tokens}")),
        Aim::FewerTools { names } => Some(Remedy::new(
            format!("enabled = false    # for the server that has {}", some_of(names)),
            "~/.codex/config.toml, [mcp_servers.…]",
            CODEX_CONFIG,
        )),
        Aim::NoRepeats => Some(Remedy::new(NO_REPEATS, "AGENTS.md", CODEX_AGENTS)),
        Aim::SameSystemText => {
            Some(Remedy::new("Leave times, ids and counters out of this file.", "AGENTS.md", CODEX_AGENTS))
        }
        Aim::SameModel | Aim::SameSettings => {
            setting("model and model_reasoning_effort, once for a session".to_owned())
        }
        Aim::SameClientBlock
        | Aim::SameHistory
        | Aim::SameMessages
        | Aim::DropSeldom
        | Aim::AddBehind
        | Aim::SameTools
        | Aim::KeptLonger => None,
    }
}

fn of_gemini_cli(aim: &Aim) -> Option<Remedy> {
    let setting = |text: String| Some(Remedy::new(text, GEMINI_FILE, GEMINI_CONFIG));
    let memory = |text: &str| Some(Remedy::new(text, "GEMINI.md", GEMINI_CONFIG));
    match aim {
        Aim::ShorterResults { characters } | Aim::ShorterMcp { characters } => {
            setting(format!(r#""tools": {{ "truncateToolOutputThreshold": {characters} }}"#))
        }
        Aim::ShorterReads => setting(r#""tools": { "truncateToolOutputThreshold": 12000 }"#.to_owned()),
        Aim::ShorterHistory => setting(r#""model": { "compressionThreshold": 0.3 }"#.to_owned()),
        Aim::FewerTools { names } => {
            let names: Vec<String> = names.iter().map(|name| format!("\"{name}\"")).collect();
            setting(format!(r#""tools": {{ "exclude": [{}] }}"#, names.join(", ")))
        }
        Aim::NoRepeats => memory(NO_REPEATS),
        Aim::SameSystemText => memory("Leave times, ids and counters out of this file."),
        Aim::SameModel | Aim::SameSettings => {
            setting(r#""model": { "name": "…" }, one for a session"#.to_owned())
        }
        Aim::CompactAt { .. }
        | Aim::SameClientBlock
        | Aim::SameHistory
        | Aim::SameMessages
        | Aim::DropSeldom
        | Aim::AddBehind
        | Aim::SameTools
        | Aim::KeptLonger => None,
    }
}

fn of_opencode(aim: &Aim) -> Option<Remedy> {
    let setting = |text: String| Some(Remedy::new(text, OPENCODE_FILE, OPENCODE_CONFIG));
    match aim {
        Aim::ShorterResults { .. } | Aim::ShorterMcp { .. } | Aim::ShorterReads => {
            setting(r#""compaction": { "prune": true }"#.to_owned())
        }
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

/// For requests that somebody's own code makes.
fn of_own_code(aim: &Aim) -> Option<Remedy> {
    let code = |text: &str, source| Some(Remedy::new(text, OWN_CODE, source));
    match aim {
        Aim::SameSystemText => code(
            "Keep the system text the same for all calls, and say what changes in the newest message",
            OPENAI_CACHING,
        ),
        Aim::SameClientBlock => {
            code("Leave the block out, or put it behind the last cache_control", ANTHROPIC_CACHING)
        }
        Aim::SameHistory => code(
            "Cut a result when it comes in and send it the same from then on; clear old ones many at once",
            OPENAI_CACHING,
        ),
        Aim::SameMessages => {
            code("Keep every message as it was sent, and send the same text again", OPENAI_CACHING)
        }
        Aim::DropSeldom => {
            code("Leave out many old messages at once and seldom, not some for each call", OPENAI_CACHING)
        }
        Aim::AddBehind => {
            code("Add reminders behind what was sent, and leave them where they are", OPENAI_CACHING)
        }
        Aim::SameTools => code(
            "Declare the same tools in the same order in every request; sort lists and keys",
            OPENAI_CACHING,
        ),
        Aim::SameModel => {
            code("Give other work to another model in a conversation of its own", OPENAI_CACHING)
        }
        Aim::SameSettings => code(
            "Send the same thinking and tool_choice in all requests of a conversation",
            ANTHROPIC_CACHING,
        ),
        Aim::KeptLonger => {
            code(r#""cache_control": { "type": "ephemeral", "ttl": "1h" }"#, ANTHROPIC_CACHING)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WRITERS: [Writer; 6] =
        [Writer::Adk, Writer::ClaudeCode, Writer::Codex, Writer::GeminiCli, Writer::Opencode, Writer::Other];

    fn aims() -> Vec<Aim> {
        let names = ["a", "b", "c", "d", "e"].map(Into::into).to_vec();
        vec![
            Aim::ShorterResults { characters: 8000 },
            Aim::ShorterReads,
            Aim::ShorterMcp { characters: 8000 },
            Aim::FewerTools { names },
            Aim::ShorterHistory,
            Aim::CompactAt { tokens: 60_000 },
            Aim::NoRepeats,
            Aim::SameSystemText,
            Aim::SameClientBlock,
            Aim::SameHistory,
            Aim::SameMessages,
            Aim::DropSeldom,
            Aim::AddBehind,
            Aim::SameTools,
            Aim::SameModel,
            Aim::SameSettings,
            Aim::KeptLonger,
        ]
    }

    #[test]
    fn a_tool_is_told_in_its_own_words() {
        let text = |writer, aim: Aim| remedy(writer, &aim).map(|remedy| remedy.text).unwrap_or_default();
        let cut = || Aim::ShorterResults { characters: 8000 };
        assert_eq!(text(Writer::ClaudeCode, cut()), r#""env": { "BASH_MAX_OUTPUT_LENGTH": "8000" }"#);
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
        const OTHERS: [(&str, Writer); 4] = [
            ("static_instruction", Writer::Adk),
            ("CLAUDE", Writer::ClaudeCode),
            ("tool_output_token_limit", Writer::Codex),
            ("truncateToolOutputThreshold", Writer::GeminiCli),
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
        ];
        let expected = [
            Writer::ClaudeCode,
            Writer::Codex,
            Writer::GeminiCli,
            Writer::Adk,
            Writer::Other,
            Writer::ClaudeCode,
        ];
        assert_eq!(names.map(Writer::of_format), expected);
    }
}
