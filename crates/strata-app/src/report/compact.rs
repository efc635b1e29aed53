//! `strata compact`: one configuration of compaction gone through, with what its summaries lose.

use serde::Serialize;
use strata_engine::EventLog;
use strata_engine::turn::compaction::CompactionConfig;
use strata_measure::lab::{
    Assumptions, Extractive, FactReader, Lab, Regret, Replayed, SizedWriter, Told, Verdict, WindowLoss,
    WindowPlan, Writer,
};
use strata_measure::tokens::Weigher;
use tokio::runtime::Handle;

use super::app::AppReport;
use super::compact_choice::{CompactChoice, SummaryModel};
use super::compact_result::{AppliedReport, apply};
use super::diagnostic::FileDiagnostic;
use super::model_access::ModelAccess;
use super::opened::OpenedSession;
use super::source::Source;
use super::sweep::BillReport;
use super::{VERSION, Watch};
use crate::api::lab_prediction::LabPrompts;
use crate::error::AppError;
use crate::lab::{Pace, Telling, read_config, run_window, summary_size, with_billed};
use crate::models::{ModelWriter, WriterEvent};
use crate::show::lab_words;
use crate::watch::{Step, Writing};

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
    /// What later answers used of that which is summarised away, in the order of the calls.
    pub regret: Vec<RegretReport>,
    /// The summaries are not written: it is the most that can be regretted.
    pub is_regret_bound: bool,
    /// The same in a sentence.
    pub regret_said: String,
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
    /// How much of it can be read, and what never reaches a summariser, in sentences.
    pub said: String,
    /// Absent where nothing was written.
    pub loss: Option<WindowLossReport>,
}

/// How much of what was summarised can be read.
#[derive(Debug, Clone, Copy, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ToldReport {
    pub facts: u32,
    /// As they were, or in other words.
    pub facts_told: u32,
    /// Of tables in the results of tools.
    pub rows: u32,
    pub rows_told: u32,
    /// Names, ids and numbers in the results of tools, each once.
    pub values: u32,
    pub values_told: u32,
    /// Of the events, as google-adk's summariser spells them.
    pub characters: u64,
    /// Of these, the ones that it cuts off.
    pub unread_characters: u64,
    /// Calls and results that it cuts.
    pub n_cut: u32,
}

/// A value that was summarised away and used later.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RegretReport {
    pub value: String,
    /// The number of the newest event that held it.
    pub event: u32,
    /// The window that event went with, by its place; absent where a result was cleared.
    pub window: Option<usize>,
    /// The call whose answer used it, by number.
    pub call: u32,
    /// The tool in whose arguments it stands; absent: in the answer's text.
    pub tool: Option<String>,
}

/// What a summary no longer tells.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct WindowLossReport {
    pub told: ToldReport,
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
    /// What it is compared with: the recording, with its own summaries paid for.
    pub baseline: BillReport,
    /// The same.
    pub recorded: BillReport,
    /// Without any summary.
    pub unchanged: BillReport,
    pub kept: u32,
    pub paraphrased: u32,
    pub dropped: u32,
    /// Facts of all windows that some summary still tells at the end, and all of them.
    pub facts_alive: u32,
    pub facts: u32,
    /// What can be read at the end of everything that is summarised; absent where nothing is written.
    pub told: Option<ToldReport>,
    /// The same in sentences.
    pub said: String,
    pub summary_input_tokens: u64,
    pub summary_output_tokens: u64,
    /// What was predicted of their prompts, beside what was reported; absent where nothing was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompts: Option<LabPrompts>,
}

/// Goes through a source's only session, or the one called `session`.
pub fn compact(
    source: &Source,
    session: Option<&str>,
    choice: &CompactChoice,
    watch: &dyn Watch,
    runtime: &Handle,
) -> Result<CompactReport, AppError> {
    // What is wrong with the question is said before anything is read.
    read_config(&choice.config, choice.prompt.as_deref())?;
    if choice.apply.is_some() && choice.model == SummaryModel::Sized {
        let message = "With --model sized nobody writes summaries, so there are none to apply. Take extractive or a model.";
        return Err(AppError::bad_input(message));
    }
    let opened = OpenedSession::read(source, session, watch)?;
    compact_of(&opened, source, choice, watch, runtime)
}

