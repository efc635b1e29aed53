//! The store beside a bare rusqlite loop that keeps the same rows, in the same run.
//!
//! `bare` has one table with the short columns and the JSON, and the same SQLite settings. Inserting, `bare` makes the
//! JSON of each event as `store` has to, and `bare_ready_json` is given it. Pages of 200 rows are read at random places.
//! `STRATA_BENCH_EVENTS` sets how many events there are to read pages from; 1,000,000 without it.
#![expect(clippy::unwrap_used, reason = "a benchmark that cannot go on says where")]

use std::borrow::Cow;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::time::Duration;

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use rusqlite::{Connection, params};
use strata_model::{Decoder, Event, FromJson, Json, Session, json};
use strata_store::{Listing, NewEvent, SessionId, Source, Store};
use tempfile::TempDir;

const N_INSERTED: usize = 50_000;
const BATCH: usize = 1_000;
const PAGE: usize = 200;

fn insert(criterion: &mut Criterion) {
    let events = events(N_INSERTED);
    let texts: Vec<String> = events.iter().map(text).collect();
    let mut group = criterion.benchmark_group("insert");
    group.sample_size(10).throughput(Throughput::Elements(N_INSERTED as u64));
    group.measurement_time(Duration::from_secs(10));
    group.bench_function("bare_ready_json", |bencher| {
        bencher.iter_batched_ref(
            || fresh("bare"),
            |(_folder, path)| bare_insert(&mut bare_open(path), &events, |at| Cow::Borrowed(&*texts[at])),
            BatchSize::PerIteration,
        );
    });
    group.bench_function("bare", |bencher| {
        bencher.iter_batched_ref(
            || fresh("bare"),
            |(_folder, path)| bare_insert(&mut bare_open(path), &events, |at| Cow::Owned(text(&events[at]))),
            BatchSize::PerIteration,
        );
    });
    group.bench_function("store", |bencher| {
        bencher.iter_batched_ref(
            || fresh("store"),
            |(_folder, path)| store_insert(&mut Store::open(path).unwrap(), &events, 1),
            BatchSize::PerIteration,
        );
    });
    group.finish();
}

fn read(criterion: &mut Criterion) {
    let n_events = std::env::var("STRATA_BENCH_EVENTS").map_or(1_000_000, |n| n.parse().unwrap());
    let (_bare_folder, bare_path) = fresh("bare");
    let (_store_folder, store_path) = fresh("store");
    let mut bare = bare_open(&bare_path);
    let mut store = Store::open(&store_path).unwrap();
    let events = events(N_INSERTED);
    let texts: Vec<String> = events.iter().map(text).collect();
    for _ in 0..n_events / N_INSERTED {
        bare_insert(&mut bare, &events, |at| Cow::Borrowed(&*texts[at]));
    }
    let session = store_insert(&mut store, &events, n_events / N_INSERTED);

    let mut group = criterion.benchmark_group("page");
    let mut place = Places { next: 1, limit: n_events - PAGE };
    group.bench_function("bare", |bencher| bencher.iter(|| black_box(bare_page(&bare, place.next()))));
    let mut place = Places { next: 1, limit: n_events - PAGE };
    group.bench_function("store", |bencher| {
        bencher.iter(|| {
            let from = place.next() as u32;
            black_box(store.event_rows(&session, from..from + PAGE as u32).unwrap())
        });
    });
    group.finish();
}

fn whole(criterion: &mut Criterion) {
    let events = events(N_INSERTED);
    let texts: Vec<String> = events.iter().map(text).collect();
    let (_bare_folder, bare_path) = fresh("bare");
    let (_store_folder, store_path) = fresh("store");
    let mut bare = bare_open(&bare_path);
    let mut store = Store::open(&store_path).unwrap();
    bare_insert(&mut bare, &events, |at| Cow::Borrowed(&*texts[at]));
    let session = store_insert(&mut store, &events, 1);
    let mut group = criterion.benchmark_group("session");
    group.sample_size(10).throughput(Throughput::Elements(N_INSERTED as u64));
    group.bench_function("bare_and_decode", |bencher| bencher.iter(|| black_box(bare_session(&bare))));
    group.bench_function("store", |bencher| bencher.iter(|| store.read_session(&session).unwrap()));
    group.finish();
}

fn fresh(name: &str) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    (folder, path)
}

fn bare_open(path: &Path) -> Connection {
    let connection = Connection::open(path).unwrap();
    connection
        .execute_batch(
            "PRAGMA page_size = 32768; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;
             PRAGMA cache_size = -16384;
             CREATE TABLE events (
                 session INTEGER NOT NULL, seq INTEGER NOT NULL, event_id TEXT, invocation_id TEXT, author TEXT,
                 branch TEXT, timestamp REAL, kinds INTEGER, json TEXT, PRIMARY KEY (session, seq)
             );",
        )
        .unwrap();
    connection
}

fn text(event: &Event) -> String {
    json::to_compact(&event.to_json())
}

