//! Rollouts of Codex, which hold what was said and no requests.

use serde_json::{Value, json};

use super::{iso, openai};
use crate::causes::conversation::{Request, Said};

pub(super) fn rollout(requests: &[Request]) -> Vec<Value> {
    let mut records: Vec<(f64, &str, Value)> = Vec::new();
    let mut before: &[Said] = &[];
    for (at, request) in requests.iter().enumerate() {
        if at == 0 {
            let meta = json!({"id": "01aa-codex", "cwd": "/home/ada/shop", "originator": "codex_cli",
                "cli_version": "0.142.0", "base_instructions": {"text": request.system.join("\n\n")}});
            records.push((request.time, "session_meta", meta));
        }
        let context = json!({"turn_id": format!("t{at}"), "cwd": "/home/ada/shop", "model": request.model});
        records.push((request.time, "turn_context", context));
        let new = request.new_messages();
        if !request.history.starts_with(before) {
            let kept = &request.history[..request.history.len() - new.len()];
            let items: Vec<Value> = told(kept).map(openai::item).collect();
            let compacted = json!({"message": "", "replacement_history": items});
            records.push((request.time, "compacted", compacted));
        }
        records.extend(new.iter().map(|said| (request.time, "response_item", openai::item(said))));
        if let Some(Said::User(text)) = new.first() {
            records.push((request.time, "event_msg", json!({"type": "user_message", "message": text})));
        }
        records.push((request.time + 1.0, "response_item", openai::item(&request.answer)));
        before = &request.history;
    }
    records
        .into_iter()
        .map(|(time, kind, payload)| json!({"timestamp": iso(time), "type": kind, "payload": payload}))
        .collect()
}

fn told(history: &[Said]) -> impl Iterator<Item = &Said> {
    history.iter().filter(|said| !matches!(said, Said::Thought(_)))
}
