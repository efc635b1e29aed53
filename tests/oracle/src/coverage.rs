//! What the invented cases reached in google-adk.

use std::collections::BTreeMap;
use std::fmt;

use strata_model::{Json, Object};

use crate::subject::outcomes_of_run;

#[derive(Default)]
pub(crate) struct Coverage {
    n_sessions: u64,
    /// Why google-adk does not take a case, by the first words of what it says.
    invalid: BTreeMap<String, u64>,
    /// How many sessions a stage ran in, and how many of those it changed the request of.
    stages: BTreeMap<String, (u64, u64)>,
    outcomes: BTreeMap<String, u64>,
    errors: BTreeMap<String, u64>,
}

impl Coverage {
    pub(crate) fn count_invalid(&mut self, why: &str) {
        let why = why.split_whitespace().take(8).collect::<Vec<_>>().join(" ");
        *self.invalid.entry(why).or_default() += 1;
    }

    /// Counts a vector with both halves.
    pub(crate) fn count(&mut self, vector: &Json) {
        self.n_sessions += 1;
        if vector.get("expect").is_some() {
            for (outcome, count) in outcomes_of_run(vector) {
                *self.outcomes.entry(outcome).or_default() += count;
            }
            return;
        }
        let expected = vector.get("expected");
        let text = |value: Option<&Json>, key: &str| {
            value.and_then(|value| value.get(key)).and_then(Json::as_str).unwrap_or_default().to_owned()
        };
        *self.outcomes.entry(text(expected, "outcome")).or_default() += 1;
        if let Some(error) = expected.and_then(|expected| expected.get("error")) {
            let error = format!("{} in {}", text(Some(error), "type"), text(Some(error), "processor"));
            *self.errors.entry(error).or_default() += 1;
        }
        for stage in vector.get("expected_stages").and_then(Json::as_array).unwrap_or_default() {
            let is_changing =
                stage.get("set").and_then(Json::as_object).is_some_and(|set: &Object| !set.is_empty())
                    || stage.get("unset").is_some();
            let (ran, changed) = self.stages.entry(text(Some(stage), "processor")).or_default();
            *ran += 1;
            *changed += u64::from(is_changing);
        }
    }
}

impl fmt::Display for Coverage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} cases compared", self.n_sessions)?;
        writeln!(f, "{} that google-adk does not take", self.invalid.values().sum::<u64>())?;
        for (why, count) in &self.invalid {
            writeln!(f, "    {count:>6} {why}")?;
        }
        if !self.stages.is_empty() {
            writeln!(f, "{:24} {:>8} {:>8}", "stage", "ran", "changed")?;
        }
        for (stage, (ran, changed)) in &self.stages {
            writeln!(f, "{stage:24} {ran:>8} {changed:>8}")?;
        }
        for (name, count) in self.outcomes.iter().chain(&self.errors) {
            writeln!(f, "{name:40} {count:>8}")?;
        }
        Ok(())
    }
}
