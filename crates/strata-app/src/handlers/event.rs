//! The event table, and one event.

use std::sync::Arc;

use strata_engine::processors::explain_omission;
use strata_measure::analysis::{CarriedTokens, EventFinder, Kind};
use strata_model::{Event, EventIndex, FromJson as _, Json, json};

use super::filter::Filter;
use super::findings;
use super::{chain, event_content};
use crate::Strata;
use crate::api::common::{CallRange, ChainStep};
use crate::api::event::{
    CarriedBy, EventDetail, EventEdit, EventOrder, EventPage, EventRow, Get, LabelledNumber, Page,
    StateChange, Stratum, StratumRun, StratumRuns,
};
use crate::command::Handler;
use crate::error::AppError;
use crate::open::{OpenSession, UsedEvents};
use crate::show::words;
use crate::tables::Tables;

const RAW_LIMIT: usize = 20_000;
const VALUE_LIMIT: usize = 2_000;

impl Handler for Page {
    fn run(self, strata: &Strata) -> Result<EventPage, AppError> {
        let open = strata.sessions.get(&self.session)?;
        let used = used_events(&open, &strata.tables);
        let used = match self.within {
            Some(CallRange { from, to }) => open.events().used_within(&open.analysis(), &used, (from, to)),
            None => used,
        };
        let page = |places: &[u32], error| EventPage {
            total: places.len() as u32,
            of: open.events().facts().len() as u32,
            rows: places
                .iter()
                .skip(self.offset as usize)
                .take(self.limit as usize)
                .map(|at| row(&open, &used, *at as usize))
                .collect(),
            max_lifetime_tokens: used.max_lifetime as f64,
            filter_error: error,
        };
        let order: Vec<u32> = match self.order {
            EventOrder::InOrder => (0..open.events().facts().len() as u32).collect(),
            EventOrder::ByLifetime => used.by_lifetime.clone(),
            EventOrder::BySize => used.by_size.clone(),
        };
        if self.filter.trim().is_empty() {
            return Ok(page(&order, None));
        }
        Ok(match Filter::parse(&self.filter, &open) {
            Err(error) => page(&[], Some(error)),
            Ok(filter) => {
                let places: Vec<u32> =
                    order.into_iter().filter(|at| filter.matches(&open, &used, *at as usize)).collect();
                page(&places, None)
            }
        })
    }
}

/// What the events cost by now.
pub(super) fn used_events(open: &OpenSession, tables: &Tables) -> Arc<UsedEvents> {
    let analysis = open.analysis();
    let scale = analysis.calls().first().and_then(|call| open.scale(&analysis, tables, call).ok());
    open.events().used(&analysis, scale, open.experiment.calls().len())
}

pub(super) fn row(open: &OpenSession, used: &UsedEvents, at: usize) -> EventRow {
    let facts = &open.events().facts()[at];
    let usage = used.uses[at];
    let event = &open.experiment.session().events[at];
    EventRow {
        event: at as u32 + 1,
        call: facts.call,
        agent: facts.agent.to_string(),
        kind: facts.kind.into(),
        tool: facts.tools.first().map_or(String::new(), ToString::to_string),
        what: facts.what.clone(),
        tokens: used.tokens[at],
        sent_in: usage.calls,
        lifetime_tokens: usage.lifetime as f64,
        fresh_tokens: (usage.lifetime - usage.matched) as f64,
        carried_by: carried_by(usage),
        is_error: facts.error.is_some(),
        is_silent: facts.is_silent,
        time_ms: (event.timestamp > 0.0).then_some(event.timestamp * 1000.0),
        edits: event_edits(open, EventIndex(at as u32)),
    }
}

fn event_edits(open: &OpenSession, at: EventIndex) -> Vec<EventEdit> {
    let Some(change) = open.experiment.event_change(at) else { return Vec::new() };
    let edits = [
        (change.is_dropped, EventEdit::Dropped),
        (change.edited.is_some(), EventEdit::Edited),
        (change.is_pinned && !change.is_dropped, EventEdit::Pinned),
    ];
    edits.into_iter().filter(|(is_so, _)| *is_so).map(|(_, edit)| edit).collect()
}

fn carried_by(usage: strata_measure::analysis::UseTotals) -> String {
    match (usage.first_call, usage.last_call) {
        (0, _) => String::new(),
        (first, last) if first == last => format!("C{first}"),
        (first, last) => format!("C{first}–C{last}"),
    }
}

