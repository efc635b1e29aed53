//! What of a prompt a client asks to be cached, as Anthropic's requests say it: `cache_control` of a block, of a tool or of
//! the whole request; `cachePoint` where Bedrock takes it.

use strata_model::{CacheMarks, Json, Object};

const MARK: &str = "cache_control";
const POINT: &str = "cachePoint";
/// Messages of such roles, and members with such names, are of dialects in which nothing is asked for.
const OTHER_ROLES: [&str; 3] = ["developer", "tool", "function"];
const OTHER_MEMBERS: [&str; 6] =
    ["contents", "input", "functions", "stream_options", "response_format", "frequency_penalty"];

/// What a body asks to be cached. `None` where it has no mark and is not known to be one that would have it.
pub(super) fn cache_marks(body: &Object) -> Option<CacheMarks> {
    let mut marks = CacheMarks::default();
    let mut lifetimes = Vec::new();
    let mut look = |value: Option<&Json>| {
        let n_before = lifetimes.len();
        value.into_iter().for_each(|value| add_lifetimes(value, &mut lifetimes));
        lifetimes.len() > n_before
    };
    marks.tools = look(body.get("tools").or_else(|| body.get("toolConfig")));
    marks.system = look(body.get("system"));
    let messages = body.get("messages").and_then(Json::as_array).unwrap_or_default();
    let n_system = messages.iter().take_while(|message| role(message) == Some("system")).count();
    let (system, conversation) = messages.split_at(n_system);
    for message in system {
        marks.system |= look(Some(message));
    }
    for message in conversation {
        for block in blocks(message) {
            marks.conversation = match (look(Some(block)), marks.conversation) {
                (true, _) => Some(0),
                (false, behind) => behind.map(|behind| behind + 1),
            };
        }
    }
    if let Some(own) = body.get(MARK).filter(|own| !own.is_null()) {
        marks.conversation = Some(0);
        lifetimes.push(lifetime_s(own));
    }
    marks.lifetime_s = lifetimes.into_iter().flatten().max();
    (marks.is_any() || is_of_anthropic(body)).then_some(marks)
}

/// What a message says, block by block.
fn blocks(message: &Json) -> impl Iterator<Item = &Json> {
    let listed = message.get("content").and_then(Json::as_array);
    let alone = listed.is_none().then_some(message);
    listed.unwrap_or_default().iter().chain(alone)
}

/// Adds the lifetime of each mark in a value.
fn add_lifetimes(value: &Json, lifetimes: &mut Vec<Option<u32>>) {
    match value {
        Json::Object(object) => {
            for (key, value) in object.iter() {
                match &**key {
                    MARK | POINT if value.as_object().is_some() => lifetimes.push(lifetime_s(value)),
                    // Arguments of calls are the model's, and schemas are whatever their author wrote.
                    "input" | "input_schema" | "arguments" | "parameters" => {}
                    _ => add_lifetimes(value, lifetimes),
                }
            }
        }
        Json::Array(items) => items.iter().for_each(|item| add_lifetimes(item, lifetimes)),
        _ => {}
    }
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

/// Whether a body is one of the Messages API, which all say how long an answer may be. Loggers that write messages down in
/// a form of their own do not know the marks.
fn is_of_anthropic(body: &Object) -> bool {
    let messages = body.get("messages").and_then(Json::as_array).unwrap_or_default();
    let is_other = |message: &Json| role(message).is_none_or(|role| OTHER_ROLES.contains(&role));
    let tools = body.get("tools").and_then(Json::as_array).unwrap_or_default();
    let is_function = |tool: &Json| tool.get("function").is_some();
    let begins_with_system = messages.first().is_none_or(|first| role(first) == Some("system"));
    body.contains_key("max_tokens")
        && body.contains_key("model")
        && !begins_with_system
        && !messages.iter().any(is_other)
        && !tools.iter().any(is_function)
        && !OTHER_MEMBERS.iter().any(|member| body.contains_key(member))
}

#[cfg(test)]
mod tests {
    use strata_model::json::parse;

    use super::*;

    #[track_caller]
    fn check(body: &str, expected: Option<(bool, bool, Option<u32>, Option<u32>)>) {
        let body = parse(body.as_bytes()).expect("JSON");
        let found = cache_marks(body.as_object().expect("an object"));
        let found = found.map(|found| (found.tools, found.system, found.conversation, found.lifetime_s));
        assert_eq!(found, expected, "{body:?}");
    }

    #[test]
    fn a_request_that_marks_nothing_asks_for_nothing() {
        let said = r#""messages": [{"role": "user", "content": "Hi"}]"#;
        check(&format!(r#"{{"model": "m", "max_tokens": 9, {said}}}"#), Some((false, false, None, None)));
        // Of others it is not known: they may be cached unasked, or written down without marks.
        check(&format!(r#"{{"model": "m", {said}}}"#), None);
        check(r#"{"model": "m", "max_tokens": 9, "messages": [{"role": "system", "content": "A"}]}"#, None);
        check(&format!(r#"{{"model": "m", "max_tokens": 9, "stream_options": {{}}, {said}}}"#), None);
    }

    #[test]
    fn marks_are_where_they_stand() {
        let mark = r#""cache_control": {"type": "ephemeral"}"#;
        let hour = r#""cache_control": {"type": "ephemeral", "ttl": "1h"}"#;
        let text = |mark: &str| format!(r#"[{{"type": "text", "text": "A", {mark}}}]"#);
        let user = |content: &str| format!(r#"{{"role": "user", "content": {content}}}"#);
        let body = |head: &str, messages: &[String]| {
            format!(r#"{{"model": "m", "max_tokens": 9, {head} "messages": [{}]}}"#, messages.join(", "))
        };
        let plain = user(r#""Hi""#);
        let system = format!(r#""system": {},"#, text(hour));
        check(&body(&system, std::slice::from_ref(&plain)), Some((false, true, None, Some(3600))));
        let tools = format!(r#""tools": [{{"name": "t", "input_schema": {{}}, {mark}}}],"#);
        check(&body(&tools, &[user(&text(mark))]), Some((true, false, Some(0), None)));
        // A document at the beginning.
        let early = [user(&text(mark)), plain.clone(), plain.clone()];
        check(&body("", &early), Some((false, false, Some(2), None)));
        check(&body(&format!("{mark},"), &[plain.clone()]), Some((false, false, Some(0), None)));
        // What is told in the middle of a conversation is a part of it.
        let told = format!(r#"{{"role": "system", "content": {}}}"#, text(mark));
        check(&body("", &[plain.clone(), told]), Some((false, false, Some(0), None)));
        // What a tool is called with is no mark.
        let call = format!(r#"[{{"type": "tool_use", "id": "1", "name": "t", "input": {{{mark}}}}}]"#);
        check(&body("", &[user(&call)]), Some((false, false, None, None)));
        let point = r#""system": [{"text": "A"}, {"cachePoint": {"type": "default"}}],"#;
        check(&body(point, &[plain]), Some((false, true, None, None)));
    }
}
