//! Files, memories, nodes and contexts: what else the stores of a session hold.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::common::CallRange;

/// Where something stood in prompts, and what it cost there.
#[derive(Debug, Clone, Default, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Carried {
    /// Calls whose prompt holds it.
    pub calls: u32,
    pub ranges: Vec<CallRange>,
    /// In the last of them.
    pub tokens: u32,
    /// In all of them, and of these what a provider had seen before.
    pub lifetime_tokens: f64,
    pub cached_tokens: f64,
    /// US dollars; null where one of the calls has no price.
    pub cost_usd: Option<f64>,
    /// The first call after it had left the prompts again; null while it stands in the last one.
    pub left_at: Option<u32>,
    /// Calls whose prompt held something that is not known and may have been this: they are in no number above.
    pub unknown_calls: u32,
}

/// `stores/artifacts`: the files that agents saved.
#[derive(Debug, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Artifacts {
    pub session: String,
    pub offset: u32,
    pub limit: u32,
}

#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ArtifactsPage {
    /// Rows on all pages.
    pub total: u32,
    /// By name.
    pub rows: Vec<FileRow>,
    /// The list of names that a tool puts into prompts.
    pub list: Option<Carried>,
    /// Files that no prompt holds; one that may have stood where a prompt is not known is none of them.
    pub never_loaded: u32,
    /// What the recording does not hold, in a sentence.
    pub gap: Option<String>,
}

#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct FileRow {
    pub name: String,
    /// The user's in all sessions.
    pub is_of_user: bool,
    /// Oldest first; none where only prompts tell of it.
    pub versions: Vec<FileVersion>,
    pub carried: Carried,
}

#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct FileVersion {
    /// Counted from 0.
    pub version: u32,
    /// The event that saved it, from 1; null where it is from elsewhere.
    pub event: Option<u32>,
    pub agent: String,
    /// Null where it is not known what is in it.
    pub bytes: Option<f64>,
    /// Null for text.
    pub mime_type: Option<String>,
    pub is_known: bool,
}

/// `stores/memory`: what agents searched for in memory, and found.
#[derive(Debug, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Memory {
    pub session: String,
    pub offset: u32,
    pub limit: u32,
}

#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct MemoryPage {
    /// Rows on all pages.
    pub total: u32,
    /// Searches, in order.
    pub rows: Vec<MemorySearchRow>,
    /// Memories that they found, and of these the ones of which no answer has a word.
    pub found: u32,
    pub unused: u32,
    pub gap: Option<String>,
}

#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct MemorySearchRow {
    /// From 1.
    pub number: u32,
    /// `load_memory` or `preload_memory`.
    pub tool: String,
    pub query: String,
    /// The call that asked, or the first whose prompt holds what was found; 0 before the first.
    pub call: u32,
    /// The event with what was found, from 1.
    pub event: Option<u32>,
    pub agent: String,
    pub found: Vec<RecalledMemory>,
    pub carried: Carried,
}

#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct RecalledMemory {
    pub author: String,
    pub timestamp: String,
    pub text: String,
    /// An answer to a prompt that held it has a telling word of it which the question did not have.
    pub is_used: bool,
}

/// `stores/nodes`: runs of nodes.
#[derive(Debug, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Nodes {
    pub session: String,
    pub offset: u32,
    pub limit: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub enum NodeState {
    Done,
    /// For an answer from outside.
    Waits,
    Failed,
}

#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct NodesPage {
    /// Rows on all pages.
    pub total: u32,
    /// In the order in which they began.
    pub rows: Vec<NodeRow>,
    /// Runs that wait for an answer from outside.
    pub waiting: u32,
    pub gap: Option<String>,
}

