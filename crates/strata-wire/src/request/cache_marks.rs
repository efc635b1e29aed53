//! What of a prompt a client asks to be cached, as Anthropic's requests say it: `cache_control` of a block, of a tool or of
//! the whole request; `cachePoint` where Bedrock takes it.

use strata_model::{CacheMark, CacheMarks, Json, MarkPlace, Object};

pub(super) const MARK: &str = "cache_control";
const POINT: &str = "cachePoint";
/// Messages of such roles, and members with such names, are of dialects in which nothing is asked for.
const OTHER_ROLES: [&str; 3] = ["developer", "tool", "function"];
const OTHER_MEMBERS: [&str; 6] =
    ["contents", "input", "functions", "stream_options", "response_format", "frequency_penalty"];

/// What a body asks to be cached. `None` where it has no mark and is none that could have it.
pub(super) fn cache_marks(body: &Object) -> Option<CacheMarks> {
    let mut marks = Vec::new();
    let list = |value: Option<&Json>| value.and_then(Json::as_array).unwrap_or_default().to_vec();
    let tools = list(body.get("tools").or_else(|| body.get("toolConfig")?.get("tools")));
    add(&tools, &mut marks, |n_before, _| MarkPlace::Tools(n_before));
    let messages = body.get("messages").and_then(Json::as_array).unwrap_or_default();
    let n_system = messages.iter().take_while(|message| role(message) == Some("system")).count();
    let (system, conversation) = messages.split_at(n_system);
    let system: Vec<Json> =
        list(body.get("system")).into_iter().chain(system.iter().flat_map(blocks).cloned()).collect();
    add(&system, &mut marks, |n_before, _| MarkPlace::System(n_before));
    let said: Vec<Json> = conversation.iter().flat_map(blocks).cloned().collect();
    add(&said, &mut marks, |_, blocks_behind| MarkPlace::Conversation { blocks_behind });
    if let Some(own) = body.get(MARK).filter(|own| !own.is_null()) {
        let place = MarkPlace::Conversation { blocks_behind: 0 };
        marks.push(CacheMark { place, lifetime_s: lifetime_s(own) });
    }
    let is_sure = !marks.is_empty() || is_of_anthropic(body);
    (is_sure || is_chat(body)).then(|| CacheMarks { marks: marks.into(), is_sure })
}

/// Adds the marks of a list of blocks, with how many of them stand before each, its own among them, and how many behind it.
/// Points are no blocks.
fn add(list: &[Json], marks: &mut Vec<CacheMark>, place: impl Fn(u32, u32) -> MarkPlace) {
    let is_point = |block: &Json| block.get(POINT).is_some();
    let n_all = list.iter().filter(|block| !is_point(block)).count() as u32;
    let mut n_before = 0;
    for block in list {
        n_before += u32::from(!is_point(block));
        if let Some(mark) = mark_of(block) {
            marks.push(CacheMark { place: place(n_before, n_all - n_before), lifetime_s: lifetime_s(mark) });
        }
    }
}

/// The mark of a block, or of what stands in it: a function in a tool, the blocks of a result.
fn mark_of(block: &Json) -> Option<&Json> {
    let inner = || own_mark(block.get("function")?);
    let in_result = || block.get("content")?.as_array()?.iter().rev().find_map(own_mark);
    own_mark(block).or_else(inner).or_else(in_result)
}

fn own_mark(block: &Json) -> Option<&Json> {
    [MARK, POINT].into_iter().find_map(|key| block.get(key)).filter(|mark| mark.as_object().is_some())
}

/// What a message says, block by block.
fn blocks(message: &Json) -> impl Iterator<Item = &Json> {
    let listed = message.get("content").and_then(Json::as_array);
    let alone = listed.is_none().then_some(message);
    listed.unwrap_or_default().iter().chain(alone)
}

/// `1h` and `5m` in seconds.
fn lifetime_s(mark: &Json) -> Option<u32> {
    let ttl = mark.get("ttl")?.as_str()?;
    let (number, unit) = ttl.split_at_checked(ttl.len().checked_sub(1)?)?;
    let seconds = match unit {
        "s" => 1,
        "m" => 60,
        "h" => 3600,
        _ => return None,
    };
    number.parse::<u32>().ok()?.checked_mul(seconds)
}

fn role(message: &Json) -> Option<&str> {
    message.get("role")?.as_str()
}

