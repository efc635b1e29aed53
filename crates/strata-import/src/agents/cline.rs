//! Conversations of Cline and Roo: `<id>.messages.json` of the command line, `api_conversation_history.json` of the
//! extensions, whose usage is in the `ui_messages.json` beside it.

use strata_model::{Json, Object, Part, Str};

use crate::documents::read_documents;
use crate::draft::{Draft, Kind, Say};
use crate::findings::Findings;
use crate::format::Format;
use crate::import::ImportedSession;
use crate::message::{Role, Turn, say_turn};
use crate::source::SourceRecord;
use crate::take::{take_count, take_object, take_text, take_time, unpacked};
use crate::usage::{Counts, Reported};
use crate::values::Value;

pub(crate) fn read(bytes: &[u8], findings: &mut Findings) -> Vec<ImportedSession> {
    let mut conversations = Vec::new();
    let mut usage = Vec::new();
    let mut has_interface = false;
    for mut document in read_documents(bytes, &["messages", ""], findings) {
        let mut messages = document.take("messages");
        messages.extend(document.take(""));
        let of_interface = |first: &Value| first.json.get("say").or(first.json.get("ask")).is_some();
        if messages.first().is_some_and(of_interface) {
            has_interface = true;
            usage.extend(messages.iter().filter_map(|value| usage_of_request(&value.json)));
        } else {
            conversations.push((document.fields, document.source, messages));
        }
    }
    if conversations.is_empty() && has_interface {
        let message = "these are the messages of Cline's interface; import `api_conversation_history.json` of the \
                       same folder, or the folder";
        findings.error("interface-messages", "", message);
    }
    let mut usage = usage.into_iter();
    let mut sessions = Vec::new();
    for (fields, source, messages) in conversations {
        let draft = conversation(fields, source, messages, &mut usage);
        sessions.extend(draft.finish(Format::Cline, findings));
    }
    sessions
}

fn conversation(
    mut fields: Object,
    source: SourceRecord,
    messages: Vec<Value>,
    usage: &mut impl Iterator<Item = Reported>,
) -> Draft {
    let mut draft = Draft::new("cline", "cline");
    draft.session.id = take_text(&mut fields, "sessionId").unwrap_or_default();
    for key in ["version", "updated_at", "agent", "origin"] {
        fields.remove(key);
    }
    if let Some(system) = take_text(&mut fields, "system_prompt") {
        let first = messages.first().map_or(source, Value::source);
        let time = messages.first().and_then(|first| crate::take::time_of(first.json.get("ts")?));
        let mut turn = Turn::new(Role::System);
        turn.parts.push(Part::from_text(system));
        draft.push_turn(turn, Say { time, ..Say::new(Kind::Notice, Vec::new(), first) });
    }
    draft.note_rest("conversation", &fields);
    for value in messages {
        message(&mut draft, value, usage);
    }
    draft
}

fn message(draft: &mut Draft, value: Value, usage: &mut impl Iterator<Item = Reported>) {
    let mut say = Say::new(Kind::Notice, Vec::new(), value.source());
    let mut turn = draft.messages("message").read(value.json);
    say.time = take_time(&mut turn.rest, "ts");
    let model = take_object(&mut turn.rest, "modelInfo");
    say.model = model.and_then(|mut model| take_text(&mut model, "id"));
    if turn.role == Role::Model && !turn.rest.contains_key("metrics") {
        say.usage = usage.next();
    }
    let is_summary = turn.rest.remove("isSummary").is_some_and(|flag| flag.is_truthy());
    if is_summary {
        say.kind = Kind::Compaction;
        say.parts = turn.parts;
        say.source_notes = turn.rest;
        draft.push(say);
        return;
    }
    mark_prompt(&mut turn);
    say_turn(draft, "message", turn, say);
}

/// The extension wraps what was typed.
fn mark_prompt(turn: &mut Turn) {
    let is_typed = |part: &Part| {
        let text = part.text.as_deref().unwrap_or_default().trim_start();
        ["<task>", "<feedback>", "<answer>", "<user_message>", "<user_input"]
            .iter()
            .any(|start| text.starts_with(start))
    };
    // A prompt comes before what the client adds to it, so that the session is named by it.
    if let Some(at) = turn.parts.iter().position(is_typed)
        && turn.role == Role::User
    {
        turn.parts[..=at].rotate_right(1);
    }
}

/// What a request of the interface reports.
fn usage_of_request(message: &Json) -> Option<Reported> {
    if message.get("say")?.as_str()? != "api_req_started" {
        return None;
    }
    let Json::Object(mut text) = unpacked(Json::String(Str::from(message.get("text")?.as_str()?))) else {
        return None;
    };
    let input = take_count(&mut text, "tokensIn");
    let (cached, written) = (take_count(&mut text, "cacheReads"), take_count(&mut text, "cacheWrites"));
    let counts = Counts {
        // Tokens of the cache stand beside those of the input here.
        input: input
            .map(|input| input.saturating_add(cached.unwrap_or(0)).saturating_add(written.unwrap_or(0))),
        cached,
        written,
        output: take_count(&mut text, "tokensOut"),
        ..Counts::default()
    };
    counts.input.map(|_| counts.reported())
}
