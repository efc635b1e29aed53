//! A lesson as its author writes it: a Markdown file whose front matter is YAML.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;
use strata_engine::Edit;

use super::check::Check;
use crate::error::AppError;

/// Around the front matter.
const FENCE: &str = "---";
/// Before what a learner reads when all goals are met.
const EXPLANATION: &str = "\n## Explanation\n";

/// A lesson that was read and holds together.
#[derive(Debug, Clone)]
pub(crate) struct Lesson {
    pub head: Head,
    /// Markdown, to be read before and while the goals are met.
    pub text: String,
    /// Markdown, for when they are.
    pub explanation: String,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Head {
    pub id: String,
    pub title: String,
    pub level: Level,
    /// What a learner needs.
    pub minutes: u32,
    /// `sample`, or a file beside the lesson.
    pub session: String,
    /// A file with the app's configuration beside the lesson, where the session has none.
    #[serde(default)]
    pub app: Option<String>,
    pub goals: Vec<Goal>,
    pub solutions: Vec<Solution>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Level {
    Beginner,
    Intermediate,
    Advanced,
}

impl Level {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Beginner => "beginner",
            Self::Intermediate => "intermediate",
            Self::Advanced => "advanced",
        }
    }
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Goal {
    pub id: String,
    pub text: String,
    pub check: Check,
    /// From a nudge to all but the answer.
    #[serde(default)]
    pub hints: Vec<String>,
}

/// One way to meet all goals.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Solution {
    pub title: String,
    #[serde(default)]
    pub edits: Vec<Edit>,
    /// By the ids of goals.
    #[serde(default)]
    pub answers: BTreeMap<String, String>,
}

impl Lesson {
    /// Reads a lesson. `name` is the file's, for errors.
    pub(crate) fn parse(name: &str, text: &str) -> Result<Self, AppError> {
        let refuse =
            |why: String| AppError::bad_input(format!("{name} is no lesson that can be used: {why}."));
        let text = text.replace("\r\n", "\n");
        let Some((front, body)) = fenced(&text) else {
            let why = "it does not begin with front matter, YAML between two lines of `---`";
            return Err(refuse(why.to_owned()));
        };
        // The line of the fence is left empty, so that the lines of errors are those of the file.
        let head: Head = serde_saphyr::from_str(&format!("\n{front}")).map_err(|error| {
            let text = error.to_string();
            let (what, place) = text.split_once('\n').unwrap_or((&text, ""));
            let refused = refuse(what.trim_start_matches("error: ").to_owned());
            if place.is_empty() { refused } else { refused.with_detail(&place.trim_end()) }
        })?;
        head.check().map_err(refuse)?;
        let (body, explanation) = body.split_once(EXPLANATION).ok_or_else(|| {
            refuse("it has no section `## Explanation`, which is shown when all goals are met".to_owned())
        })?;
        Ok(Self { head, text: body.trim().to_owned(), explanation: explanation.trim().to_owned() })
    }
}

/// What is between the fences, and what is behind them.
fn fenced(text: &str) -> Option<(&str, &str)> {
    let rest = text.strip_prefix(FENCE)?.strip_prefix('\n')?;
    let end = rest.find("\n---\n")?;
    Some((&rest[..=end], &rest[end + "\n---\n".len() - 1..]))
}

impl Head {
    /// What the form alone does not forbid.
    fn check(&self) -> Result<(), String> {
        if self.goals.is_empty() {
            return Err("`goals` is empty; a lesson without one is solved before it begins".to_owned());
        }
        if self.solutions.is_empty() {
            return Err("`solutions` is empty; nobody would know that the lesson can be solved".to_owned());
        }
        let mut ids = BTreeSet::new();
        for goal in &self.goals {
            if !ids.insert(&*goal.id) {
                return Err(format!("two goals are called `{}`", goal.id));
            }
            if let Some(defect) = goal.check.defect() {
                return Err(format!("goal `{}`: {defect}", goal.id));
            }
        }
        for solution in &self.solutions {
            for goal in solution.answers.keys() {
                if !self.asks(goal) {
                    return Err(format!(
                        "solution \"{}\" answers `{goal}`, and no goal of that name asks anything",
                        solution.title
                    ));
                }
            }
        }
        Ok(())
    }

    /// Whether a goal of this name is a question.
    pub(crate) fn asks(&self, goal: &str) -> bool {
        self.goals.iter().any(|known| known.id == goal && known.check.question().is_some())
    }
}
