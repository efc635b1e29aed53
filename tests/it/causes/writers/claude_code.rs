//! Transcripts of Claude Code with the journal of its requests.

use std::collections::HashSet;

use serde_json::{Map, Value, json};
use sha2::{Digest as _, Sha256};

use super::{anthropic, iso};
use crate::causes::conversation::Request;

const SESSION: &str = "5f0c0de0-0000-4000-8000-00000000a001";

pub(super) fn transcript(requests: &[Request]) -> Vec<Value> {
    let mut transcript = Transcript::default();
    for (at, request) in requests.iter().enumerate() {
        transcript.hear(request);
        transcript.send(at, request);
        transcript.answer(at, request);
    }
    transcript.records
}

#[derive(Default)]
struct Transcript {
    records: Vec<Value>,
    /// Hashes of what stands in the file.
    written: HashSet<String>,
}

impl Transcript {
    /// What people and tools said since the last answer.
    fn hear(&mut self, request: &Request) {
        let blocks: Vec<Value> = request.new_messages().iter().map(|said| anthropic::block(said).1).collect();
        self.say("user", request.time, &json!({"role": "user", "content": blocks}), &json!({}));
    }

    fn send(&mut self, at: usize, request: &Request) {
        let shape = json!({"system": anthropic::system(request), "tools": anthropic::tools(request)});
        let shape_hash = hash(&shape);
        self.write_once(
            &shape_hash,
            json!({"type": "api-request-shape", "shapeHash": shape_hash, "shape": shape}),
        );
        let messages = anthropic::messages(request);
        let hashes: Vec<String> = messages.iter().map(hash).collect();
        for (message, hash) in messages.iter().zip(&hashes) {
            self.write_once(hash, json!({"type": "api-request-blob", "hash": hash, "message": message}));
        }
        let mut params = json!({"model": request.model, "max_tokens": 1000});
        for (name, value) in &request.settings {
            params[*name] = value.clone();
        }
        let last = messages.len() - 1;
        let last_block = messages[last]["content"].as_array().map_or(0, |blocks| blocks.len() - 1);
        let mark = json!({"type": "ephemeral"});
        self.records.push(json!({
            "type": "api-request", "sessionId": SESSION, "id": format!("r{at}"), "timestamp": iso(request.time),
            "version": "2.1.330", "querySource": "repl_main_thread", "shapeHash": shape_hash, "params": params,
            "keep": 0, "tail": hashes, "requestDigest": "unknown",
            "cacheControl": [{"path": ["system", request.system.len() - 1], "value": mark},
                {"path": ["messages", last, "content", last_block], "value": mark}],
        }));
    }

    fn answer(&mut self, at: usize, request: &Request) {
        for block in anthropic::answer(request) {
            let message = json!({"id": format!("msg_{at}"), "type": "message", "role": "assistant",
                "model": request.model, "content": [block], "stop_reason": "end_turn"});
            self.say("assistant", request.time + 1.0, &message, &json!({"requestRef": format!("r{at}")}));
        }
    }

    fn say(&mut self, kind: &str, time: f64, message: &Value, more: &Value) {
        let at = self.records.len();
        let parent = self.records.iter().rev().find_map(|record| record.get("uuid").cloned());
        let mut record = json!({"parentUuid": parent, "isSidechain": false, "type": kind, "message": message,
            "uuid": format!("u{at}"), "timestamp": iso(time), "userType": "external", "cwd": "/home/ada/shop",
            "sessionId": SESSION, "version": "2.1.330"});
        let more = more.as_object().cloned().unwrap_or_default();
        record.as_object_mut().expect("an object").extend(more);
        self.records.push(record);
    }

    fn write_once(&mut self, hash: &str, mut record: Value) {
        if self.written.insert(hash.to_owned()) {
            record["sessionId"] = json!(SESSION);
            self.records.push(record);
        }
    }
}

/// SHA-256 of the JSON with its keys in order.
fn hash(value: &Value) -> String {
    let digest = Sha256::digest(sorted(value).to_string().as_bytes());
    digest.iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().concat()
}

fn sorted(value: &Value) -> Value {
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
