//! Sessions that are run again from one of their calls on.

use std::path::Path;

use serde_json::{Value, json};
use strata_app::AppError;
use strata_app::report::{self, FromCall, RunChoice, RunReport};
use strata_store::SessionId;
use tokio_util::sync::CancellationToken;

use super::{Desk, Quiet, one_agent, results, run, tool, until, value, window};

const MESSAGES: [&str; 3] = ["Look.", "Look again, please.", "Thanks."];

/// A session of three turns: the first two call a tool that counts in the state, so that C4 ends the second.
fn recorded(desk: &Desk) -> RunReport {
    let call = json!({"calls": [{"name": "look", "args": {"n": 1}}]});
    let script = json!([call, "One.", call, "Two.", "You are welcome."]);
    let counts = "export function look({n}, context) {\n\
                  context.state.seen = (context.state.seen ?? 0) + n; return {seen: context.state.seen} }";
    let tools = Some(desk.file("tools.js", counts));
    run(&RunChoice { tools, ..desk.scripted(&script) }, &MESSAGES).unwrap()
}

fn from(desk: &Desk, session: &str, call: u32, answers: &Value) -> RunChoice {
    let from = FromCall { session: session.to_owned(), call, edits: Vec::new(), follows: false };
    RunChoice { app: None, from: Some(from), ..desk.scripted(answers) }
}

fn refusal(choice: &RunChoice) -> String {
    let refused: AppError = run(choice, &[]).unwrap_err();
    refused.message
}

/// The requests of a run's calls, and whether they were answered as recorded.
fn requests(report: &RunReport) -> Vec<(bool, Value)> {
    let calls = value(report)["calls"].as_array().unwrap().clone();
    calls.iter().map(|call| (call["isReplayed"].as_bool().unwrap(), call["request"].clone())).collect()
}

#[test]
fn what_was_before_the_call_is_as_it_was_and_the_model_answers_from_there() {
    let desk = Desk::new(&one_agent(&[tool("look")]));
    let first = recorded(&desk);
    let before = desk.store().read_session(&SessionId::from(&*first.session)).unwrap();
    let again = run(&from(&desk, &first.session, 4, &json!(["Other words."])), &[]).unwrap();
    assert!(again.error.is_none(), "{:?}", again.error);
    assert_ne!(again.session, first.session);
    let (was, is) = (requests(&first), requests(&again));
    assert_eq!(is, [(true, was[2].1.clone()), (false, was[3].1.clone())], "byte for byte what was sent");
    assert_eq!(results(&again), [json!({"seen": 2})], "as recorded in this turn, not in the one before");
    assert_eq!(value(&again)["state"]["session"]["seen"], json!(2), "with what the tool wrote");

    let store = desk.store();
    assert_eq!(store.read_session(&SessionId::from(&*first.session)).unwrap(), before, "the recording stays");
    let grown = store.read_session(&SessionId::from(&*again.session)).unwrap().unwrap();
    assert_eq!(grown.events[..4], before.unwrap().events[..4]);
    let said = grown.events.last().unwrap().parts()[0].text.clone();
    assert_eq!((grown.events.len(), said.as_deref()), (8, Some("Other words.")));
    let recorded_requests = store.requests(&SessionId::from(&*again.session)).unwrap();
    let answers: Vec<_> = recorded_requests.iter().map(|request| request.answer).collect();
    assert_eq!(answers, [Some(1), Some(3), Some(5), Some(7)], "each call has its request");
}

#[test]
fn a_tool_that_is_called_otherwise_is_called_and_the_user_says_the_same_afterwards() {
    let desk = Desk::new(&one_agent(&[tool("look")]));
    let first = recorded(&desk);
    let other = json!({"calls": [{"name": "look", "args": {"n": 5}}]});
    let same = json!({"calls": [{"name": "look", "args": {"n": 1}}]});
    let mut choice = from(&desk, &first.session, 3, &json!([other, same, "Two ways.", "Bye."]));
    choice.from.as_mut().unwrap().follows = true;
    choice.tools = Some(desk.path("tools.js"));
    let again = run(&choice, &[]).unwrap();
    assert_eq!(results(&again), [json!({"seen": 6}), json!({"seen": 2})], "the script, then the recording");
    let replayed: Vec<bool> = requests(&again).into_iter().map(|(is_replayed, _)| is_replayed).collect();
    assert_eq!(replayed, [false; 4]);
    let last = requests(&again).pop().unwrap().1;
    let contents = last["contents"].as_array().unwrap();
    assert_eq!(contents.last().unwrap()["parts"][0]["text"], json!("Thanks."));
}

