//! A turn of a chat: the prompt as it was sent, the rounds of calls and results behind it, and what the window showed.

use std::collections::HashMap;

use strata_model::take::{take_any, take_first_text, take_list, take_object, take_text};
use strata_model::{Json, Object, Part, Str};
use strata_wire::message::{Role, Turn as Message, thought};
use strata_wire::usage::read as read_usage;

use super::log::Turn;
use super::prompt_tree::{rendered, text_of};
use super::usage::TurnUsage;
use crate::draft::{Draft, EventDraft, Kind};
use crate::findings::Findings;
use crate::format::Format;
use crate::imported::ImportedSession;
use crate::marks;
use crate::time::{take_time, time_of};

pub(super) struct Chat {
    draft: Draft,
    /// What stands before the first prompt, as it was sent last.
    global: String,
    /// The last event of each round, by the round's id.
    rounds: HashMap<Str, usize>,
    /// Calls of which only the turn's last one reports tokens.
    n_silent: u64,
}

/// What VS Code says of how a turn ended.
const CANCELLED: i64 = 2;
const FAILED: i64 = 3;

impl Chat {
    pub(super) fn new(draft: Draft) -> Self {
        Self { draft, global: String::new(), rounds: HashMap::new(), n_silent: 0 }
    }

    pub(super) fn finish(self, format: Format, findings: &mut Findings) -> Option<ImportedSession> {
        if self.n_silent > 0 {
            let place = format!("session {}", self.draft.session.id);
            let message = format!(
                "{} calls report no prompt: of a turn with several calls, VS Code keeps that of the last one alone",
                self.n_silent
            );
            findings.info("unreported-calls", place, message);
        }
        self.draft.finish(format, findings)
    }

    pub(super) fn turn(&mut self, turn: Turn) {
        let Turn { fields: mut request, sources } = turn;
        let mut say = EventDraft::new(Kind::Notice, Vec::new(), sources[0].clone());
        say.sources = sources;
        say.time = take_time(&mut request, "timestamp");
        let id = take_text(&mut request, "requestId");
        say.invocation.clone_from(&id);
        let mut result = object_at(&mut request, "result");
        let mut metadata = object_at(&mut result, "metadata");
        let rounds = list_at(&mut metadata, "toolCallRounds");
        self.prompt(&mut request, &mut metadata, EventDraft { id, ..say.clone() });
        let usage = TurnUsage::take(&mut request, &mut result, &mut metadata, rounds.len());
        let model = Self::model(&mut request, &mut metadata);
        let shown = list_at(&mut request, "response");
        say.model = model;
        let summary = summaries(&mut metadata);
        let mut results = object_at(&mut metadata, "toolCallResults");
        let first = self.draft.len();
        if rounds.is_empty() {
            self.shown(shown, &say);
        } else {
            for part in &shown {
                let kind = part.get("kind").and_then(Json::as_str).unwrap_or("markdown");
                self.draft.unmapped.field("response", kind, part);
            }
            self.summarised(&summary, &say);
            for round in rounds {
                self.round(round, &mut results, &say, &summary);
            }
            self.summarised(&summary, &say);
        }
        self.tell_usage(usage, first, &say);
        self.tell_end(&mut request, &mut result, &say);
        metadata.retain(|key, value| !IN_OTHER_WORDS.contains(&key) && value.is_truthy());
        self.draft.note_rest("result.metadata", &metadata);
        self.draft.note_rest("result.metadata.toolCallResults", &results);
        for key in ["timings", "details", "nextQuestion"] {
            result.remove(key);
        }
        self.draft.note_rest("result", &result);
        request.retain(|key, value| {
            let is_empty = value.as_array().is_some_and(<[Json]>::is_empty);
            !OF_THE_WINDOW.contains(&key) && value.is_truthy() && !is_empty
        });
        self.draft.note_rest("request", &request);
    }

