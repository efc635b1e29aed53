//! Agents that run in sessions of the store: what is sent, what is stored, and what goes wrong.

#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]

mod agent_files;
mod callbacks;
mod declared;
mod from_call;
mod held;
mod kept;
mod resumed;
mod toolsets;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use futures_util::future::BoxFuture;
use serde_json::{Value, json};
use strata_app::report::{
    self, HeldReport, HoldDecision, HoldStep, Holder, ModelChoice, RunChoice, RunCompany, RunLimits,
    RunListener, RunNews, RunReport, Source, Step, Watch,
};
use strata_app::{AppError, Host, Options, Strata};
use strata_engine::{Experiment, FlowKind};
use strata_model::{App, Decoder, EventIndex, FromJson as _, Object, RecordedCall, json as model_json};
use strata_store::{SessionId, Store};
use strata_testkit::model_server::{ModelServer, Play, chat_stream};
use strata_wire::{Api, BodyOptions, encode, request_of};
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

/// A folder for an app, its files and its store.
struct Desk {
    folder: TempDir,
}

#[derive(Default)]
struct Heard(Mutex<Vec<String>>);

impl RunListener for Heard {
    fn hear(&self, news: RunNews<'_>) {
        if let RunNews::Said { agent, text } = news {
            self.0.lock().unwrap().push(format!("{agent}: {text}"));
        }
    }

    fn note(&self, text: &str) {
        self.0.lock().unwrap().push(text.to_owned());
    }
}

struct Quiet(CancellationToken);