#[test]
fn edits_of_app_processors_and_events_hold_in_the_run() {
    let desk = Desk::new(&one_agent(&[tool("look")]));
    let first = recorded(&desk);
    let edits = desk.file(
        "edits.json",
        &json!([
            {"edit": "set_instruction", "agent": "helper", "text": "Be brief."},
            {"edit": "disable_processor", "processor": "identity"},
            {"edit": "drop_event", "event": 3},
        ])
        .to_string(),
    );
    let mut choice = from(&desk, &first.session, 4, &json!(["Brief."]));
    choice.from.as_mut().unwrap().edits = vec![edits];
    let again = run(&choice, &[]).unwrap();
    let (_, was) = requests(&first).swap_remove(3);
    let (is_replayed, is) = requests(&again).pop().unwrap();
    assert!(
        !is_replayed && was["config"]["systemInstruction"].as_str().unwrap().contains("You are an agent")
    );
    assert_eq!(is["config"]["systemInstruction"], json!("Be brief."));
    let texts = |request: &Value| request["contents"].to_string();
    assert!(texts(&was).contains("functionResponse") && texts(&was).matches("seen").count() == 2);
    assert_eq!(texts(&is).matches("seen").count(), 1, "the dropped result is gone: {is}");
}

#[test]
fn what_cannot_be_run_again_says_why() {
    let desk = Desk::new(&one_agent(&[tool("look")]));
    let first = recorded(&desk);
    let answers = json!(["x"]);
    assert!(refusal(&from(&desk, &first.session, 9, &answers)).contains("C9 is not in this session"));
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/samples");
    let sample = |name: &str| samples.join(name).display().to_string();
    let inferred = from(&desk, &sample("adk/weather.session.json"), 1, &answers);
    assert!(refusal(&inferred).contains("Give the app's configuration"));
    let transcript = from(&desk, &sample("claude-code/garden.jsonl"), 1, &answers);
    assert!(refusal(&transcript).contains("Only sessions of google-adk"), "{}", refusal(&transcript));
}

/// What the edits promised is set beside what they came to in the one call that a model answered.
fn check_promise(
    strata: &std::sync::Arc<strata_app::Strata>,
    recording: &str,
    experiment: &str,
    session: &str,
) {
    let compare = |a: &str, b: &str| {
        let params = json!({"a": a, "b": b, "by": "tokens", "offset": 0, "limit": 10});
        crate::ask(strata, "session/compare", &params)
    };
    let found = compare(experiment, session);
    let size = |session: &str| {
        crate::ask(strata, "call/get", &json!({"session": session, "call": 4}))["bill"]["promptTokens"]
            .clone()
    };
    let title = found["a"]["title"].as_str().unwrap();
    assert!(title.starts_with("Brief over "), "{title}");
    let promise = &found["promise"];
    let tokens = |of: &str| promise[of]["promptTokens"].clone();
    let sizes = [size(recording), size(experiment), size(session)];
    assert_eq!([tokens("recorded"), tokens("promised"), tokens("really")], sizes);
    assert!(sizes[0].as_u64() > sizes[1].as_u64(), "the instruction is shorter: {sizes:?}");
    let sentence = promise["sentence"].as_str().unwrap();
    assert!(sentence.starts_with("Over 1 call that was made again, the edits promised"), "{sentence}");
    assert_eq!(compare(recording, session)["promise"], Value::Null, "nothing was edited");
    assert_eq!(compare(experiment, recording)["promise"], Value::Null, "nothing was made again");
}

#[test]
fn the_window_runs_from_a_call_with_an_experiments_edits() {
    let desk = Desk::new(&one_agent(&[tool("look")]));
    let first = recorded(&desk);
    let strata = window(&desk);
    let made = crate::ask(&strata, "experiment/create", &json!({"session": first.session, "name": "Brief"}));
    let experiment = made["experiment"].as_str().unwrap();
    let edit = json!({"edit": "set_instruction", "agent": "helper", "text": "Be brief."});
    crate::ask(&strata, "experiment/edit", &json!({"experiment": experiment, "edits": [edit]}));
    let script = desk.file("script.json", &json!(["Brief."]).to_string());
    let params = json!({"app": null, "from": {"session": experiment, "call": 4},
                        "model": format!("scripted:{}", script.display())});
    let run = crate::ask(&strata, "run/start", &params);
    let id = run["run"].as_str().unwrap();
    assert_eq!((&run["from"]["waits"], &run["phase"]), (&json!(true), &json!("idle")));
    crate::ask(&strata, "run/send", &json!({"run": id, "message": "", "answers": []}));
    let status = until(&strata, id, |status| status["phase"] == "idle" && status["calls"] == json!(2));
    assert_eq!(status["from"], json!({"session": experiment, "call": 4, "replayed": 1, "waits": false}));
    let notes = status["notes"].to_string();
    assert!(notes.contains("From C3 on, prompts are not as they were recorded: the instruction"), "{notes}");
    assert!(
        crate::refuse(&strata, "run/send", &json!({"run": id, "message": "", "answers": []}))
            .1
            .contains("nothing to say")
    );
    let session = status["session"].as_str().unwrap();
    check_promise(&strata, &first.session, experiment, session);
    let text = report::show(&desk.source(session), &Quiet(CancellationToken::new()));
    assert!(text.is_ok());
}
