//! Compaction run with a model, as a job.

use std::sync::{Arc, Mutex, PoisonError};

use strata_engine::turn::compaction::CompactionConfig;
use strata_measure::lab::{Extractive, FactReader, Writer};
use strata_measure::prices::ChargedTokens;
use strata_store::{LabRunId, LabRunState, StoreError};

use super::lab_runs::{lab_run, stored_run};
use super::model;
use crate::Strata;
use crate::api::job::JobState;
use crate::api::lab::{LabRun, Resume, Run, RunResult};
use crate::api::session::JobStarted;
use crate::command::Handler;
use crate::error::AppError;
use crate::import::now_ms;
use crate::jobs::{JobOutcome, RunningJob};
use crate::lab::{
    ObservedWriter, RunRecord, RunSettings, RunState, StoredSummary, Telling, read_config, replay_shape,
    summary_size, with_lab,
};
use crate::models::{Asker, ModelWriter, Models, UsableEndpoint, WriterEvent};
use crate::open::OpenSession;
use crate::tables::Tables;
use crate::watch::Watch as _;
use crate::workspace::Workspace;

/// Characters of a summary under way that are shown.
const SHOWN: usize = 20_000;

impl Handler for Run {
    fn run(self, strata: &Strata) -> Result<JobStarted, AppError> {
        let settings =
            RunSettings { config: self.config, prompt: self.prompt, writer: self.writer, model: self.model };
        start_run(strata, &self.session, &settings, None)
    }
}

impl Handler for Resume {
    fn run(self, strata: &Strata) -> Result<JobStarted, AppError> {
        let (id, entry) = stored_run(strata, &self.run)?;
        if strata.lab.running(&self.run).is_some() {
            return Err(AppError::bad_input("This run goes on already."));
        }
        let settings = serde_json::from_str(&entry.settings).map_err(|error| {
            AppError::internal(format!("What this run was asked cannot be read: {error}."))
        })?;
        start_run(strata, &entry.subject, &settings, Some(id))
    }
}

/// Starts a run, or goes on with the one of this id.
fn start_run(
    strata: &Strata,
    session: &str,
    settings: &RunSettings,
    known: Option<LabRunId>,
) -> Result<JobStarted, AppError> {
    let config = read_config(&settings.config, settings.prompt.as_deref())?;
    let open = strata.sessions.get(session)?;
    super::lab::last_call(&open)?;
    let found = match &*settings.writer {
        "extractive" => None,
        name => Some(model::find(strata, name)?),
    };
    let model = settings.model.clone().or_else(|| config.model.as_ref().map(ToString::to_string));
    let id = match known {
        Some(id) => id,
        None => {
            let text = text(settings)?;
            let begun = strata.workspace.store().begin_lab_run(&open.id, session, &text, now_ms())?;
            begun.ok_or_else(|| AppError::not_found("This session is no longer in the store."))?
        }
    };
    let run = Arc::new(RunState::new(id, session, &config, settings));
    let work = Work {
        open,
        config,
        found,
        model,
        run: run.clone(),
        record: Mutex::default(),
        workspace: strata.workspace.clone(),
        tables: strata.tables.clone(),
        models: strata.models.clone(),
    };
    let title = format!("Compacting with {}", work.config);
    let job = strata.jobs.start(title, "summaries", move |job| {
        let ended = work.compact(job);
        let (state, outcome) = match ended {
            Ok(outcome) => (JobState::Done, outcome),
            Err(error) => {
                let is_cancelled = job.is_cancelled();
                (if is_cancelled { JobState::Cancelled } else { JobState::Failed }, error.message)
            }
        };
        let failure = (state != JobState::Done).then(|| outcome.clone());
        work.end(state, failure);
        JobOutcome::saying(state, outcome)
    });
    run.shown().job.clone_from(&job);
    strata.lab.keep_run(&job, run);
    Ok(JobStarted { job })
}

fn text(settings: &RunSettings) -> Result<String, AppError> {
    serde_json::to_string(settings).map_err(|error| AppError::internal(error.to_string()))
}

/// A run under way.
struct Work {
    open: Arc<OpenSession>,
    config: CompactionConfig,
    /// `None`: extracts.
    found: Option<UsableEndpoint>,
    model: Option<String>,
    run: Arc<RunState>,
    record: Mutex<RunRecord>,
    workspace: Arc<Workspace>,
    tables: Arc<Tables>,
    models: Arc<Models>,
}

impl Drop for Work {
    /// A run that was left in the middle has failed, and can be resumed.
    fn drop(&mut self) {
        if self.run.shown().state == JobState::Running {
            self.end(JobState::Failed, Some("Strata failed in this run. Please report this.".to_owned()));
        }
    }
}

