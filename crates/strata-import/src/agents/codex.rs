//! Rollouts of Codex CLI.
//!
//! A line is `{timestamp, type, payload}`. The items the model sees are `response_item`s; the reasoning, the words and
//! the calls of one response are one event, ended by its usage, by a result or by a prompt. Prompts are recorded twice,
//! as an item and as an event of the interface, which is how a prompt is told from what the client injects.
//! `compacted.replacement_history` is the whole new context.

mod meta;
mod prompts;
mod usage;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use strata_model::{Fingerprint, Json, Object, Str};

use crate::draft::{Draft, Kind, Say};
use crate::findings::Findings;
use crate::format::Format;
use crate::import::ImportedSession;
use crate::message::{Role, Turn};
use crate::source::SourceRecord;
use crate::take::{take_list, take_object, take_text, time_of};
use crate::values::Value;
use prompts::{normal, prompt_of};
use usage::Steps;

pub(crate) fn read(values: Vec<Value>, findings: &mut Findings) -> Vec<ImportedSession> {
    let mut rollout = Rollout::new(&values);
    for value in values {
        rollout.record(value, findings);
    }
    rollout.finish(findings).into_iter().collect()
}

struct Rollout {
    draft: Draft,
    /// Prompts the interface recorded, with how often.
    prompts: HashMap<Fingerprint, usize>,
    /// Prompts are told by their events, because there are some.
    has_prompt_events: bool,
    has_items: bool,
    steps: Steps,
    turn: Option<Str>,
    model: Option<Str>,
    branch: Option<Str>,
    agent: Option<Str>,
    has_meta: bool,
    /// The response whose items are coming in.
    open: Option<usize>,
    calls: BTreeMap<Str, u64>,
    open_calls: BTreeSet<Str>,
    models: BTreeSet<Str>,
    counts: BTreeMap<&'static str, i64>,
}

impl Rollout {
    fn new(values: &[Value]) -> Self {
        let payloads = || {
            values
                .iter()
                .filter_map(|value| Some((value.json.get("type")?.as_str()?, value.json.get("payload")?)))
        };
        let mut prompts: HashMap<Fingerprint, usize> = HashMap::new();
        for (kind, payload) in payloads() {
            if kind == "event_msg"
                && let Some(text) = prompt_of(payload)
            {
                *prompts.entry(text).or_default() += 1;
            }
        }
        let is_user = |payload: &Json| payload.get("role").and_then(Json::as_str) == Some("user");
        Self {
            draft: Draft::new("codex", "codex"),
            has_prompt_events: !prompts.is_empty(),
            prompts,
            has_items: payloads().any(|(kind, payload)| kind == "response_item" && is_user(payload)),
            steps: Steps::new(payloads().any(|(kind, _)| kind == "token_usage_record")),
            turn: None,
            model: None,
            branch: None,
            agent: None,
            has_meta: false,
            open: None,
            calls: BTreeMap::new(),
            open_calls: BTreeSet::new(),
            models: BTreeSet::new(),
            counts: BTreeMap::new(),
        }
    }

    fn count(&mut self, name: &'static str) {
        *self.counts.entry(name).or_default() += 1;
    }

    fn record(&mut self, value: Value, findings: &mut Findings) {
        self.count("records");
        let source = value.source();
        let place = format!("line {}", value.line);
        let Json::Object(mut record) = value.json else {
            let message = format!("{} stands where a record should be; it was left out", value.json.kind());
            return findings.warning("not-a-record", place, message);
        };
        let time = ["timestamp", "created_at"].iter().find_map(|key| time_of(record.get(key)?));
        self.draft.set_clock(time);
        let kind = take_text(&mut record, "type").unwrap_or_default();
        let Some(payload) = take_object(&mut record, "payload") else {
            // Rollouts of 2025 had the items themselves as lines.
            record.insert("type", kind);
            return self.bare(record, source);
        };
        for (key, value) in record.iter().filter(|(key, _)| !matches!(&***key, "timestamp" | "ordinal")) {
            self.draft.unmapped.field(&kind, key, value);
        }
        match &*kind {
            "session_meta" => self.meta(payload, source),
            "turn_context" => self.context(&payload, source),
            "response_item" => self.item(payload, source),
            "event_msg" => self.event(payload, source),
            "compacted" => self.compacted(payload, source),
            "token_usage_record" => {
                self.count("token_usage_records");
                let reported = self.steps.record(payload);
                self.step(reported, source);
            }
            kind => self.draft.unmapped.record(kind, source),
        }
    }

