//! A setting of a request that has another value than in the one before.

use strata_model::json::to_compact;
use strata_model::{Json, LlmRequest};
use strata_wire::{Item, Path, settings};

use super::text_change::shown;

/// A setting before and after.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettingChange {
    /// As the request calls it.
    pub name: String,
    /// The values in it, such as `tool search` for `{"type": "tool", "name": "search"}`.
    pub before: String,
    pub after: String,
}

impl SettingChange {
    /// `None` where both requests have the same value.
    pub(super) fn between(name: &str, before: &LlmRequest, after: &LlmRequest) -> Option<Self> {
        let value = |request: &LlmRequest| {
            settings(request).find_map(|segment| match (segment.path, segment.item) {
                (Path::Config { field }, Item::Setting { value, .. }) if field == name => {
                    Some(value.into_owned())
                }
                _ => None,
            })
        };
        let (before, after) = (value(before), value(after));
        (before != after).then(|| Self {
            name: name.to_owned(),
            before: said(before.as_ref()),
            after: said(after.as_ref()),
        })
    }
}

fn said(value: Option<&Json>) -> String {
    let mut words = Vec::new();
    match value {
        Some(value) => add_words(value, None, &mut words),
        None => words.push("not set".to_owned()),
    }
    shown(&words.join(" "))
}

/// Texts speak for themselves; numbers and switches need their names.
fn add_words(value: &Json, name: Option<&str>, words: &mut Vec<String>) {
    match value {
        Json::Object(object) => object.iter().for_each(|(name, value)| add_words(value, Some(name), words)),
        Json::Array(items) => items.iter().for_each(|item| add_words(item, name, words)),
        Json::String(text) => words.push(text.to_string()),
        other => {
            words.extend(name.map(str::to_owned));
            words.push(to_compact(other));
        }
    }
}

#[cfg(test)]
mod tests {
    use strata_model::json;
    use strata_wire::request_of;

    use super::*;

    #[track_caller]
    fn check(before: &str, after: &str, expected: Option<(&str, &str)>) {
        let request = |setting: &str| {
            let body =
                format!(r#"{{"model": "m", "messages": [{{"role": "user", "content": "Hi"}}]{setting}}}"#);
            request_of(&json::parse(body.as_bytes()).expect("JSON")).expect("a request")
        };
        let found = SettingChange::between("tool_choice", &request(before), &request(after));
        let found = found.as_ref().map(|found| (&*found.before, &*found.after));
        assert_eq!(found, expected);
    }

    #[test]
    fn a_choice_of_one_tool_names_it() {
        let auto = r#", "tool_choice": {"type": "auto"}"#;
        let one = r#", "tool_choice": {"type": "tool", "name": "search"}"#;
        check(auto, one, Some(("auto", "tool search")));
        check("", one, Some(("not set", "tool search")));
        let function = r#", "tool_choice": {"type": "function", "function": {"name": "search"}}"#;
        check(r#", "tool_choice": "auto""#, function, Some(("auto", "function search")));
        let serial = r#", "tool_choice": {"type": "auto", "disable_parallel_tool_use": true}"#;
        check(auto, serial, Some(("auto", "auto disable_parallel_tool_use true")));
        check(one, one, None);
    }
}
