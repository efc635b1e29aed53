//! Lessons and goals as they are listed.

use super::lesson::{Goal, Lesson};
use super::wanted::wanted;
use crate::api::lesson::{GoalRow, LessonRow};

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
            wanted: wanted(&goal.check),
            is_question: goal.check.question().is_some(),
            hints: goal.hints.clone(),
        }
    }
}
