//! Contexts of a served app, from a time that is long over: one waits for a person without end, one has expired.

use std::path::Path;

use anyhow::{Context as _, Result, ensure};
use strata_context::{
    Command, Context, ContextId, Door, Millis, NewMessage, NewTask, NoSummary, Principal, Role, TaskEnd,
    TaskId, Ttl,
};
use strata_model::{Json, Object};
use strata_store::Store;

/// The beginning of 2026.
const BEGUN: Millis = Millis(1_767_225_600_000);
const MINUTE: i64 = 60_000;

/// Writes them into a store that is made.
pub(crate) fn fill(database: &Path) -> Result<()> {
    let mut store = Store::open(database).context("make the store")?;
    let said = |role, content: &str, door| NewMessage { role, content: content.into(), door, task: None };
    begin(
        &mut store,
        ("ctx-hitl-a41d", "north-media"),
        vec![
            Command::SetTtl(Ttl::HumanInTheLoop),
            Command::Touch { door: Some(Door::Mcp) },
            Command::SetState { changes: state(), task: None },
            Command::Say(vec![
                said(Role::User, "Find video offers for four weeks.", Some(Door::Mcp)),
                said(Role::Assistant, "Three offers, one of them booked.", Some(Door::Mcp)),
            ]),
        ],
        vec![
            Command::Touch { door: Some(Door::A2a) },
            Command::BeginTask(task("task-1", "search")?),
            Command::EndTask { task: id("task-1")?, end: TaskEnd::Completed, told: Some("3 offers".into()) },
            Command::BeginTask(task("task-2", "book")?),
            Command::RequireInput { task: id("task-2")?, told: Some("Confirm 4,200 euros?".into()) },
        ],
    )?;
    begin(
        &mut store,
        ("ctx-discovery-7f3a", "acme-buyer"),
        vec![
            Command::Touch { door: Some(Door::Http) },
            Command::Say(vec![said(Role::User, "What is on offer?", Some(Door::Http))]),
        ],
        Vec::new(),
    )
}

fn begin(
    store: &mut Store,
    (name, owner): (&str, &str),
    first: Vec<Command>,
    then: Vec<Command>,
) -> Result<()> {
    let (context, owner) = (ContextId::parse(name).context("name a context")?, Principal::new(owner));
    ensure!(
        store.begin_context(&Context::new(context.clone(), owner.clone(), BEGUN))?,
        "{name} is there already"
    );
    let times = [(first, 1), (then, 4)].into_iter().filter(|(commands, _)| !commands.is_empty());
    for (commands, minutes) in times {
        let now = Millis(BEGUN.0 + minutes * MINUTE);
        store.obey_context(&context, &owner, commands, now, &NoSummary).context("fill a context")?;
    }
    Ok(())
}

fn id(text: &str) -> Result<TaskId> {
    TaskId::parse(text).context("name a task")
}

fn task(name: &str, operation: &str) -> Result<NewTask> {
    let task_id = id(name)?;
    Ok(NewTask {
        task_id,
        operation: operation.into(),
        params: Object::new(),
        parent: None,
        waits_for: Vec::new(),
    })
}

/// A value of each size: one of them is put away.
fn state() -> Object {
    let mut state = Object::new();
    state.push("brief", "video, 4 weeks, IE");
    state.push("products", Json::from("three offers, one booked. ".repeat(400)));
    state.push("offers_full", Json::from("an offer with all of its terms. ".repeat(3_000)));
    state
}