/// Goes through a session that is open; `source` is what it was read from.
pub fn compact_of(
    opened: &OpenedSession,
    source: &Source,
    choice: &CompactChoice,
    watch: &dyn Watch,
    runtime: &Handle,
) -> Result<CompactReport, AppError> {
    let config = read_config(&choice.config, choice.prompt.as_deref())?;
    let OpenedSession { subject, tables, compiled, diagnostics } = opened;
    watch.begins(Step::Compacting(&subject.title));
    let reader = FactReader::new();
    let recording = compiled.recording(subject);
    let mut prompts = None;
    let done = with_billed(&subject.experiment, compiled.billed(), recording, tables, |lab| {
        let mut extracts = Extractive { reader: &reader };
        let mut sized = SizedWriter::new(summary_size(lab, config.summary_tokens, &[]));
        let replayed = match &choice.model {
            SummaryModel::Extractive => replay(lab, &config, &mut extracts),
            SummaryModel::Sized => replay(lab, &config, &mut sized),
            SummaryModel::Endpoint(name) => {
                let planned = replay(lab, &config, &mut sized)?.windows;
                let total = planned.len();
                let access = ModelAccess::open(source.database.as_deref(), runtime)?;
                let found = access.find(name).map_err(|error| access.with_hint(error))?;
                watch.begins(Step::Asking(name));
                let model = config.model.as_ref().map(ToString::to_string).or_else(|| found.model.clone());
                let usual = planned.iter().map(|window| f64::from(window.summary_tokens)).sum::<f64>();
                let mut pace = Pace::new(total as u32, usual / (total as f64).max(1.0));
                let mut written = Writing { total: total as u32, ..Writing::default() };
                watch.writing(&written);
                let tokenizer = tables.counting.tokenizer(model.as_deref().unwrap_or_default());
                let weigher = Weigher::new(&tokenizer, &tables.counting.memo);
                let mut tell = |event: WriterEvent| {
                    match event {
                        WriterEvent::Begins(_) => pace.begins(),
                        WriterEvent::Text(text) | WriterEvent::Thought(text) => {
                            pace.came(weigher.text(&text).tokens);
                        }
                        WriterEvent::Written { is_from_before, usage, foresight } => {
                            if let Some((foresight, usage)) = foresight.zip(usage.as_ref()) {
                                prompts = LabPrompts::plus(prompts, foresight, usage);
                            }
                            pace.written(is_from_before);
                            written.done += 1;
                        }
                        WriterEvent::Waiting(_) | WriterEvent::Broken { .. } => {}
                    }
                    written.tokens = pace.streamed;
                    written.tokens_per_s = pace.tokens_per_s();
                    written.seconds_left = pace.seconds_left();
                    watch.writing(&written);
                };
                let mut writer = ModelWriter {
                    asker: access.asker(&found, tables, watch.stop()),
                    model,
                    keeps_beginnings: false,
                    tell: &mut tell,
                };
                replay(lab, &config, &mut writer).map_err(|error| access.with_hint(error))
            }
        }?;
        let assumptions = Assumptions::default();
        let bill = lab.bill(&replayed, assumptions);
        let recorded = BillReport::from(&lab.recorded_bill(assumptions));
        let totals = CompactTotals {
            bill: (&bill).into(),
            baseline: recorded.clone(),
            recorded,
            unchanged: (&lab.bill(&lab.unchanged(), assumptions)).into(),
            kept: 0,
            paraphrased: 0,
            dropped: 0,
            facts_alive: 0,
            facts: 0,
            told: None,
            said: String::new(),
            summary_input_tokens: bill.summaries().input_tokens,
            summary_output_tokens: bill.summaries().output_tokens,
            prompts: None,
        };
        let regrets = lab.regret(&replayed);
        Ok::<_, AppError>((replayed, totals, regrets))
    })??;
    let (replayed, totals, regrets) = done;
    let is_told = choice.model != SummaryModel::Sized;
    let telling = is_told.then(|| Telling::of(&subject.experiment, &replayed));
    let lost = telling.as_ref().map(Telling::facts);
    let at_end = telling.as_ref().map(|telling| &telling.at_end);
    let applied = choice.apply.as_deref().map(|name| apply(source, subject, &replayed, name)).transpose()?;
    Ok(CompactReport {
        version: VERSION,
        session: subject.id.clone(),
        title: subject.title.clone(),
        app: (&subject.app).into(),
        config: config.to_string(),
        windows: windows(&replayed, telling.as_ref(), subject.experiment.log()),
        totals: CompactTotals {
            kept: lost.map_or(0, |lost| lost.kept),
            paraphrased: lost.map_or(0, |lost| lost.paraphrased),
            dropped: lost.map_or(0, |lost| lost.dropped),
            facts_alive: at_end.map_or(0, |told| told.facts_told),
            facts: at_end.map_or(0, |told| told.facts),
            told: at_end.map(told_report),
            said: at_end.map_or_else(String::new, |told| lab_words::told(told, true)),
            prompts,
            ..totals
        },
        regret_said: lab_words::regret(&regrets, !is_told),
        regret: regrets.into_iter().map(regret_report).collect(),
        is_regret_bound: !is_told,
        applied,
        diagnostics: diagnostics.clone(),
    })
}

fn replay(lab: &Lab<'_>, config: &CompactionConfig, writer: &mut dyn Writer) -> Result<Replayed, AppError> {
    lab.replay(config, writer).map_err(|stop| AppError::bad_input(stop.0))
}

fn windows(replayed: &Replayed, telling: Option<&Telling>, log: &EventLog) -> Vec<WindowReport> {
    let windows = replayed.windows.iter().enumerate();
    let loss = |at: usize| telling.and_then(|telling| telling.of_window(at));
    windows.map(|(at, window)| window_report(window, loss(at), log)).collect()
}

fn window_report(window: &WindowPlan, loss: Option<&WindowLoss>, log: &EventLog) -> WindowReport {
    let shown = run_window(window, loss, log);
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
        said: shown.said,
        loss: loss.map(loss_report),
    }
}

fn told_report(told: &Told) -> ToldReport {
    ToldReport {
        facts: told.facts,
        facts_told: told.facts_told,
        rows: told.coverage.rows,
        rows_told: told.coverage.rows_told,
        values: told.coverage.values,
        values_told: told.coverage.values_told,
        characters: told.reach.characters,
        unread_characters: told.reach.unread,
        n_cut: told.reach.n_cut,
    }
}

fn regret_report(regret: Regret) -> RegretReport {
    let Regret { value, event, window, call, tool } = regret;
    RegretReport { value, event: event.number(), window, call, tool: tool.map(|tool| tool.to_string()) }
}

fn loss_report(loss: &WindowLoss) -> WindowLossReport {
    let WindowLoss { facts: loss, told } = loss;
    WindowLossReport {
        told: told_report(told),
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
