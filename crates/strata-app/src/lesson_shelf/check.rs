//! What a goal of a lesson asks for: a closed list of checks, each of them on what Strata computes.

use serde::Deserialize;

/// A check on the session as the learner's edits leave it, or on what the learner answers. Calls and events count from 1;
/// shares are from 0 to 1.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum Check {
    /// The prompt of a call, in tokens.
    PromptTokens { call: u32, at_most: u64 },
    /// The largest prompt of all calls, or of an agent's, in tokens.
    PeakPrompt {
        #[serde(default)]
        agent: Option<String>,
        at_most: u64,
    },
    /// All prompts together, against the recording.
    TotalTokens {
        #[serde(default)]
        agent: Option<String>,
        less_by: f64,
    },
    /// What all calls and summaries cost, against the recording.
    Cost { less_by: f64 },
    /// What is found in a cache, of the prompt of one call, or of the prompts of an agent or of all.
    CachedShare {
        #[serde(default)]
        call: Option<u32>,
        #[serde(default)]
        agent: Option<String>,
        at_least: f64,
    },
    /// Tokens that are paid in full again for no need, over all calls.
    AvoidableLoss { at_most: u64 },
    /// No prefix breaks because this state key changed.
    NoBreakBy { key: String },
    /// No finding has this code.
    NoFinding { code: String },
    /// A text stands in the prompt of a call.
    Readable { call: u32, text: String },
    /// A text does not stand in the prompt of a call.
    Unreadable { call: u32, text: String },
    /// How many summaries there are.
    Summaries { at_least: u32, at_most: u32 },
    /// A question to the learner.
    Answer(Question),
}

/// What a learner is asked. The right answer is computed from the recording, and stands in no lesson.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum Question {
    /// The call with the largest prompt, as `C17`.
    LargestPrompt {
        #[serde(default)]
        agent: Option<String>,
    },
    /// The size of a call's prompt, in tokens; `within` is the share by which an answer may be off.
    PromptTokens { call: u32, within: f64 },
    /// What the provider counted of a call's prompt and the recording does not show, in tokens.
    HiddenTokens { call: u32, within: f64 },
    /// The call whose broken prefix costs most, as `C17`.
    DearestBreak {},
    /// The state key that breaks the prefix of a call.
    BreakingKey { call: u32 },
    /// The processor that breaks the prefix of a call.
    BreakingStage { call: u32 },
    /// The processor that puts a text into the prompt of a call.
    WritingStage { call: u32, text: String },
    /// The event that a text in the prompt of a call is from, as `E7`.
    SourceEvent { call: u32, text: String },
    /// The agent or person whose words a text in the prompt of a call is.
    SourceAuthor { call: u32, text: String },
    /// The event that takes most tokens over all calls, as `E7`.
    HeaviestEvent {},
    /// The tool whose results take most tokens over all calls.
    HeaviestTool {},
    /// How many calls carry an event.
    Carriers { event: u32 },
    /// A word or number of at least `min_chars` characters that is in one call's prompt, and in a later one's no longer.
    LostBetween { before: u32, after: u32, min_chars: u32 },
}

impl Check {
    pub(crate) fn question(&self) -> Option<&Question> {
        match self {
            Self::Answer(question) => Some(question),
            _ => None,
        }
    }

    /// What of it no session could meet or fail: shares that are none, ranges that are empty.
    pub(crate) fn defect(&self) -> Option<String> {
        let share = |name: &str, share: f64| {
            let is_share = share > 0.0 && share <= 1.0;
            (!is_share).then(|| format!("`{name}` is a share above 0 and up to 1, not {share}"))
        };
        match self {
            Self::TotalTokens { less_by, .. } | Self::Cost { less_by } => share("less_by", *less_by),
            Self::CachedShare { call: Some(_), agent: Some(_), .. } => {
                Some("`call` and `agent` cannot both be given: a call has one agent".to_owned())
            }
            Self::CachedShare { at_least, .. } => share("at_least", *at_least),
            Self::Summaries { at_least, at_most } if at_least > at_most => {
                Some(format!("no number is at least {at_least} and at most {at_most}"))
            }
            Self::Readable { text, .. } | Self::Unreadable { text, .. } if text.trim().is_empty() => {
                Some("`text` is empty, and nothing is in every prompt".to_owned())
            }
            Self::NoFinding { code } if strata_measure::findings::rules().all(|rule| rule.code != code) => {
                Some(format!("there is no finding `{code}`; docs/findings.md lists them all"))
            }
            Self::Answer(Question::PromptTokens { within, .. } | Question::HiddenTokens { within, .. }) => {
                (!(0.0..1.0).contains(within)).then(|| format!("`within` is a share below 1, not {within}"))
            }
            _ => None,
        }
    }
}
