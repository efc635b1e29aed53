//! Compaction run with a model, as a job.

use std::sync::{Arc, Mutex, PoisonError};

use strata_engine::turn::compaction::CompactionConfig;
use strata_measure::lab::{Extractive, FactReader, Writer};
use strata_measure::prices::ChargedTokens;
use strata_measure::tokens::Weigher;
use strata_store::{LabRunId, LabRunState, StoreError};
use tokio_util::sync::CancellationToken;

use super::lab_parts::LabParts;
use super::lab_runs::{lab_run, stored_run};
use crate::Strata;
use crate::api::job::JobState;
use crate::api::lab::{LabPartial, LabRun, Resume, Run, RunResult};
use crate::api::lab_prediction::LabPrompts;
use crate::api::session::JobStarted;
use crate::command::Handler;
use crate::error::AppError;
use crate::import::now_ms;
use crate::jobs::JobOutcome;
use crate::lab::{
    ObservedWriter, Pace, RunRecord, RunSettings, RunState, StoredSummary, Telling, read_config,
    replay_shape, summary_size, with_lab,
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
        start_run(strata, &entry.subject, &settings, Some((id, &entry.result)))
    }
}

/// Starts a run, or goes on with the one of this id.
fn start_run(
    strata: &Strata,
    session: &str,
    settings: &RunSettings,
    known: Option<(LabRunId, &str)>,
) -> Result<JobStarted, AppError> {
    let work = prepare_run(&LabParts::of(strata), session, settings, known)?;
    let run = work.run.clone();
    let title = format!("Compacting with {}", work.config);
    let job = strata.jobs.start(title, "summaries", move |job| {
        let progress = |done, total| job.progress_part(done, total);
        let (state, outcome) = work.go(&RunWatch { stop: job.stop(), progress: &progress });
        JobOutcome::saying(state, outcome)
    });
    run.shown().job.clone_from(&job);
    strata.lab.keep_run(&job, run);
    Ok(JobStarted { job })
}

/// Everything a run takes, with its place in the store: a new one, or that of a run with what was stored of it.
pub(super) fn prepare_run(
    parts: &LabParts,
    session: &str,
    settings: &RunSettings,
    known: Option<(LabRunId, &str)>,
) -> Result<Work, AppError> {
    let config = read_config(&settings.config, settings.prompt.as_deref())?;
    let open = parts.sessions.get(session)?;
    super::lab::last_call(&open)?;
    let found = match &*settings.writer {
        "extractive" => None,
        name => Some(parts.find(name)?),
    };
    let model = settings.model.clone().or_else(|| config.model.as_ref().map(ToString::to_string));
    let model = model.or_else(|| found.as_ref()?.model.clone());
    // Whoever reads of the run is told whom it asked.
    let settings = RunSettings { model: model.clone(), ..settings.clone() };
    let text = text(&settings)?;
    let id = match known {
        Some((id, stored)) => {
            // From now on it runs, for whoever looks at the list.
            parts.workspace.store().set_lab_run(id, LabRunState::Running, stored, now_ms())?;
            id
        }
        None => {
            let begun = parts.workspace.store().begin_lab_run(&open.id, session, &text, now_ms())?;
            begun.ok_or_else(|| AppError::not_found("This session is no longer in the store."))?
        }
    };
    let run = Arc::new(RunState::new(id, session, &config, &settings));
    Ok(Work {
        open,
        config,
        found,
        model,
        run,
        record: Mutex::default(),
        pace: Mutex::default(),
        workspace: parts.workspace.clone(),
        tables: parts.tables.clone(),
        models: parts.models.clone(),
    })
}

fn text(settings: &RunSettings) -> Result<String, AppError> {
    serde_json::to_string(settings).map_err(|error| AppError::internal(error.to_string()))
}

/// Who hears how far a run is, and what stops it.
pub(super) struct RunWatch<'w> {
    pub stop: &'w CancellationToken,
    /// So many summaries of so many, the one under way in part.
    pub progress: &'w (dyn Fn(f64, f64) + Sync),
}

/// A run under way.
pub(super) struct Work {
    open: Arc<OpenSession>,
    config: CompactionConfig,
    /// `None`: extracts.
    found: Option<UsableEndpoint>,
    model: Option<String>,
    pub run: Arc<RunState>,
    record: Mutex<RunRecord>,
    pace: Mutex<Pace>,
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
    pub(super) fn record(&self) -> std::sync::MutexGuard<'_, RunRecord> {
        self.record.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs to the end, and stores what came of it. Returns that in one line.
    pub(super) fn go(&self, watch: &RunWatch<'_>) -> (JobState, String) {
        let (state, outcome) = match self.compact(watch) {
            Ok(outcome) => (JobState::Done, outcome),
            Err(error) => {
                let is_cancelled = watch.stop.is_cancelled();
                (if is_cancelled { JobState::Cancelled } else { JobState::Failed }, error.message)
            }
        };
        let failure = (state != JobState::Done).then(|| outcome.clone());
        self.end(state, failure);
        (state, outcome)
    }

