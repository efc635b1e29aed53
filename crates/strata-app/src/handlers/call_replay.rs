//! A call sent again.

use std::sync::{Arc, Mutex, PoisonError};

use strata_measure::analysis::CallCache;

use super::lab_runs::lab_run;
use super::model;
use crate::Strata;
use crate::api::job::JobState;
use crate::api::model::{Replay, ReplayAnswer, ReplayPreview, ReplayRequest, ReplayResult};
use crate::api::session::JobStarted;
use crate::command::Handler;
use crate::error::AppError;
use crate::jobs::JobOutcome;
use crate::lab::SentAgain;
use crate::models::UsableEndpoint;
use crate::open::OpenSession;
use crate::watch::Watch as _;

/// Characters of a body that are shown.
const SHOWN: usize = 400_000;

/// A call as it would be sent.
fn sent_again(
    strata: &Strata,
    open: &OpenSession,
    number: u32,
    (endpoint, model, run): (&str, Option<&str>, Option<&str>),
) -> Result<(UsableEndpoint, SentAgain), AppError> {
    let found = model::find(strata, endpoint)?;
    let analysis = open.analysis_of(number)?;
    let call = analysis.call(number).ok_or_else(|| AppError::internal("The call is not analysed."))?;
    let (request, cached) = match run {
        None => {
            let caches = open.caches(&analysis, &strata.tables)?;
            let cached = caches.call(number).map_or(0, CallCache::found_of_known);
            (call.request.clone(), cached)
        }
        Some(job) => {
            let missing = || AppError::not_found("This run has not ended. Resume it first.");
            let run = lab_run(strata, job)?;
            let done = run.done.lock().unwrap_or_else(PoisonError::into_inner).clone().ok_or_else(missing)?;
            let replayed = done.0.calls.get(number as usize - 1).ok_or_else(missing)?;
            (replayed.request.clone(), 0)
        }
    };
    let model =
        model.map(str::to_owned).or_else(|| found.model.clone()).unwrap_or_else(|| call.model.to_string());
    open.call(number)?;
    let sent = SentAgain::of(
        &open.experiment,
        number,
        (model, &request, cached),
        &strata.tables.counting,
        Some(&strata.workspace.store()),
    );
    let sent = sent.ok_or_else(|| AppError::internal("A call got lost."))?;
    Ok((found, sent))
}

impl Handler for ReplayPreview {
    fn run(self, strata: &Strata) -> Result<ReplayRequest, AppError> {
        let open = strata.sessions.get(&self.session)?;
        let choice = (&*self.endpoint, self.model.as_deref(), self.run.as_deref());
        let (found, sent) = sent_again(strata, &open, self.call, choice)?;
        let (target, body) = sent.as_sent(&found.server);
        let bytes = body.len() as f64;
        Ok(ReplayRequest {
            endpoint: found.server.name.clone(),
            target,
            body: body.chars().take(SHOWN).collect(),
            bytes,
            estimated_cost_usd: sent.estimated_cost(&strata.tables.prices),
            predicted: sent.predicted.into(),
            predicted_cached_tokens: sent.expected.cached.unwrap_or(0),
            model: sent.model,
            recorded: sent.recorded,
        })
    }
}

impl Handler for Replay {
    fn run(self, strata: &Strata) -> Result<JobStarted, AppError> {
        let open = strata.sessions.get(&self.session)?;
        let choice = (&*self.endpoint, self.model.as_deref(), self.run.as_deref());
        let (found, sent) = sent_again(strata, &open, self.call, choice)?;
        let answer = Arc::new(Mutex::new(sent.begun()));
        let shown = answer.clone();
        let title = format!("Sending C{} to {}", self.call, found.server.name);
        let (models, tables, workspace) =
            (strata.models.clone(), strata.tables.clone(), strata.workspace.clone());
        let job = strata.jobs.start(title, "calls", move |job| {
            let shown = EndedOnDrop(shown);
            let lock = || shown.0.lock().unwrap_or_else(PoisonError::into_inner);
            let (server, stop) = (&found.server, job.stop());
            let asked =
                models.connections.ask(server, &sent.model, &sent.request, None, stop, &mut |progress| {
                    lock().take(progress);
                });
            let mut shown = lock();
            let (state, outcome) = match asked {
                Ok(Ok(done)) => {
                    shown.end(&done, &sent, &tables.prices);
                    shown.measured_calls = sent.measured(&done, &mut workspace.store());
                    let reported =
                        shown.reported_tokens.map_or("not reported".to_owned(), |tokens| format!("{tokens}"));
                    let outcome =
                        format!("Answered; prompt {} tokens predicted, {reported}.", sent.predicted.tokens);
                    (JobState::Done, outcome)
                }
                Ok(Err(error)) => {
                    let is_cancelled = error.kind == strata_provider::CallErrorKind::Cancelled;
                    let partial = error.partial.as_deref();
                    if let Some(partial) = partial {
                        shown.end(partial, &sent, &tables.prices);
                    }
                    shown.failure = Some(error.message.clone());
                    (if is_cancelled { JobState::Cancelled } else { JobState::Failed }, error.message)
                }
                Err(error) => {
                    shown.failure = Some(error.message.clone());
                    (JobState::Failed, error.message)
                }
            };
            JobOutcome::saying(state, outcome)
        });
        strata.lab.keep_answer(&job, answer);
        Ok(JobStarted { job })
    }
}

/// Whatever becomes of the job, nobody waits for its answer for ever.
struct EndedOnDrop(Arc<Mutex<ReplayAnswer>>);

impl Drop for EndedOnDrop {
    fn drop(&mut self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).is_ended = true;
    }
}

impl Handler for ReplayResult {
    fn run(self, strata: &Strata) -> Result<ReplayAnswer, AppError> {
        let answer = strata.lab.answer(&self.job);
        let answer = answer
            .ok_or_else(|| AppError::not_found("This answer is no longer known. Send the call again."))?;
        Ok(ReplayAnswer { job: self.job, ..answer })
    }
}
