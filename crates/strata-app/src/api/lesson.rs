//! Lessons.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use strata_engine::Edit;
use ts_rs::TS;

use super::common::{Basis, Bill};

/// `lesson/list`: the lessons that come with Strata and in class files, and how far they are.
#[derive(Debug, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct List {}

/// `lesson/get`: a lesson.
#[derive(Debug, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Get {
    pub lesson: String,
    /// Whether the author's solutions are told, too.
    pub with_solutions: bool,
}

/// `lesson/start`: makes an experiment over a lesson's session, which is put into the store unless it is there.
#[derive(Debug, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Start {
    pub lesson: String,
}

/// `lesson/grade`: grades an experiment and answers. What is met is remembered.
#[derive(Debug, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Grade {
    pub lesson: String,
    /// Absent: without edits.
    pub experiment: Option<String>,
    /// By the ids of goals.
    pub answers: BTreeMap<String, String>,
}

/// `lesson/hint`: notes that a learner took hints to a goal.
#[derive(Debug, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Hint {
    pub lesson: String,
    pub goal: String,
    /// How many by now.
    pub taken: u32,
}

/// `lesson/remove`: takes a lesson of a class file out of the list. What was done in it stays.
#[derive(Debug, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Remove {
    pub lesson: String,
}

/// `lesson/results`: what was done in lessons, as a file.
#[derive(Debug, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Results {
    #[serde(rename = "as")]
    pub form: ResultsForm,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, TS)]
#[serde(rename_all = "kebab-case")]
pub enum ResultsForm {
    /// A table, one row a goal.
    Csv,
    /// To be handed in: `strata lessons results` joins many of them.
    Strata,
}

#[derive(Debug, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct HintsTaken {
    pub taken: u32,
}

#[derive(Debug, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct LessonList {
    /// In the order in which they are taken: those that come with Strata, then those of class files.
    pub lessons: Vec<LessonProgress>,
}

/// A lesson, and how far a learner is with it.
#[derive(Debug, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct LessonProgress {
    pub row: LessonRow,
    /// Goals that were met, in one attempt or another.
    pub met: Vec<String>,
    /// Whether all of them were met in one attempt.
    pub is_solved: bool,
    /// Whether it came in a class file.
    pub is_of_class: bool,
}

/// A lesson in a list.
#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct LessonRow {
    pub id: String,
    pub title: String,
    /// `beginner`, `intermediate` or `advanced`.
    pub level: String,
    pub minutes: u32,
    /// How many.
    pub goals: u32,
    /// Ways to meet all goals that the author gives.
    pub solutions: u32,
}

#[derive(Debug, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct LessonPage {
    pub progress: LessonProgress,
    /// `sample`, or the file beside the lesson.
    pub session: String,
    /// Markdown.
    pub text: String,
    pub goals: Vec<GoalRow>,
    /// Markdown; absent until the lesson is solved.
    pub explanation: Option<String>,
    /// Empty unless they were asked for.
    pub solutions: Vec<LessonSolution>,
    /// What the session comes to as it was recorded; absent unless solutions were asked for.
    pub recorded: Option<LessonNumbers>,
}

/// What the session of a lesson comes to, with some edits or without.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct LessonNumbers {
    pub bill: Bill,
    /// Prefixes that break.
    pub breaks: u32,
}

/// A goal before it is graded.
#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct GoalRow {
    pub id: String,
    pub text: String,
    /// What is asked for, with its unit; for a question the form of its answer.
    pub wanted: String,
    /// Met by an answer and not by edits.
    pub is_question: bool,
    /// From a nudge to all but the answer.
    pub hints: Vec<String>,
}

/// One way to meet all goals.
#[derive(Debug, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct LessonSolution {
    pub title: String,
    pub edits: Vec<Edit>,
    /// By the ids of goals.
    pub answers: BTreeMap<String, String>,
    pub numbers: LessonNumbers,
}

/// What came of an attempt.
#[derive(Debug, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct LessonGrade {
    pub goals: Vec<GoalGrade>,
    pub is_solved: bool,
    /// Markdown; absent until the lesson is solved.
    pub explanation: Option<String>,
    /// What the session comes to with the edits, and as it was recorded.
    pub numbers: LessonNumbers,
    pub recorded: LessonNumbers,
}

/// What came of a goal.
#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct GoalGrade {
    pub goal: String,
    pub text: String,
    pub is_met: bool,
    pub measured: String,
    pub wanted: String,
    /// What the measured number rests on; null where it is no number of tokens or dollars.
    pub basis: Option<Basis>,
}
