//! `conversations.json` of Claude's data export: a list of conversations with their messages.

use strata_model::take::{take_first_text, take_list, take_object, take_text};
use strata_model::{Json, Object, Part, Str};
use strata_wire::message::{Role, Turn};

use crate::document_file::DocumentFormat;
use crate::documents::Document;
use crate::draft::{Draft, EventDraft, Kind};
use crate::findings::Findings;
use crate::format::Format;
use crate::imported::ImportedSession;
use crate::keys::Keys;
use crate::source::SourceRecord;
use crate::time::take_time;
use crate::tree::{self, TreeNode};

pub(crate) fn is_conversation(keys: Keys<'_>) -> bool {
    keys.has_all(&["uuid", "chat_messages"])
}

pub(crate) static DOCUMENTS: DocumentFormat =
    DocumentFormat { lists: &["", "chat_messages"], repeats: false, read, read_other: None };

fn read(documents: Vec<Document>, format: Format, findings: &mut Findings) -> Vec<ImportedSession> {
    let mut sessions = Vec::new();
    let mut n_empty = 0_u64;
    for mut document in documents {
        for value in document.take("") {
            let source = value.source();
            let Json::Object(mut conversation) = value.json else { continue };
            let messages = take_list(&mut conversation, "chat_messages").unwrap_or_default();
            let messages = messages.into_iter().map(|message| (message, source.clone())).collect();
            match self::conversation(conversation, messages) {
                Some(draft) => sessions.extend(draft.finish(format, findings)),
                None => n_empty += 1,
            }
        }
        let mut messages = Vec::new();
        for value in document.take("chat_messages") {
            let source = value.source();
            messages.push((value.json, source));
        }
        if document.fields.contains_key("uuid") {
            match conversation(document.fields, messages) {
                Some(draft) => sessions.extend(draft.finish(format, findings)),
                None => n_empty += 1,
            }
        }
    }
    findings.empty_sessions(n_empty);
    if sessions.is_empty() {
        findings.no_session(format);
    } else {
        super::tell_no_usage("Claude's export", findings);
    }
    sessions
}

fn conversation(mut fields: Object, messages: Vec<(Json, SourceRecord)>) -> Option<Draft> {
    let mut draft = Draft::new("claude.ai", "claude");
    draft.session.id = take_text(&mut fields, "uuid").unwrap_or_default();
    draft.title = take_first_text(&mut fields, &["name"]);
    let created = take_time(&mut fields, "created_at");
    draft.set_clock(created);
    let model = take_first_text(&mut fields, &["model"]);
    let leaf = take_text(&mut fields, "current_leaf_message_uuid");
    for key in ["updated_at", "account", "summary", "settings", "is_starred"] {
        fields.remove(key);
    }
    fields.retain(|_, value| value.is_truthy());
    draft.note_rest("conversation", &fields);
    let mut objects: Vec<(Object, SourceRecord)> = Vec::new();
    for (message, source) in messages {
        if let Some(message) = draft.object("chat_messages", message) {
            objects.push((message, source));
        }
    }
    let text = |message: &Object, key: &str| message.get(key).and_then(Json::as_str).map(Str::from);
    let nodes: Vec<TreeNode> = objects
        .iter()
        .map(|(message, _)| TreeNode {
            id: text(message, "uuid").unwrap_or_default(),
            parent: text(message, "parent_message_uuid"),
        })
        .collect();
    // Older exports say nothing of parents: all messages follow one another.
    let is_tree = nodes.iter().any(|node| node.parent.is_some());
    let leaf = leaf.and_then(|leaf| nodes.iter().position(|node| node.id == leaf));
    let branches = if is_tree {
        tree::branches(&nodes, leaf.or_else(|| nodes.len().checked_sub(1)))
    } else {
        vec![None; nodes.len()]
    };
    for ((message, source), branch) in objects.into_iter().zip(branches) {
        add(&mut draft, message, source, branch, model.as_ref());
    }
    (draft.len() > 0).then_some(draft)
}

