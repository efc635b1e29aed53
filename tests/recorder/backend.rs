//! A Strata of its own with a few sessions in it, which is asked as the window asks it.

use std::collections::BTreeSet;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::sleep;
use std::time::Duration;

use anyhow::{Context as _, Result, bail, ensure};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Value, json};
use strata_app::api::job::{JobState, Notification};
use strata_app::{AppError, Host, Options, Reply, Strata, Subscription};
use strata_testkit::model_server::{ModelServer, Play, chat_stream};
use tempfile::TempDir;

use crate::contexts;
use crate::plain::Plain;
use crate::recording::{Answer, Call};

/// Files that are read at the start, in this order: a transcript of an agent that still writes it, another one, a log
/// of requests each of which extends the one before, a session that keeps a list in its state, and one in which
/// nothing was said yet. The rest is left to the window: what a person picks, the configuration of the list's app, and an app
/// with tools of servers.
const FILES: [(&str, &str); 8] = [
    ("claude-code.jsonl", "crates/strata-import/samples/claude-code.jsonl"),
    ("codex.jsonl", "crates/strata-import/samples/codex.jsonl"),
    ("steady.jsonl", "tests/recorder/files/steady.jsonl"),
    ("orders.json", "tests/recorder/files/orders.json"),
    ("empty.json", "tests/recorder/files/empty.json"),
    ("picked.jsonl", "crates/strata-import/samples/gemini-cli.jsonl"),
    ("orders.app.json", "tests/recorder/files/orders.app.json"),
    ("tools.app.json", "tests/recorder/files/tools.app.json"),
];
const N_SESSIONS: usize = 5;
/// Bytes at the end of the first file that are not written yet.
const UNWRITTEN: usize = 2_500;
/// No command, but what the agent of the first session does: it writes these bytes.
const GROWS: &str = "file/grow";

/// Commands that change what others answer.
const ACTS: &[&str] = &[
    "app/forgetPrice",
    "app/setPrice",
    "app/setSettings",
    "capture/release",
    "capture/setHolds",
    "capture/start",
    "capture/stop",
    "counts/forget",
    "counts/learn",
    "experiment/create",
    "experiment/duplicate",
    "experiment/edit",
    "experiment/redo",
    "experiment/remove",
    "experiment/rename",
    "experiment/undo",
    "findings/apply",
    "job/cancel",
    "lab/apply",
    "lab/batch",
    "lab/batchResume",
    "lab/forgetBatch",
    "lab/forgetRun",
    "lab/probe",
    "lab/resume",
    "lab/run",
    "lab/sweep",
    "lesson/grade",
    "lesson/hint",
    "lesson/remove",
    "lesson/start",
    "call/replay",
    "model/forget",
    "model/save",
    "model/setKey",
    "place/choose",
    "run/agree",
    "script/remove",
    "script/save",
    "secret/keep",
    "secret/look",
    "secret/mask",
    "session/addRequests",
    "session/follow",
    "session/import",
    "session/remove",
    "session/setApp",
    "session/setModel",
    "session/setServices",
];

/// Asks again so often what gave up because this computer was busy.
const MAX_TRIES: usize = 50;
const A_MOMENT: Duration = Duration::from_millis(4);

pub(crate) struct Backend {
    strata: Arc<Strata>,
    notifications: Subscription,
    /// Never answers.
    silent: ModelServer,
    /// Answers every request the same.
    terse: ModelServer,
    n_cancelled: usize,
    plain: Plain,
    folder: TempDir,
}

/// In which order sessions are made anew differs from run to run.
fn in_order(mut said: Vec<Value>) -> Vec<Value> {
    let is_changed = |notification: &Value| notification["type"] == "changed";
    for changed in said.chunk_by_mut(|a, b| is_changed(a) && is_changed(b)) {
        changed.sort_by_key(|notification| notification["session"].to_string());
    }
    said
}

/// Whether a command changes what others answer.
pub(crate) fn is_act(call: &Call) -> bool {
    call.name == GROWS || ACTS.contains(&&*call.name)
}

impl Backend {
    /// After a fresh start, with its sessions read.
    pub(crate) fn start() -> Result<Self> {
        let folder = tempfile::tempdir().context("make a folder")?;
        copy_files(&folder.path().join("files"))?;
        let database = folder.path().join("strata.db");
        contexts::fill(&database)?;
        let options = Options {
            host: Host::Desktop,
            database: Some(database),
            open: Vec::new(),
            runtime: strata_testkit::runtime(),
        };
        let strata = Strata::start(options).map_err(|error| failed(&error))?;
        let text = "Two rounding rules differ in invoice.py:214.";
        let terse = Play::Stream { body: chat_stream(text, 900, 30), piece: 64 };
        let terse = ModelServer::start(vec![terse; 500], None);
        let silent = ModelServer::start(vec![Play::Silence; 10], None);
        let mut backend = Self {
            notifications: strata.subscribe(),
            plain: Plain::new(folder.path(), &[&terse.url(), &silent.url()]),
            strata,
            silent,
            terse,
            n_cancelled: 0,
            folder,
        };
        backend.set_up()?;
        Ok(backend)
    }

