//! What smolagents remembers of a run: a list of steps, of which those of a model keep the messages that were sent.

use std::sync::Arc;

use strata_model::take::{take_first_text, take_list, take_object, take_text};
use strata_model::{FunctionCall, FunctionResponse, Json, Object, Part, Str, json};
use strata_wire::message::{Role, Turn, arguments};
use strata_wire::usage::{self, UsageReport, spelling::PLAIN_COUNTS};

use crate::document_file::DocumentFormat;
use crate::documents::Document;
use crate::draft::{Draft, EventDraft, Kind};
use crate::findings::Findings;
use crate::format::Format;
use crate::imported::{Alignment, ImportedSession, RecordedRequest};
use crate::keys::Keys;
use crate::source::SourceRecord;
use crate::time::take_time;

/// A step, in a list of them.
pub(crate) fn is_step(keys: Keys<'_>) -> bool {
    keys.has_all(&["task", "task_images"])
        || keys.has_all(&["step_number", "timing"])
        || keys.has_all(&["plan", "model_output_message"])
}

/// The result of a run, with its steps.
pub(crate) fn is_result(keys: Keys<'_>) -> bool {
    keys.first_of("steps").is_some_and(is_step) || is_step(keys)
}

pub(crate) static DOCUMENTS: DocumentFormat =
    DocumentFormat { lists: &["", "steps"], repeats: true, read, read_other: None };

fn read(documents: Vec<Document>, format: Format, findings: &mut Findings) -> Vec<ImportedSession> {
    let mut sessions = Vec::new();
    let mut loose = Reading::new();
    for mut document in documents {
        let steps: Vec<_> = document.take("").into_iter().chain(document.take("steps")).collect();
        if steps.is_empty() {
            // Steps may stand one a line.
            loose.step(document.fields, document.source);
            continue;
        }
        let mut reading = Reading::new();
        let mut fields = document.fields;
        for key in ["output", "state"] {
            if let Some(value) = fields.remove(key).filter(Json::is_truthy) {
                reading.draft.session.state.insert(key, value);
            }
        }
        // The sum of the steps, and their messages once more.
        for key in ["token_usage", "timing", "messages"] {
            fields.remove(key);
        }
        reading.draft.note_rest("result", &fields);
        for value in steps {
            let source = value.source();
            if let Some(step) = reading.draft.object("steps", value.json) {
                reading.step(step, source);
            }
        }
        sessions.extend(reading.draft.finish(format, findings));
    }
    if loose.draft.len() > 0 {
        sessions.extend(loose.draft.finish(format, findings));
    }
    sessions
}

struct Reading {
    draft: Draft,
    system: String,
}

impl Reading {
    fn new() -> Self {
        let mut draft = Draft::new("smolagents", "agent");
        draft.session.id = "run".into();
        Self { draft, system: String::new() }
    }

    fn step(&mut self, mut step: Object, source: SourceRecord) {
        let mut timing = take_object(&mut step, "timing").unwrap_or_default();
        let start = take_time(&mut timing, "start_time");
        let end = take_time(&mut timing, "end_time").or(start);
        let say = EventDraft { time: start, ..EventDraft::new(Kind::Notice, Vec::new(), source.clone()) };
        if let Some(task) = take_text(&mut step, "task") {
            let parts = vec![Part::from_text(task)];
            self.draft.push(EventDraft { kind: Kind::Prompt, parts, ..say });
        } else if let Some(text) = take_text(&mut step, "system_prompt") {
            self.say_system(&text, &say);
        } else if step.contains_key("model_output_message") {
            self.called(&mut step, EventDraft { time: start, ..say }, end);
        } else {
            // A final answer is that of the step before it.
            let kind = if step.contains_key("output") { "final answer" } else { "step of no known kind" };
            self.draft.unmapped.record(kind, source);
            return;
        }
        for key in ["step_number", "is_final_answer", "model_output", "code_action", "plan"] {
            step.remove(key);
        }
        step.retain(|_, value| value.is_truthy());
        self.draft.note_rest("step", &step);
    }

