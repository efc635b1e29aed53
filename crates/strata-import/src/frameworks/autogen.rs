//! AutoGen: the result of a run, the state of a team or an agent, messages alone, and the log of events with its calls.

use std::sync::Arc;

use strata_model::take::{take_first_text, take_list, take_object, take_text};
use strata_model::{Base64, Blob, FunctionCall, Json, Object, Part, Str, json};
use strata_wire::message::{Role, Turn, arguments, thought};
use strata_wire::usage::{UsageReport, spelling::PLAIN_COUNTS};

use crate::align::{Step, sessions};
use crate::document_file::DocumentFormat;
use crate::documents::Document;
use crate::draft::{Draft, EventDraft, Kind};
use crate::exchange::{Exchange, ExchangeContext, read_exchange};
use crate::findings::Findings;
use crate::format::Format;
use crate::imported::ImportedSession;
use crate::keys::Keys;
use crate::marks::{NOT_SENT, QUOTED};
use crate::source::SourceRecord;
use crate::time::take_time;
use crate::values::Value;

/// A message of a chat between agents.
pub(crate) fn is_message(keys: Keys<'_>) -> bool {
    keys.has_all(&["source", "models_usage"])
}

/// What holds messages, or a record of the log.
pub(crate) fn is_conversation(keys: Keys<'_>) -> bool {
    let is_state = keys.kind().ends_with("State") && keys.has("version");
    let is_held = keys.has_any(&["agent_states", "llm_context", "message_thread", "inner_agent_state"]);
    let is_logged = match keys.kind() {
        "LLMCall" | "LLMStreamEnd" => keys.has_all(&["messages", "response"]) || keys.has("agent_id"),
        "Message" => keys.has_all(&["payload", "delivery_stage"]),
        _ => false,
    };
    is_message(keys)
        || keys.first_of("messages").is_some_and(is_message)
        || (is_state && is_held)
        || is_logged
}

pub(crate) static DOCUMENTS: DocumentFormat =
    DocumentFormat { lists: &["", "messages"], repeats: true, read, read_other: None };

fn read(documents: Vec<Document>, format: Format, findings: &mut Findings) -> Vec<ImportedSession> {
    let mut all = Vec::new();
    let mut log = Draft::new("autogen", "agent");
    let mut steps = Vec::new();
    let mut loose = Vec::new();
    for mut document in documents {
        let listed: Vec<Value> = document.take("");
        let mut messages = document.take("messages");
        messages.extend(listed);
        let mut fields = document.fields;
        let kind = fields.get("type").and_then(Json::as_str).unwrap_or_default().to_owned();
        match &*kind {
            "LLMCall" | "LLMStreamEnd" => {
                let sent = messages.into_iter().map(|value| value.json).collect::<Vec<_>>();
                fields.push("messages", sent);
                match exchange(fields, document.source.clone(), &mut log) {
                    Some(exchange) => steps.push(Step::Exchange(Box::new(exchange))),
                    None => log.unmapped.record("call without messages", document.source),
                }
            }
            "LLMStreamStart" | "ToolCall" | "Message" if messages.is_empty() => {
                log.unmapped.record(&format!("event.{kind}"), document.source);
            }
            _ if messages.is_empty() && is_held(&fields) => {
                all.extend(state(fields, &document.source, format, findings));
            }
            _ if messages.is_empty() => loose.push((Json::Object(fields), document.source)),
            _ => {
                let messages = messages.into_iter().map(|value| (value.source(), value.json));
                let messages = messages.map(|(source, json)| (json, source)).collect();
                let mut chat = Chat::new();
                if let Some(reason) = fields.remove("stop_reason").filter(Json::is_truthy) {
                    chat.draft.session.state.insert("stop_reason", reason);
                }
                chat.draft.note_rest("result", &fields);
                all.extend(chat.tell(messages, format, findings));
            }
        }
    }
    if !loose.is_empty() {
        all.extend(Chat::new().tell(loose, format, findings));
    }
    if !steps.is_empty() || all.is_empty() {
        all.extend(sessions(steps, log, format, findings));
    }
    all
}

fn is_held(fields: &Object) -> bool {
    ["agent_states", "llm_context", "message_thread", "inner_agent_state", "inner_team_state"]
        .iter()
        .any(|key| fields.contains_key(key))
}

/// A call as the log has it, with the whole request and the provider's answer.
fn exchange(mut call: Object, source: SourceRecord, log: &mut Draft) -> Option<Exchange> {
    let response = call.remove("response").filter(|response| !response.is_null());
    let agent = take_first_text(&mut call, &["agent_id"]);
    // `guide_<run>/<run>`: the name of the agent, and the run it is of.
    let agent = agent.map(|id| id.split('/').next().unwrap_or_default().to_owned());
    let (agent, run) = match agent.as_deref().and_then(|id| id.rsplit_once('_')) {
        Some((name, run)) if run.len() == 36 => (Some(name.into()), Some(run.into())),
        _ => (agent.map(Into::into), None),
    };
    let mut body = Object::new();
    for key in ["messages", "tools"] {
        body.push_some(key, call.remove(key).filter(Json::is_truthy));
    }
    let counts = PLAIN_COUNTS.take(&mut call);
    call.remove("type");
    log.note_rest("call", &call);
    let mut exchange = read_exchange(Json::Object(body), response, source, log)?;
    if let Some(answer) = &mut exchange.answer
        && answer.usage.is_none()
        && !counts.is_empty()
    {
        answer.usage = Some(counts.into());
    }
    exchange.about = ExchangeContext { session: run, agent, ..ExchangeContext::default() };
    Some(exchange)
}

