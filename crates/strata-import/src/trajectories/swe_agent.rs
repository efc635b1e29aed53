//! Trajectories of SWE-agent. The history is what the model saw; usage is only known as a sum, and there are no times.

use strata_model::take::{take_any, take_list, take_object, take_text, unpacked};
use strata_model::{Json, Object, Str};
use strata_wire::message::Role;
use strata_wire::usage::UsageReport;
use strata_wire::usage::spelling::SWE_AGENT;

use crate::documents::read_documents;
use crate::draft::say_turn;
use crate::draft::{Draft, EventDraft, Kind};
use crate::findings::Findings;
use crate::format::Format;
use crate::imported::{Alignment, ImportedSession, RecordedRequest};
use crate::keys::Keys;
use crate::own_total;
use crate::source::SourceRecord;
use crate::values::Value;

pub(crate) fn is_trajectory(keys: Keys<'_>) -> bool {
    let has_stats = keys.inner_has("info", &["model_stats"]) && !keys.has("trajectory_format");
    keys.has("trajectory") && (keys.has_any(&["history", "environment"]) || has_stats)
}

pub(crate) fn read(bytes: &[u8], format: Format, findings: &mut Findings) -> Vec<ImportedSession> {
    let mut sessions = Vec::new();
    for mut document in read_documents(bytes, &["history", "trajectory"], findings) {
        let mut draft = Draft::new("swe-agent", "swe-agent");
        draft.session.id = session_id(&mut document.fields);
        let source = document.source.clone();
        let steps = document.take("trajectory");
        let mut answers = Vec::new();
        for value in document.take("history") {
            message(&mut draft, value, &mut answers);
        }
        for (number, step) in steps.into_iter().enumerate() {
            requested(&mut draft, step, answers.get(number).copied());
        }
        let mut info = take_object(&mut document.fields, "info").unwrap_or_default();
        totals(&mut draft, &mut info, source, findings);
        for key in ["exit_status", "submission"] {
            if let Some(value) = info.remove(key) {
                draft.session.state.insert(key, value);
            }
        }
        draft.note_rest("info", &info);
        draft.note_rest("trajectory", &document.fields);
        sessions.extend(draft.finish(format, findings));
    }
    sessions
}

/// The task, where the settings of the run say it: many runs share an environment.
fn session_id(fields: &mut Object) -> Str {
    let settings = fields.get("replay_config").cloned().map(unpacked);
    let task = settings.as_ref().and_then(|settings| settings.get("problem_statement")?.get("id")?.as_str());
    let environment = take_text(fields, "environment").unwrap_or_default();
    task.filter(|task| !task.is_empty()).map_or(environment, Str::from)
}

fn message(draft: &mut Draft, value: Value, answers: &mut Vec<usize>) {
    let mut say = EventDraft::new(Kind::Notice, Vec::new(), value.source());
    let Some(mut message) = draft.object("history", value.json) else { return };
    let kind = take_text(&mut message, "message_type");
    let is_demo = message.remove("is_demo").is_some_and(|flag| flag.is_truthy())
        || kind.as_deref() == Some("demonstration");
    let is_observation = kind.as_deref() == Some("observation");
    if let Some(Json::String(id)) =
        take_list(&mut message, "tool_call_ids").and_then(|ids| ids.into_iter().next())
    {
        message.insert("tool_call_id", id);
    }
    let agent = take_text(&mut message, "agent").filter(|agent| !matches!(&**agent, "primary" | "main"));
    say.agent = agent.map(|agent| format!("swe-agent.{agent}").into());
    // Thought and action repeat the content.
    for key in ["thought", "action"] {
        message.remove(key);
    }
    let mut turn = draft.messages("history").read(Json::Object(message));
    if turn.role == Role::Model && !is_demo {
        answers.push(draft.len());
    }
    // Without tools, an observation is a message of the user.
    let follows_answer =
        draft.len().checked_sub(1).and_then(|at| draft.event(at)).is_some_and(|event| !event.is_from_user());
    if is_demo || (turn.role == Role::User && (is_observation || follows_answer)) {
        let kind = if is_demo { "demonstration" } else { "observation" };
        say.kind = Kind::Injected(kind.into());
        say.parts = std::mem::take(&mut turn.parts);
        draft.note_rest("history", &turn.rest);
        draft.push(say);
        return;
    }
    say_turn(draft, "history", turn, say);
}

/// The prompt of a step, where it was kept.
fn requested(draft: &mut Draft, step: Value, answer: Option<usize>) {
    let source = step.source();
    let Some(mut step) = draft.object("trajectory", step.json) else { return };
    match take_any(&mut step, &["query", "messages"]) {
        Some(messages) => {
            let body = Json::Object(Object::from_iter([("messages", messages)]));
            draft.requests.push(RecordedRequest { answer, body, source, alignment: Alignment::default() });
        }
        None => return draft.unmapped.record("step", source),
    }
    draft.note_rest("step", &step);
}

/// What the run came to. Its calls report nothing.
fn totals(draft: &mut Draft, info: &mut Object, source: SourceRecord, findings: &mut Findings) {
    let Some(mut stats) = take_object(info, "model_stats") else { return };
    let counts = SWE_AGENT.take(&mut stats);
    let cost = ["instance_cost", "total_cost"].iter().find_map(|key| stats.get(key)?.as_f64());
    own_total::alone(counts, cost, format!("session {}", draft.session.id), findings);
    if counts.input.unwrap_or(0) == 0 || draft.len() == 0 {
        return;
    }
    draft.push_sum(EventDraft {
        usage: Some(UsageReport::from(counts)),
        source_notes: stats,
        ..EventDraft::new(Kind::Notice, Vec::new(), source)
    });
}
