//! What holds for every window, whatever the session.

use std::collections::HashMap;
use std::sync::Arc;

use proptest::prelude::*;
use strata_model::app::EventsCompactionConfig;
use strata_model::{Content, Event, EventIndex, FunctionCall, FunctionResponse, Part};

use super::{Steps, TokenScope, Window, sliding_window, steps, token_threshold};
use crate::log::EventLog;

/// What happens in a session, one event each.
#[derive(Debug, Clone)]
enum Step {
    UserTurn,
    Words,
    /// Calls of this many tools at once.
    Calls(usize),
    /// A result for one of the calls made so far that have none.
    Response(usize),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        Just(Step::UserTurn),
        Just(Step::Words),
        (1..3_usize).prop_map(Step::Calls),
        (0..4_usize).prop_map(Step::Response),
    ];
    proptest::collection::vec(step, 1..40)
}

/// A clock that ticks every so many events: logs of requests give an answer the time of its request.
fn session(steps: &[Step], events_a_tick: usize) -> EventLog {
    let mut events = Vec::new();
    let mut open: Vec<String> = Vec::new();
    let mut turn = 0;
    for (at, step) in steps.iter().enumerate() {
        let parts: Vec<Part> = match step {
            Step::UserTurn => {
                turn += 1;
                vec![Part::from_text("A question of the user's, long enough to be worth a summary.")]
            }
            Step::Words => vec![Part::from_text("An answer, long enough to be worth a summary.")],
            Step::Calls(n) => (0..*n)
                .map(|nth| {
                    let id = format!("c{at}-{nth}");
                    open.push(id.clone());
                    let call = FunctionCall {
                        id: Some(id.into()),
                        name: Some("f".into()),
                        ..FunctionCall::default()
                    };
                    Part::from_call(call)
                })
                .collect(),
            Step::Response(nth) if *nth < open.len() => {
                let id = Some(open.remove(*nth).into());
                let response = FunctionResponse { id, name: Some("f".into()), ..FunctionResponse::default() };
                vec![Part::from_response(response)]
            }
            Step::Response(_) => continue,
        };
        let author = if matches!(step, Step::UserTurn) { "user" } else { "bot" };
        events.push(Arc::new(Event {
            id: at.to_string().into(),
            author: author.into(),
            invocation_id: format!("i{turn}").into(),
            timestamp: 1000.0 + (at / events_a_tick) as f64,
            content: Some(Arc::new(Content::new(author, parts))),
            ..Event::default()
        }));
    }
    EventLog::new(events)
}

/// The first call whose result a window leaves behind, or the other way round.
fn split_pair(log: &EventLog, is_inside: impl Fn(&Event) -> bool) -> Option<String> {
    let mut calls: HashMap<&str, bool> = HashMap::new();
    for logged in log.events() {
        let inside = is_inside(&logged.event);
        let ids = logged.event.function_calls().filter_map(|call| call.id.as_deref());
        calls.extend(ids.map(|id| (id, inside)));
        for id in logged.event.function_responses().filter_map(|response| response.id.as_deref()) {
            if calls.get(id).is_some_and(|call_inside| *call_inside != inside) {
                return Some(id.to_owned());
            }
        }
    }
    None
}

fn is_in(window: &Window<'_>) -> impl Fn(&Event) -> bool {
    |event| window.events.iter().any(|logged| logged.event.id == event.id)
}

proptest! {
    #[test]
    fn windows_never_split_a_call_from_its_response(
        steps in steps(),
        retention in 0..6_i64,
        interval in 1..4_i64,
        overlap in 0..3_i64,
    ) {
        let log = session(&steps, 1);
        let config = EventsCompactionConfig {
            compaction_interval: Some(interval),
            overlap_size: Some(overlap),
            token_threshold: Some(1),
            event_retention_size: Some(retention),
            ..EventsCompactionConfig::default()
        };
        let view = log.prefix(log.len());
        for decision in [token_threshold(view, &config, TokenScope::ROOT), sliding_window(view, &config)] {
            let split = decision.window.as_ref().and_then(|window| split_pair(&log, is_in(window)));
            prop_assert_eq!(split, None);
        }
    }

    /// Nor does the span of time that its summary stands for.
    #[test]
    fn a_step_takes_no_more_than_its_window(
        steps in steps(),
        keep in 0..6_u32,
        events_a_tick in 1..4_usize,
        pinned in 0..40_u32,
    ) {
        let log = session(&steps, events_a_tick);
        let policy = Steps { limit_tokens: 1, keep, clears_results: false };
        for window in steps::windows(log.prefix(log.len()), policy, None, &[EventIndex(pinned)]) {
            let times = || window.events.iter().map(|logged| logged.event.timestamp);
            let span = times().fold(f64::INFINITY, f64::min)..=times().fold(0.0, f64::max);
            let covered: Vec<&str> = log.events().iter().map(|logged| &logged.event)
                .filter(|event| span.contains(&event.timestamp)).map(|event| &*event.id).collect();
            let told: Vec<&str> = window.events.iter().map(|logged| &*logged.event.id).collect();
            prop_assert_eq!(covered, told);
            prop_assert_eq!(split_pair(&log, is_in(&window)), None);
        }
    }
}