    /// After acts that are not recorded here.
    pub(crate) fn after(acts: &[Call]) -> Result<Self> {
        let mut backend = Self::start()?;
        for act in acts {
            backend.act(act)?;
        }
        Ok(backend)
    }

    fn set_up(&mut self) -> Result<()> {
        for (name, server) in [("terse", self.terse.url()), ("silent", self.silent.url())] {
            let endpoint = json!({
                "name": name, "api": "chatCompletions", "baseUrl": format!("{server}/v1"), "model": "scripted-1",
                "headers": [], "keyVariable": null
            });
            self.told("model/save", &json!({ "endpoint": endpoint }))?;
        }
        for (file, _) in &FILES[..N_SESSIONS] {
            let path = self.folder.path().join("files").join(file);
            let job = self.told("session/import", &json!({ "paths": [path] }))?;
            self.rest()?;
            self.told("job/dismiss", &job)?;
        }
        self.learn_sessions()
    }

    /// The answer to a question, once there is nothing more to wait for.
    pub(crate) fn ask(&self, call: &Call) -> Result<Answer> {
        let params = self.plain.restore(call.params());
        self.wait_for_calls(&params)?;
        for _ in 0..MAX_TRIES {
            let answer = loop {
                let answer = self.dispatch(instead_of(&call.name), &params)?;
                if !answer.as_ref().is_ok_and(is_under_way) {
                    break answer;
                }
                sleep(A_MOMENT);
            };
            if !answer.as_ref().is_ok_and(is_hurried) {
                return Ok(self.plain.answer(answer));
            }
        }
        bail!("{} runs out of time, though it was asked {MAX_TRIES} times", call.name)
    }

    /// What an act comes to, and what is said by itself until Strata is at rest.
    pub(crate) fn act(&mut self, call: &Call) -> Result<(Answer, Vec<Value>)> {
        if call.name == GROWS {
            return Ok((Answer::Value(Value::Null), self.grow()?));
        }
        let params = self.plain.restore(call.params());
        self.wait_for_calls(&params)?;
        if call.name == "job/cancel" {
            self.n_cancelled += 1;
        }
        let mut answer = self.dispatch(&call.name, &params)?;
        let notifications = in_order(self.said_until_rest()?);
        if call.name == "session/setApp" && answer.is_ok() {
            // The numbers of a session as far as it was compiled by then. Here they are those of all of it.
            self.wait_for_calls(&params)?;
            answer = self.dispatch("session/header", &params)?;
        }
        if let Ok(reply) = &answer
            && let Some(listening) = read(reply)["listening"].as_object()
        {
            self.plain.call_gateway(&listening["base"], &listening["log"]);
        }
        Ok((self.plain.answer(answer), notifications))
    }

    /// The agent goes on, in a session that is followed.
    fn grow(&mut self) -> Result<Vec<Value>> {
        let (name, from) = FILES[0];
        let bytes = fs::read(root().join(from)).with_context(|| format!("read {from}"))?;
        let path = self.folder.path().join("files").join(name);
        let mut file = fs::OpenOptions::new().append(true).open(&path).context("open the file")?;
        file.write_all(&bytes[bytes.len() - UNWRITTEN..]).context("write the rest of the file")?;
        let mut said = Vec::new();
        while !said.iter().any(|notification: &Value| notification["type"] == "changed") {
            sleep(A_MOMENT);
            said.extend(self.said_until_rest()?);
        }
        Ok(said)
    }

    /// What is answered to what cannot be refused.
    fn told(&self, name: &str, params: &Value) -> Result<Value> {
        Ok(read(&self.dispatch(name, params)?.map_err(|error| failed(&error))?))
    }

    /// What is answered, or how it is refused.
    fn dispatch(&self, name: &str, params: &Value) -> Result<Result<Reply, AppError>> {
        let answer = self.strata.dispatch(name, &params.to_string());
        if let Err(error) = &answer {
            // The window does not send what cannot be read. A name or a shape has changed since this was recorded.
            let is_unknown = error.message.starts_with("The parameters of `")
                || error.message.starts_with("There is no command `");
            ensure!(!is_unknown, "{} Ask as the window asks now: cargo xtask record", error.message);
        }
        Ok(answer)
    }

