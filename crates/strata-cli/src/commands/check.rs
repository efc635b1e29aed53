//! `strata check`: whether recorded sessions keep to a budget and to a baseline.

use std::io::{self, IsTerminal as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, Result};
use clap::{ArgGroup, Args, ValueEnum};
use strata_app::report::{self, CheckChoice, CheckReport};

use super::source::ReadingArgs;
use crate::failure::BAD_INPUT;
use crate::progress::Progress;
use crate::text::Style;
use crate::{ci, output, terminal, text};

/// Of the program, when a budget was broken or something grew.
const BROKEN: u8 = 1;

/// Checks recorded sessions against a budget and a baseline, and says what broke them
///
/// A budget is a TOML file with any of `max_prompt_tokens`, `max_session_tokens`, `max_cost` (US dollars),
/// `min_cache_ratio` (0 to 1), `max_breaks`, `max_tool_result_tokens`, `max_findings` (a table of codes or kinds) and
/// `forbid` (codes or kinds of findings), for each session; a table `[agents.NAME]` holds those for one agent, and
/// `[agents."*"]` those for each other agent. A baseline holds the figures of an earlier run, and is written with
/// `--write-baseline`. It exits with 1 when a budget is broken or something grew, and with 2 when something could not be
/// read.
#[derive(Debug, Args)]
#[command(group(ArgGroup::new("checks").args(["budget", "baseline", "write_baseline"]).required(true).multiple(true)))]
pub(crate) struct Check {
    /// Files of any known format, folders, archives, patterns such as `'runs/*.jsonl'`, ids of stored sessions, or `sample`
    #[arg(value_name = "SESSION", required = true)]
    sessions: Vec<String>,
    #[command(flatten)]
    reading: ReadingArgs,
    /// Check only the session with this id or title
    #[arg(long, value_name = "ID")]
    session: Option<String>,
    /// The budget, a TOML file
    #[arg(long, value_name = "FILE")]
    budget: Option<PathBuf>,
    /// Compare with the figures of an earlier run
    #[arg(long, value_name = "FILE")]
    baseline: Option<PathBuf>,
    /// By how much a figure may grow beside the baseline, in percent: 5% or 5
    #[arg(long, value_name = "SHARE", default_value = "0%", value_parser = percent, requires = "baseline")]
    allow_growth: f64,
    /// Write the figures of this run, as a baseline of later ones
    #[arg(long, value_name = "FILE", conflicts_with = "baseline")]
    write_baseline: Option<PathBuf>,
    /// How the result is written
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = Format::Text)]
    format: Format,
    /// Write the result to this file, and what people read to standard output
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Print a JSON document, as `--format json`
    #[arg(long, conflicts_with = "format")]
    json: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For people
    Text,
    /// A document
    Json,
    /// Test results, as JUnit writes them
    Junit,
    /// SARIF 2.1.0
    Sarif,
    /// Annotations of GitHub Actions
    Github,
}

/// `5%` and `5` are five of a hundred. What may be meant as a share of one is refused: it would be a hundredth of that.
fn percent(text: &str) -> Result<f64, String> {
    let text = text.trim();
    let (number, is_marked) =
        text.strip_suffix('%').map_or((text, false), |number| (number.trim_end(), true));
    let refused = || "write five of a hundred as 5%".to_owned();
    let number = number.parse::<f64>().ok().filter(|number| number.is_finite() && *number >= 0.0);
    let number = number.ok_or_else(refused)?;
    if !is_marked && number > 0.0 && number < 1.0 {
        return Err(format!(
            "write {text}% for {number} of a hundred, or {}% for that share of one",
            whole(number * 100.0)
        ));
    }
    Ok(number / 100.0)
}

/// Without digits that come of the arithmetic.
fn whole(percent: f64) -> f64 {
    (percent * 1e6).round() / 1e6
}

impl Check {
    pub(crate) fn run(self) -> Result<ExitCode> {
        let progress = Progress::new();
        let choice = CheckChoice {
            names: &self.sessions,
            session: self.session.as_deref(),
            budget: self.budget.as_deref(),
            baseline: self.baseline.as_deref().map(|path| (path, self.allow_growth)),
            write_baseline: self.write_baseline.as_deref(),
        };
        let source = self.reading.into_source(String::new());
        let report = report::check(&source, &choice, &progress)?;
        drop(progress);
        let format = if self.json { Format::Json } else { self.format };
        write(&report, format, self.output.as_deref())?;
        Ok(match () {
            () if report.incomplete => ExitCode::from(BAD_INPUT),
            () if report.passed => ExitCode::SUCCESS,
            () => ExitCode::from(BROKEN),
        })
    }
}

fn write(report: &CheckReport, format: Format, file: Option<&Path>) -> Result<()> {
    let Some(file) = file else {
        return match in_format(report, format)? {
            Some(text) => output::print_raw(&text),
            None => {
                let is_json = format == Format::Json;
                output::print(is_json, report, &report.diagnostics, |style| text::check(report, style))
            }
        };
    };
    let written = match (in_format(report, format)?, format) {
        (Some(text), _) => text,
        (None, Format::Json) => serde_json::to_string_pretty(report)? + "\n",
        (None, _) => terminal::visible(&text::check(report, Style::of(false))).into_owned(),
    };
    std::fs::write(file, written)
        .with_context(|| format!("The result could not be written to {}.", file.display()))?;
    output::print(false, report, &report.diagnostics, |_| {
        text::check(report, Style::of(io::stdout().is_terminal()))
    })
}

/// For other programs; nothing for text and JSON.
fn in_format(report: &CheckReport, format: Format) -> Result<Option<String>> {
    Ok(match format {
        Format::Text | Format::Json => None,
        Format::Junit => Some(ci::junit(report)),
        Format::Sarif => Some(ci::sarif(report)?),
        Format::Github => Some(ci::github(report)),
    })
}
