//! What holds for every window, whatever the session.

use std::collections::HashMap;
use std::sync::Arc;

use proptest::prelude::*;
use strata_model::app::EventsCompactionConfig;
use strata_model::{Content, Event, FunctionCall, FunctionResponse, Part};

use super::{TokenScope, Window, sliding_window, token_threshold};
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

fn session(steps: &[Step]) -> EventLog {
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
            timestamp: 1000.0 + at as f64,
            content: Some(Arc::new(Content::new(author, parts))),
            ..Event::default()
        }));
    }
    EventLog::new(events)
}

/// The first call whose result a window leaves behind, or the other way round.
fn split_pair(log: &EventLog, window: &Window<'_>) -> Option<String> {
    let is_inside = |event: &Event| window.events.iter().any(|logged| logged.event.id == event.id);
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

proptest! {
    #[test]
    fn windows_never_split_a_call_from_its_response(
        steps in steps(),
        retention in 0..6_i64,
        interval in 1..4_i64,
        overlap in 0..3_i64,
    ) {
        let log = session(&steps);
        let config = EventsCompactionConfig {
            compaction_interval: Some(interval),
            overlap_size: Some(overlap),
            token_threshold: Some(1),
            event_retention_size: Some(retention),
            ..EventsCompactionConfig::default()
        };
        let view = log.prefix(log.len());
        for decision in [token_threshold(view, &config, TokenScope::ROOT), sliding_window(view, &config)] {
            let split = decision.window.as_ref().and_then(|window| split_pair(&log, window));
            prop_assert_eq!(split, None);
        }
    }
}
