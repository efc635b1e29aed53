//! Agent2Agent, in both versions.

use serde_json::{Value, json};

use super::server::{Server, message};

/// A message of 0.3.
fn older(text: &str, more: &Value) -> Value {
    let mut message = json!({"kind": "message", "messageId": "m1", "role": "user", "parts": [{"kind": "text", "text": text}]});
    for (key, value) in more.as_object().unwrap() {
        message[key] = value.clone();
    }
    json!({"message": message})
}

#[test]
fn the_card_is_for_clients_of_both_versions() {
    let server = Server::echo();
    for path in ["/.well-known/agent-card.json", "/.well-known/agent.json"] {
        let card = server.send("GET", path, &[], "").json();
        let url = format!("http://{}/a2a", server.address());
        assert_eq!((&card["url"], &card["supportedInterfaces"][0]["url"]), (&json!(url), &json!(url)));
        assert_eq!(
            (&card["protocolVersion"], &card["preferredTransport"]),
            (&json!("0.3.0"), &json!("JSONRPC"))
        );
        let versions: Vec<_> = card["supportedInterfaces"]
            .as_array()
            .unwrap()
            .iter()
            .map(|it| it["protocolVersion"].clone())
            .collect();
        assert_eq!(versions, ["1.0", "0.3"]);
        assert_eq!(card["capabilities"]["pushNotifications"], false);
        assert_eq!(card["skills"][1]["id"], "booker");
    }
    let stranger = server.send("GET", "/.well-known/agent-card.json", &[("Authorization", "")], "");
    assert_eq!(stranger.status, 401);
}

#[test]
fn a_message_is_answered_in_its_own_version() {
    let server = Server::echo();
    let new = server.a2a("SendMessage", &message("hello", &json!({}))).json();
    let task = &new["result"]["task"];
    assert_eq!((&new["id"], &task["status"]["state"]), (&json!("1"), &json!("TASK_STATE_COMPLETED")));
    assert_eq!(task["artifacts"][0]["parts"], json!([{"text": "hello"}]));
    assert_eq!(task["history"][0]["role"], "ROLE_USER");
    assert!(task.get("kind").is_none());

    let id = task["contextId"].as_str().unwrap();
    let old = server.a2a("message/send", &older("on", &json!({"contextId": id}))).json();
    let task = &old["result"];
    assert_eq!((&task["kind"], &task["contextId"]), (&json!("task"), &json!(id)));
    assert_eq!(task["status"]["state"], "completed");
    assert_eq!(task["artifacts"][0]["parts"], json!([{"kind": "text", "text": "on"}]));
    assert_eq!(
        (&task["history"][1]["role"], &task["history"][1]["kind"]),
        (&json!("agent"), &json!("message"))
    );
}

#[test]
fn the_id_may_stand_where_it_stood_earlier() {
    let server = Server::echo();
    let first = server.a2a("SendMessage", &message("hello", &json!({}))).json();
    let id = first["result"]["task"]["contextId"].clone();
    for place in ["contextId", "context_id"] {
        let mut params = older("on", &json!({}));
        params[place] = id.clone();
        assert_eq!(server.a2a("message/send", &params).json()["result"]["contextId"], id, "{place}");
    }
    let mut params = older("on", &json!({"contextId": "ctx-other"}));
    params["contextId"] = id;
    let refused = server.a2a("message/send", &params).json();
    assert_eq!(refused["error"]["data"]["code"], "CONTEXT_ID_CONFLICT", "{refused}");
}