fn bare_insert<'t>(connection: &mut Connection, events: &[Event], json_of: impl Fn(usize) -> Cow<'t, str>) {
    let first: i64 =
        connection.query_row("SELECT ifnull(max(seq) + 1, 0) FROM events", [], |row| row.get(0)).unwrap();
    for (nth, batch) in events.chunks(BATCH).enumerate() {
        let transaction = connection.transaction().unwrap();
        let sql = "INSERT INTO events VALUES (1, ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
        let mut statement = transaction.prepare_cached(sql).unwrap();
        for (at, event) in batch.iter().enumerate() {
            let at = nth * BATCH + at;
            let Event { id, invocation_id, author, branch, timestamp, .. } = event;
            let seq = first + at as i64;
            let row = params![seq, id, invocation_id, author, branch.as_deref(), timestamp, 1, json_of(at)];
            statement.execute(row).unwrap();
        }
        drop(statement);
        transaction.commit().unwrap();
    }
}

type BareRow = (u32, String, String, String, Option<String>, f64, u32, u32);

fn bare_page(connection: &Connection, from: usize) -> Vec<BareRow> {
    let mut statement = connection
        .prepare_cached(
            "SELECT seq, event_id, invocation_id, author, branch, timestamp, kinds, octet_length(json) FROM events
             WHERE session = 1 AND seq >= ?1 AND seq < ?2 ORDER BY seq",
        )
        .unwrap();
    let rows = statement.query_map([from as i64, (from + PAGE) as i64], |row| {
        Ok((
            row.get(0)?,
            row.get(1)?,
            row.get(2)?,
            row.get(3)?,
            row.get(4)?,
            row.get(5)?,
            row.get(6)?,
            row.get(7)?,
        ))
    });
    rows.unwrap().map(Result::unwrap).collect()
}

fn bare_session(connection: &Connection) -> Vec<Event> {
    let mut statement =
        connection.prepare_cached("SELECT json FROM events WHERE session = 1 ORDER BY seq").unwrap();
    let mut decoder = Decoder::new();
    let events = statement.query_map([], |row| {
        Ok(Event::from_json(json::parse(row.get_ref(0)?.as_str()?.as_bytes()).unwrap(), &mut decoder)
            .unwrap())
    });
    events.unwrap().map(Result::unwrap).collect()
}

fn store_insert(store: &mut Store, events: &[Event], n_times: usize) -> SessionId {
    let source = Source {
        location: "bench".into(),
        format: "bench".into(),
        size_bytes: 0,
        modified_ms: None,
        content: None,
        imported_at_ms: 0,
    };
    let mut import = store.begin_import(source).unwrap();
    let mut recording = import.open_recording().unwrap();
    for _ in 0..n_times {
        for batch in events.chunks(BATCH) {
            let batch: Vec<_> = batch.iter().map(|event| NewEvent { event, records: Vec::new() }).collect();
            import.append(&mut recording, &batch).unwrap();
        }
    }
    let listing =
        Listing { title: "bench".into(), format: "bench".into(), summary: Json::Null, app_config: None };
    import.close_recording(recording, &Session::default(), listing).unwrap();
    import.commit(&[]).unwrap().remove(0).id
}

/// Places in a session, spread over all of it and the same in every run.
struct Places {
    next: usize,
    limit: usize,
}

impl Places {
    fn next(&mut self) -> usize {
        self.next = (self.next * 48_271) % 2_147_483_647;
        self.next % self.limit
    }
}

/// Events of 1.1 KB on average: short questions and calls, results of a few KB, some of 20.
fn events(n_events: usize) -> Vec<Event> {
    let mut decoder = Decoder::new();
    // An escape every 130 characters; recorded sessions have up to one in a hundred.
    let sentence = "The quick brown fox found 3 errors in billing since 2026-11-17, and none of them before that day; \
                    then it went on to look elsewhere.\\n";
    let words = sentence.repeat(200);
    (0..n_events)
        .map(|at| {
            let length = [120, 300, 700, 1_400, 250, 2_200, 90, 1_000][at % 8] + if at % 100 == 99 { 19_000 } else { 0 };
            // Cut before an escape, not inside.
            let text = words[..length].trim_end_matches('\\');
            let text = format!(
                r#"{{"content":{{"parts":[{{"text":"{text}"}}],"role":"model"}},"usageMetadata":{{"promptTokenCount":{at},"candidatesTokenCount":12,"totalTokenCount":{at}}},"invocationId":"e-{:08x}-1111-4111-8111-{at:012x}","author":"planner","actions":{{"stateDelta":{{"step":{at}}},"artifactDelta":{{}},"requestedAuthConfigs":{{}},"requestedToolConfirmations":{{}}}},"nodeInfo":{{"path":"planner@1"}},"id":"{:08x}-2222-4222-8222-{at:012x}","timestamp":{}}}"#,
                at / 8,
                at.wrapping_mul(2_654_435_761) as u32,
                1_795_207_948.25 + at as f64,
            );
            Event::from_json(json::parse(text.as_bytes()).unwrap(), &mut decoder).unwrap()
        })
        .collect()
}

criterion_group!(benches, insert, whole, read);
criterion_main!(benches);
