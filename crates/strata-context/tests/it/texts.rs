//! What is stored is what is read.

use proptest::prelude::*;
use strata_context::{Context, Held, Message, Millis, NoSummary, Task};

use crate::happening::{happenings, held};

fn stored(held: &Held) -> Held {
    let mut context = Context::from_text(&held.context.to_text()).unwrap();
    let messages =
        held.context.messages.iter().map(|message| Message::from_text(&message.to_text()).unwrap());
    context.messages = messages.collect();
    let tasks = held.tasks.iter().map(|(id, task)| (id.clone(), Task::from_text(&task.to_text()).unwrap()));
    Held { context, tasks: tasks.collect() }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn texts_hold_everything(steps in happenings()) {
        let (mut at, mut now) = (held(), Millis(0));
        for (command, step) in steps {
            now = Millis(now.0 + step);
            if let Ok(done) = at.apply(command, now, &NoSummary) {
                at = done.held;
            }
        }
        prop_assert_eq!(stored(&at), at);
    }
}

#[test]
fn what_is_no_context_is_an_error() {
    let error = Context::from_text("{}").unwrap_err();
    assert!(error.to_string().starts_with("what was stored of a context cannot be read:"), "{error}");
}
