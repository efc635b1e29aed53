//! Sessions: lists, imports, the numbers at the top.

use std::path::{Path, PathBuf};
use strata_engine::FlowKind;
use strata_measure::analysis::{BillTotals, BilledCalls, CallCache};
use strata_measure::tokens::{self, Tokenizer};
use strata_model::Str;
use strata_store::{AppConfigOrigin, ExperimentId, SessionId};

use crate::Strata;
use crate::api::common::Basis;
use crate::api::session::{
    AgentSummary, AppInfo, CalibratedTotal, Header, Import, ImportUploads, JobStarted, List, Open, PriceInfo,
    Remove, Removed, ReportedUsage, ServiceInfo, SessionHeader, SessionPage, SetApp, SetModel, SetServices,
    TokenizerInfo, UnmappedRow, UploadedFile,
};
use crate::beside::{ServicePlaces, ServiceSource, not_of_adk};
use crate::command::Handler;
use crate::error::AppError;
use crate::import::{Input, now_ms};
use crate::models::Calibrations;
use crate::open::{AgentRows, OpenSession, choose_model, read_app, stored_app};
use crate::sample;
use crate::show::{context_window, explanations};
use crate::tables::Tables;
use crate::workspace::{SessionSource, session_row};

impl Handler for List {
    fn run(self, strata: &Strata) -> Result<SessionPage, AppError> {
        let rows = self.offset..self.offset.saturating_add(self.limit);
        let list = strata.workspace.store().sessions(&self.filter, rows)?;
        let row = |entry| session_row(entry, &strata.tables.prices);
        Ok(SessionPage { total: list.total, rows: list.entries.iter().map(row).collect() })
    }
}

impl Handler for Import {
    fn run(self, strata: &Strata) -> Result<JobStarted, AppError> {
        if self.paths.is_empty() {
            return Err(AppError::bad_input("No file was named."));
        }
        let inputs = self.paths.iter().map(|path| Input::named(Path::new(path)).map_err(AppError::from));
        let inputs = inputs.collect::<Result<_, AppError>>()?;
        Ok(JobStarted { job: strata.ingest.import(inputs, |_, _| ()) })
    }
}

impl Handler for ImportUploads {
    fn run(self, strata: &Strata) -> Result<JobStarted, AppError> {
        if self.uploads.is_empty() {
            return Err(AppError::bad_input("No file was named."));
        }
        let inputs = self.uploads.into_iter().map(|UploadedFile { upload, name }| {
            let path = strata.ingest.uploads.take(&upload);
            let path = path.ok_or_else(|| AppError::not_found(format!("{name} was already imported.")))?;
            Ok(Input::known_as(path, name))
        });
        let inputs: Vec<Input> = inputs.collect::<Result<_, AppError>>()?;
        let copies: Vec<PathBuf> = inputs.iter().map(|input| input.path.clone()).collect();
        let job = strata.ingest.import(inputs, move |_, _| {
            // Uploads were copies of ours; what is left of them goes when the app ends.
            for copy in copies {
                let _ = std::fs::remove_file(copy);
            }
        });
        Ok(JobStarted { job })
    }
}

impl Handler for Open {
    fn run(self, strata: &Strata) -> Result<SessionHeader, AppError> {
        let open = strata.sessions.get(&self.session)?;
        strata.workspace.store().mark_opened(&open.id, now_ms())?;
        header(strata, &open)
    }
}

impl Handler for Header {
    fn run(self, strata: &Strata) -> Result<SessionHeader, AppError> {
        header(strata, &*strata.sessions.get(&self.session)?)
    }
}

impl Handler for SetApp {
    fn run(self, strata: &Strata) -> Result<SessionHeader, AppError> {
        let id = recorded(&self.session, "Its app configuration is that of its session, with edits")?;
        match &self.path {
            Some(path) => {
                let path = PathBuf::from(path);
                let config = stored_app(&read_app(&path)?.app, &path);
                if !strata.workspace.store().set_app_config(&id, &config)? {
                    return Err(AppError::not_found("This session is no longer in the store."));
                }
            }
            None => {
                strata.workspace.store().remove_app_config(&id, AppConfigOrigin::Given)?;
            }
        }
        strata.sessions.close_with_experiments(&id);
        header(strata, &*strata.sessions.get(&self.session)?)
    }
}