/// Whether a body is one of the Messages API, which all say how long an answer may be, or of Bedrock's Converse. Loggers
/// that write messages down in a form of their own do not know the marks.
fn is_of_anthropic(body: &Object) -> bool {
    let messages = body.get("messages").and_then(Json::as_array).unwrap_or_default();
    let is_other = |message: &Json| role(message).is_none_or(|role| OTHER_ROLES.contains(&role));
    let tools = body.get("tools").and_then(Json::as_array).unwrap_or_default();
    let is_function = |tool: &Json| tool.get("function").is_some();
    let begins_with_system = messages.first().is_none_or(|first| role(first) == Some("system"));
    let has = |key: &str| body.contains_key(key);
    let is_whole = has("max_tokens") && (has("model") || has("anthropic_version"));
    (is_whole || has("inferenceConfig") || has("toolConfig"))
        && !begins_with_system
        && !messages.iter().any(is_other)
        && !tools.iter().any(is_function)
        && !OTHER_MEMBERS.iter().any(|member| has(member))
}

/// Whether a body is one of chat completions, in which gateways take marks, or put them in by themselves.
fn is_chat(body: &Object) -> bool {
    let messages = body.get("messages").and_then(Json::as_array).unwrap_or_default();
    let has_content =
        |message: &Json| message.get("content").is_some() || message.get("tool_calls").is_some();
    !messages.is_empty() && messages.iter().all(|message| role(message).is_some() && has_content(message))
}

#[cfg(test)]
mod tests {
    use strata_model::json::parse;

    use super::*;

    /// `t1`, `s1 3600`, `-2` for each mark: behind so many tools, blocks of the system text, before so many blocks.
    #[track_caller]
    fn check(body: &str, expected: Option<&str>) {
        let body = parse(body.as_bytes()).expect("JSON");
        let said = |mark: &CacheMark| {
            let place = match mark.place {
                MarkPlace::Tools(n) => format!("t{n}"),
                MarkPlace::System(n) => format!("s{n}"),
                MarkPlace::Conversation { blocks_behind } => format!("-{blocks_behind}"),
            };
            mark.lifetime_s.map_or(place.clone(), |lifetime_s| format!("{place} {lifetime_s}"))
        };
        let found = cache_marks(body.as_object().expect("an object"));
        let found = found.filter(|found| found.is_sure);
        let found = found.map(|found| found.marks.iter().map(said).collect::<Vec<_>>().join(", "));
        assert_eq!(found.as_deref(), expected, "{body:?}");
    }

    #[test]
    fn a_request_that_marks_nothing_asks_for_nothing() {
        let said = r#""messages": [{"role": "user", "content": "Hi"}]"#;
        check(&format!(r#"{{"model": "m", "max_tokens": 9, {said}}}"#), Some(""));
        check(&format!(r#"{{"inferenceConfig": {{"maxTokens": 9}}, {said}}}"#), Some(""));
        // Of others it is not known: they may be cached unasked, or written down without marks.
        check(&format!(r#"{{"model": "m", {said}}}"#), None);
        check(r#"{"model": "m", "max_tokens": 9, "messages": [{"role": "system", "content": "A"}]}"#, None);
        check(&format!(r#"{{"model": "m", "max_tokens": 9, "stream_options": {{}}, {said}}}"#), None);
    }

    #[test]
    fn marks_are_where_they_stand() {
        let mark = r#""cache_control": {"type": "ephemeral"}"#;
        let hour = r#""cache_control": {"type": "ephemeral", "ttl": "1h"}"#;
        let block = |mark: &str| format!(r#"{{"type": "text", "text": "A"{mark}}}"#);
        let text = |mark: &str| format!("[{}]", block(&format!(", {mark}")));
        let user = |content: &str| format!(r#"{{"role": "user", "content": {content}}}"#);
        let body = |head: &str, messages: &[String]| {
            format!(r#"{{"model": "m", "max_tokens": 9, {head} "messages": [{}]}}"#, messages.join(", "))
        };
        let plain = user(r#""Hi""#);
        let system = format!(r#""system": [{}, {}],"#, block(&format!(", {hour}")), block(""));
        check(&body(&system, std::slice::from_ref(&plain)), Some("s1 3600"));
        let tools = format!(r#""tools": [{{"name": "t", "input_schema": {{}}, {mark}}}],"#);
        check(&body(&tools, &[user(&text(mark))]), Some("t1, -0"));
        // A document at the beginning.
        let early = [user(&text(mark)), plain.clone(), plain.clone()];
        check(&body("", &early), Some("-2"));
        check(&body("", &[user(&text(mark)), plain.clone(), user(&text(hour))]), Some("-2, -0 3600"));
        check(&body(&format!("{mark},"), std::slice::from_ref(&plain)), Some("-0"));
        // What is told in the middle of a conversation is a part of it.
        let told = format!(r#"{{"role": "system", "content": {}}}"#, text(mark));
        check(&body("", &[plain.clone(), told]), Some("-0"));
        // What a tool is called with is no mark.
        let call = format!(r#"[{{"type": "tool_use", "id": "1", "name": "t", "input": {{{mark}}}}}]"#);
        check(&body("", &[user(&call)]), Some(""));
        let point = r#""system": [{"text": "A"}, {"cachePoint": {"type": "default"}}],"#;
        check(&body(point, &[plain]), Some("s1"));
    }
}
