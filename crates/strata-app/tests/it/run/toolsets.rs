//! Tools of other programs and servers: said before they run, declared as google-adk declares them, and ended with the
//! run.

#![cfg(target_os = "linux")]

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use strata_app::report::{
    self, FromCall, ModelChoice, RunChoice, RunCompany, RunListener, RunNews, RunReport,
};
use strata_testkit::mcp_child::McpChild;
use tokio_util::sync::CancellationToken;

use super::{Desk, Quiet, results, run, value};

fn source(child: &McpChild, more: &Value) -> Value {
    let params = json!({"command": "sh", "args": child.args(), "env": {"GIVEN": "kept apart"}});
    let mut source = json!({"type": "mcp", "stdio_server_params": params, "call_timeout": 8});
    for (key, value) in more.as_object().unwrap() {
        source[key] = value.clone();
    }
    source
}

fn app(child: &McpChild, more: &Value) -> Value {
    let toolset = json!({"type": "toolset", "prefix": "far", "source": source(child, more)});
    json!({"name": "desk", "root_agent": {"name": "helper", "model": "gemini-3.5-flash", "instruction": "Help.",
           "tools": [toolset]}})
}

/// A desk with an app that has the tools of a program in its folder.
fn desk(more: &Value) -> (Desk, McpChild) {
    let desk = Desk::new(&json!({}));
    let child = McpChild::in_folder(desk.folder.path());
    desk.file("app.json", &app(&child, more).to_string());
    (desk, child)
}

fn calls(names: &[&str]) -> Value {
    let calls = names.iter().map(|name| json!({"calls": [{"name": name, "args": {"text": "hello"}}]}));
    calls.chain([json!("Done.")]).collect()
}

struct Noted(Arc<Mutex<Vec<String>>>);

impl RunListener for Noted {
    fn hear(&self, _: RunNews<'_>) {}

    fn note(&self, text: &str) {
        self.0.lock().unwrap().push(text.to_owned());
    }
}

pub(super) fn noted(choice: &RunChoice, messages: &[&str]) -> (RunReport, Vec<String>) {
    let notes: Arc<Mutex<Vec<String>>> = Arc::default();
    let mut messages = messages.iter().map(|message| (*message).to_owned());
    let mut company = RunCompany {
        listener: Arc::new(Noted(notes.clone())),
        person: None,
        holder: None,
        next_message: &mut || messages.next(),
    };
    let report =
        report::run(choice, &mut company, &Quiet(CancellationToken::new()), &strata_testkit::runtime());
    let notes = notes.lock().unwrap().clone();
    (report.unwrap(), notes)
}

#[test]
fn tools_of_a_program_are_declared_called_and_stored_and_the_program_ends() {
    let (desk, child) = desk(&json!({"tool_filter": ["say", "broken"]}));
    let (report, notes) = noted(&desk.scripted(&calls(&["far_say", "far_broken"])), &["Go."]);
    let said = format!(
        "Running this app starts the program `sh server.sh pid started` in {} with its own GIVEN, for helper.",
        desk.folder.path().display()
    );
    assert_eq!(notes, [said]);
    assert_eq!(
        results(&report),
        [
            json!({"content": [{"type": "text", "text": "You said hello"}], "isError": false}),
            json!({"content": [{"type": "text", "text": "it broke", "meta": {"a": 1}}],
                   "structuredContent": {"_meta": 2}, "isError": true}),
        ]
    );
    let config = &value(&report)["calls"][0]["request"]["config"];
    let declared = &config["tools"][0]["functionDeclarations"];
    let names: Vec<_> =
        declared.as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["far_broken", "far_say"]);
    assert_eq!(
        declared[1]["description"],
        "<<<BEGIN_UNTRUSTED_TOOL_DESCRIPTION>>>\nSays it.\n<<<END_UNTRUSTED_TOOL_DESCRIPTION>>>"
    );
    let system = config["systemInstruction"].as_str().unwrap();
    assert_eq!(system.matches("Tool descriptions quoted between").count(), 1, "said once: {system}");
    assert_eq!(child.is_running(), Some(false), "it ends with the run");
    // The session is compiled to the same by whoever opens it, without the program and what was given to it.
    let stored = desk.store().app_config(&report.session.as_str().into()).unwrap().unwrap().text;
    assert!(
        stored.contains("far") && stored.contains("Says it.") && !stored.contains("kept apart"),
        "{stored}"
    );
}

