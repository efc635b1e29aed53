//! Sessions of goose in files: a line that says what the session is and a line a message; or one object with a
//! `conversation`.

use strata_model::take::{take_count, take_object, take_text};
use strata_model::{Json, Object};
use strata_wire::usage::spelling::GOOSE_SUM;
use strata_wire::usage::{Counts, UsageReport};

use super::Chat;
use crate::document_file::DocumentFormat;
use crate::documents::Document;
use crate::draft::{Draft, EventDraft, Kind};
use crate::findings::Findings;
use crate::format::Format;
use crate::imported::{ImportedSession, ParentSession};
use crate::keys::Keys;
use crate::source::SourceRecord;
use crate::time::take_time;
use crate::values::Value;

/// What a session is, one of its messages, or all of it.
pub(crate) fn is_session(keys: Keys<'_>) -> bool {
    let is_message =
        |it: Keys<'_>| it.has_all(&["role", "created"]) && it.holds_list("content") && !it.has("object");
    let is_header = keys.has("working_dir")
        && keys.has_any(&["description", "name"])
        && keys.has_any(&["message_count", "conversation", "accumulated_total_tokens", "extension_data"]);
    let in_run = keys.kind() == "message" && keys.inner("message").is_some_and(is_message);
    is_header || is_message(keys) || in_run || keys.has_all(&["working_dir", "conversation"])
}

pub(crate) static DOCUMENTS: DocumentFormat =
    DocumentFormat { lists: &["conversation", "messages", ""], repeats: false, read, read_other: None };

fn read(documents: Vec<Document>, format: Format, findings: &mut Findings) -> Vec<ImportedSession> {
    let mut file = File { format, sessions: Vec::new(), open: None };
    for mut document in documents {
        let mut messages = document.take("conversation");
        messages.extend(document.take("messages"));
        for value in document.take("") {
            let source = value.source();
            match value.json {
                Json::Object(line) => file.line(line, source, Vec::new(), findings),
                other => file.not_a_record(&other, source),
            }
        }
        if !document.fields.is_empty() {
            file.line(document.fields, document.source, messages, findings);
        }
    }
    file.close(findings);
    file.sessions
}

struct File {
    format: Format,
    sessions: Vec<ImportedSession>,
    /// The session that is read, with the place that says what it is.
    open: Option<(Chat, SourceRecord)>,
}

impl File {
    fn line(
        &mut self,
        mut fields: Object,
        source: SourceRecord,
        messages: Vec<Value>,
        findings: &mut Findings,
    ) {
        // `{type: "message", message}` of a run.
        let kind = fields.get("type").and_then(Json::as_str).unwrap_or_default().to_owned();
        if kind == "message"
            && let Some(message) = take_object(&mut fields, "message")
        {
            fields = message;
        }
        if fields.contains_key("role") {
            let about = source.clone();
            let (chat, _) = self.open.get_or_insert_with(|| (chat_of(Object::new()), about));
            return message(chat, fields, source);
        }
        if kind == "complete" {
            if let Some((chat, _)) = &mut self.open {
                let total = take_count(&mut fields, "total_tokens");
                chat.sum = Some(UsageReport::from(Counts { total, ..Counts::default() }));
            }
            return;
        }
        self.close(findings);
        let mut chat = chat_of(fields);
        for value in messages {
            let source = value.source();
            match value.json {
                Json::Object(fields) => message(&mut chat, fields, source),
                other => chat.draft.unmapped.field("conversation", "[]", &other),
            }
        }
        self.open = Some((chat, source));
    }

    fn not_a_record(&mut self, value: &Json, about: SourceRecord) {
        let (chat, _) = self.open.get_or_insert_with(|| (chat_of(Object::new()), about));
        chat.draft.unmapped.field("file", "[]", value);
    }

    fn close(&mut self, findings: &mut Findings) {
        let Some((mut chat, source)) = self.open.take() else { return };
        chat.tell_sum(source);
        self.sessions.extend(chat.draft.finish(self.format, findings));
    }
}

fn chat_of(mut about: Object) -> Chat {
    let mut draft = Draft::new("goose", "goose");
    draft.session.id = take_text(&mut about, "id").unwrap_or_default();
    draft.title = take_text(&mut about, "name").or_else(|| take_text(&mut about, "description"));
    let parent = take_text(&mut about, "parent_session_id").filter(|parent| !parent.is_empty());
    draft.parent = parent.map(|session_id| ParentSession { session_id, agent_id: draft.session.id.clone() });
    let time = take_time(&mut about, "created_at");
    draft.set_clock(time);
    let model =
        about.get("model_config").and_then(|config| config.get("model_name")?.as_str()).map(Into::into);
    let counts = GOOSE_SUM.take(&mut about);
    // These are those of the last call, which are part of the sums.
    for key in ["total_tokens", "input_tokens", "output_tokens", "message_count", "updated_at"] {
        about.remove(key);
    }
    draft.note_rest("session", &about);
    let sum = counts.input.map(|_| UsageReport::from(counts));
    Chat { model, sum, ..Chat::new(draft) }
}

fn message(chat: &mut Chat, mut message: Object, source: SourceRecord) {
    let mut say = EventDraft::new(Kind::Notice, Vec::new(), source);
    say.time = take_time(&mut message, "created");
    say.id = take_text(&mut message, "id");
    let role = take_text(&mut message, "role").unwrap_or_default();
    let content = message.remove("content").unwrap_or_default();
    let metadata = take_object(&mut message, "metadata").unwrap_or_default();
    chat.draft.note_rest("message", &message);
    chat.message(&role, content, metadata, say);
}
