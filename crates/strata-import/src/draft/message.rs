//! Messages that stand in a list, with what tools write beside their content.

use strata_model::take::{take_first_text, take_object};
use strata_model::{Json, Object, Str};
use strata_wire::message::{Role, Turn};
use strata_wire::usage;

use super::{Draft, EventDraft, Kind};
use crate::time::take_time;

/// Adds a message of a list as the event it is. `None` when nothing is said in it.
pub(crate) fn say_message(
    draft: &mut Draft,
    owner: &'static str,
    message: Json,
    say: EventDraft,
) -> Option<usize> {
    let turn = draft.messages(owner).read(message);
    say_turn(draft, owner, turn, say)
}

/// Adds a message that was read already.
pub(crate) fn say_turn(
    draft: &mut Draft,
    owner: &'static str,
    mut turn: Turn,
    mut say: EventDraft,
) -> Option<usize> {
    let mut rest = std::mem::take(&mut turn.rest);
    say.time = say.time.or_else(|| {
        ["timestamp", "ts", "created_at", "createdAt", "time"]
            .iter()
            .find_map(|key| take_time(&mut rest, key))
    });
    say.id = say.id.or_else(|| take_first_text(&mut rest, &["id", "message_id"]));
    if turn.role == Role::Model {
        about_answer(draft, &mut rest, &mut say);
    }
    draft.note_rest(owner, &rest);
    if turn.parts.is_empty() && say.usage.is_none() && say.error.is_none() {
        if turn.role != Role::Model {
            return None;
        }
        // A model that said nothing was called all the same.
        say.kind = Kind::Response;
        return Some(draft.push(say));
    }
    Some(draft.push_turn(turn, say))
}

/// Model, usage and the reason to stop, wherever they are kept.
fn about_answer(draft: &mut Draft, rest: &mut Object, say: &mut EventDraft) {
    let mut about = take_object(rest, "response_metadata").unwrap_or_default();
    let mut token_usage = take_object(&mut about, "token_usage").unwrap_or_default();
    let text = |rest: &mut Object, about: &mut Object, keys: &[&str]| -> Option<Str> {
        take_first_text(rest, keys).or_else(|| take_first_text(about, keys))
    };
    say.model = say.model.take().or_else(|| text(rest, &mut about, &["model", "model_name", "modelID"]));
    say.finish =
        say.finish.take().or_else(|| text(rest, &mut about, &["finish_reason", "stop_reason", "finish"]));
    for key in ["usage_metadata", "usage", "metrics", "tokens"] {
        if say.usage.is_none()
            && let Some(usage) = take_object(rest, key)
        {
            say.usage = usage::read(usage, "usage", &mut draft.unmapped);
        }
    }
    if say.usage.is_none() && !token_usage.is_empty() {
        say.usage = usage::read(std::mem::take(&mut token_usage), "token_usage", &mut draft.unmapped);
    }
    if !about.is_empty() {
        draft.note_rest("response_metadata", &about);
    }
}
