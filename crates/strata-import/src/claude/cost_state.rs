//! What the client has counted itself by the end of a run: records of the type `cost-state`.
//!
//! They go on from run to run, and hold what no other record says: what writing a summary took, and the calls of
//! sub-agents whose records lie in files of their own.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use strata_model::take::take_object;
use strata_model::{Json, Object, Str};
use strata_wire::usage::Counts;

use super::entry::{Entry, EntryKind};
use super::ids::EntryId;
use super::own_counts::{OwnCounts, Spent};
use super::transcript::{PlacedRecord, Transcript};
use crate::findings::Findings;
use crate::marks;

/// Tools that have a sub-agent work.
const DELEGATING: [&str; 2] = ["Agent", "Task"];

impl Transcript {
    pub(super) fn cost_state(&mut self, mut placed: PlacedRecord) {
        let Some(by_model) = take_object(&mut placed.record.rest, "modelUsage") else {
            return self.keep_raw(&placed, "");
        };
        let models = by_model.into_iter().filter_map(|(model, usage)| match usage {
            Json::Object(usage) => Some((model, Spent::read(usage))),
            _ => None,
        });
        let by_model: BTreeMap<Str, Spent> = models.collect();
        if let Some(summary) = self.only_summary_since_counted() {
            self.tell_summary(summary, &by_model);
        }
        self.own_counts = OwnCounts {
            by_model,
            n_entries: self.entries.len(),
            place: placed.place.clone(),
            cost: placed.record.rest.remove("totalCostUSD").and_then(|cost| cost.as_f64()),
        };
        placed.record.note_rest(&mut self.unmapped);
    }

    /// The compaction since the last record, if there is one and nothing else that is not in this file.
    fn only_summary_since_counted(&self) -> Option<EntryId> {
        let since = self.own_counts.n_entries..self.entries.len();
        let is_summary = |at: &EntryId| matches!(self.entries[*at].kind, EntryKind::Compaction(_));
        let mut summaries = since.clone().filter(is_summary);
        let (summary, None) = (summaries.next()?, summaries.next()) else { return None };
        (!self.delegates(since)).then_some(summary)
    }

    /// Whether some of these entries have a sub-agent work.
    fn delegates(&self, entries: Range<EntryId>) -> bool {
        let calls =
            entries.flat_map(|at| &self.entries[at].parts).filter_map(|part| part.function_call.as_ref());
        calls.filter_map(|call| call.name.as_deref()).any(|name| DELEGATING.contains(&name))
    }

    /// Gives a summary what its model was counted beyond the calls that stand in the file.
    fn tell_summary(&mut self, summary: EntryId, now: &BTreeMap<Str, Spent>) {
        let before = self.own_counts.n_entries;
        let model = self.entries.iter().take(summary).rev().find_map(|entry| {
            let model = entry.event.model_version.as_ref()?;
            now.contains_key(model).then(|| model.clone())
        });
        let Some(model) = model else { return };
        let counted = self.own_counts.by_model.get(&model).copied().unwrap_or_default();
        let calls = self.spent_by_calls(before..self.entries.len(), Some(&model));
        let spent = now[&model].checked_less(counted).and_then(|spent| spent.checked_less(calls));
        let Some(spent) = spent.filter(|spent| spent.input > 0 && spent.output > 0) else { return };
        let entry = &mut self.entries[summary];
        let counts = Counts {
            input: Some(spent.input),
            cached: Some(spent.cached),
            output: Some(spent.output),
            ..Counts::default()
        };
        entry.event.usage_metadata = Some(Box::new(counts.usage()));
        entry.event.model_version = Some(model);
        let number = |tokens: u64| Json::Int(tokens.try_into().unwrap_or(i64::MAX));
        let written = [
            ("tokens", number(spent.written)),
            ("ephemeral5m", number(spent.written.saturating_sub(spent.written_long))),
            ("ephemeral1h", number(spent.written_long)),
        ];
        entry.custom.insert(marks::CACHE_WRITE, Object::from_iter(written));
        entry.note("usageFrom", "cost-state");
    }

    /// What calls report that stand in the file, each once.
    fn spent_by_calls(&self, entries: Range<EntryId>, model: Option<&Str>) -> Spent {
        let is_call = |entry: &&Arc<Entry>| {
            let is_of_model = model.is_none() || entry.event.model_version.as_ref() == model;
            is_of_model && !entry.custom.contains_key(marks::RELAYED)
        };
        let calls =
            self.entries.get(entries).unwrap_or_default().iter().filter(is_call).filter_map(|entry| {
                let usage = entry.event.usage_metadata.as_ref()?;
                let written =
                    |key: &str| entry.custom.get(marks::CACHE_WRITE)?.get(key)?.as_i64()?.try_into().ok();
                Some(Spent {
                    input: usage.prompt_token_count.unwrap_or(0),
                    cached: usage.cached_content_token_count.unwrap_or(0),
                    written: written("tokens").unwrap_or(0),
                    written_long: written("ephemeral1h").unwrap_or(0),
                    output: usage.output_tokens().unwrap_or(0),
                })
            });
        calls.fold(Spent::default(), Spent::plus)
    }

    /// Says where the client counted more than the file holds.
    pub(super) fn check_own_counts(&self, findings: &mut Findings) {
        let OwnCounts { by_model, n_entries, place, cost } = &self.own_counts;
        let own = by_model.values().copied().fold(Spent::default(), Spent::plus);
        let calls = self.spent_by_calls(0..*n_entries, None);
        let is_more = own.input > calls.input || own.output > calls.output;
        if by_model.is_empty() || !is_more {
            return;
        }
        let cost = cost.map_or(String::new(), |cost| format!(" and ${cost:.4}"));
        let who = if self.delegates(0..*n_entries) {
            "sub-agents, which have files of their own, used the rest"
        } else {
            "the rest was used by calls that are not in this file"
        };
        let message = format!(
            "Claude Code counted {} input and {} output tokens{cost} in all; the calls in this file come to {} and {}: \
             {who}",
            own.input, own.output, calls.input, calls.output
        );
        findings.info("own-total-differs", place.clone(), message);
    }
}
