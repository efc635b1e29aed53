//! `conversations.json` of ChatGPT's data export: a list of conversations, each a tree of messages.

use std::collections::HashMap;

use strata_model::take::{take_any, take_first_text, take_list, take_object, take_text};
use strata_model::{Json, Object, Part, Str};
use strata_wire::message::{Role, Turn, thought};

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
    keys.has("mapping") && keys.has_any(&["current_node", "conversation_id", "create_time"])
}

pub(crate) static DOCUMENTS: DocumentFormat =
    DocumentFormat { lists: &[""], repeats: false, read, read_other: None };

fn read(documents: Vec<Document>, format: Format, findings: &mut Findings) -> Vec<ImportedSession> {
    let mut sessions = Vec::new();
    let mut n_empty = 0_u64;
    for mut document in documents {
        let mut all: Vec<(Json, SourceRecord)> = Vec::new();
        for value in document.take("") {
            let source = value.source();
            all.push((value.json, source));
        }
        if document.fields.contains_key("mapping") {
            all.push((Json::Object(document.fields), document.source));
        }
        for (value, source) in all {
            let Json::Object(conversation) = value else { continue };
            match self::conversation(conversation, source) {
                Some(draft) => sessions.extend(draft.finish(format, findings)),
                None => n_empty += 1,
            }
        }
    }
    findings.empty_sessions(n_empty);
    if sessions.is_empty() {
        findings.no_session(format);
    } else {
        super::tell_no_usage("ChatGPT's export", findings);
    }
    sessions
}

struct Node {
    id: Str,
    parent: Option<Str>,
    message: Option<Object>,
    time: f64,
}

fn conversation(mut fields: Object, source: SourceRecord) -> Option<Draft> {
    let mut draft = Draft::new("chatgpt", "chatgpt");
    draft.session.id = take_first_text(&mut fields, &["conversation_id", "id"]).unwrap_or_default();
    draft.title = take_first_text(&mut fields, &["title"]);
    let created = take_time(&mut fields, "create_time");
    draft.set_clock(created);
    let leaf = take_text(&mut fields, "current_node");
    let model = take_first_text(&mut fields, &["default_model_slug"]);
    let mapping = take_object(&mut fields, "mapping").unwrap_or_default();
    fields.remove("update_time");
    fields.retain(|key, value| {
        let is_setting = key.starts_with("is_") || key.ends_with("_id") || key.ends_with("_ids");
        !is_setting && value.is_truthy() && value.as_array().is_none_or(|items| !items.is_empty())
    });
    draft.note_rest("conversation", &fields);
    let nodes = in_order(mapping);
    let in_tree: Vec<TreeNode> =
        nodes.iter().map(|node| TreeNode { id: node.id.clone(), parent: node.parent.clone() }).collect();
    let leaf = leaf.and_then(|leaf| nodes.iter().position(|node| node.id == leaf));
    let branches = tree::branches(&in_tree, leaf.or_else(|| nodes.len().checked_sub(1)));
    let mut chat = Chat { draft, model, source, calls: HashMap::new(), thoughts: None };
    for (node, branch) in nodes.into_iter().zip(branches) {
        chat.node(node, branch);
    }
    chat.close();
    (chat.draft.len() > 0).then_some(chat.draft)
}

