//! Conversations of OpenHands: events one after the other, of both generations.
//!
//! The first writes `{source, action|observation, args, content}`, the second `{source, kind, …}`. Calls of one response
//! share its id.

mod stats;

use std::collections::{HashMap, HashSet};

use strata_model::take::{take_any, take_first_text, take_list, take_object, take_text};
use strata_model::{Json, Object, Part, Str};
use strata_wire::message::{Role, Turn, thought};
use strata_wire::usage;

use crate::document_file::DocumentFormat;
use crate::documents::Document;
use crate::draft::say_turn;
use crate::draft::{Draft, EventDraft, Kind};
use crate::findings::Findings;
use crate::format::Format;
use crate::imported::ImportedSession;
use crate::keys::Keys;
use crate::source::SourceRecord;
use crate::time::take_time;
use stats::Stats;

/// An event of either generation, a list of them under a name, or the state beside them.
pub(crate) fn is_conversation(keys: Keys<'_>) -> bool {
    let is_event = keys.has("kind") && keys.has_all(&["id", "timestamp", "source"]);
    let is_old = is_old_event(keys) && keys.has_all(&["id", "timestamp"]);
    let is_first_of = |list: &str| {
        keys.first_of(list)
            .is_some_and(|event| event.has("source") && event.has_any(&["action", "observation", "kind"]))
    };
    is_event
        || is_old
        || is_first_of("history")
        || is_first_of("trajectory")
        || keys.has_all(&["agent", "workspace"])
}

/// An event of the first generation.
pub(crate) fn is_old_event(keys: Keys<'_>) -> bool {
    keys.has("source") && keys.has_any(&["action", "observation"])
}

pub(crate) static DOCUMENTS: DocumentFormat =
    DocumentFormat { lists: &["", "history", "trajectory"], repeats: false, read, read_other: None };

fn read(documents: Vec<Document>, format: Format, findings: &mut Findings) -> Vec<ImportedSession> {
    let draft = Draft::new("openhands", "openhands");
    let mut talk = Talk {
        draft,
        has_unnamed_call: false,
        responses: HashMap::new(),
        answers: Vec::new(),
        stats: Stats::default(),
        summary: None,
        actions: HashSet::new(),
        places: HashMap::new(),
        forgotten: Vec::new(),
    };
    for mut document in documents {
        let mut events = document.take("");
        // What an evaluation writes of a task.
        events.extend(document.take("history"));
        events.extend(document.take("trajectory"));
        for value in events {
            let source = value.source();
            if let Some(event) = talk.draft.object("events", value.json) {
                talk.event(event, source);
            }
        }
        let is_task =
            ["instance_id", "test_result", "git_patch"].iter().any(|key| document.fields.contains_key(key));
        if is_task {
            if let Some(id) = take_text(&mut document.fields, "instance_id") {
                talk.draft.session.id = id;
            }
            talk.stats.update_run(document.fields.remove("metrics"), &document.source);
            talk.draft.note_rest("task", &document.fields);
        } else if !document.fields.is_empty() {
            talk.event(document.fields, document.source);
        }
    }
    talk.stats.tell(&mut talk.draft, &talk.answers, findings);
    // The first generation numbers its events from 0, so the time of the first one names the conversation.
    if talk.draft.session.id.is_empty()
        && let Some(first) = talk.draft.event(0)
        && first.id.bytes().all(|byte| byte.is_ascii_digit())
        && first.timestamp > 0.0
    {
        talk.draft.session.id = format!("conversation-{}", (first.timestamp * 1e3) as i64).into();
    }
    talk.draft.finish(format, findings).into_iter().collect()
}

struct Talk {
    draft: Draft,
    /// The last action of the first generation is a call without an id, whose result comes next.
    has_unnamed_call: bool,
    /// Events by the response they are of.
    responses: HashMap<Str, usize>,
    /// Responses with their ids, where those are known, in their order.
    answers: Vec<(usize, Option<Str>)>,
    stats: Stats,
    /// The last condensation's summary, which may be told again.
    summary: Option<Str>,
    /// Ids of actions of the first generation that are calls.
    actions: HashSet<Str>,
    /// Events by the ids of their records.
    places: HashMap<Str, usize>,
    /// Events that condensations took out of the conversation so far.
    forgotten: Vec<usize>,
}

/// Events of the first generation that say how the run goes.
const ABOUT_THE_RUN: [&str; 8] = [
    "change_agent_state",
    "agent_state_changed",
    "null",
    "pause",
    "resume",
    "condensation_request",
    "user_rejected",
    "loop_recovery",
];

