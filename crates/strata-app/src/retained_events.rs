//! What the retention of a context makes of the session in which its agents answer.
//!
//! A message that a context no longer keeps is not sent to its agents any more: a compaction of the session, as google-adk
//! has them, covers the events that said it, and tells the context's summary in their place, or that they are not kept.
//! Events stay in the session; what is sent of them is read from it as of any other.

use std::collections::HashMap;
use std::sync::Arc;

use strata_context::{Context, Role};
use strata_model::{Content, Event, EventActions, EventCompaction, Json, Object, Part, Str, marks};

/// What stands in place of messages that were dropped without a summary, or of those that a summary further up tells.
const NOT_KEPT: &str = "[Messages that were here are not kept.]";

/// The metadata that tells an event's context, and its task in it.
const CONTEXT: &str = "context_id";
const TASK: &str = "task_id";

fn mark<'e>(event: &'e Event, name: &str) -> Option<&'e str> {
    marks::of(event, name).and_then(Json::as_str)
}

/// Whether an event belongs to a context.
pub(crate) fn is_of(event: &Event, context: &Context) -> bool {
    mark(event, CONTEXT) == Some(context.context_id.as_str())
}

/// What a context keeps of a task.
#[derive(Default)]
struct Kept {
    says_user: bool,
    n_turns: u32,
}

/// Of each event, whether the context no longer keeps what it said. An answer goes with all that an agent did for it, and
/// a task of several turns goes as a whole: its calls are answered in later ones.
pub(crate) fn gone(context: &Context, events: &[Arc<Event>]) -> Vec<bool> {
    let mut kept: HashMap<&str, Kept> = HashMap::new();
    for message in context.messages.iter().filter(|message| !message.is_summary()) {
        if let Some(task) = &message.task {
            kept.entry(task.as_str()).or_default().says_user |= message.role == Role::User;
        }
    }
    for open in &context.active_tasks {
        kept.entry(open.as_str()).or_default().says_user = true;
    }
    for event in events.iter().filter(|event| is_said(event, context) && event.is_from_user()) {
        if let Some(kept) = mark(event, TASK).and_then(|task| kept.get_mut(task)) {
            kept.n_turns += 1;
        }
    }
    let is_gone = |event: &Arc<Event>| {
        is_said(event, context)
            && mark(event, TASK).is_some_and(|task| match kept.get(task) {
                None => true,
                Some(kept) => event.is_from_user() && !kept.says_user && kept.n_turns == 1,
            })
    };
    events.iter().map(is_gone).collect()
}

fn is_said(event: &Event, context: &Context) -> bool {
    is_of(event, context) && !event.is_compaction()
}

/// The compactions that the session lacks so that its agents are sent what the context keeps, without ids and times of
/// their own.
pub(crate) fn missing_compactions(context: &Context, events: &[Arc<Event>]) -> Vec<Event> {
    let gone = gone(context, events);
    let mut scopes: Vec<Option<&Str>> = Vec::new();
    for (event, _) in events.iter().zip(&gone).filter(|(_, gone)| **gone) {
        if !scopes.contains(&event.isolation_scope.as_ref()) {
            scopes.push(event.isolation_scope.as_ref());
        }
    }
    let mut missing = Vec::new();
    for scope in scopes {
        let in_scope = |event: &Event| event.isolation_scope.as_ref() == scope && !event.is_compaction();
        let own: Vec<(&Arc<Event>, bool)> =
            events.iter().zip(gone.iter().copied()).filter(|(event, _)| in_scope(event)).collect();
        for (at, (start, end)) in spans(&own).into_iter().enumerate() {
            let summary = context.messages.first().filter(|first| at == 0 && first.is_summary());
            let text = summary.map_or(NOT_KEPT, |summary| &summary.content);
            let compaction = EventCompaction {
                start_timestamp: Some(start),
                end_timestamp: Some(end),
                compacted_content: Some(Content::new("model", [Part::from_text(text)])),
                ..EventCompaction::default()
            };
            let known = events.iter().rev().filter(|event| event.isolation_scope.as_ref() == scope);
            let mut known = known.filter_map(|event| event.actions.compaction.as_ref());
            let same_span =
                known.find(|it| (it.start_timestamp, it.end_timestamp) == (Some(start), Some(end)));
            if same_span != Some(&compaction) {
                missing.push(Event {
                    author: "user".into(),
                    isolation_scope: scope.cloned(),
                    actions: EventActions { compaction: Some(compaction), ..EventActions::default() },
                    custom_metadata: Some(Object::from_iter([(CONTEXT, context.context_id.as_str())])),
                    ..Event::default()
                });
            }
        }
    }
    missing
}