#[test]
fn an_id_in_the_header_counts_and_another_one_in_the_message_is_refused() {
    let server = Server::echo();
    let first = server.a2a("SendMessage", &message("hello", &json!({}))).json();
    let id = first["result"]["task"]["contextId"].as_str().unwrap().to_owned();
    let call = |params: &Value| {
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": "SendMessage", "params": params}).to_string();
        server.send("POST", "/a2a", &[("X-Context-ID", &id), ("A2A-Version", "1.0")], &body).json()
    };
    let again = call(&message("again", &json!({})));
    assert_eq!(again["result"]["task"]["contextId"], id, "{again}");
    let refused = call(&message("again", &json!({"contextId": "ctx-other"})));
    assert_eq!(refused["error"]["data"][0]["reason"], "CONTEXT_ID_CONFLICT", "{refused}");
    let nowhere = server.send("GET", "/nowhere", &[], "");
    assert_eq!((nowhere.status, &nowhere.json()["error"]["code"]), (404, &json!("NOT_FOUND")));
}

#[test]
fn a_stream_tells_of_the_task_from_its_beginning_to_its_end() {
    let server = Server::echo();
    let new = server.a2a("SendStreamingMessage", &message("hello", &json!({})));
    assert_eq!(new.header("content-type"), Some("text/event-stream"));
    let events = new.events();
    assert_eq!(events[0]["result"]["task"]["status"]["state"], "TASK_STATE_WORKING");
    let said = &events[1]["result"]["statusUpdate"]["status"]["message"]["parts"][0]["text"];
    assert_eq!(said, "hello");
    let artifact = &events[2]["result"]["artifactUpdate"];
    assert_eq!(
        (&artifact["artifact"]["parts"][0]["text"], &artifact["lastChunk"]),
        (&json!("hello"), &json!(true))
    );
    let last = &events[3]["result"]["statusUpdate"];
    assert_eq!(last["status"]["state"], "TASK_STATE_COMPLETED");
    assert_eq!(events.len(), 4);
    let ids: Vec<_> = [&events[1]["result"]["statusUpdate"], artifact, last]
        .iter()
        .map(|it| it["taskId"].clone())
        .collect();
    assert!(ids.iter().all(|id| *id == events[0]["result"]["task"]["id"]));

    let old = server.a2a("message/stream", &older("hello", &json!({}))).events();
    let kinds: Vec<_> = old.iter().map(|event| event["result"]["kind"].clone()).collect();
    assert_eq!(kinds, ["task", "status-update", "artifact-update", "status-update"]);
    assert_eq!((&old[1]["result"]["final"], &old[3]["result"]["final"]), (&json!(false), &json!(true)));
}

#[test]
fn a_task_is_got_cancelled_and_subscribed_to_as_far_as_it_is() {
    let server = Server::scripted(&json!([{"calls": [{"name": "approve", "args": {}}]}, "Done."]));
    let asked = server.a2a("SendMessage", &message("Spend it", &json!({}))).json();
    let task = asked["result"]["task"].clone();
    assert_eq!(task["status"]["state"], "TASK_STATE_INPUT_REQUIRED", "{asked}");
    let id = json!({"id": task["id"]});
    let got = server.a2a("GetTask", &id).json();
    assert_eq!(got["result"]["status"]["state"], "TASK_STATE_INPUT_REQUIRED");
    assert_eq!(got["result"]["history"][0]["parts"][0]["text"], "Spend it");
    let short = server.a2a("tasks/get", &json!({"id": task["id"], "historyLength": 0})).json();
    assert_eq!((&short["result"]["kind"], short["result"].get("history")), (&json!("task"), None));
    let subscribed = server.a2a("SubscribeToTask", &id).json();
    assert_eq!(subscribed["error"]["code"], -32004, "it waits, and nothing comes by itself: {subscribed}");
    let cancelled = server.a2a("CancelTask", &id).json();
    assert_eq!(cancelled["result"]["status"]["state"], "TASK_STATE_CANCELED", "{cancelled}");
    let again = server.a2a("tasks/cancel", &id).json();
    assert_eq!(again["error"]["code"], -32002, "{again}");
    let unknown = server.a2a("GetTask", &json!({"id": "nothing"})).json();
    assert_eq!(unknown["error"]["code"], -32001);
}

