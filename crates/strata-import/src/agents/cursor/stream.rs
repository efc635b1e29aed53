//! Lines of Cursor's agent: what a run puts out, the messages of its SDK, and transcripts, which hold no results of tools.

use strata_model::take::{take_any, take_first_text, take_object, take_text};
use strata_model::{Json, Object, Str};
use strata_wire::message::{Role, Turn, thought};
use strata_wire::usage::spelling::CURSOR_RUN;

use crate::draft::{Draft, EventDraft, Kind, kind_of};
use crate::findings::Findings;
use crate::format::Format;
use crate::imported::ImportedSession;
use crate::keys::Keys;
use crate::source::SourceRecord;
use crate::time::take_time;
use crate::values::Value;

/// What a run puts out. Claude Code's begins alike, but says more of itself and never has calls as records.
pub(crate) fn is_output(values: &[Json]) -> bool {
    let all = values.iter().filter_map(Keys::of);
    let is_it = |keys: Keys<'_>| match keys.kind() {
        "tool_call" => keys.has("call_id") && keys.has_any(&["tool_call", "run_id"]),
        "thinking" => keys.has_any(&["session_id", "run_id"]) && keys.has("text"),
        "system" => {
            keys.text("subtype") == "init"
                && keys.has_all(&["session_id", "apiKeySource"])
                && !keys.has_any(&["tools", "uuid", "mcp_servers"])
        }
        _ => false,
    };
    let mut all = all.peekable();
    all.peek().is_some_and(|first| {
        matches!(first.kind(), "system" | "user" | "assistant" | "tool_call" | "thinking")
    }) && all.any(is_it)
}

/// A line of a transcript.
pub(crate) fn is_transcript(keys: Keys<'_>) -> bool {
    let content = keys.inner("message").filter(|message| message.holds_list("content"));
    matches!(keys.text("role"), "user" | "assistant")
        && !keys.has_any(&["type", "uuid", "content"])
        && content.is_some_and(|message| !message.has_any(&["role", "id"]))
}

pub(crate) fn read(values: Vec<Value>, format: Format, findings: &mut Findings) -> Vec<ImportedSession> {
    let mut log = Log {
        draft: Draft::new("cursor", "cursor"),
        model: None,
        answer: Turn::new(Role::Model),
        sources: Vec::new(),
        time: None,
        called: Vec::new(),
    };
    for value in values {
        if let Some((record, source)) = value.into_record(findings) {
            log.record(record, source);
        }
    }
    log.close();
    log.draft.finish(format, findings).into_iter().collect()
}

struct Log {
    draft: Draft,
    model: Option<Str>,
    /// The answer that is coming in, and where it stands.
    answer: Turn,
    sources: Vec<SourceRecord>,
    time: Option<f64>,
    /// Calls that began.
    called: Vec<Str>,
}

impl Log {
    fn record(&mut self, mut record: Object, source: SourceRecord) {
        let time = take_time(&mut record, "timestamp_ms").or_else(|| take_time(&mut record, "timestamp"));
        let kind =
            take_text(&mut record, "type").or_else(|| take_text(&mut record, "role")).unwrap_or_default();
        let session = take_first_text(&mut record, &["session_id", "agent_id"]);
        if self.draft.session.id.is_empty() {
            self.draft.session.id = session.unwrap_or_default();
        }
        let say = EventDraft { time, ..EventDraft::new(Kind::Notice, Vec::new(), source.clone()) };
        match &*kind {
            "system" => {
                self.model = take_first_text(&mut record, &["model"]).or(self.model.take());
                self.draft.unmapped.record("system", source);
            }
            "user" => {
                self.close();
                let turn = self.message(Role::User, &mut record);
                if self.draft.title.is_none() {
                    self.draft.title = asked(&turn.text());
                }
                self.draft.push(EventDraft { kind: kind_of(&turn), parts: turn.parts, ..say });
                self.draft.note_rest("user", &record);
            }
            "assistant" => {
                let turn = self.message(Role::Model, &mut record);
                self.said(turn, source, time);
                record.remove("model_call_id");
                self.draft.note_rest("assistant", &record);
            }
            "thinking" => {
                let text = take_text(&mut record, "text").unwrap_or_default();
                if text.is_empty() {
                    return self.draft.unmapped.record("thinking", source);
                }
                self.begin(source, time);
                match self.answer.parts.last_mut() {
                    Some(last) if last.is_thought() => {
                        last.text = last.text.as_ref().map(|before| format!("{before}{text}").into());
                    }
                    _ => self.answer.parts.push(thought(text)),
                }
            }
            "tool_call" => self.call(record, source, time),
            "result" => self.end(record, say),
            "" => self.draft.unmapped.record("record without a type", source),
            kind => self.draft.unmapped.record(kind, source),
        }
    }

    fn message(&mut self, role: Role, record: &mut Object) -> Turn {
        let mut message = take_object(record, "message").unwrap_or_default();
        let mut turn = Turn::new(role);
        let content = message.remove("content").unwrap_or_default();
        self.draft.messages("message").content(content, &mut turn);
        message.remove("role");
        self.draft.note_rest("message", &message);
        turn
    }

    fn begin(&mut self, source: SourceRecord, time: Option<f64>) {
        if !self.answer.has_calls() && !self.sources.contains(&source) {
            self.sources.push(source);
        } else if self.answer.has_calls() {
            self.close();
            self.sources.push(source);
        }
        self.time = time.or(self.time);
    }

