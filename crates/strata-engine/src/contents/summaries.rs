//! Events that a compaction covers give way to its summary (`ADK.md` 3.6).

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use strata_model::{EventIndex, Origin, RequestContent};

use super::item::{Item, ItemRole, Words, truthy};
use super::omission::Omissions;
use super::rules::HistoryRules;
use crate::log::{
    Coverage, Facts, LoggedEvent, OmissionReason, SummaryRange, summary_ranges, surviving_ranges,
};

/// The history with summaries in place of what they cover, events an experiment pinned excepted. Without any summary nothing changes; with one, the whole
/// history is put in the order of time.
pub(super) fn substitute<'e>(
    kept: Vec<&'e LoggedEvent>,
    rules: HistoryRules,
    omissions: &mut Omissions,
) -> Vec<Item<'e>> {
    if !kept.iter().any(|logged| logged.is(Facts::COMPACTION)) {
        return kept.into_iter().map(Item::plain).collect();
    }
    if !rules.summarises_ranges() {
        return substitute_from_the_start(&kept, omissions);
    }
    let ranges = surviving_ranges(&kept);
    let coverage = Coverage::of(&ranges);
    let mut items: Vec<(f64, usize, Item<'e>)> = Vec::with_capacity(kept.len());
    for (at, logged) in kept.iter().enumerate() {
        if logged.is(Facts::COMPACTION) {
            match ranges.iter().find(|range| range.at == at) {
                Some(range) => items.push((range.end, at, summary(logged))),
                None => omissions.event(logged, OmissionReason::SubsumedSummary),
            }
        } else if coverage.contains(logged.event.timestamp) && !logged.is(Facts::PINNED) {
            omissions.event(logged, OmissionReason::Summarised { by: covering(&kept, &ranges, logged) });
        } else {
            items.push((logged.event.timestamp, at, Item::plain(logged)));
        }
    }
    items.sort_by(|a, b| a.0.partial_cmp(&b.0).unwrap_or(std::cmp::Ordering::Equal).then(a.1.cmp(&b.1)));
    let items = items.into_iter().map(|(_, _, item)| item).collect();
    if rules.recovers_summarised_calls() { with_recovered_calls(items, &kept) } else { items }
}

/// As releases before 1.25: seen from the end, everything that is no earlier than the start of a summary behind it is
/// left out, and every summary stands where it was written.
fn substitute_from_the_start<'e>(kept: &[&'e LoggedEvent], omissions: &mut Omissions) -> Vec<Item<'e>> {
    let ranges: Vec<SummaryRange> = summary_ranges(kept).collect();
    let mut earliest: Option<SummaryRange> = None;
    let mut items = Vec::with_capacity(kept.len());
    for (at, logged) in kept.iter().enumerate().rev() {
        if logged.is(Facts::COMPACTION) {
            let Some(range) = ranges.iter().find(|range| range.at == at) else { continue };
            items.push(summary(logged));
            if earliest.is_none_or(|earliest| range.start < earliest.start) {
                earliest = Some(*range);
            }
        } else if let Some(range) = earliest.filter(|range| logged.event.timestamp >= range.start)
            && !logged.is(Facts::PINNED)
        {
            let by = kept[range.at].index.unwrap_or(EventIndex(0));
            omissions.event(logged, OmissionReason::Summarised { by });
        } else {
            items.push(Item::plain(logged));
        }
    }
    items.reverse();
    items
}

fn summary(logged: &LoggedEvent) -> Item<'_> {
    let compacted =
        logged.event.actions.compaction.as_ref().and_then(|compaction| compaction.compacted_content.as_ref());
    let origin = |part: usize| match logged.index {
        Some(event) => Origin::Summary { event, part: part as u16 },
        None => Origin::processor("compaction"),
    };
    let content = compacted.map(|content| Arc::new(RequestContent::from_content(content, origin)));
    Item { source: logged, words: Words::Other(content), role: ItemRole::Summary }
}

/// The last of the summaries whose range holds the event.
fn covering(kept: &[&LoggedEvent], ranges: &[SummaryRange], logged: &LoggedEvent) -> EventIndex {
    let timestamp = logged.event.timestamp;
    let holds = |range: &&SummaryRange| range.start <= timestamp && timestamp <= range.end;
    let range = ranges.iter().rfind(holds).or(ranges.last());
    range.and_then(|range| kept[range.at].index).unwrap_or(EventIndex(0))
}

