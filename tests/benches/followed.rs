//! A followed file that grows.
//!
//! - `follow`: one line behind a Claude Code transcript of 10,000 events. `line_appended` is from its place in the file until
//!   the store has it. `stored_shown` is from there until the window has what it draws of its call: it is told that the
//!   session changed, and asks for the header and the last column until the call is compiled. `line_shown` is both, from
//!   writing the line; in it are 20 ms in which the follower waits for the rest of a burst, and the rests it takes between
//!   its looks. The yardstick imports the same file into a store that is empty.

use std::fmt::Write as _;
use std::fs::OpenOptions;
use std::io::Write as _;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use criterion::{BatchSize, Criterion, SamplingMode, criterion_group, criterion_main};
use serde_json::{Value, json};
use strata_app::api::job::Notification;
use strata_app::report::{self, FollowUpdate, Following, Watch};
use strata_app::{Host, Options, Reply, Strata, Subscription};
use tokio_util::sync::CancellationToken;

const N_EVENTS: usize = 10_000;

/// Nobody watches, and nobody stops it.
#[derive(Default)]
struct Unwatched(CancellationToken);

impl Watch for Unwatched {
    fn progress(&self, _: u64, _: u64) {}

    fn stop(&self) -> &CancellationToken {
        &self.0
    }
}

/// The event at a place: every other one answers with words and a call, and is answered by its result.
fn line(at: usize) -> String {
    let mut words = String::new();
    for word in 0..150 {
        let _ = write!(words, "word{} of {at} ", (at * 31 + word * 17) % 997);
    }
    let call = format!("toolu_{}", at / 2);
    let (kind, message) = match at {
        0 => ("user", json!({"role": "user", "content": words})),
        at if at % 2 == 1 => (
            "assistant",
            json!({
                "id": format!("msg_{at}"), "role": "assistant", "model": "claude-opus-4-5",
                "content": [
                    {"type": "text", "text": words},
                    {"type": "tool_use", "id": call, "name": "Bash", "input": {"command": format!("make part-{at}")}},
                ],
                "usage": {"input_tokens": 10, "cache_read_input_tokens": at * 400, "output_tokens": 420},
            }),
        ),
        at => (
            "user",
            json!({
                "role": "user",
                "content": [{"type": "tool_result", "tool_use_id": format!("toolu_{}", (at - 1) / 2), "content": words}],
            }),
        ),
    };
    let parent = (at > 0).then(|| format!("uuid-{}", at - 1));
    let record: Value = json!({
        "parentUuid": parent, "isSidechain": false, "sessionId": "a-session", "version": "2.1.80", "cwd": "/work",
        "gitBranch": "main", "uuid": format!("uuid-{at}"), "timestamp": "2026-01-27T23:13:36Z", "type": kind,
        "message": message,
    });
    format!("{record}\n")
}

fn append(path: &Path, text: &str) {
    let file = OpenOptions::new().create(true).append(true).open(path);
    file.and_then(|mut file| file.write_all(text.as_bytes())).expect("a file that can be written");
}

fn follow(criterion: &mut Criterion) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("transcript.jsonl");
    append(&path, &(0..N_EVENTS).map(line).collect::<String>());
    let paths = [path.clone()];
    let mut following = Following::new(&paths, Some(&folder.path().join("followed.db")))
        .expect("a file that can be followed");
    let mut look = |n_events: usize| {
        let mut n_told = None;
        let told = |followed: FollowUpdate<'_>| {
            let FollowUpdate::Changed(change) = followed else { panic!("{followed:?}") };
            n_told = Some(change.session.events as usize);
            ControlFlow::Continue(())
        };
        following.look(&Unwatched::default(), told).expect("a file that can be read").continue_value();
        assert_eq!(n_told, Some(n_events), "what was appended is stored");
    };
    look(N_EVENTS);
    let mut group = criterion.benchmark_group("follow");
    group.sampling_mode(SamplingMode::Flat).sample_size(10).measurement_time(Duration::from_secs(10));
    let mut n_stores = 0;
    group.bench_function("yardstick_import_whole", |bencher| {
        let next_store = || {
            n_stores += 1;
            folder.path().join(format!("whole-{n_stores}.db"))
        };
        bencher.iter_batched(
            next_store,
            |store| {
                report::import(&paths, Some(&store), false, &Unwatched::default())
                    .expect("a file that can be imported")
            },
            BatchSize::PerIteration,
        );
    });
    let mut n_events = N_EVENTS;
    group.bench_function("line_appended", |bencher| {
        let next_line = || {
            append(&path, &line(n_events));
            n_events += 1;
            n_events
        };
        bencher.iter_batched(next_line, &mut look, BatchSize::PerIteration);
    });
    let mut shown = Shown::new(folder.path(), &path);
    // The model answers in every other line.
    let mut lines = || {
        n_events += 2;
        line(n_events - 2) + &line(n_events - 1)
    };
    // The first growth is read whole: who stored the file may have been an older version.
    shown.append(&lines());
    for (name, part) in
        [("line_shown", Times::whole as fn(&Times) -> Duration), ("stored_shown", Times::shown)]
    {
        group.bench_function(name, |bencher| {
            bencher.iter_custom(|n| (0..n).map(|_| part(&shown.append(&lines()))).sum());
        });
    }
    group.finish();
}

