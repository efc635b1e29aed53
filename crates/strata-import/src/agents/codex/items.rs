//! The items the model sees, and what it answers.

use std::sync::Arc;

use strata_model::take::{take_list, take_object, take_text};
use strata_model::{Json, Object, Part, Str};
use strata_wire::message::{Role, Turn};
use strata_wire::usage::UsageReport;

use super::prompts::TypedByUser;
use super::rollout::Rollout;
use crate::draft::{EventDraft, Kind, kind_of};
use crate::marks;
use crate::source::SourceRecord;

impl Rollout {
    /// Something the model sees, or said.
    pub(super) fn item(&mut self, mut item: Object, source: SourceRecord) {
        let about = take_object(&mut item, "internal_chat_message_metadata_passthrough").unwrap_or_default();
        if let Some(turn) = about.get("turn_id").and_then(Json::as_str) {
            self.turn = Some(turn.into());
        }
        let kind = item.get("type").and_then(Json::as_str).unwrap_or_default().to_owned();
        // Marks of the client, and contexts that only the provider can read.
        let is_mark = ["ghost_snapshot", "compaction", "compaction_summary", "compaction_trigger", "other"];
        if is_mark.contains(&&*kind) || kind == "context_compaction" || kind == "additional_tools" {
            return self.draft.unmapped.record(&format!("response_item.{kind}"), source);
        }
        let id = take_text(&mut item, "call_id").inspect(|id| {
            item.insert("call_id", id.clone());
        });
        let phase = take_text(&mut item, "phase");
        item.remove("metadata");
        let item_id = if kind == "message" { take_text(&mut item, "id") } else { None };
        if kind == "agent_message" {
            item.remove("id");
        }
        let turn = self.draft.messages("response_item").read(Json::Object(item));
        self.draft.note_rest(&format!("response_item.{kind}"), &turn.rest);
        match turn.role {
            Role::Model if kind == "agent_message" || is_from_agent(&turn) => {
                self.open = None;
                let kind = Kind::Injected("peer".into());
                let say = EventDraft { id: item_id, kind, parts: turn.parts, ..self.say(source) };
                self.draft.push(say);
            }
            Role::Model => self.answer(turn, &kind, phase, source),
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
                let say = EventDraft { id: item_id, ..self.say(source) };
                let at = self.draft.push_turn(turn, say);
                self.mark(at, "developer");
                self.in_nobodys_name(at);
            }
        }
    }

    /// Words and calls of the model; `kind` is that of the record they stand in.
    pub(super) fn answer(&mut self, turn: Turn, kind: &str, phase: Option<Str>, source: SourceRecord) {
        for part in turn.parts.iter().filter(|part| part.calls_tool()) {
            if !self.is_copied {
                *self.calls.entry(kind.into()).or_default() += 1;
            }
            // What the provider's own tools found is not told.
            self.open_calls.extend(part.function_call.as_ref().and_then(|call| call.id.clone()));
        }
        self.respond(turn, phase, source);
    }

    fn mark(&mut self, at: usize, kind: &str) {
        if let Some(custom) = self.draft.event_mut(at).and_then(|event| event.custom_metadata.as_mut()) {
            custom.insert(marks::INJECTED, kind);
        }
    }

    /// What the client says to the model is sent in a role of its own, and not in the user's.
    fn in_nobodys_name(&mut self, at: usize) {
        if let Some(content) = self.draft.event_mut(at).and_then(|event| event.content.as_mut()) {
            Arc::make_mut(content).role = Some("system".into());
        }
    }

    /// A prompt, when the interface recorded it as one.
    fn user(&mut self, turn: Turn, id: Option<Str>, source: SourceRecord) {
        self.open = None;
        let typed = self.asked.item(&turn, &self.ahead.prompts);
        let mut sources = vec![source.clone()];
        let kind = match kind_of(&turn) {
            kind @ (Kind::Prompt | Kind::Injected(_)) if typed == TypedByUser::Yes => {
                // Nothing but the client's own words is no prompt, whatever the interface calls it.
                if turn.parts.is_empty() { kind } else { Kind::Prompt }
            }
            Kind::Injected(kind) => Kind::Injected(kind),
            kind if typed == TypedByUser::Unsaid => kind,
            _ => match self.awaited.take() {
                Some((_, of_event)) => {
                    sources.push(of_event);
                    Kind::Prompt
                }
                None => Kind::Injected("client".into()),
            },
        };
        let is_prompt = kind == Kind::Prompt;
        let is_client = kind == Kind::Injected("client".into());
        let say = EventDraft { id, kind, parts: turn.parts, sources, ..self.say(source) };
        let at = if is_prompt { self.push_prompt(say) } else { self.draft.push(say) };
        self.unproven = is_client.then_some(at);
    }

    /// Adds a prompt; a thread can be rolled back to it.
    pub(super) fn push_prompt(&mut self, say: EventDraft) -> usize {
        // The extension for editors puts what was typed behind what it says about the editor.
        const REQUEST: &str = "## My request for Codex:";
        let mut texts = say.parts.iter().filter_map(|part| part.text.as_deref());
        if self.draft.title.is_none()
            && self.turns.is_empty()
            && let Some((_, request)) = texts.find_map(|text| text.split_once(REQUEST))
        {
            self.draft.title = Some(request.into());
        }
        let at = self.draft.push(EventDraft { kind: Kind::Prompt, ..say });
        self.turns.push(at);
        at
    }

    /// A prompt of which there is only the interface's own record. Where the item before it or behind it says it in
    /// other words, that item is the prompt.
    pub(super) fn lone_prompt(&mut self, event: &Object, source: SourceRecord) {
        self.tell_awaited();
        let text = event.get("message").and_then(Json::as_str).unwrap_or_default();
        let has_custom =
            |at: &usize| self.draft.event(*at).is_some_and(|event| event.custom_metadata.is_some());
        if let Some(at) = self.unproven.take().filter(has_custom) {
            if let Some(event) = self.draft.event_mut(at) {
                if let Some(custom) = &mut event.custom_metadata {
                    custom.remove(marks::INJECTED);
                }
                event.custom_metadata.take_if(|custom| custom.is_empty());
            }
            self.draft.add_source(at, source);
            self.turns.push(at);
            return;
        }
        self.open = None;
        self.awaited = Some((text.into(), source));
        if !self.ahead.prompts.has_items() {
            self.tell_awaited();
        }
    }

    /// The item that should follow a recorded prompt did not come.
    pub(super) fn tell_awaited(&mut self) {
        let Some((text, source)) = self.awaited.take() else { return };
        let say = EventDraft { parts: vec![Part::from_text(text)], ..self.say(source) };
        self.push_prompt(say);
    }

    /// Adds to the response that is going on, or begins one.
    pub(super) fn respond(&mut self, turn: Turn, phase: Option<Str>, source: SourceRecord) {
        self.tell_awaited();
        self.unproven = None;
        match self.open {
            Some(at) => self.draft.extend(at, turn.parts, source),
            None => {
                let mut notes = Object::new();
                notes.push_some("phase", phase);
                let say = EventDraft { model: self.model.clone(), source_notes: notes, ..self.say(source) };
                let at = self.draft.push_turn(turn, say);
                self.open = Some(at);
                self.steps.opened(at);
            }
        }
    }

    /// Usage of the response before it. A record that only repeats counts is listed under its `kind`.
    pub(super) fn step(&mut self, kind: &str, reported: Option<UsageReport>, source: SourceRecord) {
        let Some(reported) = reported else {
            self.draft.unmapped.record(kind, source);
            return self.mark_context_window();
        };
        self.open = None;
        let at = match self.steps.take_open() {
            Some(at) => {
                self.draft.add_source(at, source);
                self.draft.set_usage(at, reported);
                at
            }
            // A call of which nothing is recorded but its usage: the one that wrote a summary, or one that failed.
            None => {
                let say = EventDraft { usage: Some(reported), model: self.model.clone(), ..self.say(source) };
                self.draft.push(say)
            }
        };
        self.steps.reported = Some(at);
        self.mark_context_window();
    }

    /// On the response whose usage came last: counts may tell it behind a record of usage.
    fn mark_context_window(&mut self) {
        if let (Some(at), Some(tokens)) = (self.steps.reported, self.steps.context_window) {
            self.draft.mark(at, marks::CONTEXT_WINDOW, i64::from(tokens));
        }
    }

    pub(super) fn compacted(&mut self, mut compacted: Object, source: SourceRecord) {
        self.open = None;
        let history = take_list(&mut compacted, "replacement_history").unwrap_or_default();
        let turns = self.draft.messages("compacted").read_all(history.into_iter().map(|item| match item {
            Json::Object(mut item) => {
                item.remove("internal_chat_message_metadata_passthrough");
                Json::Object(item)
            }
            other => other,
        }));
        // The content of a compaction has one role: those of its parts are noted.
        let role_of = |turn: &Turn| match turn.role {
            Role::System => "developer",
            Role::User => "user",
            Role::Model => "assistant",
            Role::Tool => "tool",
        };
        let roles: Vec<Json> =
            turns.iter().flat_map(|turn| turn.parts.iter().map(move |_| Json::from(role_of(turn)))).collect();
        if roles.iter().any(|role| role.as_str() != Some("user")) {
            compacted.insert("partRoles", roles);
        }
        let mut parts: Vec<_> = turns.into_iter().flat_map(|turn| turn.parts).collect();
        if parts.is_empty() {
            let message = take_text(&mut compacted, "message").unwrap_or_default();
            parts.push(Part::from_text(message));
        }
        let say = EventDraft { kind: Kind::Compaction, parts, source_notes: compacted, ..self.say(source) };
        self.draft.push(say);
    }

    /// The last prompts were taken back.
    pub(super) fn rolled_back(&mut self, event: &Object, source: SourceRecord) {
        let n_turns = event.get("num_turns").and_then(Json::as_i64).and_then(|n| usize::try_from(n).ok());
        let n_kept = self.turns.len().saturating_sub(n_turns.unwrap_or(0));
        let first = self.turns.get(n_kept).and_then(|at| self.draft.event(*at));
        let Some(invocation) = first.map(|event| event.invocation_id.clone()) else {
            return self.draft.unmapped.record("event_msg.thread_rolled_back", source);
        };
        self.turns.truncate(n_kept);
        self.open = None;
        // The mark belongs to no turn that is taken back.
        let say = EventDraft {
            invocation: Some(format!("rollback-{}", self.draft.len()).into()),
            ..self.say(source)
        };
        self.draft.push_rewind(invocation, say);
    }
}

/// A message of another agent, which is recorded as one of the model's with its envelope as text.
fn is_from_agent(turn: &Turn) -> bool {
    let [part] = &turn.parts[..] else { return false };
    let text = part.text.as_deref().filter(|text| text.starts_with('{') && text.contains("\"recipient\""));
    let Some(Ok(envelope)) = text.map(|text| strata_model::json::parse(text.as_bytes())) else {
        return false;
    };
    ["author", "recipient", "content"].iter().all(|key| envelope.get(key).is_some())
}