    /// Words of an answer. Where they come in pieces, the whole is said once more behind them.
    fn said(&mut self, turn: Turn, source: SourceRecord, time: Option<f64>) {
        let text = turn.text();
        let known = self.answer.text();
        let is_repeated = !text.is_empty() && !known.is_empty() && known.trim_end() == text.trim_end();
        if is_repeated && !turn.has_calls() {
            return self.draft.unmapped.record("assistant (repeated)", source);
        }
        self.begin(source, time);
        for part in turn.parts {
            let is_words = part.text.is_some() && !part.is_thought();
            match self.answer.parts.last_mut() {
                Some(last) if is_words && last.text.is_some() && !last.is_thought() => {
                    let (before, more) =
                        (last.text.take().unwrap_or_default(), part.text.unwrap_or_default());
                    let is_whole = more.starts_with(&*before);
                    last.text = Some(if is_whole { more } else { format!("{before}{more}").into() });
                }
                _ => self.answer.parts.push(part),
            }
        }
    }

    fn call(&mut self, mut record: Object, source: SourceRecord, time: Option<f64>) {
        let id = take_text(&mut record, "call_id");
        let state = take_first_text(&mut record, &["subtype", "status"]).unwrap_or_default();
        let (name, mut of) = match take_object(&mut record, "tool_call") {
            Some(call) => named(call),
            None => (take_first_text(&mut record, &["name"]), record.clone()),
        };
        let is_done = matches!(&*state, "completed" | "error");
        let args = take_any(&mut of, &["args", "arguments"]);
        let is_known = id.as_ref().is_some_and(|id| self.called.contains(id));
        if !is_known {
            if self.answer.parts.is_empty() || !self.answer.has_calls() {
                self.begin(source.clone(), time);
            } else if !self.sources.contains(&source) {
                self.sources.push(source.clone());
            }
            self.draft.messages("tool_call").push_call(id.clone(), name.clone(), args, &mut self.answer);
            self.called.extend(id.clone());
        }
        if !is_done {
            return;
        }
        self.close();
        let (result, failed) = result_of(take_any(&mut of, &["result"]));
        let mut results = Turn::new(Role::Tool);
        let is_error = failed || &*state == "error";
        self.draft.messages("tool_call").result(id, name, result, is_error, &mut results);
        let say = EventDraft { time, ..EventDraft::new(Kind::Notice, Vec::new(), source) };
        self.draft.push_turn(results, say);
    }

    fn close(&mut self) {
        let answer = std::mem::replace(&mut self.answer, Turn::new(Role::Model));
        let mut sources = std::mem::take(&mut self.sources);
        let time = self.time.take();
        if answer.parts.is_empty() || sources.is_empty() {
            return;
        }
        let mut say = EventDraft::new(Kind::Response, answer.parts, sources.remove(0));
        say.sources.extend(sources);
        say.time = time;
        say.model.clone_from(&self.model);
        self.draft.push(say);
    }

    /// What a run came to; its text is what was said already.
    fn end(&mut self, mut record: Object, say: EventDraft) {
        self.close();
        let usage = take_object(&mut record, "usage").map(|mut usage| CURSOR_RUN.take(&mut usage));
        let is_error = record.remove("is_error").is_some_and(|flag| flag.is_truthy());
        let text = take_text(&mut record, "result").unwrap_or_default();
        let model = self.model.clone();
        if let Some(usage) = usage.filter(|usage| usage.input.unwrap_or(0) > 0) {
            self.draft.push_sum(EventDraft { usage: Some(usage.into()), model, ..say.clone() });
        } else {
            self.draft.unmapped.record("result", say.sources[0].clone());
        }
        if is_error {
            let code = take_text(&mut record, "subtype").unwrap_or_else(|| "error".into());
            let text = if text.is_empty() { "the run failed".into() } else { text };
            self.draft.push(EventDraft { error: Some((code, text)), ..say });
        }
    }
}

/// The name of a tool and what is said of its call: `{readToolCall: {args, result}}`, or `{function: {name, arguments}}`.
fn named(mut call: Object) -> (Option<Str>, Object) {
    if let Some(mut function) = take_object(&mut call, "function") {
        let name = take_first_text(&mut function, &["name"]);
        function.push_some("result", call.remove("result"));
        return (name, function);
    }
    let first = call.into_iter().find_map(|(key, value)| match value {
        Json::Object(of) => Some((key, of)),
        _ => None,
    });
    match first {
        Some((key, of)) => {
            let name = key.strip_suffix("ToolCall").map_or_else(|| key.clone(), Str::from);
            (Some(name), of)
        }
        None => (None, Object::new()),
    }
}

/// `{success}`, `{error}` or `{rejected}`, where it says how it went.
fn result_of(result: Option<Json>) -> (Option<Json>, bool) {
    match result {
        Some(Json::Object(mut result)) if result.len() == 1 => {
            for key in ["success", "error", "rejected", "failure"] {
                if let Some(told) = result.remove(key) {
                    let content = told.get("content").filter(|it| it.as_str().is_some()).cloned();
                    return (Some(content.unwrap_or(told)), key != "success");
                }
            }
            (Some(Json::Object(result)), false)
        }
        other => (other, false),
    }
}

/// What a person asked, without what the client wraps it in.
fn asked(text: &str) -> Option<Str> {
    let inner = text.split_once("<user_query>").map_or(text, |(_, rest)| rest);
    let inner = inner.split_once("</user_query>").map_or(inner, |(inner, _)| inner).trim();
    (!inner.is_empty()).then(|| inner.into())
}

#[cfg(test)]
mod tests {
    use super::asked;

    #[test]
    fn a_title_is_what_was_asked() {
        assert_eq!(asked("<user_query>\nFix it\n</user_query>").as_deref(), Some("Fix it"));
        assert_eq!(asked("Plain").as_deref(), Some("Plain"));
        assert_eq!(asked("  "), None);
    }
}