impl Talk {
    fn event(&mut self, mut event: Object, source: SourceRecord) {
        let time = take_time(&mut event, "timestamp");
        let id = take_any(&mut event, &["id"]).map(id_of);
        let (own_id, place) = (id.clone(), self.draft.len());
        let who = take_text(&mut event, "source").unwrap_or_default();
        let say = EventDraft { id, time, ..EventDraft::new(Kind::Notice, Vec::new(), source.clone()) };
        let kind = take_text(&mut event, "kind");
        event.remove("parent_id");
        match kind.as_deref() {
            Some("SystemPromptEvent") => self.system(event, say),
            Some("MessageEvent") => self.message(event, &who, say),
            Some("ActionEvent") => self.action(event, say),
            Some("ObservationEvent" | "AgentErrorEvent" | "UserRejectObservation") => {
                self.observation(event, say);
            }
            Some("Condensation" | "CondensationSummaryEvent") => self.condensation(event, say),
            Some("ConversationErrorEvent" | "ServerErrorEvent") => {
                let code = take_first_text(&mut event, &["code"]).unwrap_or_else(|| "error".into());
                let text = take_first_text(&mut event, &["detail", "error"]).unwrap_or_else(|| code.clone());
                self.draft.push(EventDraft { error: Some((code, text)), ..say });
            }
            Some("ConversationStateUpdateEvent") => {
                let stats = match event.get("key").and_then(Json::as_str) {
                    Some("stats") => event.get("value"),
                    _ => event.get("value").and_then(|state| state.get("stats")),
                };
                self.stats.update(stats, &source);
                self.draft.unmapped.record("ConversationStateUpdateEvent", source);
            }
            Some(kind) => self.draft.unmapped.record(kind, source),
            None if event.contains_key("agent") && event.contains_key("workspace") => {
                self.state(event, source);
            }
            None => self.old_event(event, &who, say),
        }
        if self.draft.len() > place
            && let Some(id) = own_id
        {
            self.places.insert(id, place);
        }
    }

    /// `base_state.json`; its secrets are not read.
    fn state(&mut self, mut state: Object, source: SourceRecord) {
        if let Some(id) = take_text(&mut state, "id") {
            self.draft.session.id = id;
        }
        self.stats.update(state.get("stats"), &source);
        self.draft.unmapped.record("base_state", source);
    }

    fn system(&mut self, mut event: Object, say: EventDraft) {
        let mut turn = Turn::new(Role::System);
        let prompt = event.remove("system_prompt").unwrap_or_default();
        self.draft.messages("SystemPromptEvent").content(prompt, &mut turn);
        turn.role = Role::System;
        let mut notes = Object::new();
        notes.push_some("tools", event.remove("tools"));
        self.draft.note_rest("SystemPromptEvent", &event);
        self.draft.push_turn(turn, EventDraft { source_notes: notes, ..say });
    }

    fn message(&mut self, mut event: Object, who: &str, say: EventDraft) {
        let message = event.remove("llm_message").unwrap_or_default();
        event.remove("activated_skills");
        let mut turn = self.draft.messages("MessageEvent").read(message);
        let response = take_text(&mut event, "llm_response_id");
        turn.rest = event;
        let mut notes = Object::new();
        notes.push_some("responseId", response.clone());
        if who == "user" && turn.role == Role::Model {
            turn.role = Role::User;
        }
        let is_answer = turn.role == Role::Model;
        let at = say_turn(&mut self.draft, "MessageEvent", turn, EventDraft { source_notes: notes, ..say });
        self.answers.extend(at.filter(|_| is_answer).map(|at| (at, response)));
    }

