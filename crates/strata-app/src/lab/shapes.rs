//! Replays as the window is shown them.

use strata_engine::EventLog;
use strata_engine::turn::compaction::{Policy, Trigger};
use strata_measure::lab::{
    Assumptions, Bill, BlockReason, EXTRACTIVE, Lab, Regret, Replayed, SizeBasis, Told, Verdict, WindowLoss,
    WindowPlan, window_reach,
};
use strata_measure::remedies::Writer;
use strata_model::EventIndex;

use super::own_setting::own_setting;
use super::telling::Telling;
use crate::api::lab::{
    FactVerdict, LabBill, LabCleared, LabFact, LabGeneration, LabLoss, LabRegret, LabReplay, LabTold,
    LabTrigger, LabWindow,
};
use crate::show::lab_words;

/// Regretted values that a window is told of; the others are counted.
const MOST_REGRETS: usize = 200;

pub(crate) fn address(event: EventIndex) -> String {
    format!("E{}", event.number())
}

pub(crate) fn bill_shape(bill: &Bill) -> LabBill {
    LabBill {
        prompt_tokens: bill.calls.prompt_tokens as f64,
        billed_tokens: bill.billed_tokens() as f64,
        cached_tokens: bill.calls.cached_tokens as f64,
        written_tokens: bill.calls.all_written_tokens() as f64,
        peak_tokens: bill.peak_tokens,
        breaks: bill.breaks,
        compactions: bill.summaries().summaries,
        cost_usd: bill.cost(),
        summary_cost_usd: bill.summaries().cost,
        summary_input_tokens: bill.summaries().input_tokens as f64,
        summary_output_tokens: bill.summaries().output_tokens as f64,
        latency_s: bill.latency_s,
    }
}

/// Everything about a replay of a session that `writer` wrote. `telling` is absent where nobody writes summaries.
pub(crate) fn replay_shape(
    lab: &Lab<'_>,
    replayed: &Replayed,
    telling: Option<&Telling>,
    writer: Writer,
) -> LabReplay {
    let assumptions = Assumptions::default();
    let unchanged = lab.unchanged();
    let tokens = |replayed: &Replayed| lab.bills(replayed).iter().map(|bill| bill.prompt_tokens).collect();
    let regrets = lab.regret(replayed);
    let windows = replayed.windows.iter().enumerate();
    let generations = telling.map_or(&[][..], |telling| &telling.generations);
    LabReplay {
        config: replayed.config.to_string(),
        is_adk: matches!(replayed.config.policy, Policy::Adk { .. }) && replayed.config.pinned.is_empty(),
        windows: windows
            .map(|(at, window)| {
                let loss = telling.and_then(|telling| telling.of_window(at));
                run_window(window, loss, lab.experiment.log())
            })
            .collect(),
        bill: bill_shape(&lab.bill(replayed, assumptions)),
        unchanged: bill_shape(&lab.bill(&unchanged, assumptions)),
        recorded: bill_shape(&lab.recorded_bill(assumptions)),
        prompt_tokens: tokens(replayed),
        unchanged_tokens: tokens(&unchanged),
        recorded_tokens: lab.recorded_tokens(),
        cleared: replayed
            .cleared
            .iter()
            .map(|cleared| LabCleared {
                before_call: cleared.before_call,
                events: cleared.events.iter().map(|event| address(*event)).collect(),
            })
            .collect(),
        survival: generations
            .iter()
            .map(|after| LabGeneration {
                window: after.window as u32,
                facts: after.facts,
                alive: after.alive,
            })
            .collect(),
        told: telling.map(|telling| told_shape(&telling.at_end)),
        said: telling.map_or_else(String::new, |telling| lab_words::told(&telling.at_end, true)),
        regret: regrets.iter().take(MOST_REGRETS).map(regret_shape).collect(),
        n_regret: regrets.len() as u32,
        is_regret_bound: telling.is_none(),
        regret_said: lab_words::regret(&regrets, telling.is_none()),
        own_setting: own_setting(writer, &replayed.config),
    }
}

fn told_shape(told: &Told) -> LabTold {
    LabTold {
        facts: told.facts,
        facts_told: told.facts_told,
        rows: told.coverage.rows,
        rows_told: told.coverage.rows_told,
        values: told.coverage.values,
        values_told: told.coverage.values_told,
        characters: told.reach.characters as f64,
        unread_characters: told.reach.unread as f64,
        n_cut: told.reach.n_cut,
    }
}

