//! Logs in which the same is asked more than once: in attempts, in runs that are repeated, and with a time that changes.

use serde_json::{Value, json};
use strata_import::{Import, ImportedSession, import, marks};

/// A call of a run: what is sent and what comes back.
#[derive(Clone)]
struct Call {
    messages: Vec<Value>,
    back: Value,
}

fn said(role: &str, text: &str) -> Value {
    json!({"role": role, "content": text})
}

/// A run of an agent that looks something up for each question.
fn run(questions: &[&str]) -> Vec<Call> {
    let mut messages = vec![said("system", "You are the desk of a shop.")];
    let mut calls = Vec::new();
    for (at, question) in questions.iter().enumerate() {
        messages.push(said("user", question));
        let function = json!({"name": "search", "arguments": format!("{{\"q\":\"week {at}\"}}")});
        let call = json!({"id": format!("call_{at}"), "type": "function", "function": function});
        for back in [
            json!({"role": "assistant", "content": null, "tool_calls": [call]}),
            said("assistant", &format!("Order A-{at}012 was late.")),
        ] {
            calls.push(Call { messages: messages.clone(), back: back.clone() });
            messages.push(back);
            if messages.last().is_some_and(|last| last["content"].is_null()) {
                let id = format!("call_{at}");
                messages.push(json!({"role": "tool", "tool_call_id": id, "content": format!("Row {at}.")}));
            }
        }
    }
    calls
}

/// One call every 20 seconds.
fn log(calls: &[Call]) -> String {
    let tools =
        json!([{"type": "function", "function": {"name": "search", "parameters": {"type": "object"}}}]);
    let lines = calls.iter().enumerate().map(|(at, call)| {
        let choice = json!({"index": 0, "finish_reason": "stop", "message": call.back});
        let response =
            json!({"id": format!("chatcmpl-{at}"), "object": "chat.completion", "model": "m", "choices": [choice]});
        json!({"request": {"url": "https://api.openai.com/v1/chat/completions", "body": {"model": "m",
            "messages": call.messages, "tools": tools}}, "response": {"status": 200, "body": response},
            "timestamp": 1_760_000_000 + 20 * at})
        .to_string()
    });
    lines.collect::<Vec<_>>().join("\n")
}

fn sessions(calls: &[Call]) -> Vec<ImportedSession> {
    let Import { sessions, diagnostics } = import(log(calls).as_bytes());
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    sessions
}

/// The id of each session, with its calls.
fn told(sessions: &[ImportedSession]) -> Vec<(&str, u64)> {
    sessions.iter().map(|one| (&*one.session.id, one.summary().calls)).collect()
}

/// What each request of a session is said to have in common with those of others: contents, whether they are all of one,
/// and how many seconds before.
fn elsewhere(session: &ImportedSession) -> Vec<Vec<(i64, bool, f64)>> {
    let events = &session.session.events;
    let of_request = |answer: usize| {
        let said = strata_model::marks::of(&events[answer], marks::SENT_ELSEWHERE);
        let said = said.and_then(strata_model::Json::as_array).unwrap_or_default().iter();
        let read = said.map(|said| {
            let at = said.get("at").unwrap().as_f64().unwrap();
            let is_whole = said.get("isWhole").unwrap().as_bool().unwrap();
            // The log has times of requests alone: that of what stands before the answer.
            (said.get("contents").unwrap().as_i64().unwrap(), is_whole, events[answer - 1].timestamp - at)
        });
        read.collect()
    };
    session.requests.iter().map(|request| of_request(request.answer.unwrap())).collect()
}

#[test]
fn a_run_that_is_repeated_is_a_session_whose_prompts_were_sent_before() {
    let first = run(&["Which orders were late?", "And in Oslo?"]);
    let both = [first.clone(), first].concat();
    let sessions = sessions(&both);
    assert_eq!(told(&sessions), [("chatcmpl-0", 4), ("chatcmpl-4", 4)]);
    assert_eq!(elsewhere(&sessions[0]), vec![vec![]; 4]);
    // Each was sent 80 seconds before; the last prompt of the first run held all of them, 20 seconds after the second's.
    assert_eq!(
        elsewhere(&sessions[1]),
        [[(1, true, 20.0)], [(3, true, 40.0)], [(5, true, 60.0)], [(7, true, 80.0)]]
    );
}

