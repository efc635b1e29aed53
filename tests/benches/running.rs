//! What the runtime itself works for each call of a model, in a session of 10,000 events and 1.9 million tokens.
//!
//! - `run_of_calls`: a turn in which an agent calls its model ten times and a tool nine times, both of which answer at
//!   once; sessions are in memory. The yardstick is the same turn of google-adk, where `STRATA_ORACLE_PYTHON` names a Python
//!   that has it. Both are CPU time of the one thread that works.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use criterion::{Criterion, SamplingMode, criterion_group, criterion_main};
use futures_util::future::{BoxFuture, ready};
use futures_util::stream::{self, BoxStream, StreamExt as _};
use strata_model::{
    App, Content, Decoder, Event, FromJson as _, FunctionCall, Json, LlmResponse, Object, Part, Session, Str,
    json,
};
use strata_oracle::worker::{Script, Worker};
use strata_runtime::{
    AgentCall, Answer, Chance, Clock, Code, EventSink, Failure, Halt, Hook, Host, InMemorySessions,
    ModelCall, Models, NodeCall, OpenGate, Program, Reception, RunConfig, Runner, Services, SessionKey,
    SessionService, ToolCall, ToolResult, Turn,
};
use strata_testkit::large;

const N_EVENTS: usize = 10_000;
const N_CALLS: usize = 10;
const TOOL: &str = "search";
const APP: &str = r#"{"name": "large", "root_agent": {
    "type": "llm", "name": "desk", "model": "gemini-2.5-flash", "description": "First contact",
    "instruction": "Serve {user:name}. Case {case}.",
    "tools": [{"type": "function", "declaration": {"name": "search", "description": "Finds things.",
        "parametersJsonSchema": {"type": "object", "properties": {"q": {"type": "string"}}}}}]
}}"#;

/// A model and a tool that answer at once, and ids that are numbers.
struct World {
    calls_of_turn: usize,
    n_calls: AtomicUsize,
    n_ids: AtomicU64,
}

impl World {
    fn new(calls_of_turn: usize) -> Arc<Self> {
        let (n_calls, n_ids) = (AtomicUsize::new(0), AtomicU64::new(0));
        Arc::new(Self { calls_of_turn, n_calls, n_ids })
    }
}

impl Clock for World {
    fn now(&self) -> f64 {
        0.0
    }

    fn sleep(&self, _: f64) -> BoxFuture<'static, ()> {
        Box::pin(ready(()))
    }
}

impl Chance for World {
    fn new_id(&self) -> Str {
        self.n_ids.fetch_add(1, Ordering::Relaxed).to_string().into()
    }

    fn spread(&self) -> f64 {
        0.0
    }
}

impl Models for World {
    fn generate(&self, _: ModelCall) -> BoxStream<'static, Result<LlmResponse, Failure>> {
        let made = self.n_calls.fetch_add(1, Ordering::Relaxed) + 1;
        if made.is_multiple_of(self.calls_of_turn) {
            return stream::iter([Ok(LlmResponse::from_text("That is all."))]).boxed();
        }
        let args = Object::from_iter([("q", Json::from(made.to_string()))]);
        let call =
            FunctionCall { name: Some(TOOL.into()), args: Some(Arc::new(args)), ..FunctionCall::default() };
        let content = Some(Arc::new(Content::new("model", [Part::from_call(call)])));
        stream::iter([Ok(LlmResponse { content, ..LlmResponse::default() })]).boxed()
    }
}

impl Code for World {
    fn run_tool<'a>(&'a self, call: ToolCall<'a>) -> BoxFuture<'a, Result<ToolResult, Failure>> {
        let found = Object::from_iter([("found", call.args.get("q").cloned().unwrap_or_default())]);
        Box::pin(ready(Ok(ToolResult::new(found))))
    }

    fn requires_confirmation(&self, _: &str, _: &Json, _: &Object) -> bool {
        false
    }

    fn open_toolset<'a>(&'a self, _: &'a Object) -> BoxFuture<'a, Result<(), Failure>> {
        Box::pin(ready(Ok(())))
    }

    fn hook<'a>(&'a self, _: Hook<'a>) -> BoxFuture<'a, Result<Answer, Failure>> {
        Box::pin(ready(Ok(Answer::Nothing)))
    }

    fn run_node<'a>(&'a self, _: NodeCall<'a>) -> BoxFuture<'a, Result<(), Halt>> {
        unreachable!("the app has no nodes")
    }

