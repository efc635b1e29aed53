//! `strata adk-recorder`: the plugin that records a google-adk app.

use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context as _, Result, bail};
use clap::Args;
use strata_app::report;

use crate::output;

/// Prints the plugin that makes a google-adk app write down what it sends to its models, and why
///
/// It is one Python file that needs nothing but google-adk itself, 1.10 or later, 2.x included. Save it beside the app
/// and make it a plugin:
///
///     strata adk-recorder strata_recorder.py
///
///     from strata_recorder import StrataRecorder
///     app = App(name="…", root_agent=…, plugins=[StrataRecorder("run.strata.jsonl")])
///
/// Where google-adk has no App: Runner(…, plugins=[StrataRecorder("run.strata.jsonl")]).
///
/// Then open run.strata.jsonl in Strata, also while the app runs: every request is there exactly as it was sent, with
/// the app's configuration, what plugins and callbacks changed, memories, files and state. Keys and passwords are masked
/// before they are written, and nothing that goes wrong in the recorder reaches the app.
#[derive(Debug, Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct AdkRecorder {
    /// Write it here, and not to standard output
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
    /// Print a JSON document with the file in it
    #[arg(long, conflicts_with = "file")]
    json: bool,
}

impl AdkRecorder {
    pub(crate) fn run(self) -> Result<ExitCode> {
        let report = report::adk_recorder();
        match &self.file {
            Some(file) => {
                // An earlier recorder is replaced, and nothing else: a slip of the hand would cost the app.
                let is_other =
                    |text: Vec<u8>| !String::from_utf8_lossy(&text).contains("class StrataRecorder");
                if fs::read(file).is_ok_and(is_other) {
                    bail!(
                        "{} is there and is no recorder: it was left as it is. Name another file, such as strata_recorder.py.",
                        file.display()
                    );
                }
                fs::write(file, &report.file.text).with_context(|| format!("write {}", file.display()))?;
                let usage = report.file.usage.trim_end();
                output::note(&format!("Wrote {}. In your app:\n\n{usage}", file.display()));
            }
            None => output::print(self.json, &report, &[], |_| report.file.text.clone())?,
        }
        Ok(ExitCode::SUCCESS)
    }
}
