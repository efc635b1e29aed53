//! google-adk's triggers: when a session is compacted, and which of its events.

use std::sync::Arc;

use strata_model::app::EventsCompactionConfig;
use strata_model::{Branch, Json, NodePath, RequestContent, Str, json, python};

use super::prefix::{longest_self_contained, split_before_retained};
use super::size::WorthCheck;
use super::window::{Trigger, Window};
use crate::contents::{ContentsScope, HistoryRules, Omissions, build_contents};
use crate::log::{EventView, Facts, LoggedEvent, live_events, surviving_ranges};

/// Whose prompt the token trigger looks at.
#[derive(Debug, Clone, Copy)]
pub struct TokenScope<'s> {
    /// Empty after an invocation: then any agent's count will do.
    pub agent_name: &'s str,
    pub branch: Option<&'s Str>,
    pub isolation_scope: Option<&'s str>,
}

impl TokenScope<'_> {
    /// After an invocation: the root, outside of any branch or scope.
    pub const ROOT: Self = Self { agent_name: "", branch: None, isolation_scope: None };
}

/// What a trigger decided.
#[derive(Debug, Clone)]
pub struct Decision<'e> {
    pub window: Option<Window<'e>>,
    /// The prompt size the token trigger went by. `None`: unknown, or the trigger is not configured.
    pub prompt_tokens: Option<u64>,
    pub worth: Option<WorthCheck>,
}

impl Decision<'_> {
    const NOTHING: Self = Self { window: None, prompt_tokens: None, worth: None };
}

/// What compacting after an invocation would do: the token trigger goes first, then the sliding window. Should the
/// summary of a token window come to nothing, [`sliding_window`] has its turn all the same.
pub fn after_invocation<'e>(events: EventView<'e>, config: &EventsCompactionConfig) -> Decision<'e> {
    let by_tokens = token_threshold(events, config, TokenScope::ROOT);
    if by_tokens.window.is_some() {
        return by_tokens;
    }
    let by_window = sliding_window(events, config);
    Decision {
        prompt_tokens: by_tokens.prompt_tokens,
        worth: by_window.worth.or(by_tokens.worth),
        window: by_window.window,
    }
}

/// The token trigger, as checked before every call and after every invocation.
pub fn token_threshold<'e>(
    events: EventView<'e>,
    config: &EventsCompactionConfig,
    scope: TokenScope<'_>,
) -> Decision<'e> {
    let (Some(threshold), Some(retention)) = (config.token_threshold, config.event_retention_size) else {
        return Decision::NOTHING;
    };
    let live = live_events(events.iter(), |_| {});
    let prompt_tokens = latest_prompt_tokens(&live, scope);
    let nothing = Decision { prompt_tokens, ..Decision::NOTHING };
    if prompt_tokens.is_none_or(|tokens| (tokens as i64) < threshold) {
        return nothing;
    }
    let scoped: Vec<&LoggedEvent> = in_scope(&live, scope.isolation_scope);
    let Some(window) = token_window(&scoped, retention.max(0) as usize) else { return nothing };
    if_worth(window, &scoped, prompt_tokens)
}

/// The history of a scope with its summaries. System texts are left out as they are of the messages of requests: no summary
/// takes them away, so they neither count nor are read. google-adk's own sessions have none.
pub(super) fn in_scope<'e>(
    events: &[&'e LoggedEvent],
    isolation_scope: Option<&str>,
) -> Vec<&'e LoggedEvent> {
    events
        .iter()
        .filter(|logged| {
            logged.event.isolation_scope.as_deref() == isolation_scope && !logged.is(Facts::SYSTEM_TEXT)
        })
        .copied()
        .collect()
}

fn token_window<'e>(events: &[&'e LoggedEvent], retention: usize) -> Option<Window<'e>> {
    let latest = surviving_ranges(events).last().copied();
    let covered_until = latest.map_or(0.0, |range| range.end);
    let candidates: Vec<&LoggedEvent> = events
        .iter()
        .filter(|logged| !logged.is(Facts::COMPACTION) && logged.event.timestamp > covered_until)
        .copied()
        .collect();
    if candidates.len() <= retention {
        return None;
    }
    let end = if retention == 0 { candidates.len() } else { split_before_retained(&candidates, retention) };
    let window = longest_self_contained(&candidates[..end], events);
    let seed = latest.map(|range| events[range.at]);
    (!window.is_empty()).then(|| Window { trigger: Trigger::TokenThreshold, seed, events: window.to_vec() })
}

/// The sliding window: after so many new invocations, together with some earlier ones.
pub fn sliding_window<'e>(events: EventView<'e>, config: &EventsCompactionConfig) -> Decision<'e> {
    let (Some(interval), Some(overlap)) = (config.compaction_interval, config.overlap_size) else {
        return Decision::NOTHING;
    };
    let live = live_events(events.iter(), |_| {});
    let unscoped = in_scope(&live, None);
    match invocation_window(&unscoped, interval, overlap.max(0) as usize) {
        Some(window) => if_worth(window, &unscoped, None),
        None => Decision::NOTHING,
    }
}

