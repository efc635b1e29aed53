//! `strata lessons results`: what learners did in lessons, from their stores and from what they handed in.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use strata_store::Store;

use super::offered;
use crate::api::experiment::Exported;
use crate::api::lesson::ResultsForm;
use crate::class_file::{self, ClassKind};
use crate::data_folder::default_database;
use crate::error::AppError;
use crate::lesson_progress::{LessonDone, LessonsDone};
use crate::lesson_shelf::Lesson;
use crate::report::{VERSION, utc_second};

/// The document of `strata lessons results`.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ResultsReport {
    pub version: u32,
    /// In the order in which their files were given.
    pub learners: Vec<LearnerResults>,
}

/// What one learner did.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct LearnerResults {
    /// The name of the file, without its ending.
    pub learner: String,
    /// Those that were begun, and those of class files.
    pub lessons: Vec<LessonResult>,
}

/// What was done in a lesson.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LessonResult {
    pub lesson: String,
    pub title: String,
    /// All goals were met in one attempt.
    pub is_solved: bool,
    /// When that was first so, `2026-01-31T09:30:00Z`; null where it is not known.
    pub solved_at: Option<String>,
    /// Of all prompts, as recorded and with the edits that solved it; until then, those that were graded last.
    pub tokens_before: Option<u64>,
    pub tokens_after: Option<u64>,
    pub goals: Vec<GoalResult>,
}

/// What was done for a goal.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct GoalResult {
    pub goal: String,
    pub text: String,
    pub is_met: bool,
    /// Different answers or edits that were graded until it was met.
    pub tries: u32,
    /// Hints that were taken.
    pub hints: u32,
    pub met_at: Option<String>,
}

/// What is handed in.
#[derive(Debug, Serialize, Deserialize)]
struct ResultsFile {
    /// [`class_file::RESULTS`].
    format: String,
    version: u32,
    lessons: Vec<LessonResult>,
}

/// Joins what is in stores and in files that were handed in; without any, in the store of the data folder.
pub fn results(files: &[PathBuf]) -> Result<ResultsReport, AppError> {
    let own;
    let files = if files.is_empty() {
        own = [default_database()?];
        &own[..]
    } else {
        files
    };
    let mut learners = Vec::new();
    for file in files {
        let stem = file.file_stem().unwrap_or_default().to_string_lossy();
        let learner = stem.trim_end_matches(".lessons").to_owned();
        learners.push(LearnerResults { learner, lessons: read(file)? });
    }
    Ok(ResultsReport { version: VERSION, learners })
}

fn read(file: &Path) -> Result<Vec<LessonResult>, AppError> {
    let name = file.display().to_string();
    if !file.exists() {
        return Err(AppError::not_found(format!("{name} is not there; nothing was joined.")));
    }
    match class_file::kind_of(file) {
        Some(ClassKind::Results) => {
            let document: ResultsFile = class_file::parse(&name, &class_file::read_text(file, &name)?)?;
            Ok(document.lessons)
        }
        Some(ClassKind::Lessons) => Err(AppError::bad_input(format!(
            "{name} holds lessons, and nothing of what somebody did in them. A learner's results are saved in Learn."
        ))),
        None => of_store(&Store::open_read_only(file).map_err(|error| {
            AppError::unreadable(format!(
                "{name} is neither a store nor what Learn saves to be handed in: {error}."
            ))
        })?),
    }
}

/// What was done in the lessons of a store.
fn of_store(store: &Store) -> Result<Vec<LessonResult>, AppError> {
    let done = LessonsDone::of(store)?;
    let lessons = offered::all(store)?;
    let known = lessons.iter().filter_map(|(lesson, kept)| {
        let of_lesson = done.lesson(&lesson.head.id);
        (of_lesson.is_some() || kept.is_some())
            .then(|| of_known(lesson, of_lesson.unwrap_or(&LessonDone::default())))
    });
    // Lessons that are no longer there.
    let is_known = |id: &&str| lessons.iter().any(|(lesson, _)| lesson.head.id == **id);
    let others = done.ids().filter(|id| !is_known(id));
    let others = others.filter_map(|id| Some(of_unknown(id, done.lesson(id)?)));
    Ok(known.chain(others).collect())
}