fn recorded(session: &str, why: &str) -> Result<SessionId, AppError> {
    match ExperimentId::parse(session) {
        Some(_) => Err(AppError::bad_input(format!("This is an experiment. {why}."))),
        None => Ok(SessionId::from(session)),
    }
}

impl Handler for SetModel {
    fn run(self, strata: &Strata) -> Result<SessionHeader, AppError> {
        let id = recorded(&self.session, "Choose the model of its session")?;
        if let Some(model) = &self.model {
            // Refused before it is kept.
            strata.sessions.get(&self.session)?.app.clone().with_model(model, &strata.tables.prices)?;
        }
        choose_model(&mut strata.workspace.store(), &id, self.model.as_deref())?;
        strata.sessions.close_with_experiments(&id);
        header(strata, &*strata.sessions.get(&self.session)?)
    }
}

impl Handler for SetServices {
    fn run(self, strata: &Strata) -> Result<SessionHeader, AppError> {
        let id = recorded(&self.session, "Its files and its memory are those of its session")?;
        let places = ServicePlaces {
            artifacts: self.artifacts.map(PathBuf::from),
            memory: self.memory.map(PathBuf::from),
        };
        let open = strata.sessions.get(&self.session)?;
        if open.experiment.kind() != FlowKind::Adk {
            return Err(not_of_adk());
        }
        // Refused before it is kept.
        places.read(open.experiment.session(), None)?;
        places.choose(&mut strata.workspace.store(), &id)?;
        strata.sessions.close_with_experiments(&id);
        header(strata, &*strata.sessions.get(&self.session)?)
    }
}

fn service_info(source: &ServiceSource) -> ServiceInfo {
    ServiceInfo {
        path: source.path.display().to_string(),
        is_found: source.is_found,
        items: source.n_items as u32,
    }
}

impl Handler for Remove {
    fn run(self, strata: &Strata) -> Result<Removed, AppError> {
        let id = SessionId::from(&*self.session);
        let missing = || AppError::not_found("This session is no longer in the store.");
        let entry = strata.workspace.store().session_entry(&id)?.ok_or_else(missing)?;
        if entry.location == sample::LOCATION {
            return Err(AppError::bad_input("The sample comes with Strata and stays."));
        }
        super::follow::stop_for(strata, &entry)?;
        strata.workspace.store().delete_session(&id)?;
        strata.sessions.close_with_experiments(&id);
        strata.notifications.tell(&crate::api::job::Notification::Sessions);
        Ok(Removed { title: entry.title })
    }
}

pub(super) fn header(strata: &Strata, open: &OpenSession) -> Result<SessionHeader, AppError> {
    let tables = &strata.tables;
    let analysis = open.analysis();
    let calls = analysis.calls();
    let SessionSource { source, is_sample } = SessionSource::of(&open.entry);
    let caches = open.caches(&analysis, tables)?;
    let bill = caches.bill();
    let billed = BilledCalls { analysis: &analysis, caches: &caches };
    Ok(SessionHeader {
        session: open.key.clone(),
        experiment: open.edits.as_ref().map(|edits| super::experiment::row(&edits.entry)),
        title: open.entry.title.clone(),
        format: open.entry.format.clone(),
        source,
        is_sample,
        events: open.experiment.session().events.len() as u32,
        calls: open.experiment.calls().len() as u32,
        compiled_calls: calls.len() as u32,
        user_turns: open.summary.recorded().user_turns as u32,
        compactions: open.experiment.n_summaries_before(usize::MAX) as u32,
        agents: agents(open, billed, tables),
        bill: bill.into(),
        calibrated: calibrated(strata, billed),
        reported: reported(open, &bill),
        tokenizer: TokenizerInfo {
            basis: bill.counted_basis.into(),
            ..tokenizer(open, analysis.tokenizers())
        },
        prices: prices(caches.models(), tables),
        app: AppInfo {
            name: open.app.app.name.to_string(),
            is_adk: open.experiment.kind() == FlowKind::Adk,
            is_inferred: open.app.is_inferred,
            source: open.app.location.clone(),
            notes: open.app.notes.clone(),
            names_no_model: open.app.names_no_model,
            as_if: open.app.as_if.clone(),
            artifacts: open.services.artifacts.as_ref().map(service_info),
            memory: open.services.memory.as_ref().map(service_info),
        },
        diagnostics: open.diagnostics.clone(),
        unmapped: unmapped(open),
        peak_tokens: caches.largest().map_or(0, |call| call.bill.prompt_tokens),
        follow: super::follow::state(strata, &open.entry),
    })
}

