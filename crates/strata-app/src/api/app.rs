//! The application itself: start, settings.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::cache::CacheRuleInfo;
use super::session::SessionListItem;

/// `app/start`: everything the window needs to draw its first frame.
#[derive(Debug, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Start {}

#[derive(Debug, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct StartInfo {
    pub version: String,
    /// `desktop` or `browser`.
    pub host: String,
    /// The session to open: the one named on the command line, else the last one open, else the bundled sample.
    pub open_session: Option<String>,
    /// A file from the command line that is being imported; its job id.
    pub open_job: Option<String>,
    /// The bundled sample session.
    pub sample_session: String,
    pub recent: Vec<SessionListItem>,
    /// The gateway listens.
    pub is_capturing: bool,
    pub settings: Settings,
}

/// What a person chose. Stored in the database; absent values mean the default.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", default)]
pub struct Settings {
    pub theme: Theme,
    /// Interface size in percent, 90 to 200.
    pub zoom_percent: u16,
    /// Row height: 22 px, or 28 px when comfortable.
    pub is_comfortable: bool,
    /// Patterns beside colours for the kinds.
    pub has_patterns: bool,
    /// The bar that introduces the sample was dismissed.
    pub is_sample_bar_dismissed: bool,
    /// Shortcuts already used three times, whose hints may go.
    pub learned_keys: Vec<String>,
    /// Keys, tokens and passwords are masked in everything that is shown. Exports have a switch of their own.
    pub masks_secrets: bool,
    /// What a session may take before a person is told, while the gateway hears it.
    pub budget: SessionBudget,
}

/// Amounts of one session. Absent: any.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", default)]
pub struct SessionBudget {
    /// US dollars.
    pub usd: Option<f64>,
    /// Tokens of prompts and answers.
    pub tokens: Option<f64>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            theme: Theme::System,
            zoom_percent: 100,
            is_comfortable: false,
            has_patterns: false,
            is_sample_bar_dismissed: false,
            learned_keys: Vec::new(),
            masks_secrets: false,
            budget: SessionBudget::default(),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub enum Theme {
    System,
    Dark,
    Light,
}

/// `app/recorder`: the plugin that makes a google-adk app write a recording.
#[derive(Debug, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Recorder {}

/// A Python file that needs nothing but google-adk itself.
#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct RecorderFile {
    /// What to save it as.
    pub name: String,
    pub text: String,
    /// The lines that an app needs, where its agent is called `root_agent`.
    pub usage: String,
}

/// `app/setSettings`: stores all settings and returns them as stored.
#[derive(Debug, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct SetSettings {
    pub settings: Settings,
}

/// `app/prices`: what models cost, in US dollars per million tokens: prices that a person has set, then the others in the
/// order of the table that comes with Strata.
#[derive(Debug, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct PriceTable {}

/// `app/setPrice`: a person's own price of a model, for prompts of any length. It holds at once, in place of the listed
/// one if there is one.
#[derive(Debug, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct SetPrice {
    /// As its calls name it.
    pub model: String,
    pub rates: PriceRates,
}

/// `app/forgetPrice`: forgets a price that was set. From then on the listed one holds, if there is one.
#[derive(Debug, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ForgetPrice {
    pub model: String,
}

#[derive(Debug, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct PriceRow {
    pub model: String,
    /// A person has set it.
    pub is_own: bool,
    /// Of requests below all tiers.
    pub rates: PriceRates,
    /// Of requests with long prompts, from the shortest to the longest.
    pub tiers: Vec<PriceTier>,
    /// The longest prompt that the model takes, where that is known.
    pub context_tokens: Option<u32>,
    /// Others may serve the model at prices of their own.
    pub is_open_weights: bool,
    pub source: String,
    /// The day its source was read, as `2026-11-20`; empty for one that a person has set.
    pub seen_on: String,
    pub note: Option<String>,
}

#[derive(Debug, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct PriceTier {
    pub above_prompt_tokens: f64,
    pub rates: PriceRates,
}

#[derive(Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct PriceRates {
    pub input: f64,
    pub cached_read: f64,
    /// Absent where putting tokens into the cache costs no more than `input`.
    pub cache_write: Option<f64>,
    /// The same for the longer of two lifetimes.
    pub cache_write_long: Option<f64>,
    pub output: f64,
}

/// `app/cacheRules`: how providers find a prefix again. The first rule that fits a model holds; the last one stands in
/// for models that nothing is known about.
#[derive(Debug, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct CacheRuleTable {}

#[derive(Debug, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct CacheRuleRow {
    pub rule: CacheRuleInfo,
    /// The longest lifetime that a request can ask for, in seconds.
    pub longest_lifetime_s: Option<f64>,
    /// Only prefixes that end at a mark are found.
    pub needs_marks: bool,
}

/// `app/storage`: where sessions are kept, and how much space they take. It reads all of the file.
#[derive(Debug, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Storage {}

#[derive(Debug, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct StorageInfo {
    /// Absent where nothing is kept beyond this run.
    pub path: Option<String>,
    /// Of the file, without its write-ahead log: the bytes of `parts`, and `free_bytes`.
    pub bytes: f64,
    /// What the next import fills first.
    pub free_bytes: f64,
    /// The largest first.
    pub parts: Vec<StoragePart>,
    pub sessions: u32,
    pub events: f64,
}

#[derive(Debug, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct StoragePart {
    /// `events`, `files as they were read`.
    pub name: String,
    pub bytes: f64,
}