fn regret_shape(regret: &Regret) -> LabRegret {
    LabRegret {
        value: regret.value.clone(),
        event: address(regret.event),
        window: regret.window.map(|at| at as u32),
        call: regret.call,
        tool: regret.tool.as_ref().map(ToString::to_string),
    }
}

/// One window with what its summary loses.
pub(crate) fn run_window(window: &WindowPlan, loss: Option<&WindowLoss>, log: &EventLog) -> LabWindow {
    let told = loss.map_or_else(|| window_reach(window, log), |loss| loss.told);
    let facts = loss.map(|loss| &loss.facts);
    let at = |event: Option<&EventIndex>| event.map(|event| address(*event)).unwrap_or_default();
    let is_sized = window.written.as_ref().is_some_and(|written| written.is_stand_in);
    LabWindow {
        at_call: window.moment.first_call(),
        is_waited_for: window.moment.is_waited_for(),
        trigger: match window.trigger {
            Trigger::TokenThreshold => LabTrigger::TokenThreshold,
            Trigger::SlidingWindow => LabTrigger::SlidingWindow,
            Trigger::PromptLimit => LabTrigger::PromptLimit,
        },
        first_event: at(window.events.first()),
        last_event: at(window.events.last()),
        events: window.events.len() as u32,
        seed: window.seed.map(|at| at as u32),
        tokens_before: window.source_tokens,
        tokens_after: window.summary_tokens,
        summarizer: window
            .written
            .as_ref()
            .map_or_else(|| window.model.to_string(), |written| written.by.to_string()),
        summary: if is_sized { String::new() } else { window.summary_text() },
        blocked: window.blocked.map(|reason| block_sentence(reason, window)),
        kept: facts.map_or(0, |facts| facts.kept),
        paraphrased: facts.map_or(0, |facts| facts.paraphrased),
        dropped: facts.map_or(0, |facts| facts.dropped),
        lost_share: facts.map_or(0.0, |facts| facts.lost_share),
        told: loss.map(|loss| told_shape(&loss.told)),
        said: lab_words::told(&told, loss.is_some()),
    }
}

fn block_sentence(reason: BlockReason, window: &WindowPlan) -> String {
    match reason {
        BlockReason::LongerThanSource => format!(
            "The summary has {} tokens and the events it stands for {}; the events stay.",
            window.summary_tokens, window.source_tokens
        ),
        BlockReason::OrphanedCalls => {
            "A tool call would be parted from its result; the events stay as they are.".to_owned()
        }
        BlockReason::Empty if window.written.as_ref().is_some_and(|written| &*written.by == EXTRACTIVE) => {
            "Nothing fits into so small a summary; the events stay.".to_owned()
        }
        BlockReason::Empty => "The model answered without a summary; the events stay.".to_owned(),
    }
}

/// Where the size of summaries is from.
pub(crate) fn size_basis(basis: SizeBasis, n_fitted: usize) -> String {
    match basis {
        SizeBasis::Fitted if n_fitted == 1 => "fitted to one summary".to_owned(),
        SizeBasis::Fitted => format!("fitted to {n_fitted} summaries"),
        basis => basis.name().to_owned(),
    }
}

/// A page of what became of a window's facts.
pub(crate) fn loss_page(window: &WindowPlan, loss: &WindowLoss, offset: usize, limit: usize) -> LabLoss {
    let WindowLoss { facts: loss, told } = loss;
    let items = loss.items.iter().skip(offset).take(limit);
    LabLoss {
        told: told_shape(told),
        said: lab_words::told(told, true),
        total: loss.items.len() as u32,
        kept: loss.kept,
        paraphrased: loss.paraphrased,
        dropped: loss.dropped,
        lost_share: loss.lost_share,
        summary: window.summary_text(),
        items: items
            .map(|item| LabFact {
                kind: item.fact.kind.name().to_owned(),
                text: item.fact.text.clone(),
                verdict: match item.verdict {
                    Verdict::Kept => FactVerdict::Kept,
                    Verdict::Paraphrased => FactVerdict::Paraphrased,
                    Verdict::Dropped => FactVerdict::Dropped,
                },
                event: address(item.fact.event),
                used_later: item.used_later,
                weight: item.weight,
            })
            .collect(),
    }
}