/// The conversation that the state of a team or of an agent holds.
fn state(
    mut fields: Object,
    source: &SourceRecord,
    format: Format,
    findings: &mut Findings,
) -> Option<ImportedSession> {
    let mut chat = Chat::new();
    let mut messages = Vec::new();
    chat.held(&mut fields, &mut messages);
    let messages = messages.into_iter().map(|message| (message, source.clone())).collect();
    chat.tell(messages, format, findings)
}

struct Chat {
    draft: Draft,
    /// What an agent thought before it called tools: it is part of the same answer.
    thoughts: Vec<Part>,
    /// The agent that called tools last: in a context, results name nobody.
    caller: Option<Str>,
}

impl Chat {
    fn new() -> Self {
        let mut draft = Draft::new("autogen", "agent");
        draft.session.id = "chat".into();
        Self { draft, thoughts: Vec::new(), caller: None }
    }

    /// Takes the messages of a state: the thread of a team, where there is one, has all of them.
    fn held(&mut self, fields: &mut Object, messages: &mut Vec<Json>) {
        for key in
            ["type", "version", "current_turn", "next_speaker_index", "previous_speaker", "current_speaker"]
        {
            fields.remove(key);
        }
        if let Some(inner) = take_object(fields, "agent_states") {
            let states = inner.into_iter().filter_map(|(_, state)| self.draft.object("agent_states", state));
            let mut states: Vec<Object> = states.collect();
            // The manager has the thread.
            states.sort_by_key(|state| !state.contains_key("message_thread"));
            for mut state in states {
                self.held(&mut state, messages);
            }
        }
        for key in ["agent_state", "inner_agent_state", "inner_team_state"] {
            if let Some(mut inner) = take_object(fields, key) {
                self.held(&mut inner, messages);
            }
        }
        let thread = take_list(fields, "message_thread").unwrap_or_default();
        let context = take_object(fields, "llm_context").and_then(|mut it| take_list(&mut it, "messages"));
        let context = context.unwrap_or_default();
        if messages.is_empty() && !thread.is_empty() {
            *messages = thread;
        } else if messages.is_empty() {
            *messages = context;
        } else if !context.is_empty() {
            // What an agent holds of the thread that was told already.
            self.draft.unmapped.field("agent_state", "llm_context", &Json::Bool(true));
        }
        fields.retain(|_, value| !matches!(value, Json::Array(items) if items.is_empty()));
        self.draft.note_rest("state", fields);
    }

    fn tell(
        mut self,
        messages: Vec<(Json, SourceRecord)>,
        format: Format,
        findings: &mut Findings,
    ) -> Option<ImportedSession> {
        for (message, source) in messages {
            if let Some(message) = self.draft.object("messages", message) {
                self.message(message, source);
            }
        }
        if !self.thoughts.is_empty() {
            let say = EventDraft::new(
                Kind::Response,
                std::mem::take(&mut self.thoughts),
                SourceRecord::Bytes(0..0),
            );
            self.draft.push(EventDraft { sources: Vec::new(), ..say });
        }
        self.draft.finish(format, findings)
    }

