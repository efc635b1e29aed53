//! What `gemini -p` puts out: lines from `init` to `result`, or one object with the answer. Usage is told as a sum.

use strata_model::take::{take_any, take_object, take_text};
use strata_model::{Json, Object, Part};
use strata_wire::message::{Role, Turn};
use strata_wire::usage::UsageReport;
use strata_wire::usage::spelling::GEMINI_CLI_STATS;

use crate::documents::Document;
use crate::draft::{Draft, EventDraft, Kind};
use crate::findings::Findings;
use crate::format::Format;
use crate::imported::ImportedSession;
use crate::source::SourceRecord;
use crate::time::take_time;

pub(super) fn is_output(fields: &Object) -> bool {
    let kind = fields.get("type").and_then(Json::as_str);
    (kind == Some("init") && fields.contains_key("session_id"))
        || (fields.contains_key("response")
            && fields.get("stats").is_some_and(|it| it.get("models").is_some()))
}

pub(super) fn read(
    documents: Vec<Document>,
    format: Format,
    findings: &mut Findings,
) -> Option<ImportedSession> {
    let mut output = Output { draft: Draft::new("gemini-cli", "gemini"), model: None, open: None };
    for document in documents {
        output.line(document.fields, document.source);
    }
    output.draft.finish(format, findings)
}

struct Output {
    draft: Draft,
    model: Option<strata_model::Str>,
    /// The response whose pieces are coming in.
    open: Option<usize>,
}

impl Output {
    fn line(&mut self, mut line: Object, source: SourceRecord) {
        let time = take_time(&mut line, "timestamp");
        self.draft.set_clock(time);
        if let Some(id) = take_text(&mut line, "session_id") {
            self.draft.session.id = id;
        }
        let kind = take_text(&mut line, "type").unwrap_or_default();
        match &*kind {
            "init" => {
                self.model = take_text(&mut line, "model");
                self.draft.unmapped.record("init", source);
            }
            "message" => self.message(line, source),
            "tool_use" => {
                let mut turn = Turn::new(Role::Model);
                let (id, name) = (take_text(&mut line, "tool_id"), take_text(&mut line, "tool_name"));
                self.draft.messages("tool_use").push_call(id, name, line.remove("parameters"), &mut turn);
                self.respond(turn.parts, source);
            }
            "tool_result" => {
                self.open = None;
                let mut turn = Turn::new(Role::Tool);
                let id = take_text(&mut line, "tool_id");
                let is_error = line.get("status").and_then(Json::as_str) == Some("error");
                let output = take_any(&mut line, &["output", "error"]);
                self.draft.messages("tool_result").result(id, None, output, is_error, &mut turn);
                self.draft.push_turn(turn, EventDraft::new(Kind::Notice, Vec::new(), source));
            }
            "error" => self.error(&line, source),
            "result" | "" => self.result(line, &source),
            kind => self.draft.unmapped.record(kind, source),
        }
    }

    fn message(&mut self, mut line: Object, source: SourceRecord) {
        let text = take_text(&mut line, "content").unwrap_or_default();
        let parts = vec![Part::from_text(text)];
        if line.get("role").and_then(Json::as_str) == Some("user") {
            self.open = None;
            self.draft.push(EventDraft::new(Kind::Prompt, parts, source));
        } else {
            self.respond(parts, source);
        }
    }

    /// Pieces of one text are put together.
    fn respond(&mut self, parts: Vec<Part>, source: SourceRecord) {
        let Some(at) = self.open else {
            let say =
                EventDraft { model: self.model.clone(), ..EventDraft::new(Kind::Response, parts, source) };
            self.open = Some(self.draft.push(say));
            return;
        };
        let last = self.draft.event(at).and_then(|event| event.parts().last()?.text.clone());
        match (&parts[..], last) {
            ([piece], Some(last)) if piece.text.is_some() => {
                let text = format!("{last}{}", piece.text.as_deref().unwrap_or_default());
                self.draft.set_last_text(at, text.into());
                self.draft.add_source(at, source);
            }
            _ => self.draft.extend(at, parts, source),
        }
    }

    fn error(&mut self, error: &Object, source: SourceRecord) {
        let text = error.get("message").and_then(Json::as_str).unwrap_or("error");
        let code = error.get("type").and_then(Json::as_str).unwrap_or("error");
        let error = Some((code.into(), text.into()));
        self.draft.push(EventDraft { error, ..EventDraft::new(Kind::Notice, Vec::new(), source) });
    }

    fn result(&mut self, mut line: Object, source: &SourceRecord) {
        if let Some(text) = take_text(&mut line, "response").filter(|text| !text.is_empty()) {
            self.respond(vec![Part::from_text(text)], source.clone());
        }
        if let Some(error) = take_object(&mut line, "error") {
            self.error(&error, source.clone());
        }
        let mut stats = take_object(&mut line, "stats").unwrap_or_default();
        let models = take_object(&mut stats, "models").unwrap_or_default();
        let mut sums = Vec::new();
        for (model, about) in models {
            let mut tokens = about.get("tokens").unwrap_or(&about).as_object().cloned().unwrap_or_default();
            sums.push((Some(model), GEMINI_CLI_STATS.take(&mut tokens)));
        }
        if sums.is_empty() {
            sums.push((self.model.clone(), GEMINI_CLI_STATS.take(&mut stats)));
        }
        for (model, counts) in sums.into_iter().filter(|(_, counts)| counts.input.is_some()) {
            let usage = Some(UsageReport::from(counts));
            let say =
                EventDraft { model, usage, ..EventDraft::new(Kind::Notice, Vec::new(), source.clone()) };
            self.draft.push_sum(say);
        }
        self.draft.note_rest("result", &line);
    }
}