    fn say_system(&mut self, text: &str, say: &EventDraft) {
        if !text.is_empty() && self.system != text {
            text.clone_into(&mut self.system);
            let parts = vec![Part::from_text(text)];
            self.draft.push(EventDraft { kind: Kind::Injected("system".into()), parts, ..say.clone() });
        }
    }

    /// A step of a model: what was sent, what it answered, what came of that.
    fn called(&mut self, step: &mut Object, say: EventDraft, end: Option<f64>) {
        let sent = take_list(step, "model_input_messages").map(slim);
        let system = sent.iter().flatten().filter(|message| role_of(message) == "system");
        let system: Vec<String> = system.map(text_of).collect();
        self.say_system(&system.join("\n\n"), &say);
        if let Some(last) = sent.iter().flatten().next_back().filter(|last| role_of(last) == "user") {
            self.asked(&text_of(last), &say);
        }
        let answered = take_object(step, "model_output_message");
        let is_answered = answered.is_some();
        let failed = if is_answered { None } else { take_object(step, "error") };
        let error = failed.map(|mut error| {
            let code = take_first_text(&mut error, &["type"]).unwrap_or_else(|| "error".into());
            let message = take_first_text(&mut error, &["message"]).unwrap_or_else(|| code.clone());
            (code, message)
        });
        let mut message = answered.unwrap_or_default();
        let mut raw = take_object(&mut message, "raw").map(plain).unwrap_or_default();
        let mut turn = Turn::new(Role::Model);
        // A model that is asked for an answer when the steps are used up leaves its words only here.
        let content = if is_answered { message.remove("content") } else { step.remove("action_output") };
        if let Some(content) = content {
            self.draft.messages("message").content(content, &mut turn);
        }
        let mut calls = take_list(step, "tool_calls").unwrap_or_default();
        let mut has_ended = true;
        if calls.is_empty() {
            // Of a tool that raised, or was stopped, only the model's own words have the call.
            calls = take_list(&mut message, "tool_calls").unwrap_or_default();
            has_ended = step.get("error").is_some_and(Json::is_truthy);
        }
        let ids: Vec<Option<Str>> = calls.into_iter().map(|call| self.call(call, &mut turn)).collect();
        let usage = self.usage(step, &mut raw);
        let model = take_first_text(&mut raw, &["model"]);
        let finish = raw.get("choices").and_then(|it| it.as_array()?.first()?.get("finish_reason")?.as_str());
        let finish = finish.map(Str::from);
        let base = EventDraft { time: end, ..say };
        let event = self.draft.push(EventDraft {
            kind: Kind::Response,
            parts: turn.parts,
            id: take_first_text(&mut raw, &["id"]),
            usage,
            model: model.clone(),
            finish,
            error,
            ..base.clone()
        });
        if let Some(sent) = sent.filter(|sent| !sent.is_empty()) {
            let mut body = Object::new();
            body.push_some("model", model);
            body.push("messages", sent);
            self.draft.requests.push(RecordedRequest {
                answer: Some(event),
                body: body.into(),
                source: base.sources[0].clone(),
                alignment: Alignment::default(),
            });
        }
        self.observed(step, if has_ended { &ids } else { &[] }, base);
    }

    /// What the program asks a model for a plan, which no task says.
    fn asked(&mut self, text: &str, say: &EventDraft) {
        let is_task = text.starts_with("New task:") || text.is_empty();
        if !is_task {
            let parts = vec![Part::from_text(text)];
            self.draft.push(EventDraft { kind: Kind::Injected("instruction".into()), parts, ..say.clone() });
        }
    }

