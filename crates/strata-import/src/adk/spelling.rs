//! Fields that ADK writes in either spelling.

use strata_model::{Json, Object, Str};

/// Takes `key` in either spelling. Null is nothing.
pub(super) fn take(object: &mut Object, snake: &str, camel: &str) -> Option<Json> {
    object.remove(snake).or_else(|| object.remove(camel)).filter(|value| !value.is_null())
}

/// Takes a text that is not empty; anything else is left where it is.
pub(super) fn take_text(object: &mut Object, snake: &str, camel: &str) -> Option<Str> {
    let key = if object.contains_key(snake) { snake } else { camel };
    match object.get(key) {
        Some(Json::String(text)) if !text.is_empty() => {
            let text = text.clone();
            object.remove(key);
            Some(text)
        }
        _ => None,
    }
}
