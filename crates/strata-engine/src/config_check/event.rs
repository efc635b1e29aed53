//! Events, with the short forms their constructor takes.

use strata_model::{Json, Object};

use super::problem::{Problem, whole};
use super::record::check_record;
use super::records::EVENT;

pub(super) fn check(value: &Json) -> Vec<Problem> {
    let Json::Object(object) = value else { return check_record(&EVENT, value) };
    let mut event = object.clone();
    let mut take = |key: &str| event.remove(key).filter(|value| !value.is_null());
    let (message, state) = (take("message"), take("state"));
    let (route, node_path) = (take("route"), take("node_path"));
    if let Some(message) = message {
        if event.get("content").is_some_and(|content| !content.is_null()) {
            return whole("message and content say the same thing: give one of them");
        }
        if !is_content(&message) {
            return whole(format!("a message cannot be made of {}", message.kind()));
        }
    }
    if let Some(state) = state {
        set_inside(&mut event, "actions", "state_delta", state);
    }
    if let Some(route) = route {
        set_inside(&mut event, "actions", "route", route);
    }
    if let Some(path) = node_path {
        set_inside(&mut event, "node_info", "path", path);
    }
    check_record(&EVENT, &event.into())
}

/// Texts, parts, contents, and lists of the first two.
fn is_content(message: &Json) -> bool {
    match message {
        Json::String(_) | Json::Object(_) => true,
        Json::Array(items) => items.iter().all(|item| matches!(item, Json::String(_) | Json::Object(_))),
        _ => false,
    }
}

fn set_inside(event: &mut Object, outer: &str, inner: &str, value: Json) {
    match event.get_mut(outer) {
        Some(Json::Object(object)) => {
            object.insert(inner, value);
        }
        // What is there has the wrong type, which is reported by itself.
        Some(other) if !other.is_null() => {}
        _ => {
            event.insert(outer, Object::from_iter([(inner, value)]));
        }
    }
}
