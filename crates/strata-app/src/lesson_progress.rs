//! What a learner did in lessons. It is kept as a setting.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use strata_engine::Edit;
use strata_model::Fingerprint;
use strata_store::{Store, StoreError};

/// The setting under which it is kept.
const SETTING: &str = "lessons.progress";
/// The one of older versions, which knew what was met and nothing else.
const SETTING_OF_MET: &str = "lessons.met";

/// By the ids of lessons.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct LessonsDone {
    lessons: BTreeMap<String, LessonDone>,
}

/// What was done in a lesson.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct LessonDone {
    /// By their ids.
    pub goals: BTreeMap<String, GoalDone>,
    /// All goals were met in one attempt.
    pub is_solved: bool,
    /// When that was first so, in epoch milliseconds; `None` also where an older version was told.
    pub solved_ms: Option<i64>,
    /// Of all prompts, as recorded and with the edits that solved it; until then, those that were graded last.
    pub tokens: Option<TokensDone>,
    /// Of the edits that were graded last.
    last_edits: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct TokensDone {
    pub before: u64,
    pub after: u64,
}

/// What was done for a goal.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct GoalDone {
    pub is_met: bool,
    /// When it was met first, in epoch milliseconds.
    pub met_ms: Option<i64>,
    /// Different answers, or for what edits reach different edits, that were graded until it was met.
    pub tries: u32,
    /// Hints that were taken.
    pub hints: u32,
    /// Of the answer that was graded last.
    last_answer: Option<String>,
}

/// What was graded.
pub(crate) struct GradedAttempt<'g> {
    pub edits: &'g [Edit],
    pub answers: &'g BTreeMap<String, String>,
    /// Ids of goals, whether each is a question, and whether it is met.
    pub goals: Vec<(String, bool, bool)>,
    pub is_solved: bool,
    pub tokens: TokensDone,
    /// Epoch milliseconds.
    pub now_ms: i64,
}

impl LessonsDone {
    /// What was done so far. What cannot be read was not.
    pub(crate) fn of(store: &Store) -> Result<Self, StoreError> {
        match store.setting(SETTING)? {
            Some(kept) => Ok(serde_json::from_str(&kept).unwrap_or_default()),
            None => Ok(store.setting(SETTING_OF_MET)?.map_or_else(Self::default, |kept| of_met(&kept))),
        }
    }

    pub(crate) fn lesson(&self, id: &str) -> Option<&LessonDone> {
        self.lessons.get(id)
    }

    pub(crate) fn ids(&self) -> impl Iterator<Item = &str> {
        self.lessons.keys().map(String::as_str)
    }

    /// Goals that were met, in one attempt or another.
    pub(crate) fn met(&self, lesson: &str) -> Vec<String> {
        let goals = self.lessons.get(lesson).into_iter().flat_map(|done| &done.goals);
        goals.filter(|(_, goal)| goal.is_met).map(|(id, _)| id.clone()).collect()
    }

    pub(crate) fn is_solved(&self, lesson: &str) -> bool {
        self.lessons.get(lesson).is_some_and(|done| done.is_solved)
    }

    /// Adds an attempt. What was met before stays, whatever a later attempt does.
    pub(crate) fn add(
        store: &mut Store,
        lesson: &str,
        attempt: &GradedAttempt<'_>,
    ) -> Result<(), StoreError> {
        Self::change(store, lesson, |done| done.take(attempt))
    }

    /// Notes that this many hints to a goal were taken, and says how many were by now.
    pub(crate) fn take_hint(
        store: &mut Store,
        lesson: &str,
        goal: &str,
        taken: u32,
    ) -> Result<u32, StoreError> {
        Self::change(store, lesson, |done| {
            let goal = done.goals.entry(goal.to_owned()).or_default();
            goal.hints = goal.hints.max(taken);
        })?;
        let done = Self::of(store)?;
        Ok(done.lesson(lesson).and_then(|done| done.goals.get(goal)).map_or(0, |goal| goal.hints))
    }

    fn change(
        store: &mut Store,
        lesson: &str,
        change: impl FnOnce(&mut LessonDone),
    ) -> Result<(), StoreError> {
        let before = Self::of(store)?;
        let mut kept = before.clone();
        change(kept.lessons.entry(lesson.to_owned()).or_default());
        if kept == before {
            return Ok(());
        }
        store.set_setting(SETTING, &serde_json::to_string(&kept).unwrap_or_default())
    }
}

