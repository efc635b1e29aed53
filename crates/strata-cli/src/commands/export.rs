//! `strata export`: a session or an experiment in a form for elsewhere.

use std::io::{self, Write as _};
use std::process::ExitCode;

use anyhow::{Context as _, Result};
use clap::{Args, ValueEnum};
use strata_app::report::{self, ExportFormat, ReportForm};

use super::source::SourceArgs;
use crate::output;
use crate::progress::Progress;

/// Writes a report of a session, the session, or its app with its edits: as a page for a browser, as a patch of your code, as google-adk Python, as an app configuration, or as a file of edits
///
/// Secrets are masked and counted, unless `--no-redact` is given.
#[derive(Debug, Args)]
pub(crate) struct Export {
    #[command(flatten)]
    source: SourceArgs,
    /// The session, where the file holds several
    #[arg(long, value_name = "ID")]
    session: Option<String>,
    /// The form
    #[arg(long = "as", value_name = "FORM", value_enum)]
    form: Form,
    /// Write keys, tokens and passwords as they are; they are masked otherwise
    #[arg(long)]
    no_redact: bool,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Form {
    /// A report: one file that a browser opens without a network and that prints well
    Html,
    /// A picture (SVG): one bar a call, and what of its prompt was read from a cache
    StripSvg,
    /// A picture (SVG): which part was sent in which calls
    MapSvg,
    /// The session as ADK saves it, with what was really sent, where that is recorded
    Session,
    /// What the edits change, as a module for the code of your own google-adk 2.13 app
    Patch,
    /// A module for google-adk 2.13: the app, its agents, and a plugin that does the same as the edits
    AdkPython,
    /// The app configuration, with the edits that it can hold
    AdkJson,
    /// The edits as JSON
    Json,
    /// The edits as YAML
    Yaml,
}

impl Export {
    pub(crate) fn run(self) -> Result<ExitCode> {
        let progress = Progress::new();
        let (source, session, masks) = (self.source.into_source(), self.session.as_deref(), !self.no_redact);
        let export = |format| report::export(&source, session, format, masks, &progress);
        let page = |form| report::page(&source, session, form, masks, &progress);
        let made = match self.form {
            Form::Html => page(ReportForm::Html),
            Form::StripSvg => page(ReportForm::StripSvg),
            Form::MapSvg => page(ReportForm::MapSvg),
            Form::Session => export(ExportFormat::Session),
            Form::Patch => export(ExportFormat::Patch),
            Form::AdkPython => export(ExportFormat::AdkPython),
            Form::AdkJson => export(ExportFormat::AdkJson),
            Form::Json => export(ExportFormat::Json),
            Form::Yaml => export(ExportFormat::Yaml),
        }?;
        drop(progress);
        output::diagnostics(&made.diagnostics);
        io::stdout().lock().write_all(made.text.as_bytes()).context("The result could not be printed.")?;
        Ok(ExitCode::SUCCESS)
    }
}
