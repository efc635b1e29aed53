//! What clients send to their models, caught while they do.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::run::HeldCall;
use super::session::SessionRow;

/// `capture/start`: listens for clients. Where it listens already, that goes on.
#[derive(Debug, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Start {
    /// The port on this computer; absent for a free one.
    pub port: Option<u16>,
    /// Providers besides the known ones, or at other addresses, as `NAME=URL`.
    #[serde(default)]
    pub upstreams: Vec<String>,
}

/// `capture/get`: what was caught.
#[derive(Debug, Deserialize, TS)]
pub struct Get {}

/// `capture/stop`: listens no more. What was caught stays.
#[derive(Debug, Deserialize, TS)]
pub struct Stop {}

/// `capture/setHolds`: holds requests on these conditions from now on. One that is held stays so.
#[derive(Debug, Deserialize, TS)]
pub struct SetHolds {
    /// `always`, `agent=NAME`, `tokens=N`, `cost=DOLLARS`, `break`, `result=N`.
    pub holds: Vec<String>,
}

/// `capture/release`: decides about a request that is held.
#[derive(Debug, Deserialize, TS)]
pub struct Release {
    pub number: f64,
    pub decision: CaptureDecision,
    /// The JSON that is sent in the place of its own.
    pub body: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub enum CaptureDecision {
    /// It is sent, and requests are held as before.
    Go,
    /// It is sent, and the next request is held.
    Step,
    /// It is sent, as are all that wait, and nothing is held any more.
    GoFreely,
    /// It is not sent; its client is told so.
    Refuse,
}

/// The gateway of this program.
#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct CaptureState {
    /// While it listens.
    pub listening: Option<Listening>,
    /// On what requests are held.
    pub holds: Vec<String>,
    /// The oldest first.
    pub held: Vec<HeldRequest>,
    /// The newest first; the last hundred.
    pub exchanges: Vec<Exchange>,
    /// Since it began to listen, or while it last did.
    pub n_exchanges: u32,
    pub bytes_sent: f64,
    pub bytes_received: f64,
    pub telemetry: TelemetryTaken,
    /// What grows while it listens.
    pub sessions: Vec<SessionRow>,
    /// Sessions that have passed the budget of the settings, and those of which nobody can know.
    pub budget_words: Vec<BudgetWord>,
}

/// What clients told of themselves, in the same time.
#[derive(Debug, Clone, Default, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct TelemetryTaken {
    pub n_batches: u32,
    /// Spans and log records that were written.
    pub n_records: f64,
    /// Batches that are not written whole.
    pub n_with_problems: u32,
    /// Why the last of them is not.
    pub last_problem: Option<String>,
}

/// A session and its budget.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct BudgetWord {
    pub session: String,
    pub is_passed: bool,
    /// What happened, or why nobody can know, in a sentence.
    pub text: String,
}

/// Where clients are pointed.
#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Listening {
    /// `http://127.0.0.1:PORT/t/TOKEN`
    pub base: String,
    /// The file that everything is written to.
    pub log: String,
    pub upstreams: Vec<Provider>,
    pub recipes: Vec<Recipe>,
}

/// A provider that requests are passed on to.
#[derive(Debug, Clone, Serialize, TS)]
pub struct Provider {
    /// What its paths may begin with: `BASE/NAME/…`.
    pub name: String,
    pub url: String,
}

/// What of a client comes to the gateway.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub enum CaughtBy {
    /// What it sends to its model.
    Requests,
    /// What it tells of itself, while its requests go where they always go.
    Telemetry,
    Both,
}

/// How a client is pointed at the gateway.
#[derive(Debug, Clone, Serialize, TS)]
pub struct Recipe {
    pub client: String,
    pub by: CaughtBy,
    /// A line for a shell; the client's own arguments follow it.
    pub command: String,
    pub note: String,
}

/// A request that waits for a decision.
#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct HeldRequest {
    pub number: f64,
    /// `claude-code`, `codex`, …; `http` for programs of people's own.
    pub client: String,
    /// As its client names it.
    pub session: Option<String>,
    pub call: HeldCall,
    /// The JSON that is sent.
    pub body: String,
    /// It is sent by itself then, before its client gives up.
    pub seconds_left: f64,
}

/// A request with its answer.
#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Exchange {
    pub number: f64,
    pub method: String,
    /// Without keys.
    pub url: String,
    pub status: Option<u16>,
    pub bytes_sent: f64,
    pub bytes_received: f64,
    /// How long it was held before it was sent.
    pub held_ms: f64,
    /// From when it was sent.
    pub first_byte_ms: Option<f64>,
    pub ms: f64,
    /// What of it was not recorded, or how it ended where it did not end well.
    pub problem: Option<String>,
}