impl LessonDone {
    fn take(&mut self, attempt: &GradedAttempt<'_>) {
        let edits = (!attempt.edits.is_empty()).then(|| mark(attempt.edits));
        let is_new = edits.is_some() && edits != self.last_edits;
        for (id, is_question, is_met) in &attempt.goals {
            let goal = self.goals.entry(id.clone()).or_default();
            let answer = attempt.answers.get(id).filter(|answer| !answer.trim().is_empty()).map(mark);
            let is_try = if *is_question { answer.is_some() && answer != goal.last_answer } else { is_new };
            if is_try && !goal.is_met {
                goal.tries += 1;
            }
            goal.last_answer = answer.or(goal.last_answer.take());
            if *is_met && !goal.is_met {
                goal.is_met = true;
                goal.met_ms = Some(attempt.now_ms);
            }
        }
        self.last_edits = edits.or(self.last_edits.take());
        if !self.is_solved {
            self.tokens = Some(attempt.tokens);
            if attempt.is_solved {
                self.is_solved = true;
                self.solved_ms = Some(attempt.now_ms);
            }
        }
    }
}

/// By which two are told apart, and nothing else is known of them.
fn mark(value: impl Serialize) -> String {
    let text = serde_json::to_string(&value).unwrap_or_default();
    format!("{:016x}", Fingerprint::of(text.as_bytes()).0 as u64)
}

fn of_met(kept: &str) -> LessonsDone {
    #[derive(Default, Deserialize)]
    #[serde(default)]
    struct Met {
        goals: BTreeMap<String, BTreeSet<String>>,
        solved: BTreeSet<String>,
    }
    let Met { goals, solved } = serde_json::from_str(kept).unwrap_or_default();
    let mut lessons: BTreeMap<String, LessonDone> = BTreeMap::new();
    for (lesson, met) in goals {
        let met = met.into_iter().map(|goal| (goal, GoalDone { is_met: true, ..GoalDone::default() }));
        lessons.entry(lesson).or_default().goals.extend(met);
    }
    for lesson in solved {
        lessons.entry(lesson).or_default().is_solved = true;
    }
    LessonsDone { lessons }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graded(answer: &str, is_met: bool, now_ms: i64) -> LessonDone {
        let mut done = LessonDone::default();
        take(&mut done, answer, is_met, now_ms);
        done
    }

    fn take(done: &mut LessonDone, answer: &str, is_met: bool, now_ms: i64) {
        let answers = BTreeMap::from([("why".to_owned(), answer.to_owned())]);
        done.take(&GradedAttempt {
            edits: &[],
            answers: &answers,
            goals: vec![("why".to_owned(), true, is_met), ("half".to_owned(), false, false)],
            is_solved: false,
            tokens: TokensDone { before: 10, after: 10 },
            now_ms,
        });
    }

    #[test]
    fn what_is_graded_again_is_no_other_try_and_what_is_met_stays() {
        let mut done = graded("C1", false, 1);
        take(&mut done, "C1", false, 2);
        take(&mut done, "C8", true, 3);
        take(&mut done, "C9", false, 4);
        let why = &done.goals["why"];
        assert_eq!((why.tries, why.is_met, why.met_ms), (2, true, Some(3)));
        // Nothing was edited.
        assert_eq!(done.goals["half"].tries, 0);
    }

    #[test]
    fn what_an_older_version_kept_is_known() {
        let mut store = Store::in_memory().unwrap();
        store.set_setting(SETTING_OF_MET, r#"{"goals":{"a":["x"]},"solved":["b"]}"#).unwrap();
        let done = LessonsDone::of(&store).unwrap();
        assert_eq!(
            (done.met("a"), done.is_solved("a"), done.is_solved("b")),
            (vec!["x".to_owned()], false, true)
        );
        assert_eq!(LessonsDone::take_hint(&mut store, "a", "x", 2).unwrap(), 2);
        assert_eq!(LessonsDone::take_hint(&mut store, "a", "x", 1).unwrap(), 2);
        assert_eq!(LessonsDone::of(&store).unwrap().met("a"), ["x"]);
    }
}
