//! What summaries cost.

use std::collections::{BTreeMap, HashMap, HashSet};

use strata_model::{EventIndex, Origin, Severity};

use super::carried::PieceKind;
use super::evidence::{Evidence, SeenCall};
use super::finding::FindingKind;
use super::rule::{Family, Observation, Rule};
use super::tally::Tally;
use crate::analysis::{Cause, SentRun};
use crate::phrases::{count, event_name, events, number};

/// What a cached token costs of a fresh one at most providers: a tenth.
const CACHED_PRICE: u64 = 10;

pub(super) const FAMILY: Family = Family {
    title: "Summaries",
    rules: &[
        Rule {
            code: "summaries-pile-up",
            surprises: &["S06"],
            kind: FindingKind::Bloat,
            title: "One summary behind the other",
            meaning: "The sliding window never folds an older summary into a newer one: each window adds a message, \
                      and what windows overlap in is told twice. All of them stay for good.",
            advice: "Use the token threshold, which keeps one rolling summary, or a longer interval.",
            look: summaries_pile_up,
        },
        Rule {
            code: "compaction-does-not-pay",
            surprises: &["S14"],
            kind: FindingKind::Prefix,
            title: "A compaction that cost more than it saved",
            meaning: "A summary replaces the head of the conversation, so an explicit cache is deleted and the next \
                      call pays in full. That is worth it only if enough calls follow with a smaller prompt.",
            advice: "Compact less often: a longer interval, or a higher threshold.",
            look: compaction_does_not_pay,
        },
        Rule {
            code: "summaries-by-main-model",
            surprises: &["S41"],
            kind: FindingKind::Trap,
            title: "Summaries written by the main model",
            meaning: "Without a summarizer of its own, a compaction asks the root agent's model, at its price.",
            advice: "Set a summarizer with a small model in the compaction configuration.",
            look: summaries_by_main_model,
        },
        Rule {
            code: "summary-keeps-thoughts",
            surprises: &["S41"],
            kind: FindingKind::Bloat,
            title: "Thoughts in summaries",
            meaning: "All parts of the summarizer's answer are stored, its thoughts included, and sent with every later \
                      call.",
            advice: "Set a summarizer whose model does not return thoughts.",
            look: summary_keeps_thoughts,
        },
    ],
};

fn summaries_pile_up(evidence: &Evidence<'_>) -> Vec<Observation> {
    let summary_of = |origin: &Origin| match origin {
        Origin::Summary { event, .. } => Some(*event),
        _ => None,
    };
    let mut first_read: BTreeMap<EventIndex, u32> = BTreeMap::new();
    let mut last_read: BTreeMap<EventIndex, u32> = BTreeMap::new();
    for sent in evidence.sent([PieceKind::Summary]) {
        if let Some(summary) = summary_of(&sent.piece.origin) {
            let carriers = evidence.carriers(sent);
            let first = first_read.entry(summary).or_insert(carriers.first_call());
            *first = carriers.first_call().min(*first);
            let last = last_read.entry(summary).or_default();
            *last = carriers.last_call().max(*last);
        }
    }
    // From where a newer summary was read beside an older one.
    let joined_by_newer: BTreeMap<EventIndex, u32> = first_read
        .iter()
        .zip(first_read.iter().skip(1))
        .filter(|((older, _), (_, since))| last_read.get(older).is_some_and(|last| last >= since))
        .map(|((older, _), (_, since))| (*older, *since))
        .collect();
    let mut tally = Tally::default();
    for sent in evidence.sent([PieceKind::Summary]) {
        let since = summary_of(&sent.piece.origin).and_then(|summary| joined_by_newer.get(&summary));
        if let Some(since) = since {
            evidence.add_from(&mut tally, sent, *since);
        }
    }
    let tokens = tally.tokens();
    if !evidence.is_worth(tokens) {
        return Vec::new();
    }
    let summaries: Vec<EventIndex> = first_read.into_keys().collect();
    let message = format!(
        "{} ({}) stand one behind the other. The older ones took {} tokens in {} beside newer ones.",
        summaries_counted(summaries.len()),
        events(&summaries),
        number(tokens),
        count(tally.n_calls(), "call"),
    );
    vec![Observation::new(evidence.severity(tokens), message, tally).of_events(summaries)]
}

