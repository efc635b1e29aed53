//! Streams of generateContent: answers whose parts follow one another; the counts of the last are those of all.

use strata_model::{Json, Object};

use super::{append, fill};
use crate::take::{take_list, take_object};

/// Whether a piece belongs to another answer than those before it.
pub(super) fn begins(piece: &Object, before: &[Json]) -> bool {
    let id = |piece: &Json| piece.get("responseId").and_then(Json::as_str).map(str::to_owned);
    let own = piece.get("responseId").and_then(Json::as_str);
    let Some(last) = before.last().filter(|_| piece.contains_key("candidates")) else { return false };
    match (id(last), own) {
        (Some(known), Some(own)) => known != own,
        _ => last.get("candidates").and_then(Json::as_array).is_some_and(|candidates| {
            candidates.iter().any(|it| it.get("finishReason").is_some_and(Json::is_truthy))
        }),
    }
}

pub(super) fn whole(pieces: Vec<Json>) -> Object {
    let mut whole = Object::new();
    let mut parts: Vec<Json> = Vec::new();
    let mut candidate = Object::new();
    for piece in pieces {
        let Json::Object(mut piece) = piece else { continue };
        for one in take_list(&mut piece, "candidates").unwrap_or_default().into_iter().take(1) {
            let Json::Object(mut one) = one else { continue };
            let mut content = take_object(&mut one, "content").unwrap_or_default();
            for part in take_list(&mut content, "parts").unwrap_or_default() {
                add_part(part, &mut parts);
            }
            fill(&mut candidate, one);
        }
        fill(&mut whole, piece);
    }
    let content = Object::from_iter([("role", Json::from("model")), ("parts", Json::Array(parts))]);
    candidate.insert("content", content);
    whole.insert("candidates", vec![Json::Object(candidate)]);
    whole
}

/// Text that goes on in the next piece is one part.
fn add_part(part: Json, parts: &mut Vec<Json>) {
    let is_text = |part: &Object| {
        part.get("text").and_then(Json::as_str).is_some()
            && part.keys().all(|key| matches!(&**key, "text" | "thought"))
    };
    if let (Some(Json::Object(last)), Json::Object(next)) = (parts.last_mut(), &part)
        && is_text(last)
        && is_text(next)
        && last.get("thought") == next.get("thought")
    {
        let more = next.get("text").and_then(Json::as_str).unwrap_or_default().to_owned();
        append(last, "text", &more);
        return;
    }
    parts.push(part);
}
