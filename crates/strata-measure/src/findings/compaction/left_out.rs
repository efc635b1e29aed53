//! What recorded summaries left out and later answers used.

use std::collections::BTreeMap;

use strata_engine::FlowKind;
use strata_model::{EventIndex, Origin, Severity, Str};

use crate::findings::evidence::{Evidence, is_call_of, is_result_of};
use crate::findings::rule::Observation;
use crate::findings::tally::Tally;
use crate::lab::{RecordedRegret, Regained, recorded_regrets, was_shown_to_summarizer};
use crate::phrases::{count, distinct, event_name, listed, number};
use crate::remedies::{Aim, KeptBy};

/// Ways of getting things back that are told of a summary.
const MAX_TOLD: usize = 3;
/// Characters of a value that are shown.
const MAX_SHOWN: usize = 60;
/// Newest events that somebody may want to keep as they are.
const MAX_RETAINED: usize = 60;

pub(super) fn summary_lost_facts(evidence: &Evidence<'_>) -> Vec<Observation> {
    let mut by_summary: BTreeMap<EventIndex, Vec<RecordedRegret>> = BTreeMap::new();
    for regret in recorded_regrets(evidence.experiment, evidence.analysis) {
        by_summary.entry(regret.summary).or_default().push(regret);
    }
    by_summary.into_iter().map(|(summary, lost)| of_summary(evidence, summary, &lost)).collect()
}

fn of_summary(evidence: &Evidence<'_>, summary: EventIndex, lost: &[RecordedRegret]) -> Observation {
    let mut tally = Tally::of_calls(distinct(lost.iter().map(|regret| regret.call)));
    let facts: Vec<String> = lost
        .iter()
        .map(|regret| format!("{} ({})", shown(&regret.value), event_name(regret.event)))
        .collect();
    let mut message = format!(
        "{} stands for what {} and does not tell it, and later answers used {}: {}.",
        event_name(summary),
        if lost.len() == 1 { "an event held" } else { "events held" },
        if lost.len() == 1 { "it" } else { "them" },
        listed(&facts),
    );
    let ways = distinct(lost.iter().map(|regret| regret.regained.clone()));
    for way in &ways {
        add(evidence, &mut tally, way);
    }
    let told: Vec<String> = ways.iter().map(|way| told(evidence, way, lost)).collect();
    for way in told.iter().take(MAX_TOLD) {
        message += &format!(" {way}");
    }
    if told.len() > MAX_TOLD {
        message += &format!(" So it went {} more.", crate::phrases::times((told.len() - MAX_TOLD) as u64));
    }
    let events = lost.iter().flat_map(|regret| [Some(regret.event), again(&regret.regained)]).flatten();
    let seen = Observation::new(Severity::Warning, message, tally);
    seen.of_events(events.chain([summary])).towards(Some(aim(evidence, summary, lost)))
}

/// How something came back, with what that took in all calls that carried it.
fn told(evidence: &Evidence<'_>, way: &Regained, lost: &[RecordedRegret]) -> String {
    let own: Vec<&RecordedRegret> = lost.iter().filter(|regret| regret.regained == *way).collect();
    let mut tally = Tally::default();
    add(evidence, &mut tally, way);
    let price = format!("{} tokens in {}", number(tally.tokens()), count(tally.n_calls(), "call"));
    let held = listed(&distinct(own.iter().map(|regret| event_name(regret.event))));
    match way {
        Regained::Tool { result, tool, .. } => {
            format!("{tool} was called again and gave in {} what {held} had: {price}.", event_name(*result))
        }
        Regained::User { asked, said } => format!(
            "The user was asked for it in {} and said it again in {}: {price}.",
            event_name(*asked),
            event_name(*said)
        ),
        Regained::Nowhere => {
            let calls = listed(&distinct(own.iter().map(|regret| format!("C{}", regret.call))));
            let values = listed(&distinct(own.iter().map(|regret| shown(&regret.value))));
            format!("{calls} used {values} although nothing that is recorded of the prompt tells it.")
        }
    }
}

/// Adds what it took to get something back.
fn add(evidence: &Evidence<'_>, tally: &mut Tally, way: &Regained) {
    let (events, of_tool) = match way {
        Regained::Tool { asked, result, tool } => (distinct([*asked, *result]), Some(tool)),
        Regained::User { asked, said } => (distinct([*asked, *said]), None),
        Regained::Nowhere => return,
    };
    for carried in events.into_iter().flat_map(|event| evidence.sent_of(event)) {
        let is_of = of_tool.is_none_or(|tool| {
            carried.stored.is_some_and(|(_, part)| is_call_of(part, tool) || is_result_of(part, tool))
        });
        if is_of && !matches!(carried.piece.origin, Origin::Summary { .. }) {
            evidence.add(tally, carried);
        }
    }
}

fn again(way: &Regained) -> Option<EventIndex> {
    match way {
        Regained::Tool { result, .. } => Some(*result),
        Regained::User { said, .. } => Some(*said),
        Regained::Nowhere => None,
    }
}

/// What would have kept it: for google-adk, a longer retention where it is one of the newest events, the summariser's
/// prompt where that was shown it, and another place where it was not.
fn aim(evidence: &Evidence<'_>, summary: EventIndex, lost: &[RecordedRegret]) -> Aim {
    let names = distinct(lost.iter().map(|regret| Str::from(&*regret.value)));
    let log = evidence.experiment.log();
    let config = evidence.app().events_compaction_config.as_ref();
    let has_threshold = config.is_some_and(|config| config.token_threshold.is_some());
    let oldest = lost.iter().map(|regret| regret.event).min().unwrap_or(summary);
    let newer = evidence.events().range(oldest.as_usize()..summary.as_usize());
    let n_newer = newer.filter(|logged| !logged.event.is_compaction()).count();
    let is_adk = evidence.experiment.kind() == FlowKind::Adk;
    let is_shown = |regret: &RecordedRegret| was_shown_to_summarizer(log, regret.event, &regret.value);
    let by = match () {
        () if has_threshold && n_newer <= MAX_RETAINED => KeptBy::Retention(n_newer as u32),
        () if is_adk && !lost.iter().any(is_shown) => KeptBy::State,
        () => KeptBy::ItsPrompt,
    };
    Aim::KeptInSummaries { names, by }
}

/// A value as it stands in a sentence.
fn shown(value: &str) -> String {
    let short: String = value.chars().take(MAX_SHOWN).collect();
    let more = if short.len() < value.len() { "…" } else { "" };
    format!("`{short}{more}`")
}
