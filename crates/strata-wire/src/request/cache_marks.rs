//! What of a prompt a client asks to be cached: `cache_control` of a block, of a tool or of the whole request, as Anthropic's
//! requests say it; `cachePoint` where Bedrock takes it; `prompt_cache_breakpoint` of a block in OpenAI's, which mark the
//! newest message too, unless `prompt_cache_options` say that only what is said to be is
//! (developers.openai.com guides/prompt-caching, 2026-11-20).

use strata_model::{CacheMark, CacheMarks, Json, MarkPlace, Object};

const MARK: &str = "cache_control";
const BREAKPOINT: &str = "prompt_cache_breakpoint";
const POINT: &str = "cachePoint";
/// Members of blocks that are read here.
pub(super) const MARKS: [&str; 3] = [MARK, BREAKPOINT, POINT];
/// What OpenAI's requests say about all of their breakpoints.
const OPTIONS: &str = "prompt_cache_options";
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
    let said = body.get("messages").or_else(|| body.get("input"));
    let messages = said.and_then(Json::as_array).unwrap_or_default();
    let is_system = |message: &&Json| matches!(role(message), Some("system" | "developer"));
    let n_system = messages.iter().take_while(is_system).count();
    let (system, conversation) = messages.split_at(n_system);
    let beside =
        match body.get("instructions").filter(|text| text.as_str().is_some_and(|text| !text.is_empty())) {
            Some(text) => vec![text.clone()],
            None => list(body.get("system")),
        };
    let system: Vec<Json> = beside.into_iter().chain(system.iter().flat_map(blocks).cloned()).collect();
    add(&system, &mut marks, |n_before, _| MarkPlace::System(n_before));
    let said: Vec<Json> = conversation.iter().flat_map(blocks).cloned().collect();
    add(&said, &mut marks, |_, blocks_behind| MarkPlace::Conversation { blocks_behind });
    let at_end = MarkPlace::Conversation { blocks_behind: 0 };
    if let Some(own) = body.get(MARK).filter(|own| !own.is_null()) {
        marks.push(CacheMark { place: at_end, lifetime_s: lifetime_s(own) });
    }
    let options = body.get(OPTIONS).filter(|options| options.as_object().is_some());
    let is_explicit = options.and_then(|options| options.get("mode")?.as_str()) == Some("explicit");
    if let Some(of_all) = options.and_then(lifetime_s) {
        for mark in &mut marks {
            mark.lifetime_s = mark.lifetime_s.or(Some(of_all));
        }
    }
    let has_breakpoints = system.iter().chain(&said).any(|block| block_mark(block, BREAKPOINT).is_some());
    if has_breakpoints && !is_explicit {
        marks.push(CacheMark { place: at_end, lifetime_s: options.and_then(lifetime_s) });
    }
    let is_sure = !marks.is_empty() || is_explicit || is_of_anthropic(body);
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

fn mark_of(block: &Json) -> Option<&Json> {
    MARKS.into_iter().find_map(|key| block_mark(block, key))
}

/// The mark of a block, or of what stands in it: a function in a tool, the blocks of a result.
fn block_mark<'b>(block: &'b Json, key: &str) -> Option<&'b Json> {
    let own = |block: &'b Json| block.get(key).filter(|mark| mark.as_object().is_some());
    let inner = || own(block.get("function")?);
    let in_result =
        || block.get("content").or_else(|| block.get("output"))?.as_array()?.iter().rev().find_map(own);
    own(block).or_else(inner).or_else(in_result)
}

/// What a message says, block by block, and what it calls. An item of the Responses API is a block.
fn blocks(message: &Json) -> impl Iterator<Item = &Json> {
    let content = message.get("content");
    let listed = content.and_then(Json::as_array);
    let calls = message.get("tool_calls").and_then(Json::as_array).unwrap_or_default();
    let says_nothing = content.is_none_or(|text| text.is_null() || text.as_str() == Some(""));
    let alone = (listed.is_none() && (!says_nothing || calls.is_empty())).then_some(message);
    listed.unwrap_or_default().iter().chain(alone).chain(calls)
}

/// `1h` and `5m` in seconds, as a mark or what is said about all of them has it.
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

    #[test]
    fn calls_of_a_message_are_blocks_of_the_conversation() {
        let marked = r#"{"role": "user", "content": [{"type": "text", "text": "A", "cache_control": {"type": "ephemeral"}}]}"#;
        let call = r#"{"id": "1", "type": "function", "function": {"name": "t", "arguments": "{}"}}"#;
        let called = |content: &str| {
            format!(
                r#"{{"messages": [{marked}, {{"role": "assistant", "content": {content}, "tool_calls": [{call}, {call}]}}]}}"#
            )
        };
        check(&called("null"), Some("-2"));
        check(&called(r#""""#), Some("-2"));
        check(&called(r#""I look.""#), Some("-3"));
        check(&called(r#"[{"type": "text", "text": "I look."}]"#), Some("-3"));
    }

    /// OpenAI marks the newest message unasked, in requests that mark others and in those that do not, where it is not known
    /// whether anything else is.
    #[test]
    fn breakpoints_stand_beside_that_of_the_newest_message() {
        let breakpoint = r#""prompt_cache_breakpoint": {"mode": "explicit"}"#;
        let text = |kind: &str, more: &str| format!(r#"[{{"type": "{kind}", "text": "A"{more}}}]"#);
        let marked = text("input_text", &format!(", {breakpoint}"));
        let plain = text("input_text", "");
        let items = |first: &str| {
            format!(
                r#"[{{"role": "developer", "content": {first}}}, {{"role": "user", "content": {plain}}}, {{"type": "function_call", "call_id": "1", "name": "t", "arguments": "{{}}"}}, {{"type": "function_call_output", "call_id": "1", "output": {marked}}}, {{"role": "user", "content": {plain}}}]"#
            )
        };
        let body = |options: &str, first: &str| {
            format!(r#"{{"model": "gpt-6.1", "instructions": "B", {options} "input": {}}}"#, items(first))
        };
        check(&body("", &marked), Some("s2, -1, -0"));
        check(&body("", &plain), Some("-1, -0"));
        let options = |mode: &str| format!(r#""prompt_cache_options": {{"mode": "{mode}", "ttl": "12h"}},"#);
        check(&body(&options("implicit"), &plain), Some("-1 43200, -0 43200"));
        check(&body(&options("explicit"), &marked), Some("s2 43200, -1 43200"));
        let unmarked = format!(
            r#"{{"model": "gpt-6.1", {} "input": [{{"role": "user", "content": {plain}}}]}}"#,
            options("explicit")
        );
        check(&unmarked, Some(""));
        let chat = format!(
            r#"{{"model": "gpt-6.1", "messages": [{{"role": "user", "content": {}}}, {{"role": "user", "content": "C"}}]}}"#,
            text("text", &format!(", {breakpoint}"))
        );
        check(&chat, Some("-1, -0"));
    }
}
