//! `strata compact`: one configuration of compaction gone through, with what its summaries lose.

use serde::Serialize;
use strata_engine::turn::compaction::CompactionConfig;
use strata_measure::lab::{
    Assumptions, Extractive, FactReader, Lab, LossReport, Replayed, SizedWriter, Verdict, WindowPlan, Writer,
    survival,
};
use tokio::runtime::Handle;

use super::app::AppReport;
use super::compact_choice::{CompactChoice, SummaryModel};
use super::compact_result::{AppliedReport, apply};
use super::diagnostic::FileDiagnostic;
use super::model_access::ModelAccess;
use super::source::Source;
use super::sweep::BillReport;
use super::{VERSION, Watch};
use crate::error::AppError;
use crate::lab::{losses, lost_facts, read_config, run_window, summary_size, with_billed};
use crate::models::{ModelWriter, WriterEvent};
use crate::tables::Tables;
use crate::watch::Step;

/// The document of `strata compact`.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CompactReport {
    pub version: u32,
    pub session: String,
    /// Of the session.
    pub title: String,
    pub app: AppReport,
    pub config: String,
    pub windows: Vec<WindowReport>,
    pub totals: CompactTotals,
    /// Absent where it was not to be laid over the session.
    pub applied: Option<AppliedReport>,
    pub diagnostics: Vec<FileDiagnostic>,
}

/// A summary that is due.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct WindowReport {
    /// The first call that can see it; absent after the last call.
    pub at_call: Option<u32>,
    /// Numbers of the first and the last event.
    pub events: [u32; 2],
    pub tokens_before: u32,
    pub tokens_after: u32,
    pub summary: String,
    pub summarizer: String,
    /// The trigger, with what it went by.
    pub trigger: &'static str,
    pub prompt_tokens: Option<u64>,
    /// The window whose summary is summarised again, by its place.
    pub seed: Option<usize>,
    /// Why it is not used.
    pub blocked: Option<String>,
    /// Absent where nothing was written.
    pub loss: Option<WindowLoss>,
}

/// What a summary no longer tells.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct WindowLoss {
    pub kept: u32,
    pub paraphrased: u32,
    pub dropped: u32,
    /// The share of what was lost, by weight.
    pub lost_share: f64,
    pub items: Vec<LossItemReport>,
}

/// A fact of a window.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct LossItemReport {
    pub kind: &'static str,
    pub text: String,
    pub verdict: &'static str,
    /// The number of the event that states it.
    pub event: u32,
    pub used_later: u32,
}

/// Sums.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CompactTotals {
    #[serde(flatten)]
    pub bill: BillReport,
    /// Without any summary.
    pub baseline: BillReport,
    /// As it was recorded.
    pub recorded: BillReport,
    pub kept: u32,
    pub paraphrased: u32,
    pub dropped: u32,
    /// Facts of all windows that some summary still tells at the end, and all of them.
    pub facts_alive: u32,
    pub facts: u32,
    pub summary_input_tokens: u64,
    pub summary_output_tokens: u64,
}