/// When a call that was appended came how far.
struct Times {
    written: Instant,
    stored: Instant,
    shown: Instant,
}

impl Times {
    fn whole(&self) -> Duration {
        self.shown - self.written
    }

    fn shown(&self) -> Duration {
        self.shown - self.stored
    }
}

/// The application, with the transcript open and followed.
struct Shown {
    strata: Arc<Strata>,
    path: PathBuf,
    session: Value,
    told: Subscription,
    n_calls: u64,
}

impl Shown {
    fn new(folder: &Path, path: &Path) -> Self {
        let options = Options {
            host: Host::Browser,
            database: Some(folder.join("followed.db")),
            open: Vec::new(),
            runtime: strata_testkit::runtime(),
        };
        let strata = Strata::start(options).expect("a store that opens");
        let session = session_of(&strata, path);
        let told = strata.subscribe();
        let header = ask(&strata, "session/open", &json!({"session": session}));
        let n_calls = header["calls"].as_u64().expect("a number of calls");
        let mut shown = Self { strata, path: path.to_owned(), session, told, n_calls };
        shown.wait_until_compiled(header);
        ask(&shown.strata, "session/follow", &json!({"session": shown.session, "isOn": true}));
        shown
    }

    /// Appends a call, and asks for it as the window does.
    fn append(&mut self, lines: &str) -> Times {
        while self.told.try_next().is_some() {}
        let written = Instant::now();
        append(&self.path, lines);
        self.n_calls += 1;
        loop {
            self.wait_for(|told| matches!(told, Notification::Changed { .. }));
            let stored = Instant::now();
            let header = self.header();
            if header["calls"].as_u64() != Some(self.n_calls) {
                continue;
            }
            self.wait_until_compiled(header);
            let last = self.n_calls;
            let columns =
                json!({"session": self.session, "from": last, "to": last, "maxColumns": 1}).to_string();
            let reply = self.strata.dispatch("call/columns", &columns);
            assert!(matches!(reply, Ok(Reply::Bytes(_))), "{reply:?}");
            return Times { written, stored, shown: Instant::now() };
        }
    }

    fn wait_until_compiled(&mut self, mut header: Value) {
        while header["compiledCalls"] != header["calls"] {
            self.wait_for(|told| matches!(told, Notification::Analysis { .. }));
            header = self.header();
        }
    }

    fn wait_for(&mut self, is_meant: impl Fn(&Notification) -> bool) {
        let runtime = strata_testkit::runtime();
        while !is_meant(&runtime.block_on(self.told.next()).expect("the application runs")) {}
    }

    fn header(&self) -> Value {
        ask(&self.strata, "session/header", &json!({"session": self.session}))
    }
}

/// The session that was imported from `path`: the sample that comes with Strata stands beside it in the list.
fn session_of(strata: &Arc<Strata>, path: &Path) -> Value {
    let list = ask(strata, "session/list", &json!({"filter": "", "offset": 0, "limit": 10}));
    let rows = list["rows"].as_array().expect("rows");
    let is_of_path = |row: &&Value| row["source"].as_str().is_some_and(|source| Path::new(source) == path);
    rows.iter().find(is_of_path).unwrap_or_else(|| panic!("{rows:#?}"))["session"].clone()
}

fn ask(strata: &Arc<Strata>, name: &str, params: &Value) -> Value {
    match strata.dispatch(name, &params.to_string()) {
        Ok(Reply::Json(text)) => serde_json::from_str(&text).expect("an answer is JSON"),
        other => panic!("{name}: {other:?}"),
    }
}

criterion_group!(benches, follow);
criterion_main!(benches);
