//! `strata lessons`: lessons, and their checks.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use clap::{Args, Subcommand};
use strata_app::lessons::{self, ClassChoice, LessonAttempt};

use crate::progress::Progress;
use crate::{output, text};

/// Of the program, when a goal is not met.
const NOT_MET: u8 = 1;

/// Lists lessons in context engineering, shows one, and grades what a learner hands in
#[derive(Debug, Args)]
pub(crate) struct Lessons {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    List(List),
    Show(Show),
    Check(Check),
    Class(Class),
    Results(Results),
}

/// Lists the lessons that come with Strata
#[derive(Debug, Args)]
struct List {
    /// Print a JSON document
    #[arg(long)]
    json: bool,
}

/// Shows a lesson: its text, and its goals
#[derive(Debug, Args)]
struct Show {
    /// A Markdown file, a class file (`FILE#ID` where it holds several), or the id of a lesson that comes with Strata
    #[arg(value_name = "LESSON")]
    lesson: String,
    /// Show this many hints of each goal
    #[arg(long, value_name = "N", default_value_t = 0)]
    hints: usize,
    /// Print a JSON document
    #[arg(long)]
    json: bool,
}

/// Grades edits and answers by compiling the lesson's session again
///
/// It exits with 1 when a goal is not met. With neither edits nor answers it checks the lesson itself, as an author wants
/// it: it must not be solved at the start, and each of its solutions must solve it.
#[derive(Debug, Args)]
struct Check {
    /// A Markdown file, a class file (`FILE#ID` where it holds several), or the id of a lesson that comes with Strata
    #[arg(value_name = "LESSON")]
    lesson: String,
    /// Lay the edits of this file (JSON or YAML) over the session; may be given several times
    #[arg(long = "edit", value_name = "FILE")]
    edits: Vec<PathBuf>,
    /// Answer a goal that asks something; may be given several times
    #[arg(long = "answer", value_name = "GOAL=VALUE", value_parser = answer)]
    answers: Vec<(String, String)>,
    /// Print a JSON document
    #[arg(long)]
    json: bool,
}

/// Writes lessons and their sessions into one file, for a class
///
/// Whoever opens it, with `strata serve FILE` or in the window, has the lessons in Learn. A file that ends in `.html` can be
/// read in a browser, too. Keys, tokens and passwords are masked and counted, unless `--no-redact` is given.
#[derive(Debug, Args)]
struct Class {
    /// Markdown files, or ids of lessons that come with Strata
    #[arg(value_name = "LESSON", required = true)]
    lessons: Vec<String>,
    /// The file to write; it ends in .strata or .html
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Write keys, tokens and passwords as they are; they are masked otherwise
    #[arg(long)]
    no_redact: bool,
    /// Print a JSON document
    #[arg(long)]
    json: bool,
}

/// Shows what learners did in lessons: goals, tries, hints, when they were met, tokens before and after
#[derive(Debug, Args)]
struct Results {
    /// Stores, and files that learners saved in Learn to be handed in; a learner is called by the name of the file. Without
    /// any, the store of the data folder
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Print a table for spreadsheets, one row a goal
    #[arg(long, conflicts_with = "json")]
    csv: bool,
    /// Print a JSON document
    #[arg(long)]
    json: bool,
}

fn answer(text: &str) -> Result<(String, String), String> {
    let (goal, value) = text.split_once('=').ok_or("an answer is the id of a goal, =, and the answer")?;
    Ok((goal.trim().to_owned(), value.trim().to_owned()))
}

impl Lessons {
    pub(crate) fn run(self) -> Result<ExitCode> {
        match self.command {
            Command::List(List { json }) => {
                let report = lessons::lessons()?;
                output::print(json, &report, &[], |style| text::lessons(&report, style))?;
            }
            Command::Show(Show { lesson, hints, json }) => {
                let report = lessons::lesson(&lesson)?;
                output::print(json, &report, &[], |style| text::lesson(&report, hints, style))?;
            }
            Command::Check(Check { lesson, edits, answers, json }) => {
                let attempt = LessonAttempt { edits, answers: answers.into_iter().collect() };
                let progress = Progress::new();
                let report = lessons::check_lesson(&lesson, &attempt, &progress)?;
                drop(progress);
                let diagnostics = &report.diagnostics;
                output::print(json, &report, diagnostics, |style| text::lesson_check(&report, style))?;
                return Ok(if report.passed { ExitCode::SUCCESS } else { ExitCode::from(NOT_MET) });
            }
            Command::Class(Class { lessons, out, no_redact, json }) => {
                let choice = ClassChoice { lessons, out, masks_secrets: !no_redact };
                let report = lessons::class(&choice)?;
                output::print(json, &report, &report.diagnostics, |style| text::class(&report, style))?;
            }
            Command::Results(Results { files, csv, json }) => {
                let report = lessons::results(&files)?;
                let text = |style| if csv { report.to_csv() } else { text::lesson_results(&report, style) };
                output::print(json, &report, &[], text)?;
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}