#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct NodeRow {
    /// From 1.
    pub number: u32,
    /// As google-adk writes it: `root@1/writer@2`.
    pub path: String,
    pub name: String,
    /// Behind the name.
    pub run: String,
    pub depth: u32,
    /// The user's turn, from 1; null where no call tells it.
    pub turn: Option<u32>,
    pub events: u32,
    pub first_event: u32,
    pub last_event: u32,
    pub n_calls: u32,
    pub calls: Vec<CallRange>,
    /// From its first event to its last.
    pub seconds: f64,
    pub state: NodeState,
    /// What it was given, where events tell: what the nodes before it put out, or the words that began its workflow. Null
    /// where none does.
    pub input: Option<String>,
    /// Null where its events hold none.
    pub output: Option<String>,
    pub route: Option<String>,
    /// Ids of calls that wait for an answer.
    pub interrupts: Vec<String>,
    pub problem: Option<String>,
}

/// Which contexts are listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub enum ContextFilter {
    All,
    /// In which a task is at work, or waits for somebody.
    OpenTasks,
    /// Whose time is up within a quarter of an hour, the first to go first.
    Expiring,
    /// That the open session names.
    Named,
}

/// How many contexts each filter lets through.
#[derive(Debug, Clone, Copy, Default, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ContextCounts {
    pub all: u32,
    pub open_tasks: u32,
    pub expiring: u32,
    pub named: u32,
}

/// `stores/contexts`: contexts of served apps, and those that the open session names.
#[derive(Debug, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Contexts {
    pub session: String,
    pub filter: ContextFilter,
    pub offset: u32,
    pub limit: u32,
}

#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ContextsPage {
    /// Rows on all pages.
    pub total: u32,
    /// The latest used first; behind them those that expired, and those that only the open session names.
    pub rows: Vec<ContextLine>,
    pub counts: ContextCounts,
    /// Tasks that are open in any of them.
    pub open_tasks: u32,
    /// Contexts that the open session names, and that nobody serves here.
    pub seen: u32,
    /// Bytes that a working state may have.
    pub state_limit: f64,
    /// Where the session may have named others.
    pub gap: Option<String>,
}

/// A context. Times are epoch milliseconds.
#[derive(Debug, Clone, Default, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ContextLine {
    pub id: String,
    pub principal: String,
    /// `active`, `idle`, `archived` or `expired`; `seen` where only the open session names it.
    pub state: String,
    /// `interactive`, `async` or `human in the loop`.
    pub ttl: String,
    /// Seconds without anything happening after which it ends; null where there is no clock.
    pub ttl_seconds: Option<u32>,
    pub created_ms: f64,
    pub updated_ms: f64,
    /// When it expires if nothing else happens; null: not by the clock, or not while a task is open.
    pub expires_ms: Option<f64>,
    pub expired_ms: Option<f64>,
    /// That are kept, the summary included, and how many there ever were.
    pub messages: u32,
    pub messages_ever: u32,
    pub has_summary: bool,
    /// Bytes of the working state, of messages, and of values that the working state had no room for.
    pub state_bytes: f64,
    pub message_bytes: f64,
    pub put_away_bytes: f64,
    pub open_tasks: u32,
    pub completed_tasks: u32,
    /// `mcp`, `a2a` or `http`, by the time each was first used. Of one that is only seen also `tool`, where it is not known
    /// what carried a tool's arguments, `responses` and `adk`.
    pub doors: Vec<String>,
    /// The session in which its agents answer.
    pub session: Option<String>,
    pub is_of_session: bool,
    /// How often the open session names it.
    pub seen: u32,
}

/// `stores/counts`: how many there are in each store.
#[derive(Debug, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Counts {
    pub session: String,
}

/// Rows of each store, as far as the session is compiled.
#[derive(Debug, Clone, Copy, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct StoreCounts {
    /// Keys.
    pub state: u32,
    pub artifacts: u32,
    /// Searches.
    pub memory: u32,
    pub agents: u32,
    /// Runs.
    pub nodes: u32,
    pub contexts: u32,
}

/// `stores/archiveContext`: puts a context away until its client comes back.
#[derive(Debug, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ArchiveContext {
    pub session: String,
    pub context: String,
}

/// `stores/expireContext`: ends a context before its time. It is archived, and no client can go on with it.
#[derive(Debug, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ExpireContext {
    pub session: String,
    pub context: String,
}

