//! The plugin that records a google-adk app, as it is handed out.

use strata_import::ADK_RECORDER;

use crate::api::app::RecorderFile;

const USAGE: &str = r#"from google.adk.apps import App
from strata_recorder import StrataRecorder

app = App(name="my_app", root_agent=root_agent, plugins=[StrataRecorder("run.strata.jsonl")])
"#;

/// One Python file, for google-adk from 1.10 on.
pub(crate) fn file() -> RecorderFile {
    RecorderFile {
        name: "strata_recorder.py".to_owned(),
        text: ADK_RECORDER.to_owned(),
        usage: USAGE.to_owned(),
    }
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
