//! Cases of Who&When: what several agents said to one another until they failed, and which of them was to blame.

use strata_model::take::{take_any, take_list, take_text};
use strata_model::{Json, Object, Part, Str, json};

use crate::documents::read_documents;
use crate::draft::{Draft, EventDraft, Kind};
use crate::findings::Findings;
use crate::format::Format;
use crate::imported::ImportedSession;
use crate::keys::Keys;
use crate::marks::SYNTHETIC_MODEL;
use crate::source::SourceRecord;

pub(crate) fn is_case(keys: Keys<'_>) -> bool {
    keys.has_all(&["history", "mistake_agent", "mistake_step"])
}

pub(crate) fn read(bytes: &[u8], format: Format, findings: &mut Findings) -> Vec<ImportedSession> {
    let mut sessions = Vec::new();
    for mut document in read_documents(bytes, &[""], findings) {
        for value in document.take("") {
            let source = value.source();
            if let Json::Object(case) = value.json {
                sessions.extend(session(case, &source, format, findings));
            }
        }
        if !document.fields.is_empty() {
            sessions.extend(session(document.fields, &document.source, format, findings));
        }
    }
    sessions
}

fn text(value: &Json) -> String {
    value.as_str().map_or_else(|| json::to_compact(value), str::to_owned)
}

fn session(
    mut case: Object,
    source: &SourceRecord,
    format: Format,
    findings: &mut Findings,
) -> Option<ImportedSession> {
    let mut draft = Draft::new("who-and-when", "agent");
    let id = take_any(&mut case, &["question_ID", "question_id"]);
    draft.session.id = id.as_ref().map(text).unwrap_or_default().into();
    draft.title = take_text(&mut case, "question");
    let say = |kind: Kind, parts: Vec<Part>| EventDraft {
        kind,
        ..EventDraft::new(Kind::Notice, parts, source.clone())
    };
    // One prompt an agent, or one for all of them.
    match case.remove("system_prompt") {
        Some(Json::Object(prompts)) => {
            for (agent, prompt) in prompts {
                let kind = Kind::Injected("system".into());
                let draft_of = say(kind, vec![Part::from_text(text(&prompt))]);
                draft.push(EventDraft { agent: Some(agent), ..draft_of });
            }
        }
        Some(Json::String(prompt)) if !prompt.is_empty() => {
            draft.push(say(Kind::Injected("system".into()), vec![Part::from_text(prompt)]));
        }
        _ => {}
    }
    for (at, message) in take_list(&mut case, "history").unwrap_or_default().into_iter().enumerate() {
        let Some(mut message) = draft.object("history", message) else { continue };
        let role = take_text(&mut message, "role").unwrap_or_default();
        let name = take_text(&mut message, "name").filter(|name| !name.is_empty());
        let content = take_any(&mut message, &["content"]).as_ref().map(text).unwrap_or_default();
        draft.note_rest("message", &message);
        let kind = kind_of(&role, name.as_ref(), at);
        let agent = (kind == Kind::Response).then(|| name.clone().unwrap_or_else(|| speaker(&role)));
        let model = agent.as_deref().filter(|agent| is_terminal(agent)).map(|_| SYNTHETIC_MODEL.into());
        let parts = vec![Part::from_text(content)];
        // `Orchestrator (-> WebSurfer)` says to whom it is said.
        let source_notes = Object::from_iter([("role", Json::from(role))]);
        draft.push(EventDraft { agent, model, source_notes, ..say(kind, parts) });
    }
    for key in [
        "mistake_agent",
        "mistake_step",
        "mistake_reason",
        "ground_truth",
        "groundtruth",
        "is_correct",
        "is_corrected",
        "level",
    ] {
        if let Some(value) = case.remove(key) {
            draft.session.state.insert(key, value);
        }
    }
    draft.note_rest("case", &case);
    draft.finish(format, findings)
}

/// The name before what the role says besides: `Orchestrator (thought)`.
fn speaker(role: &str) -> Str {
    role.split(" (").next().unwrap_or(role).into()
}

/// Both systems have one that runs what the others write, and asks no model.
fn is_terminal(agent: &str) -> bool {
    matches!(agent, "Computer_terminal" | "ComputerTerminal")
}

/// The first message is the task, and so is what a person says; everything else is said by an agent, whatever its role
/// was to the one that was asked.
fn kind_of(role: &str, name: Option<&Str>, at: usize) -> Kind {
    let is_person = role.eq_ignore_ascii_case("human") || (role == "user" && (name.is_none() || at == 0));
    match role {
        _ if is_person => Kind::Prompt,
        "system" => Kind::Injected("system".into()),
        _ => Kind::Response,
    }
}
