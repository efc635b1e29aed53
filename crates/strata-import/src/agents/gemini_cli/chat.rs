//! The list of messages of a chat, as its file changes it.

use std::collections::{HashMap, HashSet};

use strata_model::take::{take_list, take_object, take_text};
use strata_model::{Json, Object, Str};

use crate::draft::Draft;
use crate::source::SourceRecord;

/// Something that happened, in the order of the file.
pub(super) enum Step {
    /// A message, by its place in the list of all.
    Message(usize),
    /// The list was replaced: the `fresh` messages stand for those that are `gone`.
    Replaced { fresh: Vec<usize>, gone: Vec<usize>, source: SourceRecord },
    /// Everything from this message on was taken back; everything at all, when it is not known.
    Rewound(Option<usize>, SourceRecord),
}

#[derive(Default)]
pub(super) struct Chat {
    pub(super) messages: Vec<(Object, Vec<SourceRecord>)>,
    /// By id and type: a result may have the id of the message with its call.
    by_id: HashMap<Str, Vec<(Str, usize)>>,
    /// Messages that are in the conversation now.
    pub(super) current: Vec<usize>,
    /// The same, to be asked for one.
    is_current: HashSet<usize>,
    pub(super) steps: Vec<Step>,
    pub(super) meta: Object,
}

impl Chat {
    pub(super) fn line(&mut self, mut line: Object, source: SourceRecord, draft: &mut Draft) {
        if let Some(mut set) = take_object(&mut line, "$set") {
            if let Some(messages) = take_list(&mut set, "messages") {
                self.replace(messages, &source, draft);
            }
            self.meta.update(&set);
            draft.unmapped.record("$set", source);
        } else if let Some(id) = take_text(&mut line, "$rewindTo") {
            let places = self.by_id.get(&id).into_iter().flatten().map(|(_, at)| *at);
            let at = places.filter(|at| self.is_current.contains(at)).min();
            let from = at.and_then(|at| self.current.iter().position(|it| *it == at)).unwrap_or(0);
            for gone in self.current.drain(from..) {
                self.is_current.remove(&gone);
            }
            self.steps.push(Step::Rewound(at, source));
        } else if line.contains_key("uuid") && line.contains_key("sessionId") {
            self.record(line, source, draft);
        } else if line.contains_key("id") && (line.contains_key("type") || line.contains_key("content")) {
            self.message(line, source);
        } else {
            self.meta.update(&line);
        }
    }

    /// A record of Qwen Code, which has a `Content` in `message`.
    fn record(&mut self, mut record: Object, source: SourceRecord, draft: &mut Draft) {
        draft.agent = "qwen".into();
        draft.session.app_name = "qwen-code".into();
        let kind = take_text(&mut record, "type").unwrap_or_default();
        let content = take_object(&mut record, "message").and_then(|mut message| message.remove("parts"));
        if let Some(id) = take_text(&mut record, "sessionId") {
            self.meta.insert("sessionId", id);
        }
        let Some(content) = content else {
            let subtype = take_text(&mut record, "subtype").unwrap_or_default();
            return draft.unmapped.record(format!("{kind}.{subtype}").trim_end_matches('.'), source);
        };
        let kind = if &*kind == "assistant" { "gemini" } else { "user" };
        let mut message = Object::from_iter([("type", Json::from(kind)), ("content", content)]);
        message.push_some("id", record.remove("uuid"));
        for key in ["parentUuid", "cwd", "version", "gitBranch", "toolCallResult", "subtype"] {
            record.remove(key);
        }
        message.update(&record);
        self.message(message, source);
    }

    /// A message that is new, or the last word on one that is known.
    pub(super) fn message(&mut self, message: Object, source: SourceRecord) {
        let at = self.place(message, source);
        if self.is_current.insert(at) {
            self.current.push(at);
            self.steps.push(Step::Message(at));
        }
    }

    fn place(&mut self, message: Object, source: SourceRecord) -> usize {
        let text = |key: &str| message.get(key).and_then(Json::as_str).map(Str::from);
        let (id, kind) = (text("id"), text("type").unwrap_or_default());
        let of_id = id.as_ref().and_then(|id| self.by_id.get(id)).map_or(&[][..], |known| known);
        if let Some((_, at)) = of_id.iter().find(|(known, _)| *known == kind) {
            let (before, sources) = &mut self.messages[*at];
            *before = message;
            if !sources.contains(&source) {
                sources.push(source);
            }
            return *at;
        }
        self.messages.push((message, vec![source]));
        let at = self.messages.len() - 1;
        if let Some(id) = id {
            self.by_id.entry(id).or_default().push((kind, at));
        }
        at
    }

    fn replace(&mut self, messages: Vec<Json>, source: &SourceRecord, draft: &mut Draft) {
        let before = std::mem::take(&mut self.is_current);
        let mut now = Vec::new();
        for message in messages {
            match message {
                Json::Object(message) => now.push(self.place(message, source.clone())),
                other => draft.unmapped.field("$set", "messages[]", &other),
            }
        }
        let is_fresh = |at: &usize| !before.contains(at);
        self.is_current = now.iter().copied().collect();
        let gone: Vec<usize> =
            self.current.iter().copied().filter(|at| !self.is_current.contains(at)).collect();
        let last_kept = now.iter().rposition(|at| before.contains(at)).unwrap_or(now.len());
        let (behind, after) = if gone.is_empty() { now.split_at(0) } else { now.split_at(last_kept) };
        if !gone.is_empty() {
            let fresh = behind.iter().copied().filter(is_fresh).collect();
            self.steps.push(Step::Replaced { fresh, gone, source: source.clone() });
        }
        self.steps.extend(after.iter().copied().filter(is_fresh).map(Step::Message));
        self.current = now;
    }
}