    /// What the model saw; what was typed is beside it.
    fn prompt(&mut self, request: &mut Object, metadata: &mut Object, mut say: EventDraft) {
        let typed = match request.remove("message") {
            Some(Json::String(text)) => text,
            Some(Json::Object(mut message)) => take_text(&mut message, "text").unwrap_or_default(),
            _ => Str::default(),
        };
        let global = metadata.remove("renderedGlobalContext").map(|it| rendered(&it)).unwrap_or_default();
        if !global.is_empty() && global != self.global {
            let kind = Kind::Injected("environment".into());
            let parts = vec![Part::from_text(global.as_str())];
            self.draft.push(EventDraft { kind, parts, id: None, ..say.clone() });
            self.global = global;
        }
        let sent = metadata.remove("renderedUserMessage").map(|it| rendered(&it)).unwrap_or_default();
        let is_of_client = request.remove("isSystemInitiated").is_some_and(|flag| flag.is_truthy());
        if let Some(agent) = take_object(request, "agent")
            && let Some(name) = agent.get("id").cloned()
        {
            say.source_notes.push("agent", name);
        }
        let text = if sent.is_empty() { typed.clone() } else { Str::from(sent) };
        if text != typed {
            say.source_notes.push("typed", typed.clone());
        }
        if self.draft.title.is_none() && !is_of_client && !typed.is_empty() {
            self.draft.title = Some(typed);
        }
        say.kind = if is_of_client { Kind::Injected("system-initiated".into()) } else { Kind::Prompt };
        say.parts = vec![Part::from_text(text)];
        self.draft.push(say);
    }

    fn model(request: &mut Object, metadata: &mut Object) -> Option<Str> {
        let asked = take_first_text(request, &["modelId"]);
        let asked = asked.map(|id| id.strip_prefix("copilot/").map_or_else(|| id.clone(), Str::from));
        take_first_text(metadata, &["resolvedModel"]).or(asked)
    }

    /// One call of the model with the results of the tools it called.
    fn round(&mut self, round: Json, results: &mut Object, say: &EventDraft, summaries: &[(Str, Str)]) {
        let Some(mut round) = self.draft.object("toolCallRounds", round) else { return };
        let mut say = say.clone();
        say.time = round.remove("timestamp").as_ref().and_then(time_of).or(say.time);
        say.model = take_first_text(&mut round, &["modelId"]).or(say.model);
        let id = take_text(&mut round, "id");
        let mut message = Message::new(Role::Model);
        let mut notes = Object::new();
        match take_any(&mut round, &["thinking"]) {
            Some(Json::Object(mut thinking)) => {
                let text = thinking.remove("text").map(|text| joined(&text)).unwrap_or_default();
                if !text.is_empty() {
                    message.parts.push(thought(text));
                }
                notes.push_some("thinkingTokens", thinking.remove("tokens"));
            }
            Some(Json::String(text)) if !text.is_empty() => message.parts.push(thought(text)),
            _ => {}
        }
        if let Some(text) = take_first_text(&mut round, &["response"]) {
            message.parts.push(Part::from_text(text));
        }
        let calls = list_at(&mut round, "toolCalls");
        let mut answers = Message::new(Role::Tool);
        for call in calls {
            let Some(mut call) = self.draft.object("toolCalls", call) else { continue };
            let id = take_text(&mut call, "id");
            let name = take_text(&mut call, "name");
            let args = call.remove("arguments");
            call.remove("type");
            self.draft.messages("toolCalls").push_call(id.clone(), name.clone(), args, &mut message);
            self.draft.note_rest("toolCalls", &call);
            if let Some(result) = id.as_ref().and_then(|id| results.remove(id)) {
                self.result(result, id, name, &mut answers);
            }
        }
        let usage = take_object(&mut round, "usage");
        let usage =
            usage.and_then(|usage| read_usage(usage, "toolCallRounds.usage", &mut self.draft.unmapped));
        for key in ["toolInputRetry", "summary", "statefulMarker", "phase", "phaseModelId", "compaction"] {
            let value = round.remove(key).filter(Json::is_truthy);
            notes.push_some(key, value);
        }
        self.draft.note_rest("toolCallRounds", &round);
        self.draft.push(EventDraft {
            kind: Kind::Response,
            parts: message.parts,
            usage,
            source_notes: notes,
            id: id.clone(),
            ..say.clone()
        });
        if !answers.parts.is_empty() {
            self.draft.push_turn(answers, EventDraft { model: None, ..say.clone() });
        }
        self.summarised(summaries, &say);
        if let Some(id) = id {
            self.rounds.insert(id, self.draft.len() - 1);
        }
    }