    fn call(&mut self, call: Json, turn: &mut Turn) -> Option<Str> {
        let mut call = self.draft.object("tool_calls", call)?;
        let id = take_first_text(&mut call, &["id"]);
        let mut function = take_object(&mut call, "function").unwrap_or(call);
        let name = take_first_text(&mut function, &["name"]);
        if let (Some(id), Some(name)) = (&id, &name) {
            self.draft.tools.insert(id.clone(), name.clone());
        }
        let args = arguments(function.remove("arguments")).map(Arc::new);
        turn.parts.push(Part::from_call(FunctionCall {
            id: id.clone(),
            name,
            args,
            ..FunctionCall::default()
        }));
        id
    }

    /// The provider's own counts, where its answer was kept; the sum of input and output otherwise.
    fn usage(&mut self, step: &mut Object, raw: &mut Object) -> Option<UsageReport> {
        let own = take_object(step, "token_usage").map(|mut own| PLAIN_COUNTS.take(&mut own));
        let of_provider = take_object(raw, "usage");
        let of_provider = of_provider.and_then(|it| usage::read(it, "usage", &mut self.draft.unmapped));
        of_provider.or_else(|| own.filter(|own| !own.is_empty()).map(UsageReport::from))
    }

    /// What came of the calls, which is one text for all of them.
    fn observed(&mut self, step: &mut Object, ids: &[Option<Str>], base: EventDraft) {
        let seen = take_first_text(step, &["observations"]);
        let error =
            take_object(step, "error").and_then(|mut error| take_first_text(&mut error, &["message"]));
        let is_error = error.is_some();
        let texts: Vec<Str> = seen.into_iter().chain(error).collect();
        // What an answer ends with is not told to a model.
        let output = step.remove("action_output").filter(Json::is_truthy);
        if texts.is_empty() && ids.is_empty() {
            return;
        }
        let mut turn = Turn::new(Role::Tool);
        let text = texts.iter().map(|text| &**text).collect::<Vec<_>>().join("\n");
        if ids.is_empty() {
            let parts = vec![Part::from_text(text)];
            self.draft.push(EventDraft { kind: Kind::Injected("error".into()), parts, ..base });
            return;
        }
        for (at, id) in ids.iter().enumerate() {
            if at == 0 {
                let told = if texts.is_empty() { output.clone() } else { Some(Json::from(text.clone())) };
                self.draft.messages("step").result(id.clone(), None, told, is_error, &mut turn);
                continue;
            }
            let name = id.as_ref().and_then(|id| self.draft.tools.get(id).cloned());
            let response = Some(Arc::new(Object::new()));
            let response = FunctionResponse { id: id.clone(), name, response, ..FunctionResponse::default() };
            turn.parts.push(Part::from_response(response));
        }
        self.draft.push_turn(turn, base);
    }
}

/// Messages without the members that say nothing.
fn slim(messages: Vec<Json>) -> Vec<Json> {
    let messages = messages.into_iter().map(|message| match message {
        Json::Object(mut message) => {
            message.retain(|_, value| !value.is_null());
            Json::Object(message)
        }
        other => other,
    });
    messages.collect()
}

fn role_of(message: &Json) -> &str {
    message.get("role").and_then(Json::as_str).unwrap_or_default()
}

fn text_of(message: &Json) -> String {
    match message.get("content") {
        Some(Json::String(text)) => text.to_string(),
        Some(Json::Array(blocks)) => {
            let texts = blocks.iter().filter_map(|block| block.get("text")?.as_str());
            texts.collect::<Vec<_>>().join("\n")
        }
        Some(other) => json::to_compact(other),
        None => String::new(),
    }
}

/// An object of a client without the names of its classes.
fn plain(object: Object) -> Object {
    let members = object.into_iter().filter(|(key, _)| &**key != "_type");
    members.map(|(key, value)| (key, plain_value(value))).collect()
}

fn plain_value(value: Json) -> Json {
    match value {
        Json::Object(object) => Json::Object(plain(object)),
        Json::Array(items) => items.into_iter().map(plain_value).collect::<Vec<_>>().into(),
        other => other,
    }
}
