//! Calls of agents and tools of other servers, as A2A and MCP carry them in JSON-RPC: no model is asked by them, but what is
//! asked, what is answered, and in which context, is in them.

use std::sync::Arc;

use strata_model::{FunctionCall, FunctionResponse, Json, Object, Part, Str, json};
use strata_wire::NamedContext;

use crate::draft::{Draft, EventDraft, Kind};
use crate::findings::Findings;
use crate::format::Format;
use crate::imported::ImportedSession;
use crate::marks;
use crate::source::SourceRecord;

/// Methods of A2A, as 0.3 and 1.0 spell them.
const A2A: [&str; 12] = [
    "message/send",
    "message/stream",
    "tasks/get",
    "tasks/list",
    "tasks/cancel",
    "tasks/resubscribe",
    "SendMessage",
    "SendStreamingMessage",
    "GetTask",
    "ListTasks",
    "CancelTask",
    "SubscribeToTask",
];

/// A call of another server.
#[derive(Debug)]
pub(crate) struct ServiceCall {
    pub(crate) url: String,
    pub(crate) request: Object,
    /// A document, or a stream of them.
    pub(crate) response: Option<Json>,
    /// When it was sent and answered, in epoch seconds.
    pub(crate) time: Option<f64>,
    pub(crate) end: Option<f64>,
    /// The contexts that its address and its headers name.
    pub(crate) contexts: Vec<NamedContext>,
    pub(crate) source: SourceRecord,
}

/// Such calls, a session for each server.
#[derive(Debug, Default)]
pub(crate) struct ServiceCalls {
    servers: Vec<(String, Draft)>,
}

/// The call of JSON-RPC that a body is, where it asks an agent or a tool for something.
pub(crate) fn service_request(body: &Json) -> Option<Object> {
    let parsed = match body {
        Json::String(text) if text.contains("\"jsonrpc\"") => json::parse(text.as_bytes()).ok()?,
        Json::Object(_) => body.clone(),
        _ => return None,
    };
    let Json::Object(call) = parsed else { return None };
    let method = call.get("method").and_then(Json::as_str)?;
    let is_one = call.get("jsonrpc").is_some() && (method == "tools/call" || A2A.contains(&method));
    is_one.then_some(call)
}

impl ServiceCalls {
    pub(crate) fn add(&mut self, call: ServiceCall) {
        let params = call.request.get("params").and_then(Json::as_object).cloned().unwrap_or_default();
        let method = call.request.get("method").and_then(Json::as_str).unwrap_or_default();
        let (name, args) = match method {
            "tools/call" => {
                let args = params.get("arguments").and_then(Json::as_object).cloned().unwrap_or_default();
                (format!("mcp_{}", params.get("name").and_then(Json::as_str).unwrap_or_default()), args)
            }
            method => {
                let message = params.get("message").and_then(Json::as_object).cloned();
                (format!("a2a_{}", method.replace('/', "_")), message.unwrap_or(params))
            }
        };
        let id =
            call.request.get("id").map(|id| id.as_str().map_or_else(|| json::to_compact(id), str::to_owned));
        let draft = self.server(&call.url);
        let called = FunctionCall {
            id: id.as_deref().map(Str::from),
            name: Some(name.as_str().into()),
            args: Some(Arc::new(args)),
            ..FunctionCall::default()
        };
        let asked = EventDraft::new(Kind::Prompt, vec![Part::from_call(called)], call.source.clone());
        let at = draft.push(EventDraft { time: call.time, ..asked });
        if !call.contexts.is_empty() {
            draft.mark(
                at,
                marks::CONTEXTS,
                call.contexts.iter().map(marks::named_context).collect::<Vec<_>>(),
            );
        }
        let Some(response) = call.response.as_ref().and_then(answer) else { return };
        let answered = FunctionResponse {
            id: id.as_deref().map(Str::from),
            name: Some(name.into()),
            response: Some(Arc::new(response)),
            ..FunctionResponse::default()
        };
        let answered = EventDraft::new(Kind::Results, vec![Part::from_response(answered)], call.source);
        draft.push(EventDraft { time: call.end.or(call.time), ..answered });
    }

    /// The session of a server, which its address without a query names.
    fn server(&mut self, url: &str) -> &mut Draft {
        let address = url.split(['?', '#']).next().unwrap_or_default();
        let at = self.servers.iter().position(|(known, _)| known == address).unwrap_or_else(|| {
            let mut draft = Draft::new("services", "server");
            draft.session.id = address.into();
            draft.title = Some(format!("Calls of {address}").into());
            self.servers.push((address.to_owned(), draft));
            self.servers.len() - 1
        });
        &mut self.servers[at].1
    }

