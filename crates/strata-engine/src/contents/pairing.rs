//! Calls and responses are brought together, and what has no partner is left out (`ADK.md` 3.9).

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use strata_model::{FunctionCall, FunctionResponse, RequestPart, Str};

use super::item::{Item, ItemRole, truthy};
use super::omission::Omissions;
use super::rules::HistoryRules;
use crate::log::OmissionReason;

/// Whether more of the history follows.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    /// The history ends here: its last event may be an answer that is shown out of its place.
    Last,
    Open,
}

/// Brings calls and responses together, once [`without_orphan_responses`] has been applied.
pub(super) fn pair<'e>(
    mut items: Vec<Item<'e>>,
    end: End,
    rules: HistoryRules,
    omissions: &mut Omissions,
) -> Vec<Item<'e>> {
    if end == End::Last {
        items = with_latest_response_at_its_call(items, omissions);
    }
    let items = with_responses_at_their_calls(items, rules, omissions);
    if rules.drops_unanswered_calls() { without_unanswered_calls(items, omissions) } else { items }
}

/// Drops responses that no earlier event asked for. A response without id is matched by its tool's name.
pub(super) fn without_orphan_responses<'e>(items: Vec<Item<'e>>, omissions: &mut Omissions) -> Vec<Item<'e>> {
    let mut ids: HashSet<Str> = HashSet::new();
    let mut names_without_id: HashSet<Str> = HashSet::new();
    let mut out = Vec::with_capacity(items.len());
    for item in items {
        let is_matched = |response: &FunctionResponse| match truthy(response.id.as_deref()) {
            Some(id) => ids.contains(id),
            None => truthy(response.name.as_deref()).is_some_and(|name| names_without_id.contains(name)),
        };
        let is_orphan = |part: &RequestPart| {
            part.part.function_response.as_ref().is_some_and(|response| !is_matched(response))
        };
        let kept = if item.responses().any(|response| !is_matched(response)) {
            let (orphans, kept): (Vec<_>, Vec<_>) = item.parts().iter().cloned().partition(is_orphan);
            for part in &orphans {
                omissions.orphan_response(part.part.function_response.as_ref().and_then(|r| r.id.as_deref()));
                omissions.part(item.source, part, OmissionReason::OrphanResponse);
            }
            (!kept.is_empty()).then(|| item.with_parts(kept))
        } else {
            Some(item.clone())
        };
        for call in item.calls() {
            match (given(call.id.as_ref()), given(call.name.as_ref())) {
                (Some(id), _) => {
                    ids.insert(id.clone());
                }
                (None, Some(name)) => {
                    names_without_id.insert(name.clone());
                }
                (None, None) => {}
            }
        }
        out.extend(kept);
    }
    out
}

fn given(text: Option<&Str>) -> Option<&Str> {
    text.filter(|text| !text.is_empty())
}

/// Which events hold the calls of an id, or of a tool where there are no ids.
struct CallIndex {
    by_id: HashMap<Str, Vec<usize>>,
    by_name: HashMap<Str, Vec<usize>>,
}

impl CallIndex {
    fn of(items: &[Item<'_>]) -> Self {
        let mut index = Self { by_id: HashMap::new(), by_name: HashMap::new() };
        for (at, item) in items.iter().enumerate() {
            for call in item.calls() {
                match (given(call.id.as_ref()), given(call.name.as_ref())) {
                    (Some(id), _) => index.by_id.entry(id.clone()).or_default().push(at),
                    (None, Some(name)) => index.by_name.entry(name.clone()).or_default().push(at),
                    (None, None) => {}
                }
            }
        }
        index
    }

    /// The last event before `end` that holds the call a response answers.
    fn owner(&self, response: &FunctionResponse, end: usize) -> Option<usize> {
        let calls = match truthy(response.id.as_deref()) {
            Some(id) => self.by_id.get(id)?,
            None => self.by_name.get(truthy(response.name.as_deref())?)?,
        };
        calls[..calls.partition_point(|at| *at < end)].last().copied()
    }
}

/// Where the last event answers a call that is not right before it, everything between the two is left out for this
/// one request: the answer is shown at its call, and the history ends there.
fn with_latest_response_at_its_call<'e>(items: Vec<Item<'e>>, omissions: &mut Omissions) -> Vec<Item<'e>> {
    let Some(trailing) = items.last().filter(|last| items.len() >= 2 && last.has_responses()) else {
        return items;
    };
    let index = CallIndex::of(&items);
    let end = items.len() - 1;
    let mut answers: BTreeMap<usize, Vec<RequestPart>> = BTreeMap::new();
    let mut rest: Vec<RequestPart> = Vec::new();
    for part in trailing.parts() {
        match &part.part.function_response {
            Some(response) => {
                if let Some(owner) = index.owner(response, end) {
                    answers.entry(owner).or_default().push(part.clone());
                }
            }
            None => rest.push(part.clone()),
        }
    }
    let Some(mut last_answers) = answers.last_entry() else { return items };
    last_answers.get_mut().extend(rest);
    let latest = *last_answers.key();
    if latest == end - 1 && answers.len() == 1 {
        return items;
    }
    let mut out = Vec::with_capacity(latest + 2);
    for (at, item) in items.iter().enumerate() {
        if at > latest {
            if at < end && !has_answer_to(item, at, &index, &answers) {
                omissions.event(item.source, OmissionReason::WhileWaiting);
            }
            continue;
        }
        out.extend(without_answers_to(item, at, &index, &answers, omissions));
        if answers.contains_key(&at) {
            out.push(merged_answers(&items, at, &index, &answers));
        }
    }
    out
}

