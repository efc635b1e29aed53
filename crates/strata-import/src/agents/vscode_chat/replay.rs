//! What Copilot's chat exports of its requests (`.chatreplay.json`): prompts, each with the requests and calls of tools that
//! followed. Requests hold the messages as the extension had them, by numbers for roles and for kinds of parts.

use std::collections::VecDeque;

use strata_model::take::{take_any, take_first_text, take_list, take_object, take_text};
use strata_model::{Json, Object, Str};

use crate::align::{Step, sessions};
use crate::document_file::DocumentFormat;
use crate::documents::Document;
use crate::draft::Draft;
use crate::exchange::{Exchange, read_exchange};
use crate::findings::Findings;
use crate::format::Format;
use crate::imported::ImportedSession;
use crate::keys::Keys;
use crate::source::SourceRecord;
use crate::time::{take_time, time_of};

/// All prompts of a chat, or one of them.
pub(crate) fn is_replay(keys: Keys<'_>) -> bool {
    let is_export = keys.has_all(&["prompts", "exportedAt"])
        && (keys.has("totalLogEntries") || keys.first_has("prompts", &["prompt", "logs"]));
    is_export || keys.has_all(&["prompt", "logs", "logCount"])
}

pub(crate) static DOCUMENTS: DocumentFormat =
    DocumentFormat { lists: &["prompts", "logs"], repeats: false, read, read_other: None };

fn read(documents: Vec<Document>, format: Format, findings: &mut Findings) -> Vec<ImportedSession> {
    let mut draft = Draft::new("vscode-chat", "copilot");
    let mut steps = Vec::new();
    for mut document in documents {
        for value in document.take("prompts") {
            let source = value.source();
            let Some(mut prompt) = draft.object("prompts", value.json) else { continue };
            let logs = take_list(&mut prompt, "logs").unwrap_or_default();
            let logs = logs.into_iter().map(|log| (log, source.clone())).collect();
            steps.extend(of_prompt(prompt, logs, &mut draft));
        }
        let logs: Vec<_> = document
            .take("logs")
            .into_iter()
            .map(|value| {
                let source = value.source();
                (value.json, source)
            })
            .collect();
        if logs.is_empty() {
            for key in ["exportedAt", "totalPrompts", "totalLogEntries"] {
                document.fields.remove(key);
            }
            document.fields.retain(|_, value| value.is_truthy());
            draft.note_rest("file", &document.fields);
        } else {
            steps.extend(of_prompt(document.fields, logs, &mut draft));
        }
    }
    sessions(steps, draft, format, findings)
}

/// A call of a tool that was logged, with what came of it.
struct Called {
    id: Str,
    name: Str,
    args: Json,
    thinking: Option<Str>,
}

fn of_prompt(mut prompt: Object, logs: Vec<(Json, SourceRecord)>, draft: &mut Draft) -> Vec<Step> {
    let title = take_first_text(&mut prompt, &["prompt"]);
    for key in ["promptId", "hasSeen", "logCount", "model"] {
        prompt.remove(key);
    }
    draft.note_rest("prompts", &prompt);
    let mut logs: VecDeque<(Json, SourceRecord)> = logs.into();
    let mut steps = Vec::new();
    while let Some((log, source)) = logs.pop_front() {
        let Some(mut log) = draft.object("logs", log) else { continue };
        let kind = take_text(&mut log, "kind").unwrap_or_default();
        let has_messages = log.contains_key("requestMessages") || log.contains_key("messages");
        if &*kind != "request" || !has_messages {
            draft.unmapped.record(if kind.is_empty() { "log without a kind" } else { &kind }, source);
            continue;
        }
        // The calls of an answer are logged as they are made, behind it.
        let mut called = Vec::new();
        while let Some((next, _)) = logs.front()
            && next.get("kind").and_then(Json::as_str) == Some("toolCall")
        {
            if let Some((Json::Object(call), source)) = logs.pop_front() {
                draft.unmapped.record("toolCall", source);
                called.extend(call_of(call, draft));
            }
        }
        let mut exchange = exchange(log, called, source.clone(), draft);
        match &mut exchange {
            Some(exchange) => exchange.about.title.clone_from(&title),
            None => draft.unmapped.record("request without messages", source),
        }
        steps.extend(exchange.map(|exchange| Step::Exchange(Box::new(exchange))));
    }
    steps
}

/// What the model said of a call; what came of it stands in the next request.
fn call_of(mut call: Object, draft: &mut Draft) -> Option<Called> {
    let id = take_text(&mut call, "id")?;
    let name = take_first_text(&mut call, &["tool", "name"])?;
    let args = call.remove("args").unwrap_or_default();
    let thinking = take_object(&mut call, "thinking").and_then(|mut it| take_first_text(&mut it, &["text"]));
    for key in ["response", "time", "edits", "toolMetadata"] {
        call.remove(key);
    }
    draft.note_rest("toolCall", &call);
    Some(Called { id, name, args, thinking })
}

