//! What the summaries of a recording no longer tell.

use serde::Serialize;
use strata_measure::lab::{RecordedLoss, Verdict, recorded_losses};
use strata_model::EventIndex;

use super::opened::OpenedSession;

/// A summary of the recording, beside what it stands for.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SummaryLoss {
    /// The number of its event.
    pub event: u32,
    /// The first call that was made behind it; absent after the last one.
    pub first_call: Option<u32>,
    /// Numbers of the first and the last event that it stands for, and how many these are.
    pub events: [u32; 2],
    pub n_events: u32,
    pub kept: u32,
    pub paraphrased: u32,
    pub dropped: u32,
    /// The share of what was lost, by weight.
    pub lost_share: f64,
    /// Dropped ones first, the heaviest first.
    pub facts: Vec<SummaryFact>,
}

/// Something that was stated in what a summary stands for.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SummaryFact {
    /// `constraint`, `pending_call`, `decision`, `path` and others.
    pub kind: &'static str,
    pub text: String,
    /// `kept`, `paraphrased` or `dropped`.
    pub verdict: &'static str,
    /// The number of the event that states it.
    pub event: u32,
    /// How often the session states it again behind the summary.
    pub used_later: u32,
}

/// What each summary of the recording no longer tells, in their order.
pub fn summary_losses(opened: &OpenedSession) -> Vec<SummaryLoss> {
    let experiment = &opened.subject.experiment;
    let losses = recorded_losses(experiment.log()).into_iter();
    losses
        .map(|RecordedLoss { at, events, facts }| {
            let number = |event: Option<&EventIndex>| event.map_or(0, |event| event.number());
            let behind = experiment.calls().iter().find(|call| call.answer > at);
            SummaryLoss {
                event: at.number(),
                first_call: behind.map(|call| call.number),
                events: [number(events.first()), number(events.last())],
                n_events: events.len() as u32,
                kept: facts.kept,
                paraphrased: facts.paraphrased,
                dropped: facts.dropped,
                lost_share: (facts.lost_share * 1000.0).round() / 1000.0,
                facts: facts
                    .items
                    .into_iter()
                    .map(|item| SummaryFact {
                        kind: item.fact.kind.name(),
                        verdict: Verdict::name(item.verdict),
                        event: item.fact.event.number(),
                        used_later: item.used_later,
                        text: item.fact.text,
                    })
                    .collect(),
            }
        })
        .collect()
}
