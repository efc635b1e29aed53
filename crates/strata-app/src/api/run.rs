//! Agents that run: starting a run, talking with it, looking at it, holding its calls, stopping it.

use serde::{Deserialize, Serialize};
use strata_runtime::Failure;
use ts_rs::TS;

use super::common::Basis;
use crate::error::sentence;

/// `run/start`: begins to run an app, in a new session or in one that is stored. Nothing is sent before the first
/// message.
#[derive(Debug, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Start {
    /// The file of the app's configuration. Absent for that of the session it is run from.
    pub app: Option<String>,
    /// Who answers: `scripted:FILE`, `echo`, the name of an endpoint, or that with `/MODEL` behind it.
    pub model: String,
    /// A JavaScript file with the app's tools and nodes.
    pub tools: Option<String>,
    /// A session whose tools' answers are used again.
    pub recorded: Option<String>,
    /// A call from which a session is run again, in a new one. The turn of the call is taken with the first `run/send`.
    pub from: Option<CallPlace>,
    /// A session to go on with. One that was imported stays as it is: a new one begins with its events.
    pub session: Option<String>,
    /// Whose session a new one is; absent for `user`.
    pub user: Option<String>,
    /// Absent where the usual ones hold.
    pub limits: Option<Limits>,
    /// When calls are held before they are sent: `always`, `agent=NAME`, `tokens=N`, `cost=DOLLARS`, `break`, `result=N`.
    #[serde(default)]
    pub holds: Vec<String>,
}

/// `run/deeds`: what running the app of a file would start and reach beside models. Nothing is started.
#[derive(Debug, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Deeds {
    pub app: String,
}

/// `run/agree`: agrees to what running an app starts and reaches. Until then, `run/start` refuses to run it.
#[derive(Debug, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Agree {
    pub app: String,
    /// Of what was shown. Refused where the app would do something else by now.
    pub mark: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct RunDeeds {
    /// A sentence each; none where the app starts and reaches nothing.
    pub deeds: Vec<String>,
    /// Another one where the app, or what it would do, has changed.
    pub mark: String,
    /// Somebody has agreed, or there is nothing to agree to.
    pub is_agreed: bool,
}

/// A call of a session or an experiment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct CallPlace {
    pub session: String,
    /// C1 is number 1.
    pub call: u32,
}

/// What a run may take; 0 for as much as it wants.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, TS)]
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
    /// What the user says; empty where only answers are given, or a recorded turn is taken again.
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

/// `run/setHolds`: holds calls on these conditions from now on. A call that is held stays so.
#[derive(Debug, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct SetHolds {
    pub run: String,
    pub holds: Vec<String>,
}

/// `run/edit`: changes what the held call would send. Every view shows it then; it is still held.
#[derive(Debug, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Edit {
    pub run: String,
    /// Made in order, each on what the ones before left.
    pub edits: Vec<HeldEdit>,
}

/// A change of a request that is held. Contents and parts count from 0.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, TS)]
#[serde(tag = "kind", rename_all = "camelCase")]
pub enum HeldEdit {
    /// The instruction; empty for none.
    System { text: String },
    /// The text of a part, or the value of a tool's result: JSON, or else a text.
    Text { content: u32, part: u32, text: String },
    /// Takes parts away; a call takes its result with it, and a result its call.
    LeaveOut { parts: Vec<PartPlace> },
    /// Another model.
    Model { name: String },
    /// The whole request, in ADK's JSON.
    Request { json: String },
}

/// Where a part stands in a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct PartPlace {
    pub content: u32,
    pub part: u32,
}

/// `run/release`: decides about the call that is held.
#[derive(Debug, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Release {
    pub run: String,
    pub decision: Decision,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub enum Decision {
    /// It is sent, and calls are held as before.
    Go,
    /// It is sent, and the next call is held.
    StepCall,
    /// It is sent, and the next call of another agent, or of another run of a node, is held.
    StepAgent,
    /// It is sent, and the next call that shows a tool's result for the first time is held.
    StepResult,
    /// It is sent, and nothing is held any more.
    GoFreely,
    /// It is not sent, and the run ends.
    Stop,
}

/// `run/conversation`: what was said and done in a run's session, the oldest first.
#[derive(Debug, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Conversation {
    pub run: String,
}

#[derive(Debug, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct RunConversation {
    /// The last ones.
    pub lines: Vec<ConversationLine>,
    /// How many came before them.
    pub left_out: u32,
}

