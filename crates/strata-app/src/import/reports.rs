//! What providers reported of a session's calls, kept with it: lists say what it came to without opening it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use strata_engine::{FlowKind, answers};
use strata_measure::analysis::ReportedCounts;
use strata_measure::prices::{ChargedTokens, Price, Prices};
use strata_model::{Event, Session, Usage};

/// Reports on prompts of so many tokens are added up apart. Prices of long prompts begin at multiples of it.
const STEP_TOKENS: u64 = 4_000;
/// Prompts that are longer than so many steps are added up together: no price begins above them.
const MAX_STEPS: u64 = 256;

/// The reports on a session's calls.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Reports {
    /// Calls with a report.
    pub calls: u64,
    /// Calls without one that failed or have no recorded answer: nobody is known to have paid for them.
    pub unpaid_calls: u64,
    /// Calls of which it is reported what was read from a cache.
    pub cache_calls: u64,
    pub largest_prompt: u64,
    /// Sums that a price can be put to, whatever it is at the time.
    pub sums: Vec<ReportSum>,
    /// The same of writing summaries, which are no calls.
    pub summaries: Vec<ReportSum>,
    /// Summaries without a report that google-adk had written: it is only estimated what that took.
    pub unreported_summaries: u64,
}

/// The reports of one model on prompts of one size. Stored as its values in this order, by an
/// older version with their names: long sessions have hundreds, which are read whenever such a session grows.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, into = "SumRow")]
pub(crate) struct ReportSum {
    /// As it answered; empty where no event says.
    pub model: String,
    /// Whole steps that all of its prompts are longer than; none is longer than one step more, but for those above all
    /// steps.
    pub steps: u64,
    pub prompt_tokens: u64,
    pub cached_tokens: u64,
    pub written_tokens: u64,
    pub written_long_tokens: u64,
    /// Thoughts included.
    pub output_tokens: u64,
}

type SumRow = (String, u64, u64, u64, u64, u64, u64);

impl From<ReportSum> for SumRow {
    fn from(sum: ReportSum) -> Self {
        (
            sum.model,
            sum.steps,
            sum.prompt_tokens,
            sum.cached_tokens,
            sum.written_tokens,
            sum.written_long_tokens,
            sum.output_tokens,
        )
    }
}

impl Reports {
    pub(crate) fn of(session: &Session, kind: FlowKind) -> Self {
        let mut reports = Self::default();
        let (mut calls, mut summaries) = (Sums::default(), Sums::default());
        for answer in answers(session, kind) {
            match ReportedCounts::of(answer.usage, answer.event) {
                Some(counts) => {
                    reports.calls += 1;
                    reports.cache_calls += u64::from(counts.cached.is_some());
                    reports.largest_prompt = reports.largest_prompt.max(counts.prompt.into());
                    calls.add(model_of(answer.event), answer.usage, &counts);
                }
                None => reports.unpaid_calls += u64::from(answer.is_unpaid()),
            }
        }
        let first_model = answers(session, kind).next().map_or("", |answer| model_of(answer.event));
        for event in session.events.iter().filter(|event| event.is_compaction()) {
            let usage = event.usage_metadata.as_deref();
            match ReportedCounts::of(usage, event) {
                Some(counts) => {
                    let model = Some(model_of(event)).filter(|model| !model.is_empty());
                    summaries.add(model.unwrap_or(first_model), usage, &counts);
                }
                None => reports.unreported_summaries += u64::from(kind == FlowKind::Adk),
            }
        }
        reports.sums = calls.0.into_values().collect();
        reports.summaries = summaries.0.into_values().collect();
        reports
    }

    /// US dollars for all calls of a session that has so many, and for its summaries; `None` when one is not reported, or
    /// its model has no known price.
    pub(crate) fn cost(&self, calls: u64, prices: &Prices) -> Option<f64> {
        if self.calls + self.unpaid_calls < calls || self.unreported_summaries > 0 {
            return None;
        }
        self.sums.iter().chain(&self.summaries).map(|sum| sum.cost(prices)).sum()
    }

    pub(crate) fn total(&self, tokens: impl Fn(&ReportSum) -> u64) -> u64 {
        self.sums.iter().map(tokens).sum()
    }

    /// Each once, in the order of their names.
    pub(crate) fn models(&self) -> Vec<String> {
        let mut models: Vec<String> = self.sums.iter().map(|sum| sum.model.clone()).collect();
        models.retain(|model| !model.is_empty());
        models.dedup();
        models
    }
}

/// By model and step.
#[derive(Default)]
struct Sums(BTreeMap<(String, u64), ReportSum>);

impl Sums {
    fn add(&mut self, model: &str, usage: Option<&Usage>, counts: &ReportedCounts) {
        let prompt = u64::from(counts.prompt);
        let steps = (prompt.saturating_sub(1) / STEP_TOKENS).min(MAX_STEPS);
        let sum = self.0.entry((model.to_owned(), steps)).or_insert_with(|| ReportSum {
            model: model.to_owned(),
            steps,
            ..ReportSum::default()
        });
        let written = counts.written.unwrap_or(0);
        let written_long = counts.written_long.min(written);
        sum.prompt_tokens += prompt;
        sum.cached_tokens += u64::from(counts.cached.unwrap_or(0));
        sum.written_tokens += u64::from(written - written_long);
        sum.written_long_tokens += u64::from(written_long);
        sum.output_tokens += usage.and_then(Usage::output_tokens).unwrap_or(0);
    }
}