fn index(open: &OpenSession, number: u32) -> Result<EventIndex, AppError> {
    let n_events = open.events().facts().len();
    let at = number.checked_sub(1).filter(|at| (*at as usize) < n_events);
    at.map(EventIndex).ok_or_else(|| {
        AppError::not_found(format!("E{number} is not in this session. Its last event is E{n_events}."))
    })
}

impl Handler for Get {
    fn run(self, strata: &Strata) -> Result<EventDetail, AppError> {
        let open = strata.sessions.get(&self.session)?;
        let at = index(&open, self.event)?;
        let used = used_events(&open, &strata.tables);
        let analysis = open.analysis();
        let event = open.experiment.event(at).ok_or_else(|| AppError::internal("An event got lost."))?;
        let facts = &open.events().facts()[at.as_usize()];
        let usage = used.uses[at.as_usize()];
        let carriers = analysis.ledger().carriers(at);
        let caches = open.caches(&analysis, &strata.tables)?;
        let (rates, sent) = (open.rates(&analysis, &caches, &strata.tables.prices), used.sent);
        // A summary that an experiment laid over the session is in no recording.
        let stored = strata.workspace.store().event_json(&open.id, at.0)?;
        let raw = stored.unwrap_or_else(|| json::to_compact(&event.to_json()));
        let raw = json::parse(raw.as_bytes()).map_or(raw, |raw| json::to_pretty(&raw));
        let cut_raw = words::cut(&raw, RAW_LIMIT);
        let row = row(&open, &used, at.as_usize());
        Ok(EventDetail {
            title: title(event, facts.kind, &row.tool),
            subtitle: subtitle(event, facts.kind, &row),
            id: event.id.to_string(),
            invocation: event.invocation_id.to_string(),
            branch: event.branch.as_ref().map(ToString::to_string),
            size: event_content::size(&open, &analysis, &strata.tables, open.events().content(at)),
            calls: usage.calls,
            share: if sent == 0 { 0.0 } else { usage.lifetime as f64 / sent as f64 },
            cached_tokens: usage.matched as f64,
            cost_usd: carriers
                .iter()
                .map(|it| rates.of_calls((it.first_call, it.last_call), it.tokens, it.matched))
                .sum(),
            by_call: carriers
                .iter()
                .map(|carried| CarriedBy {
                    from: carried.first_call,
                    to: carried.last_call,
                    tokens: carried.tokens,
                    cached_tokens: carried.matched,
                })
                .collect(),
            fate: fate(&open, &row, at),
            chain: chain_of(&open, at, carriers.first()),
            parts: event_content::parts(&open, &analysis, &strata.tables, event, open.events().content(at)),
            recorded: event_content::recorded(&open, &analysis, &strata.tables, at),
            content: event_content::as_json(event).filter(|text| text.len() <= RAW_LIMIT),
            state_delta: state_delta(&open, at),
            artifacts: event.actions.artifact_delta.keys().map(ToString::to_string).collect(),
            transfer_to: event.actions.transfer_to_agent.as_ref().map(ToString::to_string),
            usage: reported(event),
            error: facts.error.clone(),
            findings: findings::of_event(&open, &analysis, &strata.tables, at),
            is_raw_cut: cut_raw.len() != raw.len(),
            raw: cut_raw,
            row,
        })
    }
}

fn title(event: &Event, kind: Kind, tool: &str) -> String {
    match kind {
        Kind::Result if !tool.is_empty() => format!("{tool} result"),
        Kind::Model if !tool.is_empty() => format!("{tool} call"),
        Kind::Summary => "Summary".to_owned(),
        Kind::User => "User message".to_owned(),
        _ if event.parts().is_empty() => "Event without content".to_owned(),
        _ => "Model message".to_owned(),
    }
}

fn subtitle(event: &Event, kind: Kind, row: &EventRow) -> String {
    let label = match kind {
        Kind::Result => "tool result",
        Kind::Summary => "compaction",
        Kind::Model if !row.tool.is_empty() => "tool call",
        _ if event.parts().is_empty() => "no content",
        _ => "message",
    };
    let call = row.call.map(|call| format!("call C{call}"));
    let writer = event.model_version.as_ref().filter(|_| kind == Kind::Summary).map(|by| format!("by {by}"));
    [Some(row.agent.clone()), call, Some(label.to_owned()), writer]
        .into_iter()
        .flatten()
        .collect::<Vec<_>>()
        .join(" · ")
}

