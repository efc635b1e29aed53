//! An event to add to a session, and what it is.

use strata_model::{Object, Part, Str};
use strata_wire::message::{Role, Turn};
use strata_wire::usage::UsageReport;

use crate::injected::injected_kind;
use crate::source::SourceRecord;

/// What an event is.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Kind {
    /// Words of a person.
    Prompt,
    /// Context the client added, with what it was.
    Injected(Str),
    Response,
    Results,
    /// Everything on the branch before it was replaced by this content.
    Compaction,
    /// Something that happened besides the conversation.
    Notice,
}

/// An event to add. What is absent is taken from the event before it.
#[derive(Debug, Clone)]
pub(crate) struct EventDraft {
    pub(crate) kind: Kind,
    pub(crate) parts: Vec<Part>,
    pub(crate) id: Option<Str>,
    /// Epoch seconds.
    pub(crate) time: Option<f64>,
    /// The agent that speaks or is spoken to; the session's main agent when absent.
    pub(crate) agent: Option<Str>,
    pub(crate) branch: Option<Str>,
    pub(crate) invocation: Option<Str>,
    pub(crate) model: Option<Str>,
    pub(crate) finish: Option<Str>,
    pub(crate) usage: Option<UsageReport>,
    /// A stable name and a sentence.
    pub(crate) error: Option<(Str, Str)>,
    /// What the source's own record says beyond ADK's event.
    pub(crate) source_notes: Object,
    pub(crate) sources: Vec<SourceRecord>,
}

impl EventDraft {
    pub(crate) fn new(kind: Kind, parts: Vec<Part>, source: SourceRecord) -> Self {
        Self {
            kind,
            parts,
            id: None,
            time: None,
            agent: None,
            branch: None,
            invocation: None,
            model: None,
            finish: None,
            usage: None,
            error: None,
            source_notes: Object::new(),
            sources: vec![source],
        }
    }
}

/// What a message is, by its role and by what clients are known to say in a person's name.
pub(crate) fn kind_of(turn: &Turn) -> Kind {
    match turn.role {
        Role::System => Kind::Injected("system".into()),
        Role::Model => Kind::Response,
        Role::Tool => Kind::Results,
        Role::User if turn.has_results() => Kind::Results,
        // A person whose part is played by a model may use tools of its own; nothing is said in that.
        Role::User if turn.parts.iter().any(|it| it.function_call.is_some()) && turn.text().is_empty() => {
            Kind::Injected("tool-call".into())
        }
        Role::User => match injected_kind(&turn.parts) {
            Some(kind) => Kind::Injected(kind.into()),
            None => Kind::Prompt,
        },
    }
}

/// Why a model stopped, in genai's words.
pub(super) fn finish_reason(reason: &str) -> &'static str {
    match reason.to_ascii_lowercase().as_str() {
        "stop" | "end_turn" | "stop_sequence" | "tool_use" | "tool_calls" | "tool_call" | "tool-calls"
        | "completed" | "function_call" => "STOP",
        "length" | "max_tokens" | "max_output_tokens" | "incomplete" => "MAX_TOKENS",
        "content_filter" | "safety" | "refusal" => "SAFETY",
        "malformed_function_call" => "MALFORMED_FUNCTION_CALL",
        "recitation" => "RECITATION",
        _ => "FINISH_REASON_UNSPECIFIED",
    }
}
