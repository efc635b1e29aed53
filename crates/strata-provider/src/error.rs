//! What goes wrong when a model is asked.

use strata_wire::Answer;

/// Why there is no answer, or not all of it.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{message}")]
pub struct CallError {
    pub kind: CallErrorKind,
    /// What happened and what to do, in sentences. What is kept of the answer is for those to say who keep it. It holds
    /// no key.
    pub message: String,
    /// What had come of the answer.
    pub partial: Option<Box<Answer>>,
    /// The server may have done work for it, and charge for that.
    pub may_be_charged: bool,
    /// How often the request was sent.
    pub attempts: u32,
}

/// A kind exists because some caller acts on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallErrorKind {
    /// The address or a header cannot be used.
    Misconfigured,
    Unreachable,
    TimedOut,
    /// The key is missing, wrong, or not allowed to do this.
    Unauthorised,
    /// There is no such model, or no such address.
    NotFound,
    /// The server does not take this request.
    BadRequest,
    /// It does not take pictures; without them it may take the request.
    PictureRefused,
    /// Too many requests, or the credit is used up.
    RateLimited,
    ServerFailed,
    /// The connection ended in the middle of the answer.
    CutOff,
    /// What came is no answer.
    Malformed,
    Empty,
    TooLong,
    Cancelled,
}

impl CallErrorKind {
    pub fn name(self) -> &'static str {
        match self {
            Self::Misconfigured => "misconfigured",
            Self::Unreachable => "unreachable",
            Self::TimedOut => "timed_out",
            Self::Unauthorised => "unauthorised",
            Self::NotFound => "not_found",
            Self::BadRequest => "bad_request",
            Self::PictureRefused => "picture_refused",
            Self::RateLimited => "rate_limited",
            Self::ServerFailed => "server_failed",
            Self::CutOff => "cut_off",
            Self::Malformed => "malformed",
            Self::Empty => "empty",
            Self::TooLong => "too_long",
            Self::Cancelled => "cancelled",
        }
    }
}

impl CallError {
    pub(crate) fn new(kind: CallErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), partial: None, may_be_charged: false, attempts: 1 }
    }

    pub(crate) fn charged(self) -> Self {
        Self { may_be_charged: true, ..self }
    }

    pub(crate) fn with_partial(self, answer: Answer) -> Self {
        Self { partial: Some(Box::new(answer)), ..self }
    }
}
