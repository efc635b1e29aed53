//! Grading: what goals ask for, measured in a session with some edits over it.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Serialize;
use strata_engine::Edit;

use super::answers;
use super::learned::LearnedSession;
use crate::api::lesson::{GoalGrade, LessonNumbers};
use crate::error::AppError;
use crate::lesson_desk::LessonDesk;
use crate::lesson_shelf::Lesson;
use crate::lesson_shelf::Shelved;
use crate::lesson_shelf::wanted;
use crate::report::FileDiagnostic;
use crate::show::nearest;
use crate::watch::Watch;

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

/// An attempt with what the session comes to in it.
pub(crate) struct Grade {
    pub attempt: AttemptReport,
    pub numbers: LessonNumbers,
    pub recorded: LessonNumbers,
}

/// The session of a lesson as it was recorded: what is on the desk, if it is that. Each edit is graded against it, and only
/// what the edit changes is compiled.
fn recorded(
    desk: &LessonDesk,
    shelved: &Shelved,
    watch: &dyn Watch,
) -> Result<Arc<LearnedSession>, AppError> {
    desk.open(&shelved.location()?, || LearnedSession::recorded_of(shelved, watch))
}

/// An answer to what was not asked would be taken for one that counts.
pub(super) fn check_answers(lesson: &Lesson, answers: &BTreeMap<String, String>) -> Result<(), AppError> {
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
pub(super) struct Grader<'g> {
    shelved: &'g Shelved,
    recorded: Arc<LearnedSession>,
    watch: &'g dyn Watch,
}

impl<'g> Grader<'g> {
    pub(super) fn new(shelved: &'g Shelved, watch: &'g dyn Watch) -> Result<Self, AppError> {
        Self::at(&LessonDesk::default(), shelved, watch)
    }

    /// With the recording that is on the desk, if it is this lesson's.
    pub(super) fn at(
        desk: &LessonDesk,
        shelved: &'g Shelved,
        watch: &'g dyn Watch,
    ) -> Result<Self, AppError> {
        Ok(Self { shelved, recorded: recorded(desk, shelved, watch)?, watch })
    }

    pub(super) fn recorded(&self) -> LessonNumbers {
        self.recorded.numbers()
    }

    /// The session with edits over it.
    pub(super) fn edited(&self, edits: &[Edit]) -> Result<Arc<LearnedSession>, AppError> {
        if edits.is_empty() {
            return Ok(self.recorded.clone());
        }
        Ok(Arc::new(self.recorded.with_edits(edits, self.watch)?))
    }

    pub(super) fn grade(
        &self,
        title: &str,
        edits: &[Edit],
        answers: &BTreeMap<String, String>,
        diagnostics: &mut Vec<FileDiagnostic>,
    ) -> Result<Grade, AppError> {
        let named = |error: AppError| AppError {
            message: format!("{}, {title}: {}", self.shelved.name, error.message),
            ..error
        };
        let session = self.edited(edits).map_err(named)?;
        if !edits.is_empty() {
            diagnostics.extend(session.opened.diagnostics().iter().cloned());
        }
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
                wanted: wanted(&goal.check),
                basis: measured.basis,
            });
        }
        let is_solved = goals.iter().all(|goal| goal.is_met);
        let attempt = AttemptReport { title: title.to_owned(), is_solved, passed: is_solved, goals };
        Ok(Grade { attempt, numbers: session.numbers(), recorded: self.recorded() })
    }
}
