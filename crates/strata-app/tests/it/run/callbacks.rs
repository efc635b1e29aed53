//! Callbacks that are functions of the script: asked in order, with what they may read and change.

use serde_json::{Value, json};
use strata_app::report::{ModelChoice, RunChoice, RunReport};

use super::{Desk, compiled_again, one_agent, results, run, tool, value};

fn code(name: &str) -> Value {
    json!({"type": "code", "name": format!("lib.hooks.{name}")})
}

/// An agent with a tool and these callbacks.
fn desk(callbacks: &[(&str, &[&str])]) -> Desk {
    let mut app = one_agent(&[tool("look")]);
    for (point, names) in callbacks {
        app["root_agent"][*point] = names.iter().map(|name| code(name)).collect();
    }
    Desk::new(&app)
}

fn choice(desk: &Desk, answers: &Value, functions: &str) -> RunChoice {
    let tools = format!("export const look = ({{n}}) => ({{n, found: `thing ${{n}}`}})\n{functions}");
    RunChoice { tools: Some(desk.file("tools.js", &tools)), ..desk.scripted(answers) }
}

fn texts(report: &RunReport) -> Vec<String> {
    let events = report.events.iter().map(|event| serde_json::to_value(event).unwrap_or_default());
    let texts = events.flat_map(|event| {
        let parts = event["content"]["parts"].as_array().cloned().unwrap_or_default();
        parts.into_iter().filter_map(|part| part["text"].as_str().map(str::to_owned)).collect::<Vec<_>>()
    });
    texts.collect()
}

fn event(report: &RunReport, at: usize) -> Value {
    value(report)["events"][at].clone()
}

#[test]
fn the_first_that_returns_something_answers_in_the_place_of_an_agent() {
    let desk = desk(&[("before_agent_callbacks", &["note", "refuse", "never"])]);
    let functions = "export function note({agent}, context) { context.state.seen = agent }\n\
                     export const refuse = () => ({parts: [{text: 'Not today.'}]})\n\
                     export const never = (_, context) => { context.state.never = true }";
    let report = run(&choice(&desk, &json!(["x"]), functions), &["Go."]).unwrap();
    assert_eq!(texts(&report), ["Go.", "Not today."]);
    assert!(report.calls.is_empty(), "no model was asked");
    assert_eq!(report.state.session.get("seen").and_then(|seen| seen.as_str()), Some("helper"));
    assert_eq!(report.state.session.get("never"), None);
    assert_eq!(event(&report, 1)["actions"]["stateDelta"]["seen"], json!("helper"));
}

#[test]
fn what_is_returned_after_an_agent_follows_its_words() {
    let desk = desk(&[("after_agent_callbacks", &["sign"])]);
    let functions = "export const sign = ({agent}) => `-- ${agent}`";
    let report = run(&choice(&desk, &json!(["Hello."]), functions), &["Go."]).unwrap();
    assert_eq!(texts(&report), ["Go.", "Hello.", "-- helper"]);
}

#[test]
fn a_request_is_sent_as_a_callback_left_it_and_is_compiled_to_the_same_again() {
    let desk = desk(&[("before_model_callbacks", &["shorten", "mark"])]);
    let functions = "export function shorten(_, context) {\n  const {contents} = context.request\n  \
                     context.request.contents = contents.slice(-1)\n}\n\
                     export function mark(_, context) { context.request.config.systemInstruction += ' Be brief.' }";
    let report = run(&choice(&desk, &json!(["One.", "Two."]), functions), &["First.", "Second."]).unwrap();
    let second = &value(&report)["calls"][1]["request"];
    assert_eq!(second["contents"].as_array().unwrap().len(), 1);
    assert_eq!(second["contents"][0]["parts"][0]["text"], "Second.");
    assert!(second["config"]["systemInstruction"].as_str().unwrap().ends_with(" Be brief."), "{second}");
    compiled_again(&desk, &report);
}

#[test]
fn a_model_is_answered_for_and_its_answers_and_failures_are_replaced() {
    let spared = desk(&[("before_model_callbacks", &["cached"])]);
    let functions = "export const cached = ({agent}, {request}) => \
                     request.contents.length > 1 ? null : `From ${agent}.`";
    let report = run(&choice(&spared, &json!(["Live."]), functions), &["Go.", "On."]).unwrap();
    assert_eq!(texts(&report), ["Go.", "From helper.", "On.", "Live."]);
    assert_eq!(report.calls.len(), 1);

    let replaced = desk(&[("after_model_callbacks", &["polish"])]);
    let functions = "export const polish = ({response}, context) => {\n  \
                     context.state.raw = response.content.parts[0].text\n  \
                     return {...response, content: {role: 'model', parts: [{text: 'Polished.'}]}}\n}";
    let answer = json!([{"text": "Raw.", "usage": {"prompt": 7, "output": 2}}]);
    let report = run(&choice(&replaced, &answer, functions), &["Go."]).unwrap();
    assert_eq!(texts(&report), ["Go.", "Polished."]);
    let answered = event(&report, 1);
    assert_eq!(answered["actions"]["stateDelta"]["raw"], json!("Raw."), "it lands on the model's event");
    assert_eq!(answered["usageMetadata"]["promptTokenCount"], json!(7));

    let mended = desk(&[("on_model_error_callbacks", &["excuse"])]);
    let functions = "export const excuse = ({error}) => `${error.type}: ${error.message}`";
    let report = run(&choice(&mended, &json!([{"error": "It burns."}]), functions), &["Go."]).unwrap();
    assert_eq!(texts(&report), ["Go.", "ScriptedError: It burns."]);
    assert!(report.error.is_none());
}

