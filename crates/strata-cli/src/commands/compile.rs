//! `strata compile`: the request of a call.

use std::process::ExitCode;

use anyhow::Result;
use clap::Args;
use strata_app::report::{self, CallChoice, CompileContents};

use super::source::SourceArgs;
use crate::failure::BAD_INPUT;
use crate::progress::Progress;
use crate::{output, text};

/// Compiles the request of a call, and says what every stage did
#[derive(Debug, Args)]
pub(crate) struct Compile {
    #[command(flatten)]
    source: SourceArgs,
    /// The session, where the file holds several
    #[arg(long, value_name = "ID")]
    session: Option<String>,
    /// The call, counted from 1; the last one if it is left out
    #[arg(long, value_name = "N", conflicts_with = "agent", value_parser = call_number)]
    call: Option<u32>,
    /// The last call of this agent
    #[arg(long, value_name = "NAME")]
    agent: Option<String>,
    /// Show what each stage changed; in JSON, also the request after each
    #[arg(long)]
    stages: bool,
    /// Show what was really sent, and how it differs from what is compiled; in JSON, also the body as it was sent
    #[arg(long)]
    recorded: bool,
    /// Rows of long lists that are shown; 0 shows all
    #[arg(long, value_name = "ROWS", default_value_t = 40)]
    limit: usize,
    /// Print a JSON document
    #[arg(long)]
    json: bool,
}

/// `17` or, as calls are called everywhere else, `C17`.
pub(super) fn call_number(text: &str) -> Result<u32, String> {
    let digits = text.strip_prefix(['C', 'c']).unwrap_or(text);
    let number = digits.parse().ok().filter(|number| *number > 0);
    number.ok_or_else(|| "calls are numbers from 1 on, such as 17 or C17".to_owned())
}

impl Compile {
    pub(crate) fn run(self) -> Result<ExitCode> {
        let choice = match (self.call, self.agent) {
            (Some(call), _) => CallChoice::Number(call),
            (None, Some(agent)) => CallChoice::OfAgent(agent),
            (None, None) => CallChoice::Last,
        };
        let progress = Progress::new();
        let source = self.source.into_source();
        let contents = CompileContents { requests: self.stages && self.json, recorded: self.recorded };
        let report = report::compile(&source, self.session.as_deref(), &choice, contents, &progress)?;
        drop(progress);
        output::print(self.json, &report, &report.diagnostics, |style| {
            if self.recorded {
                text::recorded(&report, self.limit, style)
            } else {
                text::compile(&report, self.stages, self.limit, style)
            }
        })?;
        Ok(if report.failure.is_some() { ExitCode::from(BAD_INPUT) } else { ExitCode::SUCCESS })
    }
}