    /// Waits until all calls of the sessions that parameters name are compiled.
    fn wait_for_calls(&self, params: &Value) -> Result<()> {
        for key in ["session", "experiment", "a", "b"] {
            let Some(session) = params[key].as_str() else { continue };
            // What is not there has none.
            while let Ok(header) = self.dispatch("session/header", &json!({ "session": session }))? {
                let header = read(&header);
                if header["compiledCalls"] == header["calls"] {
                    break;
                }
                sleep(A_MOMENT);
            }
        }
        Ok(())
    }

    fn said_until_rest(&mut self) -> Result<Vec<Value>> {
        let said = self.rest()?;
        self.learn_sessions()?;
        Ok(said.into_iter().map(|notification| self.plain.value(notification)).collect())
    }

    /// Waits until no job runs, but those that a model leaves waiting. Returns what was said until then: of each job that
    /// it runs and that it ended, for how far it is in between depends on this computer.
    fn rest(&mut self) -> Result<Vec<Value>> {
        let mut begun = BTreeSet::new();
        let mut said = Vec::new();
        let mut n_quiet = 0;
        loop {
            let mut is_news = false;
            while let Some(notification) = self.notifications.try_next() {
                is_news = true;
                match &notification {
                    // Of what goes on in the background, what it comes to is waited for.
                    Notification::Analysis { .. } | Notification::Findings { .. } => continue,
                    Notification::Job { job }
                        if job.state == JobState::Running && !begun.insert(job.job.clone()) =>
                    {
                        continue;
                    }
                    _ => {}
                }
                said.push(serde_json::to_value(&notification)?);
            }
            let is_waiting = self.silent.received().len() > self.n_cancelled;
            // A job may be over a moment before that is said.
            n_quiet = if !is_news && (is_waiting || !self.is_working()?) { n_quiet + 1 } else { 0 };
            if n_quiet == 2 {
                return Ok(said);
            }
            sleep(A_MOMENT);
        }
    }

    fn is_working(&self) -> Result<bool> {
        let list = self.told("job/list", &json!({}))?;
        Ok(list["jobs"].as_array().is_some_and(|jobs| jobs.iter().any(|job| job["state"] == "running")))
    }

    /// Ids of sessions are made from where their files lie, so they are written by name.
    fn learn_sessions(&mut self) -> Result<()> {
        let list = self.told("session/list", &json!({ "filter": "", "offset": 0, "limit": 100 }))?;
        for row in list["rows"].as_array().into_iter().flatten() {
            let source = Path::new(row["source"].as_str().unwrap_or_default());
            let name = source.file_stem().map_or_else(
                || row["title"].as_str().map(str::to_owned),
                |stem| stem.to_str().map(str::to_owned),
            );
            if let (Some(id), Some(name)) = (row["session"].as_str(), name) {
                self.plain.call_session(id, &name);
            }
        }
        Ok(())
    }
}

/// Some commands are answered by another one, because they would change what others answer.
fn instead_of(name: &str) -> &str {
    match name {
        // The same answer, and the session does not move up in the list.
        "session/open" => "session/header",
        // The list as it is: the window takes ended jobs off by the clock.
        "job/dismiss" => "job/list",
        other => other,
    }
}

/// There will be more in the answer soon.
fn is_under_way(reply: &Reply) -> bool {
    read(reply)["isComplete"] == false
}

/// The answer is what could be found in the time there was.
fn is_hurried(reply: &Reply) -> bool {
    let answer = read(reply);
    let effect = &answer["allCalls"];
    answer["isApproximate"] == true || effect["callsCompared"] != effect["calls"]
}

/// Null for bytes.
fn read(reply: &Reply) -> Value {
    match reply {
        Reply::Json(text) => serde_json::from_str(text).unwrap_or_default(),
        Reply::Bytes(_) => Value::Null,
    }
}

fn failed(error: &AppError) -> anyhow::Error {
    anyhow::anyhow!("{error}")
}

/// The repository's.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn copy_files(to: &Path) -> Result<()> {
    fs::create_dir(to).context("make a folder for files")?;
    for (at, (name, from)) in FILES.into_iter().enumerate() {
        let mut bytes = fs::read(root().join(from)).with_context(|| format!("read {from}"))?;
        if at == 0 {
            bytes.truncate(bytes.len() - UNWRITTEN);
        }
        fs::write(to.join(name), bytes).with_context(|| format!("write {name}"))?;
    }
    Ok(())
}

impl Plain {
    fn answer(&self, answer: Result<Reply, AppError>) -> Answer {
        match answer {
            Ok(Reply::Json(text)) => {
                Answer::Value(self.value(serde_json::from_str(&text).unwrap_or_default()))
            }
            Ok(Reply::Bytes(bytes)) => Answer::Bytes(BASE64_STANDARD.encode(bytes)),
            Err(error) => Answer::Error(self.value(serde_json::to_value(error).unwrap_or_default())),
        }
    }
}
