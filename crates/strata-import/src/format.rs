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
    /// A database of `DatabaseSessionService` before 1.22, whose actions are Python pickles.
    AdkPickleDatabase,
    /// The spans that `adk web` shows, with the requests in them.
    AdkTrace,
    /// What `DebugLoggingPlugin` writes.
    AdkDebugLog,
    Codex,
    /// The object of old versions and the log of new ones.
    GeminiCli,
    /// What `telemetry.outfile` gets: SDK objects, one after the other.
    GeminiTelemetry,
    CopilotCli,
    /// Conversations of Cline and Roo: those of the command line, and the task folders of the extension.
    Cline,
    OpenCode,
    OpenCodeExport,
    Goose,
    /// Sessions of goose that are not in its database.
    GooseFile,
    /// Events of OpenHands, of both generations.
    OpenHands,
    Aider,
    MiniSweAgent,
    SweAgent,
    /// The JSON of `inspect_ai`, and the archive of it.
    Inspect,
    TauBench,
    /// Messages without anything around them, or a conversation a line.
    Messages,
    /// Requests to OpenAI, Anthropic, Gemini and those who speak like them, with their answers.
    ProviderLog,
    Har,
    Mitmproxy,
    Vcr,
    /// `StandardLoggingPayload`s.
    LiteLlm,
    /// OTLP JSON: spans and log records of model calls, in every set of names.
    Otlp,
    Langfuse,
    /// Exported runs, and what the SDK sends.
    LangSmith,
    LangGraph,
}

impl Format {
    pub const ALL: [Self; 36] = [
        Self::AdkSession,
        Self::AdkEvents,
        Self::AdkEventStream,
        Self::AdkEvalSet,
        Self::AdkEvalResult,
        Self::AdkSqlite,
        Self::AdkDatabase,
        Self::ClaudeCode,
        Self::AdkPickleDatabase,
        Self::AdkTrace,
        Self::AdkDebugLog,
        Self::Codex,
        Self::GeminiCli,
        Self::GeminiTelemetry,
        Self::CopilotCli,
        Self::Cline,
        Self::OpenCode,
        Self::OpenCodeExport,
        Self::Goose,
        Self::GooseFile,
        Self::OpenHands,
        Self::Aider,
        Self::MiniSweAgent,
        Self::SweAgent,
        Self::Inspect,
        Self::TauBench,
        Self::Messages,
        Self::ProviderLog,
        Self::Har,
        Self::Mitmproxy,
        Self::Vcr,
        Self::LiteLlm,
        Self::Otlp,
        Self::Langfuse,
        Self::LangSmith,
        Self::LangGraph,
    ];

    /// A stable name for files and machines.
    pub fn id(self) -> &'static str {
        self.names().0
    }

    /// The name people see.
    pub fn name(self) -> &'static str {
        self.names().1
    }

    fn names(self) -> (&'static str, &'static str) {
        match self {
            Self::AdkSession => ("adk-session-json", "ADK session"),
            Self::AdkEvents => ("adk-events-jsonl", "ADK event log"),
            Self::AdkEventStream => ("adk-run-sse", "ADK event stream"),
            Self::AdkEvalSet => ("adk-evalset", "ADK evaluation set"),
            Self::AdkEvalResult => ("adk-evalset-result", "ADK evaluation result"),
            Self::AdkSqlite => ("adk-sqlite-service", "ADK session database"),
            Self::AdkDatabase => ("adk-db-v1-json", "ADK session database (schema 1)"),
            Self::ClaudeCode => ("claude-code-jsonl", "Claude Code transcript"),
            Self::AdkPickleDatabase => ("adk-db-v0-pickle", "ADK session database (schema 0)"),
            Self::AdkTrace => ("adk-debug-trace", "ADK debug trace"),
            Self::AdkDebugLog => ("adk-debug-log-yaml", "ADK debug log"),
            Self::Codex => ("codex-rollout-jsonl", "Codex rollout"),
            Self::GeminiCli => ("gemini-cli-chat-jsonl", "Gemini CLI chat"),
            Self::GeminiTelemetry => ("gemini-cli-telemetry", "Gemini CLI telemetry"),
            Self::CopilotCli => ("copilot-cli-events-jsonl", "Copilot CLI event log"),
            Self::Cline => ("cline-messages-json", "Cline conversation"),
            Self::OpenCode => ("opencode-sqlite", "opencode database"),
            Self::OpenCodeExport => ("opencode-export-json", "opencode export"),
            Self::Goose => ("goose-sqlite", "goose database"),
            Self::GooseFile => ("goose-session-json", "goose session"),
            Self::OpenHands => ("openhands-events-json", "OpenHands conversation"),
            Self::Aider => ("aider-chat-history-md", "Aider chat history"),
            Self::MiniSweAgent => ("mini-swe-agent-traj", "mini-swe-agent trajectory"),
            Self::SweAgent => ("swe-agent-traj", "SWE-agent trajectory"),
            Self::Inspect => ("inspect-ai-log", "Inspect log"),
            Self::TauBench => ("tau-bench-json", "tau-bench result"),
            Self::Messages => ("messages-json", "list of messages"),
            Self::ProviderLog => ("provider-log-jsonl", "log of model requests"),
            Self::Har => ("har-1.2", "HTTP archive"),
            Self::Mitmproxy => ("mitmproxy-flows", "mitmproxy flow file"),
            Self::Vcr => ("vcr-cassette-yaml", "VCR cassette"),
            Self::LiteLlm => ("litellm-log", "LiteLLM log"),
            Self::Otlp => ("otlp-json-traces", "OpenTelemetry data"),
            Self::Langfuse => ("langfuse-trace", "Langfuse trace"),
            Self::LangSmith => ("langsmith-runs", "LangSmith runs"),
            Self::LangGraph => ("langgraph-sqlite", "LangGraph checkpoint database"),
        }
    }

    /// Whether it records what went on while a session ran that is also saved elsewhere, in events with the same ids.
    pub fn is_trace(self) -> bool {
        matches!(self, Self::AdkTrace | Self::AdkDebugLog | Self::Otlp)
    }

    /// Whether its records hold the headers of HTTP requests, with the keys and cookies in them.
    pub fn has_headers(self) -> bool {
        matches!(self, Self::Har | Self::Mitmproxy | Self::Vcr)
    }

    /// Whether sessions come out of database tables rather than out of the bytes of a file.
    pub fn is_database(self) -> bool {
        matches!(
            self,
            Self::AdkSqlite
                | Self::AdkDatabase
                | Self::AdkPickleDatabase
                | Self::OpenCode
                | Self::Goose
                | Self::LangGraph
        )
    }
}

/// A format that Strata recognises but does not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum UnreadFormat {
    /// `DatabaseSessionService` with a schema version this Strata does not know.
    AdkNewerDatabase,
    /// Sessions of ADK's internal predecessors, with `context`, `past_events` and `event_logs`.
    AdkBefore1,
    AdkSpanDatabase,
    CodexIndex,
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
            Self::AdkNewerDatabase => {
                ("an ADK session database of a schema newer than 1", "A later Strata may read it")
            }
            Self::AdkBefore1 => (
                "an ADK session from before version 1.0",
                "Its events are shaped differently. Record the session again with ADK 1.0 or later",
            ),
            Self::AdkSpanDatabase => (
                "a database of trace spans",
                "Import the session itself: the saved session, `.adk/session.db`, or the export of adk web",
            ),
            Self::CodexIndex => {
                ("the index database of Codex", "It points at rollout files under `sessions/`")
            }
        }
    }
}
