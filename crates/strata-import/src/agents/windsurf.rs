//! Transcripts that Windsurf writes for a hook of Cascade: a line a step, without times, models and tokens.

use strata_model::take::{take_object, take_text};
use strata_model::{Json, Object, Part};
use strata_wire::message::{Role, Turn};

use crate::draft::{Draft, EventDraft, Kind, kind_of};
use crate::findings::Findings;
use crate::format::Format;
use crate::imported::ImportedSession;
use crate::keys::Keys;
use crate::source::SourceRecord;
use crate::values::Value;

/// What a tool came to, among what it was given.
const RESULTS: [&str; 7] = ["output", "stdout", "stderr", "result", "results", "exit_code", "error"];

/// A step has what it says under the name of what it is.
pub(crate) fn is_step(keys: Keys<'_>) -> bool {
    let holds = |kind: &str, key: &str| keys.kind() == kind && keys.inner_has(kind, &[key]);
    holds("user_input", "user_response") || holds("planner_response", "response")
}

pub(crate) fn read(values: Vec<Value>, format: Format, findings: &mut Findings) -> Vec<ImportedSession> {
    let mut log = Log { draft: Draft::new("windsurf", "windsurf"), answer: None, n_steps: 0 };
    for value in values {
        if let Some((record, source)) = value.into_record(findings) {
            log.step(record, source);
        }
    }
    log.draft.finish(format, findings).into_iter().collect()
}

struct Log {
    draft: Draft,
    /// The place of an answer whose call may come next.
    answer: Option<usize>,
    n_steps: usize,
}

impl Log {
    fn step(&mut self, mut record: Object, source: SourceRecord) {
        self.n_steps += 1;
        let kind = take_text(&mut record, "type").unwrap_or_default();
        let status = take_text(&mut record, "status").filter(|status| &**status != "done");
        let Some(mut said) = take_object(&mut record, &kind) else {
            let kind = if kind.is_empty() { "record without a type" } else { &*kind };
            return self.draft.unmapped.record(kind, source);
        };
        self.draft.note_rest("step", &record);
        let mut say = EventDraft::new(Kind::Notice, Vec::new(), source.clone());
        say.source_notes.push_some("status", status.clone());
        match &*kind {
            "user_input" => {
                self.answer = None;
                let mut turn = Turn::new(Role::User);
                let text = said.remove("user_response").unwrap_or_default();
                self.draft.messages("user_input").content(text, &mut turn);
                say.source_notes.push_some("rulesApplied", said.remove("rules_applied"));
                self.draft.note_rest("user_input", &said);
                self.draft.push(EventDraft { kind: kind_of(&turn), parts: turn.parts, ..say });
            }
            "planner_response" => {
                let text = take_text(&mut said, "response").unwrap_or_default();
                self.draft.note_rest("planner_response", &said);
                if text.is_empty() {
                    return self.draft.unmapped.record("planner_response without words", source);
                }
                say.kind = Kind::Response;
                say.parts = vec![Part::from_text(text)];
                self.answer = Some(self.draft.push(say));
            }
            tool => self.tool(tool, said, status.as_deref(), say),
        }
    }

    /// A call, with what came of it as far as the step tells.
    fn tool(&mut self, tool: &str, mut said: Object, status: Option<&str>, say: EventDraft) {
        let mut told = Object::new();
        for key in RESULTS {
            told.push_some(key, said.remove(key).filter(|value| !value.is_null()));
        }
        let is_error = status == Some("error") || told.contains_key("error");
        if told.is_empty() {
            told.push("status", status.unwrap_or("done"));
        }
        let id = format!("step-{}", self.n_steps);
        let name = Some(tool.into());
        let mut call = Turn::new(Role::Model);
        let args = Some(Json::Object(said));
        self.draft.messages("step").push_call(Some(id.as_str().into()), name.clone(), args, &mut call);
        match self.answer.take() {
            Some(at) => self.draft.extend(at, call.parts, say.sources[0].clone()),
            None => {
                self.draft.push(EventDraft { kind: Kind::Response, parts: call.parts, ..say.clone() });
            }
        }
        let mut result = Turn::new(Role::Tool);
        let told = Some(Json::Object(told));
        self.draft.messages("step").result(Some(id.into()), name, told, is_error, &mut result);
        self.draft.push_turn(result, say);
    }
}