#[test]
fn a_tool_that_misbehaves_is_an_answer_that_the_agent_reads() {
    let (desk, child) = desk(&json!({}));
    let script = calls(&["far_hang", "far_crash", "far_flood", "far_nonsense", "far_say", "far_gone"]);
    let report = run(&desk.scripted(&script), &["Go."]).unwrap();
    assert!(report.error.is_none(), "{:?}", report.error);
    let results = results(&report);
    let problem = |at: usize| results[at]["error"].as_str().unwrap_or_default().to_owned();
    assert_eq!(problem(0), "MCP tool execution failed: It did not answer within 8 s.");
    assert!(problem(1).contains("Its last words: out of luck"), "{}", problem(1));
    assert!(
        problem(2).contains("It sent more than 8 MB") || problem(2).contains("did not answer"),
        "{}",
        problem(2)
    );
    assert!(problem(3).starts_with("MCP tool execution failed: "), "{}", problem(3));
    assert_eq!(results[4]["content"][0]["text"], "You said hello", "the server is there again");
    assert!(
        problem(5).starts_with("Invoking `far_gone()` failed as no tool with that name is available"),
        "{}",
        problem(5)
    );
    assert_eq!((child.is_running(), child.is_started_running()), (Some(false), Some(false)));
}

#[test]
fn a_server_that_is_not_there_costs_its_tools_and_no_more() {
    let desk = Desk::new(
        &json!({"name": "desk", "root_agent": {"name": "helper", "model": "gemini-3.5-flash", "tools": [
            {"type": "toolset", "source": {"type": "mcp", "stdio_server_params": {"command": "no-such-program-of-strata"}}},
            {"type": "function", "declaration": {"name": "look"}},
        ]}}),
    );
    let (report, notes) = noted(&desk.scripted(&json!(["Hello."])), &["Go."]);
    assert!(report.error.is_none());
    assert!(
        notes[1].starts_with("The MCP server `no-such-program-of-strata` gives no tools: the program"),
        "{notes:?}"
    );
    let request = &value(&report)["calls"][0]["request"];
    let declared = request["config"]["tools"][0]["functionDeclarations"].as_array().unwrap();
    assert_eq!(declared.len(), 1, "{request}");
}

#[test]
fn a_source_that_cannot_be_meant_is_refused_before_anything_is_stored() {
    let desk = Desk::new(&json!({"name": "desk", "root_agent": {"name": "helper", "model": "m", "tools": [
        {"type": "toolset", "source": {"type": "openapi", "spec_str": "{}"}}]}}));
    let error = run(&desk.scripted(&json!(["Hello."])), &["Go."]).unwrap_err();
    assert!(
        error.message.starts_with("A toolset of helper cannot be used: `hosts` lists nobody"),
        "{}",
        error.message
    );
    assert_eq!(desk.store().sessions("", 0..9).unwrap().entries.len(), 0);
}

#[test]
fn a_run_that_cannot_be_starts_nothing() {
    let (desk, child) = desk(&json!({}));
    let script = desk.scripted(&json!(["Hello."]));
    let refused = |choice: &RunChoice| run(choice, &["Go."]).unwrap_err().message;
    let gone = desk.choice(ModelChoice::Script(desk.path("nowhere.json")));
    assert!(refused(&gone).contains("nowhere.json cannot be read"));
    let tools = RunChoice { tools: Some(desk.path("nowhere.js")), ..script.clone() };
    assert!(refused(&tools).contains("nowhere.js cannot be read"));
    let mut twice = app(&child, &json!({}));
    twice["root_agent"]["name"] = json!("user");
    let choice = RunChoice { app: Some(desk.file("user.json", &twice.to_string())), ..script.clone() };
    assert!(refused(&choice).contains("google-adk would not start with"));
    let mut coded = app(&child, &json!({}));
    coded["root_agent"]["sub_agents"] = json!([{"type": "custom", "name": "sums"}]);
    let choice = RunChoice { app: Some(desk.file("coded.json", &coded.to_string())), ..script };
    assert!(refused(&choice).contains("`sums`"));
    assert_eq!((child.is_running(), child.is_started_running()), (None, None));
}

#[test]
fn several_servers_are_distrusted_in_one_sentence() {
    let desk = Desk::new(&json!({}));
    let child = McpChild::in_folder(desk.folder.path());
    let toolset = |prefix: &str, tool: &str| json!({"type": "toolset", "prefix": prefix, "source": source(&child, &json!({"tool_filter": [tool]}))});
    let tools = json!([toolset("far", "say"), toolset("near", "broken")]);
    let app = json!({"name": "desk", "root_agent": {"name": "helper", "model": "gemini-3.5-flash",
                     "instruction": "Help.", "tools": tools}});
    desk.file("app.json", &app.to_string());
    let report = run(&desk.scripted(&calls(&["far_say"])), &["Go."]).unwrap();
    let config = &value(&report)["calls"][0]["request"]["config"];
    let declared = config["tools"][0]["functionDeclarations"].as_array().unwrap();
    let fenced = |tool: &&Value| tool["description"].as_str().unwrap().starts_with("<<<BEGIN_UNTRUSTED");
    assert_eq!(declared.iter().filter(fenced).count(), 2);
    let system = config["systemInstruction"].as_str().unwrap();
    assert_eq!(system.matches("Tool descriptions quoted between").count(), 1, "{system}");
}

