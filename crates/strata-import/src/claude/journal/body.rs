//! The body of a request, put together.

use strata_model::{Json, Object};

use super::hash::MARK;
use super::request::{Mark, RequestRecord, Step};
use super::text;

/// The body as it was sent, but for what the client does not write down: `metadata`, `stream`, and the block of the
/// system prompt that tells what is billed. The second is how many marks have no place in it.
pub(super) fn body_of(record: &RequestRecord, shape: &Json, messages: Vec<Json>) -> (Json, usize) {
    let mut body = Object::new();
    body.push_some("model", record.params.get("model").cloned());
    body.push("messages", messages);
    let shape = shape.as_object().into_iter().flat_map(Object::iter);
    for (key, value) in shape.chain(record.params.iter()) {
        if !body.contains_key(key) {
            body.push(key.clone(), value.clone());
        }
    }
    let mut body = Json::Object(body);
    let n_lost = record.marks.iter().filter(|mark| set(&mut body, mark).is_none()).count();
    unlist(&mut body);
    (body, n_lost)
}

fn set(body: &mut Json, mark: &Mark) -> Option<()> {
    let mut at = body;
    for step in &mark.path {
        at = match (step, at) {
            (Step::Key(key), Json::Object(object)) => object.get_mut(key)?,
            (Step::Place(place), Json::Array(items)) => items.get_mut(*place)?,
            // Only a block can have a mark: the text is sent as one.
            (Step::Place(0), at @ Json::String(_)) => {
                let Json::String(text) = std::mem::take(at) else { return None };
                *at = Json::Array(vec![text::block(text)]);
                let Json::Array(blocks) = at else { return None };
                blocks.first_mut()?
            }
            _ => return None,
        };
    }
    let Json::Object(object) = at else { return None };
    object.insert(MARK, mark.value.clone());
    Some(())
}

/// A system message of one text is sent as a list while it has a mark, and as a text otherwise. It is written down as a
/// list.
fn unlist(body: &mut Json) {
    let Json::Object(body) = body else { return };
    let Some(Json::Array(messages)) = body.get_mut("messages") else { return };
    for message in messages {
        let Json::Object(message) = message else { continue };
        if message.get("role").and_then(Json::as_str) == Some("system")
            && let Some(text) = message.get("content").and_then(text::lone)
        {
            message.insert("content", Json::String(text));
        }
    }
}
