//! Requests that nothing answers, and such as were refused.

use serde_json::{Value, json};

use crate::strata::{Computer, Run};

fn message(role: &str, text: &str) -> Value {
    json!({ "role": role, "content": text })
}

fn request(model: &str, messages: &[Value]) -> Value {
    let mut all = vec![message("system", "You find trains, and say so in one sentence.")];
    all.extend_from_slice(messages);
    let parameters = json!({ "type": "object", "properties": { "to": { "type": "string" } } });
    let tool = json!({ "name": "find_trains", "description": "Finds trains.", "parameters": parameters });
    json!({ "model": model, "messages": all, "tools": [{ "type": "function", "function": tool }] })
}

fn run(computer: &Computer, command: &str, text: &str) -> Run {
    let file = computer.path("requests.jsonl");
    std::fs::write(&file, text).expect("a file");
    computer.command(command).arg(&file).arg("--json").output().expect("it runs").into()
}

fn lines(lines: &[Value]) -> String {
    lines.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

#[test]
fn a_single_request_is_a_call_of_known_size_that_nobody_is_known_to_have_paid() {
    let computer = Computer::new();
    let body = request("gpt-5", &[message("user", "A train to Oslo?")]).to_string();
    let shown = run(&computer, "show", &body).json();
    let shown = &shown["sessions"][0];
    assert_eq!((&shown["calls"], &shown["recordedRequests"]), (&json!(1), &json!(1)));
    let notes = shown["app"]["notes"].to_string();
    assert!(!notes.contains("not in a transcript"), "{notes}");

    let tokens = run(&computer, "tokens", &body).json();
    let call = &tokens["calls"][0];
    assert_eq!(
        (&call["answered"], &call["cost"], &call["cachedTokens"]),
        (&json!(false), &json!(0.0), &json!(0))
    );
    let kinds: Vec<&str> =
        tokens["kinds"].as_array().unwrap().iter().map(|kind| kind["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["tools", "system", "user"]);
    let bill = &tokens["bill"];
    assert_eq!((&bill["unpaidCalls"], &bill["unpaidTokens"]), (&json!(1), &bill["promptTokens"]));
    assert!(bill["promptTokens"].as_u64().unwrap() > 40, "{bill}");
    let nothing = (&bill["cachedTokens"], &bill["writtenTokens"], &bill["outputTokens"], &bill["cost"]);
    assert_eq!(nothing, (&json!(0), &json!(0), &json!(0), &json!(0.0)));
}

#[test]
fn every_request_of_a_log_without_answers_is_a_call() {
    let computer = Computer::new();
    let said = [
        message("user", "A train to Oslo?"),
        message("assistant", "At 9."),
        message("user", "And to Bergen?"),
        message("assistant", "At 10."),
        message("user", "Thanks, and back?"),
    ];
    let log = lines(&[1, 3, 5].map(|n| request("gpt-5", &said[..n])));
    let tokens = run(&computer, "tokens", &log).json();
    let answered: Vec<&Value> =
        tokens["calls"].as_array().unwrap().iter().map(|call| &call["answered"]).collect();
    assert_eq!(answered, [&json!(true), &json!(true), &json!(false)]);
    let cache = run(&computer, "cache", &log).json();
    let paid: Vec<&Value> = cache["calls"].as_array().unwrap().iter().map(|call| &call["paid"]).collect();
    assert_eq!(paid, answered);
    assert_eq!(cache["calls"][2]["break"], Value::Null);
}

#[test]
fn a_request_that_was_refused_is_in_no_sum_of_a_cache() {
    let computer = Computer::new();
    let asked = request("gpt-5", &[message("user", "A train to Oslo?")]);
    let asked_more =
        request("gpt-5", &[message("user", "A train to Oslo?"), message("user", "Tomorrow, please.")]);
    let refused = json!({ "error": { "type": "rate_limit_error", "message": "slow down" } });
    let usage = json!({ "prompt_tokens": 90, "completion_tokens": 4, "prompt_tokens_details": { "cached_tokens": 64 } });
    let choice = json!({ "index": 0, "finish_reason": "stop", "message": message("assistant", "At 9.") });
    let answer = json!({ "id": "a", "object": "chat.completion", "model": "gpt-5", "choices": [choice], "usage": usage });
    let line = |asked: &Value, response: &Value| json!({ "request": asked, "response": response });
    let log = lines(&[line(&asked, &refused), line(&asked_more, &answer)]);
    let tokens = run(&computer, "tokens", &log).json();
    let bill = &tokens["bill"];
    assert_eq!((&bill["calls"], &bill["unpaidCalls"]), (&json!(2), &json!(1)), "{bill}");
    assert_eq!(bill["promptTokens"].as_u64().unwrap() - bill["unpaidTokens"].as_u64().unwrap(), 90);
    assert_eq!((&bill["cachedTokens"], &bill["writtenTokens"]), (&json!(64), &json!(0)));
    let cache = run(&computer, "cache", &log).json();
    assert_eq!(cache["lostTokens"], 0, "nothing was stored that could have been found");
    // Where the same was sent again, it is an attempt at one call.
    let again = lines(&[line(&asked, &refused), line(&asked, &answer)]);
    let bill = &run(&computer, "tokens", &again).json()["bill"];
    assert_eq!((&bill["calls"], &bill["promptTokens"]), (&json!(1), &json!(90)), "{bill}");
}
