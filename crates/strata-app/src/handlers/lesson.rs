//! Lessons: the list, beginning one, grading, results.

use strata_engine::Edit;
use strata_store::{SessionId, Store};
use tokio_util::sync::CancellationToken;

use super::experiment;
use crate::Strata;
use crate::api::experiment::{ExperimentDetail, Exported};
use crate::api::lesson::{
    Get, Grade, Hint, HintsTaken, LessonGrade, LessonList, LessonPage, LessonProgress, LessonRow, List,
    Remove, Results, Start,
};
use crate::command::Handler;
use crate::error::AppError;
use crate::import::{Storage as _, now_ms, write_given};
use crate::kept_lessons::forget_lesson;
use crate::lesson_progress::{GradedAttempt, LessonsDone, TokensDone};
use crate::lessons::{OfferedLesson, offered_lesson, offered_lessons, results_file};
use crate::watch::Unseen;

impl Handler for List {
    fn run(self, strata: &Strata) -> Result<LessonList, AppError> {
        list(&strata.workspace.store())
    }
}

impl Handler for Get {
    fn run(self, strata: &Strata) -> Result<LessonPage, AppError> {
        let (lesson, done) = {
            let store = strata.workspace.store();
            (offered_lesson(&store, &self.lesson)?, LessonsDone::of(&store)?)
        };
        let progress = progress(lesson.row(), lesson.is_of_class, &done);
        let solved = if self.with_solutions {
            Some(lesson.solutions(&strata.lessons, &Unseen(CancellationToken::new()))?)
        } else {
            None
        };
        let (recorded, solutions) = solved.unzip();
        Ok(LessonPage {
            session: lesson.session_name().to_owned(),
            text: lesson.text().to_owned(),
            goals: lesson.goals(),
            explanation: progress.is_solved.then(|| lesson.explanation().to_owned()),
            solutions: solutions.unwrap_or_default(),
            recorded,
            progress,
        })
    }
}

impl Handler for Start {
    fn run(self, strata: &Strata) -> Result<ExperimentDetail, AppError> {
        let lesson = offered_lesson(&strata.workspace.store(), &self.lesson)?;
        let session = session(strata, &lesson)?;
        experiment::create(strata, &session, Some(lesson.row().title), &[])
    }
}

impl Handler for Grade {
    fn run(self, strata: &Strata) -> Result<LessonGrade, AppError> {
        let lesson = offered_lesson(&strata.workspace.store(), &self.lesson)?;
        let edits = match &self.experiment {
            Some(experiment) => edits(strata, experiment, &lesson)?,
            None => Vec::new(),
        };
        let unseen = Unseen(CancellationToken::new());
        let grade = lesson.grade(&strata.lessons, &edits, &self.answers, &unseen)?;
        let (attempt, numbers, recorded) = (grade.attempt, grade.numbers, grade.recorded);
        // Grades are of the goals, in their order.
        let goals = attempt.goals.iter().zip(lesson.goals());
        let goals = goals.map(|(goal, row)| (goal.goal.clone(), row.is_question, goal.is_met));
        let graded = GradedAttempt {
            edits: &edits,
            answers: &self.answers,
            goals: goals.collect(),
            is_solved: attempt.is_solved,
            tokens: TokensDone { before: recorded.bill.prompt_tokens, after: numbers.bill.prompt_tokens },
            now_ms: now_ms(),
        };
        LessonsDone::add(&mut strata.workspace.store(), &self.lesson, &graded)?;
        let explanation = attempt.is_solved.then(|| lesson.explanation().to_owned());
        Ok(LessonGrade { goals: attempt.goals, is_solved: attempt.is_solved, explanation, numbers, recorded })
    }
}

impl Handler for Hint {
    fn run(self, strata: &Strata) -> Result<HintsTaken, AppError> {
        let mut store = strata.workspace.store();
        let goals = offered_lesson(&store, &self.lesson)?.goals();
        let goal = goals.iter().find(|goal| goal.id == self.goal).ok_or_else(|| {
            AppError::not_found(format!("{} has no goal {}; nothing was noted.", self.lesson, self.goal))
        })?;
        let taken = self.taken.min(goal.hints.len() as u32);
        Ok(HintsTaken { taken: LessonsDone::take_hint(&mut store, &self.lesson, &self.goal, taken)? })
    }
}

impl Handler for Remove {
    fn run(self, strata: &Strata) -> Result<LessonList, AppError> {
        let mut store = strata.workspace.store();
        if !forget_lesson(&mut store, &self.lesson)? {
            let title = offered_lesson(&store, &self.lesson)?.row().title;
            return Err(AppError::bad_input(format!("{title} comes with Strata; nothing was removed.")));
        }
        list(&store)
    }
}

impl Handler for Results {
    fn run(self, strata: &Strata) -> Result<Exported, AppError> {
        results_file(&strata.workspace.store(), self.form)
    }
}

fn list(store: &Store) -> Result<LessonList, AppError> {
    let done = LessonsDone::of(store)?;
    let rows = offered_lessons(store)?.into_iter();
    Ok(LessonList { lessons: rows.map(|(row, is_of_class)| progress(row, is_of_class, &done)).collect() })
}

fn progress(row: LessonRow, is_of_class: bool, done: &LessonsDone) -> LessonProgress {
    LessonProgress { met: done.met(&row.id), is_solved: done.is_solved(&row.id), is_of_class, row }
}

/// The edits of an experiment over the lesson's session. Those over another one would be graded for what they never did.
fn edits(strata: &Strata, experiment: &str, lesson: &OfferedLesson) -> Result<Vec<Edit>, AppError> {
    let (id, entry) = experiment::entry(strata, experiment)?;
    if entry.session != session(strata, lesson)? {
        return Err(AppError::bad_input(format!(
            "{} is an experiment over another session than that of the lesson; nothing was graded. Begin the lesson.",
            entry.name
        )));
    }
    let texts = strata.workspace.store().edits(id)?;
    let texts = texts.iter().take(entry.n_applied as usize);
    texts
        .map(|text| serde_json::from_str(text))
        .collect::<Result<_, _>>()
        .map_err(|error| AppError::internal(format!("An edit of {} cannot be read: {error}.", entry.name)))
}

/// The stored session of a lesson, which is stored if it is not yet.
fn session(strata: &Strata, lesson: &OfferedLesson) -> Result<SessionId, AppError> {
    let location = lesson.location()?;
    if let Some(known) = strata.workspace.store().source_sessions(&location)?.into_iter().next() {
        return Ok(known);
    }
    let (imported, bytes, app) = lesson.session()?;
    let stored = write_given(&mut strata.workspace.store(), (&imported, &bytes), &location, app, now_ms())?;
    strata.sessions.tell_changed();
    stored.ok_or_else(|| AppError::internal("The session of the lesson could not be stored."))
}
