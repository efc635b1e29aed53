//! What `strata compact` does beside the report: says what a run would take, and lays its result over the session.

use serde::Serialize;
use strata_engine::Edit;
use strata_measure::lab::Replayed;
use strata_store::{ExperimentId, SessionId, Store};
use tokio::runtime::Handle;

use super::compact_choice::{CompactChoice, SummaryModel};
use super::diagnostic::FileDiagnostic;
use super::model_access::ModelAccess;
use super::source::{Source, Subject};
use super::{VERSION, Watch};
use crate::data_folder::default_database;
use crate::error::AppError;
use crate::import::now_ms;
use crate::lab::{TargetModel, read_config, size_basis, summary_size, with_billed};

/// The document of `strata compact --dry-run`.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CompactEstimate {
    pub version: u32,
    pub session: String,
    pub title: String,
    pub config: String,
    pub endpoint: String,
    /// Where the prompts would be sent.
    pub address: String,
    pub model: String,
    pub summaries: u32,
    /// Summaries that were paid for before, and are not asked for again.
    pub from_before: u32,
    pub input_tokens: u32,
    pub input_basis: &'static str,
    /// Who counted them: "counted by the server"; empty where nothing would be sent.
    pub input_said: String,
    /// What of them the server should find again: of what was sent to it from here, and of one another.
    pub cached_tokens: u32,
    pub cached_basis: &'static str,
    /// Seconds until the first token, by how fast this server was; absent as long as it was not asked.
    pub first_token_s: Option<f64>,
    pub output_tokens: u64,
    /// Where the size of summaries is from.
    pub output_basis: String,
    /// US dollars; null where the model has no price.
    pub cost: Option<f64>,
    /// With usual rates, one summary after the other.
    pub seconds: f64,
    /// Prompts that are longer than the model takes, and that are not sent.
    pub too_long: u32,
    /// The longest prompt with its answer that the model takes, where that is known.
    pub context_tokens: Option<u32>,
    /// Nobody is paid: the server runs on this computer.
    pub is_free: bool,
    pub diagnostics: Vec<FileDiagnostic>,
}

/// Says what a run with a model would take. Nothing is sent.
pub fn compact_estimate(
    source: &Source,
    session: Option<&str>,
    choice: &CompactChoice,
    watch: &dyn Watch,
    runtime: &Handle,
) -> Result<CompactEstimate, AppError> {
    let SummaryModel::Endpoint(name) = &choice.model else {
        let message = "Only a model costs anything: name one with --model, as in --model live.";
        return Err(AppError::bad_input(message));
    };
    let config = read_config(&choice.config, choice.prompt.as_deref())?;
    let (subject, diagnostics) = source.read_one(session, watch)?;
    let tables = source.tables()?;
    let compiled = subject.compiled(subject.n_calls(), &tables, watch)?;
    let access = ModelAccess::open(source.database.as_deref(), runtime)?;
    let found = access.find(name)?;
    let model = config.model.as_ref().map(ToString::to_string).or_else(|| found.model.clone());
    let (estimate, size) = with_billed(&subject.experiment, compiled.billed(), None, &tables, |lab| {
        let size = summary_size(lab, config.summary_tokens, &[]);
        let asked = TargetModel {
            found: &found,
            model: model.as_deref(),
            models: &access.models,
            store: access.store.as_ref(),
            counting: &tables.counting,
            prices: &tables.prices,
            stop: watch.stop(),
        };
        Ok::<_, AppError>((asked.estimate(lab, &config, size)?, size))
    })??;
    Ok(CompactEstimate {
        version: VERSION,
        session: subject.id,
        title: subject.title,
        config: config.to_string(),
        endpoint: found.server.name.clone(),
        address: found.server.shown_url(&found.server.api.answer_path(&estimate.model)),
        input_said: estimate.input_said(),
        model: estimate.model,
        summaries: estimate.summaries,
        from_before: estimate.from_before,
        input_tokens: estimate.input.tokens,
        input_basis: estimate.input.basis.name(),
        cached_tokens: estimate.cached.tokens,
        cached_basis: estimate.cached.basis.name(),
        first_token_s: estimate.first_token_s,
        output_tokens: estimate.output_tokens,
        output_basis: size_basis(size.basis, size.n_fitted),
        cost: estimate.cost_usd,
        seconds: estimate.seconds,
        too_long: estimate.too_long,
        context_tokens: estimate.context_tokens,
        is_free: estimate.is_free,
        diagnostics,
    })
}

/// The experiment that a result was laid over its session in.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AppliedReport {
    /// Its id, which stands wherever a session's does.
    pub experiment: String,
    pub name: String,
}

/// Makes an experiment of what a session went through: the edits over it, then the summaries.
pub(super) fn apply(
    source: &Source,
    subject: &Subject,
    replayed: &Replayed,
    name: &str,
) -> Result<AppliedReport, AppError> {
    if name.trim().is_empty() {
        return Err(AppError::bad_input("An experiment needs a name: --apply NAME."));
    }
    let database = source.database.clone().map_or_else(default_database, Ok)?;
    let mut store = Store::open(&database)?;
    let over = ExperimentId::parse(&subject.id).map(|id| store.experiment(id)).transpose()?.flatten();
    let session = over.map_or_else(|| SessionId::from(&*subject.id), |over| over.session);
    let edits: Vec<Edit> = subject.edits.iter().cloned().chain([replayed.edit()]).collect();
    let texts = edits.iter().map(serde_json::to_string).collect::<Result<Vec<String>, _>>();
    let texts = texts.map_err(|error| AppError::internal(error.to_string()))?;
    let made = store.create_experiment(&session, name.trim(), &texts, now_ms())?.ok_or_else(|| {
        AppError::bad_input(format!(
            "{} is not in the store, so there is nothing an experiment could be made over. `strata import` stores it; \
             then name it by its id.",
            source.name
        ))
    })?;
    Ok(AppliedReport { experiment: made.to_string(), name: name.trim().to_owned() })
}