fn invocation_window<'e>(events: &[&'e LoggedEvent], interval: i64, overlap: usize) -> Option<Window<'e>> {
    let end_of = |logged: &&LoggedEvent| {
        logged.event.actions.compaction.as_ref()?.end_timestamp.filter(|end| *end != 0.0)
    };
    let covered_until = events.iter().rev().find_map(end_of).unwrap_or(0.0);
    let mut invocations: Vec<(&Str, f64)> = Vec::new();
    let spoken = events
        .iter()
        .filter(|logged| !logged.is(Facts::COMPACTION) && !logged.event.invocation_id.is_empty());
    for logged in spoken {
        let (id, timestamp) = (&logged.event.invocation_id, logged.event.timestamp.max(0.0));
        match invocations.iter_mut().rfind(|(known, _)| *known == id) {
            Some((_, latest)) => *latest = latest.max(timestamp),
            None => invocations.push((id, timestamp)),
        }
    }
    let is_new = |(_, latest): &(&Str, f64)| *latest > covered_until;
    let first_new = invocations.iter().position(is_new)?;
    let last_new = invocations.iter().rposition(is_new)?;
    if (invocations.iter().filter(|invocation| is_new(invocation)).count() as i64) < interval {
        return None;
    }
    let start_id = invocations[first_new.saturating_sub(overlap)].0;
    let end_id = invocations[last_new].0;
    let start = events.iter().position(|logged| logged.event.invocation_id == *start_id)?;
    let end = events.iter().rposition(|logged| logged.event.invocation_id == *end_id)?;
    let window: Vec<&LoggedEvent> =
        events.get(start..=end)?.iter().filter(|logged| !logged.is(Facts::COMPACTION)).copied().collect();
    let window = longest_self_contained(&window, events);
    (!window.is_empty()).then(|| Window {
        trigger: Trigger::SlidingWindow,
        seed: None,
        events: window.to_vec(),
    })
}

/// ADK pays for a summary only where the window can shrink the prompt by more than the last summary was long.
fn if_worth<'e>(window: Window<'e>, events: &[&'e LoggedEvent], prompt_tokens: Option<u64>) -> Decision<'e> {
    let worth = WorthCheck::of(&window, events);
    let window = worth.is_worth().then_some(window);
    Decision { window, prompt_tokens, worth: Some(worth) }
}

/// The prompt size to go by: what was last reported since the last summary, else a quarter of the characters of the
/// contents. System instruction and tools are not counted.
fn latest_prompt_tokens(live: &[&LoggedEvent], scope: TokenScope<'_>) -> Option<u64> {
    let scoped =
        live.iter().rev().filter(|logged| logged.event.isolation_scope.as_deref() == scope.isolation_scope);
    for logged in scoped.take_while(|logged| !logged.is(Facts::COMPACTION)) {
        let is_own = scope.agent_name.is_empty() || *logged.event.author == *scope.agent_name;
        let reported = logged.event.usage_metadata.as_ref().and_then(|usage| usage.prompt_token_count);
        if let Some(tokens) = reported.filter(|_| is_own) {
            return Some(tokens);
        }
    }
    estimated_prompt_tokens(live, scope)
}

fn estimated_prompt_tokens(live: &[&LoggedEvent], scope: TokenScope<'_>) -> Option<u64> {
    let contents_scope = ContentsScope {
        agent_name: scope.agent_name,
        branch: Branch::of(scope.branch),
        isolation_scope: scope.isolation_scope,
        node_path: &NodePath::default(),
        is_single_turn: false,
        include_thoughts: false,
        keep_client_ids: false,
        user_content: None,
        rules: HistoryRules::KNOWN,
    };
    let contents = build_contents(live, &contents_scope, &mut Omissions::default());
    let characters: usize = contents.iter().map(characters).sum();
    (characters > 0).then_some((characters / 4) as u64)
}

fn characters(content: &Arc<RequestContent>) -> usize {
    let dumped = |object: &Option<Arc<strata_model::Object>>| {
        object
            .as_deref()
            .filter(|object| !object.is_empty())
            .map_or(0, |object| python::len(&json::to_ascii(&Json::Object(object.clone()))))
    };
    let named = |name: &Option<Str>| name.as_deref().map_or(0, python::len);
    let count = |part: &strata_model::RequestPart| {
        let part = &part.part;
        part.text.as_deref().map_or(0, python::len)
            + part.function_call.as_ref().map_or(0, |call| named(&call.name) + dumped(&call.args))
            + part
                .function_response
                .as_ref()
                .map_or(0, |response| named(&response.name) + dumped(&response.response))
    };
    content.parts.iter().map(count).sum()
}
