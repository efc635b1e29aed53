//! Usage in rollouts: one record a response in new versions, repeated running totals in old ones.

use std::collections::BTreeMap;

use strata_model::take::{take_count, take_object};
use strata_model::{Json, Object};
use strata_wire::usage::{Counts, UsageReport, read};

use crate::findings::Findings;
use crate::own_total;
use crate::unmapped::Unmapped;

#[derive(Debug, Clone, Default)]
pub(super) struct Steps {
    /// The file has records of usage; its token counts only repeat them.
    pub(super) has_records: bool,
    last_total: Option<Object>,
    /// The response that waits for its usage.
    open: Option<usize>,
    /// The response whose usage came last.
    pub(super) reported: Option<usize>,
    /// What the client takes the model's window to be, in tokens.
    pub(super) context_window: Option<u32>,
    n_distinct: i64,
    naive: u64,
    deduplicated: u64,
    of_records: u64,
    reasoning: u64,
    /// What the client's counter grew by, over its new beginnings.
    own: Counts,
    /// What the responses report.
    reported_sum: Counts,
    /// Some response reports usage that no counter followed.
    is_uncounted: bool,
}

impl Steps {
    pub(super) fn opened(&mut self, event: usize) {
        self.open = Some(event);
    }

    pub(super) fn take_open(&mut self) -> Option<usize> {
        self.open.take()
    }

    /// `model_context_window`, which turns begin with and counts repeat. 0 stands for one that is not known.
    pub(super) fn take_context_window(&mut self, from: &mut Object) {
        let tokens = from.get("model_context_window").and_then(|tokens| u32::try_from(tokens.as_i64()?).ok());
        if let Some(tokens) = tokens.filter(|tokens| *tokens > 0) {
            from.remove("model_context_window");
            self.context_window = Some(tokens);
        }
    }

    /// `token_usage_record`: one a response.
    pub(super) fn record(&mut self, mut record: Object, unmapped: &mut Unmapped) -> Option<UsageReport> {
        let usage = take_object(&mut record, "usage")?;
        note_rest("token_usage_record", &record, unmapped);
        self.of_records = self.of_records.saturating_add(input(&usage));
        self.reasoning = self.reasoning.saturating_add(reasoning(&usage));
        let report = read(usage, "token_usage_record.usage", unmapped)?;
        self.reported_sum = self.reported_sum.plus(report.counts());
        Some(report)
    }

    /// `token_count`: repeated after turns and compactions with unchanged totals, which are not counted again.
    pub(super) fn count(&mut self, mut event: Object, unmapped: &mut Unmapped) -> Option<UsageReport> {
        let (last, total) = match take_object(&mut event, "info") {
            Some(mut info) => {
                let last = take_object(&mut info, "last_token_usage")?;
                let total = take_object(&mut info, "total_token_usage");
                self.take_context_window(&mut info);
                event.remove("type");
                if total.is_none() || total != self.last_total {
                    note_rest("token_count", &event, unmapped);
                    note_rest("token_count.info", &info, unmapped);
                }
                (last, total)
            }
            // The first versions wrote the counts of the response alone.
            None if event.contains_key("input_tokens") => {
                event.remove("type");
                (event, None)
            }
            None => return None,
        };
        self.naive = self.naive.saturating_add(input(&last));
        if total.is_some() && total == self.last_total {
            return None;
        }
        self.is_uncounted |= total.is_none();
        if let Some(total) = &total {
            let before = self.last_total.as_ref().map(counts_of).unwrap_or_default();
            self.own = self.own.plus(counts_of(total).grown_since(before));
        }
        self.last_total = total;
        self.n_distinct += 1;
        self.deduplicated = self.deduplicated.saturating_add(input(&last));
        if self.has_records {
            return None;
        }
        self.reasoning = self.reasoning.saturating_add(reasoning(&last));
        let report = read(last, "token_count.last_token_usage", unmapped)?;
        self.reported_sum = self.reported_sum.plus(report.counts());
        Some(report)
    }

    /// Holds what responses report against the client's own counter.
    pub(super) fn check(&self, findings: &mut Findings) {
        if !self.is_uncounted {
            let what = "the client's counter (`total_token_usage`)";
            own_total::check(what, self.own, self.reported_sum, String::new(), findings);
        }
    }

    /// A count of the thread this one was forked from; its total is where this one's begins.
    pub(super) fn copied(&mut self, event: &Object) {
        self.open = None;
        let total = event.get("info").and_then(|info| info.get("total_token_usage")?.as_object());
        self.last_total = total.cloned().or(self.last_total.take());
    }

    pub(super) fn tell(&self, counts: &mut BTreeMap<&'static str, Json>) {
        let mut tell = |name, count: u64| {
            counts.insert(name, Json::Int(i64::try_from(count).unwrap_or(i64::MAX)));
        };
        tell("distinct_token_count_steps", self.n_distinct as u64);
        tell("sum_last_token_usage_naive", self.naive);
        tell("sum_last_token_usage_deduped", self.deduplicated);
        tell("sum_token_usage_records_input", self.of_records);
        tell("reasoning_output_tokens", self.reasoning);
    }
}

fn note_rest(owner: &str, rest: &Object, unmapped: &mut Unmapped) {
    for (key, value) in rest.iter() {
        unmapped.field(owner, key, value);
    }
}

fn counts_of(usage: &Object) -> Counts {
    read(usage.clone(), "", &mut ()).map(|report| report.counts()).unwrap_or_default()
}

fn input(usage: &Object) -> u64 {
    take_count(&mut usage.clone(), "input_tokens").unwrap_or(0)
}

fn reasoning(usage: &Object) -> u64 {
    take_count(&mut usage.clone(), "reasoning_output_tokens").unwrap_or(0)
}
