//! Compactions that do not happen as configured.

use strata_model::app::EventsCompactionConfig;
use strata_model::{EventIndex, Severity};

use super::evidence::{Evidence, SeenCall};
use super::finding::FindingKind;
use super::rule::{Family, Observation, Rule};
use super::tally::Tally;
use crate::phrases::{count, listed, number};

/// ADK leaves out a window that would not pay, so a compaction is overdue only after so many intervals.
const OVERDUE_INTERVALS: usize = 2;
/// After so many calls above the threshold, a compaction that is left out has a reason.
const OVERDUE_CALLS: usize = 3;

pub(super) const FAMILY: Family = Family {
    title: "Compaction triggers",
    rules: &[
        Rule {
            code: "compaction-overdue",
            surprises: &["S42"],
            kind: FindingKind::Trap,
            title: "A compaction that never came",
            meaning: "When a summary cannot be written (a failing model, a prompt template with other braces) ADK \
                      writes a line to the log and goes on. The context keeps growing.",
            advice: "Look for \"Event compaction failed\" in the log. In a custom template write `{{` and `}}` for \
                     braces.",
            look: compaction_overdue,
        },
        Rule {
            code: "threshold-without-usage",
            surprises: &["S43"],
            kind: FindingKind::Trap,
            title: "A token threshold that cannot see the prompt",
            meaning: "The threshold is compared with the prompt tokens the provider reported last. Without a report, \
                      a quarter of the characters of the conversation is taken; tools and instructions count nothing.",
            advice: "Use a model class that reports usage, or lower the threshold by the size of tools and \
                     instructions.",
            look: threshold_without_usage,
        },
        Rule {
            code: "no-summarizer-for-workflow",
            surprises: &["S52"],
            kind: FindingKind::Trap,
            title: "No model to write summaries with",
            meaning: "Without a summarizer the root agent's model writes summaries. A root that is no LLM agent has \
                      none, and the run fails once a compaction is due.",
            advice: "Set a summarizer with a model in the compaction configuration.",
            look: no_summarizer_for_workflow,
        },
    ],
};

fn compaction_overdue(evidence: &Evidence<'_>) -> Vec<Observation> {
    let Some(config) = &evidence.app().events_compaction_config else { return Vec::new() };
    window_overdue(evidence, config).or_else(|| threshold_overdue(evidence, config)).into_iter().collect()
}

/// Turns since the last summary, against the interval.
fn window_overdue(evidence: &Evidence<'_>, config: &EventsCompactionConfig) -> Option<Observation> {
    let interval = usize::try_from(config.compaction_interval?).ok().filter(|interval| *interval > 0)?;
    config.overlap_size?;
    let mut since: Vec<(EventIndex, &str)> = Vec::new();
    for (at, logged) in evidence.live_events() {
        let event = &logged.event;
        if event.is_compaction() {
            since.clear();
        } else if event.isolation_scope.is_none()
            && !event.invocation_id.is_empty()
            && since.last().is_none_or(|(_, last)| *last != &*event.invocation_id)
        {
            since.push((at, &event.invocation_id));
        }
    }
    // The last turn may still be going on.
    let n_turns = since.len().saturating_sub(1);
    if n_turns < interval * OVERDUE_INTERVALS {
        return None;
    }
    let tally = since.get(interval).map(|(at, _)| evidence.calls_after(*at)).unwrap_or_default();
    let message = format!(
        "A summary is due every {}, and {} have passed without one.",
        if interval == 1 { "turn".to_owned() } else { count(interval as u64, "turn") },
        count(n_turns as u64, "turn"),
    );
    Some(Observation::new(Severity::Warning, message, tally))
}

/// Reported prompt sizes, against the threshold.
fn threshold_overdue(evidence: &Evidence<'_>, config: &EventsCompactionConfig) -> Option<Observation> {
    let threshold = u64::try_from(config.token_threshold?).ok()?;
    let retention = usize::try_from(config.event_retention_size?).ok()?;
    let summaries: Vec<EventIndex> =
        evidence.live_events().filter(|(_, logged)| logged.event.is_compaction()).map(|(at, _)| at).collect();
    let summaries_before =
        |call: &SeenCall<'_>| summaries.partition_point(|at| at.as_usize() < call.call.n_events());
    evidence.callers.iter().find_map(|caller| {
        let mut above: Vec<&SeenCall<'_>> = Vec::new();
        for call in &caller.calls {
            let before = above.last().map(|last| summaries_before(last));
            let is_compacted = before.is_some_and(|before| before != summaries_before(call));
            let reported = call.call.usage.as_ref().and_then(|usage| usage.prompt_token_count);
            if is_compacted || reported.is_none_or(|tokens| tokens < threshold) {
                above.clear();
            }
            if reported.is_some_and(|tokens| tokens >= threshold) {
                above.push(call);
            }
        }
        let is_enough = above.last().is_some_and(|last| last.call.n_events() > retention);
        if above.len() < OVERDUE_CALLS || !is_enough {
            return None;
        }
        let tally = Tally::of_calls(above.iter().map(|call| call.call.number));
        let message = format!(
            "The threshold is {} tokens. The prompts of {} in a row by {} were reported above it, and no summary was \
             written.",
            number(threshold),
            count(above.len() as u64, "call"),
            caller.agent.name,
        );
        Some(Observation::new(Severity::Warning, message, tally))
    })
}

fn threshold_without_usage(evidence: &Evidence<'_>) -> Vec<Observation> {
    let config = evidence.app().events_compaction_config.as_ref();
    let threshold =
        config.and_then(|config| config.token_threshold.filter(|_| config.event_retention_size.is_some()));
    let Some(threshold) = threshold.and_then(|threshold| u64::try_from(threshold).ok()) else {
        return Vec::new();
    };
    let has_reported = |call: &SeenCall<'_>| {
        call.call.usage.as_ref().is_some_and(|usage| usage.prompt_token_count.is_some())
    };
    let mut blind: Vec<&str> = Vec::new();
    let mut tally = Tally::default();
    let mut unseen = 0;
    for caller in &evidence.callers {
        let is_large = caller.calls.iter().any(|call| u64::from(call.result.total.tokens) >= threshold);
        if !is_large || caller.calls.iter().any(has_reported) {
            continue;
        }
        blind.push(&caller.agent.name);
        for call in &caller.calls {
            tally.add_call(call.call.number);
            let by_kind = &call.result.by_kind;
            let head = by_kind[crate::analysis::Kind::Tools as usize]
                + by_kind[crate::analysis::Kind::System as usize];
            unseen = unseen.max(head);
        }
    }
    if blind.is_empty() {
        return Vec::new();
    }
    let message = format!(
        "No usage is recorded for {}, so its prompts are guessed from characters: up to {} tokens of tools and \
         instructions count nothing against the threshold of {}.",
        listed(&blind),
        number(unseen.into()),
        number(threshold),
    );
    vec![Observation::new(Severity::Info, message, tally)]
}

fn no_summarizer_for_workflow(evidence: &Evidence<'_>) -> Vec<Observation> {
    let app = evidence.app();
    let (Some(config), Some(root)) = (&app.events_compaction_config, &app.root_agent) else {
        return Vec::new();
    };
    let has_model = root.is_llm() || config.summarizer.is_some();
    if has_model {
        return Vec::new();
    }
    let message = format!(
        "{} is a {} agent and has no model, and no summarizer is set: the run raises an error when a compaction is \
         due.",
        root.name,
        root.kind.as_str()
    );
    vec![Observation::new(Severity::Error, message, Tally::default())]
}