/// The nodes by time, parents before their children.
fn in_order(mapping: Object) -> Vec<Node> {
    let mut nodes: Vec<Node> = Vec::with_capacity(mapping.len());
    for (id, node) in mapping {
        let Json::Object(mut node) = node else { continue };
        let mut message = take_object(&mut node, "message");
        let time = message.as_mut().and_then(|message| take_time(message, "create_time")).unwrap_or(0.0);
        nodes.push(Node { id, parent: take_text(&mut node, "parent"), message, time });
    }
    let places: HashMap<Str, usize> =
        nodes.iter().enumerate().map(|(at, node)| (node.id.clone(), at)).collect();
    let mut depths: Vec<Option<usize>> = vec![None; nodes.len()];
    let mut is_open = vec![false; nodes.len()];
    for start in 0..nodes.len() {
        // Up to a node whose depth is known, and down again.
        let mut path = vec![start];
        while let Some(at) = path.last().copied() {
            is_open[at] = true;
            let parent = nodes[at].parent.as_ref().and_then(|parent| places.get(parent)).copied();
            let parent = parent.filter(|parent| !is_open[*parent]);
            match parent.filter(|parent| depths[*parent].is_none()) {
                Some(parent) if depths[at].is_none() => path.push(parent),
                _ => {
                    let above = parent.and_then(|it| depths[it]);
                    depths[at].get_or_insert(above.map_or(0, |above| above + 1));
                    let least = parent.map_or(0.0, |parent| nodes[parent].time);
                    nodes[at].time = nodes[at].time.max(least);
                    is_open[at] = false;
                    path.pop();
                }
            }
        }
    }
    let mut order: Vec<usize> = (0..nodes.len()).collect();
    order.sort_by(|a, b| nodes[*a].time.total_cmp(&nodes[*b].time).then(depths[*a].cmp(&depths[*b])));
    let mut nodes: Vec<Option<Node>> = nodes.into_iter().map(Some).collect();
    order.into_iter().filter_map(|at| nodes[at].take()).collect()
}

struct Chat {
    draft: Draft,
    model: Option<Str>,
    source: SourceRecord,
    /// The call that each node makes or answers, by the node, with the name of its tool.
    calls: HashMap<Str, (Str, Str)>,
    /// Thoughts, which are messages of their own, of the answer behind them.
    thoughts: Option<(Vec<Part>, EventDraft)>,
}

impl Chat {
    fn node(&mut self, node: Node, branch: Option<Str>) {
        let Node { id, parent, message, time } = node;
        let Some(mut message) = message else { return };
        let mut author = take_object(&mut message, "author").unwrap_or_default();
        let role = take_text(&mut author, "role").unwrap_or_default();
        let name = take_first_text(&mut author, &["name"]);
        let mut content = take_object(&mut message, "content").unwrap_or_default();
        let kind = take_text(&mut content, "content_type").unwrap_or_default();
        let mut metadata = take_object(&mut message, "metadata").unwrap_or_default();
        let mut say = EventDraft {
            id: Some(id.clone()),
            time: Some(time).filter(|time| *time > 0.0),
            branch,
            ..EventDraft::new(Kind::Notice, Vec::new(), self.source.clone())
        };
        say.source_notes.push_some("weight", message.remove("weight").filter(|it| it.as_f64() != Some(1.0)));
        match &*role {
            "assistant" => {
                let model = take_first_text(&mut metadata, &["model_slug"]).or_else(|| self.model.clone());
                say.model = model;
                let finish = take_object(&mut metadata, "finish_details");
                say.finish = finish.and_then(|mut finish| take_first_text(&mut finish, &["type"]));
                let recipient = take_first_text(&mut message, &["recipient"]).filter(|to| &**to != "all");
                self.answer(&kind, content, recipient, id, say);
            }
            "tool" => {
                let known = parent.as_ref().and_then(|parent| self.calls.get(parent)).cloned();
                let text = self.text(&kind, content);
                let called = known.as_ref().map(|(call, _)| call.clone());
                let name = name.or_else(|| known.as_ref().map(|(_, name)| name.clone()));
                self.calls.extend(known.map(|known| (id, known)));
                self.close();
                let mut results = Turn::new(Role::Tool);
                let content = Some(Json::from(text));
                self.draft.messages("tool").result(called, name, content, false, &mut results);
                self.draft.push_turn(results, say);
            }
            _ => {
                self.close();
                let is_hidden =
                    metadata.remove("is_visually_hidden_from_conversation").is_some_and(|it| it.is_truthy());
                let is_of_settings = matches!(&*kind, "user_editable_context" | "model_editable_context");
                let text = self.text(&kind, content);
                if text.is_empty() {
                    return;
                }
                say.kind = match &*role {
                    "system" => Kind::Injected("system".into()),
                    _ if is_of_settings => Kind::Injected("instructions".into()),
                    _ if is_hidden => Kind::Injected("client".into()),
                    _ => Kind::Prompt,
                };
                say.parts = vec![Part::from_text(text)];
                self.draft.push(say);
            }
        }
        let files = take_list(&mut metadata, "attachments").unwrap_or_default();
        for file in files {
            self.draft.unmapped.field("message.metadata", "attachments", &file);
        }
        for key in ["update_time", "status", "end_turn", "recipient", "channel", "id"] {
            message.remove(key);
        }
        message.retain(|_, value| value.is_truthy());
        self.draft.note_rest("message", &message);
    }

