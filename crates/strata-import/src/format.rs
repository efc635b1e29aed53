//! The formats, by name.

/// A format that Strata reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Format {
    /// A saved session, a REST answer, a web export, a dump in either spelling; one or several in a file.
    AdkSession,
    /// `adk run --jsonl`, or a list of events as `POST /run` answers.
    AdkEvents,
    /// The server-sent events of `POST /run_sse`.
    AdkEventStream,
    /// An evaluation set, or a legacy `.test.json`: one session a case.
    AdkEvalSet,
    /// The result of `adk eval`, with the sessions it ran.
    AdkEvalResult,
    /// The database of `SqliteSessionService`.
    AdkSqlite,
    /// A database of `DatabaseSessionService`, schema 1.
    AdkDatabase,
    ClaudeCode,
}

impl Format {
    pub const ALL: [Self; 8] = [
        Self::AdkSession,
        Self::AdkEvents,
        Self::AdkEventStream,
        Self::AdkEvalSet,
        Self::AdkEvalResult,
        Self::AdkSqlite,
        Self::AdkDatabase,
        Self::ClaudeCode,
    ];

    /// A stable name for files and machines.
    pub fn id(self) -> &'static str {
        match self {
            Self::AdkSession => "adk-session-json",
            Self::AdkEvents => "adk-events-jsonl",
            Self::AdkEventStream => "adk-run-sse",
            Self::AdkEvalSet => "adk-evalset",
            Self::AdkEvalResult => "adk-evalset-result",
            Self::AdkSqlite => "adk-sqlite-service",
            Self::AdkDatabase => "adk-db-v1-json",
            Self::ClaudeCode => "claude-code-jsonl",
        }
    }

    /// The name people see.
    pub fn name(self) -> &'static str {
        match self {
            Self::AdkSession => "ADK session",
            Self::AdkEvents => "ADK event log",
            Self::AdkEventStream => "ADK event stream",
            Self::AdkEvalSet => "ADK evaluation set",
            Self::AdkEvalResult => "ADK evaluation result",
            Self::AdkSqlite => "ADK session database",
            Self::AdkDatabase => "ADK session database (schema 1)",
            Self::ClaudeCode => "Claude Code transcript",
        }
    }

    /// Whether sessions come out of database tables rather than out of the bytes of a file.
    pub fn is_database(self) -> bool {
        matches!(self, Self::AdkSqlite | Self::AdkDatabase)
    }
}

/// A format that Strata recognises but does not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum UnreadFormat {
    /// `DatabaseSessionService` before 1.22: actions are Python pickles.
    AdkPickleDatabase,
    /// `DatabaseSessionService` with a schema version this Strata does not know.
    AdkNewerDatabase,
    /// Sessions of ADK's internal predecessors, with `context`, `past_events` and `event_logs`.
    AdkBefore1,
    AdkDebugTrace,
    AdkDebugLog,
    AdkSpanDatabase,
    Aider,
    AnthropicMessages,
    ClineMessages,
    Codex,
    CodexIndex,
    CopilotCli,
    GeminiCli,
    GeminiTelemetry,
    GeminiGenerateContent,
    Goose,
    Har,
    Inspect,
    LangGraph,
    LangSmith,
    Langfuse,
    LiteLlm,
    MiniSweAgent,
    Mitmproxy,
    OpenAiChat,
    OpenAiResponses,
    OpenCode,
    OpenHands,
    Otlp,
    ProviderExchange,
    ProviderStream,
    SweAgent,
    TauBench,
    Vcr,
}

impl UnreadFormat {
    /// The name people see, with its article.
    pub fn name(self) -> &'static str {
        self.described().0
    }

    /// What can be done about it; empty when there is nothing to say.
    pub fn advice(self) -> &'static str {
        self.described().1
    }

    /// The sentence for people who wanted to import such a file.
    pub fn refusal(self) -> String {
        let (name, advice) = self.described();
        let stop = if advice.is_empty() { "" } else { ". " };
        format!("this is {name}; Strata cannot read it yet{stop}{advice}")
    }

    fn described(self) -> (&'static str, &'static str) {
        match self {
            Self::AdkPickleDatabase => (
                "an ADK session database of schema 0 (ADK 1.0 to 1.21)",
                "Its event actions are Python pickles, which Strata does not unpack. Run `adk migrate session` of \
                 ADK 1.22 or later and import the database it writes",
            ),
            Self::AdkNewerDatabase => {
                ("an ADK session database of a schema newer than 1", "A later Strata may read it")
            }
            Self::AdkBefore1 => (
                "an ADK session from before version 1.0",
                "Its events are shaped differently. Record the session again with ADK 1.0 or later",
            ),
            Self::AdkDebugTrace => ("an ADK debug trace", IMPORT_THE_SESSION),
            Self::AdkDebugLog => ("an ADK debug log (YAML)", IMPORT_THE_SESSION),
            Self::AdkSpanDatabase => ("a database of trace spans", IMPORT_THE_SESSION),
            Self::Aider => ("an Aider chat history", ""),
            Self::AnthropicMessages => ("an Anthropic Messages request or response", ""),
            Self::ClineMessages => ("a Cline conversation", ""),
            Self::Codex => ("a Codex rollout", ""),
            Self::CodexIndex => {
                ("the index database of Codex", "It points at rollout files under `sessions/`")
            }
            Self::CopilotCli => ("a Copilot CLI event log", ""),
            Self::GeminiCli => ("a Gemini CLI chat", ""),
            Self::GeminiTelemetry => ("a Gemini CLI telemetry log", ""),
            Self::GeminiGenerateContent => ("a Gemini generateContent request or response", ""),
            Self::Goose => ("a goose database", ""),
            Self::Har => ("an HTTP archive (HAR)", ""),
            Self::Inspect => ("an Inspect log", ""),
            Self::LangGraph => ("a LangGraph checkpoint database", ""),
            Self::LangSmith => ("a LangSmith run", ""),
            Self::Langfuse => ("a Langfuse trace", ""),
            Self::LiteLlm => ("a LiteLLM log", ""),
            Self::MiniSweAgent => ("a mini-swe-agent trajectory", ""),
            Self::Mitmproxy => ("a mitmproxy flow file", ""),
            Self::OpenAiChat => ("an OpenAI Chat Completions request or response", ""),
            Self::OpenAiResponses => ("an OpenAI Responses request or response", ""),
            Self::OpenCode => ("an opencode database or export", ""),
            Self::OpenHands => ("an OpenHands conversation", ""),
            Self::Otlp => ("OpenTelemetry data (OTLP JSON)", ""),
            Self::ProviderExchange => ("a list of recorded model requests", ""),
            Self::ProviderStream => ("a recorded stream of a model's answer", ""),
            Self::SweAgent => ("a SWE-agent trajectory", ""),
            Self::TauBench => ("a tau-bench result", ""),
            Self::Vcr => ("a VCR cassette", ""),
        }
    }
}

const IMPORT_THE_SESSION: &str =
    "Import the session itself: the saved session, `.adk/session.db`, or the export of adk web";
