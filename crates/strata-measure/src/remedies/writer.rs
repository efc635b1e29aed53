//! Which tool wrote a session.

use strata_engine::Experiment;

/// A tool that writes sessions, or makes requests that somebody logs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Writer {
    Adk,
    ClaudeCode,
    Codex,
    GeminiCli,
    Opencode,
    CopilotCli,
    /// A tool whose settings are not known here: nothing is said in its terms, and nothing in those of others.
    OtherTool,
    /// Code of somebody's own, which asks models of this provider.
    Other(Provider),
}

/// Whose models are asked, as far as that makes a difference to what is read about caches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Provider {
    Anthropic,
    Gemini,
    /// OpenAI, and those that cache as it does.
    OpenAi,
}

impl Provider {
    fn of_model(model: &str) -> Self {
        let model = model.to_ascii_lowercase();
        match () {
            () if model.contains("claude") => Self::Anthropic,
            () if model.contains("gemini") => Self::Gemini,
            () => Self::OpenAi,
        }
    }
}

/// What the formats of tools begin with whose settings are not known here.
const OTHER_TOOLS: [&str; 22] = [
    "aider",
    "ai-studio",
    "amp",
    "chatgpt",
    "claude-ai",
    "claude.ai",
    "cline",
    "continue",
    "crush",
    "cursor",
    "droid",
    "goose",
    "kiro",
    "mini-swe-agent",
    "openhands",
    "pi-",
    "specstory",
    "swe-agent",
    "vs-code",
    "vscode",
    "windsurf",
    "zed",
];

impl Writer {
    /// By what the format of a session is called, or by its id, and by the model that it asks.
    pub fn of(format: &str, experiment: &Experiment) -> Self {
        match Self::of_format(format) {
            Self::Other(_) => {
                let index = experiment.index();
                let model = index.ids().next().map(|root| index.model(root).name.clone());
                Self::Other(Provider::of_model(model.as_deref().unwrap_or_default()))
            }
            tool => tool,
        }
    }

    /// By the format alone: code of one's own is taken to ask OpenAI.
    pub fn of_format(format: &str) -> Self {
        let format = format.to_ascii_lowercase().replace(' ', "-");
        let known = [
            ("adk", Self::Adk),
            ("claude-code", Self::ClaudeCode),
            ("codex", Self::Codex),
            ("gemini-cli", Self::GeminiCli),
            ("opencode", Self::Opencode),
            ("copilot-cli", Self::CopilotCli),
        ];
        let others = OTHER_TOOLS.iter().map(|begins| (*begins, Self::OtherTool));
        let mut known = known.into_iter().chain(others);
        known
            .find(|(begins, _)| format.starts_with(begins))
            .map_or(Self::Other(Provider::OpenAi), |(_, writer)| writer)
    }

    /// For headings. `None` where what helps is done in one's own code.
    pub fn name(self) -> Option<&'static str> {
        match self {
            Self::ClaudeCode => Some("Claude Code"),
            Self::Codex => Some("Codex"),
            Self::GeminiCli => Some("Gemini CLI"),
            Self::Opencode => Some("opencode"),
            Self::CopilotCli => Some("Copilot CLI"),
            Self::Adk | Self::OtherTool | Self::Other(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tools_are_known_by_the_names_and_by_the_ids_of_their_formats() {
        for format in [
            "Windsurf transcript",
            "windsurf-transcript-jsonl",
            "vscode-chat",
            "claude-ai-export",
            "Claude.ai export",
        ] {
            assert_eq!(Writer::of_format(format), Writer::OtherTool, "{format}");
        }
        assert_eq!(Writer::of_format("list of messages"), Writer::Other(Provider::OpenAi));
    }
}
