//! Compaction run with a model, as a job.

use std::sync::{Arc, Mutex, PoisonError};

use strata_engine::lab::{Extractive, FactReader, Writer, survival};

use crate::Strata;
use crate::api::job::JobState;
use crate::api::lab::{LabRun, Run, RunResult};
use crate::api::session::JobStarted;
use crate::command::Handler;
use crate::error::AppError;
use crate::import::Watch as _;
use crate::jobs::{Ended, RunningJob};
use crate::lab::{RunState, losses, read_config, replay_shape, summary_size, with_lab};
use crate::models::{Found, ModelWriter, WriterEvent};
use crate::open::OpenSession;

/// Characters of a summary under way that are shown.
const SHOWN: usize = 20_000;

impl Handler for Run {
    fn run(self, strata: &Arc<Strata>) -> Result<JobStarted, AppError> {
        let config = read_config(&self.config, self.prompt.as_deref())?;
        let open = strata.session(&self.session)?;
        super::lab::last_call(&open)?;
        let found = match &*self.writer {
            "extractive" => None,
            name => Some(strata.models().find(name, &strata.custom_endpoints())?),
        };
        let run = Arc::new(RunState {
            session: self.session.clone(),
            shown: Mutex::new(LabRun {
                job: String::new(),
                writer: self.writer.clone(),
                written: 0,
                from_before: 0,
                input_tokens: 0.0,
                output_tokens: 0.0,
                cost_usd: None,
                streaming: String::new(),
                replay: None,
                failure: None,
            }),
            done: Mutex::default(),
        });
        let work = run.clone();
        let model = self.model.or_else(|| config.model.as_ref().map(ToString::to_string));
        let job = strata.start_job(format!("Compacting with {config}"), "summaries", move |strata, job| {
            let ended = compact(strata, job, &open, &config, found.as_ref(), model, &work);
            let (state, outcome) = match ended {
                Ok(outcome) => (JobState::Done, outcome),
                Err(error) => {
                    shown(&work).failure = Some(error.message.clone());
                    (if job.is_cancelled() { JobState::Cancelled } else { JobState::Failed }, error.message)
                }
            };
            Ended { state, outcome, sessions: Vec::new(), diagnostics: Vec::new(), files: None }
        });
        shown(&run).job.clone_from(&job);
        strata.lab().keep_run(&job, run);
        Ok(JobStarted { job })
    }
}

fn shown(run: &RunState) -> std::sync::MutexGuard<'_, LabRun> {
    run.shown.lock().unwrap_or_else(PoisonError::into_inner)
}

fn compact(
    strata: &Arc<Strata>,
    job: &RunningJob,
    open: &OpenSession,
    config: &strata_engine::lab::LabConfig,
    found: Option<&Found>,
    model: Option<String>,
    run: &Arc<RunState>,
) -> Result<String, AppError> {
    let analysis = open.analysis_of(super::lab::last_call(open)?)?;
    with_lab(&open.experiment, &analysis, strata.tables(), |lab| {
        let reader = FactReader::new();
        // How many summaries there will be is known from a replay with sizes alone.
        let mut sized = strata_engine::lab::SizedWriter::new(summary_size(lab, config.summary_tokens, &[]));
        let expected = lab.replay(config, &mut sized).map_or(0, |plan| plan.windows.len() as u64);
        job.progress(0, expected);
        let mut done = 0;
        let prices = &strata.tables().prices;
        let model = model.or_else(|| found?.model.clone());
        let mut tell = |event: WriterEvent| {
            let mut run = shown(run);
            match event {
                WriterEvent::Begins(number) => run.streaming = format!("Summary {number}: "),
                WriterEvent::Waiting(why) => run.streaming += &format!("\n({why})\n"),
                WriterEvent::Text(text) if run.streaming.len() < SHOWN => run.streaming += &text,
                WriterEvent::Text(_) => {}
                WriterEvent::Written { usage, is_from_before } => {
                    done += 1;
                    run.streaming.clear();
                    run.written += 1;
                    if is_from_before {
                        run.from_before += 1;
                    } else if let Some(usage) = usage {
                        let input = usage.prompt_token_count.unwrap_or(0);
                        let output = usage.output_tokens().unwrap_or(0);
                        run.input_tokens += input as f64;
                        run.output_tokens += output as f64;
                        let price = model.as_deref().and_then(|model| prices.of_model(model));
                        let cost = price.map(|price| {
                            price.cost(input, usage.cached_content_token_count.unwrap_or(0), 0, output)
                        });
                        run.cost_usd = cost.map(|cost| cost + run.cost_usd.unwrap_or(0.0));
                    }
                    drop(run);
                    job.progress(done, expected.max(done));
                }
            }
        };
        let mut extracts = Extractive { reader: &reader };
        let mut asks;
        let writer: &mut dyn Writer = match found {
            None => &mut extracts,
            Some(found) => {
                asks = ModelWriter {
                    endpoint: &found.server,
                    model: model.clone(),
                    paid: strata.paid(),
                    store: Some(strata.store_lock()),
                    cancel: job.cancel(),
                    tell: &mut tell,
                };
                &mut asks
            }
        };
        let replayed = lab.replay(config, writer).map_err(|stop| AppError::bad_input(stop.0))?;
        let losses = losses(&open.experiment, &replayed);
        let generations = survival(&reader, &replayed, open.experiment.log());
        let replay = replay_shape(lab, &replayed, &losses, &generations);
        let used = replay.windows.iter().filter(|window| window.blocked.is_none()).count();
        let dropped: u32 = replay.windows.iter().map(|window| window.dropped).sum();
        *run.done.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::new((replayed, losses)));
        let mut run = shown(run);
        run.written = replay.windows.len() as u32;
        run.replay = Some(replay);
        Ok(format!("{used} of {} summaries laid over the session; {dropped} facts dropped.", run.written))
    })?
}

impl Handler for RunResult {
    fn run(self, strata: &Arc<Strata>) -> Result<LabRun, AppError> {
        let run = strata.lab().run(&self.job);
        let run = run.ok_or_else(|| AppError::not_found("This run is no longer known. Run it again."))?;
        let mut shown = shown(&run).clone();
        shown.job = self.job;
        Ok(shown)
    }
}
