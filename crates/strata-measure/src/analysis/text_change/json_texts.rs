//! Two texts of JSON, such as the declaration of a tool: what differs first by keys and items, not by bytes.

use strata_model::json::{parse, to_compact};
use strata_model::{Json, Object};

use super::change::{TextChange, shown, shown_apart};
use super::kind::ChangeKind;

impl TextChange {
    /// The first difference between two texts of JSON, by keys and items rather than by bytes. As [`Self::between`] for
    /// what is no JSON.
    pub fn between_json(before: &str, after: &str) -> Self {
        changed(before, after).unwrap_or_else(|| Self::of_values(before, after))
    }
}

/// `None` where one of them is no JSON, or both say the same.
fn changed(before: &str, after: &str) -> Option<TextChange> {
    let (was, is) = (parse(before.as_bytes()).ok()?, parse(after.as_bytes()).ok()?);
    let change = between(&was, &is, "")?;
    Some(TextChange { chars: (before.chars().count(), after.chars().count()), ..change })
}

/// `key` is the nearest one that both stand under.
fn between(before: &Json, after: &Json, key: &str) -> Option<TextChange> {
    match (before, after) {
        (Json::Object(was), Json::Object(is)) => of_objects(was, is, key),
        (Json::Array(was), Json::Array(is)) => of_lists(was, is, key),
        (Json::String(was), Json::String(is)) => {
            let change = TextChange::between(was, is)?;
            let label = if change.label.is_empty() { key.to_owned() } else { change.label };
            Some(TextChange { label, ..change })
        }
        (was, is) if was == is => None,
        (was, is) => {
            let change = TextChange::of_values(&to_compact(was), &to_compact(is));
            Some(TextChange { label: key.to_owned(), ..change })
        }
    }
}

fn of_objects(was: &Object, is: &Object, key: &str) -> Option<TextChange> {
    for (name, value) in is.iter() {
        let Some(before) = was.get(name) else {
            return Some(change(ChangeKind::Grown, key, "", &member(name, value)));
        };
        if let Some(found) = between(before, value, name) {
            return Some(found);
        }
    }
    if let Some((name, value)) = was.iter().find(|(name, _)| is.get(name).is_none()) {
        return Some(change(ChangeKind::Shrunk, key, &member(name, value), ""));
    }
    let (before, after) = was.iter().zip(is.iter()).find(|((a, _), (b, _))| a != b)?;
    Some(change(ChangeKind::Order, key, before.0, after.0))
}

fn of_lists(was: &[Json], is: &[Json], key: &str) -> Option<TextChange> {
    let texts = |items: &[Json]| items.iter().map(to_compact).collect::<Vec<_>>();
    let (before, after) = (texts(was), texts(is));
    let at = before.iter().zip(&after).position(|(a, b)| a != b).unwrap_or(before.len().min(after.len()));
    let sorted = |items: &[String]| {
        let mut items = items.to_vec();
        items.sort_unstable();
        items
    };
    let missing = |of: &[String], other: &[String]| of.iter().find(|item| !other.contains(item)).cloned();
    match (before.get(at), after.get(at)) {
        (None, None) => None,
        (Some(first), Some(now)) if sorted(&before) == sorted(&after) => {
            Some(change(ChangeKind::Order, key, first, now))
        }
        _ if before.len() == after.len() => between(&was[at], &is[at], key),
        _ if before.len() < after.len() => Some(change(
            ChangeKind::Grown,
            key,
            "",
            &missing(&after, &before).unwrap_or_else(|| after[at].clone()),
        )),
        _ => Some(change(
            ChangeKind::Shrunk,
            key,
            &missing(&before, &after).unwrap_or_else(|| before[at].clone()),
            "",
        )),
    }
}

/// `required ["query"]`.
fn member(name: &str, value: &Json) -> String {
    let value = match value {
        Json::String(text) => text.to_string(),
        other => to_compact(other),
    };
    format!("{name} {value}")
}

fn change(kind: ChangeKind, label: &str, before: &str, after: &str) -> TextChange {
    let (before, after) = match (before, after) {
        ("", after) => (String::new(), shown(after)),
        (before, "") => (shown(before), String::new()),
        (before, after) => shown_apart(before, after),
    };
    TextChange { kind, label: label.to_owned(), before, after, chars: (0, 0), further: Vec::new() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(before: &str, after: &str, expected: (&str, &str, &str, &str)) {
        let found = changed(before, after).expect("a change");
        assert_eq!((found.kind.code(), &*found.label, &*found.before, &*found.after), expected);
    }

    #[test]
    fn declarations_differ_by_keys_and_items() {
        let search = r#"{"name":"search","schema":{"type":"object","properties":{"q":{"type":"string"}}}}"#;
        check(
            search,
            r#"{"name":"search","schema":{"properties":{"q":{"type":"string"}},"type":"object"}}"#,
            ("order", "schema", "type", "properties"),
        );
        check(
            search,
            r#"{"name":"search","schema":{"type":"object","properties":{"q":{"type":"string"}},"required":["q"]}}"#,
            ("grown", "schema", "", r#"required ["q"]"#),
        );
        check(
            r#"{"name":"search","schema":{"type":"object"},"strict":true}"#,
            r#"{"name":"search","schema":{"type":"object"}}"#,
            ("shrunk", "", "strict true", ""),
        );
        check(r#"{"enum":["a","b"]}"#, r#"{"enum":["b","a"]}"#, ("order", "enum", "\"a\"", "\"b\""));
        check(r#"{"enum":["a"]}"#, r#"{"enum":["a","b"]}"#, ("grown", "enum", "", "\"b\""));
        check(r#"{"max":3}"#, r#"{"max":4}"#, ("counter", "max", "3", "4"));
        check(
            r#"{"description":"Run 7c9e6679-7425-40de-944b-e07fc1f90ae7."}"#,
            r#"{"description":"Run 1b4e28ba-2fa1-41d2-883f-0016d3cca427."}"#,
            (
                "random_id",
                "Run",
                "7c9e6679-7425-40de-944b-e07fc1f90ae7",
                "1b4e28ba-2fa1-41d2-883f-0016d3cca427",
            ),
        );
        assert_eq!(changed("no JSON", "{}"), None);
    }
}
