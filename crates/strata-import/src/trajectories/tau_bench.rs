//! Results of tau-bench, of both generations: one session a simulation.

use strata_model::take::{take_any, take_list, take_text};
use strata_model::{Json, Object, json};

use crate::documents::read_documents;
use crate::draft::say_message;
use crate::draft::{Draft, EventDraft, Kind};
use crate::findings::Findings;
use crate::format::Format;
use crate::imported::ImportedSession;
use crate::keys::Keys;
use crate::source::SourceRecord;
use crate::time::take_time;

pub(crate) fn is_run(keys: Keys<'_>) -> bool {
    keys.has_all(&["task_id", "traj"])
}

/// The result of a run, or of all runs of either version.
pub(crate) fn is_result(keys: Keys<'_>) -> bool {
    is_run(keys)
        || keys.has_all(&["info", "simulations"])
        || keys.has_all(&["info", "tasks"])
        || keys.has_all(&["task_id", "termination_reason"])
        || keys.has("messages_display")
}

pub(crate) fn read(bytes: &[u8], format: Format, findings: &mut Findings) -> Vec<ImportedSession> {
    let mut sessions = Vec::new();
    for mut document in read_documents(bytes, &["", "simulations"], findings) {
        let mut values = document.take("");
        values.extend(document.take("simulations"));
        let is_one = values.is_empty();
        for value in values {
            let source = value.source();
            if let Json::Object(simulation) = value.json {
                let place = (&source, sessions.len() + 1);
                sessions.extend(session(simulation, place, format, findings));
            }
        }
        if is_one {
            let place = (&document.source, sessions.len() + 1);
            sessions.extend(session(document.fields, place, format, findings));
        }
    }
    sessions
}

/// The messages of an example, which is written down as text: a line begins with who speaks, or goes on.
fn displayed(text: &str) -> Vec<Json> {
    let mut messages: Vec<(&str, String)> = Vec::new();
    for line in text.lines() {
        let spoken = line
            .split_once(": ")
            .filter(|(role, _)| matches!(*role, "user" | "assistant" | "tool" | "system"));
        match (spoken, messages.last_mut()) {
            (Some((role, words)), _) => messages.push((role, words.to_owned())),
            (None, Some((_, words))) => {
                words.push('\n');
                words.push_str(line);
            }
            (None, None) => messages.push(("user", line.to_owned())),
        }
    }
    let messages = messages.into_iter().map(|(role, words)| {
        // Of a message that only calls tools nothing is written down.
        let content = if words == "None" { Json::Null } else { words.into() };
        Object::from_iter([("role", Json::from(role)), ("content", content)]).into()
    });
    messages.collect()
}

fn session(
    mut simulation: Object,
    (source, nth): (&SourceRecord, usize),
    format: Format,
    findings: &mut Findings,
) -> Option<ImportedSession> {
    let mut draft = Draft::new("tau-bench", "assistant");
    let text = |value: Option<Json>| {
        value.map(|value| value.as_str().map_or_else(|| json::to_compact(&value), str::to_owned))
    };
    let task = text(take_any(&mut simulation, &["task_id"])).unwrap_or_default();
    let trial = text(take_any(&mut simulation, &["trial"])).unwrap_or_default();
    let own = take_text(&mut simulation, "id");
    draft.session.id = own.unwrap_or_else(|| match (&*task, &*trial) {
        // An example says only what was spoken.
        ("", "") => format!("example-{nth}").into(),
        _ => format!("task-{task}-trial-{trial}").into(),
    });
    let messages = take_list(&mut simulation, "traj")
        .or_else(|| take_list(&mut simulation, "messages"))
        .or_else(|| take_text(&mut simulation, "messages_display").map(|text| displayed(&text)));
    let Some(messages) = messages else {
        let what = if simulation.contains_key("ticks") {
            "it was spoken, and kept as pieces of sound and transcript"
        } else {
            "it holds no messages"
        };
        findings.error("no-messages", "", format!("a simulation was left out: {what}"));
        return None;
    };
    // Results that came together stand in one message.
    let messages = messages.into_iter().flat_map(|message| match message {
        Json::Object(mut message) => match take_list(&mut message, "tool_messages") {
            Some(inner) => inner,
            None => vec![Json::Object(message)],
        },
        other => vec![other],
    });
    for message in messages {
        let mut say = EventDraft::new(Kind::Notice, Vec::new(), source.clone());
        // What the provider answered, as it was; the message says the same.
        let message = match message {
            Json::Object(mut message) => {
                message.remove("raw_data");
                say.time = take_time(&mut message, "timestamp");
                Json::Object(message)
            }
            other => other,
        };
        say_message(&mut draft, "message", message, say);
    }
    for key in ["reward", "reward_info", "termination_reason"] {
        if let Some(value) = simulation.remove(key) {
            draft.session.state.insert(key, value);
        }
    }
    draft.note_rest("simulation", &simulation);
    draft.finish(format, findings)
}