    fn run_agent<'a>(&'a self, _: AgentCall<'a>) -> BoxFuture<'a, Result<(), Halt>> {
        unreachable!("the app has no agents of its own kind")
    }
}

struct Deaf;

impl EventSink for Deaf {
    fn receive(&self, _: Arc<Event>) -> BoxFuture<'_, Reception> {
        Box::pin(ready(Reception::GoOn))
    }
}

/// An app that runs in a session.
struct Running {
    runner: Runner,
    key: SessionKey,
    world: Arc<World>,
}

impl Running {
    fn start(session: &Session, calls_of_turn: usize) -> Self {
        let app = json::parse(APP.as_bytes()).expect("the app is JSON");
        let app = App::from_json(app, &mut Decoder::new()).expect("the app is an app");
        let program = Program::new(Arc::new(app)).expect("google-adk would start with it");
        let world = World::new(calls_of_turn);
        let sessions = Arc::new(InMemorySessions::new());
        let key = SessionKey {
            app_name: session.app_name.clone(),
            user_id: session.user_id.clone(),
            session_id: session.id.clone(),
        };
        block_on(async {
            sessions.create(&key, &session.state).await.expect("a new session");
            for event in &session.events {
                sessions.append(&key, event).await.expect("an event that can be stored");
            }
        });
        let host = Host {
            clock: world.clone(),
            chance: world.clone(),
            models: world.clone(),
            code: world.clone(),
            gate: Arc::new(OpenGate),
        };
        let services = Services { sessions, artifacts: None, memory: None };
        Self { runner: Runner::new(Arc::new(program), host, services), key, world }
    }

    /// What a turn takes.
    fn turn(&self) -> Duration {
        let before = self.world.n_calls.load(Ordering::Relaxed);
        let start = cpu_time();
        let turn = Turn {
            message: Some(Content::new("user", [Part::from_text("Go on.")])),
            config: RunConfig { max_llm_calls: 0, ..RunConfig::default() },
            ..Turn::new(self.key.clone())
        };
        block_on(self.runner.run(turn, &Deaf)).expect("the turn ends well");
        let taken = cpu_time().saturating_sub(start);
        assert_eq!(self.world.n_calls.load(Ordering::Relaxed) - before, self.world.calls_of_turn);
        taken
    }
}

/// google-adk with the session loaded.
struct GoogleAdk {
    worker: Worker,
    question: Object,
}

impl GoogleAdk {
    fn start(python: &Path, session: &Session) -> Self {
        let question = Object::from_iter([
            ("app", json::parse(APP.as_bytes()).expect("the app is JSON")),
            ("session", session.to_json()),
            ("tool", TOOL.into()),
            ("calls", Json::from(N_CALLS as i64)),
        ]);
        Self { worker: Worker::start(python, Script::Work).expect("a Python with google-adk"), question }
    }

    fn turns(&mut self, n: u64) -> Duration {
        self.question.insert("measure", n.cast_signed());
        let answer = self.worker.ask(&Json::Object(self.question.clone())).expect("an answer");
        let seconds = answer.get("cpu_seconds").and_then(Json::as_array).expect("what it took");
        Duration::from_secs_f64(seconds.iter().filter_map(Json::as_f64).sum())
    }
}

fn run_of_calls(criterion: &mut Criterion) {
    let session = large::session(N_EVENTS);
    let mut group = criterion.benchmark_group("run_of_calls");
    group.sampling_mode(SamplingMode::Flat).sample_size(10);
    if let Some(python) = std::env::var_os("STRATA_ORACLE_PYTHON") {
        let mut google_adk = GoogleAdk::start(python.as_ref(), &session);
        group.bench_function("google_adk", |bencher| bencher.iter_custom(|n| google_adk.turns(n)));
    }
    group.bench_function("runtime", |bencher| {
        bencher.iter_custom(|n| {
            let running = Running::start(&session, N_CALLS);
            (0..n).map(|_| running.turn()).sum()
        });
    });
    group.finish();
}

fn block_on<T>(work: impl Future<Output = T>) -> T {
    strata_testkit::runtime().block_on(work)
}

/// Of this thread. Whoever else works at the same time does not count.
fn cpu_time() -> Duration {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").expect("a Linux that counts");
    let ns = told.split(' ').next().and_then(|ns| ns.parse().ok()).expect("nanoseconds on a processor");
    Duration::from_nanos(ns)
}

criterion_group!(benches, run_of_calls);
criterion_main!(benches);