/// Puts a call back that a summary covers while a response to it survives, before the first such response, together
/// with the latest responses to the calls beside it.
fn with_recovered_calls<'e>(items: Vec<Item<'e>>, kept: &[&'e LoggedEvent]) -> Vec<Item<'e>> {
    if !items.iter().any(Item::has_responses) {
        return items;
    }
    let owners = Owners::of(kept, &items);
    let mut recovered: Vec<Item<'e>> = Vec::with_capacity(items.len());
    // An event may hold calls and answers, and is put back for each.
    let mut calls_back: HashSet<EventPtr> = HashSet::new();
    let mut responses_back: HashSet<EventPtr> = HashSet::new();
    for item in items {
        let owners_missing: Vec<&'e LoggedEvent> = item
            .responses()
            .filter(|_| item.role == ItemRole::Plain)
            .filter_map(|response| owners.missing_call(item.source, truthy(response.id.as_deref())?))
            .collect();
        for call in owners_missing {
            if calls_back.insert(std::ptr::from_ref(call)) {
                recovered.push(Item::plain(call));
                for response in owners.lost_responses(call) {
                    if responses_back.insert(std::ptr::from_ref(response)) {
                        recovered.push(Item::plain(response));
                    }
                }
            }
        }
        recovered.push(item);
    }
    recovered
}

type EventPtr = *const LoggedEvent;

/// Which call each response answers, before anything was substituted.
struct Owners<'e> {
    present: HashSet<EventPtr>,
    call_of_response: HashMap<(EventPtr, &'e str), &'e LoggedEvent>,
    /// The latest response to each call, by time.
    response_of_call: HashMap<(EventPtr, &'e str), &'e LoggedEvent>,
    /// Calls with a response that survives.
    answered: HashSet<(EventPtr, &'e str)>,
}

impl<'e> Owners<'e> {
    fn of(kept: &[&'e LoggedEvent], items: &[Item<'e>]) -> Self {
        let plain = items.iter().filter(|item| item.role == ItemRole::Plain);
        let mut owners = Self {
            present: plain.map(|item| std::ptr::from_ref(item.source)).collect(),
            call_of_response: HashMap::new(),
            response_of_call: HashMap::new(),
            answered: HashSet::new(),
        };
        let mut latest_call: HashMap<&'e str, &'e LoggedEvent> = HashMap::new();
        for logged in kept {
            let logged: &'e LoggedEvent = logged;
            for call in logged.event.function_calls() {
                if let Some(id) = truthy(call.id.as_deref()) {
                    latest_call.insert(id, logged);
                }
            }
            for response in logged.event.function_responses() {
                let Some(id) = truthy(response.id.as_deref()) else { continue };
                let Some(call) = latest_call.get(id).copied() else { continue };
                owners.add(logged, id, call);
            }
        }
        owners
    }

    fn add(&mut self, response: &'e LoggedEvent, id: &'e str, call: &'e LoggedEvent) {
        self.call_of_response.insert((std::ptr::from_ref(response), id), call);
        let key = (std::ptr::from_ref(call), id);
        if self.present.contains(&std::ptr::from_ref(response)) {
            self.answered.insert(key);
        }
        let known = self.response_of_call.get(&key);
        if known.is_none_or(|known| response.event.timestamp >= known.event.timestamp) {
            self.response_of_call.insert(key, response);
        }
    }

    fn missing_call(&self, response: &LoggedEvent, id: &str) -> Option<&'e LoggedEvent> {
        let call = *self.call_of_response.get(&(std::ptr::from_ref(response), id))?;
        (!self.present.contains(&std::ptr::from_ref(call))).then_some(call)
    }

    /// For each call of the event without a surviving response: its latest response.
    fn lost_responses(&self, call: &'e LoggedEvent) -> impl Iterator<Item = &'e LoggedEvent> {
        call.event.function_calls().filter_map(move |sibling| {
            let key = (std::ptr::from_ref(call), truthy(sibling.id.as_deref())?);
            if self.answered.contains(&key) { None } else { self.response_of_call.get(&key).copied() }
        })
    }
}