fn add(
    draft: &mut Draft,
    mut message: Object,
    source: SourceRecord,
    branch: Option<Str>,
    model: Option<&Str>,
) {
    let is_answer = take_text(&mut message, "sender").is_some_and(|sender| &*sender == "assistant");
    let mut say = EventDraft {
        id: take_text(&mut message, "uuid"),
        time: take_time(&mut message, "created_at"),
        branch,
        ..EventDraft::new(Kind::Notice, Vec::new(), source)
    };
    let text = take_text(&mut message, "text").unwrap_or_default();
    let mut blocks = take_list(&mut message, "content").unwrap_or_default();
    if blocks.is_empty() && !text.is_empty() {
        blocks.push(Json::Object(Object::from_iter([("type", "text"), ("text", &*text)])));
    }
    let files = take_list(&mut message, "files").unwrap_or_default();
    let attachments = take_list(&mut message, "attachments").unwrap_or_default();
    for key in ["updated_at", "parent_message_uuid", "files_v2", "sync_sources", "index", "truncated"] {
        message.remove(key);
    }
    say.finish = take_first_text(&mut message, &["stop_reason"]);
    message.retain(|_, value| value.is_truthy());
    draft.note_rest("message", &message);
    for file in files {
        draft.unmapped.field("message", "files", &file);
    }
    if is_answer {
        say.model = model.cloned();
        return answer(draft, blocks, &say);
    }
    let mut turn = Turn::new(Role::User);
    for attachment in attachments {
        let Some(mut attachment) = draft.object("attachments", attachment) else { continue };
        let name = take_first_text(&mut attachment, &["file_name"]).unwrap_or_default();
        if let Some(text) = take_first_text(&mut attachment, &["extracted_content"]) {
            turn.parts.push(Part::from_text(format!("<document name=\"{name}\">\n{text}\n</document>")));
        }
    }
    for block in blocks {
        let block = plain(block);
        draft.messages("message").content(Json::Array(vec![block]), &mut turn);
    }
    if !turn.parts.is_empty() {
        draft.push(EventDraft { kind: Kind::Prompt, parts: turn.parts, ..say });
    }
}

/// The answers of a message, between which the results of their tools stand.
fn answer(draft: &mut Draft, blocks: Vec<Json>, say: &EventDraft) {
    let mut open = Turn::new(Role::Model);
    let mut results = Turn::new(Role::Tool);
    let mut next = say.clone();
    let mut n_calls = 0;
    let mut waiting: Vec<Str> = Vec::new();
    let push = |draft: &mut Draft, open: &mut Turn, results: &mut Turn, next: &mut EventDraft| {
        let said = std::mem::replace(open, Turn::new(Role::Model));
        if !said.parts.is_empty() {
            draft.push(EventDraft { kind: Kind::Response, parts: said.parts, ..next.clone() });
            *next = EventDraft { id: None, ..next.clone() };
        }
        let told = std::mem::replace(results, Turn::new(Role::Tool));
        if !told.parts.is_empty() {
            draft.push_turn(told, EventDraft { model: None, finish: None, ..next.clone() });
        }
    };
    for block in blocks {
        let mut block = plain(block);
        let kind = block.get("type").and_then(Json::as_str).unwrap_or_default().to_owned();
        if kind != "tool_result" && !results.parts.is_empty() {
            push(draft, &mut open, &mut results, &mut next);
        }
        if let Json::Object(fields) = &mut block {
            match &*kind {
                // Old exports do not name calls: they are answered in their order.
                "tool_use" if fields.get("id").and_then(Json::as_str).is_none() => {
                    n_calls += 1;
                    let base = say.id.clone().unwrap_or_default();
                    let id: Str = format!("{base}-{n_calls}").into();
                    waiting.push(id.clone());
                    fields.insert("id", id);
                }
                "tool_result"
                    if fields.get("tool_use_id").and_then(Json::as_str).is_none() && !waiting.is_empty() =>
                {
                    fields.insert("tool_use_id", waiting.remove(0));
                }
                _ => {}
            }
        }
        let into = if kind == "tool_result" { &mut results } else { &mut open };
        draft.messages("message").content(Json::Array(vec![block]), into);
    }
    push(draft, &mut open, &mut results, &mut next);
}

/// A block without what only the page needs.
fn plain(block: Json) -> Json {
    let Json::Object(mut block) = block else { return block };
    for key in [
        "start_timestamp",
        "stop_timestamp",
        "flags",
        "summaries",
        "cut_off",
        "truncated",
        "display_content",
        "structured_content",
        "integration_name",
        "integration_icon_url",
        "icon_name",
        "is_mcp_app",
        "mcp_server_url",
        "approval_key",
        "approval_options",
        "context",
        "meta",
    ] {
        block.remove(key);
    }
    if block.get("type").and_then(Json::as_str) != Some("text") {
        for key in ["message", "citations", "alternative_display_type", "hide_in_ui"] {
            block.remove(key);
        }
    }
    if take_list(&mut block, "citations").is_some_and(|citations| !citations.is_empty()) {
        block.remove("citations");
    }
    if let Some(input) = take_object(&mut block, "input") {
        block.insert("input", input);
    }
    block.retain(|_, value| !value.is_null());
    Json::Object(block)
}
