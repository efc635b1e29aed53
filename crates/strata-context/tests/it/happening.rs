//! Anything that may happen: commands on a few names, so that they meet.

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use strata_context::{
    Command, Context, ContextId, Held, Millis, NewMessage, NewTask, Principal, Retention, RetentionStrategy,
    Role, TaskEnd, TaskId, Ttl,
};
use strata_model::{Json, Object};

pub(crate) const OWNER: &str = "ana";

pub(crate) fn held() -> Held {
    let id = ContextId::parse("ctx-discovery-1").unwrap();
    Held::new(Context::new(id, Principal::new(OWNER), Millis(0)))
}

pub(crate) fn task_id(n: usize) -> TaskId {
    TaskId::parse(&format!("t{n}")).unwrap()
}

fn task() -> impl Strategy<Value = TaskId> {
    (0..5_usize).prop_map(task_id)
}

pub(crate) fn changes() -> impl Strategy<Value = Object> {
    let value = prop_oneof![
        3 => (0..4_i64).prop_map(Json::Int),
        1 => Just(Json::Null),
        1 => (0..40_000_usize).prop_map(|n| "x".repeat(n).into()),
    ];
    vec(("[a-d]", value), 0..4).prop_map(|members| members.into_iter().collect::<Object>())
}

pub(crate) fn retention() -> impl Strategy<Value = Retention> {
    let strategy = prop_oneof![
        (2..9_u64).prop_map(|limit| (RetentionStrategy::Count, limit)),
        (1..600_u64).prop_map(|limit| (RetentionStrategy::Time, limit)),
        (1..200_u64).prop_map(|limit| (RetentionStrategy::Size, limit)),
    ];
    (strategy, any::<bool>()).prop_map(|((strategy, limit), summarize_on_truncate)| Retention {
        strategy,
        limit,
        summarize_on_truncate,
    })
}

fn message() -> impl Strategy<Value = NewMessage> {
    (any::<bool>(), "[a-zé ]{0,60}", option::of(task())).prop_map(|(is_user, content, task)| NewMessage {
        role: if is_user { Role::User } else { Role::Assistant },
        content: content.into(),
        door: None,
        task,
    })
}

pub(crate) fn command() -> impl Strategy<Value = Command> {
    let new_task = (task(), option::of(task()), vec(task(), 0..3), changes());
    prop_oneof![
        1 => Just(Command::Touch { door: None }),
        3 => (changes(), option::of(task())).prop_map(|(changes, task)| Command::SetState { changes, task }),
        4 => vec(message(), 1..4).prop_map(Command::Say),
        1 => retention().prop_map(Command::SetRetention),
        1 => prop_oneof![Just(Ttl::default()), Just(Ttl::Async), Just(Ttl::HumanInTheLoop)].prop_map(Command::SetTtl),
        4 => new_task.prop_map(|(task_id, parent, waits_for, params)| {
            Command::BeginTask(NewTask { task_id, operation: "book".into(), params, parent, waits_for })
        }),
        2 => (task(), task()).prop_map(|(task, on)| Command::WaitFor { task, on }),
        1 => task().prop_map(|task| Command::RequireInput { task, told: None }),
        1 => task().prop_map(Command::Resume),
        3 => (task(), prop_oneof![Just(TaskEnd::Completed), Just(TaskEnd::Failed), Just(TaskEnd::Canceled)])
            .prop_map(|(task, end)| Command::EndTask { task, end, told: None }),
        1 => Just(Command::Archive),
    ]
}

/// Commands, and milliseconds since the one before: clocks run, jump, and run backwards.
pub(crate) fn happenings() -> impl Strategy<Value = Vec<(Command, i64)>> {
    let step = prop_oneof![8 => 0..60_000_i64, 1 => -4_000_000..0_i64, 1 => 0..4_000_000_i64];
    vec((command(), step), 1..40)
}
