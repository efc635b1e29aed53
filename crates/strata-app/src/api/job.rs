//! Long work and the few notifications the window gets.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::common::DiagnosticRow;
use super::session::SessionListItem;

/// `job/list`: jobs that run, and those that ended and were not dismissed.
#[derive(Debug, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct List {}

#[derive(Debug, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct JobList {
    pub jobs: Vec<Job>,
}

/// `job/cancel`: asks a job to stop. What it finished stays.
#[derive(Debug, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Cancel {
    pub job: String,
}

/// `job/dismiss`: takes an ended job off the list.
#[derive(Debug, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Dismiss {
    pub job: String,
}

#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Job {
    pub job: String,
    /// "Importing session.json".
    pub title: String,
    pub state: JobState,
    /// Units done and in all, `unit` says of what; `total` is 0 while it is not known.
    pub done: f64,
    pub total: f64,
    pub unit: String,
    pub seconds_elapsed: f64,
    /// Known after 2 s when at least 5 % is done.
    pub seconds_left: Option<f64>,
    /// Set when it ended: what came of it, in one line.
    pub outcome: Option<String>,
    pub sessions: Vec<SessionListItem>,
    /// Ids of lessons that came in class files.
    pub lessons: Vec<String>,
    pub diagnostics: Vec<DiagnosticRow>,
    /// What came of the files of a folder, once it ended.
    pub files: Option<FileCounts>,
    /// What it reads: importing it again goes on where this one stopped. Empty for other work.
    pub paths: Vec<String>,
}

/// Files of a folder by what came of them. A conversation that is kept in many files counts as one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct FileCounts {
    pub imported: u32,
    /// Read before, and not changed since.
    pub unchanged: u32,
    /// There is no session in them.
    pub without_session: u32,
    pub failed: Vec<FailedFile>,
}

/// A file that could not be read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct FailedFile {
    pub path: String,
    pub reason: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub enum JobState {
    Running,
    Done,
    Cancelled,
    Failed,
}

/// What the window is told without asking. It asks for the rest.
#[derive(Debug, Clone, Serialize, TS)]
#[serde(tag = "type", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Notification {
    /// A job started, moved or ended.
    Job { job: Box<Job> },
    /// Sessions were added or removed, here or by another process.
    Sessions,
    /// A stored session holds something else than before: what was asked about it is asked again.
    Changed { session: String },
    /// A followed file was begun anew. What it holds now is this session; those it held before are kept.
    Begun { session: String, after: Vec<String> },
    /// Background compiling of an open session went on.
    Analysis { session: String, compiled_calls: u32, calls: u32 },
    /// Fixes of findings were tried: `findings/list` has more.
    Findings { session: String },
    /// A run went on, began to wait or ended: `run/get` tells.
    Run { run: String },
    /// Home read something, or is done: `home/get` tells.
    Home,
    /// The gateway heard something, began to listen or ended: `capture/get` tells.
    Capture,
    /// Another start of the app asked this window to open something.
    Open { session: String },
    /// The same of a class file: Learn has this lesson.
    Lesson { lesson: String },
    /// Whoever listens did not keep up, and some of what was said is lost: everything may be other than it was told.
    Missed,
}
