//! JSON values as Python writes them.

use strata_model::{Json, Object, json};

/// Characters up to which a list or a dict stands on one line.
const WIDTH: usize = 90;

/// A value as a Python expression, its further lines indented by four times `depth` and more.
pub(super) fn literal(value: &Json, depth: usize) -> String {
    let flat = flat(value);
    if flat.len() <= WIDTH {
        return flat;
    }
    let (inner, outer) = ("    ".repeat(depth + 1), "    ".repeat(depth));
    match value {
        Json::Object(object) => {
            let members = object
                .iter()
                .map(|(key, value)| format!("{inner}{}: {},\n", text(key), literal(value, depth + 1)));
            format!("{{\n{}{outer}}}", members.collect::<String>())
        }
        Json::Array(items) => {
            let items = items.iter().map(|item| format!("{inner}{},\n", literal(item, depth + 1)));
            format!("[\n{}{outer}]", items.collect::<String>())
        }
        Json::String(long) if long.contains('\n') => {
            let lines = long.split_inclusive('\n').map(|line| format!("{inner}{}\n", text(line)));
            format!("(\n{}{outer})", lines.collect::<String>())
        }
        _ => flat,
    }
}

fn flat(value: &Json) -> String {
    match value {
        Json::Null => "None".to_owned(),
        Json::Bool(true) => "True".to_owned(),
        Json::Bool(false) => "False".to_owned(),
        Json::String(value) => text(value),
        Json::Array(items) => format!("[{}]", items.iter().map(flat).collect::<Vec<_>>().join(", ")),
        Json::Object(object) => {
            let members = object.iter().map(|(key, value)| format!("{}: {}", text(key), flat(value)));
            format!("{{{}}}", members.collect::<Vec<_>>().join(", "))
        }
        Json::Float(value) if !value.is_finite() => format!("float(\"{value}\")"),
        number => json::to_compact_python(number),
    }
}

/// A text in double quotes. JSON's escapes are Python's, with every character outside of ASCII escaped in pairs that
/// Python would not join: these stay as they are.
pub(super) fn text(value: &str) -> String {
    json::to_compact_python(&Json::from(value)).replace('\u{7f}', "\\x7f")
}

/// Each item between two texts.
pub(super) fn lines(
    items: impl IntoIterator<Item = impl AsRef<str>>,
    (before, after): (&str, &str),
) -> String {
    let mut out = String::new();
    for item in items {
        out += before;
        out += item.as_ref();
        out += after;
    }
    out
}

/// The keys of an object in ADK's Python spelling.
pub(super) fn snake_case_keys(value: &Json) -> Json {
    let Json::Object(object) = value else { return value.clone() };
    let snake = |key: &str| -> String {
        key.chars()
            .flat_map(|c| {
                let lower = c.to_ascii_lowercase();
                if c.is_ascii_uppercase() { vec!['_', lower] } else { vec![c] }
            })
            .collect()
    };
    Json::Object(object.iter().map(|(key, value)| (snake(key), value.clone())).collect::<Object>())
}