fn has_answer_to(
    item: &Item<'_>,
    at: usize,
    index: &CallIndex,
    answers: &BTreeMap<usize, Vec<RequestPart>>,
) -> bool {
    item.responses()
        .any(|response| index.owner(response, at).is_some_and(|owner| answers.contains_key(&owner)))
}

/// The event without responses to the calls that are answered elsewhere; `None` when no call or response is left.
fn without_answers_to<'e>(
    item: &Item<'e>,
    at: usize,
    index: &CallIndex,
    answers: &BTreeMap<usize, Vec<RequestPart>>,
    omissions: &mut Omissions,
) -> Option<Item<'e>> {
    if !item.has_responses() {
        return Some(item.clone());
    }
    let is_answered = |part: &RequestPart| {
        let response = part.part.function_response.as_deref();
        response
            .and_then(|response| index.owner(response, at))
            .is_some_and(|owner| answers.contains_key(&owner))
    };
    let kept: Vec<RequestPart> = item.parts().iter().filter(|part| !is_answered(part)).cloned().collect();
    for part in item.parts().iter().filter(|part| is_answered(part)) {
        omissions.part(item.source, part, OmissionReason::SupersededResponse);
    }
    let is_useful =
        |part: &RequestPart| part.part.function_response.is_some() || part.part.function_call.is_some();
    if !kept.iter().any(is_useful) {
        return None;
    }
    Some(if kept.len() == item.parts().len() { item.clone() } else { item.with_parts(kept) })
}

/// All answers to the call event at `owner`, from where they stand and from the last event, as one event.
fn merged_answers<'e>(
    items: &[Item<'e>],
    owner: usize,
    index: &CallIndex,
    answers: &BTreeMap<usize, Vec<RequestPart>>,
) -> Item<'e> {
    let end = items.len() - 1;
    let mut events: Vec<Item<'e>> = Vec::new();
    for (at, item) in items.iter().enumerate().take(end).skip(owner + 1) {
        if !item.has_responses() {
            continue;
        }
        let belongs = |part: &&RequestPart| match part.part.function_response.as_deref() {
            Some(response) => index.owner(response, at) == Some(owner),
            None => !item.has_calls(),
        };
        let parts: Vec<RequestPart> = item.parts().iter().filter(belongs).cloned().collect();
        if parts.iter().any(|part| part.part.function_response.is_some()) {
            events.push(if parts.len() == item.parts().len() {
                item.clone()
            } else {
                item.with_parts(parts)
            });
        }
    }
    events.push(items[end].with_parts(answers.get(&owner).cloned().unwrap_or_default()));
    merge(&events)
}

/// One event of several answers: a later answer to a call takes the place of the earlier one.
fn merge<'e>(events: &[Item<'e>]) -> Item<'e> {
    let [first, later @ ..] = events else { unreachable!("merged answers hold the last event") };
    if later.is_empty() {
        return first.clone();
    }
    let mut parts = first.parts().to_vec();
    let mut place: HashMap<Option<Str>, usize> = HashMap::new();
    let id_of = |part: &RequestPart| part.part.function_response.as_ref().map(|response| response.id.clone());
    for (at, part) in parts.iter().enumerate() {
        if let Some(id) = id_of(part) {
            place.insert(id, at);
        }
    }
    for part in later.iter().flat_map(|event| event.parts()) {
        match id_of(part) {
            Some(id) => match place.get(&id) {
                Some(at) => parts[*at] = part.clone(),
                None => {
                    place.insert(id, parts.len());
                    parts.push(part.clone());
                }
            },
            None => parts.push(part.clone()),
        }
    }
    first.with_parts(parts)
}

/// Moves every response right behind its call. A call that was answered several times keeps the last answer, and
/// replies made while it was running are left out.
fn with_responses_at_their_calls<'e>(
    items: Vec<Item<'e>>,
    rules: HistoryRules,
    omissions: &mut Omissions,
) -> Vec<Item<'e>> {
    if !items.iter().any(Item::has_responses) {
        return items;
    }
    let responses = attributed_responses(&items);
    let stale = if rules.drops_stale_replies() { stale_replies(&items, &responses) } else { HashSet::new() };
    let mut used: HashSet<usize> = HashSet::new();
    let mut out = Vec::with_capacity(items.len());
    for (at, item) in items.iter().enumerate() {
        if stale.contains(&at) {
            omissions.event(item.source, OmissionReason::StaleReply);
        } else if item.has_responses() {
            // Shown right behind the call instead.
        } else {
            out.push(item.clone());
            let last_of = |call: &FunctionCall| responses.get(&(call.id.clone(), at))?.last().copied();
            let answers: BTreeSet<usize> = item.calls().filter_map(last_of).collect();
            used.extend(&answers);
            let answers: Vec<Item<'e>> = answers.into_iter().map(|at| items[at].clone()).collect();
            if !answers.is_empty() {
                out.push(merge(&answers));
            }
        }
    }
    for (at, item) in items.iter().enumerate() {
        if item.has_responses() && !used.contains(&at) {
            omissions.event(item.source, OmissionReason::SupersededResponse);
        }
    }
    out
}

