//! What Strata's own recorder for google-adk writes: the app, its sessions' events, and every request with what it was
//! made from. The recorder is `assets/strata_recorder.py`; its file is described in `docs/formats/adk-recording.md`.
//!
//! Values that records have in common stand in records of their own and are named by a hash, and lists and states are
//! told as what is different from those before. [`pool`] puts values back, [`snapshot`] requests, [`calls`] calls;
//! [`session`] makes sessions of them, and [`app`] the configuration they ran with.

mod app;
mod calls;
mod pool;
mod session;
mod snapshot;

use std::collections::{BTreeMap, HashMap};

use strata_model::take::take_text;
use strata_model::{Json, Object, Str};

use crate::findings::Findings;
use crate::format::Format;
use crate::imported::ImportedSession;
use crate::keys::Keys;
use crate::time::take_time;
use crate::unmapped::Unmapped;
use crate::values::Value;
use app::{Apps, Run};
use calls::Calls;
use pool::Pool;
use session::Sessions;

/// The recorder: one Python file, a plugin of google-adk.
pub const ADK_RECORDER: &str = include_str!("../../assets/strata_recorder.py");

/// What the first record of a recording says it is.
const NAME: &str = "strata-adk-recording";

/// The newest version of the format that is known here.
const VERSION: i64 = 1;

pub(crate) fn is_recording(keys: Keys<'_>) -> bool {
    keys.text("format") == NAME || keys.has_all(&["record", "time"])
}

pub(crate) fn read(values: Vec<Value>, format: Format, findings: &mut Findings) -> Vec<ImportedSession> {
    let mut recording = Recording::default();
    for value in values {
        recording.add(value, findings);
    }
    recording.finish(format, findings)
}

/// The records of a file, put where they belong.
#[derive(Debug, Default)]
struct Recording {
    pool: Pool,
    /// What wrote each part of the file, by the process that did.
    writers: HashMap<Str, Str>,
    apps: Apps,
    sessions: Sessions,
    calls: Calls,
    unmapped: Unmapped,
    /// Records that the recorder lost.
    n_lost: i64,
    is_of_newer_version: bool,
    /// Runs whose end is not there, and where they begin.
    unfinished: BTreeMap<Str, String>,
    n_records: usize,
}

impl Recording {
    fn add(&mut self, value: Value, findings: &mut Findings) {
        let source = value.source();
        let place = value.place();
        let Json::Object(mut record) = value.json else {
            return findings.warning("not-a-record", place, "a value that is no record was left out");
        };
        let Some(kind) = take_text(&mut record, "record") else {
            return findings.warning("not-a-record", place, "an object that is no record was left out");
        };
        let time = take_time(&mut record, "time");
        self.n_records += 1;
        let at = self.n_records;
        match &*kind {
            "header" => self.header(&record, place, findings),
            "blob" => {
                let omitted = record.get("omitted").and_then(Json::as_i64);
                let value = record.remove("value");
                self.pool.add(take_text(&mut record, "id").unwrap_or_default(), value, omitted);
            }
            "app" => {
                let id = take_text(&mut record, "id").unwrap_or_default();
                self.apps.add(id, record.remove("app").unwrap_or_default());
            }
            "agent" => {
                let app = take_text(&mut record, "app").unwrap_or_default();
                self.apps.add_agent(app, record.remove("agent").unwrap_or_default());
            }
            "invocation" => {
                let mut run = Run::read(&mut record);
                self.unfinished.insert(run.id.clone(), place);
                if record.get("live").and_then(Json::as_bool) == Some(false) {
                    self.sessions.watch(run.id.clone(), at);
                }
                if let Some(config) = run.run_config.take() {
                    self.calls.add_run_config(run.id.clone(), config);
                }
                self.apps.add_run(run);
            }
            "session" => {
                self.calls.add_session(&record);
                self.sessions.begin(&mut record);
            }
            "event" => self.sessions.add_event(record, at, source, &mut self.pool, findings),
            "call" => {
                let id = record.get("id").and_then(Json::as_str).unwrap_or_default();
                let run = id.split_once('-').map_or("", |(run, _)| run);
                let writer = self.writers.get(run).cloned();
                self.calls.add(&record, writer, at, source, &mut self.pool, findings);
            }
            "response" if self.calls.has_call_of(&record) => {
                self.calls.answer(&record, at, time, source, &mut self.pool);
            }
            "memory" => self.calls.found(&record, &mut self.pool, findings),
            "artifact" => self.calls.artifact(&record, &mut self.pool, findings),
            "gap" => self.n_lost += record.get("lost").and_then(Json::as_i64).unwrap_or(0),
            "checkpoint" => {}
            "invocation_end" => {
                if let Some(id) = record.get("invocation").and_then(Json::as_str) {
                    self.unfinished.remove(id);
                }
                self.unmapped.record(&kind, source);
            }
            // What nodes and faults say stands in events too, or is for people who look into the file.
            kind => self.unmapped.record(kind, source),
        }
    }

    fn header(&mut self, record: &Object, place: String, findings: &mut Findings) {
        let text = |key: &str| record.get(key).and_then(Json::as_str);
        if record.get("version").and_then(Json::as_i64).is_some_and(|version| version > VERSION)
            && !self.is_of_newer_version
        {
            self.is_of_newer_version = true;
            let message = "a newer recorder wrote this file; what this Strata does not know of it is left out. Use a newer Strata, or record with the file that `strata adk-recorder` prints";
            findings.warning("newer-version", place, message);
        }
        let (Some(run), Some(version)) = (text("run"), text("googleAdk")) else { return };
        self.writers.insert(run.into(), format!("google-adk {version}").into());
    }

    fn finish(self, format: Format, findings: &mut Findings) -> Vec<ImportedSession> {
        self.pool.report(findings);
        if self.n_lost > 0 {
            let message = format!(
                "the recorder lost {} records, because its file could not be written as fast as the app ran, or not at all; calls of that time are missing",
                self.n_lost
            );
            findings.warning("lost-records", "", message);
        }
        if let Some(place) = self.unfinished.values().next().filter(|_| self.n_lost == 0) {
            let message = match self.unfinished.len() {
                1 => "a run has no end: the app still runs, or it stopped before".to_owned(),
                n => format!("{n} runs have no end: the app still runs, or it stopped before"),
            };
            findings.info("unfinished-run", place.clone(), message);
        }
        let mut sessions = self.sessions;
        if self.n_lost > 0 {
            sessions.watch_nothing();
        }
        let mut sessions = sessions.finish(self.calls, &self.apps, format, findings);
        if let Some(first) = sessions.first_mut() {
            first.unmapped.add(self.unmapped);
        }
        sessions
    }
}
