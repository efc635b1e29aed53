//! Building on equals building from scratch.

use proptest::prelude::*;
use strata_model::app::AdkRelease;
use strata_model::{
    Branch, Content, Event, EventCompaction, FunctionCall, FunctionResponse, NodePath, Object, Part, Str,
    Transcription,
};

use super::*;
use crate::contents::HistoryRules;

/// Each builds histories in a way of its own.
const RELEASES: [AdkRelease; 4] =
    [AdkRelease::KNOWN, AdkRelease::new(2, 5), AdkRelease::new(2, 0), AdkRelease::new(1, 20)];

/// Whatever can happen between two events of a history, with few enough names that everything collides.
#[derive(Debug, Clone)]
enum Step {
    Say(usize),
    Call { by: usize, ids: Vec<usize>, is_long_running: bool },
    Respond { by: usize, id: usize },
    Compact { from: usize, to: usize },
    Rewind(usize),
    Speak { is_user: bool },
    Nothing,
}

fn steps() -> impl Strategy<Value = Vec<(Step, usize, usize)>> {
    let step = prop_oneof![
        6 => (0..4usize).prop_map(Step::Say),
        5 => (1..4usize, prop::collection::vec(0..12usize, 1..3), any::<bool>())
            .prop_map(|(by, ids, is_long_running)| Step::Call { by, ids, is_long_running }),
        8 => (0..4usize, 0..12usize).prop_map(|(by, id)| Step::Respond { by, id }),
        1 => (0..40usize, 0..40usize).prop_map(|(from, to)| Step::Compact { from, to }),
        1 => (0..10usize).prop_map(Step::Rewind),
        1 => any::<bool>().prop_map(|is_user| Step::Speak { is_user }),
        1 => Just(Step::Nothing),
    ];
    // Branch and scope are mostly none.
    let place = prop_oneof![8 => Just(0usize), 1 => Just(1), 1 => Just(2), 1 => Just(3)];
    let scope = prop_oneof![9 => Just(0usize), 1 => Just(1)];
    prop::collection::vec((step, place, scope), 1..60)
}

const AUTHORS: [&str; 4] = ["user", "a", "b", "c"];
const BRANCHES: [Option<&str>; 4] = [None, Some("p"), Some("p.q"), Some("p.tool@i3")];

/// The last two stand for calls without an id.
fn id(n: usize) -> Option<Str> {
    (n < 10).then(|| format!("i{n}").into())
}

fn name(n: usize) -> Str {
    format!("tool{}", n % 2).into()
}

fn event(at: usize, (step, branch, scope): &(Step, usize, usize)) -> Event {
    let mut event = Event {
        id: format!("e{at}").into(),
        invocation_id: format!("r{}", at / 6).into(),
        timestamp: at as f64,
        branch: BRANCHES[*branch].map(Str::from),
        isolation_scope: (*scope == 1).then(|| "i2".into()),
        ..Event::default()
    };
    let mut say = |author: usize, parts: Vec<Part>| {
        event.author = AUTHORS[author].into();
        event.content = Some(Arc::new(Content::new(if author == 0 { "user" } else { "model" }, parts)));
    };
    match step {
        Step::Say(by) => say(*by, vec![Part::from_text(format!("text {at}"))]),
        Step::Call { by, ids, is_long_running } => {
            let args = Some(Arc::new(Object::from_iter([("n", at as i64)])));
            let call = |n: &usize| FunctionCall {
                id: id(*n),
                name: Some(name(*n)),
                args: args.clone(),
                ..FunctionCall::default()
            };
            say(*by, ids.iter().map(|n| Part::from_call(call(n))).collect());
            event.long_running_tool_ids =
                Some(ids.iter().filter(|_| *is_long_running).filter_map(|n| id(*n)).collect());
        }
        Step::Respond { by, id: n } => {
            let response = Some(Arc::new(Object::from_iter([("at", at as i64)])));
            let response = FunctionResponse {
                id: id(*n),
                name: Some(name(*n)),
                response,
                ..FunctionResponse::default()
            };
            say(*by, vec![Part::from_response(response)]);
        }
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
        Step::Speak { is_user } => {
            event.author = if *is_user { "user" } else { "a" }.into();
            let text = Some(Box::new(Transcription {
                text: Some(format!("speech {at}").into()),
                ..Transcription::default()
            }));
            if *is_user {
                event.input_transcription = text;
            } else {
                event.output_transcription = text;
            }
        }
        Step::Nothing => event.author = "a".into(),
    }
    event
}

/// Each rule has a pass of its own over the events; in which order they found something is not told.
fn in_order(mut omissions: Vec<Omission>) -> Vec<Omission> {
    omissions.sort_by_key(|omission| (omission.event, omission.part, omission.reason));
    omissions
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, ..ProptestConfig::default() })]

    #[test]
    fn any_prefix_built_on_equals_the_same_built_whole(
        steps in steps(),
        order in prop::collection::vec(0..60usize, 0..20),
        is_single_turn in any::<bool>(),
        isolated in prop::bool::weighted(0.2),
        branch in 0..3usize,
        release in 0..RELEASES.len(),
    ) {
        let events = steps.iter().enumerate().map(|(at, step)| Arc::new(event(at, step)));
        let log = EventLog::new(events);
        let branch = BRANCHES[branch].map(Str::from);
        let node_path = NodePath::default();
        let scope = ContentsScope {
            agent_name: "a",
            branch: Branch::of(branch.as_ref()),
            isolation_scope: isolated.then_some("i2"),
            node_path: &node_path,
            is_single_turn,
            include_thoughts: false,
            keep_client_ids: true,
            user_content: None,
            rules: HistoryRules::of(RELEASES[release]),
        };
        // Calls in the order they happened, then a few places a person jumps to.
        for end in (0..=steps.len()).chain(order.into_iter().map(|end| end.min(steps.len()))) {
            let mut omissions = Omissions::default();
            let built_on = build(log.prefix(end), &scope, &mut omissions);
            let mut from_scratch_omissions = Omissions::default();
            let events: Vec<&LoggedEvent> = log.events().range(0..end).collect();
            let from_scratch: Contents =
                build_contents(&events, &scope, &mut from_scratch_omissions).into_iter().collect();
            prop_assert_eq!(built_on.to_json(), from_scratch.to_json(), "the first {} events", end);
            prop_assert!(built_on == from_scratch);
            let messages = |omissions: &Omissions| -> Vec<_> {
                omissions.diagnostics().into_iter().map(|diagnostic| diagnostic.message).collect()
            };
            prop_assert_eq!(messages(&omissions), messages(&from_scratch_omissions));
            let recorded = from_scratch_omissions.into_list();
            let list = super::omissions((&log, end), &scope);
            prop_assert_eq!(in_order(list), in_order(recorded.clone()), "left out of the first {} events", end);
            for event in 0..end {
                let about = |list: &[Omission]| list.iter().find(|one| one.event.as_usize() == event).cloned();
                let around = omissions_around(event, (&log, end), &scope);
                prop_assert_eq!(about(&around), about(&recorded), "E{} of the first {}", event + 1, end);
            }
        }
    }
}
