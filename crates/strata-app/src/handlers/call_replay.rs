//! A call sent again.

use std::sync::{Arc, Mutex, PoisonError};

use strata_provider::CallErrorKind;
use tokio_util::sync::CancellationToken;

use super::lab_runs::lab_run;
use super::model;
use crate::Strata;
use crate::api::job::JobState;
use crate::api::model::{Replay, ReplayAnswer, ReplayPreview, ReplayRequest, ReplayResult};
use crate::api::session::JobStarted;
use crate::command::Handler;
use crate::error::AppError;
use crate::jobs::JobOutcome;
use crate::lab::{SendingAgain, SentAgain};
use crate::models::{Asker, UsableEndpoint};
use crate::open::OpenSession;
use crate::watch::Watch as _;

/// Characters of a body that are shown.
const SHOWN: usize = 400_000;

/// What is sent again, and to whom.
struct Choice<'c> {
    endpoint: &'c str,
    model: Option<&'c str>,
    run: Option<&'c str>,
    without_pictures: bool,
}

/// A call as it would be sent.
fn sent_again(
    strata: &Strata,
    open: &OpenSession,
    number: u32,
    choice: &Choice<'_>,
) -> Result<(UsableEndpoint, SentAgain), AppError> {
    let found = model::find(strata, choice.endpoint)?;
    let analysis = open.analysis_of(number)?;
    let call = analysis.call(number).ok_or_else(|| AppError::internal("The call is not analysed."))?;
    let request = match choice.run {
        None => call.request.clone(),
        Some(job) => {
            let missing = || AppError::not_found("This run has not ended. Resume it first.");
            let run = lab_run(strata, job)?;
            let done = run.done.lock().unwrap_or_else(PoisonError::into_inner).clone().ok_or_else(missing)?;
            let replayed = done.0.calls.get(number as usize - 1).ok_or_else(missing)?;
            replayed.request.clone()
        }
    };
    let model = choice.model.map(str::to_owned).or_else(|| found.model.clone());
    let model = model.unwrap_or_else(|| call.model.to_string());
    open.call(number)?;
    let sending = SendingAgain {
        found: &found,
        models: &strata.models,
        counting: &strata.tables.counting,
        prices: &strata.tables.prices,
        store: Some(strata.workspace.store_lock()),
        without_pictures: choice.without_pictures,
        stop: &CancellationToken::new(),
    };
    let sent = SentAgain::of(&open.experiment, number, (model, &request), &sending)?;
    let sent = sent.ok_or_else(|| AppError::internal("A call got lost."))?;
    Ok((found, sent))
}

impl Handler for ReplayPreview {
    fn run(self, strata: &Strata) -> Result<ReplayRequest, AppError> {
        let open = strata.sessions.get(&self.session)?;
        let choice = Choice {
            endpoint: &self.endpoint,
            model: self.model.as_deref(),
            run: self.run.as_deref(),
            without_pictures: self.without_pictures,
        };
        let (found, sent) = sent_again(strata, &open, self.call, &choice)?;
        let (target, body) = sent.as_sent(&found.server);
        let bytes = body.len() as f64;
        Ok(ReplayRequest {
            endpoint: found.server.name.clone(),
            target,
            body: body.chars().take(SHOWN).collect(),
            bytes,
            estimated_cost_usd: sent.estimated_cost(&strata.tables.prices),
            predicted: sent.predicted.into(),
            is_counted_by_server: sent.is_counted_by_server(),
            predicted_cached: sent.foreseen.cached.into(),
            cache_said: sent.cache_said(),
            first_token_s: sent.first_token_s(),
            context_tokens: sent.known.context_tokens,
            problem: sent.problem(),
            pictures: sent.pictures,
            model: sent.model,
            recorded: sent.recorded,
        })
    }
}

impl Handler for Replay {
    fn run(self, strata: &Strata) -> Result<JobStarted, AppError> {
        let open = strata.sessions.get(&self.session)?;
        let choice = Choice {
            endpoint: &self.endpoint,
            model: self.model.as_deref(),
            run: self.run.as_deref(),
            without_pictures: self.without_pictures,
        };
        let (found, sent) = sent_again(strata, &open, self.call, &choice)?;
        if let Some(problem) = sent.problem() {
            return Err(AppError::bad_input(problem));
        }
        let answer = Arc::new(Mutex::new(sent.begun()));
        let shown = answer.clone();
        let title = format!("Sending C{} to {}", self.call, found.server.name);
        let (models, tables, workspace) =
            (strata.models.clone(), strata.tables.clone(), strata.workspace.clone());
        let job = strata.jobs.start(title, "calls", move |job| {
            let shown = EndedOnDrop(shown);
            let lock = || shown.0.lock().unwrap_or_else(PoisonError::into_inner);
            let asker = Asker {
                found: &found,
                models: &models,
                store: Some(workspace.store_lock()),
                counting: &tables.counting,
                prices: &tables.prices,
                stop: job.stop().clone(),
            };
            let asked = asker.ask((&sent.model, &sent.known), sent.shaped(), None, &mut |progress| {
                lock().take(progress);
            });
            let mut shown = lock();
            let asked = asked.map(|(asked, _)| {
                shown.first_token_s = asked.first_token.map(|took| took.as_secs_f64());
                asked.answer
            });
            let (state, outcome) = match asked {
                Ok(Ok(done)) => {
                    shown.end(&done, &sent, &tables.prices);
                    shown.measured_calls = sent.measured(&done, &mut workspace.store());
                    let reported =
                        shown.reported_tokens.map_or("none".to_owned(), |tokens| format!("{tokens}"));
                    let outcome = format!(
                        "Answered; prompt {} tokens predicted, {reported} reported.",
                        sent.predicted.tokens
                    );
                    (JobState::Done, outcome)
                }
                Ok(Err(error)) => {
                    let is_cancelled = error.kind == CallErrorKind::Cancelled;
                    let partial = error.partial.as_deref();
                    if let Some(partial) = partial {
                        shown.end(partial, &sent, &tables.prices);
                    }
                    let kept = if partial.is_some() { " What had come is shown." } else { "" };
                    let charged = if error.may_be_charged { " It may be charged." } else { "" };
                    shown.failure = Some(format!("{}{kept}{charged}", error.message));
                    shown.is_picture_refused = error.kind == CallErrorKind::PictureRefused;
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
