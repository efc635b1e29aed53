//! Recordings again, with the answers of today.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use anyhow::{Context as _, Result};
use rayon::{Scope, ThreadPoolBuilder};
use serde_json::Value;

use crate::backend::Backend;
use crate::recording::{Answer, Call, State};

type Answers = BTreeMap<Call, Answer>;

/// Asks everything and does everything that is recorded.
pub(crate) fn again(recorded: &State) -> Result<State> {
    let fresh = Mutex::new(Ok(State::default()));
    // Not the pool of all: it works for Strata while Strata is waited for here.
    let pool = ThreadPoolBuilder::new().build().context("start threads")?;
    pool.scope(|scope| {
        Place { acts: Vec::new(), known: Answers::new(), recorded, fresh: &fresh }.visit(scope, None);
    });
    fresh.into_inner().unwrap_or_else(PoisonError::into_inner)
}

/// Where some acts lead.
struct Place<'r> {
    acts: Vec<Call>,
    /// The answers before the last act.
    known: Answers,
    recorded: &'r State,
    /// All that was recorded again, or why that cannot go on.
    fresh: &'r Mutex<Result<State>>,
}

impl<'r> Place<'r> {
    /// `before` is a Strata for which only the last act is left to do.
    fn visit(self, scope: &Scope<'r>, before: Option<Backend>) {
        let fresh = self.fresh;
        if let Err(failure) = self.record(scope, before) {
            *lock(fresh) = Err(failure);
        }
    }

    fn record(mut self, scope: &Scope<'r>, before: Option<Backend>) -> Result<()> {
        let (act, earlier) =
            self.acts.split_last().map_or((None, &[][..]), |(act, earlier)| (Some(act), earlier));
        let mut backend = before.map_or_else(|| Backend::after(earlier), Ok)?;
        let done = act.map(|act| backend.act(act)).transpose()?;
        let answers = self.answers(&backend, act)?;
        if let Ok(fresh) = &mut *lock(self.fresh) {
            if let (Some(act), Some((answer, notifications))) = (act, done) {
                fresh.after(earlier).add_act(act, answer, notifications);
            }
            fresh.after(&self.acts).answers.clone_from(&answers);
        }
        self.known.extend(answers);
        let mut here = Some(backend);
        for (at, (act, step)) in self.recorded.next.iter().enumerate() {
            let next = Place {
                acts: self.acts.iter().chain([act]).cloned().collect(),
                known: self.known.clone(),
                recorded: &step.state,
                fresh: self.fresh,
            };
            // The last act goes on from here, the others from another Strata that comes here the same way.
            let before = here.take_if(|_| at + 1 == self.recorded.next.len());
            scope.spawn(move |scope| next.visit(scope, before));
        }
        Ok(())
    }

    /// The answers to what is recorded here, and to what was known before and may have another answer after the last
    /// act; none that is as before.
    fn answers(&self, backend: &Backend, act: Option<&Call>) -> Result<Answers> {
        let touched = self.known.keys().filter(|question| act.is_some_and(|act| can_change(act, question)));
        let mut fresh = Answers::new();
        for question in self.recorded.answers.keys().chain(touched) {
            let answer = backend.ask(question)?;
            if self.known.get(question) != Some(&answer) {
                fresh.insert(question.clone(), answer);
            }
        }
        Ok(fresh)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Whether an act may change the answer to a question: both are about the same session, or one of them is about all
/// of them or asks what is laid over one. What is done to an experiment leaves others and the recording alone.
fn can_change(act: &Call, question: &Call) -> bool {
    let about = subjects(question);
    let is_about_all = ["app/forgetPrice", "app/setPrice"].contains(&&*act.name);
    let is_list = about.is_empty() || ["experiment/list", "lab/runs"].contains(&&*question.name);
    is_about_all || is_list || subjects(act).iter().any(|subject| about.contains(subject))
}

/// The sessions and experiments that parameters name.
fn subjects(call: &Call) -> Vec<Value> {
    let params = call.params();
    let named = ["session", "experiment", "a", "b"].map(|key| params[key].clone());
    named.into_iter().filter(Value::is_string).collect()
}
