//! Served apps by a clock whose hands a test moves.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use strata_context::{Command, ContextError, ContextId, Fate, NewTask, NoSummary, TaskId, TaskStatus};
use strata_model::{Json, Object, json};
use strata_store::Store;
use tempfile::TempDir;

use super::live::TaskNews;
use super::*;
use crate::report::{ModelChoice, RunLimits};

#[derive(Default)]
struct Hands(AtomicI64);

impl Hands {
    fn set_minutes(&self, minutes: i64) {
        self.0.store(minutes * 60_000, Ordering::Relaxed);
    }
}

impl ContextClock for Hands {
    fn now(&self) -> Millis {
        Millis(self.0.load(Ordering::Relaxed))
    }
}

/// A folder with an app that says back what it is told.
struct Desk {
    folder: TempDir,
    clock: Arc<Hands>,
}

impl Desk {
    fn new() -> Self {
        let desk = Self { folder: TempDir::new().unwrap(), clock: Arc::default() };
        let app = r#"{"name": "desk", "rootAgent": {"name": "front", "model": "m", "outputKey": "last"}}"#;
        std::fs::write(desk.folder.path().join("app.json"), app).unwrap();
        desk
    }

    fn serve(&self) -> Arc<ServedApp> {
        let choice = ServeChoice {
            app: self.folder.path().join("app.json"),
            database: Some(self.folder.path().join("x.db")),
            model: ModelChoice::Echo,
            tools: None,
            limits: RunLimits::default(),
        };
        Arc::new(ServedApp::open(choice, self.clock.clone(), strata_testkit::runtime()).unwrap())
    }

    fn store(&self) -> Store {
        Store::open(&self.folder.path().join("x.db")).unwrap()
    }
}

fn ask(text: &str, context: Option<&str>) -> Ask {
    let mut ask = Ask::new(Door::Http, Principal::new("ana"), text);
    ask.context_ids.extend(context.map(|id| (IdPlace::Header, id.to_owned())));
    ask
}

fn ana() -> Asker {
    Asker { principal: Principal::new("ana"), context_ids: Vec::new() }
}

fn call(app: &Arc<ServedApp>, method: &str, params: Object) -> Json {
    let call = Object::from_iter([
        ("jsonrpc", Json::from("2.0")),
        ("id", Json::Int(1)),
        ("method", method.into()),
        ("params", params.into()),
    ]);
    match answer_a2a(app, json::object_to_compact(&call).as_bytes(), None, &ana()) {
        A2aReply::Whole(document) => json::parse(document.as_bytes()).unwrap(),
        A2aReply::Stream(_) => panic!("a stream"),
    }
}

#[test]
fn an_hour_after_the_last_request_a_context_is_gone_cleaned_up_or_not() {
    let desk = Desk::new();
    let app = desk.serve();
    let id = app.answer(ask("hello", None)).unwrap().context_id;
    desk.clock.set_minutes(59);
    app.answer(ask("again", Some(&id))).unwrap();
    desk.clock.set_minutes(118);
    assert_eq!(app.clean().unwrap(), 1, "it is marked idle");
    app.answer(ask("and again", Some(&id))).unwrap();
    desk.clock.set_minutes(178);
    let expired =
        ContextError::Expired { id: ContextId::parse(&id).unwrap(), expired_at: Some(Millis::minutes(178)) };
    for _ in 0..2 {
        let Err(ServeError::Context(error)) = app.answer(ask("late", Some(&id))) else {
            panic!("it was answered")
        };
        assert_eq!(error, expired);
        app.clean().unwrap();
    }
    let archived = desk.store().archived_contexts().unwrap();
    assert_eq!(archived[0].context.as_ref().unwrap().n_messages, 6);
    assert_eq!(archived[0].expired_at, Millis::minutes(178));
    assert_eq!(desk.store().sessions("", 0..9).unwrap().total, 1, "its session stays");
}

#[test]
fn dropped_messages_become_an_extractive_summary() {
    let desk = Desk::new();
    let app = desk.serve();
    let id = app.answer(ask("The budget is 50000 dollars until 2026-12-01.", None)).unwrap().context_id;
    for n in 0..26 {
        app.answer(ask(&format!("Message {n}."), Some(&id))).unwrap();
    }
    let held = desk.store().context(&ContextId::parse(&id).unwrap()).unwrap().unwrap();
    assert_eq!(held.context.messages.len(), 50);
    let summary = &held.context.messages[0];
    assert!(summary.is_summary() && summary.content.contains("50000"), "{}", summary.content);
}

#[test]
fn a_context_knows_its_session_while_its_first_task_is_at_work() {
    let desk = Desk::new();
    let app = desk.serve();
    let started = app.start(ask("hello", None)).unwrap();
    let known = || desk.store().context(&started.context_id).unwrap().unwrap().context.session;
    let mut news = started.running.task.news.subscribe();
    std::thread::scope(|scope| {
        scope.spawn(|| app.finish(&started).unwrap());
        while !matches!(news.blocking_recv().unwrap(), TaskNews::Said(_)) {}
        // It has said something, and is not at its end.
        assert!(known().is_some());
    });
}

