//! Claude Code's records: requests and answers as they were sent stand in log records, times and counts in others and in spans.

use std::collections::HashMap;

use strata_model::take::take_count;
use strata_model::{Json, Object, Str};

use super::log::Log;
use crate::draft::Draft;
use crate::telemetry::span::Span;

/// How the span of a call is called.
const SPAN: &str = "claude_code.llm_request";

/// What is told of one call.
#[derive(Default)]
struct Call {
    /// The first record of it.
    log: Option<Log>,
    request_id: Option<Str>,
    end: Option<f64>,
    error: Option<Str>,
    attributes: Object,
}

/// Takes the records of Claude Code out of the others, and makes calls of them.
pub(super) fn take_calls(spans: &mut Vec<Span>, logs: Vec<Log>, draft: &mut Draft) -> Vec<Log> {
    for span in spans.iter_mut().filter(|span| is_call(span)) {
        let failed = span.attributes.get("success").and_then(Json::as_bool) == Some(false);
        if failed && span.error.is_none() {
            span.error = Some(span.text("error").unwrap_or_else(|| "the call failed".into()));
        }
        let mut attributes = std::mem::take(&mut span.attributes);
        attributes.insert("gen_ai.operation.name", "chat");
        count(&mut attributes);
        let agent = agent_of(&attributes);
        attributes.insert("gen_ai.agent.name", agent);
        // The id of the request; that of the answer stands in the answer.
        if let Some(id) = attributes.remove("gen_ai.response.id") {
            attributes.insert("request_id", id);
        }
        span.attributes = attributes;
    }
    let (calls, rest) = calls(logs, draft);
    let mut calls: Vec<Option<Call>> = calls.into_iter().map(Some).collect();
    let mut by_request: HashMap<Str, Vec<usize>> = HashMap::new();
    for (at, call) in calls.iter().enumerate().rev() {
        if let Some(id) = call.as_ref().and_then(|call| call.request_id.clone()) {
            by_request.entry(id).or_default().push(at);
        }
    }
    for span in spans.iter_mut().filter(|span| is_call(span)) {
        let Some(id) = span.text("request_id") else { continue };
        let at = by_request.get_mut(&id).and_then(Vec::pop);
        if let Some(call) = at.and_then(|at| calls[at].take()) {
            span.attributes.update(&call.attributes);
        }
    }
    spans.extend(calls.into_iter().flatten().filter_map(Call::span));
    rest
}

fn is_call(span: &Span) -> bool {
    &*span.name == SPAN
}

/// The calls that records tell of, in their order, and the records of others.
fn calls(logs: Vec<Log>, draft: &mut Draft) -> (Vec<Call>, Vec<Log>) {
    let mut calls: Vec<Call> = Vec::new();
    let (mut by_body, mut by_request) = (HashMap::<Str, usize>::new(), HashMap::<Str, usize>::new());
    let (mut rest, mut counted) = (Vec::new(), Vec::new());
    for log in logs {
        let id = |key: &str| log.event.attributes.get(key).and_then(Json::as_str).map(Str::from);
        let name = log.event.name.strip_prefix("claude_code.").unwrap_or(&log.event.name);
        match name {
            "api_request_body" | "api_response_body" => {
                let (body, request) = (id("request_body_id"), id("request_id"));
                let known = body.as_ref().and_then(|id| by_body.get(id)).copied();
                let at = known.unwrap_or(calls.len());
                if at == calls.len() {
                    calls.push(Call::default());
                }
                by_body.extend(body.map(|id| (id, at)));
                by_request.extend(request.clone().map(|id| (id, at)));
                calls[at].request_id = calls[at].request_id.take().or(request);
                calls[at].body(name == "api_request_body", log);
            }
            // It may stand before the body of its answer, which says which request that was to.
            "api_request" | "api_error" if id("model").is_some() => counted.push(log),
            _ => rest.push(log),
        }
    }
    for log in counted {
        let text = |key: &str| log.event.attributes.get(key).and_then(Json::as_str).map(Str::from);
        let request = text("request_id");
        let known = request.as_ref().and_then(|id| by_request.get(id)).copied();
        let at = known.unwrap_or(calls.len());
        if at == calls.len() {
            calls.push(Call { request_id: request.clone(), ..Call::default() });
            by_request.extend(request.map(|id| (id, at)));
        }
        if log.event.name.ends_with("api_error") {
            calls[at].error = text("error").or(Some("the call failed".into()));
        }
        draft.unmapped.record(&log.event.name, log.source.clone());
        calls[at].counts(log);
    }
    (calls, rest)
}

