//! Sessions: the list, opening, the numbers at the top of the window.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::common::{Basis, Bill, DiagnosticRow};
use super::experiment::ExperimentRow;

/// `session/list`: sessions in the store, most recently opened first.
#[derive(Debug, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct List {
    /// Only sessions whose title, id or file contains this text.
    pub filter: String,
    pub offset: u32,
    pub limit: u32,
}

#[derive(Debug, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct SessionPage {
    pub total: u32,
    pub rows: Vec<SessionRow>,
}

/// What is known of a session without opening it.
#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct SessionRow {
    #[serde(flatten)]
    pub item: SessionListItem,
    /// The folder it was recorded in, where its file says so.
    pub folder: Option<String>,
    pub compactions: u32,
    /// Absent where providers reported nothing, and where the session was stored by a version that did not add it up.
    pub reported: Option<ReportedCalls>,
}

/// What providers reported of a session's calls. Nothing of it is counted or predicted.
#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ReportedCalls {
    /// Calls with a report, of all calls.
    pub calls: u32,
    /// Calls without one that failed or have no recorded answer: nobody is known to have paid for them.
    pub unpaid_calls: u32,
    pub prompt_tokens: f64,
    /// Absent where no report says anything of a cache.
    pub cached_tokens: Option<f64>,
    /// Thoughts included.
    pub output_tokens: f64,
    pub largest_prompt: u32,
    /// Those that answered, by name.
    pub models: Vec<String>,
    /// US dollars for all calls; absent when one is not reported, or its model has no known price.
    pub cost: Option<f64>,
    /// Why output counts of its file are not to be trusted, if so.
    pub caveat: Option<String>,
}

#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct SessionListItem {
    /// The store's own id, used by every other command.
    pub session: String,
    pub title: String,
    /// `ADK session`, `Claude Code transcript`, …
    pub format: String,
    /// Where it was read from; empty for the bundled sample.
    pub source: String,
    pub events: u32,
    pub calls: u32,
    /// Epoch milliseconds of the last event, if known.
    pub last_event_ms: Option<f64>,
    /// Epoch milliseconds; absent when never opened.
    pub opened_ms: Option<f64>,
    pub is_sample: bool,
}

/// `session/import`: reads files and folders by path, as a job. Its result lists the sessions read.
#[derive(Debug, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Import {
    pub paths: Vec<String>,
}

/// `session/importUploads`: reads files that have no path, such as those dropped on the browser, as one job.
#[derive(Debug, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ImportUploads {
    pub uploads: Vec<UploadedFile>,
}

#[derive(Debug, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct UploadedFile {
    /// The id an upload to the host returned.
    pub upload: String,
    /// The file's name, for the title.
    pub name: String,
}

/// `session/addRequests`: gives a session the requests that another file recorded, such as a trace. They are matched by
/// the ids of their answers.
#[derive(Debug, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct AddRequests {
    pub session: String,
    /// The file, on this computer.
    pub path: Option<String>,
    /// The id an upload to the host returned, where it has no path.
    pub upload: Option<String>,
    /// The file's name, where it has no path.
    pub name: Option<String>,
}

#[derive(Debug, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct RequestsAdded {
    /// Requests that belong to calls of the session, and are shown there from now on.
    pub joined: u32,
    /// Requests in the file whose answers are no events of the session.
    pub left: u32,
    /// Both in a sentence.
    pub message: String,
}

#[derive(Debug, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct JobStarted {
    pub job: String,
}

/// `session/open`: makes a session ready to ask about. Compiling its calls goes on in the background; the
/// notification `analysis` tells how far it is, and every answer covers the calls compiled so far.
#[derive(Debug, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Open {
    pub session: String,
}

/// `session/header`: the same answer again, with what has been compiled by now.
#[derive(Debug, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Header {
    pub session: String,
}

#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct SessionHeader {
    /// Of the session or the experiment that was asked for.
    pub session: String,
    /// The experiment, where it is one; its `session` is the recorded one.
    pub experiment: Option<ExperimentRow>,
    pub title: String,
    pub format: String,
    pub source: String,
    pub is_sample: bool,
    pub events: u32,
    pub calls: u32,
    /// Calls compiled so far; less than `calls` while the background work runs.
    pub compiled_calls: u32,
    /// Times a user spoke.
    pub user_turns: u32,
    pub compactions: u32,
    /// In order of appearance; call columns refer to them by index.
    pub agents: Vec<AgentSummary>,
    /// What the compiled calls come to.
    pub bill: Bill,
    /// What the providers are likely to have counted, where that is known of calls they reported nothing for.
    pub calibrated: Option<CalibratedTotal>,
    pub reported: Option<ReportedUsage>,
    pub tokenizer: TokenizerInfo,
    pub prices: Vec<PriceInfo>,
    pub app: AppInfo,
    pub diagnostics: Vec<DiagnosticRow>,
    /// Record types and fields of the file that have no place in the session model, with how often they occur.
    pub unmapped: Vec<UnmappedRow>,
    /// Largest prompt of a compiled call, for scales.
    pub peak_tokens: u32,
    pub follow: FollowState,
}

