//! Contexts as they are stored: all of a command or nothing, and nobody's but their owner's.

use std::collections::BTreeMap;

use strata_context::{
    Command, Context, ContextError, ContextId, Door, Fate, Held, Millis, NewMessage, NewTask, NoSummary,
    Principal, Role, TaskEnd, TaskId, TaskStatus,
};
use strata_model::{Json, Object};
use strata_store::{ContextFailure, Store};
use strata_testkit::Seeded;

use crate::Place;

fn id(text: &str) -> ContextId {
    ContextId::parse(text).unwrap()
}

fn ana() -> Principal {
    Principal::new("ana")
}

fn say(text: &str) -> Command {
    Command::Say(vec![NewMessage {
        role: Role::User,
        content: text.into(),
        door: Some(Door::Http),
        task: None,
    }])
}

fn set(key: &str, value: impl Into<Json>) -> Command {
    Command::SetState { changes: Object::from_iter([(key, value.into())]), task: None }
}

fn begin(name: &str) -> Command {
    Command::BeginTask(NewTask {
        task_id: TaskId::parse(name).unwrap(),
        operation: "book".into(),
        params: Object::new(),
        parent: None,
        waits_for: Vec::new(),
    })
}

fn end(name: &str) -> Command {
    Command::EndTask { task: TaskId::parse(name).unwrap(), end: TaskEnd::Completed, told: None }
}

/// A store with a context of Ana's.
fn store(place: &Place) -> Store {
    let mut store = place.open();
    assert!(store.begin_context(&Context::new(id("ctx-1"), ana(), Millis(0))).unwrap());
    store
}

fn obey(store: &mut Store, commands: Vec<Command>, at: i64) -> Result<strata_context::Done, ContextFailure> {
    store.obey_context(&id("ctx-1"), &ana(), commands, Millis(at), &NoSummary)
}

#[track_caller]
fn refused<T: std::fmt::Debug>(result: Result<T, ContextFailure>) -> ContextError {
    match result.unwrap_err() {
        ContextFailure::Refused(error) => error,
        ContextFailure::Store(error) => panic!("{error}"),
    }
}

#[test]
fn what_a_command_came_to_is_there_after_opening_again() {
    let place = Place::new();
    let mut store = store(&place);
    let large = "x".repeat(70_000);
    let commands = vec![begin("t1"), say("hello"), set("large", &*large), set("n", 7)];
    let done = obey(&mut store, commands, 1_000).unwrap();
    drop(store);
    let store = place.open();
    assert_eq!(store.context(&id("ctx-1")).unwrap().unwrap(), done.held);
    assert_eq!(store.context_artifact(&id("ctx-1"), "large", 0).unwrap(), Some(Json::from(large)));
    assert_eq!(store.context_artifact(&id("ctx-1"), "large", 1).unwrap(), None);
    let task = store.context_task(&TaskId::parse("t1").unwrap()).unwrap().unwrap();
    assert_eq!((task.principal, task.task.context_id), (ana(), id("ctx-1")));
}

#[test]
fn commands_are_obeyed_all_or_none() {
    let place = Place::new();
    let mut store = store(&place);
    let before = store.context(&id("ctx-1")).unwrap();
    let counter = store.change_counter().unwrap();
    let error = refused(obey(&mut store, vec![say("hello"), set("a", 1), end("nothing")], 1_000));
    assert_eq!(error.code(), "TASK_UNKNOWN");
    assert_eq!(store.context(&id("ctx-1")).unwrap(), before);
    assert_eq!(store.change_counter().unwrap(), counter, "nobody is told of nothing");
}

#[test]
fn messages_that_go_are_gone_and_their_summary_is_the_first() {
    let place = Place::new();
    let mut store = store(&place);
    for n in 0..60 {
        obey(&mut store, vec![say(&format!("message {n}"))], 1_000 + n).unwrap();
    }
    let held = store.context(&id("ctx-1")).unwrap().unwrap();
    assert_eq!(held.context.messages.len(), 50);
    assert!(held.context.messages[0].is_summary());
    assert_eq!(&*held.context.messages[0].content, "11 earlier messages");
    assert_eq!(&*held.context.messages[49].content, "message 59");
    let entry = store.contexts().unwrap().remove(0);
    assert_eq!((entry.n_messages_kept, entry.message_bytes), (50, held.context.message_bytes() as u64));
}

#[test]
fn a_foreign_an_unknown_and_a_missing_context_are_one_and_the_same() {
    let place = Place::new();
    let mut store = store(&place);
    let bob = Principal::new("bob");
    let hour = Millis::minutes(60);
    for (now, cleans) in [(Millis(1), false), (hour, false), (hour, true)] {
        if cleans {
            obey(&mut store, vec![say("hello")], 0).unwrap();
            store.clean_contexts(now).unwrap();
        }
        let foreign = store.obey_context(&id("ctx-1"), &bob, vec![set("a", 1)], now, &NoSummary);
        assert_eq!(refused(foreign), ContextError::unknown(id("ctx-1")));
        assert_eq!(refused(store.context_of(&id("ctx-1"), &bob, now)), ContextError::unknown(id("ctx-1")));
        assert_eq!(refused(store.context_of(&id("ctx-2"), &bob, now)), ContextError::unknown(id("ctx-2")));
    }
}

