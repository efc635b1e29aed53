//! What the transcript itself holds, as messages of requests: they are not written down a second time.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use strata_model::{Json, Object, Str};

use super::hash::hash_of;
use super::text;
use crate::claude::ids::EntryId;

/// Messages as they were written down, by the event they became. Copies share them.
#[derive(Debug, Clone, Default)]
pub(super) struct JournalMessages {
    messages: BTreeMap<EntryId, Arc<Message>>,
    /// Events with the results of tools, by the ids of the calls.
    results: HashMap<Str, EntryId>,
}

#[derive(Debug, Clone)]
struct Message {
    role: &'static str,
    content: Json,
}

impl JournalMessages {
    pub(super) fn add_of_user(&mut self, entry: EntryId, content: Json) {
        for call in ids(&content, "tool_result", "tool_use_id") {
            self.results.insert(call.into(), entry);
        }
        self.messages.entry(entry).or_insert_with(|| Arc::new(Message { role: "user", content }));
    }

    /// Adds a line of a response. A resumed session may write lines again; their blocks are there already.
    pub(super) fn add_of_model(&mut self, entry: EntryId, content: Json) {
        // No response has more blocks than this; more are a broken file, which must not cost quadratic time.
        const MAX_COMPARED: usize = 200;
        let Json::Array(blocks) = content else { return };
        let empty = || Arc::new(Message { role: "assistant", content: Json::Array(Vec::new()) });
        let message = Arc::make_mut(self.messages.entry(entry).or_insert_with(empty));
        let Json::Array(known) = &mut message.content else { return };
        for block in blocks {
            let compared = known.len().saturating_sub(MAX_COMPARED);
            if !known[compared..].contains(&block) {
                known.push(block);
            }
        }
    }

    /// Every message by its hash. One of a single text has two, since it may be sent as a text or as a list.
    pub(super) fn by_hash(&self) -> HashMap<Str, Json> {
        let mut found = HashMap::new();
        let mut add = |message: Json| {
            found.entry(hash_of(&message)).or_insert(message);
        };
        for message in self.messages.values() {
            if let Some(other) = other_form(&message.content) {
                add(message_of(message.role, other));
            }
            add(message_of(message.role, message.content.clone()));
        }
        self.runs_of_results().into_iter().for_each(|results| add(message_of("user", Json::Array(results))));
        found
    }

    /// What the model said in this event.
    pub(super) fn response(&self, entry: EntryId) -> Option<Json> {
        let message = self.messages.get(&entry).filter(|message| message.role == "assistant")?;
        Some(message_of(message.role, message.content.clone()))
    }

    /// The message with the results of all tools that a message calls.
    pub(super) fn results_for(&self, message: &Json) -> Option<Json> {
        let calls = ids(message.get("content")?, "tool_use", "id");
        if calls.is_empty() || message.get("role").and_then(Json::as_str) != Some("assistant") {
            return None;
        }
        let entries: Option<BTreeSet<_>> = calls.iter().map(|call| self.results.get(*call)).collect();
        let answers = entries?.into_iter().filter_map(|entry| self.messages.get(entry));
        let blocks = answers.flat_map(|answer| answer.content.as_array().unwrap_or_default());
        let results = Json::Array(blocks.cloned().collect());
        // What stands beside them may have been said to another request.
        let is_whole = ids(&results, "tool_result", "tool_use_id").len() == calls.len();
        is_whole.then(|| message_of("user", results))
    }

    /// Results that stand in records side by side are one message.
    fn runs_of_results(&self) -> Vec<Vec<Json>> {
        let mut runs: Vec<Vec<Json>> = Vec::new();
        let mut is_open = false;
        for message in self.messages.values() {
            let results = results_of(message);
            match (results, runs.last_mut().filter(|_| is_open)) {
                (Some(results), Some(run)) => run.extend_from_slice(results),
                (Some(results), None) => runs.push(results.to_vec()),
                (None, _) => {}
            }
            is_open = results.is_some();
        }
        runs
    }
}

/// The blocks of a message that holds results of tools and nothing else.
fn results_of(message: &Message) -> Option<&[Json]> {
    let blocks = message.content.as_array()?;
    let is_result = |block: &Json| block.get("type").and_then(Json::as_str) == Some("tool_result");
    (message.role == "user" && !blocks.is_empty() && blocks.iter().all(is_result)).then_some(blocks)
}

/// Ids in the blocks of a type.
fn ids<'c>(content: &'c Json, kind: &str, key: &str) -> Vec<&'c str> {
    let blocks = content.as_array().unwrap_or_default().iter();
    let of_kind = blocks.filter(|block| block.get("type").and_then(Json::as_str) == Some(kind));
    of_kind.filter_map(|block| block.get(key)?.as_str()).collect()
}

fn message_of(role: &str, content: Json) -> Json {
    Json::Object(Object::from_iter([("role", Json::from(role)), ("content", content)]))
}

/// A text as a list of one block, and the other way round.
fn other_form(content: &Json) -> Option<Json> {
    match content {
        Json::String(text) => Some(Json::Array(vec![text::block(text.clone())])),
        content => text::lone(content).map(Json::String),
    }
}
