//! Events of the interface. Most repeat what items say; where there are no items, they are all there is.

use strata_model::take::{take_any, take_first_text, take_object, take_text};
use strata_model::{Json, Object, Part, Str, namespace};
use strata_wire::message::{Role, Turn, thought};

use super::prompts::prompt_of;
use super::rollout::Rollout;
use crate::draft::EventDraft;
use crate::source::SourceRecord;

/// What a tool was asked and what it returned.
struct Work {
    name: Str,
    args: Object,
    output: Option<Json>,
    is_error: bool,
}

/// A tool of an MCP server, as it is declared to the model.
pub(super) fn name_of_mcp_tool(server: &str, tool: &str) -> Str {
    namespace::name_in(Some(&format!("mcp__{server}")), tool)
}

impl Rollout {
    pub(super) fn event(&mut self, mut event: Object, source: SourceRecord) {
        let kind = event.get("type").and_then(Json::as_str).unwrap_or_default().to_owned();
        match &*kind {
            "token_count" if self.is_copied => {
                self.steps.copied(&event);
                self.draft.unmapped.record("event_msg.token_count of a parent", source);
            }
            "token_count" => {
                self.count("token_count_events");
                let reported = self.steps.count(event, &mut self.draft.unmapped);
                self.step("event_msg.token_count", reported, source);
            }
            "task_started" | "turn_started" => {
                if !self.is_copied {
                    self.count("turns_started");
                }
                self.turn = take_text(&mut event, "turn_id").or(self.turn.take());
                self.steps.take_context_window(&mut event);
                self.draft.unmapped.record("event_msg.task_started", source);
            }
            "turn_aborted" => {
                if !self.is_copied {
                    self.count("turns_aborted");
                }
                self.draft.unmapped.record("event_msg.turn_aborted", source);
            }
            "user_message" => {
                let prompt = prompt_of(&Json::Object(event.clone()));
                match prompt.filter(|prompt| self.asked.event(*prompt, &self.ahead.prompts)) {
                    Some(_) => self.lone_prompt(&event, source),
                    None => self.draft.unmapped.record("event_msg.user_message", source),
                }
            }
            "error" | "stream_error" | "" => self.error(event, source),
            "thread_name_updated" => {
                self.draft.title = take_text(&mut event, "thread_name");
                self.draft.unmapped.record("event_msg.thread_name_updated", source);
            }
            "thread_rolled_back" => self.rolled_back(&event, source),
            "session_configured" => {
                if let Some(id) = take_text(&mut event, "session_id") {
                    self.draft.session.id = id;
                }
                if let Some(model) = take_text(&mut event, "model") {
                    self.set_model(model);
                }
                self.draft.unmapped.record("event_msg.session_configured", source);
            }
            kind if self.is_told_by_events() => self.told(kind, event, source),
            kind => self.draft.unmapped.record(&format!("event_msg.{kind}"), source),
        }
    }

    pub(super) fn error(&mut self, event: Object, source: SourceRecord) {
        let error = event.get("error").filter(|it| it.as_object().is_some()).cloned();
        let error = error.unwrap_or(Json::Object(event));
        let text = |key: &str| error.get(key).and_then(Json::as_str).map(Str::from);
        // Newer versions say more about some errors, in an object with the name as its key.
        let named = error.get("codex_error_info").and_then(|info| info.as_object()?.keys().next().cloned());
        let message = text("message").unwrap_or_else(|| "error".into());
        let code = text("codex_error_info").or(named).or(text("kind")).unwrap_or_else(|| "error".into());
        let say = EventDraft { error: Some((code, message)), ..self.say(source) };
        self.draft.push(say);
    }

    /// What the interface showed of the conversation.
    fn told(&mut self, kind: &str, mut event: Object, source: SourceRecord) {
        match kind {
            "agent_message" => {
                let mut turn = Turn::new(Role::Model);
                let text = take_first_text(&mut event, &["message", "content"]).unwrap_or_default();
                turn.parts.push(Part::from_text(text));
                self.answer(turn, kind, None, source);
            }
            "agent_reasoning" | "agent_reasoning_raw_content" => {
                let mut turn = Turn::new(Role::Model);
                turn.parts
                    .push(thought(take_first_text(&mut event, &["text", "content"]).unwrap_or_default()));
                self.answer(turn, kind, None, source);
            }
            "exec_command_begin" | "exec_command_end" => {
                let args = Object::from_iter([("command", event.remove("command").unwrap_or_default())]);
                let output = take_any(&mut event, &["formatted_output", "aggregated_output"]).or_else(|| {
                    let text = |key: &str| event.get(key).and_then(Json::as_str).unwrap_or_default();
                    Some(format!("{}{}", text("stdout"), text("stderr")).into())
                });
                let is_error = event.get("exit_code").and_then(Json::as_i64).unwrap_or(0) != 0;
                self.work(kind, event, Work { name: "shell".into(), args, output, is_error }, source);
            }
            "patch_apply_begin" | "patch_apply_end" => {
                let args = Object::from_iter([("changes", event.remove("changes").unwrap_or_default())]);
                let is_error = event.get("success").is_some_and(|success| !success.is_truthy());
                let output = take_any(&mut event, &["stdout"]);
                self.work(kind, event, Work { name: "apply_patch".into(), args, output, is_error }, source);
            }
            "mcp_tool_call_begin" | "mcp_tool_call_end" => {
                let mut about = take_object(&mut event, "invocation").unwrap_or_default();
                let server = take_text(&mut about, "server").unwrap_or_default();
                let tool = take_text(&mut about, "tool").unwrap_or_default();
                let args = take_object(&mut about, "arguments").unwrap_or_default();
                let output = event.remove("result");
                let of = |key: &str| output.as_ref().and_then(|output| output.get(key)).cloned();
                let error = of("Err");
                let is_error = error.is_some();
                let output = error.or_else(|| of("Ok")).or(output);
                let name = name_of_mcp_tool(&server, &tool);
                self.work(kind, event, Work { name, args, output, is_error }, source);
            }
            kind => self.draft.unmapped.record(&format!("event_msg.{kind}"), source),
        }
    }

    /// The beginning or the end of a tool's work. Rollouts may keep the end alone, which repeats the call.
    fn work(&mut self, kind: &str, mut event: Object, work: Work, source: SourceRecord) {
        let id = take_text(&mut event, "call_id");
        let is_end = kind.ends_with("_end");
        let is_called = id.as_ref().is_some_and(|id| self.open_calls.contains(id));
        if !is_end || !is_called {
            let mut turn = Turn::new(Role::Model);
            let mut messages = self.draft.messages("event_msg");
            messages.push_call(id.clone(), Some(work.name.clone()), Some(work.args.into()), &mut turn);
            self.answer(turn, kind, None, source.clone());
        }
        if is_end {
            // The result has the name that its call has.
            let name = (!is_called).then_some(work.name);
            self.end_call(id, name, work.output, work.is_error, source);
        }
    }

    /// What a tool returned.
    pub(super) fn end_call(
        &mut self,
        id: Option<Str>,
        name: Option<Str>,
        output: Option<Json>,
        is_error: bool,
        source: SourceRecord,
    ) {
        self.open = None;
        if let Some(id) = &id {
            self.open_calls.remove(id);
        }
        let mut turn = Turn::new(Role::Tool);
        self.draft.messages("event_msg").result(id, name, output, is_error, &mut turn);
        let say = self.say(source);
        self.draft.push_turn(turn, say);
    }
}
