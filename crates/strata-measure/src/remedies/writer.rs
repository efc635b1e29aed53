//! Which tool wrote a session.

/// A tool that writes sessions, or makes requests that somebody logs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Writer {
    Adk,
    ClaudeCode,
    Codex,
    GeminiCli,
    Opencode,
    /// Code of somebody's own, or a tool whose settings are not known here.
    Other,
}

impl Writer {
    /// By what a format is called, or by its id.
    pub fn of_format(format: &str) -> Self {
        let format = format.to_ascii_lowercase().replace(' ', "-");
        let known = [
            ("adk", Self::Adk),
            ("claude-code", Self::ClaudeCode),
            ("codex", Self::Codex),
            ("gemini-cli", Self::GeminiCli),
            ("opencode", Self::Opencode),
        ];
        known.iter().find(|(begins, _)| format.starts_with(begins)).map_or(Self::Other, |(_, writer)| *writer)
    }

    /// For headings. `None` where what helps is done in one's own code.
    pub fn name(self) -> Option<&'static str> {
        match self {
            Self::ClaudeCode => Some("Claude Code"),
            Self::Codex => Some("Codex"),
            Self::GeminiCli => Some("Gemini CLI"),
            Self::Opencode => Some("opencode"),
            Self::Adk | Self::Other => None,
        }
    }
}
