//! Events that a request leaves out without a word.

use std::collections::{HashMap, HashSet};

use strata_engine::Facts;
use strata_model::{Event, EventIndex, RequestPart, Severity};

use super::evidence::Evidence;
use super::finding::FindingKind;
use super::rule::{Family, Observation, Rule};
use crate::phrases::{count, events, listed};

pub(super) const FAMILY: Family = Family {
    title: "Left out",
    rules: &[
        Rule {
            code: "call-without-result",
            surprises: &["S25"],
            kind: FindingKind::Loss,
            title: "Calls and results without a partner",
            meaning: "A call that never got a result (a crash, an abort, a cut recording) is left out of every later \
                      request, and so is a result without its call. The model does not learn that it asked.",
            advice: "Let failing tools return an error instead of raising, and look at what stopped the run.",
            look: call_without_result,
        },
        Rule {
            code: "words-beside-a-request",
            surprises: &["S26"],
            kind: FindingKind::Loss,
            title: "Words lost beside a request for permission",
            meaning: "An event with one of the runtime's requests (credentials, confirmation) is left out as a whole, \
                      with the text and the calls that stand beside it.",
            advice: "Have permission asked for in an event of its own: keep such calls out of parallel calls.",
            look: words_beside_a_request,
        },
    ],
};

/// Who called what, by the call's id.
struct Asked<'e> {
    at: EventIndex,
    event: &'e Event,
    tool: &'e str,
}

fn call_without_result(evidence: &Evidence<'_>) -> Vec<Observation> {
    let mut open: HashMap<&str, Asked<'_>> = HashMap::new();
    let mut known: HashSet<&str> = HashSet::new();
    let mut lost: Vec<(EventIndex, String, bool)> = Vec::new();
    for (at, logged) in evidence.live_events().filter(|(_, logged)| !logged.is(Facts::FRAMEWORK)) {
        let event = &*logged.event;
        for call in event.function_calls() {
            let Some(id) = call.id.as_deref().filter(|id| !id.is_empty()) else { continue };
            known.insert(id);
            // Work that goes on is sent without its result; nothing is lost.
            if !event.has_long_running(id) {
                open.insert(id, Asked { at, event, tool: call.name.as_deref().unwrap_or("a tool") });
            }
        }
        for response in event.function_responses() {
            let Some(id) = response.id.as_deref().filter(|id| !id.is_empty()) else { continue };
            open.remove(id);
            if !known.contains(id) && !is_called(evidence, at, id) {
                lost.push((at, response.name.as_deref().unwrap_or("a tool").to_owned(), true));
            }
        }
    }
    // A delegate still at work answers at its end.
    let working: HashSet<&str> =
        evidence.events().iter().filter_map(|logged| logged.event.isolation_scope.as_deref()).collect();
    let calls = &evidence.calls;
    let unanswered = open.into_iter().filter(|(id, asked)| {
        // Only a later turn shows that nothing more was to come.
        let is_past = |last: &Event| last.invocation_id != asked.event.invocation_id;
        let last_call = calls.last().and_then(|call| evidence.event(call.call.answer));
        last_call.is_some_and(|last| is_past(&last.event)) && !working.contains(id)
    });
    lost.extend(unanswered.map(|(_, asked)| (asked.at, asked.tool.to_owned(), false)));
    if lost.is_empty() {
        return Vec::new();
    }
    lost.sort();
    let named = |is_result: bool| -> Vec<&str> {
        lost.iter().filter(|(_, _, result)| *result == is_result).map(|(_, tool, _)| &**tool).collect()
    };
    let said: Vec<String> =
        [(named(false), "call", "without a result"), (named(true), "result", "without a call")]
            .into_iter()
            .filter(|(tools, ..)| !tools.is_empty())
            .map(|(tools, noun, lack)| {
                format!("{} {lack} (of {})", count(tools.len() as u64, noun), listed(&tools))
            })
            .collect();
    let tally = lost.first().map(|(at, ..)| evidence.calls_after(*at)).unwrap_or_default();
    let message = format!("Requests leave out {}, so the model does not know of them.", said.join(" and "));
    vec![Observation::new(Severity::Warning, message, tally).of_events(lost.iter().map(|(at, ..)| *at))]
}

/// Whether the next request has a call with this id: one that a gateway made by itself is in no answer, and so in no event.
fn is_called(evidence: &Evidence<'_>, result: EventIndex, id: &str) -> bool {
    let next = evidence.calls.iter().find(|call| call.call.answer > result);
    let called = |part: &RequestPart| {
        part.part.function_call.as_ref().is_some_and(|call| call.id.as_deref() == Some(id))
    };
    next.is_some_and(|next| {
        next.result.request.contents.iter().flat_map(|content| &content.parts).any(called)
    })
}

fn words_beside_a_request(evidence: &Evidence<'_>) -> Vec<Observation> {
    const REQUESTS: [&str; 2] = ["adk_request_credential", "adk_request_confirmation"];
    let loses_words = |event: &Event| {
        let is_request = |part: &strata_model::Part| {
            let call = part.function_call.as_ref().and_then(|call| call.name.as_deref());
            let response = part.function_response.as_ref().and_then(|response| response.name.as_deref());
            call.or(response).is_some_and(|name| REQUESTS.contains(&name))
        };
        let says_something = |part: &strata_model::Part| {
            part.function_call.is_some()
                || part.function_response.is_some()
                || (!part.is_thought() && part.text.as_deref().is_some_and(|text| !text.trim().is_empty()))
        };
        event.parts().iter().any(|part| !is_request(part) && says_something(part))
    };
    let framework = evidence.live_events().filter(|(_, logged)| logged.is(Facts::FRAMEWORK));
    let lost: Vec<EventIndex> =
        framework.filter(|(_, logged)| loses_words(&logged.event)).map(|(at, _)| at).collect();
    let Some(first) = lost.first() else { return Vec::new() };
    let tally = evidence.calls_after(*first);
    let message = format!(
        "{} asked for permission and said or called something else as well; all of it is missing from later requests.",
        events(&lost)
    );
    vec![Observation::new(Severity::Warning, message, tally).of_events(lost)]
}
