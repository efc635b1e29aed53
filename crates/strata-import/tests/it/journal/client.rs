//! A client that talks to a model and writes its requests down as Claude Code does.

use std::collections::HashSet;

use serde_json::{Map, Value, json};
use sha2::{Digest as _, Sha256};

/// What it wrote, and what it sent.
#[derive(Default)]
pub(super) struct Client {
    pub(super) records: Vec<Value>,
    /// Bodies without what no record has, each with the id of its request, in the order they were sent.
    pub(super) sent: Vec<(String, Value)>,
    /// Texts of the system prompt.
    system: Vec<String>,
    messages: Vec<Value>,
    written: HashSet<String>,
    /// The request that was answered last, and how many messages it had.
    base: Option<(String, usize)>,
    n_uuids: usize,
}

/// SHA-256 of the JSON with its keys in order.
pub(super) fn hash(value: &Value) -> String {
    let digest = Sha256::digest(sorted(value).to_string().as_bytes());
    digest.iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().concat()
}

pub(super) fn sorted(value: &Value) -> Value {
    match value {
        Value::Object(members) => {
            let mut members: Vec<_> =
                members.iter().map(|(key, value)| (key.clone(), sorted(value))).collect();
            members.sort_by(|(a, _), (b, _)| a.cmp(b));
            Value::Object(Map::from_iter(members))
        }
        Value::Array(items) => items.iter().map(sorted).collect(),
        other => other.clone(),
    }
}

fn text(text: &str) -> Value {
    json!({"type": "text", "text": text})
}

impl Client {
    pub(super) fn new(system: &str) -> Self {
        let mut client = Self { system: vec![system.to_owned()], ..Self::default() };
        client.begin("Where am I?");
        client
    }

    /// Begins the history anew, as a compaction does.
    pub(super) fn begin(&mut self, said: &str) {
        self.base = None;
        self.messages = vec![
            json!({"role": "user", "content": [text("<reminder>be kind</reminder>"), text(said)]}),
            json!({"role": "system", "content": [text(&format!("# Environment of {said}"))]}),
        ];
    }

    fn record(&mut self, kind: &str, more: &Value) {
        self.n_uuids += 1;
        let mut record = json!({
            "type": kind, "uuid": format!("u{}", self.n_uuids), "isSidechain": false, "sessionId": "s",
            "version": "2.1.330", "timestamp": format!("2026-01-01T00:00:00.{:03}Z", self.n_uuids % 1000)
        });
        let members = record.as_object_mut().unwrap();
        members.extend(more.as_object().unwrap().clone());
        self.records.push(record);
    }

    fn write_once(&mut self, hash: &str, record: Value) {
        if self.written.insert(hash.to_owned()) {
            self.records.push(record);
        }
    }

    /// Sends everything said so far. Returns the record of the request, and writes all that it refers to.
    pub(super) fn send(&mut self) -> Value {
        let shape = json!({
            "system": self.system.iter().map(|it| text(it)).collect::<Vec<_>>(),
            "tools": [{"name": "look", "input_schema": {"type": "object", "properties": {}}}]
        });
        let shape_hash = hash(&shape);
        self.write_once(
            &shape_hash,
            json!({"type": "api-request-shape", "sessionId": "s", "shapeHash": shape_hash, "shape": shape}),
        );
        let hashes: Vec<String> = self.messages.iter().map(hash).collect();
        for (message, hash) in self.messages.clone().iter().zip(&hashes) {
            let blob =
                json!({"type": "api-request-blob", "sessionId": "s", "hash": hash, "message": message});
            self.write_once(hash, blob);
        }
        let id = format!("r{}", self.sent.len());
        let last = self.messages.len() - 1;
        let n_blocks = self.messages[last]["content"].as_array().unwrap().len();
        let mark = json!({"type": "ephemeral"});
        let mut record = json!({
            "type": "api-request", "sessionId": "s", "id": id, "querySource": "sdk", "shapeHash": shape_hash,
            "params": {"model": "claude-x", "betas": ["a"], "max_tokens": 100, "temperature": 0.5}, "keep": 0,
            "tail": hashes, "requestDigest": "unknown",
            "cacheControl": [
                {"path": ["system", 0], "value": mark},
                {"path": ["messages", last, "content", n_blocks - 1], "value": mark}
            ]
        });
        if let Some((base, keep)) = &self.base {
            record["base"] = json!(base);
            record["keep"] = json!(keep);
            record["tail"] = json!(hashes[*keep..]);
        }
        let mut messages = self.messages.clone();
        messages[last]["content"][n_blocks - 1]["cache_control"] = mark.clone();
        for message in &mut messages {
            let is_lone = message["content"].as_array().is_some_and(|blocks| blocks.len() == 1);
            if message["role"] == "system" && is_lone && message["content"][0].get("cache_control").is_none()
            {
                message["content"] = message["content"][0]["text"].clone();
            }
        }
        let mut system = shape["system"].clone();
        system[0]["cache_control"] = mark;
        let body = json!({
            "model": "claude-x", "messages": messages, "system": system, "tools": shape["tools"],
            "max_tokens": 100, "temperature": 0.5
        });
        self.sent.push((id, body));
        record
    }

    /// The model answers a request that was sent with words, and calls of a tool which are answered. What it said and
    /// what the tools said is not written a second time.
    pub(super) fn answer(&mut self, request: &Value, words: &str, n_calls: usize) {
        let id = request["id"].as_str().unwrap().to_owned();
        let calls = (0..n_calls).map(|call| {
            json!({"type": "tool_use", "id": format!("{id}-{call}"), "name": "look", "input": {"at": call}})
        });
        let blocks: Vec<Value> = [text(words)].into_iter().chain(calls).collect();
        for block in &blocks {
            let message = json!({
                "id": format!("m-{id}"), "role": "assistant", "model": "claude-x", "content": [block],
                "usage": {"input_tokens": 10, "output_tokens": 1}
            });
            self.record("assistant", &json!({"requestRef": id, "message": message}));
        }
        self.base = Some((id.clone(), self.messages.len()));
        self.say(&json!({"role": "assistant", "content": blocks}));
        let results = (0..n_calls).map(|call| {
            json!({"tool_use_id": format!("{id}-{call}"), "type": "tool_result", "content": format!("{words} {call}")})
        });
        let results: Vec<Value> = results.collect();
        for result in &results {
            self.record("user", &json!({"message": {"role": "user", "content": [result]}}));
        }
        if n_calls > 0 {
            self.say(&json!({"role": "user", "content": results}));
        }
    }

    fn say(&mut self, message: &Value) {
        self.written.insert(hash(message));
        self.messages.push(message.clone());
    }

    /// A person says something; it is sent with a reminder beside it.
    pub(super) fn prompt(&mut self, words: &str) {
        self.record("user", &json!({"message": {"role": "user", "content": words}}));
        let content = [text("<reminder>still be kind</reminder>"), text(words)];
        self.messages.push(json!({"role": "user", "content": content}));
    }

    pub(super) fn file(&self) -> String {
        self.records.iter().map(|record| format!("{record}\n")).collect::<Vec<_>>().concat()
    }
}
