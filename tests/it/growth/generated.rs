//! Made-up sessions: several agents, tools, branches, rewinds, summaries, state, files.

use std::sync::Arc;

use proptest::prelude::*;
use strata_engine::{FlowKind, infer_app};
use strata_model::{
    Content, Event, EventCompaction, FunctionCall, FunctionResponse, Object, Part, Session, Str, Usage,
};

use super::grow::Recorded;

/// What an event does, the branch it is on, and whether it is told what its call used.
pub(crate) type Placed = (Step, usize, bool);

#[derive(Debug, Clone)]
pub(crate) enum Step {
    Say(usize),
    Call { by: usize, id: usize },
    Respond { by: usize, id: usize },
    Compact { from: usize, to: usize },
    Rewind(usize),
    Write(usize),
    Save { file: usize, version: i64 },
}

pub(crate) fn steps() -> impl Strategy<Value = Vec<Placed>> {
    let step = prop_oneof![
        7 => (0..4usize).prop_map(Step::Say),
        4 => (1..4usize, 0..8usize).prop_map(|(by, id)| Step::Call { by, id }),
        5 => (0..4usize, 0..8usize).prop_map(|(by, id)| Step::Respond { by, id }),
        1 => (0..40usize, 0..40usize).prop_map(|(from, to)| Step::Compact { from, to }),
        1 => (0..8usize).prop_map(Step::Rewind),
        1 => (0..3usize).prop_map(Step::Write),
        1 => (0..3usize, 0..2i64).prop_map(|(file, version)| Step::Save { file, version }),
    ];
    let branch = prop_oneof![6 => Just(0usize), 1 => Just(1), 1 => Just(2)];
    prop::collection::vec((step, branch, prop::bool::weighted(0.3)), 1..70)
}

pub(crate) fn recorded(steps: &[Placed]) -> Recorded {
    let session = Session {
        id: "made-up".into(),
        events: steps.iter().enumerate().map(|(at, step)| Arc::new(event(at, step))).collect(),
        state: Object::from_iter([("k0", "last"), ("k1", "last"), ("always", "so")]),
        ..Session::default()
    };
    let app = infer_app(&session, FlowKind::Adk, &[]).app;
    Recorded::of(session, app, FlowKind::Adk)
}

fn event(at: usize, (step, branch, has_usage): &Placed) -> Event {
    const AUTHORS: [&str; 4] = ["user", "a", "b", "c"];
    const BRANCHES: [Option<&str>; 3] = [None, Some("a.b"), Some("a.c@i3")];
    let mut event = Event {
        id: format!("e{at}").into(),
        invocation_id: format!("r{}", at / 6).into(),
        timestamp: at as f64,
        branch: BRANCHES[*branch].map(Str::from),
        ..Event::default()
    };
    let mut say = |author: usize, part: Part| {
        event.author = AUTHORS[author].into();
        event.content = Some(Arc::new(Content::new(if author == 0 { "user" } else { "model" }, [part])));
        if author > 0 && *has_usage {
            event.usage_metadata =
                Some(Box::new(Usage { prompt_token_count: Some(100), ..Usage::default() }));
        }
    };
    let id = |n: usize| Some(Str::from(format!("i{n}")));
    match step {
        Step::Say(by) => say(*by, Part::from_text(format!("words number {at}"))),
        Step::Call { by, id: n } => say(
            *by,
            Part::from_call(FunctionCall {
                id: id(*n),
                name: Some("look".into()),
                args: Some(Arc::new(Object::from_iter([("n", at as i64)]))),
                ..FunctionCall::default()
            }),
        ),
        Step::Respond { by, id: n } => say(
            *by,
            Part::from_response(FunctionResponse {
                id: id(*n),
                name: Some("look".into()),
                response: Some(Arc::new(Object::from_iter([("at", at as i64)]))),
                ..FunctionResponse::default()
            }),
        ),
        Step::Compact { from, to } => {
            event.author = "user".into();
            event.actions.compaction = Some(EventCompaction {
                start_timestamp: Some(*from as f64),
                end_timestamp: Some(*to as f64),
                compacted_content: Some(Content::new("model", [Part::from_text(format!("summary {at}"))])),
                ..EventCompaction::default()
            });
        }
        Step::Rewind(to) => {
            event.author = "user".into();
            event.actions.rewind_before_invocation_id = Some(format!("r{to}").into());
        }
        Step::Write(key) => {
            say(1, Part::from_text(format!("noted {at}")));
            event.actions.state_delta = Object::from_iter([(format!("k{key}"), at as i64)]);
        }
        Step::Save { file, version } => {
            say(2, Part::from_text(format!("saved {at}")));
            event.actions.artifact_delta = Object::from_iter([(format!("f{file}"), *version)]);
        }
    }
    event
}
