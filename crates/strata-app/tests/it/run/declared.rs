//! Tools as they are declared: what they cannot do without, and those that answer later.

use serde_json::{Value, json};
use strata_app::report::RunChoice;

use super::{Desk, one_agent, results, run, value};

/// A call of a tool with these arguments.
fn call(name: &str, args: &Value) -> Value {
    json!({"calls": [{"name": name, "args": args}]})
}

#[test]
fn a_call_without_what_is_required_does_not_reach_the_tool() {
    let schema = json!({"type": "object", "required": ["q", "n"],
                        "properties": {"q": {"type": "string"}, "n": {"type": "integer"}, "s": {"type": "string"}}});
    for key in ["parameters", "parametersJsonSchema"] {
        let desk = Desk::new(&one_agent(&[
            json!({"type": "function", "declaration": {"name": "plain", key: schema}}),
            json!({"type": "long_running_function", "declaration": {"name": "later", key: schema}}),
        ]));
        let tools = desk.file(
            "tools.js",
            "export function plain(args) { return args }\nexport function later() { return 'begun' }",
        );
        let script = json!([
            call("plain", &json!({})),
            call("later", &json!({"q": "a"})),
            call("plain", &json!({"q": null, "n": 1})),
            "Done.",
        ]);
        let report = run(&RunChoice { tools: Some(tools), ..desk.scripted(&script) }, &["Go."]).unwrap();
        let refusal = |tool: &str, missing: &str| {
            json!({"error": format!(
                "Invoking `{tool}()` failed as the following mandatory input parameters are not present:\n{missing}\n\
                 You could retry calling this tool, but it is IMPORTANT for you to provide all the mandatory parameters."
            )})
        };
        assert_eq!(
            results(&report),
            [refusal("plain", "q\nn"), refusal("later", "n"), json!({"q": null, "n": 1})],
            "{key}"
        );
    }
}

#[test]
fn a_function_that_answers_later_waits_for_its_answer() {
    let desk = Desk::new(&json!({}));
    let app = desk.file(
        "app.yaml",
        "name: a\ninstruction: x\ntools:\n  - name: LongRunningFunctionTool\n    args: {func: shop.later}\n\
         \x20 - name: get_user_choice\n",
    );
    let calls = [
        json!({"name": "later", "args": {"q": "z"}, "id": "k1"}),
        json!({"name": "get_user_choice", "args": {"options": ["left", "right"]}, "id": "k2"}),
    ];
    let choice = RunChoice { app: Some(app), ..desk.scripted(&json!([{ "calls": calls }, "Left it is."])) };
    let report = run(&choice, &["Go."]).unwrap();
    assert!(report.error.is_none(), "{:?}", report.error);
    assert_eq!(report.interrupts, ["k1", "k2"]);
    let shown = value(&report);
    let events = shown["events"].as_array().unwrap();
    assert_eq!((events.len(), &events[1]["longRunningToolIds"]), (2, &json!(["k1", "k2"])), "{shown}");
    let declared = &shown["calls"][0]["request"]["config"]["tools"][0]["functionDeclarations"];
    let note = "NOTE: This is a long-running operation.";
    for (at, name) in ["later", "get_user_choice"].into_iter().enumerate() {
        assert_eq!(declared[at]["name"], json!(name));
        assert!(declared[at]["description"].as_str().unwrap().contains(note), "{declared}");
    }

    let answers = vec![("k2".to_owned(), strata_model::Json::from("left"))];
    let script = desk.scripted(&json!(["Left it is."]));
    let on = RunChoice { session: Some(report.session), answers, model: script.model, ..choice };
    let answered = run(&on, &[]).unwrap();
    assert_eq!((results(&answered), answered.calls.len()), (vec![json!({"result": "left"})], 1));
    assert_eq!(answered.interrupts, ["k1"]);
}

#[test]
fn tools_of_gemini_are_sent_in_their_place_and_to_nobody_else() {
    let desk = Desk::new(&json!({}));
    let sent = |model: &str| {
        let tools = "tools:\n  - name: url_context\n  - name: load_memory\n  - name: google_maps_grounding\n";
        let app = desk.file("app.yaml", &format!("name: a\nmodel: {model}\ninstruction: x\n{tools}"));
        run(&RunChoice { app: Some(app), ..desk.scripted(&json!(["Done."])) }, &["Go."]).unwrap()
    };
    let report = sent("gemini-3.5-flash");
    let tools = value(&report)["calls"][0]["request"]["config"]["tools"].clone();
    let fields: Vec<&String> =
        tools.as_array().unwrap().iter().flat_map(|tool| tool.as_object().unwrap().keys()).collect();
    assert_eq!(fields, ["urlContext", "functionDeclarations", "googleMaps"]);
    let refused = sent("gpt-4o").error.unwrap().message;
    assert!(refused.contains("Url context tool is not supported for model gpt-4o"), "{refused}");
}

#[test]
fn an_agent_that_names_the_function_itself_hands_over() {
    let desk = Desk::new(&json!({}));
    let app = desk.file("app.yaml", "name: a\ninstruction: x\ntools:\n  - name: transfer_to_agent\n");
    let over = call("transfer_to_agent", &json!({"agent_name": "b", "transfer_reason": "It is b's."}));
    let report = run(&RunChoice { app: Some(app), ..desk.scripted(&json!([over])) }, &["Go."]).unwrap();
    let error = &report.error.as_ref().unwrap().message;
    assert!(error.contains("Transfer target agent 'b' not found."), "{error}");
    let shown = value(&report);
    let mut actions = shown["events"].as_array().unwrap().iter().map(|event| &event["actions"]);
    let told = actions.find(|actions| actions["transferToAgent"] == "b").unwrap();
    assert_eq!(told["transferReason"], "It is b's.");
}