#[test]
fn what_expired_is_archived_whole_and_its_id_is_never_used_again() {
    let place = Place::new();
    let mut store = store(&place);
    store.begin_context(&Context::new(id("empty"), ana(), Millis(0))).unwrap();
    let commands = vec![say("hello"), begin("t1"), set("a", "x".repeat(70_000)), end("t1")];
    let done = obey(&mut store, commands, 1_000).unwrap();
    let idle = store.clean_contexts(Millis::minutes(6)).unwrap();
    assert_eq!(idle.iter().map(|it| it.fate).collect::<Vec<_>>(), [Fate::Idle, Fate::Idle]);
    assert!(store.clean_contexts(Millis::minutes(7)).unwrap().is_empty(), "marked once");
    let now = Millis::minutes(90);
    let at = Millis::minutes(60).after(Millis(1_000));
    let fates: Vec<_> = store.clean_contexts(now).unwrap().into_iter().map(|it| (it.id, it.fate)).collect();
    let gone = Fate::Gone { at: Millis::minutes(60) };
    assert_eq!(fates, [(id("ctx-1"), Fate::ArchivedAndGone { at }), (id("empty"), gone)]);
    assert!(store.contexts().unwrap().is_empty());

    let archived = store.archived_contexts().unwrap();
    assert_eq!((&archived[0].id, archived[0].expired_at, archived[0].archived_at), (&id("ctx-1"), at, now));
    let context = archived[0].context.clone().unwrap();
    assert_eq!(context.messages, done.held.context.messages);
    assert_eq!(context.working_state, done.held.context.working_state);
    assert_eq!(archived[1].context, None);
    assert!(store.context_artifact(&id("ctx-1"), "a", 0).unwrap().is_some());
    assert!(
        store.context_task(&TaskId::parse("t1").unwrap()).unwrap().is_some(),
        "a task outlives its context"
    );

    // Its owner is told when; nobody gets the id again.
    let error = refused(obey(&mut store, vec![say("again")], now.0));
    assert_eq!(error, ContextError::Expired { id: id("ctx-1"), expired_at: Some(at) });
    assert!(!store.begin_context(&Context::new(id("ctx-1"), Principal::new("bob"), now)).unwrap());
}

#[test]
fn a_context_can_be_ended_before_its_time() {
    let place = Place::new();
    let mut store = store(&place);
    obey(&mut store, vec![begin("t1")], 1_000).unwrap();
    let ended = store.expire_context(&id("ctx-1"), Millis(2_000)).unwrap().unwrap();
    assert_eq!(ended.fate, Fate::ArchivedAndGone { at: Millis(2_000) });
    assert_eq!(store.expire_context(&id("ctx-1"), Millis(2_000)).unwrap(), None);
    let task = store.context_task(&TaskId::parse("t1").unwrap()).unwrap().unwrap().task;
    assert_eq!((task.status, task.told.as_deref()), (TaskStatus::Canceled, Some("Its context was ended.")));
}

#[test]
fn ending_a_context_drops_none_of_its_messages() {
    let place = Place::new();
    let mut store = store(&place);
    let in_task = |n: i32| {
        let (content, task) = (format!("message {n}").into(), TaskId::parse("t1").ok());
        Command::Say(vec![NewMessage { role: Role::User, content, door: None, task }])
    };
    let commands = [begin("t1")].into_iter().chain((0..60).map(in_task)).collect();
    // More than are kept of what is not of an open task.
    let held = obey(&mut store, commands, 1_000).unwrap().held;
    assert_eq!(held.context.messages.len(), 60);
    store.expire_context(&id("ctx-1"), Millis(2_000)).unwrap().unwrap();
    let archived = store.archived_contexts().unwrap().remove(0).context.unwrap();
    assert_eq!(archived.messages, held.context.messages);
}

#[test]
fn a_task_of_another_context_is_unknown_and_its_id_is_taken() {
    let place = Place::new();
    let mut store = store(&place);
    obey(&mut store, vec![begin("t1"), set("a", 1)], 1_000).unwrap();
    let before = store.context_task(&TaskId::parse("t1").unwrap()).unwrap();
    let bob = Principal::new("bob");
    store.begin_context(&Context::new(id("ctx-2"), bob.clone(), Millis(0))).unwrap();
    for (command, code) in [(end("t1"), "TASK_UNKNOWN"), (begin("t1"), "TASK_EXISTS")] {
        let found = store.obey_context(&id("ctx-2"), &bob, vec![command], Millis(2_000), &NoSummary);
        assert_eq!(refused(found).code(), code);
    }
    let context = Context::new(id("ctx-3"), bob, Millis(0));
    let found = store.begin_context_with(context, vec![begin("t1")], Millis(2_000), &NoSummary);
    assert_eq!(refused(found).code(), "TASK_EXISTS");
    assert_eq!(store.context(&id("ctx-3")).unwrap(), None);
    assert_eq!(store.context_task(&TaskId::parse("t1").unwrap()).unwrap(), before);
}