/// The times of neighbours that are gone, both ends included. A span that would cover an event that stays is none: that
/// happens where a clock ran backwards, and its events stay until that one goes, too.
fn spans(events: &[(&Arc<Event>, bool)]) -> Vec<(f64, f64)> {
    let runs = events.chunk_by(|(_, one), (_, other)| one == other).filter(|run| run[0].1);
    let span = |run: &[(&Arc<Event>, bool)]| {
        let times = || run.iter().map(|(event, _)| event.timestamp);
        (times().fold(f64::INFINITY, f64::min), times().fold(f64::NEG_INFINITY, f64::max))
    };
    let stays = |(start, end): &(f64, f64)| {
        events.iter().any(|(event, gone)| !gone && *start <= event.timestamp && event.timestamp <= *end)
    };
    runs.map(span).filter(|span| !stays(span)).collect()
}

/// Of each event, the compaction that took it out of what the context's agents are sent, by its place.
pub(crate) fn taken_out_by(context: &Context, events: &[Arc<Event>]) -> Vec<Option<usize>> {
    let own = events.iter().enumerate().filter(|(_, event)| is_of(event, context));
    let compactions: Vec<(usize, &Arc<Event>, f64, f64)> = own
        .filter_map(|(at, event)| {
            let compaction = event.actions.compaction.as_ref()?;
            Some((at, event, compaction.start_timestamp?, compaction.end_timestamp?))
        })
        .collect();
    let by = |(at, event): (usize, &Arc<Event>)| {
        let covers = |(by, compaction, start, end): &&(usize, &Arc<Event>, f64, f64)| {
            *by > at
                && compaction.isolation_scope == event.isolation_scope
                && *start <= event.timestamp
                && event.timestamp <= *end
        };
        compactions.iter().find(covers).map(|(by, ..)| *by)
    };
    events.iter().enumerate().map(by).collect()
}

#[cfg(test)]
mod tests {
    use strata_context::{ContextId, Message, Millis, Principal, TaskId};

    use super::*;

    fn event(at: f64, author: &str, task: &str) -> Arc<Event> {
        Arc::new(Event {
            author: author.into(),
            content: Some(Arc::new(Content::new("user", [Part::from_text("x")]))),
            timestamp: at,
            custom_metadata: Some(Object::from_iter([(CONTEXT, "ctx-1"), (TASK, task)])),
            ..Event::default()
        })
    }

    fn keeping(messages: &[(Role, &str)]) -> Context {
        let message = |(role, task): &(Role, &str)| Message {
            number: 0,
            at: Millis(0),
            role: *role,
            content: "x".into(),
            door: None,
            task: TaskId::parse(task).ok(),
        };
        let messages = messages.iter().map(message).collect();
        let id = ContextId::parse("ctx-1").unwrap();
        Context { messages, ..Context::new(id, Principal::new("ana"), Millis(0)) }
    }

    fn spans_of(context: &Context, events: &[Arc<Event>]) -> Vec<(f64, f64)> {
        let missing = missing_compactions(context, events);
        let compactions = missing.iter().map(|event| event.actions.compaction.clone().unwrap());
        compactions.map(|it| (it.start_timestamp.unwrap(), it.end_timestamp.unwrap())).collect()
    }

    #[test]
    fn a_question_may_go_before_its_answer() {
        let events = [event(1.0, "user", "a"), event(2.0, "front", "a"), event(3.0, "user", "b")];
        let context = keeping(&[(Role::Assistant, "a"), (Role::User, "b")]);
        assert_eq!(gone(&context, &events), [true, false, false]);
        assert_eq!(spans_of(&context, &events), [(1.0, 1.0)]);
    }

    #[test]
    fn a_task_of_several_turns_goes_as_a_whole() {
        let events = [
            event(1.0, "user", "a"),
            event(2.0, "front", "a"),
            event(3.0, "user", "a"),
            event(4.0, "front", "a"),
        ];
        assert_eq!(gone(&keeping(&[(Role::Assistant, "a")]), &events), [false; 4]);
        assert_eq!(spans_of(&keeping(&[]), &events), [(1.0, 4.0)]);
    }

    #[test]
    fn what_an_open_task_said_divides_what_goes() {
        let events = [event(1.0, "user", "a"), event(2.0, "user", "b"), event(3.0, "user", "c")];
        let context = keeping(&[(Role::User, "b")]);
        assert_eq!(spans_of(&context, &events), [(1.0, 1.0), (3.0, 3.0)]);
    }

    #[test]
    fn no_event_that_stays_is_covered_where_a_clock_ran_backwards() {
        let events = [event(5.0, "user", "a"), event(9.0, "user", "b"), event(7.0, "user", "c")];
        assert_eq!(spans_of(&keeping(&[(Role::User, "c")]), &events), []);
    }

    #[test]
    fn what_is_there_is_not_missing() {
        let mut events = vec![event(1.0, "user", "a"), event(2.0, "user", "b")];
        let context = keeping(&[(Role::User, "b")]);
        events.extend(missing_compactions(&context, &events).into_iter().map(Arc::new));
        assert_eq!(events.len(), 3);
        assert!(missing_compactions(&context, &events).is_empty());
        assert_eq!(taken_out_by(&context, &events), [Some(2), None, None]);
    }
}
