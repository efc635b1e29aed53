//! CrewAI: the output of a crew, with what each task's agent was sent; the log of its tasks; and the database of the tasks
//! of the last run.

use std::collections::BTreeMap;

use strata_model::take::{take_list, take_object, take_text};
use strata_model::{Json, Object, Part, Str};

use crate::document_file::DocumentFormat;
use crate::documents::Document;
use crate::draft::{Draft, EventDraft, Kind, say_turn};
use crate::findings::Findings;
use crate::format::Format;
use crate::imported::ImportedSession;
use crate::keys::Keys;
use crate::rows::{count_of, object_of, seconds_of, text_of};
use crate::source::SourceRecord;
use crate::tables::{self, Table, TableError, TableSource};
use crate::time::take_time;

/// The output of a crew or of a task.
pub(crate) fn is_output(keys: Keys<'_>) -> bool {
    keys.has_all(&["tasks_output", "raw"])
        || keys.has_all(&["description", "expected_output", "agent", "raw"])
        || is_log(keys)
}

/// An entry of the log of tasks.
fn is_log(keys: Keys<'_>) -> bool {
    keys.has_all(&["task_name", "task", "agent", "status"])
}

pub(crate) fn is_database(all: &[Table]) -> bool {
    tables::has_column(all, TABLE, "output")
}

const TABLE: &str = "latest_kickoff_task_outputs";

pub(crate) static DOCUMENTS: DocumentFormat =
    DocumentFormat { lists: &["", "tasks_output"], repeats: false, read, read_other: None };

fn new_draft() -> Draft {
    let mut draft = Draft::new("crewai", "agent");
    draft.session.id = "crew".into();
    draft
}

fn read(documents: Vec<Document>, format: Format, findings: &mut Findings) -> Vec<ImportedSession> {
    let mut sessions = Vec::new();
    for mut document in documents {
        let mut draft = new_draft();
        let mut fields = std::mem::take(&mut document.fields);
        let mut tasks = document.take("tasks_output");
        tasks.extend(document.take(""));
        if tasks.is_empty() {
            task(fields, 1, None, document.source, &mut draft);
        } else {
            for (at, value) in tasks.into_iter().enumerate() {
                let source = value.source();
                if let Some(one) = draft.object("tasks_output", value.json) {
                    task(one, at + 1, None, source, &mut draft);
                }
            }
            total(&mut fields, findings);
            // The answer of the last task.
            for key in ["raw", "pydantic", "json_dict"] {
                fields.remove(key);
            }
            draft.note_rest("crew", &fields);
        }
        sessions.extend(draft.finish(format, findings));
    }
    sessions
}

/// What the crew says it used is no part of any call, and may be said several times over.
fn total(fields: &mut Object, findings: &mut Findings) {
    let Some(used) = take_object(fields, "token_usage") else { return };
    let count = |key: &str| used.get(key).and_then(Json::as_i64).unwrap_or(0);
    let (input, output, calls) =
        (count("prompt_tokens"), count("completion_tokens"), count("successful_requests"));
    if input + output > 0 {
        let message = format!(
            "usage is known as a total alone: {input} input tokens and {output} output tokens in {calls} requests. It \
             adds up what the model of each agent reports, and a model that several agents share reports the same for \
             each of them, so it may be too high; no call has a part of it"
        );
        findings.info("own-total-alone", "token_usage", message);
    }
}

/// The conversation of a task, on a branch of its own: its agent knows of other tasks what it was told.
fn task(mut fields: Object, number: usize, time: Option<f64>, source: SourceRecord, draft: &mut Draft) {
    let time = time.or_else(|| take_time(&mut fields, "timestamp"));
    let branch = Some(format!("task.{number}").into());
    let agent = take_text(&mut fields, "agent").filter(|agent| !agent.is_empty());
    let base = EventDraft { time, agent, branch, ..EventDraft::new(Kind::Notice, Vec::new(), source) };
    let status = take_text(&mut fields, "status");
    if let Some(text) = take_text(&mut fields, "task") {
        // The log says a task when it begins and again, with its answer, when it ends.
        if status.as_deref() != Some("completed") {
            let parts = vec![Part::from_text(text)];
            draft.push(EventDraft {
                kind: Kind::Injected("task".into()),
                parts,
                branch: None,
                ..base.clone()
            });
        }
        let output = take_text(&mut fields, "output");
        if let Some(output) = output.filter(|output| !output.is_empty()) {
            let parts = vec![Part::from_text(output)];
            draft.push(EventDraft { kind: Kind::Response, parts, branch: None, ..base });
        }
        fields.remove("task_name");
        return draft.note_rest("log", &fields);
    }
    let description = take_text(&mut fields, "description").unwrap_or_default();
    if number == 1 && !description.is_empty() {
        draft.title = Some(description.clone());
    }
    let messages = take_list(&mut fields, "messages").unwrap_or_default();
    if messages.is_empty() && !description.is_empty() {
        let parts = vec![Part::from_text(description)];
        draft.push(EventDraft { kind: Kind::Injected("task".into()), parts, ..base.clone() });
    }
    let raw = take_text(&mut fields, "raw").filter(|raw| !raw.is_empty());
    let mut is_answered = false;
    for message in messages {
        let turn = draft.messages("message").read(message);
        is_answered |= turn.role == strata_wire::message::Role::Model
            && raw.as_ref().is_some_and(|raw| turn.text().contains(raw.trim()));
        let is_user = turn.role == strata_wire::message::Role::User && !turn.has_results();
        if is_user && !turn.parts.is_empty() {
            // What is sent in the user's role is made of the task by the crew.
            draft.note_rest("message", &turn.rest);
            let kind = Kind::Injected("task".into());
            draft.push(EventDraft { kind, parts: turn.parts, ..base.clone() });
        } else {
            say_turn(draft, "message", turn, base.clone());
        }
    }
    // The last answer is often not among the messages.
    if let Some(raw) = raw.filter(|_| !is_answered) {
        let parts = vec![Part::from_text(raw)];
        draft.push(EventDraft { kind: Kind::Response, parts, ..base });
    }
    for key in ["summary", "name", "output_format"] {
        fields.remove(key);
    }
    fields.retain(|_, value| !matches!(value, Json::Array(items) if items.is_empty()));
    draft.note_rest("task", &fields);
}

pub(crate) fn read_tables(
    source: &mut dyn TableSource,
    format: Format,
    findings: &mut Findings,
) -> Result<Vec<ImportedSession>, TableError> {
    let mut draft = new_draft();
    let columns = ["task_id", "expected_output", "output", "task_index", "inputs", "timestamp"];
    let mut tasks: BTreeMap<(u64, Str), (Object, Option<f64>)> = BTreeMap::new();
    source.rows(TABLE, &columns, &["task_index", "task_id"], &mut |row| {
        let id = text_of(row.first()).unwrap_or_default();
        let mut output = object_of(row.get(2), &format!("{TABLE} {id}"), findings);
        if let Some(expected) = text_of(row.get(1)).filter(|_| !output.contains_key("expected_output")) {
            output.push("expected_output", expected);
        }
        let inputs = object_of(row.get(4), &format!("{TABLE} {id}"), findings);
        if !inputs.is_empty() {
            output.push("inputs", inputs);
        }
        tasks.insert((count_of(row.get(3)).unwrap_or_default(), id), (output, seconds_of(row.get(5))));
    })?;
    for (at, ((_, id), (output, time))) in tasks.into_iter().enumerate() {
        task(output, at + 1, time, SourceRecord::Row { table: TABLE, id }, &mut draft);
    }
    Ok(draft.finish(format, findings).into_iter().collect())
}
