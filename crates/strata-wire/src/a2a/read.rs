//! Calls as they come in.

use strata_model::{Json, Object, json};

use super::error::{A2aError, A2aFault};
use super::message::A2aMessage;
use super::version::A2aVersion;

/// A call of JSON-RPC.
#[derive(Debug, Clone, PartialEq)]
pub struct A2aCall {
    pub id: Json,
    pub version: A2aVersion,
    pub request: A2aRequest,
    /// The caller's own `context`, of a part of data: returned as it came, and never looked into.
    pub echo: Option<Json>,
}

/// What is asked.
#[derive(Debug, Clone, PartialEq)]
pub enum A2aRequest {
    Send { message: A2aMessage, options: SendOptions, is_streamed: bool },
    GetTask { id: String, history: Option<usize> },
    CancelTask { id: String },
    Subscribe { id: String },
}

/// How a message is to be answered.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SendOptions {
    /// Every id of a context that the call names, whatever it calls it.
    pub context_ids: Vec<String>,
    /// The task is answered as it begins.
    pub returns_at_once: bool,
    pub history: Option<usize>,
}

/// What a method asks for.
enum Method {
    Send,
    Stream,
    Get,
    Cancel,
    Subscribe,
    Push,
    ExtendedCard,
    List,
}

/// Each method in both spellings.
const METHODS: [(&str, &str, Method); 13] = [
    ("message/send", "SendMessage", Method::Send),
    ("message/stream", "SendStreamingMessage", Method::Stream),
    ("tasks/get", "GetTask", Method::Get),
    ("tasks/list", "ListTasks", Method::List),
    ("tasks/cancel", "CancelTask", Method::Cancel),
    ("tasks/resubscribe", "SubscribeToTask", Method::Subscribe),
    ("tasks/pushNotificationConfig/set", "CreateTaskPushNotificationConfig", Method::Push),
    ("tasks/pushNotificationConfig/set", "SetTaskPushNotificationConfig", Method::Push),
    ("tasks/pushNotificationConfig/get", "GetTaskPushNotificationConfig", Method::Push),
    ("tasks/pushNotificationConfig/list", "ListTaskPushNotificationConfigs", Method::Push),
    ("tasks/pushNotificationConfig/list", "ListTaskPushNotificationConfig", Method::Push),
    ("tasks/pushNotificationConfig/delete", "DeleteTaskPushNotificationConfig", Method::Push),
    ("agent/getAuthenticatedExtendedCard", "GetExtendedAgentCard", Method::ExtendedCard),
];

/// Reads a call. `version` is what its header names; its method says how it is spelled.
pub fn read_call(body: &[u8], version: Option<&str>) -> Result<A2aCall, Box<A2aFault>> {
    let named = version.map(str::trim).filter(|version| !version.is_empty());
    let known = named.map(A2aVersion::named);
    let mut fault = A2aFault {
        id: Json::Null,
        version: known.flatten().unwrap_or(A2aVersion::V1_0),
        error: A2aError::NotACall(String::new()),
        echo: None,
    };
    let refused = |fault: A2aFault, error| Err(Box::new(A2aFault { error, ..fault }));
    let body = match json::parse(body) {
        Ok(body) => body,
        Err(error) => return refused(fault, A2aError::NotJson(error.to_string())),
    };
    if let Some(id) = body.get("id").filter(|id| matches!(id, Json::String(_) | Json::Int(_))) {
        fault.id = id.clone();
    }
    fault.echo = echo(&body);
    if body.get("jsonrpc").and_then(Json::as_str) != Some("2.0") {
        return refused(fault, A2aError::NotACall("`jsonrpc` is not \"2.0\"".to_owned()));
    }
    let Some(name) = body.get("method").and_then(Json::as_str) else {
        return refused(fault, A2aError::NotACall("it has no `method`".to_owned()));
    };
    if known == Some(None) {
        return refused(fault, A2aError::VersionNotSupported(named.unwrap_or_default().to_owned()));
    }
    let found = METHODS.iter().find_map(|(old, new, method)| match name {
        _ if name == *old => Some((A2aVersion::V0_3, method)),
        _ if name == *new => Some((A2aVersion::V1_0, method)),
        _ => None,
    });
    let Some((spelled, method)) = found else {
        return refused(fault, A2aError::UnknownMethod(name.chars().take(100).collect()));
    };
    fault.version = spelled;
    let nothing = Object::new();
    let params = body.get("params").and_then(Json::as_object).unwrap_or(&nothing);
    let request = match method {
        Method::Send => send(params, false),
        Method::Stream => send(params, true),
        Method::Get => {
            task_id(params).and_then(|id| Ok(A2aRequest::GetTask { id, history: history(params)? }))
        }
        Method::Cancel => task_id(params).map(|id| A2aRequest::CancelTask { id }),
        Method::Subscribe => task_id(params).map(|id| A2aRequest::Subscribe { id }),
        Method::Push => return refused(fault, A2aError::PushNotSupported),
        Method::ExtendedCard => return refused(fault, A2aError::NoExtendedCard),
        Method::List => {
            let why = "Tasks are not listed. Get one by its id, or see them with `strata contexts show`.";
            return refused(fault, A2aError::Unsupported(why.to_owned()));
        }
    };
    match request {
        Ok(request) => Ok(A2aCall { id: fault.id, version: spelled, request, echo: fault.echo }),
        Err(problem) => {
            refused(fault, A2aError::InvalidParams(format!("The parameters cannot be read: {problem}.")))
        }
    }
}

