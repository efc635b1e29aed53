//! What is asked of a served app, and what it answers.

use strata_context::{ContextError, Door, IdPlace, Millis, Principal, Retention, Ttl};
use strata_model::{Json, Object, json};
use strata_store::{ContextFailure, StoreError};

use crate::error::{AppError, ErrorCode};

/// Who asks, and what a request says beside its body.
#[derive(Debug, Clone)]
pub struct Asker {
    pub principal: Principal,
    /// Ids of contexts in headers, the query and cookies.
    pub context_ids: Vec<(IdPlace, String)>,
}

impl Asker {
    /// Cookies are for clients of plain HTTP: others send what they were sent without knowing of it.
    pub(crate) fn named_ids(&self) -> impl Iterator<Item = (IdPlace, String)> + '_ {
        self.context_ids.iter().filter(|(place, _)| *place != IdPlace::Cookie).cloned()
    }
}

/// A request of a client.
#[derive(Debug, Clone)]
pub struct Ask {
    pub door: Door,
    pub principal: Principal,
    /// Every id of a context that the request names, with its place.
    pub context_ids: Vec<(IdPlace, String)>,
    /// `None`: the root of the app.
    pub agent: Option<String>,
    pub message: String,
    /// A task that waits for what is said here.
    pub task_id: Option<String>,
    /// Keys of the working state to set before the agent is asked; null takes one away.
    pub state: Object,
    pub ttl: Option<Ttl>,
    pub retention: Option<Retention>,
}

impl Ask {
    pub fn new(door: Door, principal: Principal, message: impl Into<String>) -> Self {
        Self {
            door,
            principal,
            context_ids: Vec::new(),
            agent: None,
            message: message.into(),
            task_id: None,
            state: Object::new(),
            ttl: None,
            retention: None,
        }
    }
}

/// How a request ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AnswerStatus {
    Completed,
    /// Calls of tools wait for an answer from outside.
    InputRequired,
    Failed,
    Canceled,
}

impl AnswerStatus {
    pub fn name(self) -> &'static str {
        match self {
            Self::Completed => "completed",
            Self::InputRequired => "input_required",
            Self::Failed => "failed",
            Self::Canceled => "canceled",
        }
    }
}

/// What a request came to. Its context goes on, however it ended.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    pub context_id: String,
    pub task_id: String,
    /// Who answered: whom the conversation was handed to, where that is not the one who was asked.
    pub agent: String,
    pub status: AnswerStatus,
    /// The answer, the question, or what went wrong.
    pub text: String,
    pub waiting: Vec<WaitingTool>,
    /// Keys that the agent changed, and somebody else changed differently meanwhile: theirs stayed.
    pub conflicts: Vec<String>,
}

impl Answer {
    /// The answer of an agent that answers programs: a JSON object.
    pub(super) fn object(&self) -> Option<Object> {
        (self.status == AnswerStatus::Completed).then(|| object(&self.text)).flatten()
    }
}

/// The JSON object that a text is.
pub(super) fn object(text: &str) -> Option<Object> {
    match json::parse(text.trim().as_bytes()) {
        Ok(Json::Object(object)) => Some(object),
        _ => None,
    }
}

/// A call that waits for an answer from outside.
#[derive(Debug, Clone, PartialEq)]
pub struct WaitingTool {
    pub id: String,
    pub name: String,
    pub arguments: Json,
}

/// Why a request was not taken on. Nothing of it has happened.
#[derive(Debug, Clone, thiserror::Error)]
pub enum ServeError {
    #[error(transparent)]
    Context(#[from] ContextError),
    #[error(transparent)]
    App(#[from] AppError),
}

impl From<StoreError> for ServeError {
    fn from(error: StoreError) -> Self {
        Self::App(error.into())
    }
}

impl From<ContextFailure> for ServeError {
    fn from(failure: ContextFailure) -> Self {
        match failure {
            ContextFailure::Refused(error) => Self::Context(error),
            ContextFailure::Store(error) => error.into(),
        }
    }
}

impl ServeError {
    pub fn code(&self) -> &'static str {
        match self {
            Self::Context(error) => error.code(),
            Self::App(error) => match error.code {
                ErrorCode::NotFound => "NOT_FOUND",
                ErrorCode::BadInput | ErrorCode::Unreadable | ErrorCode::NotCompiled => "INVALID_REQUEST",
                ErrorCode::Store => "STORE",
                ErrorCode::Provider => "PROVIDER",
                ErrorCode::Internal => "INTERNAL",
            },
        }
    }

    /// The id that was asked for, of one that is not there.
    pub fn context_id(&self) -> Option<&str> {
        match self {
            Self::Context(ContextError::Expired { id, .. }) => Some(id.as_str()),
            Self::Context(_) | Self::App(_) => None,
        }
    }

    pub fn expired_at(&self) -> Option<Millis> {
        match self {
            Self::Context(ContextError::Expired { expired_at, .. }) => *expired_at,
            Self::Context(_) | Self::App(_) => None,
        }
    }

    /// The status by which HTTP tells it.
    pub fn status(&self) -> u16 {
        match self {
            Self::Context(error) => match error {
                ContextError::Expired { .. } => 410,
                ContextError::UnknownTask(_) => 404,
                ContextError::StateTooLarge { .. } => 413,
                ContextError::Malformed(_) | ContextError::TwoIds { .. } | ContextError::Retention(_) => 400,
                ContextError::TaskExists(_)
                | ContextError::TaskEnded { .. }
                | ContextError::TaskAtWork(_)
                | ContextError::TaskCycle { .. }
                | ContextError::StillWaiting { .. }
                | ContextError::WorkflowElsewhere { .. }
                | ContextError::TasksOpen(_) => 409,
            },
            Self::App(error) => match error.code {
                ErrorCode::NotFound => 404,
                ErrorCode::BadInput => 400,
                ErrorCode::Unreadable | ErrorCode::NotCompiled => 422,
                ErrorCode::Store => 503,
                ErrorCode::Provider => 502,
                ErrorCode::Internal => 500,
            },
        }
    }

    /// As a document: `code`, `message`, and of a context that is not there its id and when it expired.
    pub fn to_json(&self) -> Object {
        let mut error =
            Object::from_iter([("code", Json::from(self.code())), ("message", self.to_string().into())]);
        error.push_some("context_id", self.context_id());
        error.push_some("expired_at", self.expired_at().map(iso));
        error
    }
}

/// `2026-11-22T09:00:00Z`.
pub(super) fn iso(at: Millis) -> String {
    jiff::Timestamp::from_millisecond(at.0).unwrap_or(jiff::Timestamp::UNIX_EPOCH).to_string()
}