    fn action(&mut self, mut event: Object, say: EventDraft) {
        let mut turn = Turn::new(Role::Model);
        let mut messages = self.draft.messages("ActionEvent");
        if let Some(text) = take_text(&mut event, "reasoning_content").filter(|text| !text.is_empty()) {
            turn.parts.push(thought(text));
        } else if let Some(blocks) = take_list(&mut event, "thinking_blocks") {
            messages.content(Json::Array(blocks), &mut turn);
        }
        messages.content(event.remove("thought").unwrap_or_default(), &mut turn);
        let mut call = take_object(&mut event, "tool_call").unwrap_or_default();
        let id = take_text(&mut event, "tool_call_id").or_else(|| take_text(&mut call, "id"));
        let name = take_text(&mut event, "tool_name").or_else(|| take_text(&mut call, "name"));
        let args = take_any(&mut call, &["arguments"]).or_else(|| event.remove("action"));
        messages.push_call(id, name, args, &mut turn);
        for key in ["action", "summary", "thinking_blocks", "responses_reasoning_item"] {
            event.remove(key);
        }
        let response = take_text(&mut event, "llm_response_id");
        self.draft.note_rest("ActionEvent", &event);
        if let Some(at) = response.as_ref().and_then(|id| self.responses.get(id).copied()) {
            self.places.extend(say.id.map(|id| (id, at)));
            let calls = turn.parts.into_iter().filter(|part| part.function_call.is_some());
            return self.draft.extend(at, calls.collect(), say.sources[0].clone());
        }
        let mut notes = Object::new();
        notes.push_some("responseId", response.clone());
        let at = self.draft.push_turn(turn, EventDraft { source_notes: notes, ..say });
        self.answers.push((at, response.clone()));
        self.responses.extend(response.map(|id| (id, at)));
    }

    fn observation(&mut self, mut event: Object, say: EventDraft) {
        let mut turn = Turn::new(Role::Tool);
        let id = take_text(&mut event, "tool_call_id");
        let name = take_text(&mut event, "tool_name");
        let mut observation = take_object(&mut event, "observation").unwrap_or_default();
        let is_error = observation.remove("is_error").is_some_and(|flag| flag.is_truthy())
            || event.contains_key("error");
        let content = take_any(&mut observation, &["content", "output"])
            .or_else(|| take_any(&mut event, &["error", "rejection_reason"]))
            .or_else(|| (!observation.is_empty()).then(|| Json::Object(std::mem::take(&mut observation))));
        self.draft.messages("ObservationEvent").result(id, name, content, is_error, &mut turn);
        event.remove("action_id");
        self.draft.note_rest("ObservationEvent", &event);
        self.draft.note_rest("ObservationEvent.observation", &observation);
        self.draft.push_turn(turn, say);
    }

    fn condensation(&mut self, mut event: Object, say: EventDraft) {
        let text = take_first_text(&mut event, &["summary"]).unwrap_or_default();
        if self.summary.replace(text.clone()).as_ref() == Some(&text) && !text.is_empty() {
            return self.draft.unmapped.record("CondensationSummaryEvent", say.sources[0].clone());
        }
        self.condensed(text, event, say);
    }

    /// A summary stands for what was forgotten, this time and before: only the last one is sent.
    fn condensed(&mut self, text: Str, about: Object, say: EventDraft) {
        let mut ids = forgotten_ids(&about);
        let parts = vec![Part::from_text(text)];
        let at = self.draft.push(EventDraft { kind: Kind::Compaction, parts, source_notes: about, ..say });
        let is_said = !ids.is_empty();
        self.forgotten.extend(ids.drain(..).filter_map(|id| self.places.get(&id)));
        if is_said {
            self.draft.cover(at, &self.forgotten);
        }
    }