#[test]
fn keys_are_found_and_masked_in_contexts_too() {
    let place = Place::new();
    let mut store = store(&place);
    let key = format!("sk-ant-api03-{}", "Q7w".repeat(30));
    obey(&mut store, vec![say(&format!("my key is {key}"))], 1_000).unwrap();
    assert_eq!(store.secrets_in_contexts(false).unwrap().n_values(), 1);
    assert_eq!(store.secrets_in_contexts(true).unwrap().n_values(), 1);
    assert!(store.secrets_in_contexts(false).unwrap().is_empty());
    store.set_masks_secrets(true).unwrap();
    obey(&mut store, vec![set("key", &*key), begin("t1")], 2_000).unwrap();
    assert!(store.secrets_in_contexts(false).unwrap().is_empty());
    assert!(!format!("{:?}", store.context(&id("ctx-1")).unwrap()).contains(&key));
}

/// What a client believes of its contexts, by the pure rules alone.
struct Client {
    principal: Principal,
    own: BTreeMap<ContextId, Held>,
}

#[test]
fn a_thousand_contexts_of_fifty_clients_stay_apart() {
    const CLIENTS: usize = 50;
    const EACH: usize = 20;
    let place = Place::new();
    let mut random = Seeded::new(21);
    let mut stores: Vec<Store> = (0..CLIENTS).map(|_| place.open()).collect();
    let mut clients: Vec<Client> = (0..CLIENTS)
        .map(|n| Client { principal: Principal::new(&format!("client {n}")), own: BTreeMap::new() })
        .collect();
    for n in 0..CLIENTS * EACH {
        let (at, id) = (n % CLIENTS, id(&format!("ctx-{n}")));
        let context = Context::new(id.clone(), clients[at].principal.clone(), Millis(0));
        assert!(stores[at].begin_context(&context).unwrap());
        clients[at].own.insert(id, Held::new(context));
    }
    let mut n_tasks = 0;
    let mut n_foreign = 0;
    for step in 0..4_000 {
        let at = random.below(CLIENTS);
        let now = Millis(1_000 + step);
        let any = id(&format!("ctx-{}", random.below(CLIENTS * EACH)));
        let own: Vec<ContextId> = clients[at].own.keys().cloned().collect();
        let of = if random.below(4) == 0 { any } else { random.pick(&own).clone() };
        let command = command(&mut random, clients[at].own.get(&of), &mut n_tasks);
        let principal = clients[at].principal.clone();
        let found = stores[at].obey_context(&of, &principal, vec![command.clone()], now, &NoSummary);
        let Some(held) = clients[at].own.get_mut(&of) else {
            n_foreign += 1;
            assert_eq!(refused(found), ContextError::unknown(of));
            continue;
        };
        match held.apply(command, now, &NoSummary) {
            Ok(expected) => {
                assert_eq!(found.unwrap().held.context, expected.held.context);
                *held = expected.held;
            }
            Err(error) => assert_eq!(refused(found), error),
        }
    }
    assert!(n_foreign > 500, "{n_foreign}");
    let store = place.open();
    for client in &clients {
        for (id, held) in &client.own {
            assert_eq!(store.context(id).unwrap().as_ref(), Some(held), "{id} of {}", client.principal);
        }
    }
    assert_eq!(store.contexts().unwrap().len(), CLIENTS * EACH);
}

fn command(random: &mut Seeded, held: Option<&Held>, n_tasks: &mut usize) -> Command {
    let open = held.and_then(|held| held.context.active_tasks.first().cloned());
    match (random.below(6), open) {
        (0, _) => {
            *n_tasks += 1;
            begin(&format!("task-{n_tasks}"))
        }
        (1, Some(task)) => Command::EndTask { task, end: TaskEnd::Completed, told: None },
        (2, task @ Some(_)) => {
            Command::SetState { changes: Object::from_iter([("a", random.below(9) as i64)]), task }
        }
        (3, _) => set("b", random.below(9) as i64),
        (4, task) => Command::Say(vec![NewMessage {
            role: Role::Assistant,
            content: random.hex(12).into(),
            door: None,
            task,
        }]),
        _ => Command::Touch { door: Some(*random.pick(&Door::ALL)) },
    }
}

#[test]
fn clients_that_write_at_once_lose_nothing() {
    const CLIENTS: i64 = 8;
    let place = Place::new();
    drop(store(&place));
    std::thread::scope(|scope| {
        for client in 0..CLIENTS {
            let place = &place;
            scope.spawn(move || {
                let mut store = place.open();
                for n in 0..20 {
                    obey(&mut store, vec![set(&format!("{client}.{n}"), n)], 1_000 + n).unwrap();
                }
            });
        }
    });
    let held = place.open().context(&id("ctx-1")).unwrap().unwrap();
    assert_eq!(held.context.working_state.len() as i64, CLIENTS * 20);
}
