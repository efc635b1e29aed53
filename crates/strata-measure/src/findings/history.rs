//! The order of a history.

use std::collections::HashMap;

use strata_engine::{Facts, FlowKind};
use strata_model::app::ModelFamily;
use strata_model::{Event, EventIndex, Origin, RequestPart, Severity};

use super::evidence::{Evidence, SeenCall};
use super::finding::FindingKind;
use super::rule::{Family, Observation, Rule};
use super::tally::Tally;
use crate::analysis::Cause;
use crate::phrases::{count, event_name, number};

pub(super) const FAMILY: Family = Family {
    title: "Order of the history",
    rules: &[
        Rule {
            code: "late-result-hides-turns",
            surprises: &["S16"],
            kind: FindingKind::Prefix,
            title: "A late result hides what came in between",
            meaning: "While the late result of a long-running call is the last event, everything since the call is \
                      left out. In the next request it is back, with the result moved up to its call. So a prefix is \
                      lost twice.",
            advice: "Let the tool answer at once with a ticket, and fetch the result with a second tool.",
            look: late_result_hides_turns,
        },
        Rule {
            code: "stored-order-differs",
            surprises: &["S31"],
            kind: FindingKind::Trap,
            title: "Loaded again, the session has another order",
            meaning: "ADK's databases return events by their time. Results of parallel calls carry the time of the \
                      first, and summaries the time they were written, so the order can differ from the one prompts \
                      were made from.",
            advice: "Read SQLite sessions in the order of their rows, and do not trust latencies taken from the times \
                     of events.",
            look: stored_order_differs,
        },
        Rule {
            code: "history-begins-with-model",
            surprises: &["S34"],
            kind: FindingKind::Trap,
            title: "The conversation begins with the model",
            meaning: "A summary stands first and is the model's word. Gemini takes it; providers behind LiteLLM may \
                      want the user first and two of one side never in a row.",
            advice: "Try a compacted session against the provider, or put a user message before the summary in a \
                     callback.",
            look: history_begins_with_model,
        },
    ],
};

/// A result that came after the user had said something else.
struct LateResult {
    call: EventIndex,
    result: EventIndex,
}

fn late_results(evidence: &Evidence<'_>) -> Vec<LateResult> {
    let mut calls: HashMap<&str, EventIndex> = HashMap::new();
    let mut last_said: Option<EventIndex> = None;
    let mut late = Vec::new();
    for (at, logged) in evidence.live_events() {
        let event: &Event = &logged.event;
        for call in event.function_calls() {
            if let Some(id) = call.id.as_deref().filter(|id| event.has_long_running(id)) {
                calls.insert(id, at);
            }
        }
        let owners = event.function_responses().filter_map(|response| calls.get(response.id.as_deref()?));
        let call = owners.min().copied();
        if let Some(call) = call.filter(|call| last_said.is_some_and(|said| said > *call)) {
            late.push(LateResult { call, result: at });
        }
        if logged.is(Facts::FROM_USER) && !logged.is(Facts::HAS_RESPONSES) && !event.is_compaction() {
            last_said = Some(at);
        }
    }
    late
}

fn late_result_hides_turns(evidence: &Evidence<'_>) -> Vec<Observation> {
    let mut found = Vec::new();
    for late in late_results(evidence) {
        let at = evidence.calls.partition_point(|call| call.call.n_events() <= late.result.as_usize());
        let Some(reader) = evidence.calls.get(at) else { continue };
        if reader.call.n_events() != late.result.as_usize() + 1 {
            continue;
        }
        let next = evidence.calls[at..].iter().find(|call| call.result.previous == Some(reader.call.number));
        let mut tally = Tally::default();
        for call in [Some(reader), next].into_iter().flatten() {
            let cause = call.result.prefix_break.as_ref().map(|found| &found.cause);
            if matches!(
                cause,
                Some(Cause::LateResponse { .. } | Cause::Truncated { .. } | Cause::Unknown { .. })
            ) {
                evidence.add_rebilled(&mut tally, call);
            }
        }
        if tally.n_calls() == 0 {
            continue;
        }
        let message = format!(
            "The result of {} arrived with {}: C{} did not see the {} in between, and {} tokens were paid in full \
             again.",
            event_name(late.call),
            event_name(late.result),
            reader.call.number,
            count((late.result.0 - late.call.0 - 1).into(), "event"),
            number(tally.tokens()),
        );
        found.push(Observation::new(Severity::Warning, message, tally).of_events([late.call, late.result]));
    }
    found
}

fn stored_order_differs(evidence: &Evidence<'_>) -> Vec<Observation> {
    // Only ADK's databases give events back by their time.
    if evidence.experiment.kind() != FlowKind::Adk {
        return Vec::new();
    }
    let mut latest = f64::NEG_INFINITY;
    let mut moved: Vec<EventIndex> = Vec::new();
    for logged in evidence.events() {
        if logged.event.timestamp < latest {
            moved.extend(logged.index);
        }
        latest = latest.max(logged.event.timestamp);
    }
    let Some(first) = moved.first() else { return Vec::new() };
    let message = format!(
        "{} out of order: {} carries an earlier time than one before it, and stands elsewhere once the session is \
         loaded by time.",
        count(moved.len() as u64, "event"),
        event_name(*first),
    );
    vec![Observation::new(Severity::Info, message, Tally::default()).of_events(moved)]
}

fn history_begins_with_model(evidence: &Evidence<'_>) -> Vec<Observation> {
    let index = evidence.experiment.index();
    let is_transcript = evidence.experiment.kind() == FlowKind::Transcript;
    let is_strict = |call: &&SeenCall<'_>| {
        let family = call.agent.map(|(id, _)| index.model(id).family);
        matches!(family, Some(ModelFamily::LiteLlm | ModelFamily::Other))
    };
    let mut tally = Tally::default();
    for call in evidence.calls.iter().filter(is_strict) {
        // What was said before a recording began is not known to be missing in the request.
        let is_summary =
            |part: &RequestPart| matches!(part.main_origin(), Origin::Summary { .. }) || !is_transcript;
        let first = call.result.request.contents.get(0);
        if first.is_some_and(|content| {
            content.role.as_deref() == Some("model") && content.parts.iter().any(is_summary)
        }) {
            tally.add_call(call.call.number);
        }
    }
    let n_calls = tally.n_calls();
    if n_calls == 0 {
        return Vec::new();
    }
    let first = tally.calls().first().and_then(|range| evidence.call(range.first));
    let message = format!(
        "The model has the first word in {} to {}: a summary stands at the head.",
        count(n_calls, "request"),
        first.map_or("it", |call| &*call.result.model),
    );
    vec![Observation::new(Severity::Info, message, tally)]
}