/// Goes through a source's only session, or the one called `session`.
pub fn compact(
    source: &Source,
    session: Option<&str>,
    choice: &CompactChoice,
    watch: &dyn Watch,
    runtime: &Handle,
) -> Result<CompactReport, AppError> {
    let config = read_config(&choice.config, choice.prompt.as_deref())?;
    if choice.apply.is_some() && choice.model == SummaryModel::Sized {
        let message = "With --model sized nobody writes summaries, so there are none to apply. Take extractive or a model.";
        return Err(AppError::bad_input(message));
    }
    let (subject, diagnostics) = source.read_one(session, watch)?;
    let tables = Tables::default();
    let compiled = subject.compiled(subject.n_calls(), &tables, watch)?;
    watch.begins(Step::Compacting(&subject.title));
    let reader = FactReader::new();
    let (replayed, totals) = with_billed(&subject.experiment, compiled.billed(), &tables, |lab| {
        let mut extracts = Extractive { reader: &reader };
        let mut sized = SizedWriter::new(summary_size(lab, config.summary_tokens, &[]));
        let replayed = match &choice.model {
            SummaryModel::Extractive => replay(lab, &config, &mut extracts),
            SummaryModel::Sized => replay(lab, &config, &mut sized),
            SummaryModel::Endpoint(name) => {
                let total = replay(lab, &config, &mut sized)?.windows.len() as u64;
                let access = ModelAccess::open(source.database.as_deref(), runtime)?;
                let found = access.find(name).map_err(|error| access.with_hint(error))?;
                watch.begins(Step::Asking(name));
                let mut done = 0;
                let mut tell = |event| {
                    done += u64::from(matches!(event, WriterEvent::Written { .. }));
                    watch.progress(done, total.max(1));
                };
                let mut writer = ModelWriter {
                    asker: access.asker(&found, &tables.counting, watch.stop()),
                    model: config.model.as_ref().map(ToString::to_string).or_else(|| found.model.clone()),
                    tell: &mut tell,
                };
                replay(lab, &config, &mut writer).map_err(|error| access.with_hint(error))
            }
        }?;
        let assumptions = Assumptions::default();
        let bill = lab.bill(&replayed, assumptions);
        let totals = CompactTotals {
            bill: (&bill).into(),
            baseline: (&lab.bill(&lab.unchanged(), assumptions)).into(),
            recorded: (&lab.bill(&lab.recorded(), assumptions)).into(),
            kept: 0,
            paraphrased: 0,
            dropped: 0,
            facts_alive: 0,
            facts: 0,
            summary_input_tokens: bill.summaries.input_tokens,
            summary_output_tokens: bill.summaries.output_tokens,
        };
        Ok::<_, AppError>((replayed, totals))
    })??;
    let is_told = choice.model != SummaryModel::Sized;
    let losses = if is_told { losses(&subject.experiment, &replayed) } else { Vec::new() };
    let last = if is_told { survival(&reader, &replayed, subject.experiment.log()).pop() } else { None };
    let lost = lost_facts(&losses);
    let applied = choice.apply.as_deref().map(|name| apply(source, &subject, &replayed, name)).transpose()?;
    Ok(CompactReport {
        version: VERSION,
        session: subject.id.clone(),
        title: subject.title.clone(),
        app: (&subject.app).into(),
        config: config.to_string(),
        windows: windows(&replayed, &losses),
        totals: CompactTotals {
            kept: lost.kept,
            paraphrased: lost.paraphrased,
            dropped: lost.dropped,
            facts_alive: last.map_or(0, |last| last.alive),
            facts: last.map_or(0, |last| last.facts),
            ..totals
        },
        applied,
        diagnostics,
    })
}

fn replay(lab: &Lab<'_>, config: &CompactionConfig, writer: &mut dyn Writer) -> Result<Replayed, AppError> {
    lab.replay(config, writer).map_err(|stop| AppError::bad_input(stop.0))
}

fn windows(replayed: &Replayed, losses: &[Option<LossReport>]) -> Vec<WindowReport> {
    let windows = replayed.windows.iter().enumerate();
    windows.map(|(at, window)| window_report(window, losses.get(at).and_then(Option::as_ref))).collect()
}

fn window_report(window: &WindowPlan, loss: Option<&LossReport>) -> WindowReport {
    let shown = run_window(window, loss);
    let number = |event: Option<&strata_model::EventIndex>| event.map_or(0, |event| event.number());
    WindowReport {
        at_call: shown.at_call,
        events: [number(window.events.first()), number(window.events.last())],
        tokens_before: window.source_tokens,
        tokens_after: window.summary_tokens,
        summary: shown.summary,
        summarizer: shown.summarizer,
        trigger: match window.trigger {
            strata_engine::turn::compaction::Trigger::TokenThreshold => "token_threshold",
            strata_engine::turn::compaction::Trigger::SlidingWindow => "sliding_window",
            strata_engine::turn::compaction::Trigger::PromptLimit => "prompt_limit",
        },
        prompt_tokens: window.prompt_tokens,
        seed: window.seed,
        blocked: shown.blocked,
        loss: loss.map(loss_report),
    }
}

fn loss_report(loss: &LossReport) -> WindowLoss {
    WindowLoss {
        kept: loss.kept,
        paraphrased: loss.paraphrased,
        dropped: loss.dropped,
        lost_share: (loss.lost_share * 1000.0).round() / 1000.0,
        items: loss
            .items
            .iter()
            .map(|item| LossItemReport {
                kind: item.fact.kind.name(),
                text: item.fact.text.clone(),
                verdict: Verdict::name(item.verdict),
                event: item.fact.event.number(),
                used_later: item.used_later,
            })
            .collect(),
    }
}
