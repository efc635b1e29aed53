//! Contents as pydantic dumps them: names of Python, and every field that is not set is null.

use strata_model::{Content, FromJson as _, Json, Object, Part, Str};

/// Fields of a part, in the order of google-genai's class.
const PART: [&str; 17] = [
    "media_resolution",
    "code_execution_result",
    "executable_code",
    "file_data",
    "function_call",
    "function_response",
    "inline_data",
    "text",
    "thought",
    "thought_signature",
    "video_metadata",
    "tool_call",
    "tool_response",
    "part_metadata",
    "audio_transcription",
    "media_processing",
    "speech_metadata",
];

/// Fields of what a part holds, where a user may send it.
const HELD: [(&str, &[&str]); 5] = [
    ("file_data", &["display_name", "file_uri", "mime_type"]),
    ("inline_data", &["data", "display_name", "mime_type"]),
    ("video_metadata", &["end_offset", "fps", "start_offset"]),
    ("code_execution_result", &["outcome", "output", "id"]),
    ("executable_code", &["code", "language", "id"]),
];

pub(super) fn content(content: &Content) -> Json {
    let mut out = Object::new();
    let parts = content.parts.as_ref().map(|parts| parts.iter().map(|given| part(given)).collect::<Vec<_>>());
    out.push("parts", parts.map_or(Json::Null, Json::from));
    out.push("role", content.role.clone().map_or(Json::Null, Json::from));
    out.into()
}

fn part(part: &Part) -> Json {
    let given = part.to_json();
    with_fields(&given, &PART, |name, value| {
        let held = HELD.iter().find(|(known, _)| *known == name);
        held.map_or_else(|| value.clone(), |(_, fields)| with_fields(value, fields, |_, value| value.clone()))
    })
}

fn with_fields(given: &Json, fields: &[&str], dumped: impl Fn(&str, &Json) -> Json) -> Json {
    let member = |name: &str| given.get(&camel(name)).map_or(Json::Null, |value| dumped(name, value));
    fields.iter().map(|name| (Str::from(*name), member(name))).collect::<Object>().into()
}

fn camel(snake: &str) -> String {
    let mut words = snake.split('_');
    let first = words.next().unwrap_or_default().to_owned();
    words.fold(first, |all, word| all + &word[..1].to_uppercase() + &word[1..])
}
