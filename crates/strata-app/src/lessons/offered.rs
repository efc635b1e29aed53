//! The lessons that the window offers: those that come with Strata, and those of class files.

use std::collections::BTreeMap;

use strata_engine::Edit;
use strata_import::ImportedSession;
use strata_store::{AppConfig, Store};

use super::grader::{Grade, Grader, check_answers};
use crate::api::lesson::{GoalRow, LessonNumbers, LessonRow, LessonSolution};
use crate::error::AppError;
use crate::kept_lessons::{KeptLesson, kept_lessons};
use crate::lesson_desk::LessonDesk;
use crate::lesson_shelf::{self as shelf, Lesson, Shelved};
use crate::watch::Watch;

/// All of them, in the order in which they are taken, and whether each came in a class file. One that has the id of a
/// lesson that comes with Strata stands in its place.
pub(crate) fn offered_lessons(store: &Store) -> Result<Vec<(LessonRow, bool)>, AppError> {
    Ok(all(store)?.iter().map(|(lesson, kept)| (LessonRow::from(lesson), kept.is_some())).collect())
}

/// What goals there are, by lesson, for those who tell of them.
pub(super) fn all(store: &Store) -> Result<Vec<(Lesson, Option<KeptLesson>)>, AppError> {
    let mut lessons: Vec<(Lesson, Option<KeptLesson>)> =
        shelf::bundled()?.into_iter().map(|shelved| (shelved.lesson, None)).collect();
    for kept in kept_lessons(store)? {
        // It was one when it was added.
        let Ok(Shelved { lesson, .. }) = shelf::of_kept(&kept) else { continue };
        match lessons.iter_mut().find(|(known, _)| known.head.id == lesson.head.id) {
            Some(known) => *known = (lesson, Some(kept)),
            None => lessons.push((lesson, Some(kept))),
        }
    }
    Ok(lessons)
}

/// The lesson with an id.
pub(crate) fn offered_lesson(store: &Store, id: &str) -> Result<OfferedLesson, AppError> {
    let kept = kept_lessons(store)?.into_iter().find(|kept| kept.id == id);
    Ok(match kept {
        Some(kept) => OfferedLesson { shelved: shelf::of_kept_whole(store, &kept)?, is_of_class: true },
        None => OfferedLesson { shelved: shelf::find_bundled(id)?, is_of_class: false },
    })
}

/// A lesson with what stands beside it.
pub(crate) struct OfferedLesson {
    shelved: Shelved,
    pub is_of_class: bool,
}

impl OfferedLesson {
    pub(crate) fn row(&self) -> LessonRow {
        (&self.shelved.lesson).into()
    }

    /// `sample`, or the file beside the lesson.
    pub(crate) fn session_name(&self) -> &str {
        &self.shelved.lesson.head.session
    }

    /// By which its session is known where it is stored.
    pub(crate) fn location(&self) -> Result<String, AppError> {
        self.shelved.location()
    }

    /// Its session with the bytes that it was read from, and the configuration of its app, where there is one.
    pub(crate) fn session(&self) -> Result<(ImportedSession, Vec<u8>, Option<AppConfig>), AppError> {
        let (session, app) = self.shelved.session()?;
        Ok((session, self.shelved.session_bytes()?, app))
    }

    /// Markdown.
    pub(crate) fn text(&self) -> &str {
        &self.shelved.lesson.text
    }

    /// Markdown.
    pub(crate) fn explanation(&self) -> &str {
        &self.shelved.lesson.explanation
    }

    pub(crate) fn goals(&self) -> Vec<GoalRow> {
        self.shelved.lesson.head.goals.iter().map(GoalRow::from).collect()
    }

    /// What the session comes to as it was recorded, and the author's solutions with what it comes to in each.
    pub(crate) fn solutions(
        &self,
        desk: &LessonDesk,
        watch: &dyn Watch,
    ) -> Result<(LessonNumbers, Vec<LessonSolution>), AppError> {
        let grader = Grader::at(desk, &self.shelved, watch)?;
        let solutions = self.shelved.lesson.head.solutions.iter().map(|solution| {
            Ok(LessonSolution {
                title: solution.title.clone(),
                edits: solution.edits.clone(),
                answers: solution.answers.clone(),
                numbers: grader.edited(&solution.edits)?.numbers(),
            })
        });
        let solutions = solutions.collect::<Result<_, AppError>>()?;
        Ok((grader.recorded(), solutions))
    }

    /// Grades edits and answers.
    pub(crate) fn grade(
        &self,
        desk: &LessonDesk,
        edits: &[Edit],
        answers: &BTreeMap<String, String>,
        watch: &dyn Watch,
    ) -> Result<Grade, AppError> {
        check_answers(&self.shelved.lesson, answers)?;
        Grader::at(desk, &self.shelved, watch)?.grade("Your attempt", edits, answers, &mut Vec::new())
    }
}
