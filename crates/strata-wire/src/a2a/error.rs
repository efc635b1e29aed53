//! Errors as JSON-RPC tells them.

use strata_model::{Json, Object};

use super::version::A2aVersion;

/// Names the errors that are told by more than a number.
const DOMAIN: &str = "strata";

/// Why a call was not answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum A2aError {
    NotJson(String),
    NotACall(String),
    UnknownMethod(String),
    InvalidParams(String),
    TaskNotFound(String),
    TaskNotCancelable(String),
    PushNotSupported,
    Unsupported(String),
    NoExtendedCard,
    VersionNotSupported(String),
    /// A rule of contexts: its code, what happened and what to do, and the context it is about.
    Context {
        code: &'static str,
        message: String,
        context_id: Option<String>,
        expired_at: Option<String>,
    },
    Internal(String),
}

/// An error, and the call it answers.
#[derive(Debug, Clone, PartialEq)]
pub struct A2aFault {
    pub id: Json,
    pub version: A2aVersion,
    pub error: A2aError,
    /// The caller's own `context`: it comes back as it was sent.
    pub echo: Option<Json>,
}

impl A2aError {
    fn number(&self) -> i64 {
        match self {
            Self::NotJson(_) => -32700,
            Self::NotACall(_) => -32600,
            Self::UnknownMethod(_) => -32601,
            Self::InvalidParams(_) => -32602,
            Self::Internal(_) => -32603,
            Self::TaskNotFound(_) => -32001,
            Self::TaskNotCancelable(_) => -32002,
            Self::PushNotSupported => -32003,
            Self::Unsupported(_) => -32004,
            Self::NoExtendedCard => -32007,
            Self::VersionNotSupported(_) => -32009,
            // Numbers up to here are the protocol's; this one is free for servers.
            Self::Context { .. } => -32050,
        }
    }

    /// The name by which programs tell errors apart.
    pub fn reason(&self) -> &'static str {
        match self {
            Self::NotJson(_) => "PARSE_ERROR",
            Self::NotACall(_) => "INVALID_REQUEST",
            Self::UnknownMethod(_) => "METHOD_NOT_FOUND",
            Self::InvalidParams(_) => "INVALID_PARAMS",
            Self::Internal(_) => "INTERNAL",
            Self::TaskNotFound(_) => "TASK_NOT_FOUND",
            Self::TaskNotCancelable(_) => "TASK_NOT_CANCELABLE",
            Self::PushNotSupported => "PUSH_NOTIFICATION_NOT_SUPPORTED",
            Self::Unsupported(_) => "UNSUPPORTED_OPERATION",
            Self::NoExtendedCard => "EXTENDED_AGENT_CARD_NOT_CONFIGURED",
            Self::VersionNotSupported(_) => "VERSION_NOT_SUPPORTED",
            Self::Context { code, .. } => code,
        }
    }

    fn message(&self) -> String {
        match self {
            Self::NotJson(problem) => format!("The body is no JSON: {problem}."),
            Self::NotACall(problem) => format!("This is no call of JSON-RPC 2.0: {problem}."),
            Self::UnknownMethod(method) => format!("There is no method {method}."),
            Self::InvalidParams(problem) => problem.clone(),
            Self::TaskNotFound(id) => format!("There is no task {id}."),
            Self::TaskNotCancelable(problem) | Self::Unsupported(problem) | Self::Internal(problem) => {
                problem.clone()
            }
            Self::PushNotSupported => {
                "Push notifications are not offered. Stream the task, subscribe to it, or get it.".to_owned()
            }
            Self::NoExtendedCard => "The agent card that everybody gets is all there is.".to_owned(),
            Self::VersionNotSupported(version) => {
                format!("Version {version} of the protocol is not spoken here: 1.0 and 0.3 are.")
            }
            Self::Context { message, .. } => message.clone(),
        }
    }

    /// What is told beside the message: in 1.0 a list of details of Google's kind, before an object.
    fn data(&self, version: A2aVersion, echo: Option<&Json>) -> Json {
        let mut facts = Object::new();
        if let Self::Context { context_id, expired_at, .. } = self {
            facts.push_some("context_id", context_id.as_deref().map(Json::from));
            facts.push_some("contextId", context_id.as_deref().map(Json::from));
            facts.push_some("expired_at", expired_at.as_deref().map(Json::from));
        }
        match version {
            A2aVersion::V0_3 => {
                let mut data = Object::from_iter([("code", Json::from(self.reason()))]);
                data.update(&facts);
                data.push_some("context", echo.cloned());
                data.into()
            }
            A2aVersion::V1_0 => {
                let info = Object::from_iter([
                    ("@type", Json::from("type.googleapis.com/google.rpc.ErrorInfo")),
                    ("reason", self.reason().into()),
                    ("domain", DOMAIN.into()),
                    ("metadata", facts.into()),
                ]);
                let echoed = echo.map(|echo| {
                    let value = Object::from_iter([("context", echo.clone())]);
                    let kind = "type.googleapis.com/google.protobuf.Struct";
                    Json::from(Object::from_iter([("@type", Json::from(kind)), ("value", value.into())]))
                });
                [info.into()].into_iter().chain(echoed).collect::<Vec<Json>>().into()
            }
        }
    }
}

impl A2aFault {
    pub fn to_json(&self) -> Json {
        let error = Object::from_iter([
            ("code", Json::Int(self.error.number())),
            ("message", self.error.message().into()),
            ("data", self.error.data(self.version, self.echo.as_ref())),
        ]);
        Object::from_iter([("jsonrpc", Json::from("2.0")), ("id", self.id.clone()), ("error", error.into())])
            .into()
    }
}
