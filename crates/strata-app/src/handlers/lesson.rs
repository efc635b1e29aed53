//! Lessons: the list, beginning one, grading.

use strata_engine::Edit;
use strata_store::SessionId;
use tokio_util::sync::CancellationToken;

use super::experiment;
use crate::Strata;
use crate::api::experiment::ExperimentDetail;
use crate::api::lesson::{
    Get, Grade, LessonGrade, LessonList, LessonPage, LessonProgress, LessonRow, LessonSolution, List, Start,
};
use crate::command::Handler;
use crate::error::AppError;
use crate::import::{Input, OrphanPolicy, import_all};
use crate::lesson_progress::LessonsMet;
use crate::lessons::{BundledLesson, bundled_lesson, lessons};
use crate::sample;
use crate::watch::Unseen;

impl Handler for List {
    fn run(self, strata: &Strata) -> Result<LessonList, AppError> {
        let met = LessonsMet::of(&strata.workspace.store())?;
        let rows = lessons()?.lessons.into_iter();
        Ok(LessonList { lessons: rows.map(|row| progress(row, &met)).collect() })
    }
}

impl Handler for Get {
    fn run(self, strata: &Strata) -> Result<LessonPage, AppError> {
        let lesson = bundled_lesson(&self.lesson)?;
        let met = LessonsMet::of(&strata.workspace.store())?;
        let progress = progress(lesson.row(), &met);
        let solutions: Vec<LessonSolution> =
            if self.with_solutions { lesson.solutions() } else { Vec::new() };
        Ok(LessonPage {
            session: lesson.session_name().to_owned(),
            text: lesson.text().to_owned(),
            goals: lesson.goals(),
            explanation: progress.is_solved.then(|| lesson.explanation().to_owned()),
            solutions,
            progress,
        })
    }
}

impl Handler for Start {
    fn run(self, strata: &Strata) -> Result<ExperimentDetail, AppError> {
        let lesson = bundled_lesson(&self.lesson)?;
        let session = session(strata, &lesson)?;
        experiment::create(strata, &session, Some(lesson.row().title), &[])
    }
}

impl Handler for Grade {
    fn run(self, strata: &Strata) -> Result<LessonGrade, AppError> {
        let lesson = bundled_lesson(&self.lesson)?;
        let edits = match &self.experiment {
            Some(experiment) => edits(strata, experiment, &lesson)?,
            None => Vec::new(),
        };
        let attempt = lesson.grade(&edits, &self.answers, &Unseen(CancellationToken::new()))?;
        let met = attempt.goals.iter().filter(|goal| goal.is_met).map(|goal| goal.goal.clone());
        LessonsMet::add(&mut strata.workspace.store(), &self.lesson, met, attempt.is_solved)?;
        let explanation = attempt.is_solved.then(|| lesson.explanation().to_owned());
        Ok(LessonGrade { goals: attempt.goals, is_solved: attempt.is_solved, explanation })
    }
}

fn progress(row: LessonRow, met: &LessonsMet) -> LessonProgress {
    LessonProgress { met: met.goals(&row.id), is_solved: met.is_solved(&row.id), row }
}

/// The edits of an experiment over the lesson's session. Those over another one would be graded for what they never did.
fn edits(strata: &Strata, experiment: &str, lesson: &BundledLesson) -> Result<Vec<Edit>, AppError> {
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
fn session(strata: &Strata, lesson: &BundledLesson) -> Result<SessionId, AppError> {
    let location = match lesson.session_name() {
        sample::NAME => sample::LOCATION.to_owned(),
        file => format!("lesson:{file}"),
    };
    if let Some(known) = strata.workspace.store().source_sessions(&location)?.into_iter().next() {
        return Ok(known);
    }
    let failed = |error: std::io::Error| {
        AppError::unreadable(format!("The session of the lesson could not be written to be read: {error}."))
    };
    let folder = tempfile::tempdir().map_err(failed)?;
    let path = folder.path().join(lesson.session_name());
    std::fs::write(&path, lesson.session_bytes()?).map_err(failed)?;
    let input = Input { path, location: Some(location) };
    let unseen = Unseen(CancellationToken::new());
    let imported = import_all(&*strata.sessions, &[input], OrphanPolicy::Replaced, &unseen);
    let stored = imported.sessions.into_iter().next();
    let stored = stored.ok_or_else(|| AppError::internal("The session of the lesson could not be read."))?;
    if let Some(app) = lesson.app()? {
        strata.workspace.store().set_app_config(&stored, &app)?;
    }
    Ok(stored)
}
