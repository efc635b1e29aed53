//! Calls that need a credential: asking for it, and keeping what was given for the invocation.

use std::collections::HashSet;
use std::sync::Arc;

use strata_engine::adk_text::REQUEST_CREDENTIAL;
use strata_model::{Content, Event, FunctionCall, Json, Object, Part, Str};

use crate::context::{InvocationContext, credential_key};
use crate::hooks::own_event;
use crate::live::LiveSession;

/// The event that asks for the credentials that calls need, each once.
pub(crate) fn request_event(invocation: &InvocationContext, answers: &Event) -> Option<Event> {
    let requested = &answers.actions.requested_auth_configs;
    if requested.is_empty() {
        return None;
    }
    let mut keys = HashSet::new();
    let mut ids = Vec::new();
    let mut parts = Vec::new();
    for (call_id, config) in requested.iter() {
        let key = config.as_object().and_then(credential_key);
        if key.is_some_and(|key| !keys.insert(key)) {
            continue;
        }
        let mut args = Object::from_iter([("functionCallId", Json::from(call_id.clone()))]);
        args.push("authConfig", config.clone());
        let id = invocation.run.new_call_id();
        ids.push(id.clone());
        parts.push(Part::from_call(FunctionCall {
            id: Some(id),
            name: Some(REQUEST_CREDENTIAL.into()),
            args: Some(Arc::new(args)),
            ..FunctionCall::default()
        }));
    }
    let role = answers.content.as_ref().and_then(|content| content.role.clone());
    let content = Content { role, ..Content::new("", parts) };
    Some(Event {
        content: Some(Arc::new(content)),
        long_running_tool_ids: Some(ids),
        ..own_event(invocation)
    })
}

/// Keeps the credentials of the user's last words, and gives the ids of the calls that waited for them.
pub(crate) fn take_answers(live: &mut LiveSession, events: &[Arc<Event>]) -> HashSet<Str> {
    let Some(last) = events.iter().rev().find(|event| event.content.is_some()) else { return HashSet::new() };
    if !last.is_from_user() {
        return HashSet::new();
    }
    let mut calls = HashSet::new();
    let mut keys = HashSet::new();
    for response in last.function_responses() {
        if response.name.as_deref() != Some(REQUEST_CREDENTIAL) {
            continue;
        }
        let Some(request) = response.id.as_deref().and_then(|id| request_of(events, id)) else { continue };
        let given = response.response.as_deref().cloned().unwrap_or_default();
        let Some(credential) = credential_of(&request.config, &given.into()) else { continue };
        if let Some(key) = credential_key(&request.config) {
            live.state.insert(key.clone(), credential);
            keys.insert(key);
        }
        calls.insert(request.call_id);
    }
    // Calls that need the same credential were not asked about one by one.
    for event in events {
        for (call_id, config) in event.actions.requested_auth_configs.iter() {
            if config.as_object().and_then(credential_key).is_some_and(|key| keys.contains(&key)) {
                calls.insert(call_id.clone());
            }
        }
    }
    calls
}

struct Request {
    call_id: Str,
    config: Object,
}

fn request_of(events: &[Arc<Event>], id: &str) -> Option<Request> {
    let calls = events.iter().flat_map(|event| event.function_calls());
    let asks = |call: &&FunctionCall| {
        call.id.as_deref() == Some(id) && call.name.as_deref() == Some(REQUEST_CREDENTIAL)
    };
    let args = calls.filter(asks).last()?.args.clone()?;
    let call_id = args.get("functionCallId").or_else(|| args.get("function_call_id"))?.as_str()?.into();
    let config = args.get("authConfig").or_else(|| args.get("auth_config"))?.as_object()?.clone();
    Some(Request { call_id, config })
}

/// The credential in an answer: a whole `AuthConfig`, a credential, or the bare key where one is asked for.
pub(crate) fn credential_of(requested: &Object, answer: &Json) -> Option<Json> {
    let member = |value: &Json, camel: &str, snake: &str| {
        value.get(camel).or_else(|| value.get(snake)).filter(|value| !value.is_null()).cloned()
    };
    if member(answer, "authScheme", "auth_scheme").is_some() {
        return member(answer, "exchangedAuthCredential", "exchanged_auth_credential");
    }
    if member(answer, "authType", "auth_type").is_some() {
        return Some(answer.clone());
    }
    let raw = requested.get("rawAuthCredential").or_else(|| requested.get("raw_auth_credential"));
    let kind = raw.and_then(|raw| member(raw, "authType", "auth_type"));
    let is_key = kind.as_ref().and_then(Json::as_str) == Some("apiKey");
    let is_plain = matches!(answer, Json::String(_) | Json::Int(_) | Json::Float(_));
    (is_key && is_plain).then(|| {
        let mut credential = Object::from_iter([("authType", "apiKey")]);
        credential.push("apiKey", strata_model::python::str(answer));
        credential.into()
    })
}