/// `stores/context`: one context.
#[derive(Debug, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Context {
    pub session: String,
    pub context: String,
}

#[derive(Debug, Clone, Default, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ContextDetail {
    pub row: ContextLine,
    /// What of its messages it keeps.
    pub retention: String,
    /// When it expires, and what nobody can go on with then.
    pub loss: String,
    /// Of the working state, the largest first.
    pub keys: Vec<ContextKey>,
    /// The summary is the first.
    pub messages: Vec<ContextMessage>,
    /// In the order in which they began.
    pub tasks: Vec<ContextTask>,
    pub put_away: Vec<PutAway>,
    /// Where the open session names it.
    pub seen: Option<SeenContext>,
    /// What went of its messages; null where nothing did, and where nobody serves it here.
    pub retention_loss: Option<RetentionLoss>,
}

#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ContextKey {
    pub key: String,
    pub bytes: f64,
    /// In one line.
    pub value: String,
    /// Where the value is, if the working state had no room for it.
    pub put_away: Option<String>,
}

#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ContextMessage {
    /// Place among all that was ever said, from 0.
    pub number: u32,
    pub at_ms: f64,
    /// `user`, `assistant` or `system`.
    pub role: String,
    pub is_summary: bool,
    pub content: String,
    pub bytes: f64,
    pub door: Option<String>,
}

#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ContextTask {
    pub id: String,
    pub operation: String,
    pub status: String,
    pub created_ms: f64,
    pub updated_ms: f64,
    pub parent: Option<String>,
    /// Keys of the working state that it began with, and that it changed.
    pub inherited: Vec<String>,
    pub changed: Vec<String>,
    /// Of these, the keys that others had changed meanwhile: their values stayed.
    pub refused: Vec<String>,
    /// What came of it, or what a person is asked.
    pub told: Option<String>,
}

#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct PutAway {
    pub name: String,
    /// Counted from 0.
    pub version: u32,
    pub bytes: f64,
}

/// A context that a recording names.
#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct SeenContext {
    /// As it was said; what looks like a key is masked.
    pub id: String,
    /// `mcp`, `a2a`, `http`, `tool` where it is not known what carried a tool's arguments, `responses`, or `adk`; by the time
    /// each was first used.
    pub doors: Vec<String>,
    /// How often it is named.
    pub times: u32,
    /// Epoch milliseconds.
    pub first_ms: f64,
    pub last_ms: f64,
    /// The first of them.
    pub sightings: Vec<ContextSighting>,
}

/// Where a recording names a context.
#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ContextSighting {
    /// From 1.
    pub event: u32,
    /// The call that it is the answer to; null for others.
    pub call: Option<u32>,
    pub at_ms: f64,
    pub door: String,
    /// `argument of get_products`, `header X-Context-ID`.
    pub place: String,
    /// Whether it came in with a request, and not back with an answer.
    pub is_in: bool,
}

/// What the retention of a context has done to its messages.
#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct RetentionLoss {
    /// Messages that were said and that are no longer kept.
    pub said: u32,
    pub gone: u32,
    pub is_summarised: bool,
    /// What the messages that went stated, by what the summary tells of it.
    pub kept: u32,
    pub paraphrased: u32,
    pub dropped: u32,
    /// Of what was dropped: how much answers stated again when it was not sent any more.
    pub used: u32,
    /// The share of what was lost, by weight.
    pub lost_share: f64,
    /// The first of them; dropped ones first, the heaviest first.
    pub facts: Vec<LostFact>,
    /// What is in no number here, and how many of those that are gone agents were still sent with the last request.
    pub gap: Option<String>,
}

/// Something that a message stated that went.
#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct LostFact {
    /// `constraint`, `decision`, `number` and others.
    pub kind: String,
    pub text: String,
    /// `kept`, `paraphrased` or `dropped`.
    pub verdict: String,
    /// The event that says it, from 1, in the session of the context.
    pub event: u32,
    /// How many answers state it again after the message had gone, and the event of the first.
    pub used_later: u32,
    pub first_use: Option<u32>,
}
