//! The agents of a session, and where one goes on after another.

use std::collections::{HashMap, HashSet};

use strata_engine::{AgentId, AppIndex};
use strata_measure::analysis::{BillTotals, CallCache};
use strata_measure::stores::{HandOff, Via, hand_offs};
use strata_wire::{Item, definitions};

use super::CompiledSession;
use crate::api::stores::{AgentRow, HandOffOrder, HandOffRow, HandOffVia};
use crate::show::breaks;

/// The agents of the app, each below the one that it belongs to, then those that are only in the events.
pub(crate) fn agent_rows(of: CompiledSession<'_>) -> Vec<AgentRow> {
    let index = of.experiment.index();
    let mut rows: Vec<AgentRow> = Vec::new();
    let mut named: HashSet<&str> = HashSet::new();
    for id in in_tree_order(index) {
        let name = &*index.agent(id).name;
        if named.insert(name) {
            rows.push(row(of, name, depth(index, id)));
        }
    }
    for call in &of.caches.calls {
        if named.insert(&call.agent) {
            rows.push(row(of, &call.agent, 0));
        }
    }
    rows
}

fn in_tree_order(index: &AppIndex) -> Vec<AgentId> {
    let mut below: HashMap<Option<AgentId>, Vec<AgentId>> = HashMap::new();
    for id in index.ids() {
        below.entry(index.parent(id)).or_default().push(id);
    }
    let mut order = Vec::new();
    // The next one is at the end. Whoever is put down is taken off the map, so nobody is met twice.
    let mut open: Vec<AgentId> = below.remove(&None).unwrap_or_default();
    open.reverse();
    while let Some(id) = open.pop() {
        order.push(id);
        open.extend(below.remove(&Some(id)).into_iter().flatten().rev());
    }
    order
}

fn depth(index: &AppIndex, id: AgentId) -> u32 {
    std::iter::successors(index.parent(id), |above| index.parent(*above)).take(64).count() as u32
}

fn row(of: CompiledSession<'_>, name: &str, depth: u32) -> AgentRow {
    let is_of_agent = |call: &&CallCache| *call.agent == *name;
    let last = of.caches.calls.iter().rev().find(is_of_agent);
    let request = last.and_then(|last| of.analysis.call(last.call)).map(|call| &call.request);
    let is_tool = |item: &Item<'_>| matches!(item, Item::Declaration(_) | Item::BuiltInTool { .. });
    let tools = request.map_or(0, |request| definitions(request).filter(|part| is_tool(&part.item)).count());
    AgentRow {
        name: name.to_owned(),
        depth,
        model: last.map_or_else(String::new, |last| last.model.to_string()),
        tools: tools as u32,
        bill: BillTotals::of(of.caches.calls.iter().filter(is_of_agent).map(|call| &call.bill)).into(),
    }
}

/// Every hand-off among the calls that are compiled, in order.
pub(crate) fn hand_off_rows(of: CompiledSession<'_>) -> Vec<HandOffRow> {
    let found = hand_offs(of.experiment, of.analysis.calls().len());
    let rows = found.iter().enumerate();
    rows.filter_map(|(at, hand_off)| hand_off_row(of, at as u32 + 1, hand_off)).collect()
}

fn hand_off_row(of: CompiledSession<'_>, number: u32, hand_off: &HandOff) -> Option<HandOffRow> {
    let (from, to) = (of.analysis.call(hand_off.from)?, of.analysis.call(hand_off.to)?);
    let (before, after) = (of.caches.call(hand_off.from)?, of.caches.call(hand_off.to)?);
    let note = match (after.broken(), to.previous) {
        (Some(loss), _) => format!(
            "{}: {}",
            breaks::title(&loss.cause, &after.agent),
            breaks::detail(&loss.cause, of.experiment)
        ),
        (None, None) => format!("first prompt of {}", after.agent),
        (None, Some(previous)) => format!("continues C{previous}"),
    };
    Some(HandOffRow {
        number,
        from_call: hand_off.from,
        to_call: hand_off.to,
        from: before.agent.to_string(),
        to: after.agent.to_string(),
        via: match hand_off.via {
            Via::Transfer => HandOffVia::Transfer,
            Via::Started => HandOffVia::Started,
            Via::Returned => HandOffVia::Returned,
            Via::Flow => HandOffVia::Flow,
        },
        event: hand_off.event.map(strata_model::EventIndex::number),
        from_tokens: from.total.tokens,
        to_tokens: to.total.tokens,
        basis: from.total.basis.max(to.total.basis).into(),
        prompt_tokens: after.bill.prompt_tokens,
        cached_tokens: after.bill.cached_tokens,
        is_cache_reported: after.bill.is_cache_reported,
        is_cache_unsaid: after.bill.is_cache_unsaid,
        cost_usd: after.bill.cost.map(|cost| cost.known + cost.hidden),
        is_unpaid: after.bill.is_unpaid,
        note: note.trim_end_matches(": ").to_owned(),
    })
}

pub(crate) fn in_order_of(order: HandOffOrder, rows: &mut [HandOffRow]) {
    match order {
        HandOffOrder::InOrder => {}
        HandOffOrder::ByCost => rows.sort_by(|a, b| {
            let full = |row: &HandOffRow| row.prompt_tokens.saturating_sub(row.cached_tokens);
            b.cost_usd.unwrap_or(0.0).total_cmp(&a.cost_usd.unwrap_or(0.0)).then(full(b).cmp(&full(a)))
        }),
        HandOffOrder::ByPair => rows.sort_by(|a, b| (&a.from, &a.to).cmp(&(&b.from, &b.to))),
    }
}
