//! Shapes that several answers share.

use serde::{Deserialize, Serialize};
use strata_engine::Experiment;
use strata_measure::analysis::CallAnalysis;
use ts_rs::TS;

/// Where a token came from, the one thing that has a hue. In the order of the legend.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub enum Kind {
    Tools,
    System,
    /// Memory records and artifact contents.
    Memory,
    Summary,
    User,
    /// Text, thoughts and tool calls of a model.
    Model,
    /// Tool results.
    Result,
}

impl Kind {
    pub const ALL: [Self; 7] =
        [Self::Tools, Self::System, Self::Memory, Self::Summary, Self::User, Self::Model, Self::Result];

    pub fn name(self) -> &'static str {
        match self {
            Self::Tools => "tools",
            Self::System => "system",
            Self::Memory => "memory",
            Self::Summary => "summary",
            Self::User => "user",
            Self::Model => "model",
            Self::Result => "result",
        }
    }
}

/// What the parts of a prompt rest on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub enum RequestBasis {
    /// What was really sent is recorded.
    Recorded,
    /// Compiled from the session's events and the app configuration.
    Recompiled,
}

impl RequestBasis {
    pub(crate) fn of(experiment: &Experiment, call: &CallAnalysis) -> Self {
        if experiment.is_as_sent(call.number, &call.request) { Self::Recorded } else { Self::Recompiled }
    }
}

/// What a number rests on, best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub enum Basis {
    /// The provider said so for this very call.
    Reported,
    /// Vocabulary and format are known.
    Exact,
    /// Our count, corrected by what the provider reported for earlier calls of this model.
    Calibrated,
    /// Our count with a vocabulary that is not the model's, or of a format that is not published.
    Estimated,
}

impl Basis {
    pub fn name(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Reported => "reported",
            Self::Calibrated => "calibrated",
            Self::Estimated => "estimated",
        }
    }

    /// What stands before a number that is not known to be exact.
    pub fn mark(self) -> &'static str {
        match self {
            Self::Exact | Self::Reported => "",
            Self::Calibrated | Self::Estimated => "≈",
        }
    }
}

/// A count of tokens and what it rests on. `low` and `high` bound the truth where the basis is not exact.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct TokenCount {
    pub tokens: u32,
    pub basis: Basis,
    pub low: u32,
    pub high: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub enum DiagnosticSeverity {
    Info,
    Warning,
    Error,
}

/// Something a person should know about a file, a session or a stage.
#[derive(Debug, Clone, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct DiagnosticRow {
    pub severity: DiagnosticSeverity,
    pub code: String,
    pub message: String,
    /// Path, line or byte in the source, or an address.
    pub at: String,
}

/// What to change in the tool that wrote the session, as one writes it there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Remedy {
    /// A line to copy: a setting, a command, a sentence for the instructions.
    pub text: String,
    /// Where it goes: `~/.codex/config.toml`.
    pub place: String,
    /// Where it is documented.
    pub source: String,
}

impl From<strata_measure::remedies::Remedy> for Remedy {
    fn from(remedy: strata_measure::remedies::Remedy) -> Self {
        Self { text: remedy.text, place: remedy.place.to_owned(), source: remedy.source.to_owned() }
    }
}

/// Something worth a person's time: tokens that need not be sent, a prefix that need not break, something lost.
#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct FindingRow {
    pub code: String,
    pub title: String,
    pub severity: DiagnosticSeverity,
    /// What happened in this session and why.
    pub message: String,
    /// What to change.
    pub advice: String,
    /// The same in the tool that wrote the session, where it has a setting for it.
    pub remedy: Option<Remedy>,
    /// Over the session; 0 where it cannot be told in tokens. Findings overlap.
    pub tokens: f64,
    pub cost_usd: Option<f64>,
    /// "C4–C17", the first few.
    pub calls: String,
}

/// What calls come to, in their providers' tokens: as it was reported for these very requests where it was, predicted
/// and calibrated elsewhere.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Bill {
    pub calls: u32,
    /// Of these, calls whose prompt is reported.
    pub reported_calls: u32,
    /// Of these, calls that failed without a report, or whose answer is not recorded, and the tokens of their prompts:
    /// nobody is known to have paid for them, and nothing of them is cached, written or in the cost.
    pub unpaid_calls: u32,
    pub unpaid_tokens: u64,
    /// All of the prompts: what is counted and what is hidden, less what is counted too much.
    pub prompt_tokens: u64,
    /// The weakest of all calls.
    pub basis: Basis,
    /// What is known of the prompts, our count.
    pub counted_tokens: u64,
    pub counted_basis: Basis,
    /// What providers counted beyond that: of known size and unknown text. It stands first in the prompts.
    pub hidden_tokens: u64,
    pub overcounted_tokens: u64,
    /// Of the prompts, read from a cache.
    pub cached_tokens: u64,
    /// Calls of which it is reported what was read from a cache; of the others it is predicted, but for those of which a
    /// report says nothing of that: of them nothing is known to be read from one.
    pub cache_reported_calls: u32,
    pub cache_unsaid_calls: u32,
    /// Written to a cache for the provider's shorter lifetime, and for the longer one.
    pub written_tokens: u64,
    pub written_long_tokens: u64,
    /// Reported of answers, thoughts included.
    pub output_tokens: u64,
    /// US dollars of prompts, answers and summaries; absent when a model has no known price.
    pub cost: Option<f64>,
    /// Calls whose model has no known price. Where that is some of them, US dollars of all else.
    pub unpriced_calls: u32,
    pub partial_cost: Option<f64>,
    /// Of `cost`, for hidden context, and for answers.
    pub hidden_cost: Option<f64>,
    pub output_cost: Option<f64>,
    /// For writing summaries of the history, which are no calls of the session: of the sums above, only the cost has it.
    pub summaries: SummaryBill,
}

/// What it took to have summaries written that are no calls of a session.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct SummaryBill {
    pub summaries: u32,
    /// Of these, summaries of which it is reported. Others are estimated by what they are made of.
    pub reported: u32,
    /// Summaries of which nothing is known, and which are in no sum.
    pub unbilled: u32,
    pub input_tokens: u64,
    pub cached_tokens: u64,
    pub output_tokens: u64,
    /// US dollars; absent where the model that wrote one has no known price.
    pub cost: Option<f64>,
}

/// Tokens of one kind.
#[derive(Debug, Clone, Copy, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct KindTokens {
    pub kind: Kind,
    pub tokens: u32,
}

/// A run of calls, both ends included; calls count from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct CallRange {
    pub from: u32,
    pub to: u32,
}

/// One step of "where it came from", from the source to the wire.
#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ChainStep {
    /// Colours the dot; none for the runtime's own steps.
    pub kind: Option<Kind>,
    /// What to open when the step is chosen.
    pub address: Option<String>,
    /// `E7`, `contents`, …: shown bold for events, in mono for processors.
    pub label: String,
    pub is_code: bool,
    pub text: String,
    /// A second line in mono, such as a call with its arguments.
    pub code: Option<String>,
}