fn exchange(
    mut log: Object,
    called: Vec<Called>,
    source: SourceRecord,
    draft: &mut Draft,
) -> Option<Exchange> {
    let mut metadata = take_object(&mut log, "metadata").unwrap_or_default();
    let mut messages = take_object(&mut log, "requestMessages").unwrap_or_default();
    let messages = take_list(&mut messages, "messages").or_else(|| take_list(&mut log, "messages"))?;
    let model = take_first_text(&mut metadata, &["model"]);
    let mut body = Object::new();
    body.push_some("model", model.clone());
    body.push("messages", messages.into_iter().map(in_words).collect::<Vec<_>>());
    body.push_some("tools", take_any(&mut metadata, &["tools"]));
    body.push_some("max_tokens", take_any(&mut metadata, &["maxResponseTokens"]));
    let mut response = take_object(&mut log, "response").unwrap_or_default();
    let kind = take_text(&mut response, "type").unwrap_or_default();
    let text = response.remove("message").map(|text| joined(&text)).unwrap_or_default();
    let mut answer = Object::from_iter([("role", Json::from("assistant")), ("content", Json::from(text))]);
    let thought = called.iter().find_map(|call| call.thinking.clone());
    answer.push_some("reasoning_content", thought);
    let calls: Vec<Json> = called.into_iter().map(in_words_of_chat).collect();
    let reason = match &*kind {
        "truncated" => "length",
        _ if calls.is_empty() => "stop",
        _ => "tool_calls",
    };
    if !calls.is_empty() {
        answer.push("tool_calls", calls);
    }
    let choice =
        Object::from_iter([("message", Json::Object(answer)), ("finish_reason", Json::from(reason))]);
    let mut completion = Object::new();
    completion.push_some("id", take_any(&mut metadata, &["requestId"]));
    completion.push_some("model", model);
    completion.push("choices", Json::Array(vec![Json::Object(choice)]));
    completion.push_some("usage", take_any(&mut metadata, &["usage"]));
    let has_answer = matches!(&*kind, "success" | "truncated" | "ChatMLSuccess");
    let completion = has_answer.then_some(Json::Object(completion));
    let mut exchange = read_exchange(Json::Object(body), completion, source, draft)?;
    if let Some(reason) = take_first_text(&mut response, &["reason"]) {
        exchange.answer.get_or_insert_default().error = Some((kind, reason));
    }
    exchange.time = take_time(&mut metadata, "startTime");
    exchange.end = metadata.get("endTime").and_then(time_of);
    let name = take_first_text(&mut log, &["name"]);
    // Titles, summaries of commands and the like are asked of other models, beside the conversation.
    exchange.about.agent =
        name.filter(|name| !name.starts_with("panel/")).map(|name| name.replace('/', ".").into());
    for key in ["id", "type"] {
        log.remove(key);
    }
    draft.note_rest("request", &log);
    draft.note_rest("response", &response);
    Some(exchange)
}

/// A message with names where the extension has numbers.
fn in_words(message: Json) -> Json {
    let Json::Object(mut message) = message else { return message };
    let role = match message.get("role").and_then(Json::as_i64) {
        Some(0) => Some("system"),
        Some(1) => Some("user"),
        Some(2) => Some("assistant"),
        Some(3) => Some("tool"),
        _ => None,
    };
    if let Some(role) = role {
        message.insert("role", role);
    }
    if let Some(parts) = take_list(&mut message, "content") {
        let parts: Vec<Json> = parts.into_iter().filter_map(part_in_words).collect();
        message.insert("content", parts);
    }
    for (from, to) in [("toolCalls", "tool_calls"), ("toolCallId", "tool_call_id")] {
        if let Some(value) = message.remove(from) {
            message.insert(to, value);
        }
    }
    Json::Object(message)
}

/// Marks of where a cache may begin, and what only the provider can read, say nothing.
fn part_in_words(part: Json) -> Option<Json> {
    let Json::Object(mut part) = part else { return Some(part) };
    match part.get("type").and_then(Json::as_i64) {
        Some(0) => {
            let image = take_any(&mut part, &["imageUrl"])?;
            Some(Json::Object(Object::from_iter([("type", Json::from("image_url")), ("image_url", image)])))
        }
        Some(1) => {
            part.insert("type", "text");
            Some(Json::Object(part))
        }
        Some(_) => None,
        None => Some(Json::Object(part)),
    }
}

fn in_words_of_chat(call: Called) -> Json {
    let args = match call.args {
        Json::String(text) => text,
        other => strata_model::json::to_compact(&other).into(),
    };
    let function = Object::from_iter([("name", call.name), ("arguments", args)]);
    let call =
        [("id", Json::from(call.id)), ("type", Json::from("function")), ("function", Json::Object(function))];
    Json::Object(Object::from_iter(call))
}

fn joined(text: &Json) -> String {
    match text {
        Json::String(text) => text.to_string(),
        Json::Array(texts) => texts.iter().filter_map(Json::as_str).collect::<Vec<_>>().join("\n"),
        _ => String::new(),
    }
}
