//! `strata run` is killed at any moment, and goes on: whatever it told of is in the store, and the session comes to the
//! same end as one that nobody killed.
//!
//! `STRATA_KILL_ROUNDS` sets how often; 12 without it. `STRATA_KILL_SEED` repeats the choices of a run, not its moments.

#![expect(clippy::unwrap_used, clippy::print_stderr, reason = "a test that cannot go on says where")]

use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Read, Write as _};
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use strata_testkit::Seeded;
use tempfile::TempDir;

/// Calls of the tool in the turn.
const N_STEPS: usize = 6;
/// Nothing takes as long, on however busy a machine.
const STUCK: Duration = Duration::from_mins(2);
const APP: &str = r#"{"name": "desk", "resumability_config": {"is_resumable": true}, "root_agent": {
    "name": "clerk", "model": "m", "instruction": "Book; booked so far: {booked?}.",
    "tools": [{"type": "function", "declaration": {"name": "book"}}]}}"#;
const TOOLS: &str = "export function book({ n }, context) {
    context.state.booked = [...(context.state.booked ?? []), n]
    return { booked: n }
}";

#[test]
fn a_run_that_is_killed_goes_on_to_the_same_end() {
    let number = |name: &str| std::env::var(name).ok().map(|text| text.parse::<u64>().unwrap());
    let n_rounds = number("STRATA_KILL_ROUNDS").unwrap_or(12);
    let seed = number("STRATA_KILL_SEED").unwrap_or_else(|| u64::from(std::process::id()));
    let mut random = Seeded::new(seed);
    let undisturbed = Desk::new();
    undisturbed.ends(None, "undisturbed");
    let undisturbed = undisturbed.stored().unwrap();
    assert_eq!(undisturbed.n_answers, N_STEPS + 1);

    let mut desk = Desk::new();
    let mut counts = Counts::default();
    let mut before = None;
    while counts.killed < n_rounds {
        let told = match desk.killed(before.as_ref(), &mut random) {
            Moment::Killed { told, is_held } => {
                counts.killed += 1;
                counts.held += u64::from(is_held);
                told
            }
            // All was said before the moment came.
            Moment::Ended(told) => told,
        };
        let now = desk.stored();
        let at = format!("seed {seed}, killed {} times", counts.killed);
        let (was, is) = (facts(before.as_ref()), facts(now.as_ref()));
        assert!(is.starts_with(was), "{at}: what was stored stays\n{was:#?}\n{is:#?}");
        let kept: BTreeSet<&String> = is.iter().collect();
        let lost: Vec<_> = told.iter().filter(|fact| !kept.contains(fact)).collect();
        assert!(lost.is_empty(), "{at}: told and not stored: {lost:?}; there is {is:#?}");
        counts.told += told.len();
        if now.as_ref().is_some_and(|now| now.n_answers > N_STEPS) {
            desk.same_as(&undisturbed, &at);
            counts.ends += 1;
            desk = Desk::new();
            before = None;
        } else {
            before = now;
        }
    }
    // The last one may have been killed anywhere, and has all the time it needs now.
    desk.ends(before.as_ref(), &format!("seed {seed}, at the end"));
    desk.same_as(&undisturbed, &format!("seed {seed}, at the end"));
    assert!(counts.told > 0 && counts.held > 0, "the moments are all before the first answer: {counts:?}");
    eprintln!("{counts:?}");
}

#[derive(Debug, Default)]
struct Counts {
    killed: u64,
    /// Of these, while a call was held.
    held: u64,
    told: usize,
    /// Sessions that came to their end.
    ends: u64,
}

enum Moment {
    Killed { told: Vec<String>, is_held: bool },
    Ended(Vec<String>),
}

/// What the store has of the session.
struct Stored {
    id: String,
    /// In the order of the events, as the program tells them.
    facts: Vec<String>,
    n_events: usize,
    /// Answers of the model.
    n_answers: usize,
}

fn facts(stored: Option<&Stored>) -> &[String] {
    stored.map_or(&[], |stored| &stored.facts)
}

/// A folder with the app and its own store.
struct Desk {
    folder: TempDir,
    /// The id of the session, once there is one.
    session: OnceCell<String>,
}

