//! Answers that tools gave in a recorded session, by the tool's name and its arguments.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};

use strata_model::{Event, Json, Object, Scope, json};

/// Answers of a session: those of equal calls one after the other, the last of them again and again.
#[derive(Debug, Default)]
pub(crate) struct RecordedAnswers(Mutex<HashMap<Call, VecDeque<RecordedAnswer>>>);

/// What a tool gave.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct RecordedAnswer {
    pub response: Object,
    /// What was written into the state with it. Of calls that were answered together, the first one has it.
    pub state: Object,
}

type Call = (String, String);

impl RecordedAnswers {
    pub(crate) fn of(events: &[Arc<Event>]) -> Self {
        let mut calls: HashMap<&str, Call> = HashMap::new();
        let mut answers: HashMap<Call, VecDeque<RecordedAnswer>> = HashMap::new();
        for event in events {
            let mut state = event.actions.state_delta.clone();
            state.retain(|key, _| Scope::of(key) != Scope::Temp);
            for call in event.function_calls() {
                let args = call.args.as_deref().cloned().unwrap_or_default();
                if let (Some(id), Some(name)) = (call.id.as_deref(), call.name.as_deref()) {
                    calls.insert(id, key(name, &args));
                }
            }
            for answer in event.function_responses() {
                let call = answer.id.as_deref().and_then(|id| calls.get(id));
                if let (Some(call), Some(response)) = (call, answer.response.as_deref()) {
                    let answer =
                        RecordedAnswer { response: response.clone(), state: std::mem::take(&mut state) };
                    answers.entry(call.clone()).or_default().push_back(answer);
                }
            }
        }
        Self(Mutex::new(answers))
    }

    /// The next answer to a call.
    pub(super) fn next(&self, name: &str, args: &Object) -> Option<RecordedAnswer> {
        let mut answers = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let of_call = answers.get_mut(&key(name, args))?;
        if of_call.len() > 1 { of_call.pop_front() } else { of_call.front().cloned() }
    }
}

fn key(name: &str, args: &Object) -> Call {
    (name.to_owned(), json::to_compact(&Json::Object(args.clone()).sorted()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_calls_are_answered_one_after_the_other() {
        let session = strata_testkit::session(
            r#"
            user: go
            a: -> look(x=1, y=2)
            tool: {"n": 1}
            a: -> look(y=2, x=1)
            tool: {"n": 2}
            a: -> look(x=3)
            "#,
        );
        let answers = RecordedAnswers::of(&session.events);
        let next = |args: &[(&str, i64)]| {
            let args: Object = args.iter().map(|(name, value)| (*name, *value)).collect();
            answers.next("look", &args).map(|answer| answer.response.get("n").and_then(Json::as_i64))
        };
        assert_eq!(next(&[("x", 1), ("y", 2)]), Some(Some(1)));
        assert_eq!(next(&[("y", 2), ("x", 1)]), Some(Some(2)));
        assert_eq!(next(&[("x", 1), ("y", 2)]), Some(Some(2)), "the last one again");
        assert_eq!(next(&[("x", 3)]), None, "its answer is not recorded");
        assert_eq!(next(&[]), None);
    }
}