    fn message(&mut self, mut message: Object, source: SourceRecord) {
        let kind = take_text(&mut message, "type").unwrap_or_default();
        let speaker = take_text(&mut message, "source").unwrap_or_default();
        let is_user = &*speaker == "user";
        let usage = self.usage(&mut message);
        let say = EventDraft {
            id: take_first_text(&mut message, &["id"]),
            time: take_time(&mut message, "created_at"),
            agent: Some(speaker.clone()).filter(|speaker| !speaker.is_empty() && !is_user),
            ..EventDraft::new(Kind::Notice, Vec::new(), source.clone())
        };
        let content = message.remove("content");
        let mut turn = Turn::new(Role::Model);
        match &*kind {
            "ThoughtEvent" => {
                let text = content.as_ref().and_then(Json::as_str).unwrap_or_default();
                self.thoughts.push(thought(text));
            }
            "ToolCallRequestEvent" => {
                turn.parts = std::mem::take(&mut self.thoughts);
                self.calls(content, &mut turn);
                self.respond(turn, EventDraft { usage, ..say });
            }
            "ToolCallExecutionEvent" | "FunctionExecutionResultMessage" => {
                let mut turn = Turn::new(Role::Tool);
                self.results(content, &mut turn);
                let agent = say.agent.or_else(|| self.caller.clone());
                self.draft.push_turn(turn, EventDraft { agent, ..say });
            }
            // The program itself puts the results, or the hand-off, in words.
            "ToolCallSummaryMessage" | "HandoffMessage" => {
                words(content, &mut turn);
                let target = take_text(&mut message, "target");
                for key in ["tool_calls", "results", "context"] {
                    message.remove(key);
                }
                let at = self.draft.push(EventDraft { kind: Kind::Response, parts: turn.parts, ..say });
                self.draft.mark(at, NOT_SENT, "client");
                if let (Some(target), Some(event)) = (target, self.draft.event_mut(at)) {
                    event.actions.transfer_to_agent = Some(target);
                }
            }
            "ModelClientStreamingChunkEvent" => self.draft.unmapped.record("piece of an answer", source),
            "SystemMessage" | "MemoryQueryEvent" => {
                words(content, &mut turn);
                let name = if &*kind == "SystemMessage" { "system" } else { "memory" };
                self.draft.push(EventDraft { kind: Kind::Injected(name.into()), parts: turn.parts, ..say });
            }
            _ if is_user => {
                words(content, &mut turn);
                self.draft.push(EventDraft { kind: Kind::Prompt, parts: turn.parts, ..say });
            }
            // Words of another agent, as they were told to this one.
            "UserMessage" => {
                words(content, &mut turn);
                let at = self.draft.push(EventDraft { kind: Kind::Response, parts: turn.parts, ..say });
                self.draft.mark(at, QUOTED, true);
            }
            "AssistantMessage" => {
                turn.parts.extend(take_first_text(&mut message, &["thought"]).map(thought));
                match content {
                    Some(Json::Array(calls)) => self.calls(Some(Json::Array(calls)), &mut turn),
                    content => words(content, &mut turn),
                }
                self.respond(turn, EventDraft { usage, ..say });
            }
            kind if kind.ends_with("Message") || usage.is_some() => {
                turn.parts = std::mem::take(&mut self.thoughts);
                words(content, &mut turn);
                self.respond(turn, EventDraft { usage, ..say });
            }
            kind => self.draft.unmapped.record(&format!("event.{kind}"), source),
        }
        message.retain(|_, value| !matches!(value, Json::Object(inner) if inner.is_empty()));
        self.draft.note_rest("message", &message);
    }

    fn respond(&mut self, turn: Turn, say: EventDraft) {
        if turn.has_calls() {
            self.caller.clone_from(&say.agent);
        }
        self.draft.push(EventDraft { kind: Kind::Response, parts: turn.parts, ..say });
    }

    /// Counts, where there are any: what the provider does not say is a zero.
    fn usage(&mut self, message: &mut Object) -> Option<UsageReport> {
        let mut counted = take_object(message, "models_usage")?;
        let counts = PLAIN_COUNTS.take(&mut counted);
        self.draft.note_rest("models_usage", &counted);
        counts.has_tokens().then(|| counts.into())
    }

    fn calls(&mut self, content: Option<Json>, turn: &mut Turn) {
        let Some(Json::Array(calls)) = content else { return words(content, turn) };
        for call in calls {
            let Some(mut call) = self.draft.object("content", call) else { continue };
            let id = take_first_text(&mut call, &["id"]);
            let name = take_first_text(&mut call, &["name"]);
            if let (Some(id), Some(name)) = (&id, &name) {
                self.draft.tools.insert(id.clone(), name.clone());
            }
            let args = arguments(call.remove("arguments")).map(Arc::new);
            self.draft.note_rest("call", &call);
            turn.parts.push(Part::from_call(FunctionCall { id, name, args, ..FunctionCall::default() }));
        }
    }

    fn results(&mut self, content: Option<Json>, turn: &mut Turn) {
        let Some(Json::Array(results)) = content else { return };
        for result in results {
            let Some(mut result) = self.draft.object("content", result) else { continue };
            let id = take_first_text(&mut result, &["call_id"]);
            let name = take_first_text(&mut result, &["name"]);
            let is_error = result.remove("is_error").is_some_and(|flag| flag.is_truthy());
            let content = result.remove("content");
            self.draft.note_rest("result", &result);
            self.draft.messages("result").result(id, name, content, is_error, turn);
        }
    }
}

/// Words, a list of words and images, or an object of the program's own.
fn words(content: Option<Json>, turn: &mut Turn) {
    match content {
        None | Some(Json::Null) => {}
        Some(Json::Array(items)) => items.into_iter().for_each(|item| match item {
            Json::Object(mut item) if item.get("content").is_some() => {
                words(item.remove("content"), turn);
            }
            Json::Object(mut item) if item.get("data").is_some_and(|data| data.as_str().is_some()) => {
                let data = take_text(&mut item, "data").map(Base64::new);
                let blob = Blob { data, mime_type: Some("image/png".into()), ..Blob::default() };
                turn.parts.push(Part { inline_data: Some(Box::new(blob)), ..Part::default() });
            }
            other => words(Some(other), turn),
        }),
        Some(Json::String(text)) => turn.parts.push(Part::from_text(text)),
        Some(other) => turn.parts.push(Part::from_text(json::to_compact(&other))),
    }
}