    fn result(&mut self, result: Json, id: Option<Str>, name: Option<Str>, answers: &mut Message) {
        let Json::Object(mut result) = result else { return };
        let mut texts = Vec::new();
        for content in list_at(&mut result, "content") {
            match text_of(&content) {
                Some(text) => texts.push(text),
                None => self.draft.unmapped.field("toolCallResults", "content[]", &content),
            }
        }
        let is_error = result.remove("hasError").is_some_and(|flag| flag.is_truthy());
        result.remove("$mid");
        result.retain(|_, value| value.is_truthy());
        self.draft.note_rest("toolCallResults", &result);
        let content = Some(Json::from(texts.join("\n")));
        self.draft.messages("toolCallResults").result(id, name, content, is_error, answers);
    }

    /// The summaries that are due: one stands for everything up to its round, and was written before the call behind the
    /// next one.
    fn summarised(&mut self, summaries: &[(Str, Str)], say: &EventDraft) {
        for (round, text) in summaries {
            let Some(last) = self.rounds.remove(round) else { continue };
            let parts = vec![Part::from_text(text.clone())];
            let at =
                self.draft.push(EventDraft { kind: Kind::Compaction, parts, model: None, ..say.clone() });
            self.draft.cover(at, &(0..=last).collect::<Vec<_>>());
        }
    }

    /// What the window showed, where nothing else is kept: of turns without tools, and of those that were stopped.
    fn shown(&mut self, parts: Vec<Json>, say: &EventDraft) {
        let mut message = Message::new(Role::Model);
        let mut answers = Message::new(Role::Tool);
        for part in parts {
            let Json::Object(mut part) = part else { continue };
            let kind = take_text(&mut part, "kind").unwrap_or_default();
            match &*kind {
                "" | "markdownContent" => {
                    let value = part.remove("content").or_else(|| part.remove("value")).unwrap_or_default();
                    let text = value.get("value").unwrap_or(&value).as_str().unwrap_or_default();
                    push_text(&mut message, text);
                }
                "markdownVuln" => {
                    let content = object_at(&mut part, "content");
                    push_text(&mut message, content.get("value").and_then(Json::as_str).unwrap_or_default());
                }
                "inlineReference" => {
                    let name = take_first_text(&mut part, &["name"]).or_else(|| {
                        let path = part.get("inlineReference")?.get("path")?.as_str()?;
                        path.rsplit('/').next().map(Str::from)
                    });
                    push_text(&mut message, &name.unwrap_or_default());
                }
                "thinking" => {
                    let text = part.remove("value").map(|text| joined(&text)).unwrap_or_default();
                    if !text.is_empty() {
                        message.parts.push(thought(text));
                    }
                }
                "toolInvocationSerialized" => self.invocation(part, &mut message, &mut answers),
                other => self.draft.unmapped.field("response", other, &Json::Object(part)),
            }
        }
        if message.parts.is_empty() {
            return;
        }
        self.draft.push(EventDraft { kind: Kind::Response, parts: message.parts, ..say.clone() });
        if !answers.parts.is_empty() {
            self.draft.push_turn(answers, EventDraft { model: None, ..say.clone() });
        }
    }

    fn invocation(&mut self, mut part: Object, message: &mut Message, answers: &mut Message) {
        let id = take_text(&mut part, "toolCallId");
        let name = take_first_text(&mut part, &["toolId"]);
        let mut details = match take_any(&mut part, &["resultDetails"]) {
            Some(Json::Object(details)) => details,
            _ => Object::new(),
        };
        let is_known = message
            .parts
            .iter()
            .any(|part| part.function_call.as_ref().is_some_and(|call| call.id.is_some() && call.id == id));
        if is_known {
            return;
        }
        let input = details.remove("input");
        self.draft.messages("toolInvocation").push_call(id.clone(), name.clone(), input, message);
        let outputs = list_at(&mut details, "output");
        let texts: Vec<&str> = outputs.iter().filter_map(|output| output.get("value")?.as_str()).collect();
        if !texts.is_empty() {
            let is_error = details.get("isError").is_some_and(Json::is_truthy);
            let content = Some(Json::from(texts.join("\n")));
            self.draft.messages("toolInvocation").result(id, name, content, is_error, answers);
        }
    }