#[test]
fn around_a_tool_arguments_are_changed_and_results_replaced() {
    let call = json!([{"calls": [{"name": "look", "args": {"n": 1}}]}, "Done."]);
    let desk_of = |point: &'static str| desk(&[(point, &["hook"])]);

    let report = run(
        &choice(
            &desk_of("before_tool_callbacks"),
            &call,
            "export function hook({tool}, context) { context.args.n += 41; context.state.tool = tool }",
        ),
        &["Go."],
    );
    let report = report.unwrap();
    assert_eq!(results(&report), [json!({"n": 42, "found": "thing 42"})]);
    assert_eq!(event(&report, 2)["actions"]["stateDelta"]["tool"], json!("look"), "on the result's event");
    assert_eq!(event(&report, 1)["content"]["parts"][0]["functionCall"]["args"], json!({"n": 1}));

    let functions = "export const hook = (_, {args}) => args.n === 1 ? {} : null";
    let report = run(&choice(&desk_of("before_tool_callbacks"), &call, functions), &["Go."]).unwrap();
    assert_eq!(results(&report), [json!({})], "an empty answer is one");

    let functions = "export const hook = ({result}) => ({only: result.found})";
    let report = run(&choice(&desk_of("after_tool_callbacks"), &call, functions), &["Go."]).unwrap();
    assert_eq!(results(&report), [json!({"only": "thing 1"})]);
}

#[test]
fn what_a_callback_does_wrong_ends_the_run_with_its_place() {
    let failed = |point: &'static str, functions: &str| {
        let desk = desk(&[(point, &["hook"])]);
        let choice = choice(&desk, &json!([{"calls": [{"name": "look", "args": {}}]}, "x"]), functions);
        let report = run(&choice, &["Go."]).unwrap();
        let error = report.error.clone().unwrap();
        assert_eq!(error.code, "ScriptError");
        assert!(error.message.contains("tools.js"), "{}", error.message);
        error.message
    };
    let thrown = failed("before_model_callbacks", "export function hook() {\n  throw new TypeError('no')\n}");
    assert!(
        thrown.contains("`hook`") && thrown.contains("TypeError: no") && thrown.contains("line 3"),
        "{thrown}"
    );
    let endless = failed("before_agent_callbacks", "export const hook = () => { for (;;); }");
    assert!(endless.contains("took longer than 2000 ms"), "{endless}");
    let wrong = failed("after_model_callbacks", "export const hook = () => 7");
    assert!(wrong.contains("should return a text, a response"), "{wrong}");
    let gone = failed("before_model_callbacks", "export const hook = (_, c) => { c.request = 'none' }");
    assert!(gone.contains("left no request"), "{gone}");
    let args = failed("before_tool_callbacks", "export const hook = (_, c) => { c.args = 3 }");
    assert!(args.contains("left no object"), "{args}");
}

#[test]
fn agent_configurations_of_google_adk_have_callbacks_too() {
    let desk = Desk::new(&json!({}));
    let yaml = "agent_class: LlmAgent\nname: helper\nmodel: gemini-3.5-flash\ninstruction: Help.\n\
                before_model_callbacks:\n  - name: lib.hooks.refuse\n";
    let with = choice(&desk, &json!(["x"]), "export const refuse = () => 'No.'");
    let with = RunChoice { app: Some(desk.file("app.yaml", yaml)), ..with };
    assert_eq!(texts(&run(&with, &["Go."]).unwrap()), ["Go.", "No."]);
    let without = RunChoice { tools: None, ..with };
    let (report, notes) = super::toolsets::noted(&without, &["Go."]);
    assert_eq!(texts(&report), ["Go.", "x"]);
    let note = "The callback lib.hooks.refuse of helper is code and is not run: the script has no function `refuse`.";
    assert!(notes.iter().any(|said| said == note), "{notes:?}");
}

#[test]
fn the_sample_hides_cards_and_looks_up_once() {
    let sample = |name: &str| {
        std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples/guarded-desk").join(name)
    };
    let desk = Desk::new(&json!({}));
    let choice = RunChoice {
        app: Some(sample("app.yaml")),
        tools: Some(sample("tools.js")),
        ..desk.choice(ModelChoice::Script(sample("answers.yaml")))
    };
    let turns = ["My card is 4111 1111 1111 1111. Where is order 7?", "And order 7 again?"];
    let report = run(&choice, &turns).unwrap();
    assert!(report.error.is_none(), "{:?}", report.error);
    let short = json!({"number": 7, "status": "on its way", "last_step": "scanned at depot 40"});
    assert_eq!(results(&report), [short.clone(), short]);
    let sent = value(&report)["calls"].to_string();
    assert!(sent.contains("My card is [a card]. Where") && !sent.contains("4111"), "{sent}");
    assert_eq!(texts(&report).last().unwrap(), "(desk: 1 looked up)");
    compiled_again(&desk, &report);
}
