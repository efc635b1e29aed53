//! `strata lessons`: lessons, and their checks.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use clap::{Args, Subcommand};
use strata_app::lessons::{self, LessonAttempt};

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
    /// A Markdown file, or the id of a lesson that comes with Strata
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
    /// A Markdown file, or the id of a lesson that comes with Strata
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
        }
        Ok(ExitCode::SUCCESS)
    }
}