impl Watch for Quiet {
    fn begins(&self, _: Step<'_>) {}

    fn progress(&self, _: u64, _: u64) {}

    fn stop(&self) -> &CancellationToken {
        &self.0
    }
}

impl Desk {
    fn new(app: &Value) -> Self {
        let desk = Self { folder: TempDir::new().unwrap() };
        desk.file("app.json", &app.to_string());
        desk
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn file(&self, name: &str, text: &str) -> PathBuf {
        std::fs::write(self.path(name), text).unwrap();
        self.path(name)
    }

    fn choice(&self, model: ModelChoice) -> RunChoice {
        RunChoice {
            app: Some(self.path("app.json")),
            from: None,
            database: Some(self.path("x.db")),
            session: None,
            resumes: false,
            user: "u".to_owned(),
            model,
            tools: None,
            recorded: None,
            state: Object::new(),
            answers: Vec::new(),
            limits: RunLimits::default(),
            holds: Vec::new(),
            remembers: false,
            is_streaming: false,
            tells_requests: true,
        }
    }

    fn scripted(&self, script: &Value) -> RunChoice {
        self.choice(ModelChoice::Script(self.file("script.json", &script.to_string())))
    }

    fn source(&self, session: &str) -> Source {
        Source { name: session.to_owned(), database: Some(self.path("x.db")), ..Source::default() }
    }

    fn store(&self) -> Store {
        Store::open(&self.path("x.db")).unwrap()
    }
}

fn run(choice: &RunChoice, messages: &[&str]) -> Result<RunReport, AppError> {
    let mut messages = messages.iter().map(|message| (*message).to_owned());
    let mut company = RunCompany {
        listener: Arc::new(Heard::default()),
        person: None,
        holder: None,
        next_message: &mut || messages.next(),
    };
    report::run(choice, &mut company, &Quiet(CancellationToken::new()), &strata_testkit::runtime())
}

fn value(report: &RunReport) -> Value {
    serde_json::to_value(report).unwrap()
}

fn tool(name: &str) -> Value {
    let parameters = json!({"type": "object", "properties": {"n": {"type": "integer"}}});
    json!({"type": "function", "declaration": {"name": name, "description": name, "parametersJsonSchema": parameters}})
}

fn one_agent(tools: &[Value]) -> Value {
    json!({"name": "desk", "root_agent": {
        "name": "helper", "model": "gpt-4o", "instruction": "Help {user:name?} with {topic?}.", "tools": tools,
        "generate_content_config": {"temperature": 0.5},
    }})
}

/// What the tools of a run answered.
fn results(report: &RunReport) -> Vec<Value> {
    let events = value(report)["events"].as_array().unwrap().clone();
    let parts = events.iter().filter_map(|event| event["content"]["parts"].as_array().cloned()).flatten();
    parts.filter_map(|part| part.get("functionResponse").map(|answer| answer["response"].clone())).collect()
}

/// An answer of each dialect as one document: a call of `look`, then words; with the usage it reports.
fn documents(api: Api) -> [Value; 2] {
    match api {
        Api::ChatCompletions => {
            let usage = json!({"prompt_tokens": 90, "completion_tokens": 7, "total_tokens": 97});
            let call = json!({"id": "c1", "type": "function", "function": {"name": "look", "arguments": "{\"n\":1}"}});
            [
                json!({"model": "m-1", "choices": [{"message": {"role": "assistant", "tool_calls": [call]},
                       "finish_reason": "tool_calls"}], "usage": usage}),
                json!({"model": "m-1", "choices": [{"message": {"role": "assistant", "content": "Done."},
                       "finish_reason": "stop"}], "usage": {"prompt_tokens": 120, "completion_tokens": 3,
                       "total_tokens": 123, "prompt_tokens_details": {"cached_tokens": 64}}}),
            ]
        }
        Api::Responses => [
            json!({"id": "r1", "object": "response", "status": "completed", "model": "m-1", "output": [
                   {"type": "function_call", "call_id": "c1", "name": "look", "arguments": "{\"n\":1}"}],
                   "usage": {"input_tokens": 90, "output_tokens": 7, "total_tokens": 97}}),
            json!({"id": "r2", "object": "response", "status": "completed", "model": "m-1", "output": [
                   {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Done."}]}],
                   "usage": {"input_tokens": 120, "output_tokens": 3, "total_tokens": 123,
                   "input_tokens_details": {"cached_tokens": 64}}}),
        ],
        Api::Gemini => [
            json!({"candidates": [{"content": {"role": "model", "parts": [
                   {"functionCall": {"name": "look", "args": {"n": 1}}}]}, "finishReason": "STOP"}],
                   "modelVersion": "m-1", "usageMetadata": {"promptTokenCount": 90, "candidatesTokenCount": 7,
                   "totalTokenCount": 97}}),
            json!({"candidates": [{"content": {"role": "model", "parts": [{"text": "Done."}]}, "finishReason": "STOP"}],
                   "modelVersion": "m-1", "usageMetadata": {"promptTokenCount": 120, "candidatesTokenCount": 3,
                   "totalTokenCount": 123, "cachedContentTokenCount": 64}}),
        ],
        Api::Anthropic => [
            json!({"type": "message", "role": "assistant", "model": "m-1", "stop_reason": "tool_use", "content": [
                   {"type": "tool_use", "id": "c1", "name": "look", "input": {"n": 1}}],
                   "usage": {"input_tokens": 90, "output_tokens": 7}}),
            json!({"type": "message", "role": "assistant", "model": "m-1", "stop_reason": "end_turn", "content": [
                   {"type": "text", "text": "Done."}], "usage": {"input_tokens": 56, "cache_read_input_tokens": 64,
                   "output_tokens": 3}}),
        ],
    }
}

/// Stores the server as an endpoint.
fn save_endpoint(desk: &Desk, server: &ModelServer, api: &str) {
    let strata = window(desk);
    let endpoint = json!({"name": "scripted server", "api": api, "baseUrl": server.url(), "model": "m-1",
                          "headers": [], "keyVariable": null});
    super::ask(&strata, "model/save", &json!({ "endpoint": endpoint }));
}

/// Compiles the stored session without the record of what was sent: it gives what was sent.
fn compiled_again(desk: &Desk, report: &RunReport) {
    let (store, id) = (desk.store(), SessionId::from(&*report.session));
    let requests = store.requests(&id).unwrap();
    let config = store.app_config(&id).unwrap().unwrap();
    let app = model_json::parse(config.text.as_bytes()).unwrap();
    let app = Arc::new(App::from_json(app, &mut Decoder::new()).unwrap());
    let session = Arc::new(store.read_session(&id).unwrap().unwrap());
    let made_from = requests
        .iter()
        .map(|request| (EventIndex(request.answer.unwrap()), RecordedCall::of_body(&request.body).unwrap()));
    let experiment = Experiment::new(session, app, FlowKind::Adk).with_recorded_calls(made_from);
    for (at, request) in requests.iter().enumerate() {
        let compiled = strata_testkit::request(&experiment, at as u32 + 1).to_json();
        assert_eq!(Some(compiled), request_of(&request.body).map(|request| request.to_json()));
    }
}

#[test]
fn what_is_sent_is_what_was_compiled_and_what_the_views_show() {
    let dialects = [
        (Api::ChatCompletions, "chatCompletions"),
        (Api::Responses, "responses"),
        (Api::Gemini, "gemini"),
        (Api::Anthropic, "anthropic"),
    ];
    for (api, name) in dialects {
        let desk = Desk::new(&one_agent(&[tool("look")]));
        let plays = documents(api).map(|document| Play::Document(document.to_string()));
        let server = ModelServer::start(plays.to_vec(), None);
        save_endpoint(&desk, &server, name);
        let endpoint = ModelChoice::Endpoint { name: "scripted server".to_owned(), model: None };
        let tools = desk.file("tools.js", "export function look({n}) { return {found: n} }");
        let state = Object::from_iter([("topic", "cats")]);
        let choice = RunChoice { tools: Some(tools), state, ..desk.choice(endpoint) };
        let report = run(&choice, &["Look, please."]).unwrap();
        assert!(report.error.is_none(), "{name}: {:?}", report.error);
        let received = server.received();
        assert_eq!(received.len(), 2, "{name}");

        // What stands in the store is what went out.
        let store = desk.store();
        let id = SessionId::from(&*report.session);
        let requests = store.requests(&id).unwrap();
        let options = BodyOptions { is_streamed: true, max_output_tokens: None };
        for (request, received) in requests.iter().zip(&received) {
            let request = request_of(&request.body).unwrap();
            let body = model_json::to_compact(&encode(api, "m-1", &request, options));
            assert_eq!(body, model_json::to_compact(&received.body), "{name}");
        }

        // It is what compiling the stored session gives, without the record of what was sent.
        compiled_again(&desk, &report);

        // The views have the same requests, with what the server reported on the calls it reported it for.
        let shown = value(&report);
        let watch = Quiet(CancellationToken::new());
        let cache = report::cache(&desk.source(&report.session), None, &watch).unwrap();
        let cache = serde_json::to_value(&cache).unwrap();
        for (at, (prompt, cached)) in [(90, None), (120, Some(64))].into_iter().enumerate() {
            let call = &cache["calls"][at];
            assert_eq!(
                (&call["promptTokens"], &call["promptBasis"]),
                (&json!(prompt), &json!("reported")),
                "{name}"
            );
            assert_eq!(shown["calls"][at]["promptTokens"], json!(prompt), "{name}");
            assert_eq!(shown["calls"][at]["call"], json!(at + 1), "{name}");
            if cached.is_some() {
                assert_eq!(call["reportedCachedTokens"], json!(cached), "{name}");
            }
            assert_eq!(call["requestBasis"], json!("recorded"), "{name}");
        }
        assert_eq!(results(&report), [json!({"found": 1})], "{name}");
        assert_eq!(shown["state"]["session"]["topic"], json!("cats"), "{name}");
    }
}

#[test]
fn words_come_piece_by_piece_and_are_stored_whole() {
    let desk = Desk::new(&one_agent(&[]));
    let server =
        ModelServer::start(vec![Play::Stream { body: chat_stream("One two three.", 50, 4), piece: 9 }], None);
    save_endpoint(&desk, &server, "chatCompletions");
    let endpoint = ModelChoice::Endpoint { name: "scripted server".to_owned(), model: None };
    let choice = RunChoice { is_streaming: true, ..desk.choice(endpoint) };
    let report = run(&choice, &["Count."]).unwrap();
    let events = value(&report)["events"].as_array().unwrap().clone();
    assert_eq!(events.len(), 2);
    assert_eq!(events[1]["content"]["parts"], json!([{"text": "One two three."}]));
    assert_eq!(events[1]["usageMetadata"]["promptTokenCount"], json!(50));
}

#[test]
fn an_answer_that_is_cut_off_is_kept_as_far_as_it_came() {
    let desk = Desk::new(&one_agent(&[]));
    let cut = Play::Cut { body: chat_stream("Half of a sentence that never ends.", 50, 4), after: 300 };
    let server = ModelServer::start(vec![cut], None);
    save_endpoint(&desk, &server, "chatCompletions");
    let report = run(
        &desk.choice(ModelChoice::Endpoint { name: "scripted server".to_owned(), model: None }),
        &["Go."],
    )
    .unwrap();
    let error = report.error.as_ref().unwrap();
    assert_eq!(error.code, "CUT_OFF");
    let last = value(&report)["events"][1].clone();
    assert!(last["content"]["parts"][0]["text"].as_str().unwrap().starts_with("Half"), "{last}");
}

#[test]
fn a_tool_that_hangs_floods_or_throws_is_an_error_that_the_agent_reads() {
    let names = ["hang", "flood", "fail", "vanish", "fine"];
    let desk = Desk::new(&one_agent(&names.map(tool)));
    let calls: Vec<Value> =
        names.iter().map(|name| json!({"calls": [{"name": name, "args": {"n": 1}}]})).collect();
    let script = Value::from([calls, vec![json!("That is all.")]].concat());
    let tools = desk.file(
        "tools.js",
        "export function hang() { for (;;); }\n\
         export function flood() { return 'x'.repeat(5 << 20) }\n\
         export function fail({n}) { throw new Error(`no ${n} here`) }\n\
         export function fine(args, context) { context.state.seen = args.n; return 'ok' }\n",
    );
    let choice = RunChoice { tools: Some(tools), ..desk.scripted(&script) };
    let report = run(&choice, &["Go."]).unwrap();
    assert!(report.error.is_none(), "{:?}", report.error);
    let results = results(&report);
    let problem =
        |at: usize| results[at]["error"].as_str().unwrap_or_else(|| panic!("{results:?}")).to_owned();
    assert!(problem(0).contains("took longer than"), "{}", problem(0));
    assert!(problem(1).contains("5.0 MB, and 4 MB is the most"), "{}", problem(1));
    assert!(problem(2).contains("no 1 here") && problem(2).contains("line 3"), "{}", problem(2));
    assert!(problem(3).contains("Nobody answers the tool `vanish`"), "{}", problem(3));
    assert_eq!(results[4], json!({"result": "ok"}));
    assert_eq!(value(&report)["state"]["session"]["seen"], json!(1));
}

#[test]
fn tools_answer_again_as_they_did_in_a_recorded_session() {
    let desk = Desk::new(&one_agent(&[tool("look")]));
    let script = json!([{"calls": [{"name": "look", "args": {"n": 1}}]}, "Found."]);
    let tools = desk.file("tools.js", "export function look({n}) { return {found: n * 7} }");
    let first = run(&RunChoice { tools: Some(tools), ..desk.scripted(&script) }, &["Go."]).unwrap();
    let again = RunChoice { recorded: Some(first.session.clone()), ..desk.scripted(&script) };
    assert_eq!(results(&run(&again, &["Go."]).unwrap()), [json!({"found": 7})]);
    let other = json!([{"calls": [{"name": "look", "args": {"n": 2}}]}, "Not found."]);
    let other = RunChoice { recorded: Some(first.session), ..desk.scripted(&other) };
    let results = results(&run(&other, &["Go."]).unwrap());
    assert!(results[0]["error"].as_str().unwrap().contains("Nobody answers"), "{results:?}");
}

#[test]
fn a_session_goes_on_in_another_run() {
    let desk = Desk::new(&one_agent(&[]));
    let state = Object::from_iter([("topic", "cats")]);
    let first = run(&RunChoice { state, ..desk.scripted(&json!(["Hello."])) }, &["Hi."]).unwrap();
    let on = RunChoice { session: Some(first.session.clone()), ..desk.scripted(&json!(["Still cats."])) };
    let second = run(&on, &["And now?"]).unwrap();
    assert_eq!((&second.session, second.events.len()), (&first.session, 2));
    let request = value(&second)["calls"][0]["request"].clone();
    assert_eq!(request["contents"].as_array().unwrap().len(), 3, "{request}");
    assert!(request["config"]["systemInstruction"].as_str().unwrap().contains("with cats"), "{request}");
    assert_eq!(value(&second)["calls"][0]["call"], json!(2));
    let entry = desk.store().session_entry(&SessionId::from(&*first.session)).unwrap().unwrap();
    assert_eq!((entry.n_events, entry.title.as_str()), (4, "Hi."));
}

#[test]
fn an_imported_session_stays_as_it_is_and_a_new_one_goes_on() {
    let desk = Desk::new(&one_agent(&[]));
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/samples/adk/weather.session.json");
    let imported =
        report::import(&[file], Some(&desk.path("x.db")), false, &Quiet(CancellationToken::new())).unwrap();
    let id = serde_json::to_value(&imported).unwrap()["sessions"][0]["id"].as_str().unwrap().to_owned();
    let before = desk.store().read_session(&SessionId::from(&*id)).unwrap().unwrap();
    let choice = RunChoice { session: Some(id.clone()), ..desk.scripted(&json!(["Sunny, still."])) };
    let report = run(&choice, &["And tomorrow?"]).unwrap();
    assert_ne!(report.session, id);
    assert_eq!(report.events.len(), 2);
    let store = desk.store();
    assert_eq!(store.read_session(&SessionId::from(&*id)).unwrap().unwrap(), before);
    let grown = store.read_session(&SessionId::from(&*report.session)).unwrap().unwrap();
    assert_eq!(grown.events[..before.events.len()], before.events[..]);
}

#[test]
fn a_summary_that_fails_is_told() {
    let mut app = one_agent(&[]);
    app["events_compaction_config"] = json!({"compaction_interval": 1, "overlap_size": 0});
    let desk = Desk::new(&app);
    let heard = Arc::new(Heard::default());
    let mut messages = ["Hello".to_owned()].into_iter();
    let mut company = RunCompany {
        listener: heard.clone(),
        person: None,
        holder: None,
        next_message: &mut || messages.next(),
    };
    let choice = desk.choice(ModelChoice::Echo);
    let quiet = Quiet(CancellationToken::new());
    let report = report::run(&choice, &mut company, &quiet, &strata_testkit::runtime()).unwrap();
    assert!(report.error.is_none());
    let told = heard.0.lock().unwrap().clone();
    assert!(told.iter().any(|line| line == "No summary was made: An echo summarises nothing."), "{told:?}");
}

#[test]
fn a_model_that_loops_is_stopped_by_the_limits() {
    let desk = Desk::new(&one_agent(&[tool("look")]));
    let call = json!({"calls": [{"name": "look", "args": {"n": 1}}]});
    let script = Value::from(vec![call; 20]);
    let tools = desk.file("tools.js", "export function look({n}) { return 'x '.repeat(500) }");
    let looping = |limits| {
        let choice = RunChoice { tools: Some(tools.clone()), limits, ..desk.scripted(&script) };
        let report = run(&choice, &["Go."]).unwrap();
        (report.error.unwrap().code, report.calls.len())
    };
    let calls = looping(RunLimits { calls: Some(3), ..RunLimits::default() });
    assert_eq!(calls, ("LlmCallsLimitExceededError".to_owned(), 3));
    let (code, n_calls) = looping(RunLimits { tokens: Some(3_000), ..RunLimits::default() });
    assert_eq!(code, "BudgetExceededError");
    assert!((2..6).contains(&n_calls), "{n_calls}");
    // What a script answers is charged as the agent's model would be.
    let (code, cheaper) = looping(RunLimits { dollars: Some(0.000_3), ..RunLimits::default() });
    assert_eq!(code, "BudgetExceededError");
    assert!((1..20).contains(&cheaper), "{cheaper}");
}

#[test]
fn what_cannot_run_is_refused_before_anything_is_stored() {
    let desk = Desk::new(&json!({"name": "a", "root_agent": {"type": "custom", "name": "sums"}}));
    let refused = run(&desk.scripted(&json!(["x"])), &["Go."]).unwrap_err();
    assert!(
        refused.message.contains("`sums`") && refused.message.contains("--tools FILE"),
        "{}",
        refused.message
    );
    let twice = json!({"name": "user", "model": "m"});
    let desk = Desk::new(&json!({"name": "a", "root_agent": twice}));
    let refused = run(&desk.scripted(&json!(["x"])), &["Go."]).unwrap_err();
    assert!(refused.message.contains("google-adk would not start with it"), "{}", refused.message);
    let desk = Desk::new(&one_agent(&[]));
    let missing = run(&desk.choice(ModelChoice::named("scripted:nowhere.yaml")), &["Go."]).unwrap_err();
    assert!(missing.message.contains("nowhere.yaml cannot be read"), "{}", missing.message);
    assert_eq!(desk.store().sessions("", 0..9).unwrap().total, 0);
}

#[test]
fn what_the_window_does_commands_can_do() {
    let desk = Desk::new(&one_agent(&[tool("look")]));
    let script = json!([{"calls": [{"name": "look", "args": {"n": 3}}]}, "Three.", {"error": "It broke."}]);
    let (script, app) = (desk.file("script.json", &script.to_string()), desk.path("app.json"));
    let tools = desk.file("tools.js", "export function look({n}) { return n }");
    for database in [None, Some(desk.path("window.db"))] {
        let options =
            Options { host: Host::Browser, database, open: Vec::new(), runtime: strata_testkit::runtime() };
        let strata = Strata::start(options).unwrap();
        let mut heard = strata.subscribe();
        let params = json!({"app": app, "model": format!("scripted:{}", script.display()), "tools": tools});
        let run = super::ask(&strata, "run/start", &params);
        assert_eq!((&run["phase"], &run["calls"], &run["app"]), (&json!("idle"), &json!(0), &json!("desk")));
        let id = run["run"].as_str().unwrap();
        let turn = |message: &str| {
            super::ask(&strata, "run/send", &json!({"run": id, "message": message, "answers": []}));
            let mut status = Value::Null;
            super::wait_until(|| {
                status = super::ask(&strata, "run/get", &json!({ "run": id }));
                status["phase"] != "running"
            });
            status
        };
        let answered = turn("How many?");
        assert_eq!((&answered["calls"], &answered["error"]), (&json!(2), &Value::Null));
        let session = run["session"].as_str().unwrap();
        assert_eq!(super::compiled(&strata, session)["calls"], json!(2));
        assert!(std::iter::from_fn(|| heard.try_next()).any(|said| format!("{said:?}").starts_with("Run ")));
        let failed = turn("And now?");
        assert_eq!(failed["error"]["message"], json!("It broke."));
        assert_eq!(super::compiled(&strata, session)["calls"], json!(3), "the failed call is one, too");
        let stopped = super::ask(&strata, "run/stop", &json!({ "run": id }));
        assert_eq!(stopped["phase"], json!("stopped"));
        let send = json!({"run": id, "message": "Hello?", "answers": []});
        assert!(super::refuse(&strata, "run/send", &send).1.contains("was stopped"));
        assert_eq!(super::ask(&strata, "run/list", &json!({}))["runs"].as_array().unwrap().len(), 1);
        let on = super::ask(&strata, "run/start", &json!({"app": app, "model": "echo", "session": session}));
        assert_eq!((&on["session"], &on["run"]), (&json!(session), &json!("2")));
    }
}

#[test]
fn a_run_for_which_there_is_no_room_stores_nothing() {
    let desk = Desk::new(&one_agent(&[]));
    let strata = window(&desk);
    let params = json!({"app": desk.path("app.json"), "model": "echo"});
    let n_all = || desk.store().sessions("", 0..1).unwrap().total;
    let n_before = n_all();
    let n_stored = || n_all() - n_before;
    let runs: Vec<Value> = (0..32).map(|_| super::ask(&strata, "run/start", &params)).collect();
    assert!(super::refuse(&strata, "run/start", &params).1.contains("too many runs"));
    assert_eq!(n_stored(), 32);
    super::ask(&strata, "run/stop", &json!({"run": runs[3]["run"]}));
    let next = super::ask(&strata, "run/start", &params);
    assert_eq!((&next["run"], n_stored()), (&json!("33"), 33));
    assert!(
        super::refuse(&strata, "run/get", &json!({"run": runs[3]["run"]}))
            .1
            .contains("no longer on the list")
    );
    let wrong = json!({"app": desk.path("app.json"), "model": "echo", "holds": ["tokens=many"]});
    super::ask(&strata, "run/stop", &json!({"run": runs[4]["run"]}));
    assert!(super::refuse(&strata, "run/start", &wrong).1.contains("`many` is no number of tokens"));
}

/// The program, on the store of the desk.
fn window(desk: &Desk) -> Arc<Strata> {
    let options = Options {
        host: Host::Browser,
        database: Some(desk.path("x.db")),
        open: Vec::new(),
        runtime: strata_testkit::runtime(),
    };
    Strata::start(options).unwrap()
}

/// Waits until a run is as it should be.
fn until(strata: &Arc<Strata>, run: &str, is_so: impl Fn(&Value) -> bool) -> Value {
    let mut status = Value::Null;
    super::wait_until(|| {
        status = super::ask(strata, "run/get", &json!({ "run": run }));
        is_so(&status)
    });
    status
}
