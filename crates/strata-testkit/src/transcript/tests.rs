//! What transcripts become.

use strata_model::{Event, Json, json};

use super::{read_session, session};
use crate::{contents_shape, experiment, request};

/// The event with a number counted from 1.
fn event(transcript: &str, number: usize) -> Event {
    Event::clone(&session(transcript).events[number - 1])
}

#[track_caller]
fn check_error(transcript: &str, expected: &str) {
    assert_eq!(read_session(transcript).map_err(|error| error.to_string()), Err(expected.to_owned()));
}

fn compact(event: &Event) -> String {
    use strata_model::FromJson as _;
    json::to_compact(&event.to_json())
}

#[test]
fn a_message_begins_a_turn_and_answers_belong_to_it() {
    let session = session(
        "
        user: Hello
        bot: Hi
        user: Still there?
        bot: Yes
        ",
    );
    let seen: Vec<_> = session
        .events
        .iter()
        .map(|event| (&*event.id, &*event.author, &*event.invocation_id, event.timestamp))
        .collect();
    assert_eq!(
        seen,
        [
            ("e1", "user", "i1", 1.0),
            ("e2", "bot", "i1", 2.0),
            ("e3", "user", "i2", 3.0),
            ("e4", "bot", "i2", 4.0)
        ]
    );
    assert_eq!((&*session.id, session.last_update_time), ("s1", 4.0));
}