fn model_of(event: &Event) -> &str {
    event.model_version.as_deref().unwrap_or_default()
}

impl ReportSum {
    fn charged(&self) -> ChargedTokens {
        ChargedTokens {
            prompt: self.prompt_tokens,
            cached: self.cached_tokens,
            written: self.written_tokens,
            written_long: self.written_long_tokens,
            output: self.output_tokens,
        }
    }

    fn cost(&self, prices: &Prices) -> Option<f64> {
        let charged = self.charged();
        if charged == ChargedTokens::default() {
            return Some(0.0);
        }
        self.cost_at(prices.of_model(&self.model)?)
    }

    /// `None` where some of its prompts would be priced as long ones and some not.
    fn cost_at(&self, price: &Price) -> Option<f64> {
        let from = self.steps * STEP_TOKENS;
        let to = if self.steps == MAX_STEPS { u64::MAX } else { from + STEP_TOKENS };
        let rates = price.rates_for(from + 1);
        if rates != price.rates_for(to) {
            return None;
        }
        Some(self.charged().cost_at(&rates))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sum(model: &str, prompt: u64) -> ReportSum {
        let steps = prompt.saturating_sub(1) / STEP_TOKENS;
        ReportSum { model: model.to_owned(), steps, prompt_tokens: prompt, ..ReportSum::default() }
    }

    fn reports(sums: Vec<ReportSum>) -> Reports {
        Reports { calls: sums.len() as u64, sums, ..Reports::default() }
    }

    #[test]
    fn a_session_costs_what_its_calls_do() {
        let prices = Prices::embedded();
        let price = prices.of_model("gpt-5.5").unwrap();
        let prompts = [4_000, 4_001, 272_000, 272_001, 300_000];
        let each = prompts.map(|prompt| price.cost(&ChargedTokens::uncached(prompt, 0)));
        let together = reports(prompts.map(|prompt| sum("gpt-5.5", prompt)).into()).cost(5, &prices).unwrap();
        assert!((together - each.iter().sum::<f64>()).abs() < 1e-12, "{together}");
    }

    #[test]
    fn summaries_are_paid_for() {
        let prices = Prices::embedded();
        let calls = reports(vec![sum("gpt-5.5", 1_000)]);
        let with_one = Reports { summaries: vec![sum("gpt-5.5", 500)], ..calls.clone() };
        let summary = prices.of_model("gpt-5.5").unwrap().cost(&ChargedTokens::uncached(500, 0));
        let more = with_one.cost(1, &prices).unwrap() - calls.cost(1, &prices).unwrap();
        assert!((more - summary).abs() < 1e-12, "{more}");
        let unreported = Reports { unreported_summaries: 1, ..calls };
        assert_eq!(unreported.cost(1, &prices), None);
    }

    #[test]
    fn every_tier_of_the_price_list_begins_at_a_step() {
        let prices = Prices::embedded();
        let tiers = prices.all().iter().flat_map(|price| &price.tiers);
        let bounds: Vec<u64> = tiers.map(|tier| tier.above_prompt_tokens).collect();
        let is_step = |bound: &u64| bound.is_multiple_of(STEP_TOKENS) && *bound <= MAX_STEPS * STEP_TOKENS;
        assert!(!bounds.is_empty() && bounds.iter().all(is_step), "{bounds:?}");
    }

    #[test]
    fn what_an_older_version_stored_is_read() {
        let sum = ReportSum { cached_tokens: 7, output_tokens: 3, ..sum("gpt-5.5", 9_000) };
        let row = serde_json::to_string(&sum).unwrap();
        assert_eq!(row, r#"["gpt-5.5",2,9000,7,0,0,3]"#);
        let named =
            r#"{"model": "gpt-5.5", "steps": 2, "promptTokens": 9000, "cachedTokens": 7, "outputTokens": 3}"#;
        for stored in [&*row, named] {
            assert_eq!(serde_json::from_str::<ReportSum>(stored).unwrap(), sum, "{stored}");
        }
    }

    #[test]
    fn what_is_not_known_has_no_price() {
        let prices = Prices::embedded();
        let known = || sum("gpt-5.5", 1_000);
        assert_eq!(reports(vec![known()]).cost(2, &prices), None, "a call without a report");
        assert_eq!(reports(vec![known(), sum("nobody's", 1)]).cost(2, &prices), None, "an unknown model");
        assert_eq!(reports(vec![known(), sum("", 1)]).cost(2, &prices), None, "a model that nothing names");
        let unpaid = Reports { unpaid_calls: 1, ..reports(vec![known()]) };
        assert!(unpaid.cost(2, &prices).is_some(), "a call that nobody paid for");
    }
}
