//! A process that is killed in the middle of its work: what it said it had done, and what it was doing.
//!
//! The process is the test's own program, started again with the name of one of its tests. In an endless row that one
//! says what it is [about to](about_to) do, does it, and says that it is [done].

use std::ffi::OsStr;
use std::fmt::{Debug, Display};
use std::io::{BufRead, BufReader, Write as _};
use std::process::{Command, Stdio};
use std::str::FromStr;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use crate::Seeded;

const TRY: &str = "try ";
const DONE: &str = "done";

/// No step takes as long, on however busy a machine: who says nothing for so long is stuck.
const STUCK: Duration = Duration::from_mins(5);

/// Says that a step begins.
pub fn about_to(step: impl Display) {
    say(&format!("{TRY}{step}"));
}

/// Says that the step is over and everything it promises is kept.
pub fn done() {
    say(DONE);
}

fn say(line: &str) {
    let mut out = std::io::stdout().lock();
    // Begins with a line break, because the test harness writes an unfinished line first.
    writeln!(out, "\n{line}").and_then(|()| out.flush()).expect("the test listens");
}

/// What a killed process said.
#[derive(Debug)]
pub struct Log<S> {
    pub done: Vec<S>,
    /// Begun, and not reported as done.
    pub under_way: Option<S>,
}

impl<S: FromStr<Err: Debug>> Log<S> {
    fn add(&mut self, line: &str) {
        match line.strip_prefix(TRY) {
            Some(step) => self.under_way = Some(step.parse().expect("a step as it was said")),
            None => self.done.extend(self.under_way.take()),
        }
    }
}

/// When a process is killed: after some lines, then at any moment until the next ones.
#[derive(Debug, Clone, Copy)]
pub struct Moments {
    /// Fewer lines than these.
    pub lines: u64,
    /// Fewer microseconds than these.
    pub then_micros: u64,
}

/// Starts this program again at the test of that name, kills it at a random moment, and returns what it had said.
pub fn run_and_kill<S: Debug + FromStr<Err: Debug>>(
    test: &str,
    environment: &[(&str, &OsStr)],
    moments: Moments,
    random: &mut Seeded,
) -> Log<S> {
    let mut child = Command::new(std::env::current_exe().expect("the program that runs"))
        .args(["--exact", test, "--nocapture"])
        .envs(environment.iter().copied())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("it starts again");
    let lines = lines_of(BufReader::new(child.stdout.take().expect("its output is piped")));
    let mut log = Log { done: Vec::new(), under_way: None };
    for _ in 0..random.next_u64() % moments.lines {
        log.add(&lines.recv_timeout(STUCK).expect("the process says something"));
    }
    match lines.recv_timeout(Duration::from_micros(random.next_u64() % moments.then_micros)) {
        Ok(line) => log.add(&line),
        Err(RecvTimeoutError::Timeout) => {}
        Err(RecvTimeoutError::Disconnected) => panic!("the process ended by itself: {log:?}"),
    }
    child.kill().and_then(|()| child.wait()).expect("it can be killed");
    for line in lines {
        log.add(&line);
    }
    log
}

fn lines_of(output: impl BufRead + Send + 'static) -> Receiver<String> {
    let (sender, receiver) = channel();
    thread::spawn(move || {
        for line in output.lines().map_while(Result::ok) {
            let is_ours = line.starts_with(TRY) || line == DONE;
            if is_ours && sender.send(line).is_err() {
                break;
            }
        }
    });
    receiver
}