    fn tell_usage(&mut self, usage: TurnUsage, first: usize, say: &EventDraft) {
        let TurnUsage { last, other_output, totals, details } = usage;
        let is_answer = |draft: &Draft, at: usize| draft.event(at).is_some_and(marks::is_model_response);
        let answers: Vec<usize> =
            (first..self.draft.len()).filter(|at| is_answer(&self.draft, *at)).collect();
        let is_told =
            |draft: &Draft, at: &usize| draft.event(*at).is_some_and(|event| event.usage_metadata.is_some());
        let Some(at) = answers.last().copied() else { return };
        if let Some(details) = details {
            self.draft.note_source(at, "promptTokenDetails", details);
        }
        if answers.iter().any(|at| is_told(&self.draft, at)) {
            return;
        }
        let sum = EventDraft { model: None, ..say.clone() };
        if !totals.is_empty() {
            for (model, usage) in totals {
                let model = model.or_else(|| say.model.clone());
                self.draft.push_sum(EventDraft { usage: Some(usage), model, ..sum.clone() });
            }
            return;
        }
        if !last.is_empty() {
            self.draft.set_usage(at, last.into());
            self.n_silent += answers.len() as u64 - 1;
        }
        if let Some(output) = other_output {
            let counts = strata_wire::usage::Counts { output: Some(output), ..Default::default() };
            let model = say.model.clone();
            self.draft.push_sum(EventDraft { usage: Some(counts.into()), model, ..sum });
        }
    }

    fn tell_end(&mut self, request: &mut Object, result: &mut Object, say: &EventDraft) {
        let state = object_at(request, "modelState").get("value").and_then(Json::as_i64);
        let is_cancelled = request.remove("isCanceled").is_some_and(|flag| flag.is_truthy());
        let error = take_object(result, "errorDetails").map(|mut error| {
            let text = take_first_text(&mut error, &["message"]).unwrap_or_else(|| "the turn failed".into());
            let code = error.get("code").filter(|code| code.is_truthy()).map(|code| match code {
                Json::String(code) => code.clone(),
                other => strata_model::json::to_compact(other).into(),
            });
            (code.unwrap_or_else(|| "error".into()), text)
        });
        let error = error.or_else(|| match state {
            Some(CANCELLED) => Some(("cancelled".into(), "the turn was stopped".into())),
            Some(FAILED) => Some(("failed".into(), "the turn failed".into())),
            _ if is_cancelled => Some(("cancelled".into(), "the turn was stopped".into())),
            _ => None,
        });
        if error.is_some() {
            self.draft.push(EventDraft { error, model: None, ..say.clone() });
        }
    }
}

/// Fields that the window needs, or that say again what stands elsewhere.
const OF_THE_WINDOW: [&str; 16] = [
    "responseId",
    "responseMarkdownInfo",
    "followups",
    "usedContext",
    "contentReferences",
    "codeCitations",
    "timeSpentWaiting",
    "elapsedMs",
    "editedFileEvents",
    "variableData",
    "slashCommand",
    "modeInfo",
    "isHidden",
    "confirmation",
    "copilotCredits",
    "vote",
];

const IN_OTHER_WORDS: [&str; 9] = [
    "modelMessageId",
    "responseId",
    "sessionId",
    "agentId",
    "codeBlocks",
    "globalContextCacheKey",
    "cacheKey",
    "maxToolCallsExceeded",
    "toolCallRounds",
];

/// The summaries that were written in a turn, with the rounds they reach to.
fn summaries(metadata: &mut Object) -> Vec<(Str, Str)> {
    let one = take_object(metadata, "summary").map(Json::Object);
    let all = list_at(metadata, "summaries").into_iter().chain(one);
    let read = all.filter_map(|summary| {
        let Json::Object(mut summary) = summary else { return None };
        Some((take_text(&mut summary, "toolCallRoundId")?, take_text(&mut summary, "text")?))
    });
    read.collect()
}

/// A text, or several.
fn joined(text: &Json) -> String {
    match text {
        Json::String(text) => text.to_string(),
        Json::Array(texts) => texts.iter().filter_map(Json::as_str).collect::<Vec<_>>().join(""),
        _ => String::new(),
    }
}

/// Pieces of a text that stands in pieces.
fn push_text(message: &mut Message, text: &str) {
    if text.is_empty() {
        return;
    }
    match message.parts.last_mut() {
        Some(last) if last.text.is_some() && !last.is_thought() => {
            last.text = last.text.as_ref().map(|before| format!("{before}{text}").into());
        }
        _ => message.parts.push(Part::from_text(text)),
    }
}

/// Takes the object under a key, wherever an object may be missing.
fn object_at(of: &mut Object, key: &str) -> Object {
    take_object(of, key).unwrap_or_default()
}

fn list_at(of: &mut Object, key: &str) -> Vec<Json> {
    take_list(of, key).unwrap_or_default()
}
