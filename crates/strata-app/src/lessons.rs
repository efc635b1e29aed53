//! `strata lessons`: lessons on real sessions, graded by compiling them again.
//!
//! A lesson is a Markdown file with a session, goals and solutions ([`crate::lesson_shelf`]). What a goal asks for is a check
//! on what Strata computes from the session with the learner's edits over it, or a question whose right answer it computes.
//! Class files carry lessons with their sessions ([`class`]), and what was done in lessons comes back as [`results`].

mod answers;
mod class;
mod class_page;
mod grader;
mod learned;
mod offered;
mod results;

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::Serialize;

pub use crate::api::lesson::{GoalGrade, GoalRow, LessonRow};
use crate::edit_file::EditFile;
use crate::error::AppError;
use crate::lesson_shelf::{self as shelf, Check, Shelved};
use crate::report::{FileDiagnostic, VERSION};
use crate::watch::Watch;
pub use class::{ClassChoice, ClassReport, class};
pub use grader::AttemptReport;
use grader::{Grader, check_answers};
pub(crate) use offered::{OfferedLesson, offered_lesson, offered_lessons};
pub(crate) use results::results_file;
pub use results::{GoalResult, LearnerResults, LessonResult, ResultsReport, results};

/// The document of `strata lessons list`.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct LessonsReport {
    pub version: u32,
    /// In the order in which they are taken.
    pub lessons: Vec<LessonRow>,
}

/// The document of `strata lessons show`.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct LessonReport {
    pub version: u32,
    #[serde(flatten)]
    pub row: LessonRow,
    /// `sample`, or the file beside the lesson.
    pub session: String,
    /// Markdown.
    pub text: String,
    pub goals: Vec<GoalRow>,
}

/// The document of `strata lessons check`.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct LessonCheckReport {
    pub version: u32,
    pub lesson: String,
    pub title: String,
    pub passed: bool,
    /// The learner's attempt; for an author the lesson without edits first, then each solution.
    pub attempts: Vec<AttemptReport>,
    /// Markdown; absent until all goals are met.
    pub explanation: Option<String>,
    pub diagnostics: Vec<FileDiagnostic>,
}

/// What a learner hands in.
#[derive(Debug, Clone, Default)]
pub struct LessonAttempt {
    /// Files of edits, in this order.
    pub edits: Vec<PathBuf>,
    /// By goals.
    pub answers: BTreeMap<String, String>,
}

/// The lessons that come with Strata.
pub fn lessons() -> Result<LessonsReport, AppError> {
    let lessons = shelf::bundled()?.iter().map(|shelved| LessonRow::from(&shelved.lesson)).collect();
    Ok(LessonsReport { version: VERSION, lessons })
}

/// A lesson by its id or file, as a learner first sees it: without explanation and solutions.
pub fn lesson(name: &str) -> Result<LessonReport, AppError> {
    let Shelved { lesson, .. } = shelf::find(name)?;
    Ok(LessonReport {
        version: VERSION,
        row: (&lesson).into(),
        session: lesson.head.session.clone(),
        goals: lesson.head.goals.iter().map(GoalRow::from).collect(),
        text: lesson.text,
    })
}

/// Grades what a learner hands in; with nothing handed in, the lesson itself: it must not be solved at the start, and
/// every solution must solve it.
pub fn check_lesson(
    name: &str,
    attempt: &LessonAttempt,
    watch: &dyn Watch,
) -> Result<LessonCheckReport, AppError> {
    let shelved = shelf::find(name)?;
    let grader = Grader::new(&shelved, watch)?;
    let head = &shelved.lesson.head;
    let mut diagnostics = Vec::new();
    let is_author = attempt.edits.is_empty() && attempt.answers.is_empty();
    let attempts = if is_author {
        let start = grader.grade("Without edits", &[], &BTreeMap::new(), &mut diagnostics)?.attempt;
        let mut attempts = vec![AttemptReport { passed: !start.is_solved, ..start }];
        for solution in &head.solutions {
            let title = format!("Solution: {}", solution.title);
            let mut solved =
                grader.grade(&title, &solution.edits, &solution.answers, &mut diagnostics)?.attempt;
            // A learner may ask for this, too: what the answers are is not said.
            for (grade, goal) in solved.goals.iter_mut().zip(&head.goals) {
                if grade.is_met && matches!(goal.check, Check::Answer(_)) {
                    "answered".clone_into(&mut grade.measured);
                }
            }
            attempts.push(solved);
        }
        attempts
    } else {
        let mut edits = Vec::new();
        for path in &attempt.edits {
            edits.extend(EditFile::read(path)?.edits);
        }
        check_answers(&shelved.lesson, &attempt.answers)?;
        vec![grader.grade("Your attempt", &edits, &attempt.answers, &mut diagnostics)?.attempt]
    };
    let passed = attempts.iter().all(|attempt| attempt.passed);
    Ok(LessonCheckReport {
        version: VERSION,
        lesson: head.id.clone(),
        title: head.title.clone(),
        passed,
        attempts,
        explanation: (passed && !is_author).then(|| shelved.lesson.explanation.clone()),
        diagnostics,
    })
}
