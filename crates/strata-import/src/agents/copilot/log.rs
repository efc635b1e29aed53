//! Event logs of Copilot CLI: `{type, data, id, timestamp, parentId}`. Before October 2025 a session was one document
//! with the messages as they were sent (`chatMessages`).
//!
//! Input tokens are only known when a session ends, as sums per model; they are kept in an event of their own, which is
//! marked as a sum and is no call. A session that is resumed ends again, with sums over all of it.

use std::collections::HashMap;

use strata_model::take::{take_any, take_count, take_first_text, take_list, take_object, take_text};
use strata_model::{Json, Object, Part, Str};
use strata_wire::message::{Role, Turn, thought};
use strata_wire::usage::spelling::COPILOT_SUMMARY;
use strata_wire::usage::{Counts, UsageReport, read as read_usage};

use crate::draft::{Draft, EventDraft, Kind, kind_of};
use crate::findings::Findings;
use crate::format::Format;
use crate::imported::ImportedSession;
use crate::own_total;
use crate::source::SourceRecord;
use crate::time::time_of;
use crate::values::Value;

pub(super) fn read(values: Vec<Value>, format: Format, findings: &mut Findings) -> Vec<ImportedSession> {
    let mut log = Log {
        draft: Draft::new("copilot", "copilot"),
        model: None,
        agents: HashMap::new(),
        instructions: HashMap::new(),
        told: HashMap::new(),
        sums: HashMap::new(),
        unreported: HashMap::new(),
        shared: Counts::default(),
        last: None,
    };
    for value in values {
        if let Some((record, source)) = value.into_record(findings) {
            log.record(record, source);
        }
    }
    own_total::of_prompts(log.shared, format!("session {}", log.draft.session.id), findings);
    log.draft.finish(format, findings).into_iter().collect()
}

struct Log {
    draft: Draft,
    model: Option<Str>,
    /// Names of sub-agents by the call that started them.
    agents: HashMap<Str, Str>,
    /// The system prompt of each agent, by its name.
    instructions: HashMap<Option<Str>, Option<Str>>,
    /// What single calls reported since the last sum, by model.
    told: HashMap<Str, Counts>,
    /// The last sums, and of how many requests they are, by model.
    sums: HashMap<Str, (Counts, u64)>,
    /// Responses since the last sum whose prompts nothing was reported of, by model.
    unreported: HashMap<Str, Vec<usize>>,
    /// What is only known of several calls together.
    shared: Counts,
    /// The last response, and its call as the provider names it.
    last: Option<(usize, Option<Str>)>,
}