    /// The first generation.
    fn old_event(&mut self, mut event: Object, who: &str, say: EventDraft) {
        self.stats.update_run(event.remove("llm_metrics"), &say.sources[0]);
        let action = take_text(&mut event, "action");
        let observation = take_text(&mut event, "observation");
        let mut about = take_object(&mut event, "tool_call_metadata").unwrap_or_default();
        let call_id = take_first_text(&mut about, &["tool_call_id"]);
        let name = take_first_text(&mut about, &["function_name"]);
        let content = take_any(&mut event, &["content"]);
        let mut args = take_object(&mut event, "args").unwrap_or_default();
        let own_id = say.id.clone().filter(|id| !id.is_empty());
        // Without calls of functions, a result says which action it came of.
        let cause = event.get("cause").and_then(Json::as_i64).map(|cause| Str::from(cause.to_string()));
        if let Some(kind) =
            action.as_deref().or(observation.as_deref()).filter(|kind| ABOUT_THE_RUN.contains(kind))
        {
            return self.draft.unmapped.record(kind, say.sources[0].clone());
        }
        match (action.as_deref(), observation.as_deref()) {
            (Some("message"), _) if who == "user" => {
                let mut turn = Turn::new(Role::User);
                let content = args.remove("content").or(content).unwrap_or_default();
                self.draft.messages("message").content(content, &mut turn);
                self.draft.push_turn(turn, say);
            }
            (Some("system"), _) => {
                let mut turn = Turn::new(Role::System);
                self.draft.messages("system").content(args.remove("content").unwrap_or_default(), &mut turn);
                self.draft.push_turn(turn, say);
            }
            (Some("recall"), _) => self.draft.unmapped.record("recall", say.sources[0].clone()),
            (Some("condensation"), _) => {
                let text = take_first_text(&mut args, &["summary"]).unwrap_or_default();
                self.condensed(text, args, say);
            }
            (Some("message" | "finish" | "think"), _) if call_id.is_none() => {
                let text =
                    take_first_text(&mut args, &["content", "final_thought", "thought"]).unwrap_or_default();
                self.old_response(vec![Part::from_text(text)], about, say);
            }
            (Some(action), _) if who == "agent" => {
                let mut turn = Turn::new(Role::Model);
                if let Some(text) = take_first_text(&mut args, &["thought"]) {
                    turn.parts.push(Part::from_text(text));
                }
                let name = name.unwrap_or_else(|| action.into());
                let id = call_id.or(own_id);
                self.has_unnamed_call = id.is_none();
                self.actions.extend(id.clone());
                self.draft.messages("action").push_call(id, Some(name), Some(Json::Object(args)), &mut turn);
                self.old_response(turn.parts, about, say);
            }
            (_, Some("recall")) => {
                // What the client knows of the workspace, or what a keyword brought up.
                let extras = event.remove("extras").unwrap_or_default();
                let text = content.as_ref().and_then(Json::as_str).unwrap_or_default().to_owned();
                let parts =
                    vec![Part::from_text(text), Part::from_text(strata_model::json::to_compact(&extras))];
                self.draft.push(EventDraft { kind: Kind::Injected("recall".into()), parts, ..say });
            }
            (_, Some(observation))
                if call_id.is_some()
                    || cause.as_ref().map_or(self.has_unnamed_call, |it| self.actions.contains(it)) =>
            {
                self.has_unnamed_call = false;
                let call_id = call_id.or(cause);
                let mut turn = Turn::new(Role::Tool);
                let name = name.or(Some(observation.into()));
                self.draft.messages("observation").result(
                    call_id,
                    name,
                    content,
                    observation == "error",
                    &mut turn,
                );
                self.draft.push_turn(turn, say);
            }
            (action, observation) => {
                let kind = action.or(observation).unwrap_or("event of no known kind").to_owned();
                self.draft.unmapped.record(&kind, say.sources[0].clone());
            }
        }
    }

    fn old_response(&mut self, parts: Vec<Part>, mut about: Object, mut say: EventDraft) {
        let mut response = take_object(&mut about, "model_response").unwrap_or_default();
        let id = take_text(&mut response, "id");
        if let Some(at) = id.as_ref().and_then(|id| self.responses.get(id).copied()) {
            self.places.extend(say.id.map(|id| (id, at)));
            let calls = parts.into_iter().filter(|part| part.function_call.is_some());
            return self.draft.extend(at, calls.collect(), say.sources[0].clone());
        }
        say.source_notes.push_some("responseId", id.clone());
        say.model = take_text(&mut response, "model");
        let counts = take_object(&mut response, "usage");
        say.usage = counts.and_then(|counts| usage::read(counts, "usage", &mut self.draft.unmapped));
        say.kind = Kind::Response;
        say.parts = parts;
        let at = self.draft.push(say);
        self.responses.extend(id.map(|id| (id, at)));
    }
}

fn id_of(id: Json) -> Str {
    match id {
        Json::String(id) => id,
        other => strata_model::json::to_compact(&other).into(),
    }
}

/// Ids of what a condensation took out: a list of them, or the first and the last.
fn forgotten_ids(about: &Object) -> Vec<Str> {
    let listed = ["forgotten_event_ids", "forgotten_events_ids"]
        .iter()
        .find_map(|key| about.get(key)?.as_array().filter(|ids| !ids.is_empty()));
    if let Some(ids) = listed {
        return ids.iter().cloned().map(id_of).collect();
    }
    let bound = |key: &str| about.get(key).and_then(Json::as_i64);
    match (bound("forgotten_events_start_id"), bound("forgotten_events_end_id")) {
        // No file holds more events than this, whatever it says.
        (Some(start), Some(end)) if end.saturating_sub(start) < 1_000_000 => {
            (start..=end).map(|id| id.to_string().into()).collect()
        }
        _ => Vec::new(),
    }
}