fn of_known(lesson: &Lesson, done: &LessonDone) -> LessonResult {
    let head = &lesson.head;
    let goals = head.goals.iter().map(|goal| (goal.id.clone(), goal.text.clone()));
    result(&head.id, &head.title, goals, done)
}

fn of_unknown(id: &str, done: &LessonDone) -> LessonResult {
    result(id, id, done.goals.keys().map(|goal| (goal.clone(), goal.clone())), done)
}

fn result(
    id: &str,
    title: &str,
    goals: impl Iterator<Item = (String, String)>,
    done: &LessonDone,
) -> LessonResult {
    let goals = goals.map(|(goal, text)| {
        let of_goal = done.goals.get(&goal).cloned().unwrap_or_default();
        GoalResult {
            goal,
            text,
            is_met: of_goal.is_met,
            tries: of_goal.tries,
            hints: of_goal.hints,
            met_at: of_goal.met_ms.map(utc_second),
        }
    });
    LessonResult {
        lesson: id.to_owned(),
        title: title.to_owned(),
        is_solved: done.is_solved,
        solved_at: done.solved_ms.map(utc_second),
        tokens_before: done.tokens.map(|tokens| tokens.before),
        tokens_after: done.tokens.map(|tokens| tokens.after),
        goals: goals.collect(),
    }
}

/// What was done in the lessons of a store, as a file.
pub(crate) fn results_file(store: &Store, form: ResultsForm) -> Result<Exported, AppError> {
    let lessons = of_store(store)?;
    let (file, text) = match form {
        ResultsForm::Csv => {
            let learners = vec![LearnerResults { learner: String::new(), lessons }];
            ("lessons.csv", ResultsReport { version: VERSION, learners }.to_csv())
        }
        ResultsForm::Strata => {
            let (format, version) = (class_file::RESULTS.to_owned(), class_file::VERSION);
            let document = ResultsFile { format, version, lessons };
            let text =
                serde_json::to_string(&document).map_err(|error| AppError::internal(error.to_string()))?;
            ("lessons.strata", text + "\n")
        }
    };
    Ok(Exported { file: file.to_owned(), text, diagnostics: Vec::new() })
}

const COLUMNS: [&str; 13] = [
    "learner",
    "lesson",
    "title",
    "solved",
    "solved_at",
    "tokens_before",
    "tokens_after",
    "goal",
    "goal_text",
    "met",
    "tries",
    "hints",
    "met_at",
];

impl ResultsReport {
    /// One row a goal, with what is the same for all goals of a lesson in each.
    pub fn to_csv(&self) -> String {
        let mut text = COLUMNS.join(",") + "\n";
        for LearnerResults { learner, lessons } in &self.learners {
            for lesson in lessons {
                for goal in &lesson.goals {
                    let row = [
                        learner.clone(),
                        lesson.lesson.clone(),
                        lesson.title.clone(),
                        yes(lesson.is_solved),
                        lesson.solved_at.clone().unwrap_or_default(),
                        number(lesson.tokens_before),
                        number(lesson.tokens_after),
                        goal.goal.clone(),
                        goal.text.clone(),
                        yes(goal.is_met),
                        goal.tries.to_string(),
                        goal.hints.to_string(),
                        goal.met_at.clone().unwrap_or_default(),
                    ];
                    text += &(row.map(|cell| escaped(&cell)).join(",") + "\n");
                }
            }
        }
        text
    }
}

fn yes(is_so: bool) -> String {
    if is_so { "yes" } else { "no" }.to_owned()
}

fn number(number: Option<u64>) -> String {
    number.map_or_else(String::new, |number| number.to_string())
}

/// A cell that a spreadsheet reads as the text it is: what would be a formula there begins with a `'`.
fn escaped(cell: &str) -> String {
    let cell =
        if cell.starts_with(['=', '+', '-', '@', '\t', '\r']) { format!("'{cell}") } else { cell.to_owned() };
    if cell.contains([',', '"', '\n', '\r']) { format!("\"{}\"", cell.replace('"', "\"\"")) } else { cell }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_texts_wherever_they_are_read() {
        assert_eq!(escaped("plain"), "plain");
        assert_eq!(escaped("a, \"b\""), "\"a, \"\"b\"\"\"");
        assert_eq!(escaped("=1+1"), "'=1+1");
    }
}