#[test]
fn a_task_that_runs_is_stopped_when_it_is_cancelled() {
    let desk = Desk::new();
    let app = desk.serve();
    let started = app.start(ask("hello", None)).unwrap();
    let id = started.task_id().as_str().to_owned();
    let answer = std::thread::scope(|scope| {
        let cancelled = scope.spawn(|| call(&app, "CancelTask", Object::from_iter([("id", id.as_str())])));
        strata_testkit::runtime().block_on(started.running.task.stop.cancelled());
        let answer = app.finish(&started).unwrap();
        let told = cancelled.join().unwrap();
        let state = told.get("result").and_then(|task| task.get("status")?.get("state"));
        assert_eq!(state, Some(&"TASK_STATE_CANCELED".into()), "{told:?}");
        answer
    });
    assert_eq!(answer.status, AnswerStatus::Canceled);
    // The context goes on.
    let next = app.answer(ask("again", Some(&answer.context_id))).unwrap();
    assert_eq!((next.status, &*next.text), (AnswerStatus::Completed, "again"));
}

#[test]
fn whoever_subscribes_to_a_task_that_runs_is_told_how_it_ends() {
    let desk = Desk::new();
    let app = desk.serve();
    let started = app.start(ask("hello", None)).unwrap();
    let params = format!(
        r#"{{"jsonrpc": "2.0", "id": 1, "method": "tasks/resubscribe", "params": {{"id": "{}"}}}}"#,
        started.task_id()
    );
    let reply = answer_a2a(&app, params.as_bytes(), None, &ana());
    let A2aReply::Stream(mut documents) = reply else { panic!("{reply:?}") };
    app.finish(&started).unwrap();
    let mut states = Vec::new();
    while let Some(document) = documents.blocking_recv() {
        let document = json::parse(document.as_bytes()).unwrap();
        let result = document.get("result").unwrap();
        let state = result.get("status").and_then(|status| status.get("state")?.as_str().map(str::to_owned));
        states.push(state.unwrap_or_else(|| "artifact".to_owned()));
    }
    assert_eq!(states, ["working", "working", "artifact", "completed"]);
}

#[test]
fn a_task_of_a_server_that_was_killed_ends_when_one_starts() {
    let desk = Desk::new();
    let id = desk.serve().answer(ask("hello", None)).unwrap().context_id;
    let context = ContextId::parse(&id).unwrap();
    let task = TaskId::parse("left").unwrap();
    let new = NewTask {
        task_id: task.clone(),
        operation: "front".into(),
        params: Object::new(),
        parent: None,
        waits_for: Vec::new(),
    };
    let begun = vec![Command::BeginTask(new)];
    desk.store().obey_context(&context, &Principal::new("ana"), begun, Millis(1), &NoSummary).unwrap();
    desk.clock.set_minutes(600);
    let app = desk.serve();
    let held = desk.store().context(&context).unwrap().unwrap();
    assert_eq!(held.tasks[&task].status, TaskStatus::Failed);
    assert!(held.tasks[&task].told.as_deref().unwrap().starts_with("The server stopped while it worked."));
    assert!(held.context.active_tasks.is_empty());
    let told = call(&app, "GetTask", Object::from_iter([("id", "left")]));
    let state = told.get("result").and_then(|task| task.get("status")?.get("state"));
    assert_eq!(state, Some(&"TASK_STATE_FAILED".into()), "{told:?}");
    // Its clock runs again, from then.
    desk.clock.set_minutes(659);
    app.answer(ask("again", Some(&id))).unwrap();
    desk.clock.set_minutes(719);
    assert_eq!(app.clean().unwrap(), 1);
    assert_eq!(desk.store().archived_contexts().unwrap().len(), 1);
}

#[test]
fn a_server_that_starts_beside_another_leaves_its_tasks_alone() {
    let desk = Desk::new();
    let app = desk.serve();
    let started = app.start(ask("hello", None)).unwrap();
    let _other = desk.serve();
    let answer = app.finish(&started).unwrap();
    assert_eq!((answer.status, &*answer.text), (AnswerStatus::Completed, "hello"));
}

#[test]
fn a_request_that_is_refused_begins_no_context() {
    let desk = Desk::new();
    let app = desk.serve();
    let mut asked = ask("hello", None);
    asked.state = (0..9_000).map(|n| (format!("k{n}"), Json::Int(1))).collect();
    assert_eq!(app.answer(asked).unwrap_err().code(), "WORKING_STATE_TOO_LARGE");
    assert!(desk.store().contexts().unwrap().is_empty());
}

#[test]
fn keys_that_are_taken_away_are_nothing_to_the_agents() {
    let desk = Desk::new();
    let app = desk.serve();
    let mut asked = ask("hello", None);
    asked.state = Object::from_iter([("topic", "video")]);
    let id = app.answer(asked).unwrap().context_id;
    let mut asked = ask("again", Some(&id));
    asked.state = Object::from_iter([("topic", Json::Null)]);
    app.answer(asked).unwrap();
    let held = desk.store().context(&ContextId::parse(&id).unwrap()).unwrap().unwrap();
    assert_eq!(held.context.working_state, Object::from_iter([("last", "again")]));
    let session = desk.store().sessions("", 0..1).unwrap().entries.remove(0).id;
    assert_eq!(desk.store().read_session(&session).unwrap().unwrap().state.get("topic"), Some(&Json::Null));
    assert!(matches!(strata_context::fate(&held.context, Millis(0)), Fate::Stays));
}
