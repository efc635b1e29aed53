//! Event logs of Copilot CLI: `{type, data, id, timestamp, parentId}`.
//!
//! Input tokens are only known when a session ends, as sums per model; they are kept in an event of their own, which is
//! marked as a sum and is no call.

use std::collections::HashMap;

use strata_model::{Json, Object, Part, Str};

use crate::draft::{Draft, Kind, Say, kind_of};
use crate::findings::Findings;
use crate::format::Format;
use crate::import::ImportedSession;
use crate::marks;
use crate::message::{Role, Turn, thought};
use crate::source::SourceRecord;
use crate::take::{take_any, take_count, take_first_text, take_list, take_object, take_text, time_of};
use crate::usage::{Counts, read as read_usage};
use crate::values::Value;

pub(crate) fn read(values: Vec<Value>, findings: &mut Findings) -> Vec<ImportedSession> {
    let mut log = Log {
        draft: Draft::new("copilot", "copilot"),
        model: None,
        agents: HashMap::new(),
        output: HashMap::new(),
    };
    for value in values {
        let source = value.source();
        match value.json {
            Json::Object(record) => log.record(record, source),
            other => {
                let message = format!("{} stands where a record should be; it was left out", other.kind());
                findings.warning("not-a-record", format!("line {}", value.line), message);
            }
        }
    }
    log.draft.finish(Format::CopilotCli, findings).into_iter().collect()
}

struct Log {
    draft: Draft,
    model: Option<Str>,
    /// Names of sub-agents by the call that started them.
    agents: HashMap<Str, Str>,
    /// Output tokens that messages reported, by model.
    output: HashMap<Str, u64>,
}

impl Log {
    fn record(&mut self, mut record: Object, source: SourceRecord) {
        let time = record.get("timestamp").and_then(time_of);
        let id = take_text(&mut record, "id");
        let kind = take_text(&mut record, "type").unwrap_or_default();
        let mut data = take_object(&mut record, "data").unwrap_or_default();
        self.draft.set_clock(time);
        let caller = take_first_text(&mut data, &["parentToolCallId"]);
        let agent = caller.as_ref().and_then(|call| self.agents.get(call)).cloned();
        let say = Say {
            id,
            time,
            invocation: take_text(&mut data, "interactionId"),
            branch: caller.filter(|_| agent.is_some()).map(|call| format!("agent.{call}").into()),
            agent,
            ..Say::new(Kind::Notice, Vec::new(), source.clone())
        };
        match &*kind {
            "session.start" => {
                self.draft.session.id = take_text(&mut data, "sessionId").unwrap_or_default();
                self.model = take_text(&mut data, "selectedModel");
                self.draft.unmapped.record(&kind, source);
            }
            "session.model_change" => {
                self.model = take_text(&mut data, "newModel").or(self.model.take());
                self.draft.unmapped.record(&kind, source);
            }
            "system.message" => {
                let turn = self.turn(Role::System, &mut data);
                self.draft.push_turn(turn, say);
            }
            "system.notification" => {
                let turn = self.turn(Role::User, &mut data);
                self.draft.push(Say {
                    kind: Kind::Injected("task-notification".into()),
                    parts: turn.parts,
                    ..say
                });
            }
            "user.message" => self.user(data, say),
            "assistant.message" => self.response(data, say),
            "assistant.reasoning" => self.draft.unmapped.record(&kind, source),
            "tool.execution_complete" => self.result(data, say),
            "subagent.started" => {
                let name = take_first_text(&mut data, &["agentName", "agentDisplayName"]);
                if let (Some(call), Some(name)) = (take_text(&mut data, "toolCallId"), name) {
                    self.agents.insert(call, format!("copilot.{name}").into());
                }
                self.draft.unmapped.record(&kind, source);
            }
            "session.compaction_complete" => self.compacted(data, say),
            "session.error" => {
                let text = take_text(&mut data, "message").unwrap_or_else(|| "error".into());
                let code = take_text(&mut data, "errorType").unwrap_or_else(|| "error".into());
                self.draft.push(Say { error: Some((code, text)), ..say });
            }
            "session.shutdown" => self.sums(data, &say),
            "" => self.draft.unmapped.record("record without a type", source),
            kind => self.draft.unmapped.record(kind, source),
        }
    }

    fn turn(&mut self, role: Role, data: &mut Object) -> Turn {
        let mut turn = Turn::new(role);
        self.draft.messages("message").content(data.remove("content").unwrap_or_default(), &mut turn);
        turn
    }