    fn context(&mut self, context: &Object, source: SourceRecord) {
        if let Some(model) = context.get("model").and_then(Json::as_str) {
            self.model = Some(model.into());
            self.models.insert(model.into());
        }
        if let Some(turn) = context.get("turn_id").and_then(Json::as_str) {
            self.turn = Some(turn.into());
        }
        self.draft.unmapped.record("turn_context", source);
    }

    fn say(&self, source: SourceRecord) -> Say {
        Say {
            agent: self.agent.clone(),
            branch: self.branch.clone(),
            invocation: self.turn.clone(),
            ..Say::new(Kind::Notice, Vec::new(), source)
        }
    }

    fn bare(&mut self, mut record: Object, source: SourceRecord) {
        if let Some(message) = record.remove("message") {
            record.insert("content", message);
        }
        if record.get("type").and_then(Json::as_str) == Some("function_result") {
            record.insert("type", "tool_result");
        }
        record.remove("created_at");
        self.item(record, source);
    }

    /// Something the model sees, or said.
    fn item(&mut self, mut item: Object, source: SourceRecord) {
        let about = take_object(&mut item, "internal_chat_message_metadata_passthrough").unwrap_or_default();
        if let Some(turn) = about.get("turn_id").and_then(Json::as_str) {
            self.turn = Some(turn.into());
        }
        let kind = item.get("type").and_then(Json::as_str).unwrap_or_default().to_owned();
        if kind == "ghost_snapshot" {
            return self.draft.unmapped.record("response_item.ghost_snapshot", source);
        }
        let id = take_text(&mut item, "call_id").inspect(|id| {
            item.insert("call_id", id.clone());
        });
        let phase = take_text(&mut item, "phase");
        item.remove("metadata");
        let item_id = if kind == "message" { take_text(&mut item, "id") } else { None };
        let turn = self.draft.messages("response_item").read(Json::Object(item));
        self.draft.note_rest(&format!("response_item.{kind}"), &turn.rest);
        match turn.role {
            Role::Model => {
                for call in turn.parts.iter().filter_map(|part| part.function_call.as_deref()) {
                    *self.calls.entry(kind.clone().into()).or_default() += 1;
                    self.open_calls.extend(call.id.clone());
                }
                self.respond(turn, phase, source);
            }
            Role::Tool => {
                self.open = None;
                if let Some(id) = id {
                    self.open_calls.remove(&id);
                }
                let say = self.say(source);
                self.draft.push_turn(turn, say);
            }
            Role::User => self.user(turn, item_id, source),
            Role::System => {
                self.open = None;
                let say = Say { id: item_id, ..self.say(source) };
                let at = self.draft.push_turn(turn, say);
                self.mark(at, "developer");
            }
        }
    }

    fn mark(&mut self, at: usize, kind: &str) {
        if let Some(custom) = self.draft.event_mut(at).and_then(|event| event.custom_metadata.as_mut()) {
            custom.insert(crate::marks::INJECTED, kind);
        }
    }

    /// A prompt, when the interface recorded it as one.
    fn user(&mut self, turn: Turn, id: Option<Str>, source: SourceRecord) {
        self.open = None;
        let text = turn.text();
        let is_prompt = match self.prompts.get_mut(&normal(&text)) {
            Some(left) if *left > 0 => {
                *left -= 1;
                true
            }
            _ => !self.has_prompt_events && crate::draft::kind_of(&turn) == Kind::Prompt,
        };
        let kind = match crate::draft::kind_of(&turn) {
            _ if is_prompt => Kind::Prompt,
            Kind::Injected(kind) => Kind::Injected(kind),
            _ => Kind::Injected("client".into()),
        };
        let say = Say { id, kind, parts: turn.parts, ..self.say(source) };
        self.draft.push(say);
    }

    /// Adds to the response that is going on, or begins one.
    fn respond(&mut self, turn: Turn, phase: Option<Str>, source: SourceRecord) {
        match self.open {
            Some(at) => self.draft.extend(at, turn.parts, source),
            None => {
                let mut notes = Object::new();
                notes.push_some("phase", phase);
                let say = Say { model: self.model.clone(), source_notes: notes, ..self.say(source) };
                let at = self.draft.push_turn(turn, say);
                self.open = Some(at);
                self.steps.opened(at);
            }
        }
    }

