//! Streamed answers, put together into the answers they would have been in one piece.

mod anthropic;
mod chat;
mod converse;
mod frames;
mod gemini;
mod ollama;
mod responses;

use strata_model::{Json, Object, json};

use crate::take::take_object;

pub(crate) use frames::payloads as frame_payloads;

/// What ends a stream of Chat Completions.
const DONE: &str = "[DONE]";

/// Whether a text is that of server-sent events. Comments may come before the first of them.
pub(crate) fn is_stream(text: &str) -> bool {
    let mut lines = text.lines().map(str::trim_end).filter(|line| !line.is_empty() && !line.starts_with(':'));
    lines.next().is_some_and(|line| {
        ["data:", "event:", "id:", "retry:"]
            .iter()
            .any(|field| line.trim_start_matches('\u{feff}').starts_with(field))
    })
}

/// The pieces of a streamed answer, from the text of its stream; `None` when the text only begins like one.
pub(super) fn pieces(text: &str) -> Option<Vec<Json>> {
    is_stream(text).then(|| payloads(text)).filter(|pieces| !pieces.is_empty())
}

/// Every answer of a text of server-sent events; a recording may hold several streams, one after the other.
pub(crate) fn answers(text: &str) -> Vec<Json> {
    let streams = separated(payloads(text)).into_iter();
    streams.filter_map(|pieces| joined(pieces).ok()).map(Json::Object).collect()
}

/// The values that stand one a line in a text that is not JSON as a whole.
pub(super) fn lines(text: &str) -> Option<Vec<Json>> {
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let values: Option<Vec<Json>> = lines.map(|line| json::parse(line.as_bytes()).ok()).collect();
    values.filter(|values| values.len() > 1 && values.iter().all(|value| value.as_object().is_some()))
}

/// What the events of a stream hold. An event may spread its data over lines; some servers write an event a line.
fn payloads(text: &str) -> Vec<Json> {
    let mut payloads = Vec::new();
    let mut data: Vec<&str> = Vec::new();
    for line in text.lines().chain([""]) {
        match line.trim_start_matches('\u{feff}').strip_prefix("data:") {
            Some(more) => data.push(more.trim()),
            None if line.trim().is_empty() || line.starts_with("event:") => flush(&mut data, &mut payloads),
            None => {}
        }
    }
    payloads
}

fn flush(data: &mut Vec<&str>, payloads: &mut Vec<Json>) {
    let read = |text: &str| match text {
        DONE => Some(Json::from(DONE)),
        text => json::parse(text.as_bytes()).ok(),
    };
    match &data[..] {
        [] => {}
        [one] => payloads.extend(read(one)),
        many => match json::parse(many.join("\n").as_bytes()) {
            Ok(whole) => payloads.push(whole),
            Err(_) => payloads.extend(many.iter().filter_map(|line| read(line))),
        },
    }
    data.clear();
}

fn kind(piece: &Object) -> &str {
    piece.get("type").and_then(Json::as_str).unwrap_or_default()
}

fn id_of(piece: &Object) -> &str {
    piece.get("id").and_then(Json::as_str).unwrap_or_default()
}

/// Whether a value is a piece of a streamed answer rather than a whole one.
pub(crate) fn is_piece(piece: &Object) -> bool {
    let kind = kind(piece);
    let is_chunk = piece.get("object").and_then(Json::as_str) == Some("chat.completion.chunk");
    // A whole answer of Gemini's says why it ends.
    let is_open = piece.get("candidates").and_then(Json::as_array).is_some_and(|candidates| {
        candidates.iter().all(|candidate| candidate.get("finishReason").is_none_or(Json::is_null))
    });
    is_chunk
        || is_open
        || kind.starts_with("response.")
        || anthropic::is_piece(kind)
        || converse::is_piece(piece)
        || piece.get("done").and_then(Json::as_bool) == Some(false)
}

/// Pieces by the answer they belong to.
pub(crate) fn separated(pieces: Vec<Json>) -> Vec<Vec<Json>> {
    let mut streams: Vec<Vec<Json>> = Vec::new();
    let mut is_open = false;
    for piece in pieces {
        if piece.as_str() == Some(DONE) {
            is_open = false;
            continue;
        }
        match streams.last_mut() {
            Some(stream) if is_open && !begins(&piece, stream) => stream.push(piece),
            _ => streams.push(vec![piece]),
        }
        is_open = true;
    }
    streams
}

/// Whether a piece is the first of another answer than those before it.
fn begins(piece: &Json, before: &[Json]) -> bool {
    let Some(piece) = piece.as_object() else { return false };
    let known = || before.iter().filter_map(Json::as_object);
    match kind(piece) {
        first @ ("message_start" | "response.created") => known().any(|it| kind(it) == first),
        _ if piece.contains_key("messageStart") => known().any(|it| it.contains_key("messageStart")),
        _ if piece.contains_key("choices") => {
            // Which answer it is costs less to ask than whether the one before is over.
            let is_other = known().next().is_some_and(|first| id_of(first) != id_of(piece));
            is_other && known().any(|it| chat::finish_of(it).is_some())
        }
        _ => gemini::begins(piece, before) || ollama::begins(before),
    }
}

/// The whole answer, from the pieces of its stream; the list itself when they are no pieces.
pub(super) fn joined(pieces: Vec<Json>) -> Result<Object, Vec<Json>> {
    let pieces: Vec<Json> = pieces.into_iter().map(unwrapped).collect();
    let objects = || pieces.iter().filter_map(Json::as_object);
    let any = |test: fn(&Object) -> bool| objects().any(test);
    let whole = if any(|piece| kind(piece) == "message_start") {
        anthropic::whole(pieces)
    } else if any(|piece| kind(piece).starts_with("response.")) {
        responses::whole(pieces)
    } else if any(|piece| piece.get("choices").is_some_and(|it| it.as_array().is_some())) {
        chat::whole(pieces)
    } else if any(|piece| piece.contains_key("candidates")) {
        gemini::whole(pieces)
    } else if any(converse::is_piece) {
        converse::whole(pieces)
    } else if any(ollama::is_piece) {
        ollama::whole(pieces)
    } else if let Some(error) = objects().find(|piece| kind(piece) == "error" || piece.contains_key("error"))
    {
        error.clone()
    } else {
        return Err(pieces);
    };
    Ok(whole)
}

/// The piece inside of what a gateway wrote around it.
fn unwrapped(piece: Json) -> Json {
    let Json::Object(mut object) = piece else { return piece };
    let is_wrapper = !object.contains_key("type") && !object.contains_key("choices");
    let inner = if is_wrapper { take_object(&mut object, "response") } else { None };
    Json::Object(inner.unwrap_or(object))
}

fn append(object: &mut Object, key: &str, more: &str) {
    let whole = object.get(key).and_then(Json::as_str).unwrap_or_default().to_owned() + more;
    object.insert(key, whole);
}

/// Sets what is said and not known yet: null says nothing, and a zero says less than a count.
fn fill(object: &mut Object, more: Object) {
    for (key, value) in more {
        let is_less =
            value.is_null() || (!value.is_truthy() && object.get(&key).is_some_and(Json::is_truthy));
        if !is_less {
            object.insert(key, value);
        }
    }
}

#[cfg(test)]
mod tests;
