//! `strata adk-recorder`: the plugin that records a google-adk app.

use serde::Serialize;

use super::VERSION;
use crate::api::app::RecorderFile;
use crate::recorder;

/// The document of `strata adk-recorder`.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RecorderReport {
    pub version: u32,
    #[serde(flatten)]
    pub file: RecorderFile,
}

/// One Python file, for google-adk from 1.10 on.
pub fn adk_recorder() -> RecorderReport {
    RecorderReport { version: VERSION, file: recorder::file() }
}