    fn step(&mut self, reported: Option<crate::usage::Reported>, source: SourceRecord) {
        let Some(reported) = reported else { return };
        self.open = None;
        match self.steps.take_open() {
            Some(at) => {
                self.draft.add_source(at, source);
                self.draft.set_usage(at, reported);
            }
            // A call of which nothing is recorded but its usage: the one that wrote a summary, or one that failed.
            None => {
                let say = Say { usage: Some(reported), model: self.model.clone(), ..self.say(source) };
                self.draft.push(say);
            }
        }
    }

    fn event(&mut self, mut event: Object, source: SourceRecord) {
        let kind = event.get("type").and_then(Json::as_str).unwrap_or_default().to_owned();
        match &*kind {
            "token_count" => {
                self.count("token_count_events");
                let reported = self.steps.count(event);
                self.step(reported, source);
            }
            "task_started" | "turn_started" => {
                self.count("turns_started");
                self.turn = take_text(&mut event, "turn_id").or(self.turn.take());
                self.draft.unmapped.record("event_msg.task_started", source);
            }
            "turn_aborted" => {
                self.count("turns_aborted");
                self.draft.unmapped.record("event_msg.turn_aborted", source);
            }
            "user_message" if !self.has_items => self.lone_prompt(&event, source),
            "error" | "stream_error" => {
                let error = event.get("error").cloned().unwrap_or(Json::Object(event));
                let text = |key: &str| error.get(key).and_then(Json::as_str).map(Str::from);
                let message = text("message").unwrap_or_else(|| "error".into());
                let code = text("codex_error_info").or(text("kind")).unwrap_or_else(|| "error".into());
                let say = Say { error: Some((code, message)), ..self.say(source) };
                self.draft.push(say);
            }
            "thread_name_updated" => {
                self.draft.title = take_text(&mut event, "thread_name");
                self.draft.unmapped.record("event_msg.thread_name_updated", source);
            }
            kind => self.draft.unmapped.record(&format!("event_msg.{kind}"), source),
        }
    }

    /// A prompt of which there is only the interface's own record.
    fn lone_prompt(&mut self, event: &Object, source: SourceRecord) {
        self.open = None;
        let text = event.get("message").and_then(Json::as_str).unwrap_or_default();
        let parts = vec![strata_model::Part::from_text(text)];
        let say = Say { kind: Kind::Prompt, parts, ..self.say(source) };
        self.draft.push(say);
    }

    fn compacted(&mut self, mut compacted: Object, source: SourceRecord) {
        self.open = None;
        let history = take_list(&mut compacted, "replacement_history").unwrap_or_default();
        let turns = self.draft.messages("compacted").read_all(history.into_iter().map(|item| match item {
            Json::Object(mut item) => {
                item.remove("internal_chat_message_metadata_passthrough");
                Json::Object(item)
            }
            other => other,
        }));
        let mut parts: Vec<_> = turns.into_iter().flat_map(|turn| turn.parts).collect();
        if parts.is_empty() {
            let message = take_text(&mut compacted, "message").unwrap_or_default();
            parts.push(strata_model::Part::from_text(message));
        }
        let say = Say { kind: Kind::Compaction, parts, source_notes: compacted, ..self.say(source) };
        self.draft.push(say);
    }

    fn finish(mut self, findings: &mut Findings) -> Option<ImportedSession> {
        for name in ["records", "token_count_events", "token_usage_records", "turns_started", "turns_aborted"]
        {
            let count = self.counts.get(name).copied().unwrap_or(0);
            self.draft.counts.insert(name, Json::Int(count));
        }
        let by_type: Object =
            self.calls.iter().map(|(kind, count)| (kind.clone(), Json::Int(*count as i64))).collect();
        self.draft.counts.insert("tool_calls_by_type", by_type.into());
        self.draft.counts.insert("calls_without_result", Json::Int(self.open_calls.len() as i64));
        let models = self.models.iter().map(|model| Json::from(model.clone())).collect::<Vec<_>>();
        self.draft.counts.insert("models", models.into());
        self.steps.tell(&mut self.draft.counts);
        self.draft.finish(Format::Codex, findings)
    }
}