/// For each call, by its id and event: the events that answer it, in order. An id may be used again: a response
/// belongs to the newest call before it.
fn attributed_responses(items: &[Item<'_>]) -> BTreeMap<(Option<Str>, usize), Vec<usize>> {
    let mut calls: HashMap<Option<&str>, Vec<usize>> = HashMap::new();
    for (at, item) in items.iter().enumerate() {
        if !item.has_responses() {
            for call in item.calls() {
                calls.entry(call.id.as_deref()).or_default().push(at);
            }
        }
    }
    let mut attributed: BTreeMap<(Option<Str>, usize), Vec<usize>> = BTreeMap::new();
    for (at, item) in items.iter().enumerate() {
        for response in item.responses() {
            let Some(calls) = calls.get(&response.id.as_deref()) else { continue };
            let before = calls.partition_point(|call| *call < at);
            let owner = calls[before.saturating_sub(1)];
            attributed.entry((response.id.clone(), owner)).or_default().push(at);
        }
    }
    attributed
}

/// Text replies between two answers to one call in one run, when nothing else stands between them.
fn stale_replies(
    items: &[Item<'_>],
    responses: &BTreeMap<(Option<Str>, usize), Vec<usize>>,
) -> HashSet<usize> {
    let mut stale = HashSet::new();
    for answers in responses.values() {
        for pair in answers.windows(2) {
            let (first, next) = (&items[pair[0]], &items[pair[1]]);
            let is_one_run = first.invocation_id() == next.invocation_id() && author(first) == author(next);
            if !is_one_run || asks_for_permission(first) {
                continue;
            }
            let mut between = pair[0] + 1..pair[1];
            let run = first.invocation_id();
            if !between.is_empty() && between.clone().all(|at| is_text_reply(&items[at], run)) {
                stale.extend(between.by_ref());
            }
        }
    }
    stale
}

fn author<'i>(item: &'i Item<'_>) -> &'i str {
    if item.role == ItemRole::Quoted { "user" } else { &item.source.event.author }
}

fn asks_for_permission(item: &Item<'_>) -> bool {
    let actions = &item.source.event.actions;
    item.role != ItemRole::Quoted
        && (!actions.requested_tool_confirmations.is_empty() || !actions.requested_auth_configs.is_empty())
}

fn is_text_reply(item: &Item<'_>, invocation_id: &str) -> bool {
    item.role == ItemRole::Plain
        && item.invocation_id() == invocation_id
        && author(item) != "user"
        && item.content().is_some_and(|content| content.role.as_deref() == Some("model"))
        && !item.has_calls()
        && item.parts().iter().any(|part| truthy(part.part.text.as_deref()).is_some())
}

/// Drops calls that nothing answered, unless they are known to take long.
fn without_unanswered_calls<'e>(items: Vec<Item<'e>>, omissions: &mut Omissions) -> Vec<Item<'e>> {
    let mut answered: HashSet<&str> = HashSet::new();
    let mut long_running: HashSet<&str> = HashSet::new();
    for item in &items {
        answered.extend(item.responses().filter_map(|response| truthy(response.id.as_deref())));
        if item.role != ItemRole::Quoted {
            long_running.extend(item.source.event.long_running_tool_ids.iter().flatten().map(|id| &**id));
        }
    }
    let is_unanswered = |call: &FunctionCall| {
        truthy(call.id.as_deref()).is_some_and(|id| !answered.contains(id) && !long_running.contains(id))
    };
    let has_unanswered: Vec<bool> = items.iter().map(|item| item.calls().any(is_unanswered)).collect();
    if !has_unanswered.contains(&true) {
        return items;
    }
    let is_dropped = |part: &RequestPart| part.part.function_call.as_deref().is_some_and(is_unanswered);
    let mut out = Vec::with_capacity(items.len());
    for (item, has_unanswered) in items.iter().zip(has_unanswered) {
        if !has_unanswered {
            out.push(item.clone());
            continue;
        }
        let (dropped, kept): (Vec<_>, Vec<_>) = item.parts().iter().cloned().partition(is_dropped);
        for part in &dropped {
            let id = part.part.function_call.as_ref().and_then(|call| call.id.as_deref());
            omissions.unanswered_call(id.unwrap_or_default());
            omissions.part(item.source, part, OmissionReason::UnansweredCall);
        }
        if !kept.is_empty() {
            out.push(item.with_parts(kept));
        }
    }
    out
}
