//! Kind `compaction`: what is summarised after each step, what the summariser is asked, and what is stored.

use std::sync::Arc;

use strata_engine::turn::compaction::{
    Decision, SummaryJob, Trigger, after_invocation, sliding_window, summarizer_model,
};
use strata_engine::{AppIndex, EventLog};
use strata_model::{Event, FromJson as _, Json, Object, Session};

use super::given::events;
use super::{events, given, then};
use crate::diff::diff;
use crate::{Failure, into_result};

pub(crate) fn check_vector(vector: &Json) -> Result<(), Failure> {
    let index = given::app(vector);
    let mut session = given::session(vector.get("session").expect("a session"));
    let mut failure = Vec::new();
    for (at, step) in vector.get("steps").and_then(Json::as_array).unwrap_or_default().iter().enumerate() {
        session.events.extend(events(step.get("append")));
        let (found, stored) = compact(&index, &session, step.get("summary"));
        let expected = step.get("expected").expect("what is expected");
        failure.extend(check_step(expected, &found).into_iter().map(|line| format!("step {at}: {line}")));
        session.events.extend(stored.map(Arc::new));
    }
    if let Some(then) = vector.get("then") {
        failure.extend(then::check(then, &index, &session));
    }
    into_result(failure)
}

/// One step of post-invocation compaction: what was found, as vectors describe it, and the event to store.
fn compact(index: &AppIndex, session: &Session, summary: Option<&Json>) -> (Json, Option<Event>) {
    let config = index.app().events_compaction_config.as_ref().expect("a compaction configuration");
    let log = EventLog::new(session.events.iter().cloned());
    let view = log.prefix(log.len());
    let answer = summary.map(given::model_answer).unwrap_or_default();
    let mut decision = after_invocation(view, config);
    let mut outcome = step(index, &decision, &answer);
    if outcome.as_ref().is_some_and(|(job, event)| job.trigger == Trigger::TokenThreshold && event.is_none())
    {
        // A token summary that failed leaves the turn to the sliding window.
        let window = sliding_window(view, config);
        let worth = window.worth.or(decision.worth);
        let is_due = window.window.is_some();
        decision = Decision { prompt_tokens: decision.prompt_tokens, worth, window: window.window };
        if is_due {
            outcome = step(index, &decision, &answer);
        }
    }
    let mut found = match &outcome {
        None => Object::from_iter([("triggered", Json::Bool(false)), ("event", Json::Null)]),
        Some((job, event)) => found_json(job, event.as_ref()),
    };
    let mut diagnostics = Object::new();
    diagnostics.push_some("prompt_token_count", decision.prompt_tokens.map(|tokens| tokens as i64));
    if let Some(worth) = decision.worth {
        diagnostics.push("removable_prompt_chars", worth.removable);
        diagnostics.push("previous_summary_chars", worth.previous_summary);
    }
    found.push("diagnostics", diagnostics);
    (found.into(), outcome.and_then(|(_, event)| event))
}

fn step(
    index: &AppIndex,
    decision: &Decision<'_>,
    answer: &strata_engine::ModelAnswer,
) -> Option<(SummaryJob, Option<Event>)> {
    let config = index.app().events_compaction_config.as_ref()?;
    let model = summarizer_model(index, index.ids().next()).expect("a model that summarises");
    let job = SummaryJob::new(decision.window.as_ref()?, config, model, None);
    let event = job.prompt.as_ref().ok().and_then(|_| job.summary(answer, 5_000_000.0));
    Some((job, event))
}

fn found_json(job: &SummaryJob, event: Option<&Event>) -> Object {
    let Json::Object(job_json) = job_json(job, event) else { unreachable!("a job is an object") };
    let mut found = Object::from_iter([("triggered", true)]);
    found.push(
        "trigger",
        match job.trigger {
            Trigger::TokenThreshold => "token_threshold",
            Trigger::SlidingWindow => "sliding_window",
            Trigger::PromptLimit => "prompt_limit",
        },
    );
    if job.prompt.is_err() {
        found.push("summarizer_failed", true);
    }
    for (key, value) in job_json.iter() {
        // A summariser that was not reached was asked nothing.
        if job.prompt.is_ok() || !key.starts_with("summarizer") {
            found.push(key.clone(), value.clone());
        }
    }
    found
}

