//! `strata adk-recorder`: the plugin that records a google-adk app.

use serde::Serialize;
use strata_import::ADK_RECORDER;

use super::VERSION;
use crate::api::app::RecorderFile;

/// The document of `strata adk-recorder`.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RecorderReport {
    pub version: u32,
    #[serde(flatten)]
    pub file: RecorderFile,
}

const USAGE: &str = r#"from google.adk.apps import App
from strata_recorder import StrataRecorder

app = App(name="my_app", root_agent=root_agent, plugins=[StrataRecorder("run.strata.jsonl")])
"#;

/// One Python file, for google-adk from 1.10 on.
pub fn adk_recorder() -> RecorderReport {
    let file = RecorderFile {
        name: "strata_recorder.py".to_owned(),
        text: ADK_RECORDER.to_owned(),
        usage: USAGE.to_owned(),
    };
    RecorderReport { version: VERSION, file }
}

#[cfg(test)]
mod tests {
    use strata_model::secret;

    use super::*;

    /// Answers of commands are masked, which must not break the program.
    #[test]
    fn nothing_in_the_recorder_looks_like_a_secret() {
        assert_eq!(secret::find(ADK_RECORDER), []);
        assert_eq!(secret::find(USAGE), []);
    }
}
