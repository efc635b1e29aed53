//! The app as hosts use it: commands by name, with JSON.

mod bad_input;
mod bills;
mod cache;
mod captured;
mod commands;
mod comparison;
mod counts;
mod elsewhere;
mod evidence;
mod experiments;
mod folders;
mod follow;
mod growing;
mod hidden;
mod home;
mod joined;
mod lab;
mod lab_batches;
mod lab_sweeps;
mod lessons;
mod masked;
mod missed;
mod models;
mod nameless;
mod own_prices;
mod pages;
mod patch;
mod ranges;
mod recorded;
mod reports;
mod run;
mod samples;
mod scripts;
mod search;
mod services;
mod stores;
mod truncated;
mod unknown_model;
mod usage;

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use strata_app::{ErrorCode, Host, Options, Reply, Strata};

fn start() -> Arc<Strata> {
    let options =
        Options { host: Host::Browser, database: None, open: Vec::new(), runtime: strata_testkit::runtime() };
    Strata::start(options).expect("a store in memory opens")
}

/// With a store that is there for another start.
fn start_at(path: &Path) -> Arc<Strata> {
    let options = Options {
        host: Host::Browser,
        database: Some(path.to_owned()),
        open: Vec::new(),
        runtime: strata_testkit::runtime(),
    };
    Strata::start(options).expect("the store opens")
}

fn ask(strata: &Arc<Strata>, name: &str, params: &Value) -> Value {
    match strata.dispatch(name, &params.to_string()) {
        Ok(Reply::Json(text)) => serde_json::from_str(&text).expect("an answer is JSON"),
        Ok(Reply::Bytes(_)) => panic!("{name} answers in bytes"),
        Err(error) => panic!("{name} {params}: {error:?}"),
    }
}

fn ask_bytes(strata: &Arc<Strata>, name: &str, params: &Value) -> Vec<u8> {
    match strata.dispatch(name, &params.to_string()) {
        Ok(Reply::Bytes(bytes)) => bytes,
        other => panic!("{name} {params}: {other:?}"),
    }
}

fn refuse(strata: &Arc<Strata>, name: &str, params: &Value) -> (ErrorCode, String) {
    let error = strata.dispatch(name, &params.to_string()).expect_err("it is refused");
    (error.code, error.message)
}

/// The sample, all of it compiled.
fn sample(strata: &Arc<Strata>) -> String {
    let session =
        ask(strata, "app/start", &json!({}))["sampleSession"].as_str().expect("a sample").to_owned();
    wait_until(|| {
        let header = ask(strata, "session/header", &json!({ "session": session }));
        header["compiledCalls"] == header["calls"]
    });
    session
}

fn wait_until(mut is_so: impl FnMut() -> bool) {
    let start = Instant::now();
    while !is_so() {
        assert!(start.elapsed() < Duration::from_mins(1), "it never came");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// The header of a session or experiment once all its calls are compiled.
fn compiled(strata: &Arc<Strata>, session: &str) -> Value {
    let mut header = Value::Null;
    wait_until(|| {
        header = ask(strata, "session/header", &json!({ "session": session }));
        header["compiledCalls"] == header["calls"]
    });
    header
}

/// Imports a file and returns the ended job.
fn import(strata: &Arc<Strata>, path: &Path) -> Value {
    import_files(strata, &[path])
}

/// Imports several files in one go and returns the ended job.
fn import_files(strata: &Arc<Strata>, paths: &[&Path]) -> Value {
    let job = ask(strata, "session/import", &json!({ "paths": paths }))["job"].clone();
    let mut ended = Value::Null;
    wait_until(|| {
        let jobs = ask(strata, "job/list", &json!({}));
        let jobs = jobs["jobs"].as_array().expect("a list").clone();
        ended = jobs.into_iter().find(|known| known["job"] == job).unwrap_or_default();
        ended["state"] != "running"
    });
    ended
}
