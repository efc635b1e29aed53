//! How things are called: numbers, sources, one line of a text.

use std::borrow::Cow;

use strata_engine::EventLog;
use strata_model::{FunctionCall, FunctionResponse, Json, Object, Origin, Part, json, secret};

/// Characters in one line of a list.
const LINE: usize = 240;
/// Characters of one field in such a line.
const FIELD: usize = 60;

/// Who is asked: servers may have models of one name.
pub fn asked(writer: &str, model: Option<&str>) -> String {
    model.map_or_else(|| writer.to_owned(), |model| format!("{model}, {writer}"))
}

/// `12345` as `12,345`.
pub fn whole(number: impl Into<i64>) -> String {
    let number: i64 = number.into();
    let digits = number.unsigned_abs().to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3 + 1);
    if number < 0 {
        text.push('−');
    }
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// `45 s`, `5 min`, `2 h 3 min`.
pub(crate) fn duration(seconds: u32) -> String {
    strata_measure::phrases::duration(seconds)
}

/// `1 part`, `3 parts`, `2 summaries`.
pub fn counted(n: usize, one: &str) -> String {
    match (n, one.strip_suffix("ry")) {
        (1, _) => format!("1 {one}"),
        (_, Some(stem)) => format!("{} {stem}ries", whole(n as i64)),
        (_, None) if one.ends_with('s') => format!("{} {one}es", whole(n as i64)),
        (_, None) => format!("{} {one}s", whole(n as i64)),
    }
}

/// With the apostrophes of print.
pub(crate) fn typographic(text: &str) -> String {
    text.replace('\'', "’")
}

/// `a, b and c`.
pub fn listed(names: &[impl AsRef<str>]) -> String {
    match names {
        [] => String::new(),
        [only] => only.as_ref().to_owned(),
        [first @ .., last] => {
            let first: Vec<&str> = first.iter().map(AsRef::as_ref).collect();
            format!("{} and {}", first.join(", "), last.as_ref())
        }
    }
}

/// The first line of a text, cut to what a row shows.
pub(crate) fn first_line(text: &str) -> String {
    let line = text.trim_start().lines().next().unwrap_or_default();
    row(line, LINE)
}

/// So many characters behind a cut are looked at: a secret may begin before it.
const LOOKED_AT: usize = 400;

/// What a row of a list shows of a text: [`cut`], with secrets masked. Rows are read over shoulders and in screenshots.
pub(crate) fn row(text: &str, max: usize) -> String {
    cut(&masked(text, max), max)
}

/// A text whose first `max` characters hold no secret, not even the beginning of one.
pub(crate) fn masked(text: &str, max: usize) -> Cow<'_, str> {
    let end = text.char_indices().nth(max + LOOKED_AT).map_or(text.len(), |(end, _)| end);
    secret::mask(&text[..end]).map_or(Cow::Borrowed(text), |masked| Cow::Owned(masked.text + &text[end..]))
}