impl Work {
    fn record(&self) -> std::sync::MutexGuard<'_, RunRecord> {
        self.record.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn compact(&self, job: &RunningJob) -> Result<String, AppError> {
        let open = &self.open;
        let analysis = open.whole_baseline(&self.tables)?;
        with_lab(&analysis, &self.tables, |lab| {
            let reader = FactReader::new();
            // How many summaries there will be is known from a replay with sizes alone.
            let size = summary_size(lab, self.config.summary_tokens, &[]);
            let mut sized = strata_measure::lab::SizedWriter::new(size);
            let expected = lab.replay(&self.config, &mut sized).map_or(0, |plan| plan.windows.len() as u64);
            job.progress(0, expected);
            self.record().expected = expected as u32;
            self.run.shown().expected = expected as u32;
            let model = self.model.clone().or_else(|| self.found.as_ref()?.model.clone());
            let mut done = 0;
            let mut tell = |event: WriterEvent| {
                let is_written = matches!(event, WriterEvent::Written { .. });
                self.tell(model.as_deref(), event);
                if is_written {
                    done += 1;
                    job.progress(done, expected.max(done));
                }
            };
            let mut extracts = Extractive { reader: &reader };
            let mut asks;
            let writer: &mut dyn Writer = match &self.found {
                None => &mut extracts,
                Some(found) => {
                    let asker = Asker {
                        endpoint: &found.server,
                        connections: &self.models.connections,
                        paid: &self.models.paid,
                        store: Some(self.workspace.store_lock()),
                        counting: &self.tables.counting,
                        stop: job.stop().clone(),
                    };
                    asks = ModelWriter { asker, model: model.clone(), tell: &mut tell };
                    &mut asks
                }
            };
            let mut note = |summary: StoredSummary| {
                self.record().summaries.push(summary);
                self.save(LabRunState::Running);
            };
            let mut noted = ObservedWriter { writer, note: &mut note };
            let replayed =
                lab.replay(&self.config, &mut noted).map_err(|stop| AppError::bad_input(stop.0))?;
            let telling = Telling::of(&open.experiment, &replayed);
            let replay = replay_shape(lab, &replayed, Some(&telling), open.writer());
            let used = replay.windows.iter().filter(|window| window.blocked.is_none()).count();
            let lost = telling.facts();
            self.record().lost = Some(lost);
            self.run.finish(replayed, telling, replay);
            let written = self.run.shown().written;
            Ok(format!(
                "{used} of {written} summaries can be laid over the session; {} facts dropped.",
                lost.dropped
            ))
        })?
    }

    fn tell(&self, model: Option<&str>, event: WriterEvent) {
        let mut run = self.run.shown();
        match event {
            WriterEvent::Begins(number) => run.streaming = format!("Summary {number}: "),
            WriterEvent::Waiting(why) => run.streaming += &format!("\n({why})\n"),
            WriterEvent::Text(text) if run.streaming.len() < SHOWN => run.streaming += &text,
            WriterEvent::Text(_) => {}
            WriterEvent::Written { usage, is_from_before } => {
                run.streaming.clear();
                run.written += 1;
                if is_from_before {
                    run.from_before += 1;
                } else if let Some(usage) = usage {
                    let input = usage.prompt_token_count.unwrap_or(0);
                    let output = usage.output_tokens().unwrap_or(0);
                    run.input_tokens += input as f64;
                    run.output_tokens += output as f64;
                    let price = model.and_then(|model| self.tables.prices.of_model(model));
                    let cached = usage.cached_content_token_count.unwrap_or(0);
                    let charged = ChargedTokens { cached, ..ChargedTokens::uncached(input, output) };
                    let cost = price.map(|price| price.cost(&charged));
                    run.cost_usd = cost.map(|cost| cost + run.cost_usd.unwrap_or(0.0));
                }
                let mut record = self.record();
                record.from_before = run.from_before;
                (record.input_tokens, record.output_tokens) = (run.input_tokens, run.output_tokens);
                record.cost_usd = run.cost_usd;
            }
        }
    }

    fn end(&self, state: JobState, failure: Option<String>) {
        let stored = match state {
            JobState::Done => LabRunState::Done,
            JobState::Cancelled => LabRunState::Cancelled,
            JobState::Running | JobState::Failed => LabRunState::Failed,
        };
        self.record().failure.clone_from(&failure);
        let problem = self.save(stored);
        let mut run = self.run.shown();
        run.state = state;
        run.failure = failure.or(problem);
    }

    /// Stores how far it is. Returns what a person should know if it could not be stored as it is.
    fn save(&self, state: LabRunState) -> Option<String> {
        let record = self.record().clone();
        let json = |record: &RunRecord| serde_json::to_string(record).unwrap_or_else(|_| "{}".to_owned());
        let id = self.run.id;
        match self.workspace.store().set_lab_run(id, state, &json(&record), now_ms()) {
            Ok(_) => None,
            Err(StoreError::HoldsCredential { .. }) => {
                let note = "A summary holds what looks like an API key. The run is there until Strata is closed, and is \
                            stored without its summaries.";
                let bare = RunRecord { summaries: Vec::new(), failure: Some(note.to_owned()), ..record };
                self.workspace.store().set_lab_run(id, LabRunState::Failed, &json(&bare), now_ms()).ok();
                Some(note.to_owned())
            }
            Err(error) => {
                Some(format!("The run could not be stored: {error}. It is there until Strata is closed."))
            }
        }
    }
}

impl Handler for RunResult {
    fn run(self, strata: &Strata) -> Result<LabRun, AppError> {
        Ok(lab_run(strata, &self.run)?.shown().clone())
    }
}
