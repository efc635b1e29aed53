//! How large the results of tools may be.

use std::collections::BTreeMap;

use strata_measure::analysis::{BilledCalls, CallCache};
use strata_model::EventIndex;
use strata_wire::{Item, prompt_segments};

use super::blame;
use super::checked::{Amount, Checked};
use super::entry::{Agent, Budgeted, Failure};
use super::measure::MeasuredSession;
use crate::show::SegmentScale;
use crate::show::words::{counted, whole};

/// A tool's result, where it is largest.
struct ToolResult {
    call: u32,
    tokens: u32,
}

impl MeasuredSession<'_> {
    pub(super) fn tool_results<'c>(
        &self,
        limit: u64,
        agent: Agent<'_>,
        calls: impl Iterator<Item = &'c CallCache>,
        checked: &mut Checked,
    ) {
        let results = self.results(calls);
        let largest = results.values().map(|result| u64::from(result.tokens)).max().unwrap_or(0);
        let name = "max_tool_result_tokens";
        let of = |actual| Budgeted::new(name, agent, Amount::Tokens(limit), Amount::Tokens(actual));
        let mut over: Vec<_> =
            results.iter().filter(|(_, result)| u64::from(result.tokens) > limit).collect();
        over.sort_by_key(|(event, result)| (std::cmp::Reverse(result.tokens), event.as_usize()));
        checked.budgets.push(of(largest).report(over.is_empty()));
        let rates = BilledCalls { analysis: self.analysis, caches: self.caches }.rates(&self.tables.prices);
        for (event, result) in over {
            let Some(compiled) = self.compiled(result.call) else { continue };
            let mut segments = prompt_segments(&compiled.request);
            let Some(segment) = segments
                .find(|segment| segment.main_origin().and_then(|origin| origin.event()) == Some(*event))
            else {
                continue;
            };
            let block = blame::block(self.subject, compiled, &segment, result.tokens);
            let n_calls = self.carried(*event, agent);
            let message = format!(
                "{} is {} tokens of tool result in {}, more than {}.",
                block.name,
                whole(result.tokens),
                counted(n_calls, "call"),
                whole(limit as i64)
            );
            let cost = rates.of_call(result.call, result.tokens, 0);
            let failure =
                Failure { call: Some(result.call), cost, ..Failure::of_block(Some(block), message) };
            checked.failures.push(of(result.tokens.into()).failure(failure));
        }
    }

    /// Results of tools by their events: the call that carried each at its largest, the first of them.
    fn results<'c>(&self, calls: impl Iterator<Item = &'c CallCache>) -> BTreeMap<EventIndex, ToolResult> {
        let mut results: BTreeMap<EventIndex, ToolResult> = BTreeMap::new();
        for call in calls.filter_map(|call| self.compiled(call.call)) {
            let Ok(scale) = self.subject.scale(self.analysis, self.tables, call) else { continue };
            let weigh = SegmentScale::new(scale, &call.request);
            let mut of_call: BTreeMap<EventIndex, u32> = BTreeMap::new();
            for segment in prompt_segments(&call.request) {
                let is_result =
                    matches!(&segment.item, Item::Part { part, .. } if part.part.function_response.is_some());
                let event = segment.main_origin().and_then(|origin| origin.event());
                if let Some(event) = event.filter(|_| is_result) {
                    *of_call.entry(event).or_default() += weigh.count(&segment).tokens;
                }
            }
            for (event, tokens) in of_call {
                let known = results.entry(event).or_insert(ToolResult { call: call.number, tokens });
                if tokens > known.tokens {
                    *known = ToolResult { call: call.number, tokens };
                }
            }
        }
        results
    }

    /// Calls whose prompts hold something of an event.
    fn carried(&self, event: EventIndex, agent: Agent<'_>) -> usize {
        let holds = |call: &&CallCache| {
            self.compiled(call.call).is_some_and(|compiled| {
                prompt_segments(&compiled.request)
                    .any(|segment| segment.main_origin().and_then(|origin| origin.event()) == Some(event))
            })
        };
        self.calls(agent).filter(holds).count()
    }
}
