//! What holds whatever happens.

use std::collections::BTreeMap;

use proptest::prelude::*;
use strata_context::{
    Command, ContextError, ContextState, Held, MAX_STATE_BYTES, Message, Millis, NoSummary, Principal,
    RetentionStrategy, Task, TaskId, checked, merge, merged, state_at,
};
use strata_model::{Object, json};

use crate::happening::{OWNER, changes, happenings, held};

/// Takes the steps; `look` sees what was there, the command, and what came of it.
fn live(
    steps: Vec<(Command, i64)>,
    mut look: impl FnMut(&Held, &Command, Millis, &Result<strata_context::Done, ContextError>),
) -> Held {
    let (mut at, mut now) = (held(), Millis(0));
    for (command, step) in steps {
        now = Millis(now.0 + step);
        let done = at.apply(command.clone(), now, &NoSummary);
        look(&at, &command, now, &done);
        if let Ok(done) = done {
            at = done.held;
        }
    }
    at
}

fn open_tasks(held: &Held) -> Vec<&TaskId> {
    held.tasks.values().filter(|task| task.status.is_open()).map(|task| &task.task_id).collect()
}

/// Whether some task waits for itself.
fn has_cycle(tasks: &BTreeMap<TaskId, Task>) -> bool {
    let waits = |task: &TaskId, on: &TaskId| {
        tasks[task].waits_for.contains(on)
            || tasks.get(on).is_some_and(|other| other.parent.as_ref() == Some(task))
    };
    let mut left: Vec<&TaskId> = tasks.keys().collect();
    // What waits for nothing that is left can end; a cycle cannot.
    while let Some(at) = left.iter().position(|task| left.iter().all(|on| !waits(task, on))) {
        left.remove(at);
    }
    !left.is_empty()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn the_working_state_fits_and_lists_agree_with_the_tasks(steps in happenings()) {
        live(steps, |_, _, _, done| {
            let Ok(done) = done else { return };
            let context = &done.held.context;
            assert!(json::object_compact_len(&context.working_state) <= MAX_STATE_BYTES);
            let mut active: Vec<&TaskId> = context.active_tasks.iter().collect();
            active.sort();
            assert_eq!(active, open_tasks(&done.held));
            assert_eq!(context.n_completed as usize + active.len(), done.held.tasks.len());
            let states = done.held.context.state;
            assert!(matches!(states, ContextState::Active | ContextState::Archived));
        });
    }

    #[test]
    fn messages_of_open_tasks_are_never_dropped(steps in happenings()) {
        live(steps, |before, command, _, done| {
            let Ok(done) = done else { return };
            for message in &done.dropped {
                let task = message.task.as_ref();
                assert!(task.is_none_or(|task| !done.held.context.active_tasks.contains(task)));
            }
            // Whatever was there is there, or was dropped.
            let kept = &done.held.context.messages;
            let is_somewhere = |message: &Message| kept.contains(message) || done.dropped.contains(message);
            assert!(before.context.messages.iter().filter(|it| !it.is_summary()).all(is_somewhere));
            let said = if let Command::Say(said) = command { said.len() as u64 } else { 0 };
            assert_eq!(done.held.context.n_messages, before.context.n_messages + said);
        });
    }

    #[test]
    fn what_is_kept_is_within_the_limit_but_for_open_tasks_and_the_newest(steps in happenings()) {
        live(steps, |_, _, _, done| {
            let Ok(done) = done else { return };
            let context = &done.held.context;
            let is_free = |message: &&Message| {
                !message.is_summary() && message.task.as_ref().is_none_or(|task| !context.active_tasks.contains(task))
            };
            let n_free = context.messages.iter().filter(is_free).count();
            let limit = context.message_retention.limit as usize;
            match context.message_retention.strategy {
                RetentionStrategy::Count => assert!(context.messages.len() <= limit || n_free <= 1),
                RetentionStrategy::Size => assert!(context.message_bytes() <= limit || n_free <= 1),
                RetentionStrategy::Time => {}
            }
            assert!(context.messages.iter().all(|it| !it.is_summary() || !it.content.is_empty()));
            assert!(context.messages.iter().skip(1).all(|message| !message.is_summary()), "one summary, and it is first");
        });
    }

    #[test]
    fn nobody_else_learns_anything(steps in happenings(), later in 0..10_000_000_i64) {
        let held = live(steps, |_, _, _, _| {});
        let id = &held.context.context_id;
        let (now, other) = (Millis(later), Principal::new("bob"));
        // As if there were no such context, expired or not.
        prop_assert_eq!(checked(id, Some(&held), &other, now), checked(id, None, &other, now));
        let own = checked(id, Some(&held), &Principal::new(OWNER), now);
        prop_assert_eq!(own.is_err(), state_at(&held.context, now) == ContextState::Expired);
    }

    #[test]
    fn an_error_changes_nothing_and_time_never_runs_backwards(steps in happenings()) {
        live(steps, |before, _, _, done| {
            let Ok(done) = done else { return };
            let (old, new) = (&before.context, &done.held.context);
            assert!(new.updated_at >= old.updated_at);
            let mut times: Vec<Millis> = new.messages.iter().filter(|it| !it.is_summary()).map(|it| it.at).collect();
            let said = times.clone();
            times.sort();
            assert_eq!(times, said);
        });
    }

    #[test]
    fn a_clock_that_runs_backwards_does_what_one_that_stands_does(steps in happenings(), back in 1..10_000_000_i64) {
        live(steps, |before, command, _, _| {
            let stands = before.context.updated_at;
            let backwards = Millis(stands.0 - back);
            assert_eq!(
                before.apply(command.clone(), backwards, &NoSummary),
                before.apply(command.clone(), stands, &NoSummary)
            );
        });
    }

    #[test]
    fn tasks_never_wait_for_themselves(steps in happenings()) {
        live(steps, |_, _, _, done| {
            if let Ok(done) = done {
                assert!(!has_cycle(&done.held.tasks));
            }
        });
    }

    #[test]
    fn a_task_sees_nothing_that_others_do_meanwhile(steps in happenings()) {
        live(steps, |before, command, _, done| {
            let Ok(done) = done else { return };
            let touched = command.tasks();
            for (id, task) in &before.tasks {
                let after = &done.held.tasks[id];
                assert_eq!(&task.inherited_state, &after.inherited_state);
                // A child that ends gives its changes to its parent, and nothing else reaches another's.
                let is_parent = touched.iter().any(|it| before.tasks.get(*it).is_some_and(|it| it.parent.as_ref() == Some(id)));
                if !touched.contains(&id) && !is_parent {
                    assert_eq!(task.view(), after.view());
                }
            }
        });
    }

    #[test]
    fn merging_nothing_is_nothing(inherited in changes(), now in changes()) {
        let merge = merge(&inherited, &now, &Object::new());
        prop_assert!(merge.changes.is_empty() && merge.conflicts.is_empty());
    }

    #[test]
    fn where_nobody_else_changed_anything_all_changes_are_taken(inherited in changes(), ours in changes()) {
        let inherited = merged(&Object::new(), &inherited);
        let merge = merge(&inherited, &inherited, &ours);
        prop_assert!(merge.conflicts.is_empty());
        prop_assert_eq!(merged(&inherited, &merge.changes), merged(&inherited, &ours));
    }

    #[test]
    fn a_merge_that_is_done_is_done(inherited in changes(), now in changes(), ours in changes()) {
        let (inherited, now) = (merged(&Object::new(), &inherited), merged(&Object::new(), &now));
        let once = merge(&inherited, &now, &ours);
        let after = merged(&now, &once.changes);
        // Again, it changes nothing, and the same conflicts are told.
        let twice = merge(&inherited, &after, &ours);
        prop_assert_eq!(merged(&after, &twice.changes), after);
        prop_assert_eq!(once.conflicts, twice.conflicts);
    }

    #[test]
    fn changes_of_different_keys_come_to_the_same_in_any_order(inherited in changes(), one in changes(), other in changes()) {
        let inherited = merged(&Object::new(), &inherited);
        let mut other = other;
        other.retain(|key, _| !one.contains_key(key));
        let both = |first: &Object, second: &Object| {
            let after = merged(&inherited, &merge(&inherited, &inherited, first).changes);
            let merge = merge(&inherited, &after, second);
            assert!(merge.conflicts.is_empty());
            merged(&after, &merge.changes)
        };
        prop_assert_eq!(both(&one, &other), both(&other, &one));
    }
}
