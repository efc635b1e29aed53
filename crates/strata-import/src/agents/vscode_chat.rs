//! Chats of VS Code, with Copilot and others: the log of changes, the document of older versions and of exports, and the
//! requests that Copilot's chat exports for replaying.

mod log;
mod prompt_tree;
pub(crate) mod replay;
mod turn;
mod usage;

use strata_model::take::{take_first_text, take_text};
use strata_model::{Json, Object};

use crate::document_file::DocumentFormat;
use crate::documents::Document;
use crate::draft::Draft;
use crate::findings::Findings;
use crate::format::Format;
use crate::imported::ImportedSession;
use crate::keys::Keys;
use crate::time::take_time;
use log::{Log, Turn};

/// The first record of a log, or a whole chat.
pub(crate) fn is_chat(keys: Keys<'_>) -> bool {
    let is_log = keys.has("kind") && keys.inner_has("v", &["sessionId", "requests"]);
    let is_stored = keys.has_all(&["sessionId", "requests", "creationDate"]);
    let is_export = keys.has_all(&["requests", "responderUsername"]);
    is_log || is_stored || is_export
}

pub(crate) static DOCUMENTS: DocumentFormat =
    DocumentFormat { lists: &["requests", "v.requests", "v"], repeats: false, read, read_other: None };

fn read(documents: Vec<Document>, format: Format, findings: &mut Findings) -> Vec<ImportedSession> {
    let mut log = Log::default();
    for document in documents {
        log.add(document, findings);
    }
    let chats = log.finish();
    if chats.is_empty() {
        findings.no_session(format);
    }
    chats.into_iter().filter_map(|(about, turns)| session(about, turns, format, findings)).collect()
}

fn session(
    mut about: Object,
    turns: Vec<Turn>,
    format: Format,
    findings: &mut Findings,
) -> Option<ImportedSession> {
    let responder = take_first_text(&mut about, &["responderUsername"]);
    let agent = responder.filter(|name| &**name != "GitHub Copilot").unwrap_or_else(|| "copilot".into());
    let mut draft = Draft::new("vscode-chat", &agent);
    draft.session.id = take_text(&mut about, "sessionId").unwrap_or_default();
    draft.title = take_first_text(&mut about, &["customTitle", "computedTitle"]);
    let created = take_time(&mut about, "creationDate");
    draft.set_clock(created);
    // What the window shows, and what is typed but was not sent.
    for key in [
        "version",
        "initialLocation",
        "inputState",
        "requesterUsername",
        "requesterAvatarIconUri",
        "responderAvatarIconUri",
        "lastMessageDate",
        "isImported",
        "hasPendingEdits",
        "isNew",
    ] {
        about.remove(key);
    }
    about.retain(|_, value| value.is_truthy() && value.as_array().is_none_or(|items| !items.is_empty()));
    draft.note_rest("session", &about);
    draft.counts.insert("requests", Json::Int(turns.len() as i64));
    let mut chat = turn::Chat::new(draft);
    for turn in turns {
        chat.turn(turn);
    }
    chat.finish(format, findings)
}