/// A job and its summary as vectors describe them.
pub(crate) fn job_json(job: &SummaryJob, event: Option<&Event>) -> Json {
    let seed = job.seed.iter().map(|seed| Object::from_iter([("seed", events::event_json(seed))]));
    let refs = job.events.iter().map(|event| Object::from_iter([("ref", event.id.clone())]));
    let mut out = Object::new();
    out.push("events_to_compact", seed.chain(refs).map(Json::from).collect::<Vec<_>>());
    out.push("summarizer_model", job.model.clone());
    out.push("summarizer_prompt", job.prompt.clone().map_or(Json::Null, Json::from));
    out.push("event", event.map_or(Json::Null, events::event_json));
    out.into()
}

/// Compactions without what need not match.
pub(crate) fn without_ids(compactions: Json) -> Json {
    match compactions {
        Json::Array(items) => items.into_iter().map(without_ids).collect::<Vec<_>>().into(),
        Json::Object(members) => members
            .into_iter()
            .map(|(key, value)| {
                let value = match (&*key, value) {
                    ("event" | "seed", event) => events::without_ids(event),
                    ("events_to_compact", refs) => without_ids(refs),
                    (_, value) => value,
                };
                (key, value)
            })
            .collect::<Object>()
            .into(),
        other => other,
    }
}

fn check_step(expected: &Json, found: &Json) -> Failure {
    let strip = |value: &Json| {
        let mut object = value.as_object().cloned().unwrap_or_default();
        object.remove("diagnostics");
        without_ids(object.into())
    };
    let mut failure = diff("compaction", &strip(expected), &strip(found));
    let Some(expected) = expected.get("diagnostics") else { return failure };
    let found = found.get("diagnostics").cloned().unwrap_or_default();
    if let Some(tokens) = expected.get("prompt_token_count") {
        failure.extend(diff(
            "prompt_token_count",
            tokens,
            found.get("prompt_token_count").unwrap_or(&Json::Null),
        ));
    }
    // With two checks the first is the token trigger's; only the last one is at hand.
    if let Some(last) = expected.get("worth_checks").and_then(Json::as_array).and_then(|checks| checks.last())
    {
        for key in ["removable_prompt_chars", "previous_summary_chars"] {
            let found = found.get(key).unwrap_or(&Json::Null);
            failure.extend(diff(key, last.get(key).unwrap_or(&Json::Null), found));
        }
    }
    failure
}

/// The summaries written after the turns of a conversation.
pub(crate) fn check_turns(vector: &Json, index: &AppIndex, session: &Session) -> Failure {
    let none = index.app().events_compaction_config.is_none();
    let written = vector.get("compactions").and_then(Json::as_array).unwrap_or_default();
    let mut failure = Vec::new();
    for (at, compaction) in written.iter().enumerate() {
        assert!(!none, "a compaction needs a configuration");
        let event = compaction.get("event").filter(|event| !event.is_null());
        let stored = event.and_then(|event| given::text(event, "id"));
        let end = session.events.iter().position(|event| stored.as_ref() == Some(&event.id));
        let Some(end) = end else { continue };
        let before = Session { events: session.events[..end].to_vec(), ..session.clone() };
        let summary = session.events[end].actions.compaction.as_ref();
        let content = summary.and_then(|summary| summary.compacted_content.as_ref());
        let mut answer = Object::new();
        answer.push_some("parts", content.and_then(|content| content.to_json().get("parts").cloned()));
        let usage = session.events[end].usage_metadata.as_ref();
        answer.push_some("usageMetadata", usage.map(|usage| usage.to_json()));
        let (found, _) = compact(index, &before, Some(&answer.into()));
        let mut expected = compaction.as_object().cloned().unwrap_or_default();
        expected.remove("turn");
        let mut found = found.as_object().cloned().unwrap_or_default();
        found.retain(|key, _| expected.contains_key(key));
        let difference = diff("", &without_ids(expected.into()), &without_ids(found.into()));
        failure.extend(difference.into_iter().map(|line| format!("compaction {at} after a turn: {line}")));
    }
    failure
}
