//! What `codex exec --json` puts out: `thread.started`, then turns and items. Usage is only told as a sum, when a turn
//! ends.

use strata_model::take::{take_any, take_first_text, take_object, take_text};
use strata_model::{Json, Object, Part, Str};
use strata_wire::message::arguments;
use strata_wire::message::{Role, Turn, thought};
use strata_wire::usage::{Counts, UsageReport, read as read_usage};

use super::events::name_of_mcp_tool;
use super::rollout::Rollout;
use crate::draft::EventDraft;
use crate::source::SourceRecord;
use crate::unmapped::Unmapped;

impl Rollout {
    pub(super) fn streamed(&mut self, kind: &str, mut record: Object, source: SourceRecord) {
        match kind {
            "thread.started" | "session.created" => {
                let id = take_first_text(&mut record, &["thread_id", "session_id"]);
                if id.as_ref() != Some(&self.draft.session.id) {
                    self.stream.last_sum = Counts::default();
                }
                self.draft.session.id = id.unwrap_or_default();
                self.draft.unmapped.record(kind, source);
            }
            "turn.started" => {
                self.count("turns_started");
                self.open = None;
                self.draft.unmapped.record(kind, source);
            }
            "turn.completed" => self.end_turn(record, source),
            "turn.failed" => self.error(record, source),
            "item.started" | "item.updated" | "item.completed" => {
                let Some(item) = take_object(&mut record, "item") else {
                    return self.draft.unmapped.record(kind, source);
                };
                let id = item.get("id").and_then(Json::as_str).map(Str::from).unwrap_or_default();
                if kind == "item.completed" {
                    self.stream.begun.remove(&id);
                    self.streamed_item(item, true, source);
                } else {
                    self.draft.unmapped.record(kind, source.clone());
                    self.stream.begun.insert(id, (item, source));
                }
            }
            kind => self.draft.unmapped.record(kind, source),
        }
    }

    fn streamed_item(&mut self, mut item: Object, is_done: bool, source: SourceRecord) {
        let id = take_text(&mut item, "id");
        let kind = take_first_text(&mut item, &["type", "item_type"]).unwrap_or_default();
        let mut turn = Turn::new(Role::Model);
        let text = |item: &mut Object| take_text(item, "text").unwrap_or_default();
        let is_failure = matches!(item.get("status").and_then(Json::as_str), Some("failed" | "declined"));
        let (name, args, output): (Str, Object, Option<Json>) = match &*kind {
            "agent_message" | "assistant_message" | "plan" => {
                turn.parts.push(Part::from_text(text(&mut item)));
                return self.answer(turn, &kind, None, source);
            }
            "reasoning" => {
                turn.parts.push(thought(text(&mut item)));
                return self.answer(turn, &kind, None, source);
            }
            "error" => return self.error(item, source),
            "command_execution" => {
                let args = Object::from_iter([("command", item.remove("command").unwrap_or_default())]);
                ("shell".into(), args, item.remove("aggregated_output"))
            }
            "file_change" => {
                let args = Object::from_iter([("changes", item.remove("changes").unwrap_or_default())]);
                ("apply_patch".into(), args, item.remove("status"))
            }
            "mcp_tool_call" => {
                let server = take_text(&mut item, "server").unwrap_or_default();
                let tool = take_text(&mut item, "tool").unwrap_or_default();
                let args = arguments(item.remove("arguments")).unwrap_or_default();
                let mut result = take_object(&mut item, "result").unwrap_or_default();
                let content = take_any(&mut result, &["content", "structured_content"]);
                let error = take_any(&mut item, &["error"]);
                (name_of_mcp_tool(&server, &tool), args, error.or(content))
            }
            "collab_tool_call" => {
                let tool = take_text(&mut item, "tool").unwrap_or_default();
                let states = item.remove("agents_states");
                item.remove("status");
                (tool, std::mem::take(&mut item), states)
            }
            "web_search" => {
                let args = std::mem::take(&mut item);
                let mut tool = Object::new();
                tool.push_some("id", id);
                tool.push("toolType", "web_search");
                tool.push("args", args);
                let mut part = Part::default();
                part.other.push("toolCall", tool);
                turn.parts.push(part);
                return self.answer(turn, &kind, None, source);
            }
            kind => return self.draft.unmapped.record(&format!("item.{kind}"), source),
        };
        let mut messages = self.draft.messages("item");
        messages.push_call(id.clone(), Some(name.clone()), Some(args.into()), &mut turn);
        self.answer(turn, &kind, None, source.clone());
        if is_done {
            let has_failed = item.get("exit_code").and_then(Json::as_i64).unwrap_or(0) != 0;
            self.end_call(id, Some(name), output, is_failure || has_failed, source);
        }
        for key in ["exit_code", "status"] {
            item.remove(key);
        }
        self.draft.note_rest(&format!("item.{kind}"), &item);
    }

    /// Calls the stream broke off in.
    pub(super) fn tell_open_items(&mut self) {
        self.tell_awaited();
        for (item, source) in std::mem::take(&mut self.stream.begun).into_values() {
            self.streamed_item(item, false, source);
        }
    }

    /// The usage of a turn is that of its thread so far.
    fn end_turn(&mut self, mut record: Object, source: SourceRecord) {
        self.open = None;
        let Some(sum) = take_object(&mut record, "usage") else {
            return self.draft.unmapped.record("turn.completed", source);
        };
        let sum = read_usage(sum, "turn.completed.usage", &mut Unmapped::default());
        let Some(sum) = sum.map(|sum| sum.counts()) else { return };
        let usage = UsageReport::from(sum.grown_since(self.stream.last_sum));
        self.stream.last_sum = sum;
        let say = EventDraft { usage: Some(usage), model: self.model.clone(), ..self.say(source) };
        self.draft.push_sum(say);
    }
}