    fn compact(&self, watch: &RunWatch<'_>) -> Result<String, AppError> {
        let open = &self.open;
        let analysis = open.whole_baseline(&self.tables)?;
        with_lab(&analysis, &self.tables, |lab| {
            let reader = FactReader::new();
            // How many summaries there will be is known from a replay with sizes alone.
            let size = summary_size(lab, self.config.summary_tokens, &[]);
            let mut sized = strata_measure::lab::SizedWriter::new(size);
            let planned = lab.replay(&self.config, &mut sized).map(|plan| plan.windows).unwrap_or_default();
            let expected = planned.len() as u32;
            (watch.progress)(0.0, expected.into());
            self.record().expected = expected;
            self.run.shown().expected = expected;
            let usual = planned.iter().map(|window| f64::from(window.summary_tokens)).sum::<f64>();
            *self.pace() = Pace::new(expected, usual / f64::from(expected.max(1)));
            let known = match (&self.found, &self.model) {
                (Some(found), Some(model)) => {
                    Some(self.models.knowledge(found, model, &self.tables.prices)?)
                }
                _ => None,
            };
            let is_free = known.is_some_and(|known| known.is_free);
            let mut tell = |event: WriterEvent| {
                let done = self.tell(is_free, event);
                (watch.progress)(done, f64::from(expected).max(done));
            };
            let mut extracts = Extractive { reader: &reader };
            let mut asks;
            let writer: &mut dyn Writer = match &self.found {
                None => &mut extracts,
                Some(found) => {
                    let asker = Asker {
                        found,
                        models: &self.models,
                        store: Some(self.workspace.store_lock()),
                        counting: &self.tables.counting,
                        prices: &self.tables.prices,
                        stop: watch.stop.clone(),
                    };
                    let model = self.model.clone();
                    asks = ModelWriter { asker, model, keeps_beginnings: true, tell: &mut tell };
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
            self.record().regret = Some(replay.n_regret);
            self.record().bill = Some(replay.bill);
            self.run.finish(replayed, telling, replay);
            let written = self.run.shown().written;
            Ok(format!(
                "{used} of {written} summaries can be laid over the session; {} facts dropped.",
                lost.dropped
            ))
        })?
    }

    fn pace(&self) -> std::sync::MutexGuard<'_, Pace> {
        self.pace.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes what happens. Returns how many summaries are written, with the part of the one that is being written.
    fn tell(&self, is_free: bool, event: WriterEvent) -> f64 {
        let mut run = self.run.shown();
        let mut pace = self.pace();
        let tokens = |text: &str| {
            let tokenizer = self.tables.counting.tokenizer(self.model.as_deref().unwrap_or_default());
            Weigher::new(&tokenizer, &self.tables.counting.memo).text(text).tokens
        };
        match event {
            WriterEvent::Begins(number) => {
                pace.begins();
                run.streaming = format!("Summary {number}: ");
                run.partial = None;
            }
            WriterEvent::Waiting(why) => run.streaming += &format!("\n({why})\n"),
            WriterEvent::Text(text) => {
                pace.came(tokens(&text));
                if run.streaming.len() < SHOWN {
                    run.streaming += &text;
                }
            }
            WriterEvent::Thought(text) => pace.came(tokens(&text)),
            WriterEvent::Broken { number, text } => {
                let partial = LabPartial { number: number as u32, text };
                self.record().partial = Some(partial.clone());
                run.partial = Some(partial);
            }
            WriterEvent::Written { usage, foresight, is_from_before } => {
                pace.written(is_from_before);
                run.streaming.clear();
                run.written += 1;
                if is_from_before {
                    run.from_before += 1;
                } else if let Some(usage) = usage {
                    let input = usage.prompt_token_count.unwrap_or(0);
                    let output = usage.output_tokens().unwrap_or(0);
                    run.input_tokens += input as f64;
                    run.output_tokens += output as f64;
                    let price = self.model.as_deref().and_then(|model| self.tables.prices.of_model(model));
                    let cached = usage.cached_content_token_count.unwrap_or(0);
                    let charged = ChargedTokens { cached, ..ChargedTokens::uncached(input, output) };
                    let cost = if is_free { Some(0.0) } else { price.map(|price| price.cost(&charged)) };
                    run.cost_usd = cost.map(|cost| cost + run.cost_usd.unwrap_or(0.0));
                    if let Some(foresight) = foresight {
                        run.prompts = LabPrompts::plus(run.prompts, foresight, &usage);
                    }
                }
                let mut record = self.record();
                record.from_before = run.from_before;
                (record.input_tokens, record.output_tokens) = (run.input_tokens, run.output_tokens);
                (record.cost_usd, record.prompts) = (run.cost_usd, run.prompts);
            }
        }
        run.streamed_tokens = pace.streamed;
        run.tokens_per_s = pace.tokens_per_s();
        run.seconds_left = pace.seconds_left();
        pace.done()
    }

    fn end(&self, state: JobState, failure: Option<String>) {
        let stored = match state {
            JobState::Done => LabRunState::Done,
            JobState::Cancelled => LabRunState::Cancelled,
            JobState::Running | JobState::Failed => LabRunState::Failed,
        };
        self.record().failure.clone_from(&failure);
        self.record().seconds = self.pace().begun.map(|begun| begun.elapsed().as_secs_f64());
        let problem = self.save(stored);
        let seconds = self.pace().begun.map(|begun| begun.elapsed().as_secs_f64());
        let mut run = self.run.shown();
        run.state = state;
        (run.tokens_per_s, run.seconds_left, run.streamed_tokens) = (None, None, 0);
        run.seconds = seconds;
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
