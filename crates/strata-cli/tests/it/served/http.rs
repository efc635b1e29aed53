//! Plain HTTP.

use serde_json::json;

use super::server::Server;

#[test]
fn an_answer_names_its_context_in_every_place() {
    let server = Server::echo();
    let got = server.run(&[], &json!({"message": "hello"}));
    let answer = got.json();
    let id = answer["context_id"].as_str().unwrap();
    assert_eq!((&answer["contextId"], &answer["status"]), (&json!(id), &json!("completed")));
    assert_eq!(got.header("x-context-id"), Some(id));
    let cookie = format!("adcp_context={id}; Path=/; HttpOnly; SameSite=Strict");
    assert_eq!(got.header("set-cookie"), Some(&*cookie));
    for (path, headers) in [
        ("/run".to_owned(), vec![("X-Context-ID", id.to_owned())]),
        (format!("/run?context_id={id}"), vec![]),
        (format!("/run?contextId={id}"), vec![]),
        ("/run".to_owned(), vec![("Cookie", format!("adcp_context={id}"))]),
    ] {
        let headers: Vec<(&str, &str)> =
            headers.iter().map(|(name, value)| (*name, value.as_str())).collect();
        let got = server.send("POST", &path, &headers, r#"{"message": "on"}"#).json();
        assert_eq!(got["context_id"], id, "{path} {headers:?}");
    }
    for key in ["context_id", "contextId"] {
        assert_eq!(server.run(&[], &json!({"message": "on", key: id})).json()["context_id"], id);
    }
    // Empty and null are none: another context begins.
    let other = server.run(&[("X-Context-ID", "")], &json!({"message": "on", "context_id": null})).json();
    assert_ne!(other["context_id"], id);
}

#[test]
fn the_callers_context_comes_back_unchanged() {
    let server = Server::echo();
    let echo = r#"{"trace":"only-the-callers","n":1.0,"big":123456789012345678901234567890,"null":null,"z":[],"a":{}}"#;
    let good = format!(r#"{{"message": "hello", "context": {echo}}}"#);
    let bad = format!(r#"{{"message": 7, "context": {echo}}}"#);
    for (body, status) in [(good, 200), (bad, 400)] {
        let got = server.send("POST", "/run", &[], &body);
        assert_eq!(got.status, status, "{got:?}");
        assert!(got.body.ends_with(&format!(r#""context":{echo}}}"#)), "{}", got.body);
    }
    assert!(!server.strata("contexts list").to_string().contains("only-the-callers"), "it is kept nowhere");
}

#[test]
fn an_agent_can_be_asked_by_name() {
    let server = Server::scripted(
        &json!([{"agent": "booker", "text": "Booked."}, {"agent": "booker", "text": "Still me."}]),
    );
    let got = server.run(&[], &json!({"message": "book", "agent": "booker"})).json();
    assert_eq!((&got["agent"], &got["message"]), (&json!("booker"), &json!("Booked.")));
    let id = got["context_id"].as_str().unwrap();
    assert!(id.starts_with("ctx-booker-"), "{id}");
    let other = server.run(&[("X-Context-ID", id)], &json!({"message": "hello"})).json();
    assert_eq!(
        (&other["agent"], &other["message"]),
        (&json!("booker"), &json!("Still me.")),
        "as in google-adk, who had it keeps it"
    );
    let unknown = server.run(&[], &json!({"message": "hello", "agent": "nobody"}));
    assert_eq!(unknown.status, 404);
    assert_eq!(unknown.json()["error"]["message"], "There is no agent nobody. There are: front, booker.");
}

#[test]
fn a_person_is_asked_and_answers_later() {
    let server = Server::scripted(&json!([
        {"calls": [{"name": "approve", "args": {"key": "budget"}}]},
        "It was approved.",
    ]));
    let asked = server.run(&[], &json!({"message": "Spend it"})).json();
    assert_eq!(
        (&asked["status"], &asked["waiting"][0]["name"]),
        (&json!("input_required"), &json!("approve")),
        "{asked}"
    );
    let task = asked["task_id"].as_str().unwrap();
    let id = asked["context_id"].as_str().unwrap();
    let row = server.strata("contexts list")["contexts"][0].clone();
    assert_eq!(
        (&row["activeTasks"], &row["expiresMs"]),
        (&json!([task]), &json!(null)),
        "no clock while somebody is asked"
    );
    let done = server.run(&[], &json!({"message": r#"{"approved": true}"#, "task_id": task})).json();
    assert_eq!(
        (&done["status"], &done["message"]),
        (&json!("completed"), &json!("It was approved.")),
        "{done}"
    );
    assert_eq!((&done["context_id"], &done["task_id"]), (&json!(id), &json!(task)));
    let again = server.run(&[], &json!({"message": "yes", "task_id": task}));
    assert_eq!((again.status, &again.json()["error"]["code"]), (409, &json!("TASK_ENDED")));
}

#[test]
fn what_is_said_beside_a_question_is_a_task_of_its_own() {
    let server = Server::scripted(&json!([
        {"calls": [{"name": "approve", "args": {"key": "budget"}}]},
        "It is noon.",
        "It was approved.",
    ]));
    let asked = server.run(&[], &json!({"message": "Spend it"})).json();
    let (id, task) = (asked["context_id"].as_str().unwrap(), asked["task_id"].as_str().unwrap());
    let beside = server.run(&[("X-Context-ID", id)], &json!({"message": "What time is it?"})).json();
    assert_eq!(
        (&beside["status"], &beside["message"]),
        (&json!("completed"), &json!("It is noon.")),
        "{beside}"
    );
    assert_eq!(server.strata("contexts list")["contexts"][0]["activeTasks"], json!([task]));
    let done = server.run(&[], &json!({"message": "yes", "task_id": task})).json();
    assert_eq!(
        (&done["status"], &done["message"]),
        (&json!("completed"), &json!("It was approved.")),
        "{done}"
    );
}

#[test]
fn a_model_that_fails_is_told_and_its_context_goes_on() {
    let server = Server::scripted(&json!([{"error": "The server is on fire."}, "Better."]));
    let failed = server.run(&[], &json!({"message": "hello"}));
    assert_eq!((failed.status, &failed.json()["status"]), (502, &json!("failed")), "{failed:?}");
    assert!(failed.json()["message"].as_str().unwrap().contains("on fire"));
    let id = failed.header("x-context-id").unwrap();
    let next = server.run(&[("X-Context-ID", id)], &json!({"message": "again"})).json();
    assert_eq!(next["message"], "Better.");
    let shown = server.strata(&format!("contexts show {id}"));
    let states: Vec<_> =
        shown["tasks"].as_array().unwrap().iter().map(|task| task["status"].clone()).collect();
    assert_eq!(states, ["failed", "completed"]);
}

#[test]
fn a_context_takes_its_own_clock_and_retention() {
    let server = Server::echo();
    let body = json!({"message": "one", "ttl": "human_in_the_loop",
        "retention": {"strategy": "count", "limit": 3, "summarize_on_truncate": true}});
    let id = server.run(&[], &body).json()["context_id"].as_str().unwrap().to_owned();
    server.run(&[("X-Context-ID", &id)], &json!({"message": "two"}));
    let shown = server.strata(&format!("contexts show {id}"));
    assert_eq!(
        (&shown["context"]["ttl"], &shown["context"]["expiresMs"]),
        (&json!("human_in_the_loop"), &json!(null))
    );
    assert_eq!(shown["messages"].as_array().unwrap().len(), 3, "{shown}");
    assert_eq!(shown["messages"][0]["role"], "system");
    assert_eq!(shown["context"]["messagesEver"], 4);
}
