//! What writing summaries of a history came to.

use std::iter::Sum;
use std::sync::Arc;

use strata_engine::Experiment;
use strata_model::{Event, Str, Usage, marks};

use super::reported::ReportedCounts;
use crate::analysis::session::SessionAnalysis;
use crate::analysis::summaries::{LoggedSummary, are_asked_for};
use crate::not_models::{EXTRACTIVE, RECORDED};
use crate::prices::{ChargedTokens, Prices};

/// What it took to have summaries written that are no calls of a session.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SummaryBill {
    /// Summaries that this is for.
    pub summaries: u32,
    /// Of these, those of which it is reported. Others are estimated by what they are made of, as google-adk asks for
    /// them, and nothing of it is taken to be cached.
    pub reported: u32,
    /// Summaries of which nothing is known: a client asked for them, and neither recorded the request nor a report.
    pub unbilled: u32,
    pub input_tokens: u64,
    pub cached_tokens: u64,
    pub output_tokens: u64,
    /// US dollars; `None` where the model that wrote one has no price.
    pub cost: Option<f64>,
}

impl Default for SummaryBill {
    fn default() -> Self {
        Self {
            summaries: 0,
            reported: 0,
            unbilled: 0,
            input_tokens: 0,
            cached_tokens: 0,
            output_tokens: 0,
            cost: Some(0.0),
        }
    }
}

impl SummaryBill {
    /// Of each summary in a session, recorded ones or those that are laid over it, with the place of its event.
    pub(super) fn of_each(
        experiment: &Experiment,
        analysis: &SessionAnalysis,
        prices: &Prices,
    ) -> Vec<(usize, Self)> {
        let model = analysis.summarizer(experiment, None);
        if are_asked_for(experiment) {
            let template = analysis.summary_template_tokens();
            let bill = |summary: &LoggedSummary| {
                let LoggedSummary { at, source_tokens, tokens, usage, by, is_free, .. } = summary;
                let estimated = (source_tokens + template, *tokens);
                let payer = if *is_free { Payer::Nobody } else { Payer::of(by.as_ref(), &model) };
                let mut bill = Self::default();
                bill.add_asked_for(usage.as_ref(), estimated, payer, prices);
                (*at, bill)
            };
            return analysis.summaries().iter().map(bill).collect();
        }
        let events = experiment.session().events.iter().enumerate();
        let bill = |(at, event): (usize, &Arc<Event>)| {
            let mut bill = Self::default();
            match &event.usage_metadata {
                Some(usage) => {
                    let report = ReportedCounts::of(Some(usage), event);
                    let (written, written_long) = report.map_or((0, 0), |report| report.written_tokens());
                    let charged = ChargedTokens {
                        written: written.into(),
                        written_long: written_long.into(),
                        ..charged(Some(usage), (0, 0))
                    };
                    bill.reported += 1;
                    bill.add(charged, Payer::of(event.model_version.as_ref(), &model), prices);
                }
                None => bill.unbilled += u32::from(marks::has(event, marks::UNREPORTED)),
            }
            (at, bill)
        };
        events.filter(|(_, event)| event.is_compaction()).map(bill).collect()
    }

    /// Adds a summary: as reported, else as `(input, output)` are estimated.
    pub(crate) fn add_asked_for(
        &mut self,
        usage: Option<&Usage>,
        estimated: (u32, u32),
        payer: Payer<'_>,
        prices: &Prices,
    ) {
        self.reported += u32::from(usage.is_some());
        self.add(charged(usage, estimated), payer, prices);
    }

    /// Adds another bill.
    fn take_in(&mut self, other: &Self) {
        self.summaries += other.summaries;
        self.reported += other.reported;
        self.unbilled += other.unbilled;
        self.input_tokens += other.input_tokens;
        self.cached_tokens += other.cached_tokens;
        self.output_tokens += other.output_tokens;
        self.cost = self.cost.zip(other.cost).map(|(sum, cost)| sum + cost);
    }

    fn add(&mut self, charged: ChargedTokens, payer: Payer<'_>, prices: &Prices) {
        self.summaries += 1;
        self.input_tokens += charged.prompt;
        self.cached_tokens += charged.cached;
        self.output_tokens += charged.output;
        let cost = match payer {
            Payer::Model(model) => prices.of_model(model).map(|price| price.cost(&charged)),
            Payer::Nobody => Some(0.0),
        };
        self.cost = self.cost.zip(cost).map(|(sum, cost)| sum + cost);
    }
}

impl<'b> Sum<&'b Self> for SummaryBill {
    fn sum<I: Iterator<Item = &'b Self>>(bills: I) -> Self {
        let mut sum = Self::default();
        bills.for_each(|bill| sum.take_in(bill));
        sum
    }
}

/// At whose price a summary is paid for.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Payer<'m> {
    Model(&'m str),
    /// It was written on a computer of one's own.
    Nobody,
}

impl<'m> Payer<'m> {
    /// Whoever wrote it, where that is a model, else the one that is configured. A model without a price is not another
    /// one: then there is none.
    fn of(by: Option<&'m Str>, configured: &'m str) -> Self {
        let is_model = |by: &&Str| !by.is_empty() && ![EXTRACTIVE, RECORDED].contains(&&***by);
        Self::Model(by.filter(is_model).map_or(configured, |by| &**by))
    }
}

fn charged(usage: Option<&Usage>, estimated: (u32, u32)) -> ChargedTokens {
    let input = usage.and_then(|usage| usage.prompt_token_count).unwrap_or(estimated.0.into());
    let cached = usage.and_then(|usage| usage.cached_content_token_count).unwrap_or(0).min(input);
    let output = usage.and_then(Usage::output_tokens).unwrap_or(estimated.1.into());
    ChargedTokens { cached, ..ChargedTokens::uncached(input, output) }
}
