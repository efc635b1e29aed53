//! Agent2Agent: what is read of calls, and what is written, in both versions.

use strata_model::{Json, json};
use strata_wire::a2a::{
    A2aArtifact, A2aCall, A2aError, A2aFault, A2aMessage, A2aPart, A2aRequest, A2aRole, A2aState, A2aTask,
    A2aVersion, StreamItem, read_call,
};

fn read(method: &str, params: &str) -> Result<A2aCall, Box<A2aFault>> {
    read_call(
        format!(r#"{{"jsonrpc":"2.0","id":"1","method":"{method}","params":{params}}}"#).as_bytes(),
        None,
    )
}

fn task() -> A2aTask {
    A2aTask {
        id: "t1".into(),
        context_id: "ctx-1".into(),
        state: A2aState::InputRequired,
        message: Some(A2aMessage {
            id: "m2".into(),
            role: A2aRole::Agent,
            parts: vec![A2aPart::Text("Which?".into())],
            context_id: None,
            task_id: None,
        }),
        timestamp: "2026-11-22T10:00:00Z".to_owned(),
        artifacts: Vec::new(),
        history: Vec::new(),
    }
}

#[test]
fn a_message_is_the_same_in_both_spellings() {
    let old = read(
        "message/send",
        r#"{"message":{"kind":"message","messageId":"m1","contextId":"c","role":"user","parts":[{"kind":"text","text":"Hi"}]}}"#,
    )
    .unwrap();
    let new = read(
        "SendMessage",
        r#"{"message":{"messageId":"m1","contextId":"c","role":"ROLE_USER","parts":[{"text":"Hi"}]}}"#,
    )
    .unwrap();
    assert_eq!((old.version, new.version), (A2aVersion::V0_3, A2aVersion::V1_0));
    assert_eq!(old.request, new.request);
    let A2aRequest::Send { options, is_streamed, .. } = new.request else { panic!("no message") };
    assert_eq!((options.context_ids, is_streamed), (vec!["c".to_owned()], false));
}

#[test]
fn what_is_null_or_empty_is_not_there() {
    let call = read(
        "message/stream",
        r#"{"contextId":null,"message":{"messageId":"m1","contextId":"","taskId":null,"parts":[{"text":"Hi"}]}}"#,
    );
    let A2aRequest::Send { message, options, is_streamed } = call.unwrap().request else {
        panic!("no message")
    };
    assert_eq!((message.context_id, message.task_id, is_streamed), (None, None, true));
    assert!(options.context_ids.is_empty());
}

#[test]
fn a_version_that_is_not_spoken_is_refused_and_the_method_decides_otherwise() {
    let call = br#"{"jsonrpc":"2.0","id":7,"method":"tasks/get","params":{"id":"t"}}"#;
    for version in [None, Some(""), Some("0.3"), Some("0.3.0"), Some("1.0"), Some(" 1.0.1 ")] {
        assert_eq!(read_call(call, version).unwrap().version, A2aVersion::V0_3, "{version:?}");
    }
    for version in ["2.0", "0.2", "one"] {
        let fault = read_call(call, Some(version)).unwrap_err();
        assert_eq!(fault.error, A2aError::VersionNotSupported(version.to_owned()));
        assert_eq!(fault.id, Json::Int(7));
    }
}

#[test]
fn a_task_of_1_0_has_no_kind_and_names_its_states_as_constants() {
    assert_eq!(
        json::to_compact(&task().to_sent(A2aVersion::V1_0)),
        r#"{"task":{"id":"t1","contextId":"ctx-1","status":{"state":"TASK_STATE_INPUT_REQUIRED","message":{"messageId":"m2","role":"ROLE_AGENT","parts":[{"text":"Which?"}]},"timestamp":"2026-11-22T10:00:00Z"}}}"#
    );
    assert_eq!(
        json::to_compact(&task().to_sent(A2aVersion::V0_3)),
        r#"{"kind":"task","id":"t1","contextId":"ctx-1","status":{"state":"input-required","message":{"kind":"message","messageId":"m2","role":"agent","parts":[{"kind":"text","text":"Which?"}]},"timestamp":"2026-11-22T10:00:00Z"}}"#
    );
}

#[test]
fn each_item_of_a_stream_says_what_it_is() {
    let artifact = A2aArtifact { id: "a".into(), name: "a".into(), parts: vec![A2aPart::Data(Json::Int(1))] };
    let piece = StreamItem::Artifact {
        task_id: "t1".into(),
        context_id: "ctx-1".into(),
        artifact,
        is_appended: false,
        is_last: true,
    };
    assert_eq!(
        json::to_compact(&piece.to_json(A2aVersion::V1_0)),
        r#"{"artifactUpdate":{"taskId":"t1","contextId":"ctx-1","artifact":{"artifactId":"a","name":"a","parts":[{"data":1}]},"append":false,"lastChunk":true}}"#
    );
    assert!(!piece.is_final());
    let status = StreamItem::Status(task());
    let old = status.to_json(A2aVersion::V0_3);
    assert_eq!((old.get("kind"), old.get("final")), (Some(&"status-update".into()), Some(&true.into())));
    assert!(status.to_json(A2aVersion::V1_0).get("statusUpdate").is_some_and(|it| it.get("final").is_none()));
}

#[test]
fn errors_tell_programs_what_they_are() {
    let error = A2aError::Context {
        code: "CONTEXT_EXPIRED",
        message: "Gone.".to_owned(),
        context_id: Some("ctx-1".to_owned()),
        expired_at: None,
    };
    let fault = |version| A2aFault { id: Json::Int(1), version, error: error.clone(), echo: None }.to_json();
    assert_eq!(
        json::to_compact(&fault(A2aVersion::V0_3)),
        r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32050,"message":"Gone.","data":{"code":"CONTEXT_EXPIRED","context_id":"ctx-1","contextId":"ctx-1"}}}"#
    );
    assert_eq!(
        json::to_compact(&fault(A2aVersion::V1_0)),
        r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32050,"message":"Gone.","data":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"CONTEXT_EXPIRED","domain":"strata","metadata":{"context_id":"ctx-1","contextId":"ctx-1"}}]}}"#
    );
}

#[test]
fn a_fault_gives_the_callers_own_back_even_where_the_call_cannot_be_read() {
    let own = r#"{"trace":1.0,"n":123456789012345678901234567890}"#;
    for (method, data) in [
        ("message/send", format!(r#"{{"context":{own}}}"#)),
        ("SendMessage", format!(r#"{{"skill":"s","parameters":{{"context":{own}}}}}"#)),
        ("Fly", format!(r#"{{"context":{own}}}"#)),
    ] {
        let fault = read(method, &format!(r#"{{"message":{{"parts":[{{"data":{data}}}]}}}}"#)).unwrap_err();
        assert_eq!(json::to_compact(fault.echo.as_ref().unwrap()), own, "{method}");
        assert!(json::to_compact(&fault.to_json()).contains(&format!(r#""context":{own}"#)), "{method}");
    }
}

proptest::proptest! {
    #[test]
    fn whatever_comes_in_is_a_call_or_a_fault(body in "[ -~]{0,200}", version in proptest::option::of("[0-9.]{0,5}")) {
        let _ = read_call(body.as_bytes(), version.as_deref());
    }
}
