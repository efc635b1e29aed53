//! Structural differences between JSON values.

use strata_model::{Json, Object, json};

/// Every place where `actual` is not `expected`, as `path: expected …, got …`. Numbers are compared by value and
/// objects without regard to order; a missing member equals null.
pub fn diff(path: &str, expected: &Json, actual: &Json) -> Vec<String> {
    let mut out = Vec::new();
    compare(path, expected, actual, &mut out);
    out
}

fn compare(path: &str, expected: &Json, actual: &Json, out: &mut Vec<String>) {
    match (expected, actual) {
        (Json::Object(expected), Json::Object(actual)) => compare_objects(path, expected, actual, out),
        (Json::Array(expected), Json::Array(actual)) => {
            if expected.len() != actual.len() {
                out.push(format!("{path}: expected {} items, got {}", expected.len(), actual.len()));
            }
            for (at, (expected, actual)) in expected.iter().zip(actual).enumerate() {
                compare(&format!("{path}[{at}]"), expected, actual, out);
            }
            for (at, extra) in actual.iter().enumerate().skip(expected.len()) {
                out.push(format!("{path}[{at}]: unexpected {}", shown(extra)));
            }
            for (at, missing) in expected.iter().enumerate().skip(actual.len()) {
                out.push(format!("{path}[{at}]: missing {}", shown(missing)));
            }
        }
        (Json::String(expected), Json::String(actual)) if expected != actual => {
            out.push(format!("{path}: {}", text_difference(expected, actual)));
        }
        _ if expected == actual => {}
        _ => out.push(format!("{path}: expected {}, got {}", shown(expected), shown(actual))),
    }
}

fn compare_objects(path: &str, expected: &Object, actual: &Object, out: &mut Vec<String>) {
    for (key, value) in expected.iter() {
        match actual.get(key) {
            Some(actual) => compare(&format!("{path}.{key}"), value, actual, out),
            None if value.is_null() => {}
            None => out.push(format!("{path}.{key}: missing {}", shown(value))),
        }
    }
    for (key, value) in actual.iter() {
        if !expected.contains_key(key) && !value.is_null() {
            out.push(format!("{path}.{key}: unexpected {}", shown(value)));
        }
    }
}

/// The first difference of two texts with a little of what surrounds it.
fn text_difference(expected: &str, actual: &str) -> String {
    let same = expected.chars().zip(actual.chars()).take_while(|(a, b)| a == b).count();
    let around = |text: &str| -> String { text.chars().skip(same.saturating_sub(20)).take(80).collect() };
    format!("texts differ at character {same}: expected {:?}, got {:?}", around(expected), around(actual))
}

fn shown(value: &Json) -> String {
    let text = json::to_compact(value);
    if text.chars().count() <= 160 { text } else { text.chars().take(160).collect::<String>() + "…" }
}