/// `session/follow`: reads the file of a session again whenever it changes, or stops that. What was read stays.
#[derive(Debug, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Follow {
    pub session: String,
    pub is_on: bool,
}

/// Whether the file of a session is read again whenever it changes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct FollowState {
    pub is_on: bool,
    /// Why what the file holds just now could not be read. What was read before stays.
    pub problem: Option<String>,
    /// Why it cannot be followed.
    pub impossible: Option<String>,
}

#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct UnmappedRow {
    pub name: String,
    pub count: u32,
}

#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct AgentSummary {
    pub name: String,
    pub model: String,
    pub calls: u32,
    pub events: u32,
    /// Taken from the events, not from a configuration.
    pub is_inferred: bool,
    /// Of the model that its last compiled call was sent to.
    pub context_window: Option<ContextWindow>,
}

/// The longest prompt that a model takes. None where that is not known, or where a prompt of the agent was longer:
/// another window was in force then.
#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ContextWindow {
    pub model: String,
    pub tokens: u32,
    /// Who says so.
    pub source: String,
}

/// The prompts of a session, with the bounds of what is not reported.
#[derive(Debug, Clone, Copy, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct CalibratedTotal {
    pub tokens: f64,
    pub low: f64,
    pub high: f64,
    /// Calls without a report.
    pub calls: u32,
}

/// What providers reported over the whole session.
#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ReportedUsage {
    pub input_tokens: f64,
    pub cached_tokens: f64,
    pub cache_write_tokens: f64,
    pub output_tokens: f64,
    /// Calls with a report, of all calls.
    pub calls: u32,
    /// Why output counts of this file are not to be trusted, if so.
    pub caveat: Option<String>,
}

#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct TokenizerInfo {
    /// `o200k_base`.
    pub vocabulary: String,
    pub basis: Basis,
    /// One sentence on what the counts rest on and how far off they may be.
    pub explanation: String,
}

/// US dollars per million tokens.
#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct PriceInfo {
    pub model: String,
    pub input: f64,
    pub cached_read: f64,
    pub output: f64,
    /// Where the price is from and when it was seen.
    pub source: String,
}

/// The app configuration a session is compiled with.
#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct AppInfo {
    pub name: String,
    /// Its requests are made by google-adk's rules, so Strata can run it.
    pub is_adk: bool,
    pub is_inferred: bool,
    /// File it was read from, if any.
    pub source: Option<String>,
    /// What was inferred and what could not be, a sentence each.
    pub notes: Vec<String>,
    /// Nothing says which model some agent called: `session/setModel` chooses one.
    pub names_no_model: bool,
    /// The model that was chosen: prompts are counted and priced as if sent to it.
    pub as_if: Option<String>,
    /// The files of the app's artifact service. None: what was in files is known only where it was recorded.
    pub artifacts: Option<ServiceInfo>,
    /// What the app remembers. None: what searches found is known only where it was recorded.
    pub memory: Option<ServiceInfo>,
}

/// Where something that a session is compiled with was read from.
#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ServiceInfo {
    /// A folder or file on this computer.
    pub path: String,
    /// It lay beside the session, and nobody named it.
    pub is_found: bool,
    /// Files that the session can see, or things that are remembered.
    pub items: u32,
}

/// `session/setServices`: compiles a session of google-adk with what its services hold from now on.
#[derive(Debug, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct SetServices {
    pub session: String,
    /// The root of a FileArtifactService; absent to go by what lies beside the session.
    pub artifacts: Option<String>,
    /// A database of SqliteMemoryService, a file of memories, sessions that were remembered, or a recording of an app that
    /// searched; absent to go by what lies beside the session.
    pub memory: Option<String>,
}

/// `session/setApp`: compiles the session with this configuration file from now on.
#[derive(Debug, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct SetApp {
    pub session: String,
    /// A JSON or YAML file; absent to go back to what can be inferred.
    pub path: Option<String>,
}

/// `session/setModel`: counts and prices a session that names no model as if it had been sent to this one from now on.
#[derive(Debug, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct SetModel {
    pub session: String,
    /// As its provider calls it; absent to go back to a model that nobody knows.
    pub model: Option<String>,
}

/// `session/remove`: takes a session out of the store. The file it was read from is not touched.
#[derive(Debug, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Remove {
    pub session: String,
}

#[derive(Debug, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Removed {
    pub title: String,
}