impl Desk {
    fn new() -> Self {
        // A killed process loses nothing it gave to the system, so waiting for a disk would only take time.
        let folder = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap();
        std::fs::write(folder.path().join("app.json"), APP).unwrap();
        std::fs::write(folder.path().join("tools.js"), TOOLS).unwrap();
        Self { folder, session: OnceCell::new() }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn command(&self, arguments: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_strata"));
        command.args(arguments.split_whitespace()).stdin(Stdio::null());
        command.env("HOME", self.folder.path()).env("XDG_DATA_HOME", self.folder.path());
        command
    }

    fn run(&self, arguments: &str) -> Output {
        self.command(arguments).output().unwrap()
    }

    #[track_caller]
    fn json(&self, arguments: &str) -> Value {
        let output = self.run(arguments);
        assert!(output.status.success(), "{arguments}: {output:?}");
        serde_json::from_slice(&output.stdout).unwrap()
    }

    /// What runs the app, or goes on with what is stored; the script has the answers that were not given.
    fn arguments(&self, before: Option<&Stored>, more: &str) -> String {
        let steps = (0..N_STEPS)
            .map(|n| json!({"text": format!("Step {n}."), "calls": [{"name": "book", "args": {"n": n}}]}));
        let answers: Vec<Value> = steps.chain([json!("All are booked.")]).collect();
        let left = &answers[before.map_or(0, |before| before.n_answers)..];
        let file = |name: &str| self.path(name).display().to_string();
        std::fs::write(file("answers.json"), json!(left).to_string()).unwrap();
        let (app, tools, script) = (file("app.json"), file("tools.js"), file("answers.json"));
        let what = match before {
            None => "Book".to_owned(),
            Some(Stored { id, n_events: 0, .. }) => format!("Book --session {id}"),
            Some(Stored { id, .. }) => format!("--session {id} --resume"),
        };
        format!("run {app} --tools {tools} --model scripted:{script} {more} {what}")
    }

    /// Runs to the end.
    fn ends(&self, before: Option<&Stored>, at: &str) {
        let output = self.run(&self.arguments(before, ""));
        assert!(output.status.success(), "{at}: {output:?}");
    }

    /// Runs, and is killed at a random moment: some time after some lines, or while a call is held.
    fn killed(&self, before: Option<&Stored>, random: &mut Seeded) -> Moment {
        let is_held = random.below(4) == 0;
        let mut command = self.command(&self.arguments(before, if is_held { "--hold always" } else { "" }));
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        if is_held {
            command.stdin(Stdio::piped());
        }
        let mut child = command.spawn().unwrap();
        // Open until the end: whoever is held has to wait.
        let mut typed = child.stdin.take();
        let (sender, lines) = channel();
        follow(child.stdout.take().unwrap(), sender.clone());
        follow(child.stderr.take().unwrap(), sender);
        let mut told = Vec::new();
        let is_ended = if is_held {
            let n_sent = random.below(3);
            if let Some(typed) = &mut typed {
                typed.write_all("y\n".repeat(n_sent).as_bytes()).unwrap();
            }
            until(&lines, n_sent + 1, |line| line.contains("Held: a call"), STUCK, &mut told)
        } else {
            let n_lines = random.below(10);
            let moment = Duration::from_micros(random.next_u64() % 40_000);
            until(&lines, n_lines, |_| true, STUCK, &mut told)
                || until(&lines, usize::MAX, |_| true, moment, &mut told)
        };
        if !is_ended {
            child.kill().unwrap();
        }
        let status = child.wait().unwrap();
        told.extend(lines.iter());
        if status.code().is_some() {
            let seen = told.join("\n");
            assert_eq!(status.code(), Some(0), "it ended by itself: {seen}");
        }
        let told = told.iter().filter_map(|line| fact(line)).collect();
        if status.code().is_some() { Moment::Ended(told) } else { Moment::Killed { told, is_held } }
    }

    /// `None` where no session is there yet.
    fn stored(&self) -> Option<Stored> {
        if self.session.get().is_none() {
            let listed = self.run("sessions --json");
            // The store was not made, or not to its end.
            let is_there = listed.status.success();
            let listed: Value =
                if is_there { serde_json::from_slice(&listed.stdout).unwrap() } else { Value::Null };
            let sessions = listed["sessions"].clone();
            let sessions = sessions.as_array().cloned().unwrap_or_default();
            assert!(sessions.len() <= 1, "one session goes on: {sessions:?}");
            let id = sessions.first()?["id"].as_str().unwrap();
            self.session.set(id.to_owned()).unwrap();
        }
        let id = self.session.get()?.clone();
        let session = self.json(&format!("export {id} --as session"));
        let events = session["events"].as_array().unwrap();
        let said: Vec<(&str, &Value)> = events
            .iter()
            .flat_map(|event| {
                let author = event["author"].as_str().unwrap();
                let parts = event["content"]["parts"].as_array().map(Vec::as_slice).unwrap_or_default();
                parts.iter().map(move |part| (author, part))
            })
            .collect();
        let facts: Vec<String> = said.iter().map(|(author, part)| told_of(author, part)).collect();
        let is_answer = |fact: &&String| fact.starts_with("clerk: ");
        let n_answers = facts.iter().filter(is_answer).count();
        Some(Stored { id, n_events: events.len(), n_answers, facts })
    }

    /// The session came to its end, without anything lost or done twice.
    #[track_caller]
    fn same_as(&self, undisturbed: &Stored, at: &str) {
        let stored = self.stored().unwrap();
        assert_eq!(stored.facts, undisturbed.facts, "{at}");
        let shown = self.json(&format!("show {} --json", stored.id));
        let session = &shown["sessions"][0];
        assert_eq!(
            (&session["calls"], &session["recordedRequests"]),
            (&json!(N_STEPS + 1), &json!(N_STEPS + 1))
        );
        let compiled = self.json(&format!("compile {} --call {} --json", stored.id, N_STEPS + 1));
        let instruction = compiled["request"]["config"]["systemInstruction"].as_str().unwrap();
        assert!(instruction.contains("booked so far: [0, 1, 2, 3, 4, 5]."), "{at}: {instruction}");
    }
}

/// A part of an event, as the program tells it.
fn told_of(author: &str, part: &Value) -> String {
    if let Some(call) = part.get("functionCall") {
        return format!("{author} calls {} {}", call["name"].as_str().unwrap(), call["args"]);
    }
    if let Some(response) = part.get("functionResponse") {
        return format!("{} gives {}", response["name"].as_str().unwrap(), response["response"]);
    }
    format!("{author}: {}", part["text"].as_str().unwrap())
}

/// What a line says of an event that is stored. A question may stand before it.
fn fact(line: &str) -> Option<String> {
    let starts = ["clerk: ", "clerk calls ", "book gives "];
    starts.iter().find_map(|start| line.find(start)).map(|from| line[from..].to_owned())
}

/// Sends whole lines; one that is broken off tells nothing.
fn follow(output: impl Read + Send + 'static, lines: Sender<String>) {
    std::thread::spawn(move || {
        let mut output = BufReader::new(output);
        let mut line = String::new();
        while output.read_line(&mut line).is_ok_and(|n| n > 0) && line.ends_with('\n') {
            let _ = lines.send(line.trim_end().to_owned());
            line.clear();
        }
    });
}

/// Hears so many lines of a kind, for a while. True where the process ended by itself.
fn until(
    lines: &Receiver<String>,
    n: usize,
    is_meant: impl Fn(&str) -> bool,
    patience: Duration,
    heard: &mut Vec<String>,
) -> bool {
    let end = Instant::now() + patience;
    let mut n_left = n;
    while n_left > 0 {
        match lines.recv_timeout(end.saturating_duration_since(Instant::now())) {
            Ok(line) => {
                n_left -= usize::from(is_meant(&line));
                heard.push(line);
            }
            Err(RecvTimeoutError::Timeout) => {
                assert_ne!(patience, STUCK, "it says nothing: {heard:#?}");
                return false;
            }
            Err(RecvTimeoutError::Disconnected) => return true,
        }
    }
    false
}