impl Log {
    fn record(&mut self, mut record: Object, source: SourceRecord) {
        let time = record.get("timestamp").and_then(time_of);
        let id = take_text(&mut record, "id");
        let kind = take_text(&mut record, "type").unwrap_or_default();
        let mut data = take_object(&mut record, "data").unwrap_or_default();
        self.draft.set_clock(time);
        // Newer versions name the sub-agent itself.
        let own = take_first_text(&mut record, &["agentId"]);
        let caller = own.clone().or_else(|| take_first_text(&mut data, &["parentToolCallId"]));
        let known = caller.as_ref().and_then(|call| self.agents.get(call)).cloned();
        let agent = known.or_else(|| own.as_ref().map(|id| format!("copilot.{id}").into()));
        let say = EventDraft {
            id,
            time,
            invocation: take_text(&mut data, "interactionId"),
            branch: caller
                .filter(|_| agent.is_some())
                .map(|call| format!("agent.{}", call.replace('.', "_")).into()),
            agent,
            ..EventDraft::new(Kind::Notice, Vec::new(), source.clone())
        };
        match &*kind {
            "session.start" => {
                self.draft.session.id = take_text(&mut data, "sessionId").unwrap_or_default();
                self.model = take_text(&mut data, "selectedModel");
                self.draft.unmapped.record(&kind, source);
            }
            "session.resume" => {
                self.model = take_text(&mut data, "selectedModel").or(self.model.take());
                self.draft.unmapped.record(&kind, source);
            }
            "session.title_changed" => {
                self.draft.title = take_first_text(&mut data, &["title"]).or(self.draft.title.take());
                self.draft.unmapped.record(&kind, source);
            }
            "session.model_change" => {
                self.model = take_text(&mut data, "newModel").or(self.model.take());
                self.draft.unmapped.record(&kind, source);
            }
            "system.message" => {
                // Every prompt is sent with one; it is written down again when a session is resumed.
                let text = data.get("content").and_then(Json::as_text).cloned();
                let known = self.instructions.insert(say.agent.clone(), text.clone());
                if text.is_some() && known == Some(text) {
                    return self.draft.unmapped.record("system.message (repeated)", source);
                }
                let turn = self.turn(Role::System, &mut data);
                self.draft.push_turn(turn, say);
            }
            "system.notification" => {
                let turn = self.turn(Role::User, &mut data);
                self.draft.push(EventDraft {
                    kind: Kind::Injected("task-notification".into()),
                    parts: turn.parts,
                    ..say
                });
            }
            "user.message" => self.user(data, say),
            "assistant.message" => self.response(data, say),
            "assistant.usage" => self.usage(data, say),
            "assistant.reasoning" => self.draft.unmapped.record(&kind, source),
            "tool.execution_complete" => self.result(data, say),
            "subagent.started" => {
                let name = take_first_text(&mut data, &["agentName", "agentDisplayName"]);
                if let Some(name) = name {
                    let names = [take_text(&mut data, "toolCallId"), own];
                    let name: Str = format!("copilot.{name}").into();
                    self.agents.extend(names.into_iter().flatten().map(|id| (id, name.clone())));
                }
                self.draft.unmapped.record(&kind, source);
            }
            "session.compaction_complete" => self.compacted(data, say),
            "session.error" => {
                let text = take_text(&mut data, "message").unwrap_or_else(|| "error".into());
                let code = take_text(&mut data, "errorType").unwrap_or_else(|| "error".into());
                self.draft.push(EventDraft { error: Some((code, text)), ..say });
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
    fn user(&mut self, mut data: Object, say: EventDraft) {
        let mut turn = self.turn(Role::User, &mut data);
        let mut kind = kind_of(&turn);
        // Messages of skills, of a plan, of another session.
        if let Some(program) = take_first_text(&mut data, &["source"]).filter(|it| &**it != "user")
            && kind == Kind::Prompt
        {
            kind = Kind::Injected(program);
        }
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
        self.draft.push(EventDraft { kind, parts: turn.parts, source_notes: notes, ..say });
    }

    fn response(&mut self, mut data: Object, say: EventDraft) {
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
                messages.unread.field("toolRequests", key, value);
            }
        }
        let model = take_text(&mut data, "model").or_else(|| self.model.clone());
        let output = take_count(&mut data, "outputTokens");
        if let (Some(model), Some(output)) = (&model, output) {
            let told = self.told.entry(model.clone()).or_default();
            *told = told.plus(Counts { output: Some(output), ..Counts::default() });
        }
        let usage =
            output.map(|output| UsageReport::from(Counts { output: Some(output), ..Counts::default() }));
        let mut notes = Object::new();
        for key in ["messageId", "apiCallId", "turnId"] {
            notes.push_some(key, data.remove(key));
        }
        self.draft.note_rest("assistant.message", &data);
        let call = notes.get("apiCallId").and_then(Json::as_str).map(Str::from);
        let at = self.draft.push(EventDraft {
            kind: Kind::Response,
            parts: turn.parts,
            model: model.clone(),
            usage,
            source_notes: notes,
            ..say
        });
        self.unreported.entry(model.unwrap_or_default()).or_default().push(at);
        self.last = Some((at, call));
    }

    /// The usage of one call, where it was kept: that of the last response, or of a call nothing else is known of.
    fn usage(&mut self, mut data: Object, say: EventDraft) {
        let model = take_text(&mut data, "model").or_else(|| self.model.clone());
        let call = take_first_text(&mut data, &["apiCallId"]);
        let is_of = |known: &Option<Str>| known.is_none() || call.is_none() || *known == call;
        let last = self.last.take().filter(|(_, known)| is_of(known));
        let mut tokens = Object::new();
        for key in ["inputTokens", "outputTokens", "cacheReadTokens", "cacheWriteTokens", "reasoningTokens"] {
            tokens.push_some(key, data.remove(key));
        }
        self.draft.unmapped.record("assistant.usage", say.sources[0].clone());
        let Some(usage) = read_usage(tokens, "assistant.usage", &mut self.draft.unmapped) else { return };
        let told = self.told.entry(model.clone().unwrap_or_default()).or_default();
        let before = last.as_ref().and_then(|(at, _)| self.draft.event(*at)?.usage_metadata.as_ref());
        let known = before.and_then(|usage| usage.output_tokens());
        *told = told.less(Counts { output: known, ..Counts::default() });
        *told = told.plus(usage.counts());
        match last {
            Some((at, _)) => {
                self.unreported.values_mut().for_each(|of_model| of_model.retain(|known| *known != at));
                self.draft.add_source(at, say.sources[0].clone());
                self.draft.set_usage(at, usage);
            }
            None => {
                self.draft.push(EventDraft { model, usage: Some(usage), ..say });
            }
        }
    }

    fn result(&mut self, mut data: Object, say: EventDraft) {
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

    fn compacted(&mut self, mut data: Object, say: EventDraft) {
        let text = take_first_text(&mut data, &["summaryContent", "summary", "content"]).unwrap_or_default();
        // The call that wrote the summary.
        let usage = take_object(&mut data, "compactionTokensUsed").and_then(|mut used| {
            let counts = COPILOT_SUMMARY.take(&mut used);
            counts.input.map(|_| UsageReport::from(counts))
        });
        let has_failed = data.get("success").is_some_and(|success| !success.is_truthy());
        if has_failed {
            let message =
                take_first_text(&mut data, &["error"]).unwrap_or_else(|| "the compaction failed".into());
            let error = Some(("compaction_failed".into(), message));
            self.draft.push(EventDraft { error, source_notes: data, ..say });
            return;
        }
        if let Some(usage) = &usage {
            let model = self.model.clone().unwrap_or_default();
            let told = self.told.entry(model).or_default();
            *told = told.plus(usage.counts());
        }
        let parts = vec![Part::from_text(text)];
        self.draft.push(EventDraft { kind: Kind::Compaction, parts, usage, source_notes: data, ..say });
    }

    /// The sums of the whole session, less those it ended with before and what its calls reported themselves. Those of a
    /// single request are the report of its call.
    fn sums(&mut self, mut data: Object, say: &EventDraft) {
        let metrics = take_object(&mut data, "modelMetrics").unwrap_or_default();
        for (model, metric) in metrics {
            let Some(usage) = metric.get("usage").and_then(Json::as_object) else { continue };
            let Some(mut sum) = read_usage(usage.clone(), "modelMetrics.usage", &mut self.draft.unmapped)
            else {
                continue;
            };
            let now = sum.counts();
            let requests = metric.get("requests").cloned().unwrap_or_default();
            let n_requests = requests.get("count").and_then(Json::as_i64).unwrap_or(0).max(0) as u64;
            let (before, n_before) = self.sums.insert(model.clone(), (now, n_requests)).unwrap_or_default();
            let told = self.told.remove(&model).unwrap_or_default();
            let grown = now.grown_since(before);
            // What one request came to is the report of its call.
            let calls = self.unreported.remove(&model).unwrap_or_default();
            if let [at] = calls[..]
                && n_requests == n_before + 1
                && told.input.is_none()
                && told.output == grown.output
            {
                self.draft.add_source(at, say.sources[0].clone());
                self.draft.set_usage(at, UsageReport::from(grown));
                continue;
            }
            let mut left = grown.less(told);
            left.thoughts = left.thoughts.min(left.output);
            self.shared = self.shared.plus(left);
            sum = UsageReport::from(left);
            sum.usage.total_token_count = None;
            let mut notes = Object::from_iter([("requests", requests)]);
            for key in ["systemTokens", "conversationTokens", "toolDefinitionsTokens", "currentTokens"] {
                notes.push_some(key, data.get(key).cloned());
            }
            self.draft.push_sum(EventDraft {
                model: Some(model),
                usage: Some(sum),
                source_notes: notes,
                ..say.clone()
            });
        }
        self.draft.unmapped.record("session.shutdown", say.sources[0].clone());
    }
}
