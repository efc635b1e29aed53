//! What people and stores call a format, and what sets it apart. How it is recognised and read is in the
//! [registry](crate::registry).

use strata_model::EvidenceKind;

/// A format that Strata reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Format {
    id: &'static str,
    name: &'static str,
    traits: Traits,
}

/// What sets a format apart from most others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Traits {
    None,
    /// It records what went on while a session ran that is also saved elsewhere, in events with the same ids.
    Trace,
    /// Its records hold the headers of HTTP requests, with the keys and cookies in them.
    Headers,
    /// Its documents are also found written down as the text of one.
    InText,
}

impl Format {
    pub(crate) const fn new(id: &'static str, name: &'static str, traits: Traits) -> Self {
        Self { id, name, traits }
    }

    /// A stable name for programs.
    pub fn id(self) -> &'static str {
        self.id
    }

    /// The name people see, without an article.
    pub fn name(self) -> &'static str {
        self.name
    }

    /// Whether it records what went on while a session ran that is also saved elsewhere, in events with the same ids.
    pub fn is_trace(self) -> bool {
        self.traits == Traits::Trace
    }

    /// What kind of evidence the requests in it are.
    pub fn evidence(self) -> EvidenceKind {
        match self {
            Self::CAPTURE
            | Self::HAR
            | Self::VCR
            | Self::MITMPROXY
            | Self::PROVIDER_LOG
            | Self::LITELLM
            | Self::HELICONE => EvidenceKind::Wire,
            Self::OTLP
            | Self::GEMINI_TELEMETRY
            | Self::LANGFUSE
            | Self::LANGSMITH
            | Self::LANGGRAPH
            | Self::OPENAI_AGENTS_TRACE
            | Self::MLFLOW_TRACE
            | Self::MLFLOW
            | Self::PHOENIX
            | Self::BRAINTRUST
            | Self::ADK_TRACE => EvidenceKind::Telemetry,
            _ => EvidenceKind::Client,
        }
    }

    /// Whether its records hold the headers of HTTP requests, with the keys and cookies in them.
    pub fn has_headers(self) -> bool {
        self.traits == Traits::Headers
    }

    /// Whether its documents are also found written down as the text of one, as ADK keeps the results of evaluations.
    pub(crate) fn is_found_in_text(self) -> bool {
        self.traits == Traits::InText
    }
}

/// A format that Strata recognises but does not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct UnreadFormat {
    name: &'static str,
    advice: &'static str,
}

impl UnreadFormat {
    /// `DatabaseSessionService` with a schema version this Strata does not know.
    pub const ADK_NEWER_DATABASE: Self =
        Self::new("an ADK session database of a schema newer than 1", "A later Strata may read it");
    /// Sessions of ADK's internal predecessors, with `context`, `past_events` and `event_logs`.
    pub const ADK_BEFORE_1: Self = Self::new(
        "an ADK session from before version 1.0",
        "Its events are shaped differently. Record the session again with ADK 1.0 or later",
    );
    /// Spans of an exporter in tables.
    pub const SPAN_DATABASE: Self = Self::new(
        "a database of trace spans",
        "Import the session itself: the saved session, `.adk/session.db`, or the export of adk web",
    );
    /// `logs.db` of Simon Willison's `llm`.
    pub const LLM_LOGS: Self = Self::new(
        "the log of the command `llm`",
        "Write its conversations as lists of messages and import those",
    );
    /// `RunOutput.to_dict()` of agno, and its sessions.
    pub const AGNO: Self = Self::new("an agno run", "Record its calls with `strata capture`");
    /// `lm.history` of DSPy, whose answers are objects of a client.
    pub const PRINTED_DSPY: Self =
        Self::new("a DSPy history with printed answers", "Record its calls with `strata capture`");
    /// Codex's list of its rollouts.
    pub const CODEX_INDEX: Self =
        Self::new("the index database of Codex", "It points at rollout files under `sessions/`");

    const fn new(name: &'static str, advice: &'static str) -> Self {
        Self { name, advice }
    }

    /// The name people see, with its article.
    pub fn name(self) -> &'static str {
        self.name
    }

    /// What can be done about it; empty when there is nothing to say.
    pub fn advice(self) -> &'static str {
        self.advice
    }

    /// The sentence for people who wanted to import such a file.
    pub fn refusal(self) -> String {
        let Self { name, advice } = self;
        let stop = if advice.is_empty() { "" } else { ". " };
        format!("this is {name}; Strata cannot read it yet{stop}{advice}")
    }
}