#[test]
fn a_task_can_be_left_to_itself_and_asked_for_later() {
    let server = Server::echo();
    let mut params = message("hello", &json!({}));
    params["configuration"] = json!({"returnImmediately": true});
    let begun = server.a2a("SendMessage", &params).json();
    let task = begun["result"]["task"].clone();
    assert_eq!(task["status"]["state"], "TASK_STATE_WORKING");
    // A stream of it ends when it does; where it has ended, there is none.
    server.a2a("SubscribeToTask", &json!({"id": task["id"]}));
    let done = server.a2a("GetTask", &json!({"id": task["id"]})).json();
    assert_eq!(done["result"]["status"]["state"], "TASK_STATE_COMPLETED", "{done}");
    assert_eq!(done["result"]["artifacts"][0]["parts"][0]["text"], "hello");
}

#[test]
fn push_notifications_are_not_offered_and_that_is_said() {
    let server = Server::echo();
    for method in ["CreateTaskPushNotificationConfig", "tasks/pushNotificationConfig/set"] {
        let refused =
            server.a2a(method, &json!({"taskId": "t", "pushNotificationConfig": {"url": "http://x"}})).json();
        assert_eq!(refused["error"]["code"], -32003, "{refused}");
        assert!(
            refused["error"]["message"].as_str().unwrap().starts_with("Push notifications are not offered.")
        );
    }
    let mut params = message("hello", &json!({}));
    params["configuration"] = json!({"pushNotificationConfig": {"url": "http://x"}});
    assert_eq!(server.a2a("SendMessage", &params).json()["error"]["code"], -32602);
}

#[test]
fn a_context_that_is_gone_is_an_error_of_either_version() {
    let server = Server::echo();
    let first = server.a2a("SendMessage", &message("hello", &json!({}))).json();
    let id = first["result"]["task"]["contextId"].as_str().unwrap().to_owned();
    server.strata(&format!("contexts expire {id}"));
    let new = server.a2a("SendMessage", &message("on", &json!({"contextId": id}))).json();
    let detail = &new["error"]["data"][0];
    assert_eq!(
        (&detail["reason"], &detail["metadata"]["contextId"]),
        (&json!("CONTEXT_EXPIRED"), &json!(id))
    );
    assert!(detail["metadata"]["expired_at"].as_str().unwrap().ends_with('Z'), "{new}");
    let old = server.a2a("message/send", &older("on", &json!({"contextId": id}))).json();
    assert_eq!(
        (&old["error"]["data"]["code"], &old["error"]["data"]["contextId"]),
        (&json!("CONTEXT_EXPIRED"), &json!(id))
    );
}

#[test]
fn the_callers_context_comes_back_with_an_error_too() {
    let server = Server::echo();
    let own = json!({"trace_id": "t-1", "deep": [1, {"x": null}]});
    let parts = json!([{"text": "on"}, {"data": {"context": own}}]);
    let gone = json!({"message": {"messageId": "m", "parts": parts, "contextId": "ctx-front-gone"}});
    let new = server.a2a("SendMessage", &gone).json();
    let given = &new["error"]["data"][1];
    assert_eq!(given["@type"], "type.googleapis.com/google.protobuf.Struct", "{new}");
    assert_eq!(given["value"], json!({"context": own}));
    let old = server.a2a("message/send", &gone).json();
    assert_eq!(
        (&old["error"]["data"]["code"], &old["error"]["data"]["context"]),
        (&json!("CONTEXT_EXPIRED"), &own)
    );
    let file = json!({"message": {"messageId": "m", "parts": [{"raw": "AAAA"}, {"data": {"context": own}}]}});
    assert_eq!(server.a2a("message/send", &file).json()["error"]["data"]["context"], own);
}