impl Call {
    fn body(&mut self, is_request: bool, log: Log) {
        let name = if is_request { "llm.request.body" } else { "llm.response.body" };
        if let Some(body) = log.event.attributes.get("body") {
            self.attributes.insert(name, body.clone());
        }
        self.about(&log);
        for (said, key) in [("message.id", "gen_ai.response.id"), ("message.uuid", "message.uuid")] {
            if let Some(id) = log.event.attributes.get(said) {
                self.attributes.insert(key, id.clone());
            }
        }
        if is_request {
            self.log = Some(log);
        } else {
            self.end = log.time;
            self.log.get_or_insert(log);
        }
    }

    fn counts(&mut self, log: Log) {
        let mut counts = log.event.attributes.clone();
        count(&mut counts);
        for (key, value) in counts.iter().filter(|(key, _)| key.starts_with("gen_ai.usage.")) {
            self.attributes.insert(key.clone(), value.clone());
        }
        self.about(&log);
        self.end = self.end.or(log.time);
        self.log.get_or_insert(log);
    }

    /// Who asked for what.
    fn about(&mut self, log: &Log) {
        let said = &log.event.attributes;
        for (key, names) in [
            ("gen_ai.conversation.id", ["session.id", "gen_ai.conversation.id"]),
            ("gen_ai.request.model", ["model", "gen_ai.request.model"]),
            ("prompt.id", ["prompt.id", "prompt_id"]),
        ] {
            let value = names.iter().find_map(|name| said.get(name));
            if let (Some(value), false) = (value, self.attributes.contains_key(key)) {
                self.attributes.insert(key, value.clone());
            }
        }
        let agent = agent_of(said);
        self.attributes.insert("gen_ai.agent.name", agent);
    }

    fn span(mut self) -> Option<Span> {
        let log = self.log?;
        self.attributes.insert("gen_ai.operation.name", "chat");
        let id = self.request_id.unwrap_or_else(|| format!("request at {}", log.time.unwrap_or(0.0)).into());
        Some(Span {
            name: SPAN.into(),
            trace: log.trace,
            id,
            parent: Some(log.span).filter(|span| !span.is_empty()),
            start: log.time,
            end: self.end,
            attributes: self.attributes,
            events: Vec::new(),
            error: self.error,
            source: log.source,
        })
    }
}

/// Who asks: a sub-agent by its name.
fn agent_of(said: &Object) -> String {
    let source = ["query_source", "query_source_safe"].iter().find_map(|key| said.get(key)?.as_str());
    // Spans have points where records have colons.
    match source.and_then(|source| source.strip_prefix("agent").filter(|name| !name.is_empty())) {
        Some(agent) => format!("claude.{}", agent.rsplit([':', '.']).next().unwrap_or(agent)),
        None => "claude".to_owned(),
    }
}

/// Counts by the names of the conventions, where the input has the cached tokens in it; here they stand beside it.
fn count(attributes: &mut Object) {
    let mut take = |key: &str| take_count(attributes, key).and_then(|count| i64::try_from(count).ok());
    let input = take("input_tokens");
    let output = take("output_tokens");
    let cached = take("cache_read_tokens");
    let written = take("cache_creation_tokens");
    if let Some(input) = input {
        let whole = input.saturating_add(cached.unwrap_or(0)).saturating_add(written.unwrap_or(0));
        attributes.insert("gen_ai.usage.input_tokens", whole);
    }
    attributes.push_some("gen_ai.usage.output_tokens", output);
    attributes.push_some("gen_ai.usage.cache_read.input_tokens", cached);
    attributes.push_some("gen_ai.usage.cache_creation.input_tokens", written);
}
