//! `strata export`: a session or an experiment in a form for elsewhere.

use std::io::{self, Write as _};
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context as _, Result, bail};
use clap::{Args, ValueEnum};
use strata_app::report::{self, ExportFormat, ReportForm};

use super::source::ReadingArgs;
use crate::failure::BAD_INPUT;
use crate::progress::Progress;
use crate::{output, text};

/// Writes a report of a session, the session, or its app with its edits: as a page for a browser, as a patch of your code, as google-adk Python, as an app configuration, or as a file of edits; or many sessions as tables for other engines
///
/// With `--as parquet`, any number of sessions become four files in a folder: calls, parts, breaks and findings. Without a
/// session, these are all that are stored.
///
/// Secrets are masked and counted, unless `--no-redact` is given.
#[derive(Debug, Args)]
pub(crate) struct Export {
    /// A file of any known format, the id of a stored session (or its beginning) or experiment, or `sample`; for tables also
    /// several of them, folders, archives and patterns such as `'runs/*.jsonl'`
    #[arg(value_name = "SESSION")]
    sessions: Vec<String>,
    #[command(flatten)]
    reading: ReadingArgs,
    /// The session, where the file holds several
    #[arg(long, value_name = "ID")]
    session: Option<String>,
    /// The form
    #[arg(long = "as", value_name = "FORM", value_enum)]
    form: Form,
    /// The folder that tables are written into; one of an earlier export is replaced
    #[arg(long, value_name = "FOLDER")]
    output: Option<PathBuf>,
    /// Print a JSON document of what was written, with `--as parquet`
    #[arg(long)]
    json: bool,
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
    /// Tables (Parquet) of calls, parts, breaks and findings, for DuckDB, Spark and other engines
    Parquet,
}

impl Export {
    pub(crate) fn run(self) -> Result<ExitCode> {
        if matches!(self.form, Form::Parquet) {
            return self.tables();
        }
        if let Some(flag) = self.output.as_ref().map(|_| "--output").or(self.json.then_some("--json")) {
            bail!("{flag} goes with --as parquet; this form is printed.");
        }
        let Ok([name]) = <[String; 1]>::try_from(self.sessions) else {
            bail!("Name one session; only `--as parquet` takes several.");
        };
        let progress = Progress::new();
        let (source, session) = (self.reading.into_source(name), self.session.as_deref());
        let masks = !self.no_redact;
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
            Form::Parquet => return Ok(ExitCode::SUCCESS),
        }?;
        drop(progress);
        output::diagnostics(&made.diagnostics);
        io::stdout().lock().write_all(made.text.as_bytes()).context("The result could not be printed.")?;
        Ok(ExitCode::SUCCESS)
    }

    fn tables(self) -> Result<ExitCode> {
        let Some(folder) = self.output else {
            bail!("Tables are written into a folder. Name it by --output.");
        };
        let progress = Progress::new();
        let source = self.reading.into_source(String::new());
        let session = self.session.as_deref();
        let masks = !self.no_redact;
        let report = report::export_tables(&self.sessions, &source, session, &folder, masks, &progress)?;
        drop(progress);
        output::print(self.json, &report, &report.diagnostics, |style| text::tables(&report, style))?;
        Ok(if report.incomplete { ExitCode::from(BAD_INPUT) } else { ExitCode::SUCCESS })
    }
}