fn summaries_counted(n: usize) -> String {
    if n == 1 { "1 summary".to_owned() } else { format!("{n} summaries") }
}

/// What one compaction cost and saved, over all agents that read it.
#[derive(Default)]
struct Balance {
    tally: Tally,
    saved: u64,
}

fn compaction_does_not_pay(evidence: &Evidence<'_>) -> Vec<Observation> {
    let shorter_by = shortened(evidence);
    let mut balances: BTreeMap<EventIndex, Balance> = BTreeMap::new();
    // For the latest compaction a lineage ran into, by its last call: which one, and how much shorter prompts became.
    let mut gains: BTreeMap<u32, (EventIndex, u64)> = BTreeMap::new();
    for call in &evidence.calls {
        let mut gain = call.result.previous.and_then(|previous| gains.remove(&previous));
        if let Some((by, _)) = compacted(call) {
            gain = Some((by, shorter_by.get(&call.call.number).copied().unwrap_or(0)));
            if let Some(loss) = evidence.loss(call) {
                evidence.add_loss(&mut balances.entry(by).or_default().tally, call, loss);
            }
        }
        if let Some((by, shorter)) = gain {
            balances.entry(by).or_default().saved += shorter;
            gains.insert(call.call.number, (by, shorter));
        }
    }
    balances
        .into_iter()
        // What is saved would mostly have been read from the cache, at a part of the price.
        .filter(|(_, balance)| {
            let lost = balance.tally.tokens() * (CACHED_PRICE - 1);
            evidence.is_worth(balance.tally.tokens()) && lost > balance.saved
        })
        .map(|(by, balance)| {
            let gain = match balance.saved {
                0 => "no call behind it was shorter".to_owned(),
                saved => format!(
                    "the calls behind it were shorter by {} tokens in all, most of which the cache would have held",
                    number(saved)
                ),
            };
            let lost = number(balance.tally.tokens());
            let message = format!("{} made {lost} tokens be paid in full again, and {gain}.", event_name(by));
            Observation::new(Severity::Info, message, balance.tally).of_events([by])
        })
        .collect()
}

/// The compaction that made a call's prompt anew, and the call before that had the prompt of before.
fn compacted(call: &SeenCall<'_>) -> Option<(EventIndex, u32)> {
    match call.result.prefix_break.as_ref()?.cause {
        Cause::Compacted { by: Some(by) } => Some((by, call.result.previous?)),
        _ => None,
    }
}

/// For calls that a compaction shortened, by how much: what is gone, less the summaries in its place.
fn shortened(evidence: &Evidence<'_>) -> HashMap<u32, u64> {
    let now_and_before = |call: &SeenCall<'_>| Some((call.call.number, compacted(call)?.1));
    let pairs: Vec<(u32, u32)> = evidence.calls.iter().filter_map(now_and_before).collect();
    if pairs.is_empty() {
        return HashMap::new();
    }
    let mut backwards: Vec<(u32, u32)> = pairs.iter().map(|(now, before)| (*before, *now)).collect();
    backwards.sort_unstable();
    let gone = only_in_first(evidence, &PieceKind::ALL, &backwards);
    let told = only_in_first(evidence, &[PieceKind::Summary], &pairs);
    let tokens = |of: &HashMap<(u32, u32), u64>, pair| of.get(&pair).copied().unwrap_or(0);
    let shorter =
        |(now, before)| (now, tokens(&gone, (before, now)).saturating_sub(tokens(&told, (now, before))));
    pairs.into_iter().map(shorter).collect()
}