#[test]
fn two_runs_at_the_same_time_are_two_sessions() {
    let one = run(&["Which orders were late?", "And in Oslo?"]);
    let both: Vec<Call> = one.iter().flat_map(|call| [call.clone(), call.clone()]).collect();
    assert_eq!(told(&sessions(&both)), [("chatcmpl-0", 4), ("chatcmpl-1", 4)]);
    // Also where the calls of one come back in other words than they were given in: their ids tell whose they are.
    let other = one.iter().map(|call| {
        let renamed =
            |value: &Value| value.to_string().replace("call_", "other_").replace("tool_other_", "tool_call_");
        let read = |text: &str| serde_json::from_str(text).unwrap();
        let messages = call.messages.iter().map(|message| read(&renamed(message))).collect();
        Call { messages, back: read(&renamed(&call.back).replace("week", "Week")) }
    });
    let both: Vec<Call> = one.iter().zip(other).flat_map(|(one, other)| [one.clone(), other]).collect();
    let sessions = sessions(&both);
    assert_eq!(told(&sessions), [("chatcmpl-0", 4), ("chatcmpl-1", 4)]);
    let ids = |session: &ImportedSession| {
        let events = session.session.events.iter();
        events.flat_map(|event| event.function_calls().filter_map(|call| call.id.clone())).collect::<Vec<_>>()
    };
    assert!(ids(&sessions[1]).iter().all(|id| id.starts_with("other_")), "{:?}", ids(&sessions[1]));
}

#[test]
fn a_first_call_that_is_made_again_although_it_was_answered_is_of_the_session_that_goes_on() {
    let one = run(&["Which orders were late?", "And in Oslo?"]);
    let again = [&one[..1], &one[..1], &one[..]].concat();
    let sessions = sessions(&again);
    assert_eq!(told(&sessions), [("chatcmpl-0", 6)]);
    let [session] = &*sessions else { panic!() };
    let ids: Vec<&str> =
        session.requests.iter().map(|it| &*session.session.events[it.answer.unwrap()].id).collect();
    assert_eq!(ids, ["chatcmpl-0", "chatcmpl-1", "chatcmpl-2", "chatcmpl-3", "chatcmpl-4", "chatcmpl-5"]);
    assert!(session.session.events.is_sorted_by(|a, b| a.timestamp <= b.timestamp));
    assert_eq!(session.summary().user_turns, 2);
    assert_eq!(elsewhere(session), vec![vec![]; 6]);
    // What nobody went on from, and what answered in words, is a session of its own.
    let mut spoken = one[0].clone();
    spoken.back = said("assistant", "None.");
    let apart = [[spoken].as_slice(), &one[..]].concat();
    assert_eq!(told(&self::sessions(&apart)), [("chatcmpl-0", 1), ("chatcmpl-1", 4)]);
}

#[test]
fn a_time_in_the_first_message_that_is_taken_out_again_begins_no_session() {
    let mut calls = run(&["Which orders were late?", "And in Oslo?"]);
    for (at, call) in calls.iter_mut().enumerate() {
        let newest = call.messages.last_mut().filter(|newest| newest["role"] == "user");
        if let Some(newest) = newest {
            *newest = said("user", &format!("{}\n[10:0{at}]", newest["content"].as_str().unwrap()));
        }
    }
    let sessions = sessions(&calls);
    assert_eq!(told(&sessions), [("chatcmpl-0", 4)]);
    let expected = [
        "user [system]: You are the desk of a shop.",
        "user: Which orders were late?\n[10:00]",
        "model: call search",
        "user [rewritten]: Which orders were late?",
    ];
    assert_eq!(super::told(&sessions[0])[..4], expected);
    // With another instruction it is somebody else.
    let mut other = calls.clone();
    for call in &mut other[1..] {
        call.messages[0] = said("system", "You are a poet.");
    }
    assert_eq!(self::sessions(&other).len(), 2);
}

/// Where a log has one time for a request and its answer, a summary can still end between them: google-adk's windows are
/// told by times. Also where its clock stands still.
#[test]
fn an_answer_is_later_than_what_it_answers_and_a_result_no_earlier_than_its_call() {
    let text = log(&run(&["Which orders were late?", "And in Oslo?"]));
    for stopped in [false, true] {
        let text = if stopped {
            text.replace("760000020", "760000000").replace("760000040", "760000000")
        } else {
            text.clone()
        };
        let Import { sessions, .. } = import(text.as_bytes());
        let events = &sessions[0].session.events;
        let times: Vec<f64> = events.iter().map(|event| event.timestamp).collect();
        assert!(times.is_sorted(), "{times:?}");
        let is_answer =
            |at: usize| &*events[at].author != "user" && events[at].function_responses().next().is_none();
        let answers: Vec<usize> = (1..events.len()).filter(|at| is_answer(*at)).collect();
        assert_eq!(answers.len(), 4);
        assert!(answers.iter().all(|at| times[at - 1] < times[*at]), "{times:?}");
    }
}
