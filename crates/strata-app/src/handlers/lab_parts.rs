//! The parts of the app that runs of the Lab take, for jobs too, and runs as they are stored.

use std::sync::Arc;

use strata_engine::turn::compaction::CompactionConfig;
use strata_measure::lab::SummarySize;
use strata_store::{LabRunEntry, LabRunId, LabRunState};
use tokio_util::sync::CancellationToken;

use crate::Strata;
use crate::api::job::JobState;
use crate::error::AppError;
use crate::lab::{
    BatchSettings, Estimate, LabResults, RunRecord, RunSettings, RunState, StoredWriter, TargetModel,
    Telling, read_config, replay_shape, summary_size, with_lab,
};
use crate::models::{Models, UsableEndpoint, custom_endpoints};
use crate::sessions::Sessions;
use crate::tables::Tables;
use crate::workspace::Workspace;

/// Why a run is not done that nobody works on.
const INTERRUPTED: &str =
    "Strata was closed while it went on. What was written is kept; resume it to go on from there.";

#[derive(Clone)]
pub(super) struct LabParts {
    pub sessions: Arc<Sessions>,
    pub workspace: Arc<Workspace>,
    pub tables: Arc<Tables>,
    pub models: Arc<Models>,
    pub lab: Arc<LabResults>,
}

impl LabParts {
    pub(super) fn of(strata: &Strata) -> Self {
        Self {
            sessions: strata.sessions.clone(),
            workspace: strata.workspace.clone(),
            tables: strata.tables.clone(),
            models: strata.models.clone(),
            lab: strata.lab.clone(),
        }
    }

    /// The endpoint of this name.
    pub(super) fn find(&self, name: &str) -> Result<UsableEndpoint, AppError> {
        let custom = custom_endpoints(&self.workspace.store()).unwrap_or_default();
        self.models.find(name, &custom)
    }

    /// What was asked for, what came of it, and how far it is.
    pub(super) fn read(&self, entry: &LabRunEntry) -> Result<(RunSettings, RunRecord, JobState), AppError> {
        let settings = serde_json::from_str(&entry.settings).map_err(|error| unreadable(&error))?;
        let mut record: RunRecord =
            serde_json::from_str(&entry.result).map_err(|error| unreadable(&error))?;
        if let Some(running) = self.lab.running(&entry.id.to_string()) {
            // What is shown of it is newer than what is stored.
            let shown = running.shown();
            (record.expected, record.cost_usd, record.failure) = (shown.expected, shown.cost_usd, None);
            return Ok((settings, record, JobState::Running));
        }
        let state = ended_state(entry.state);
        if entry.state == LabRunState::Running {
            record.failure = Some(INTERRUPTED.to_owned());
        }
        Ok((settings, record, state))
    }

    pub(super) fn stored(&self, run: &str) -> Result<(LabRunId, LabRunEntry), AppError> {
        let missing = || AppError::not_found("This run is no longer known. Run the setting again.");
        let id = LabRunId::parse(run).ok_or_else(missing)?;
        let entry = self.workspace.store().lab_run(id)?;
        Ok((id, entry.filter(|entry| !is_batch(entry)).ok_or_else(missing)?))
    }

    /// A run of this id, or of the job with this id. One that was stored is gone through again with the summaries it
    /// had.
    pub(super) fn run(&self, run: &str) -> Result<Arc<RunState>, AppError> {
        if let Some(known) = self.lab.run(run) {
            return Ok(known);
        }
        let (id, entry) = self.stored(run)?;
        let (settings, record, state) = self.read(&entry)?;
        let config = read_config(&settings.config, settings.prompt.as_deref())?;
        let restored = Arc::new(RunState::restored(id, &entry.subject, (&config, &settings), &record, state));
        if state == JobState::Done {
            let open = self.sessions.get(&entry.subject)?;
            let analysis = open.whole_baseline(&self.tables)?;
            with_lab(&analysis, &self.tables, |lab| {
                let mut again = StoredWriter { summaries: record.summaries.into_iter() };
                let replayed = lab.replay(&config, &mut again).map_err(|stop| AppError::bad_input(stop.0))?;
                let telling = Telling::of(&open.experiment, &replayed);
                let replay = replay_shape(lab, &replayed, Some(&telling), open.writer());
                restored.finish(replayed, telling, replay);
                Ok::<(), AppError>(())
            })??;
        }
        self.lab.keep_run(run, restored.clone());
        Ok(restored)
    }

    /// What a run with a model would take, and the size that summaries are taken to have. Nothing is sent.
    pub(super) fn estimate(
        &self,
        session: &str,
        config: &CompactionConfig,
        (found, model): (&UsableEndpoint, Option<String>),
        stop: &CancellationToken,
    ) -> Result<(Estimate, SummarySize), AppError> {
        let open = self.sessions.get(session)?;
        let analysis = open.whole_baseline(&self.tables)?;
        let model =
            model.or_else(|| config.model.as_ref().map(ToString::to_string)).or_else(|| found.model.clone());
        with_lab(&analysis, &self.tables, |lab| {
            let size = summary_size(lab, config.summary_tokens, &self.lab.sizes(session));
            let asked = TargetModel {
                found,
                model: model.as_deref(),
                models: &self.models,
                store: Some(self.workspace.store_lock()),
                counting: &self.tables.counting,
                prices: &self.tables.prices,
                stop,
            };
            Ok((asked.estimate(lab, config, size)?, size))
        })?
    }
}

/// Batches are stored among the runs, and are none.
pub(super) fn is_batch(entry: &LabRunEntry) -> bool {
    serde_json::from_str::<BatchSettings>(&entry.settings).is_ok()
}

/// How something ended that nobody works on: what was going on when the program ended has failed.
pub(super) fn ended_state(state: LabRunState) -> JobState {
    match state {
        LabRunState::Running | LabRunState::Failed => JobState::Failed,
        LabRunState::Done => JobState::Done,
        LabRunState::Cancelled => JobState::Cancelled,
    }
}

fn unreadable(error: &serde_json::Error) -> AppError {
    AppError::internal(format!("A stored run cannot be read: {error}."))
}