    fn answer(&mut self, kind: &str, mut content: Object, recipient: Option<Str>, id: Str, say: EventDraft) {
        match kind {
            "thoughts" => {
                let mut parts = Vec::new();
                for thought_of in take_list(&mut content, "thoughts").unwrap_or_default() {
                    let text =
                        |key: &str| thought_of.get(key).and_then(Json::as_str).filter(|it| !it.is_empty());
                    let texts: Vec<&str> = [text("summary"), text("content")].into_iter().flatten().collect();
                    parts.extend((!texts.is_empty()).then(|| thought(texts.join("\n"))));
                }
                return self.think(parts, say);
            }
            "reasoning_recap" => return self.draft.unmapped.record("reasoning_recap", self.source.clone()),
            _ => {}
        }
        let text = self.text(kind, content);
        let mut turn = Turn::new(Role::Model);
        let before = self.thoughts.take();
        if let Some(name) = recipient {
            let args =
                strata_model::json::parse(text.as_bytes()).ok().filter(|args| args.as_object().is_some());
            let args = args.unwrap_or_else(|| Json::Object(Object::from_iter([("input", text)])));
            self.draft.messages("recipient").push_call(
                Some(id.clone()),
                Some(name.clone()),
                Some(args),
                &mut turn,
            );
            self.calls.insert(id.clone(), (id, name));
        } else if !text.is_empty() {
            turn.parts.push(Part::from_text(text));
        }
        if turn.parts.is_empty() {
            // An empty message stands between thoughts and words.
            self.thoughts = before;
            return;
        }
        let thoughts = before.filter(|(_, said)| said.branch == say.branch).map(|(parts, _)| parts);
        let parts = thoughts.into_iter().flatten().chain(turn.parts).collect();
        self.draft.push(EventDraft { kind: Kind::Response, parts, ..say });
    }

    fn think(&mut self, parts: Vec<Part>, say: EventDraft) {
        match &mut self.thoughts {
            Some((before, said)) if said.branch == say.branch => before.extend(parts),
            _ => {
                self.close();
                self.thoughts = Some((parts, say));
            }
        }
    }

    /// Thoughts that no answer followed.
    fn close(&mut self) {
        let Some((parts, say)) = self.thoughts.take() else { return };
        if !parts.is_empty() {
            self.draft.push(EventDraft { kind: Kind::Response, parts, ..say });
        }
    }

    /// The words of a content, whatever kind it is.
    fn text(&mut self, kind: &str, mut content: Object) -> String {
        let mut texts: Vec<String> = Vec::new();
        for part in take_list(&mut content, "parts").unwrap_or_default() {
            match part {
                Json::String(text) => texts.push(text.to_string()),
                Json::Object(mut part) => {
                    let kind = take_text(&mut part, "content_type").unwrap_or_else(|| "part".into());
                    match take_first_text(&mut part, &["text"]) {
                        Some(text) => texts.push(text.to_string()),
                        None => self.draft.unmapped.field("content.parts", &kind, &Json::Object(part)),
                    }
                }
                other => self.draft.unmapped.field("content", "parts[]", &other),
            }
        }
        for key in ["user_profile", "user_instructions", "model_set_context", "text", "result", "content"] {
            match take_any(&mut content, &[key]) {
                Some(Json::String(text)) => texts.push(text.to_string()),
                Some(other) => self.draft.unmapped.field(&format!("content.{kind}"), key, &other),
                None => {}
            }
        }
        for key in ["language", "response_format_name", "domain", "url", "title", "source_analysis_msg_id"] {
            content.remove(key);
        }
        content.retain(|_, value| value.is_truthy());
        self.draft.note_rest(&format!("content.{kind}"), &content);
        texts.retain(|text| !text.is_empty());
        texts.join("\n")
    }
}
