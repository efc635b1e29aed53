//! google-adk, in a process that answers questions line by line.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use anyhow::{Context as _, Result, bail};
use strata_model::{Json, json};

/// The program that asks google-adk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Script {
    /// Answers the given half of a vector.
    Requests,
    /// Answers a scenario without what it expects.
    Runs,
    /// Runs an app in a session, and says what that took.
    Work,
}

impl Script {
    fn path(self) -> &'static str {
        match self {
            Self::Requests => concat!(env!("CARGO_MANIFEST_DIR"), "/worker.py"),
            Self::Runs => concat!(env!("CARGO_MANIFEST_DIR"), "/scenarios.py"),
            Self::Work => concat!(env!("CARGO_MANIFEST_DIR"), "/own_work.py"),
        }
    }
}

/// Ends with its owner.
pub struct Worker {
    process: Child,
    questions: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Worker {
    /// Starts a script with this Python, which has google-adk.
    pub fn start(python: &Path, script: Script) -> Result<Self> {
        let mut process = Command::new(python)
            .arg(script.path())
            // Away from the repository: Python looks for modules where it starts.
            .current_dir(std::env::temp_dir())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .with_context(|| format!("start {}", python.display()))?;
        let (Some(questions), Some(answers)) = (process.stdin.take(), process.stdout.take()) else {
            bail!("the worker has no pipes");
        };
        let mut worker = Self { process, questions, answers: BufReader::new(answers) };
        worker.read().context("the worker did not start; does this Python have google-adk 2.13?")?;
        Ok(worker)
    }

    /// What google-adk makes of a question, or `{"invalid": why}`.
    pub fn ask(&mut self, question: &Json) -> Result<Json> {
        let mut line = json::to_ascii(question);
        line.push('\n');
        self.questions.write_all(line.as_bytes()).context("ask the worker")?;
        self.read()
    }

    fn read(&mut self) -> Result<Json> {
        let mut line = Vec::new();
        self.answers.read_until(b'\n', &mut line).context("read the worker's answer")?;
        if line.is_empty() {
            bail!("the worker ended");
        }
        json::parse(&line).map_err(|error| anyhow::anyhow!("the worker's answer is no JSON: {error}"))
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        // It has nothing to lose, and may be in the middle of an answer nobody waits for.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