/// For pairs of calls, in the order of their first: tokens of what the first carried and the second does not.
fn only_in_first(
    evidence: &Evidence<'_>,
    kinds: &[PieceKind],
    pairs: &[(u32, u32)],
) -> HashMap<(u32, u32), u64> {
    let mut tokens: HashMap<(u32, u32), u64> = HashMap::new();
    for sent in evidence.sent(kinds.iter().copied()) {
        let runs = &evidence.carriers(sent).runs;
        for run in runs {
            let from = pairs.partition_point(|(first, _)| *first < run.first_call);
            let carried = pairs[from..].iter().take_while(|(first, _)| *first <= run.last_call);
            for pair in carried.filter(|(_, second)| !is_among(*second, runs)) {
                *tokens.entry(*pair).or_default() += u64::from(sent.piece.tokens);
            }
        }
    }
    tokens
}

/// Whether a call is in one of these runs, which are in order.
fn is_among(call: u32, runs: &[SentRun]) -> bool {
    let at = runs.partition_point(|run| run.last_call < call);
    runs.get(at).is_some_and(|run| run.first_call <= call)
}

fn summaries_by_main_model(evidence: &Evidence<'_>) -> Vec<Observation> {
    let config = evidence.app().events_compaction_config.as_ref();
    let has_own_model = config
        .and_then(|config| config.summarizer.as_ref())
        .is_some_and(|summarizer| summarizer.model.is_some());
    let summaries: Vec<EventIndex> =
        evidence.live_events().filter(|(_, logged)| logged.event.is_compaction()).map(|(at, _)| at).collect();
    if config.is_none() || has_own_model || summaries.is_empty() {
        return Vec::new();
    }
    let read = summarized_tokens(evidence);
    if !evidence.is_worth(read) {
        return Vec::new();
    }
    let index = evidence.experiment.index();
    let model = index.ids().next().map_or("the main model".into(), |root| index.model(root).name.clone());
    let message = format!(
        "No summarizer is set, so {model} wrote {} ({}) of {} tokens of history, at its own price.",
        summaries_counted(summaries.len()),
        events(&summaries),
        number(read),
    );
    vec![Observation::new(Severity::Info, message, Tally::default()).of_events(summaries)]
}

/// What the events that summaries cover weighed in the prompts that showed them, once each.
fn summarized_tokens(evidence: &Evidence<'_>) -> u64 {
    let ranges = evidence.live_events().filter_map(|(_, logged)| {
        let compaction = logged.event.actions.compaction.as_ref()?;
        Some((compaction.start_timestamp?, compaction.end_timestamp?))
    });
    let mut ranges: Vec<(f64, f64)> = ranges.collect();
    ranges.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut covered_until = f64::NEG_INFINITY;
    for range in &mut ranges {
        range.1 = range.1.max(covered_until);
        covered_until = range.1;
    }
    let is_covered = |timestamp: f64| {
        let before = ranges.partition_point(|(start, _)| *start <= timestamp);
        before > 0 && timestamp <= ranges[before - 1].1
    };
    let mut weighed: HashSet<&Origin> = HashSet::new();
    let mut tokens = 0;
    for sent in evidence.sent(PieceKind::OWN) {
        if sent.stored.is_some_and(|(event, _)| is_covered(event.timestamp))
            && weighed.insert(&sent.piece.origin)
        {
            tokens += u64::from(sent.piece.tokens);
        }
    }
    tokens
}

fn summary_keeps_thoughts(evidence: &Evidence<'_>) -> Vec<Observation> {
    let mut summaries = Vec::new();
    let mut tally = Tally::default();
    for sent in evidence.sent([PieceKind::Summary]) {
        if sent.piece.is_thought {
            evidence.add(&mut tally, sent);
            summaries.extend(sent.piece.origin.event());
        }
    }
    let tokens = tally.tokens();
    if !evidence.is_worth(tokens) {
        return Vec::new();
    }
    let seen = Observation::new(evidence.severity(tokens), String::new(), tally).of_events(summaries);
    let message = format!(
        "What the summarizer thought is part of {}: {} tokens that were sent as history.",
        events(&seen.events),
        number(tokens),
    );
    vec![Observation { message, ..seen }]
}