/// The `context` of a part of data, or of the parameters in it.
fn echo(body: &Json) -> Option<Json> {
    let parts = body.get("params")?.get("message")?.get("parts")?.as_array()?;
    let own = |part: &Json| {
        let data = part.get("data")?;
        data.get("context").or_else(|| data.get("parameters")?.get("context")).cloned()
    };
    parts.iter().find_map(own)
}

fn send(params: &Object, is_streamed: bool) -> Result<A2aRequest, String> {
    let message = A2aMessage::read(params.get("message").ok_or("there is no `message`")?)?;
    let configuration = params.get("configuration").and_then(Json::as_object);
    let flag = |key: &str| configuration.and_then(|it| it.get(key)).and_then(Json::as_bool);
    let pushes = ["pushNotificationConfig", "taskPushNotificationConfig"];
    if pushes.iter().any(|key| configuration.is_some_and(|it| it.get(key).is_some_and(Json::is_truthy))) {
        return Err("push notifications are not offered; stream the message, or get its task".to_owned());
    }
    // Today's place is in the message; earlier it stood beside it, in either spelling.
    let mut context_ids: Vec<String> = message.context_id.iter().cloned().collect();
    for (holder, key) in
        [(Some(params), "contextId"), (Some(params), "context_id"), (inner(params), "context_id")]
    {
        match holder.and_then(|it| it.get(key)) {
            None | Some(Json::Null) => {}
            Some(Json::String(id)) => context_ids.extend(Some(id.to_string()).filter(|id| !id.is_empty())),
            Some(_) => return Err(format!("`{key}` is a text")),
        }
    }
    let options = SendOptions {
        context_ids,
        returns_at_once: flag("returnImmediately") == Some(true) || flag("blocking") == Some(false),
        history: configuration.map_or(Ok(None), history)?,
    };
    Ok(A2aRequest::Send { message, options, is_streamed })
}

fn inner(params: &Object) -> Option<&Object> {
    params.get("message").and_then(Json::as_object)
}

fn task_id(params: &Object) -> Result<String, String> {
    // 1.0 named tasks by a path for a while.
    let id = ["id", "name", "taskId"].iter().find_map(|key| params.get(key)).and_then(Json::as_str);
    let id = id.map(|id| id.strip_prefix("tasks/").unwrap_or(id)).filter(|id| !id.is_empty());
    id.map(str::to_owned).ok_or_else(|| "there is no `id` of a task".to_owned())
}

fn history(holder: &Object) -> Result<Option<usize>, String> {
    match holder.get("historyLength") {
        None | Some(Json::Null) => Ok(None),
        Some(length) => {
            let length = length.as_i64().and_then(|length| usize::try_from(length).ok());
            length.map(Some).ok_or_else(|| "`historyLength` is a number from 0".to_owned())
        }
    }
}
