//! The application itself: start, settings.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

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
    pub settings: Settings,
}

/// What a person chose. Stored in the database; absent values mean the default.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", default)]
pub struct Settings {
    pub theme: Theme,
    /// Interface size in percent, 90 to 150.
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