#[test]
fn an_answer_that_is_json_is_a_part_of_data_with_the_callers_context_in_it() {
    let server = Server::echo();
    let parts = json!([{"data": {"skill": "front", "parameters": {"brief": "video", "context": {"t": 1}}}}]);
    let sent = json!({"message": {"messageId": "m", "role": "ROLE_USER", "parts": parts}});
    let done = server.a2a("SendMessage", &sent).json();
    let task = &done["result"]["task"];
    let answer = json!({"parameters": {"brief": "video"}});
    let mut echoed = answer.clone();
    echoed["context"] = json!({"t": 1});
    let text = json!({"text": answer.to_string()});
    assert_eq!(task["artifacts"][0]["parts"], json!([text, {"data": echoed}]), "{done}");
    let got = server.a2a("GetTask", &json!({"id": task["id"]})).json();
    assert_eq!(got["result"]["artifacts"][0]["parts"], json!([text, {"data": answer}]), "{got}");
}

#[test]
fn a_client_that_takes_streams_alone_reads_an_error_as_an_event() {
    let server = Server::echo();
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "message/stream", "params": {}}).to_string();
    let got = server.send("POST", "/a2a", &[("Accept", "text/event-stream")], &call);
    assert_eq!(got.header("content-type"), Some("text/event-stream"));
    assert_eq!(got.events()[0]["error"]["code"], -32602, "{got:?}");
    let got = server.send("POST", "/a2a", &[("Accept", "text/event-stream, application/json")], &call);
    assert_eq!(
        (got.header("content-type"), &got.json()["error"]["code"]),
        (Some("application/json"), &json!(-32602))
    );
}

#[test]
fn calls_that_are_none_are_told() {
    let server = Server::echo();
    let post =
        |version: &str, body: &str| server.send("POST", "/a2a", &[("A2A-Version", version)], body).json();
    let code = |answer: &Value| answer["error"]["code"].as_i64().unwrap();
    assert_eq!(code(&post("", "no json")), -32700);
    assert_eq!(code(&post("", "[]")), -32600);
    assert_eq!(code(&post("", r#"{"jsonrpc": "2.0", "id": 7}"#)), -32600);
    let unknown = post("", r#"{"jsonrpc": "2.0", "id": 7, "method": "Fly"}"#);
    assert_eq!((code(&unknown), &unknown["id"]), (-32601, &json!(7)));
    assert_eq!(code(&post("9.0", r#"{"jsonrpc": "2.0", "id": 7, "method": "GetTask"}"#)), -32009);
    assert_eq!(code(&server.a2a("SendMessage", &json!({})).json()), -32602);
    for message in [
        json!({"message": {}}),
        json!({"message": {"messageId": "m", "parts": []}}),
        json!({"message": {"messageId": "m", "parts": [{}]}}),
        json!({"message": {"messageId": "m", "parts": [{"raw": "AAAA"}]}}),
        json!({"message": {"messageId": "m", "parts": [{"text": "x"}], "contextId": 7}}),
        json!({"message": {"messageId": "m", "parts": [{"data": {"skill": "nobody"}}, {"text": "x"}]}}),
    ] {
        let refused = server.a2a("SendMessage", &message).json();
        assert_eq!(code(&refused), -32602, "{message}: {refused}");
    }
}

#[test]
fn a_skill_without_parameters_is_called_and_one_that_is_not_there_is_named() {
    let server = Server::echo();
    let called = |skill: &str| {
        let message = json!({"messageId": "m", "role": "ROLE_USER", "parts": [{"data": {"skill": skill, "parameters": {}}}]});
        server.a2a("SendMessage", &json!({"message": message})).json()
    };
    let done = called("booker");
    let task = &done["result"]["task"];
    assert_eq!(task["status"]["state"], "TASK_STATE_COMPLETED", "{done}");
    assert_eq!(task["artifacts"][0]["parts"][0]["text"], r#"{"parameters":{}}"#);
    let refused = called("get_adcp_capabilities");
    let says = refused["error"]["message"].as_str().unwrap();
    assert!(says.contains("There is no agent get_adcp_capabilities. There are: front, booker."), "{says}");
}