    pub(crate) fn finish(self, format: Format, findings: &mut Findings) -> Vec<ImportedSession> {
        if !self.servers.is_empty() {
            let message = "agents and tools of other servers were asked over A2A or MCP: a session for each server, in which no \
                           model is asked";
            findings.info("service-calls", "", message);
        }
        self.servers.into_iter().filter_map(|(_, draft)| draft.finish(format, findings)).collect()
    }
}

/// The result of a call, or its error; of a stream all that came, one after the other.
fn answer(response: &Json) -> Option<Object> {
    let documents = match response {
        Json::String(text) if text.trim_start().starts_with('{') => vec![json::parse(text.as_bytes()).ok()?],
        Json::String(text) => {
            let data = text.lines().filter_map(|line| line.strip_prefix("data:"));
            data.filter_map(|data| json::parse(data.trim().as_bytes()).ok()).collect()
        }
        document => vec![document.clone()],
    };
    let results = documents.iter().filter_map(|document| {
        let result = document.get("result").or_else(|| document.get("error"))?;
        // 1.0 says what its result is by a member around it.
        ["task", "message"]
            .iter()
            .find_map(|kind| result.get(kind)?.as_object())
            .or_else(|| result.as_object())
    });
    let mut results: Vec<Object> = results.cloned().collect();
    match results.len() {
        0 => None,
        1 => results.pop(),
        _ => {
            Some(Object::from_iter([("content", results.into_iter().map(Json::Object).collect::<Vec<_>>())]))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(url: &str, request: &str, response: &str) -> Option<ServiceCall> {
        Some(ServiceCall {
            url: url.to_owned(),
            request: service_request(&Json::from(request))?,
            response: Some(Json::from(response)),
            time: Some(10.0),
            end: Some(11.0),
            contexts: Vec::new(),
            source: SourceRecord::Bytes(0..1),
        })
    }

    #[test]
    fn calls_of_agents_and_tools_are_sessions_of_their_servers() {
        let mut calls = ServiceCalls::default();
        let a2a = r#"{"jsonrpc": "2.0", "id": 1, "method": "message/send",
            "params": {"message": {"messageId": "m", "contextId": "ctx-1", "parts": [{"kind": "text", "text": "Hello"}]}}}"#;
        let task =
            r#"{"jsonrpc": "2.0", "id": 1, "result": {"kind": "task", "contextId": "ctx-1", "id": "t"}}"#;
        calls.add(call("http://a/a2a", a2a, task).unwrap());
        let stream = format!("data: {task}\n\ndata: {task}\n\n");
        calls.add(call("http://a/a2a?x=1", a2a, &stream).unwrap());
        let mcp = r#"{"jsonrpc": "2.0", "id": "x", "method": "tools/call",
            "params": {"name": "get_products", "arguments": {"context_id": "ctx-2"}}}"#;
        let result = r#"{"jsonrpc": "2.0", "id": "x", "result": {"content": [], "structuredContent": {"context_id": "ctx-2"}}}"#;
        calls.add(call("http://b/mcp", mcp, result).unwrap());
        let listing = r#"{"jsonrpc": "2.0", "id": 3, "method": "tools/list"}"#;
        assert!(call("http://b/mcp", listing, "{}").is_none(), "nothing is asked");
        let mut findings = Findings::default();
        let sessions = calls.finish(Format::HAR, &mut findings);
        let shapes = sessions.iter().map(|session| {
            let parts = session.session.events.iter().flat_map(|event| event.parts());
            let names = parts.filter_map(|part| {
                let called = part.function_call.as_ref().and_then(|call| call.name.clone());
                called.or_else(|| part.function_response.as_ref().and_then(|answer| answer.name.clone()))
            });
            (session.title.clone(), names.map(|name| name.to_string()).collect::<Vec<_>>().join(" "))
        });
        let a2a_calls = "a2a_message_send a2a_message_send a2a_message_send a2a_message_send";
        assert_eq!(
            shapes.collect::<Vec<_>>(),
            [
                ("Calls of http://a/a2a".to_owned(), a2a_calls.to_owned()),
                ("Calls of http://b/mcp".to_owned(), "mcp_get_products mcp_get_products".to_owned()),
            ]
        );
    }
}
