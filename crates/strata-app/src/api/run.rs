//! Agents that run: starting a run, talking with it, looking at it, stopping it.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// `run/start`: begins to run an app, in a new session or in one that is stored. Nothing is sent before the first
/// message.
#[derive(Debug, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Start {
    /// The file of the app's configuration.
    pub app: String,
    /// Who answers: `scripted:FILE`, `echo`, the name of an endpoint, or that with `/MODEL` behind it.
    pub model: String,
    /// A JavaScript file with the app's tools and nodes.
    pub tools: Option<String>,
    /// A session whose tools' answers are used again.
    pub recorded: Option<String>,
    /// A session to go on with. One that was imported stays as it is: a new one begins with its events.
    pub session: Option<String>,
    /// Whose session a new one is; absent for `user`.
    pub user: Option<String>,
    /// Absent where the usual ones hold.
    pub limits: Option<Limits>,
}

/// What a run may take; 0 for as much as it wants.
#[derive(Debug, Clone, Copy, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Limits {
    /// Calls of models in one turn.
    pub calls: u32,
    /// Tokens of prompts and answers.
    pub tokens: f64,
    /// US dollars.
    pub dollars: f64,
}

/// `run/send`: says something to a run's agents, or answers what they wait for; as a job, of one turn.
#[derive(Debug, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Send {
    pub run: String,
    /// What the user says; empty where only answers are given.
    pub message: String,
    /// Answers to calls that wait. They are given before the message.
    pub answers: Vec<CallAnswer>,
}

/// The answer to a call that waits for one.
#[derive(Debug, Clone, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct CallAnswer {
    pub id: String,
    /// JSON, or else a text.
    pub answer: String,
}

/// `run/get`: a run as it is.
#[derive(Debug, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Get {
    pub run: String,
}

/// `run/list`: runs of this program, the last one first.
#[derive(Debug, Deserialize, TS)]
pub struct List {}

#[derive(Debug, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct RunList {
    pub runs: Vec<RunStatus>,
}

/// `run/stop`: ends a run and closes what it leaves open. Its session stays, and another run can go on with it.
#[derive(Debug, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Stop {
    pub run: String,
}

/// A run as it is. Its events and calls are those of its session, which every view can open.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct RunStatus {
    pub run: String,
    /// The session that grows.
    pub session: String,
    /// The app's name.
    pub app: String,
    pub phase: RunPhase,
    /// The turn that is being taken, or was last.
    pub job: Option<String>,
    /// Requests that were let through to a model.
    pub calls: u32,
    /// What is being said, as far as it came.
    pub saying: Option<Saying>,
    /// Ids of calls that wait for an answer.
    pub waiting: Vec<String>,
    /// Why the last turn failed.
    pub error: Option<RunProblem>,
    /// What else there is to know, a sentence each; the newest ones.
    pub notes: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub enum RunPhase {
    /// It waits for somebody to say something.
    Idle,
    /// A turn is being taken.
    Running,
    /// It was stopped, and takes no turn any more.
    Stopped,
}

/// Words of an agent that are coming in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Saying {
    pub agent: String,
    pub text: String,
}

/// What ended a turn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct RunProblem {
    /// The name google-adk has for it, or Strata.
    pub code: String,
    pub message: String,
}