    /// What the model saw is the transformed prompt; what was typed is beside it.
    fn user(&mut self, mut data: Object, say: Say) {
        let mut turn = self.turn(Role::User, &mut data);
        let kind = kind_of(&turn);
        let mut notes = Object::new();
        if let Some(sent) = take_text(&mut data, "transformedContent").filter(|sent| !sent.is_empty()) {
            notes.push("typed", turn.text());
            turn.parts = vec![Part::from_text(sent)];
        }
        for key in ["attachments", "supportedNativeDocumentMimeTypes"] {
            if data.get(key).is_some_and(|value| !value.is_truthy()) {
                data.remove(key);
            }
        }
        self.draft.note_rest("user.message", &data);
        if self.draft.title.is_none() && kind == Kind::Prompt {
            self.draft.title = notes.get("typed").and_then(Json::as_str).map(Str::from);
        }
        self.draft.push(Say { kind, parts: turn.parts, source_notes: notes, ..say });
    }

    fn response(&mut self, mut data: Object, say: Say) {
        let mut turn = Turn::new(Role::Model);
        if let Some(text) = take_text(&mut data, "reasoningText").filter(|text| !text.is_empty()) {
            turn.parts.push(thought(text));
        }
        let content = data.remove("content").unwrap_or_default();
        let mut messages = self.draft.messages("assistant.message");
        messages.content(content, &mut turn);
        for call in take_list(&mut data, "toolRequests").unwrap_or_default() {
            let Json::Object(mut call) = call else { continue };
            let id = take_text(&mut call, "toolCallId");
            let name = take_text(&mut call, "name");
            messages.push_call(id, name, call.remove("arguments"), &mut turn);
            for (key, value) in call.iter().filter(|(key, _)| &***key != "type") {
                messages.unmapped.field("toolRequests", key, value);
            }
        }
        let model = take_text(&mut data, "model").or_else(|| self.model.clone());
        let output = take_count(&mut data, "outputTokens");
        if let (Some(model), Some(output)) = (&model, output) {
            *self.output.entry(model.clone()).or_default() += output;
        }
        let usage = output.map(|output| Counts { output: Some(output), ..Counts::default() }.reported());
        let mut notes = Object::new();
        for key in ["messageId", "apiCallId", "turnId"] {
            notes.push_some(key, data.remove(key));
        }
        self.draft.note_rest("assistant.message", &data);
        self.draft.push(Say {
            kind: Kind::Response,
            parts: turn.parts,
            model,
            usage,
            source_notes: notes,
            ..say
        });
    }

    fn result(&mut self, mut data: Object, say: Say) {
        let mut turn = Turn::new(Role::Tool);
        let id = take_text(&mut data, "toolCallId");
        let name = take_text(&mut data, "toolName");
        let is_error = data.remove("success").is_some_and(|success| !success.is_truthy());
        let content = match take_any(&mut data, &["result", "error"]) {
            Some(Json::Object(mut result)) => {
                take_any(&mut result, &["content", "message", "detailedContent"])
                    .or(Some(Json::Object(result)))
            }
            other => other,
        };
        self.draft.messages("tool").result(id, name, content, is_error, &mut turn);
        data.remove("toolTelemetry");
        data.remove("turnId");
        data.remove("model");
        self.draft.note_rest("tool.execution_complete", &data);
        self.draft.push_turn(turn, say);
    }

    fn compacted(&mut self, mut data: Object, say: Say) {
        let text = take_first_text(&mut data, &["summaryContent", "summary", "content"]).unwrap_or_default();
        let parts = vec![Part::from_text(text)];
        self.draft.push(Say { kind: Kind::Compaction, parts, source_notes: data, ..say });
    }

    /// The sums of the whole session, less what its messages reported themselves.
    fn sums(&mut self, mut data: Object, say: &Say) {
        let metrics = take_object(&mut data, "modelMetrics").unwrap_or_default();
        for (model, metric) in metrics {
            let Some(usage) = metric.get("usage").and_then(Json::as_object) else { continue };
            let Some(mut sum) = read_usage(usage.clone(), "modelMetrics.usage", &mut self.draft.unmapped)
            else {
                continue;
            };
            let own = self.output.remove(&model).unwrap_or(0);
            let total = sum.usage.output_tokens().unwrap_or(0);
            let thoughts = sum.usage.thoughts_token_count.unwrap_or(0).min(total.saturating_sub(own));
            sum.usage.thoughts_token_count = Some(thoughts).filter(|it| *it > 0);
            sum.usage.candidates_token_count = Some(total.saturating_sub(own).saturating_sub(thoughts));
            sum.usage.total_token_count = None;
            let requests = metric.get("requests").cloned().unwrap_or_default();
            let mut notes = Object::from_iter([("requests", requests)]);
            for key in ["systemTokens", "conversationTokens", "toolDefinitionsTokens", "currentTokens"] {
                notes.push_some(key, data.get(key).cloned());
            }
            let at = self.draft.push(Say {
                model: Some(model),
                usage: Some(sum),
                source_notes: notes,
                ..say.clone()
            });
            if let Some(custom) = self.draft.event_mut(at).and_then(|event| event.custom_metadata.as_mut()) {
                custom.insert(marks::SUM, true);
            }
        }
        self.draft.unmapped.record("session.shutdown", say.sources[0].clone());
    }
}