#[test]
fn a_recording_starts_nothing() {
    let (desk, child) = desk(&json!({}));
    let first = run(&desk.scripted(&calls(&["far_say"])), &["Go."]).unwrap();
    std::fs::remove_file(desk.path("pid")).unwrap();
    let again = RunChoice {
        app: None,
        from: Some(FromCall { session: first.session, call: 1, edits: Vec::new(), follows: false }),
        ..desk.scripted(&calls(&["far_say"]))
    };
    let (report, notes) = noted(&again, &[]);
    assert!(notes.iter().any(|note| note.contains("They are not started for a recording")), "{notes:?}");
    assert_eq!(results(&report).last().unwrap()["content"][0]["text"], "You said hello", "as recorded");
    assert_eq!(child.is_running(), None, "nothing was started");
}

#[test]
fn the_window_starts_nothing_that_nobody_has_agreed_to() {
    let (desk, child) = desk(&json!({}));
    let strata = super::window(&desk);
    let app = desk.path("app.json");
    let deeds = || crate::ask(&strata, "run/deeds", &json!({ "app": app }));
    let start = json!({"app": app, "model": "echo"});
    let refused = || crate::refuse(&strata, "run/start", &start).1;
    let n_stored = || desk.store().sessions("", 0..1).unwrap().total;
    let n_before = n_stored();

    let shown = deeds();
    let said = format!("starts the program `sh server.sh pid started` in {}", desk.folder.path().display());
    assert!(shown["deeds"][0].as_str().unwrap().contains(&said), "{shown}");
    assert_eq!(shown["isAgreed"], json!(false));
    assert!(refused().contains("Nobody has agreed") && refused().contains(&said), "{}", refused());
    assert_eq!((child.is_running(), n_stored()), (None, n_before), "nothing was started or stored");

    // What was looked at is no longer what the app does.
    desk.file("app.json", &instructed(&child, "Help more."));
    let stale = json!({"app": app, "mark": shown["mark"]});
    assert!(crate::refuse(&strata, "run/agree", &stale).1.contains("has changed since"));
    assert_eq!((child.is_running(), n_stored()), (None, n_before));

    let agreed = crate::ask(&strata, "run/agree", &json!({"app": app, "mark": deeds()["mark"]}));
    assert_eq!((&agreed["isAgreed"], &deeds()["isAgreed"]), (&json!(true), &json!(true)));
    let run = crate::ask(&strata, "run/start", &start);
    assert_eq!(child.is_running(), Some(true));
    crate::ask(&strata, "run/stop", &json!({"run": run["run"]}));

    // It is asked again where the file has changed, and not where it is as it was.
    desk.file("app.json", &app_text(&child));
    assert_eq!(deeds()["isAgreed"], json!(false));
    assert!(refused().contains("Nobody has agreed"));
    desk.file("app.json", &instructed(&child, "Help more."));
    assert_eq!(deeds()["isAgreed"], json!(true));
    let other = super::window(&desk);
    assert_eq!(
        crate::ask(&other, "run/deeds", &json!({ "app": app }))["isAgreed"],
        json!(true),
        "it is kept"
    );
}

#[test]
fn an_app_without_tools_from_outside_asks_nothing() {
    let desk = Desk::new(&json!({"name": "desk", "root_agent": {"name": "helper", "model": "m"}}));
    let strata = super::window(&desk);
    let deeds = crate::ask(&strata, "run/deeds", &json!({"app": desk.path("app.json")}));
    assert_eq!((&deeds["deeds"], &deeds["isAgreed"]), (&json!([]), &json!(true)));
}

fn app_text(child: &McpChild) -> String {
    app(child, &json!({})).to_string()
}

fn instructed(child: &McpChild, instruction: &str) -> String {
    let mut app = app(child, &json!({}));
    app["root_agent"]["instruction"] = json!(instruction);
    app.to_string()
}

#[test]
fn agent_configurations_of_google_adk_have_toolsets_too() {
    let (desk, _) = desk(&json!({}));
    let yaml = "agent_class: LlmAgent\nname: helper\nmodel: gemini-3.5-flash\ninstruction: Help.\ntools:\n  - name: McpToolset\n    args:\n      \
                stdio_connection_params:\n        server_params: {command: sh, args: [server.sh, pid, started]}\n        timeout: 20\n      \
                tool_filter: [say]\n      tool_name_prefix: near\n";
    let choice = RunChoice { app: Some(desk.file("app.yaml", yaml)), ..desk.scripted(&calls(&["near_say"])) };
    let report = run(&choice, &["Go."]).unwrap();
    assert_eq!(results(&report)[0]["content"][0]["text"], "You said hello");
}
