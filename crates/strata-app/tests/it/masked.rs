//! What the lists of stores show of secrets: nothing.

use std::fs;

use serde_json::{Value, json};
use strata_context::{Command, Context, ContextId, Door, Millis, NewMessage, NoSummary, Principal, Role};
use strata_model::{Json, Object};
use strata_store::Store;
use tempfile::TempDir;

use crate::{ask, compiled, import, start_at};

const TOKEN: &str = "sk-ant-api03-QmFzZTY0IG9mIG5vdGhpbmcgYXQgYWxsIGJ1dCBsb25n";

/// Secret by its key alone.
const WORD: &str = "correct-h0rse-battery-st4ple";

/// A session in which a token stands wherever stores look.
fn session() -> Value {
    let event = |id: u32, role: &str, author: &str, part: Value| {
        json!({"id": format!("e{id}"), "invocationId": "i1", "author": author, "timestamp": f64::from(id),
            "content": {"role": role, "parts": [part]}, "actions": {}, "nodeInfo": {"path": "desk@1"}})
    };
    let memory = json!({"author": "user", "timestamp": "2026-01-01",
        "content": {"role": "user", "parts": [{"text": format!("The key of the desk is {TOKEN}")}]}});
    let call = json!({"functionCall": {"id": "c", "name": "load_memory", "args": {"query": format!("what is {TOKEN}")}}});
    let found =
        json!({"functionResponse": {"id": "c", "name": "load_memory", "response": {"memories": [memory]}}});
    let mut said = event(4, "model", "desk", json!({"text": "It is known."}));
    said["output"] = json!(format!("{TOKEN} was found"));
    said["actions"] = json!({"stateDelta": {"note": TOKEN, "password": WORD}, "route": TOKEN});
    let mut failed = event(5, "model", "desk", json!({"text": "No."}));
    failed["nodeInfo"] = json!({"path": "desk@2"});
    failed["errorCode"] = json!("UNAUTHENTICATED");
    failed["errorMessage"] = json!(format!("{TOKEN} is no key"));
    json!({"id": "s1", "appName": "desk", "userId": "ana", "state": {}, "lastUpdateTime": 5.0, "events": [
        event(1, "user", "user", json!({"text": "What is the key of the desk?"})),
        event(2, "model", "desk", call), event(3, "user", "desk", found), said, failed]})
}

/// A context that was told a token, remembers it, and keeps a word under a key that says what it is.
fn remember(store: &mut Store, id: &ContextId) {
    let ana = Principal::new("ana");
    assert!(store.begin_context(&Context::new(id.clone(), ana.clone(), Millis(0))).expect("a context"));
    let said = NewMessage {
        role: Role::User,
        content: format!("my key is {TOKEN}").as_str().into(),
        door: Some(Door::Http),
        task: None,
    };
    let changes = Object::from_iter([("note", Json::from(TOKEN)), ("password", Json::from(WORD))]);
    let commands = vec![Command::Say(vec![said]), Command::SetState { changes, task: None }];
    store.obey_context(id, &ana, commands, Millis(1), &NoSummary).expect("it is obeyed");
}

#[test]
fn no_list_of_a_store_shows_a_secret() {
    let folder = TempDir::new().expect("a folder");
    let database = folder.path().join("strata.db");
    let context = ContextId::parse("ctx-1").expect("an id");
    let strata = start_at(&database);
    let path = folder.path().join("desk.session.json");
    fs::write(&path, session().to_string()).expect("a file");
    assert_eq!(import(&strata, &path)["state"], "done");
    remember(&mut Store::open(&database).expect("the store"), &context);
    let rows = ask(&strata, "session/list", &json!({ "filter": "desk", "offset": 0, "limit": 1 }));
    let session = rows["rows"][0]["session"].as_str().expect("a session").to_owned();
    ask(&strata, "session/open", &json!({ "session": session }));
    compiled(&strata, &session);
    let page = json!({ "session": session, "offset": 0, "limit": 100 });
    let state = json!({ "session": session, "call": 3, "maxColumns": 9, "offset": 0, "limit": 100 });
    let key = |key: &str| json!({ "session": session, "key": key, "call": 3, "offset": 0, "limit": 100 });
    let asked = [
        ("stores/state", state),
        ("stores/key", key("note")),
        ("stores/key", key("password")),
        ("stores/memory", page.clone()),
        ("stores/nodes", page),
        ("stores/contexts", json!({ "session": session, "filter": "all", "offset": 0, "limit": 100 })),
        ("stores/context", json!({ "session": session, "context": "ctx-1" })),
    ];
    for (name, params) in asked {
        let answer = ask(&strata, name, &params).to_string();
        assert!(!answer.contains(&TOKEN[..20]), "{name} {params}: {answer}");
        assert!(!answer.contains(WORD), "{name} {params}: {answer}");
        let is_empty = name == "stores/contexts";
        assert!(is_empty || answer.contains("redacted"), "{name} {params}: {answer}");
    }
}
