//! `strata lessons`: lessons on real sessions, graded by compiling them again.
//!
//! A lesson is a Markdown file with a session, goals and solutions ([`lesson`]). What a goal asks for is a [`check`] on
//! what Strata computes from the session with the learner's edits over it, or a question whose right answer it computes.

mod answers;
mod check;
mod learned;
mod lesson;
mod shelf;
mod wanted;

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::Serialize;
use strata_engine::Edit;
use strata_store::AppConfig;

use crate::api::lesson::LessonSolution;
pub use crate::api::lesson::{GoalGrade, GoalRow, LessonRow};
use crate::edit_file::EditFile;
use crate::error::AppError;
use crate::report::{FileDiagnostic, VERSION};
use crate::show::nearest;
use crate::watch::Watch;
use learned::LearnedSession;
use lesson::{Goal, Lesson};
use shelf::Shelved;

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

/// All goals with some edits and answers.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AttemptReport {
    pub title: String,
    /// Whether all goals are met.
    pub is_solved: bool,
    /// Whether it is as it has to be: the start is not solved, and everything else is.
    pub passed: bool,
    pub goals: Vec<GoalGrade>,
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
        let start = grader.grade("Without edits", &[], &BTreeMap::new(), &mut diagnostics)?;
        let mut attempts = vec![AttemptReport { passed: !start.is_solved, ..start }];
        for solution in &head.solutions {
            let title = format!("Solution: {}", solution.title);
            attempts.push(grader.grade(&title, &solution.edits, &solution.answers, &mut diagnostics)?);
        }
        attempts
    } else {
        let mut edits = Vec::new();
        for path in &attempt.edits {
            edits.extend(EditFile::read(path)?.edits);
        }
        check_answers(&shelved.lesson, &attempt.answers)?;
        vec![grader.grade("Your attempt", &edits, &attempt.answers, &mut diagnostics)?]
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

/// A lesson that comes with Strata, by its id.
pub(crate) fn bundled_lesson(id: &str) -> Result<BundledLesson, AppError> {
    Ok(BundledLesson(shelf::find_bundled(id)?))
}

/// A lesson that comes with Strata.
pub(crate) struct BundledLesson(Shelved);

impl BundledLesson {
    pub(crate) fn row(&self) -> LessonRow {
        (&self.0.lesson).into()
    }

    /// `sample`, or the file beside the lesson.
    pub(crate) fn session_name(&self) -> &str {
        &self.0.lesson.head.session
    }

    /// What the file beside the lesson holds.
    pub(crate) fn session_bytes(&self) -> Result<Vec<u8>, AppError> {
        self.0.beside(self.session_name())
    }

    pub(crate) fn app(&self) -> Result<Option<AppConfig>, AppError> {
        self.0.app()
    }

    /// Markdown.
    pub(crate) fn text(&self) -> &str {
        &self.0.lesson.text
    }

    /// Markdown.
    pub(crate) fn explanation(&self) -> &str {
        &self.0.lesson.explanation
    }

    pub(crate) fn goals(&self) -> Vec<GoalRow> {
        self.0.lesson.head.goals.iter().map(GoalRow::from).collect()
    }

    pub(crate) fn solutions(&self) -> Vec<LessonSolution> {
        let solutions = self.0.lesson.head.solutions.iter();
        let shown = solutions.map(|solution| LessonSolution {
            title: solution.title.clone(),
            edits: solution.edits.clone(),
            answers: solution.answers.clone(),
        });
        shown.collect()
    }

    /// Grades edits and answers.
    pub(crate) fn grade(
        &self,
        edits: &[Edit],
        answers: &BTreeMap<String, String>,
        watch: &dyn Watch,
    ) -> Result<AttemptReport, AppError> {
        check_answers(&self.0.lesson, answers)?;
        Grader::new(&self.0, watch)?.grade("Your attempt", edits, answers, &mut Vec::new())
    }
}

/// An answer to what was not asked would be taken for one that counts.
fn check_answers(lesson: &Lesson, answers: &BTreeMap<String, String>) -> Result<(), AppError> {
    let head = &lesson.head;
    let Some(unknown) = answers.keys().find(|goal| !head.asks(goal)) else { return Ok(()) };
    let asked: Vec<_> = head.goals.iter().map(|goal| &*goal.id).filter(|goal| head.asks(goal)).collect();
    let advice = match nearest(unknown, asked.iter().copied()) {
        Some(near) => format!("Did you mean {near}?"),
        None if asked.is_empty() => "It asks nothing: its goals are met by edits.".to_owned(),
        None => format!("It asks {}.", asked.join(", ")),
    };
    Err(AppError::bad_input(format!(
        "{}: no goal {unknown} asks anything; nothing was graded. {advice}",
        head.id
    )))
}

/// A lesson whose recording is compiled.
struct Grader<'g> {
    shelved: &'g Shelved,
    recorded: LearnedSession,
    watch: &'g dyn Watch,
}

impl<'g> Grader<'g> {
    fn new(shelved: &'g Shelved, watch: &'g dyn Watch) -> Result<Self, AppError> {
        Ok(Self { shelved, recorded: LearnedSession::of(shelved, &[], watch)?, watch })
    }

    fn grade(
        &self,
        title: &str,
        edits: &[Edit],
        answers: &BTreeMap<String, String>,
        diagnostics: &mut Vec<FileDiagnostic>,
    ) -> Result<AttemptReport, AppError> {
        let named = |error: AppError| AppError {
            message: format!("{}, {title}: {}", self.shelved.name, error.message),
            ..error
        };
        let edited;
        let session = if edits.is_empty() {
            &self.recorded
        } else {
            edited = LearnedSession::of(self.shelved, edits, self.watch).map_err(named)?;
            diagnostics.extend(edited.opened.diagnostics().iter().cloned());
            &edited
        };
        let mut goals = Vec::new();
        for goal in &self.shelved.lesson.head.goals {
            let measured = match goal.check.question() {
                Some(question) => {
                    let answer = answers.get(&goal.id).map(String::as_str);
                    answers::grade(question, answer, &self.recorded)
                }
                None => session.measure(&goal.check),
            };
            let measured = measured.map_err(|error| AppError {
                message: format!("goal {}: {}", goal.id, error.message),
                ..error
            });
            let measured = measured.map_err(named)?;
            goals.push(GoalGrade {
                goal: goal.id.clone(),
                text: goal.text.clone(),
                is_met: measured.is_met,
                measured: measured.said,
                wanted: wanted::wanted(&goal.check),
                basis: measured.basis,
            });
        }
        let is_solved = goals.iter().all(|goal| goal.is_met);
        Ok(AttemptReport { title: title.to_owned(), is_solved, passed: is_solved, goals })
    }
}

impl From<&Lesson> for LessonRow {
    fn from(lesson: &Lesson) -> Self {
        let head = &lesson.head;
        Self {
            id: head.id.clone(),
            title: head.title.clone(),
            level: head.level.name().to_owned(),
            minutes: head.minutes,
            goals: head.goals.len() as u32,
            solutions: head.solutions.len() as u32,
        }
    }
}

impl From<&Goal> for GoalRow {
    fn from(goal: &Goal) -> Self {
        Self {
            id: goal.id.clone(),
            text: goal.text.clone(),
            wanted: wanted::wanted(&goal.check),
            is_question: goal.check.question().is_some(),
            hints: goal.hints.clone(),
        }
    }
}
