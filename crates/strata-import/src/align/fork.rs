//! Sub-agents that begin with all that their caller was told, and with what they are to do behind it.

use strata_model::{FunctionCall, Json, Str};
use strata_wire::message::{Role, Turn};

/// Names and paths stand at the end of much that clients add. A prompt has more words.
const TELLING_WORDS: usize = 3;

/// The call, with its tool, whose prompt a message in the user's name ends with. The message stands behind the result of
/// that call, where a person has no turn, and not before the turn `from`.
pub(super) fn forked_by(turns: &[Turn], from: usize) -> Option<(Str, Str)> {
    let mut calls: Vec<&FunctionCall> = Vec::new();
    let mut is_behind_model = false;
    for (at, turn) in turns.iter().enumerate() {
        let is_model = turn.role == Role::Model;
        if is_model && !is_behind_model {
            calls.clear();
        }
        is_behind_model = is_model;
        if is_model {
            calls.extend(turn.parts.iter().filter_map(|part| part.function_call.as_deref()));
        } else if turn.role == Role::User && at >= from {
            let text = turn.text();
            if let Some(call) = calls.iter().find(|call| asks_for(call, text.trim())) {
                return Some((call.id.clone()?, call.name.clone().unwrap_or_else(|| "tool".into())));
            }
        }
    }
    None
}

/// Whether a text ends with the prompt that a call gives.
fn asks_for(call: &FunctionCall, text: &str) -> bool {
    let given = call.args.iter().flat_map(|args| args.values()).filter_map(Json::as_str).map(str::trim);
    given.filter(|given| is_prompt(given)).any(|prompt| text.ends_with(prompt))
}

/// Whether a text that a call gives may be what somebody is asked.
pub(super) fn is_prompt(text: &str) -> bool {
    text.split_whitespace().nth(TELLING_WORDS - 1).is_some()
}