/// The calls as their providers count, where all of them are known to be counted so or nearly so.
fn calibrated(strata: &Strata, BilledCalls { analysis, caches }: BilledCalls<'_>) -> Option<CalibratedTotal> {
    if caches.n_unreported() == 0 {
        return None;
    }
    let store = strata.workspace.store();
    let mut calibrations = Calibrations::new(&store);
    let mut total = CalibratedTotal { tokens: 0.0, low: 0.0, high: 0.0, calls: 0 };
    for CallCache { call, bill, .. } in &caches.calls {
        let count = if bill.basis < tokens::Basis::Exact {
            tokens::TokenCount::reported(bill.prompt_tokens)
        } else {
            calibrations.of_call(analysis.call(*call)?).inspect(|_| total.calls += 1)?
        };
        total.tokens += f64::from(count.tokens);
        total.low += f64::from(count.low);
        total.high += f64::from(count.high);
    }
    Some(total).filter(|total| total.calls > 0)
}

fn reported(open: &OpenSession, bill: &BillTotals) -> Option<ReportedUsage> {
    let usage = open.summary.numbers.reported_usage?;
    Some(ReportedUsage {
        input_tokens: usage.input_tokens as f64,
        cached_tokens: usage.cached_tokens as f64,
        cache_write_tokens: usage.cache_write_tokens as f64,
        output_tokens: usage.output_tokens as f64,
        calls: bill.reported_calls,
        caveat: open.summary.output_caveat.clone(),
    })
}

/// Agents that made calls or wrote events, in the order of their first event.
pub(super) fn agent_names(open: &OpenSession) -> Vec<Str> {
    agents_with_events(open).map(|agent| agent.name.clone()).collect()
}

fn agents_with_events(open: &OpenSession) -> impl Iterator<Item = &AgentRows> {
    let index = open.experiment.index();
    let agents = open.events().agents().iter();
    agents.filter(|agent| agent.n_calls > 0 || index.find(&agent.name).is_some())
}

fn agents(open: &OpenSession, billed: BilledCalls<'_>, tables: &Tables) -> Vec<AgentSummary> {
    let index = open.experiment.index();
    let summary = |AgentRows { name, n_events, n_calls }: &AgentRows| {
        let model = index.find(name).map(|agent| index.model(agent).name.to_string());
        AgentSummary {
            model: model.unwrap_or_default(),
            calls: *n_calls,
            events: *n_events,
            is_inferred: open.app.is_inferred,
            context_window: context_window(
                name,
                &open.summary.format,
                &open.experiment,
                billed,
                &tables.prices,
            ),
            name: name.to_string(),
        }
    };
    agents_with_events(open).map(summary).collect()
}

fn tokenizer<'t>(open: &OpenSession, tokenizers: impl Iterator<Item = &'t Tokenizer>) -> TokenizerInfo {
    let of_first = || {
        let call = open.experiment.calls().first();
        Tokenizer::of_model(call.and_then(|call| call.model.as_deref()).unwrap_or_default())
    };
    let mut known: Vec<Tokenizer> = tokenizers.cloned().collect();
    if known.is_empty() {
        known.push(of_first());
    }
    let mut vocabularies: Vec<&str> = Vec::new();
    for tokenizer in &known {
        let name = tokenizer.vocabulary().name();
        if !vocabularies.contains(&name) {
            vocabularies.push(name);
        }
    }
    let is_exact = known.iter().all(Tokenizer::is_known);
    TokenizerInfo {
        vocabulary: vocabularies.join(", "),
        basis: if is_exact { Basis::Exact } else { Basis::Estimated },
        explanation: explanations(&known).join(" "),
    }
}

fn prices(models: &[Str], tables: &Tables) -> Vec<PriceInfo> {
    let info = |model: &Str| {
        let price = tables.prices.of_model(model)?;
        Some(PriceInfo {
            model: model.to_string(),
            input: price.rates.input,
            cached_read: price.rates.cached_read,
            output: price.rates.output,
            source: if price.seen_on.is_empty() {
                price.source.clone()
            } else {
                format!("{}, seen on {}", price.source, price.seen_on)
            },
        })
    };
    models.iter().filter_map(info).collect()
}

fn unmapped(open: &OpenSession) -> Vec<UnmappedRow> {
    let rows = open.summary.unmapped.iter();
    rows.map(|(name, count)| UnmappedRow { name: name.clone(), count: *count as u32 }).collect()
}