#[test]
fn events_are_stored_as_adk_stores_them() {
    assert_eq!(
        compact(&event(r#"bot: -> look_up(key="x", n=[1, 2]) #c1"#, 1)),
        r#"{"content":{"parts":[{"functionCall":{"id":"c1","args":{"key":"x","n":[1,2]},"name":"look_up"}}],"role":"model"},"invocationId":"i1","author":"bot","actions":{"stateDelta":{},"artifactDelta":{},"requestedAuthConfigs":{},"requestedToolConfirmations":{}},"nodeInfo":{"path":""},"longRunningToolIds":[],"id":"e1","timestamp":1.0}"#
    );
    assert_eq!(
        compact(&event("bot: -> look_up() #c1\ntool: {\"found\": null}", 2)),
        r#"{"content":{"parts":[{"functionResponse":{"id":"c1","name":"look_up","response":{"found":null}}}],"role":"user"},"invocationId":"i1","author":"bot","actions":{"stateDelta":{},"artifactDelta":{},"requestedAuthConfigs":{},"requestedToolConfirmations":{}},"nodeInfo":{"path":""},"id":"e2","timestamp":2.0}"#
    );
}

#[test]
fn parts_of_one_event_stand_below_each_other() {
    let experiment = experiment(
        r##"
        user: Two things:
            - a list

            and a blank line above
        bot: ~ I have to think
            about it.
            + Let me look.
            -> search(query="a: [b]", deep=true) #c1
            -> fetch({"url": "x(y)"}) #c2
            part {"inlineData": {"mimeType": "image/png", "data": "MTIz"}}
        tool #c1: {"n": 1}
            #c2: not found
        bot: Done
        "##,
    );
    insta::assert_snapshot!(contents_shape(&request(&experiment, 2)), @r#"
    00 user   "Two things: - a list and a blank line above"       <- E1
    01 model  thought "I have to think about it."                 <- E2
              "Let me look."                                      <- E2
              call search {"query":"a: [b]","deep":true} #c1      <- E2
              call fetch {"url":"x(y)"} #c2                       <- E2
              image/png, 3 bytes                                  <- E2
    02 user   result search {"n":1} #c1                           <- E3
              result fetch {"result":"not found"} #c2             <- E3
    "#);
    let text = experiment.session().events[0].parts()[0].text.clone();
    assert_eq!(text.as_deref(), Some("Two things:\n- a list\n\nand a blank line above"));
}

#[test]
fn a_result_finds_its_call_by_order_by_name_or_by_id() {
    let session = session(
        "
        bot: -> a() #1
            -> b() #2
            -> a() #3
        tool b: B
        tool: first
        tool #3: third
        ",
    );
    let answered: Vec<_> = session.events[1..]
        .iter()
        .flat_map(|event| event.function_responses())
        .map(|response| {
            (
                response.id.as_deref(),
                response.response.as_ref().and_then(|value| value.get("result")).cloned(),
            )
        })
        .collect();
    let text = |text: &str| Some(Json::from(text));
    assert_eq!(answered, [(Some("2"), text("B")), (Some("1"), text("first")), (Some("3"), text("third"))]);
}

#[test]
fn a_result_stands_where_its_call_stood() {
    let transcript = "
        user: Go
        a [branch par.a, path root@1/a@1, scope s]: -> t() #c1
        user: Meanwhile
        tool #c1: ok
        user #c1: late
        ";
    let result = event(transcript, 4);
    assert_eq!((&*result.author, &*result.invocation_id), ("a", "i1"));
    assert_eq!((result.branch.as_deref(), result.isolation_scope.as_deref()), (Some("par.a"), Some("s")));
    assert_eq!(result.node_info.path.as_str(), "root@1/a@1");
    let late = event(transcript, 5);
    assert_eq!((&*late.author, &*late.invocation_id, late.node_info.path.as_str()), ("user", "i1", ""));
}

#[test]
fn a_transfer_is_a_call_and_its_result() {
    let experiment = experiment("user: Book it\ndesk => booker\nbooker: Booked.");
    insta::assert_snapshot!(contents_shape(&request(&experiment, 2)), @r#"
    00 user   "Book it"                                           <- E1
    01 user   "For context: below is a transcript of what …"      <- contents
              "[desk] called tool … | {'agent_name': …"           <- contents, E2
    02 user   "For context: below is a transcript of what …"      <- contents
              "[desk] … | {'result': None}"                       <- contents, E3
    "#);
    assert_eq!(experiment.session().events[2].actions.transfer_to_agent.as_deref(), Some("booker"));
}

#[test]
fn a_compaction_covers_turns_or_events() {
    let turns = "user: a\nbot: b\nuser: c\nbot: d\ncompaction 1-2: They said a to d.\nuser: e\nbot: f";
    let compaction = event(turns, 5).actions.compaction.expect("a compaction");
    assert_eq!((compaction.start_timestamp, compaction.end_timestamp), (Some(1.0), Some(4.0)));
    insta::assert_snapshot!(contents_shape(&request(&experiment(turns), 3)), @r#"
    00 model  "They said a to d."                                 <- summary E5
    01 user   "e"                                                 <- E6
    "#);
    let events =
        event("user: a\nbot: b\nuser: c\ncompaction E2-E3: b, c", 4).actions.compaction.expect("one");
    assert_eq!((events.start_timestamp, events.end_timestamp), (Some(2.0), Some(3.0)));
}

#[test]
fn a_rewind_takes_turns_back() {
    let experiment = experiment("user: a\nbot: b\nuser: c\nbot: d\nrewind 2\nuser: e\nbot: f");
    insta::assert_snapshot!(contents_shape(&request(&experiment, 3)), @r#"
    00 user   "a"                                                 <- E1
    01 model  "b"                                                 <- E2
    02 user   "e"                                                 <- E6
    "#);
}

#[test]
fn notes_set_the_fields_of_an_event() {
    let transcript = r#"
        session trip [app travel, user ann, model gemini-x, state user:lang="de" n=1]
        user [state n=2 temp:x=1]: Go
        bot [usage 1200 cached 800 thoughts 5 answer 90, at 9.5, id x, fields {"finishReason": "STOP"}]: Yes
        bot [error SAFETY blocked by a filter, turn 1]:
        bot [long-running]: -> approve() #c1
        tool [artifact a.md=1, escalate, skip-summarization]: {}
        "#;
    let session = session(transcript);
    assert_eq!((&*session.id, &*session.app_name, &*session.user_id), ("trip", "travel", "ann"));
    assert_eq!(json::to_compact(&Json::Object(session.state)), r#"{"user:lang":"de","n":2}"#);
    let answer = &session.events[1];
    let usage = answer.usage_metadata.clone().expect("usage");
    assert_eq!((usage.prompt_token_count, usage.cached_content_token_count), (Some(1200), Some(800)));
    assert_eq!((usage.thoughts_token_count, usage.candidates_token_count), (Some(5), Some(90)));
    assert_eq!((answer.timestamp, &*answer.id), (9.5, "x"));
    assert_eq!(
        (answer.finish_reason.as_deref(), answer.model_version.as_deref()),
        (Some("STOP"), Some("gemini-x"))
    );
    let failed = &session.events[2];
    assert_eq!(failed.content, None);
    assert_eq!(
        (failed.error_code.as_deref(), failed.error_message.as_deref()),
        (Some("SAFETY"), Some("blocked by a filter"))
    );
    assert!(session.events[3].has_long_running("c1"));
    let actions = &session.events[4].actions;
    assert_eq!(actions.artifact_delta.get("a.md"), Some(&1.into()));
    assert_eq!((actions.escalate, actions.skip_summarization), (Some(true), Some(true)));
}

#[test]
fn a_result_without_a_call_needs_an_author() {
    let orphan = event("user: a\ntool search #c9 [by bot]: {}", 2);
    let response = orphan.function_responses().next().expect("a result");
    assert_eq!(
        (&*orphan.author, response.id.as_deref(), response.name.as_deref()),
        ("bot", Some("c9"), Some("search"))
    );
}

#[test]
fn mistakes_name_their_line() {
    check_error("user: a\n\nbot a b", "line 3: expected `name: text`, found bot a b");
    check_error(
        "user: a\ntool #c9: {}",
        "line 2: no call with the id #c9 waits for a result; the note `by name` allows one without",
    );
    check_error("user [stat n=1]: a", "line 1: stat is no note");
    check_error("user [state n=1: a", "line 1: the notes have no closing bracket");
    check_error("user [state n]: a", "line 1: expected key=value, found n");
    check_error("bot: a\n  -> t(k=)", "line 2: k has no value");
    check_error("bot: -> t(k=1", "line 1: the call has no closing parenthesis");
    check_error("user: a\nbot: b\n  #c1: {}", "line 3: results stand below `tool:`");
    check_error("user: a\nrewind 3", "line 2: 3 is no turn so far");
    check_error("user: a\ncompaction 1-2: b", "line 2: 2 is no turn so far");
    check_error("user: a\ncompaction E1-E4: b", "line 2: E1-E4 names events that are not there yet");
    check_error("user: a\nsession s", "line 2: the session is described before its first event");
}

#[test]
fn comments_and_blank_lines_are_no_events() {
    assert_eq!(session("// a comment\n\nuser: a // no comment\n\n// end\n").events.len(), 1);
    assert!(session("").events.is_empty());
}