/// Something that was said or done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ConversationLine {
    /// E1 is number 1.
    pub event: u32,
    /// Who: an agent, or `user`.
    pub who: String,
    pub kind: LineKind,
    /// Of a call or a result.
    pub tool: Option<String>,
    /// Its beginning, where it is long.
    pub text: String,
    pub is_cut: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub enum LineKind {
    Said,
    Thought,
    /// A call of a tool; the text is its arguments, in JSON.
    Called,
    /// A tool's result, in JSON.
    Answered,
    Failed,
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
    /// Who answers, as it was started.
    pub model: String,
    pub phase: RunPhase,
    /// The turn that is being taken, or was last.
    pub job: Option<String>,
    /// What it takes up, if it is not new.
    pub from: Option<RunOrigin>,
    /// Requests that were let through to a model, or answered as recorded.
    pub calls: u32,
    /// What the run has taken so far, and what it may take.
    pub spent: Spent,
    pub limits: Limits,
    /// The app's agents and nodes, each behind the one above it.
    pub agents: Vec<RunAgent>,
    /// What is being said, as far as it came.
    pub saying: Option<Saying>,
    /// The call that is held.
    pub held: Option<HeldCall>,
    /// When calls are held.
    pub holds: Vec<String>,
    /// Calls that wait for an answer.
    pub waiting: Vec<WaitingCall>,
    /// Why the last turn failed.
    pub error: Option<RunProblem>,
    /// What else there is to know, a sentence each; the newest ones.
    pub notes: Vec<String>,
}

/// The call from which a session is run again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct RunOrigin {
    /// The session it was recorded in, or the experiment over it whose edits hold.
    pub session: String,
    /// The first call that a model answers.
    pub call: u32,
    /// Calls before it that were answered as recorded.
    pub replayed: u32,
    /// The turn of the call was not taken yet: say nothing, and it is.
    pub waits: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub enum RunPhase {
    /// It waits for somebody to say something.
    Idle,
    /// A turn is being taken.
    Running,
    /// A call is held before it is sent, until somebody decides about it.
    Held,
    /// It was stopped, and takes no turn any more.
    Stopped,
}

/// What a run has taken.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Spent {
    /// Of prompts and answers, as reported, or by our count.
    pub tokens: f64,
    /// US dollars, where the price is known; of scripted answers, what the agents' own models would have taken.
    pub dollars: f64,
}

/// An agent or a node of the app.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct RunAgent {
    pub name: String,
    /// In words, such as `llm`, `sequential` or `function`.
    pub kind: String,
    /// How many stand above it.
    pub depth: u32,
    pub state: AgentState,
    /// Requests of it that this run has let through to a model.
    pub calls: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub enum AgentState {
    /// Nothing in the session is its own.
    NotRun,
    /// It is at work, or something below it is.
    Running,
    /// Its call is held.
    Held,
    /// It waits for an answer.
    Asks,
    Done,
}

/// A call that is held, as it would be sent. It is the last call of the session, which every view can show.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct HeldCall {
    pub agent: String,
    /// The run of a node that makes the call; empty outside of nodes.
    pub node_path: String,
    /// Why it is held, a sentence each.
    pub reasons: Vec<String>,
    /// By our count.
    pub prompt_tokens: u32,
    pub basis: Basis,
    /// US dollars of the prompt, if nothing of it is found in a cache.
    pub prompt_cost: Option<f64>,
    /// How it continues its agent's call before. Absent for the first one.
    pub before: Option<Continuation>,
    /// As it is asked of the model.
    pub model: String,
    /// The instruction, as it would be sent; absent where there is none.
    pub system: Option<String>,
    pub parts: Vec<HeldPart>,
    /// Somebody has edited it.
    pub is_edited: bool,
}

/// A part of a request that is held.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct HeldPart {
    /// Both count from 0.
    pub content: u32,
    pub part: u32,
    /// `user` or `model`.
    pub role: String,
    /// In words: `text`, `thought`, `call of look`, `result of look`, `data`.
    pub kind: String,
    /// What would be edited: a text, or the value of a result in JSON. Of anything else, a look at it.
    pub text: String,
    /// Whether its text can be edited. Any part can be left out.
    pub is_text: bool,
}

/// How a prompt continues the one before it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Continuation {
    /// Tokens of the prompt before, and of these the ones that this one begins with.
    pub tokens: u32,
    pub shared_tokens: u32,
    /// Where the first difference stands: `tools`, `instruction` or `conversation`. Absent: it only adds to it.
    pub differs_in: Option<String>,
}

/// A call that waits for an answer from outside.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct WaitingCall {
    pub id: String,
    pub agent: String,
    pub kind: WaitingKind,
    /// The tool that waits, or is to be confirmed.
    pub tool: String,
    /// What is asked, where the agent says it.
    pub question: Option<String>,
    /// Arguments, in JSON.
    pub args: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub enum WaitingKind {
    /// A call that is made once somebody agrees: the answer is `{"confirmed": true}` or false.
    Confirmation,
    /// A question to the user.
    Input,
    /// A tool that takes long: the answer is its result.
    Tool,
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

impl From<&Failure> for RunProblem {
    fn from(failure: &Failure) -> Self {
        Self { code: failure.kind.to_string(), message: sentence(&failure.text()) }
    }
}
