//! Replays and sweeps as the window is shown them.

use strata_engine::turn::compaction::{Policy, Trigger};
use strata_measure::lab::{
    Assumptions, Bill, BlockReason, EXTRACTIVE, Flag, Lab, LossReport, Replayed, SizeBasis, Sweep, Verdict,
    WindowPlan,
};
use strata_model::EventIndex;

use crate::api::lab::{
    FactVerdict, LabBill, LabCleared, LabFact, LabFamily, LabGeneration, LabLoss, LabReplay, LabRow,
    LabSweep, LabTrigger, LabWindow,
};

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
        compactions: bill.summaries.n_summaries,
        cost_usd: bill.cost(),
        summary_cost_usd: bill.summaries.cost,
        summary_input_tokens: bill.summaries.input_tokens as f64,
        summary_output_tokens: bill.summaries.output_tokens as f64,
        latency_s: bill.latency_s,
    }
}

/// Everything about a replay. `losses` has an entry for each window, `survival` may be empty.
pub(crate) fn replay_shape(
    lab: &Lab<'_>,
    replayed: &Replayed,
    losses: &[Option<LossReport>],
    survival: &[strata_measure::lab::Generation],
) -> LabReplay {
    let assumptions = Assumptions::default();
    let unchanged = lab.unchanged();
    let tokens = |replayed: &Replayed| lab.bills(replayed).iter().map(|bill| bill.prompt_tokens).collect();
    LabReplay {
        config: replayed.config.to_string(),
        is_adk: matches!(replayed.config.policy, Policy::Adk { .. }) && replayed.config.pinned.is_empty(),
        windows: replayed
            .windows
            .iter()
            .enumerate()
            .map(|(at, window)| run_window(window, losses.get(at).and_then(Option::as_ref)))
            .collect(),
        bill: bill_shape(&lab.bill(replayed, assumptions)),
        unchanged: bill_shape(&lab.bill(&unchanged, assumptions)),
        recorded: bill_shape(&lab.bill(&lab.recorded(), assumptions)),
        prompt_tokens: tokens(replayed),
        unchanged_tokens: tokens(&unchanged),
        recorded_tokens: lab.caches.calls.iter().map(|call| call.bill.prompt_tokens).collect(),
        cleared: replayed
            .cleared
            .iter()
            .map(|cleared| LabCleared {
                before_call: cleared.before_call,
                events: cleared.events.iter().map(|event| address(*event)).collect(),
            })
            .collect(),
        survival: survival
            .iter()
            .map(|after| LabGeneration {
                window: after.window as u32,
                facts: after.facts,
                alive: after.alive,
            })
            .collect(),
    }
}

/// One window with what its summary loses.
pub(crate) fn run_window(window: &WindowPlan, loss: Option<&LossReport>) -> LabWindow {
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
        kept: loss.map_or(0, |loss| loss.kept),
        paraphrased: loss.map_or(0, |loss| loss.paraphrased),
        dropped: loss.map_or(0, |loss| loss.dropped),
        lost_share: loss.map_or(0.0, |loss| loss.lost_share),
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

pub(crate) fn sweep_shape(grid: &str, sweep: &Sweep) -> LabSweep {
    let best = sweep.recommended.as_ref();
    LabSweep {
        grid: grid.to_owned(),
        unchanged: bill_shape(&sweep.unchanged.bill),
        recorded: bill_shape(&sweep.recorded),
        unchanged_tokens: sweep.unchanged.prompt_tokens.clone(),
        rows: sweep.rows.iter().map(row_shape).collect(),
        front: sweep.front.iter().map(|at| *at as u32).collect(),
        recommended: best.and_then(|best| best.row).map(|at| at as u32),
        reason: best.map(|best| best.reason.clone()).unwrap_or_default(),
        size_basis: size_basis(sweep.size.basis, sweep.size.n_fitted),
        read_tokens_per_s: sweep.assumptions.read_per_s,
        cached_tokens_per_s: sweep.assumptions.cached_per_s,
        written_tokens_per_s: sweep.assumptions.written_per_s,
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

fn row_shape(row: &strata_measure::lab::SweepRow) -> LabRow {
    let (family, x, y) = match row.config.policy {
        Policy::Off => (LabFamily::Off, 0, 0),
        Policy::Adk { window: Some(window), threshold: None } => {
            (LabFamily::SlidingWindow, window.interval, window.overlap)
        }
        Policy::Adk { window: None, threshold } => (
            LabFamily::TokenThreshold,
            threshold.map_or(0, |t| t.tokens),
            threshold.map_or(0, |t| t.retention),
        ),
        Policy::Adk { window: Some(window), threshold: Some(threshold) } => {
            (LabFamily::Both, window.interval, threshold.tokens)
        }
        Policy::Steps(steps) => (LabFamily::Steps, steps.limit_tokens, steps.keep),
    };
    LabRow {
        config: row.config.to_string(),
        x,
        y,
        family,
        bill: bill_shape(&row.bill),
        at_calls: row.summaries.iter().flatten().copied().collect(),
        prompt_tokens: row.prompt_tokens.clone(),
        flags: row.flags.iter().map(|flag| Flag::name(*flag).to_owned()).collect(),
    }
}

/// A page of what became of a window's facts.
pub(crate) fn loss_page(window: &WindowPlan, loss: &LossReport, offset: usize, limit: usize) -> LabLoss {
    let items = loss.items.iter().skip(offset).take(limit);
    LabLoss {
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