/// At most so many characters, with a mark where more follows.
pub fn cut(text: &str, max: usize) -> String {
    match text.char_indices().nth(max) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// UTF-16 units of a text.
pub(crate) fn utf16_len(text: &str) -> u32 {
    text.encode_utf16().count() as u32
}

/// The range of a page of UTF-16 units, moved so that no character is cut in two.
pub(crate) fn whole_characters(units: &[u16], offset: u32, limit: u32) -> (usize, usize) {
    let is_inside = |at: usize| units.get(at).is_some_and(|unit| (0xDC00..0xE000).contains(unit));
    let forward = |at: usize| {
        let at = at.min(units.len());
        if is_inside(at) { at + 1 } else { at }
    };
    let from = forward(offset as usize);
    (from, forward(from.saturating_add(limit as usize)).max(from))
}

/// What a person calls a source: "E39 coordinator", "instruction of log_analyst".
pub(crate) fn source(origin: &Origin, log: &EventLog) -> String {
    strata_measure::phrases::source(origin, log)
}

/// What opens a source in the window.
pub(crate) fn address(origin: &Origin) -> Option<String> {
    match origin {
        Origin::Event { event, .. }
        | Origin::Summary { event, .. }
        | Origin::Rewritten { event: Some(event), .. } => Some(format!("E{}", event.number())),
        Origin::State { key } => Some(format!("state.{key}")),
        Origin::Tool { name } => Some(format!("tool.{name}")),
        Origin::Instruction { agent: name, .. } | Origin::Agent { name, .. } => Some(format!("agent.{name}")),
        _ => None,
    }
}

/// A part in one line, and how much of its beginning is a tool's name, in UTF-16 units.
pub(crate) fn part_line(part: &Part) -> (String, u32) {
    if let Some(call) = &part.function_call {
        let name = call.name.as_deref().unwrap_or_default();
        return (format!("{name}{}", arguments(call)), utf16_len(name));
    }
    if let Some(response) = &part.function_response {
        let name = response.name.as_deref().unwrap_or_default();
        return (format!("{name} {}", result(response)), utf16_len(name));
    }
    (plain_line(part), 0)
}

/// A part that is neither a tool call nor a result, in one line.
pub(crate) fn plain_line(part: &Part) -> String {
    if let Some(text) = &part.text {
        return first_line(text);
    }
    if let Some(code) = &part.executable_code {
        return first_line(code.code.as_deref().unwrap_or("code"));
    }
    if let Some(result) = &part.code_execution_result {
        return first_line(result.output.as_deref().unwrap_or("result of code"));
    }
    media_label(part).unwrap_or_else(|| {
        let json = strata_model::FromJson::to_json(part);
        row(&json::to_compact(&json), LINE)
    })
}

/// "image/png, 24 KB".
pub(crate) fn media_label(part: &Part) -> Option<String> {
    if let Some(blob) = &part.inline_data {
        let mime = blob.mime_type.as_deref().unwrap_or("data");
        let bytes = blob.data.as_ref().map_or(0, |data| data.size_bytes());
        return Some(format!("{mime}, {}", size(bytes)));
    }
    let file = part.file_data.as_ref()?;
    let mime = file.mime_type.as_deref().unwrap_or("file");
    Some(format!("{mime}, {}", file.file_uri.as_deref().unwrap_or("no address")))
}

/// `812 bytes`, `53 KB`, `1.2 MB`.
pub fn size(bytes: usize) -> String {
    match bytes {
        0..1_000 => format!("{bytes} bytes"),
        1_000..1_000_000 => format!("{} KB", bytes.div_ceil(1_000)),
        _ => format!("{:.1} MB", bytes as f64 / 1e6),
    }
}

/// `(query: "billing", limit: 500)`.
pub(crate) fn arguments(call: &FunctionCall) -> String {
    let empty = Object::new();
    let arguments = call.args.as_deref().unwrap_or(&empty).iter();
    let arguments: Vec<String> =
        arguments.map(|(name, value)| format!("{name}: {}", json::to_compact(value))).collect();
    row(&format!("({})", arguments.join(", ").replace('\n', " ")), LINE)
}

/// What a tool returned, in one line.
pub(crate) fn result(response: &FunctionResponse) -> String {
    response.response.as_deref().map_or_else(String::new, |object| {
        let value = match object.len() {
            // ADK wraps what is not an object.
            1 => object.get("result").or(object.get("output")).cloned(),
            _ => None,
        };
        json_line(&value.unwrap_or_else(|| Json::Object(object.clone())))
    })
}

/// A value in one line: how long its longest list is, then its plain fields.
fn json_line(value: &Json) -> String {
    let line = match value {
        Json::String(text) => return first_line(text),
        Json::Array(items) => format!("{}: {}", counted(items.len(), "item"), json::to_compact(value)),
        Json::Object(object) => fields_line(object),
        other => json::to_compact(other),
    };
    row(&line, LINE)
}

fn fields_line(object: &Object) -> String {
    let lists = object.iter().filter_map(|(name, value)| Some((list_len(value)?, name)));
    let longest =
        lists.max_by_key(|(len, _)| *len).map(|(len, name)| format!("{} {name}", whole(len as i64)));
    let fields = object.iter().filter_map(|(name, value)| match value {
        Json::Object(_) | Json::Array(_) | Json::Null => None,
        Json::String(text) => Some(format!("{name} {}", row(text.lines().next().unwrap_or_default(), FIELD))),
        plain => Some(format!("{name} {}", json::to_compact(plain))),
    });
    let said: Vec<String> = longest.into_iter().chain(fields).collect();
    match (said.is_empty(), object.is_empty()) {
        (_, true) => "nothing".to_owned(),
        (true, _) => json::to_compact(&Json::Object(object.clone())),
        _ => said.join(" · "),
    }
}

/// How many elements a list has, or the lists of an object of lists.
fn list_len(value: &Json) -> Option<usize> {
    match value {
        Json::Array(items) => Some(items.len()),
        Json::Object(groups) if !groups.is_empty() => {
            groups.values().map(|group| group.as_array().map(<[_]>::len)).sum::<Option<usize>>()
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped() {
        assert_eq!(
            [0, 999, 1_000, 1_234_567, -4_200].map(whole),
            ["0", "999", "1,000", "1,234,567", "−4,200"]
        );
    }

    #[test]
    fn durations_have_two_units_at_most() {
        assert_eq!(
            [45, 300, 301, 723, 3600, 7393].map(duration),
            ["45 s", "5 min", "5 min 1 s", "12 min", "1 h", "2 h 3 min"]
        );
    }

    #[test]
    fn lines_are_cut_between_characters() {
        assert_eq!(cut("äöü", 2), "äö…");
        assert_eq!(first_line("\n one\ntwo"), "one");
    }

    #[test]
    fn rows_hold_no_keys_not_even_pieces_of_them() {
        let key = format!("sk-ant-api03-{}", "Ab3dEf6hIj".repeat(9));
        for text in [format!("my key is {key}, use it"), format!("{}{key}", "x ".repeat(100))] {
            let shown = first_line(&text);
            assert!(shown.contains("‹redacted: ") && !shown.contains("Ab3"), "{shown}");
        }
        let call = FunctionCall {
            args: Some(Object::from_iter([("token", Json::from(key.as_str()))]).into()),
            ..FunctionCall::default()
        };
        assert!(!arguments(&call).contains("Ab3"), "{}", arguments(&call));
    }
}