/// What became of it.
fn fate(open: &OpenSession, row: &EventRow, at: EventIndex) -> String {
    if row.edits.contains(&EventEdit::Dropped) {
        return "Dropped by an edit: in no history".to_owned();
    }
    let summary = chain::summarised_by(open, at);
    if row.carried_by.is_empty() {
        return match (never_sent(open, at), summary) {
            (Some(reason), _) => format!("Never sent: {reason}"),
            (None, Some(summary)) => format!("Never sent before E{} summarised it", summary.number()),
            (None, None) => "Never sent".to_owned(),
        };
    }
    let last_call = row.carried_by.rsplit(['C', '–']).next().and_then(|number| number.parse::<u32>().ok());
    let n_calls = open.experiment.calls().len() as u32;
    match summary {
        _ if last_call == Some(n_calls) => format!("{}, still sent", row.carried_by),
        Some(summary) => format!("{}, then summarised by E{}", row.carried_by, summary.number()),
        None => row.carried_by.clone(),
    }
}

/// The rule that kept an event out of the first call after it.
fn never_sent(open: &OpenSession, at: EventIndex) -> Option<String> {
    let next = open.experiment.calls().iter().find(|call| call.n_events() > at.as_usize());
    let Some(next) = next else { return Some("no call came after it".to_owned()) };
    explain_omission(&open.experiment.context(next)?, at).map(|reason| reason.explanation())
}

fn chain_of(open: &OpenSession, at: EventIndex, first: Option<&CarriedTokens>) -> Vec<ChainStep> {
    let mut steps = chain::of_event(open, at);
    if let Some(first) = first {
        steps.push(ChainStep {
            is_code: true,
            ..chain::step(
                None,
                Some(format!("C{}/contents", first.first_call)),
                "contents",
                format!("put it into C{}, {} tokens", first.first_call, words::whole(first.tokens)),
            )
        });
    }
    if let Some(summary) = chain::summarised_by(open, at) {
        let name = format!("E{}", summary.number());
        steps.push(chain::step(Some(Kind::Summary), Some(name.clone()), &name, "a summary replaced it"));
    }
    steps
}

fn state_delta(open: &OpenSession, at: EventIndex) -> Vec<StateChange> {
    let event = &open.experiment.session().events[at.as_usize()];
    let before = open.experiment.states().at(at.as_usize());
    let text = |value: &Json| words::cut(&json::to_compact(value), VALUE_LIMIT);
    let changes = event.actions.state_delta.iter().map(|(key, value)| StateChange {
        key: key.to_string(),
        before: before.get(key).known().map(text),
        after: text(value),
    });
    changes.collect()
}

fn reported(event: &Event) -> Vec<LabelledNumber> {
    let Some(usage) = &event.usage_metadata else { return Vec::new() };
    let numbers = [
        ("Input tokens", usage.prompt_token_count),
        ("Cached tokens", usage.cached_content_token_count),
        ("Tool-use input tokens", usage.tool_use_prompt_token_count),
        ("Output tokens", usage.visible_tokens()),
        ("Thought tokens", usage.thought_tokens()),
        ("Total tokens", usage.total_token_count),
    ];
    let known = numbers.into_iter().filter_map(|(label, value)| Some((label, value?)));
    known.map(|(label, value)| LabelledNumber { label: label.to_owned(), value: value as f64 }).collect()
}

impl Handler for Stratum {
    fn run(self, strata: &Strata) -> Result<StratumRuns, AppError> {
        let open = strata.sessions.get(&self.session)?;
        let at = index(&open, self.event)?;
        let analysis = open.analysis();
        let caches = open.caches(&analysis, &strata.tables)?;
        let mut finder = EventFinder::new(at);
        let mut runs: Vec<StratumRun> = Vec::new();
        for carried in analysis.ledger().carriers(at) {
            for number in carried.first_call.max(self.calls.from)..=carried.last_call.min(self.calls.to) {
                let Some(call) = analysis.call(number) else { continue };
                let scale = open.scale(&analysis, &strata.tables, call)?;
                let Some(known) = finder.tokens_before(&call.request, &scale) else { continue };
                // What is hidden stands first.
                let hidden = caches.call(number).map_or(0, |paid| paid.bill.hidden_tokens());
                let (from_token, tokens) = (known + hidden, carried.tokens);
                match runs.last_mut() {
                    Some(run)
                        if run.to + 1 == number && (run.from_token, run.tokens) == (from_token, tokens) =>
                    {
                        run.to = number;
                    }
                    _ => runs.push(StratumRun { from: number, to: number, from_token, tokens }),
                }
            }
        }
        Ok(StratumRuns { runs })
    }
}
