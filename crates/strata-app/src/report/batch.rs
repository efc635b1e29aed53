//! `strata batch`: several configurations run with several models.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;
use tokio::runtime::Handle;

use super::source::Source;
use super::{VERSION, Watch};
use crate::api::app::Start;
use crate::api::job::JobState;
use crate::api::lab_batch::{
    BatchBudget, BatchChoice, BatchModel, BatchPlan, BatchProbes, BatchResult, Batches, LabBatch, PlanBatch,
    ResumeBatch, StartBatch,
};
use crate::command::Handler as _;
use crate::data_folder::default_database;
use crate::error::AppError;
use crate::watch::Step;
use crate::{Host, Options, Strata, sample};

/// How often a batch is looked at.
const LOOK: Duration = Duration::from_millis(50);

/// What `strata batch` is asked.
#[derive(Debug, Clone)]
pub struct BatchAsked {
    /// A session in the store, a file that is imported into it, or `sample`.
    pub session: String,
    pub database: Option<PathBuf>,
    pub configs: Vec<String>,
    /// `extractive`, an endpoint, or `ENDPOINT/MODEL`.
    pub models: Vec<String>,
    pub prompt: Option<String>,
    pub usd: Option<f64>,
    pub tokens: Option<f64>,
    /// Questions about every run, and who answers them, named as the models are.
    pub probes: Option<(u32, String)>,
}

/// The document of `strata batch --dry-run`.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct BatchPlanReport {
    pub version: u32,
    pub session: String,
    #[serde(flatten)]
    pub plan: BatchPlan,
}

/// The document of `strata batch`.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct BatchReport {
    pub version: u32,
    #[serde(flatten)]
    pub batch: LabBatch,
}

impl BatchReport {
    pub fn has_failed(&self) -> bool {
        self.batch.state == JobState::Failed
    }
}

struct Opened {
    strata: Arc<Strata>,
    choice: BatchChoice,
}

impl BatchAsked {
    fn open(&self, watch: &dyn Watch, runtime: &Handle) -> Result<Opened, AppError> {
        let database = self.database.clone().map_or_else(default_database, Ok)?;
        let is_sample = self.session == sample::NAME;
        let id = if is_sample {
            None
        } else {
            let source =
                Source { name: self.session.clone(), database: self.database.clone(), ..Source::default() };
            Some(source.read_one(None, watch)?.0.id)
        };
        let options = Options {
            host: Host::Desktop,
            database: Some(database),
            open: Vec::new(),
            runtime: runtime.clone(),
        };
        let strata = Strata::start(options)?;
        let session = match id {
            Some(id) => id,
            None => Start {}.run(&strata)?.sample_session,
        };
        strata.sessions.get(&session).map_err(|error| AppError {
            detail: Some("`strata import` stores a session; a batch is stored beside it.".to_owned()),
            ..error
        })?;
        let models = self.models.iter().map(|named| named_model(named)).collect();
        let probes = self.probes.as_ref().map(|(questions, named)| {
            let BatchModel { writer, model } = named_model(named);
            BatchProbes { questions: *questions, writer, model }
        });
        let choice = BatchChoice {
            session,
            configs: self.configs.clone(),
            models,
            prompt: self.prompt.clone(),
            budget: BatchBudget { usd: self.usd, tokens: self.tokens },
            probes,
        };
        Ok(Opened { strata, choice })
    }
}

/// `ENDPOINT` or `ENDPOINT/MODEL`.
fn named_model(named: &str) -> BatchModel {
    match named.split_once('/') {
        Some((writer, model)) => BatchModel { writer: writer.to_owned(), model: Some(model.to_owned()) },
        None => BatchModel { writer: named.to_owned(), model: None },
    }
}

impl Opened {
    fn plan(&self) -> Result<BatchPlan, AppError> {
        PlanBatch { choice: self.choice.clone() }.run(&self.strata)
    }

    /// The newest batch of the same cells, where some of them have no result.
    fn unfinished(&self) -> Result<Option<String>, AppError> {
        let cells: Vec<_> =
            self.plan()?.cells.into_iter().map(|cell| (cell.config, cell.writer, cell.model)).collect();
        let batches = Batches { session: self.choice.session.clone() }.run(&self.strata)?.rows;
        for row in batches.into_iter().filter(|row| row.session == self.choice.session) {
            let batch = BatchResult { batch: row.batch.clone() }.run(&self.strata)?;
            let of_batch = batch.cells.into_iter().map(|cell| (cell.config, cell.writer, cell.model));
            if of_batch.eq(cells.iter().cloned())
                && (&batch.prompt, &batch.probes) == (&self.choice.prompt, &self.choice.probes)
            {
                return Ok(batch.can_resume.then_some(row.batch));
            }
        }
        Ok(None)
    }
}

/// Says what a batch would take. Nothing is sent.
pub fn batch_plan(
    asked: &BatchAsked,
    watch: &dyn Watch,
    runtime: &Handle,
) -> Result<BatchPlanReport, AppError> {
    let opened = asked.open(watch, runtime)?;
    let plan = opened.plan()?;
    Ok(BatchPlanReport { version: VERSION, session: opened.choice.session, plan })
}

/// Runs a batch, or goes on with one of the same cells that was stopped. `tell` hears of it whenever a cell has changed.
pub fn batch(
    asked: &BatchAsked,
    watch: &dyn Watch,
    tell: &mut dyn FnMut(&LabBatch),
    runtime: &Handle,
) -> Result<BatchReport, AppError> {
    let opened = asked.open(watch, runtime)?;
    let strata = &opened.strata;
    watch.begins(Step::Comparing);
    let started = match opened.unfinished()? {
        Some(batch) => ResumeBatch { batch, budget: Some(opened.choice.budget) }.run(strata)?,
        None => StartBatch { choice: opened.choice.clone() }.run(strata)?,
    };
    let mut told = None;
    loop {
        let batch = BatchResult { batch: started.batch.clone() }.run(strata)?;
        let states: Vec<_> = batch.cells.iter().map(|cell| cell.state).collect();
        if told.as_ref() != Some(&states) {
            tell(&batch);
            told = Some(states);
        }
        let job = strata.jobs.all().into_iter().find(|job| job.job == started.job);
        if batch.job.is_none() && job.as_ref().is_none_or(|job| job.state != JobState::Running) {
            return Ok(BatchReport { version: VERSION, batch });
        }
        if let Some(job) = job {
            watch.progress((job.done * 100.0) as u64, (job.total * 100.0) as u64);
        }
        if watch.is_cancelled() {
            strata.jobs.cancel(&started.job);
        }
        std::thread::sleep(LOOK);
    }
}
