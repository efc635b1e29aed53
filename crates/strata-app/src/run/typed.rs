//! What is typed on a command line, or written in a file, for a run.

use strata_model::{Json, Object, json};

use crate::error::AppError;

/// A value as it is typed: JSON, or else a text.
pub(crate) fn typed_value(text: &str) -> Json {
    json::parse(text.as_bytes()).unwrap_or_else(|_| Json::from(text))
}

/// A list of `NAME=VALUE`, each a [`typed_value`]. One that begins like an object or a list has to be one.
pub fn named_values(list: &[String]) -> Result<Vec<(String, Json)>, AppError> {
    let values = list.iter().map(|entry| {
        let (name, value) = entry.split_once('=').ok_or_else(|| {
            AppError::bad_input(format!("`{entry}` has no value: it should be NAME=VALUE."))
        })?;
        match json::parse(value.as_bytes()) {
            Err(error) if value.trim_start().starts_with(['{', '[']) => Err(AppError::bad_input(format!(
                "The value of {name} begins as JSON does and is none: {error}. Mend it, or write a text that begins \
                 like this as a JSON string, in double quotes: {name}='\"…\"'."
            ))),
            _ => Ok((name.to_owned(), typed_value(value))),
        }
    });
    values.collect()
}

/// As [`named_values`], as state.
pub fn named_state(list: &[String]) -> Result<Object, AppError> {
    Ok(named_values(list)?.into_iter().collect())
}

/// The messages in a file: a JSON or YAML list of texts, or else a message a line.
pub fn messages_in(text: &str) -> Vec<String> {
    let document: Option<Json> =
        json::parse(text.as_bytes()).ok().or_else(|| serde_saphyr::from_str::<Json>(text).ok());
    let list = document.as_ref().and_then(Json::as_array);
    let texts: Option<Vec<String>> =
        list.and_then(|list| list.iter().map(|item| item.as_str().map(str::to_owned)).collect());
    texts.unwrap_or_else(|| {
        let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
        lines.map(str::to_owned).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_begins_like_json_is_json_or_is_refused() {
        let value = |entry: &str| named_values(&[entry.to_owned()]).map(|mut values| values.remove(0).1);
        for (entry, expected) in [
            (r#"k={"a": [1]}"#, r#"{"a":[1]}"#),
            ("k=[]", "[]"),
            ("k=yes, {please}", r#""yes, {please}""#),
            (r#"k="{please}""#, r#""{please}""#),
            ("k=7", "7"),
            ("k=", r#""""#),
        ] {
            assert_eq!(json::to_compact(&value(entry).unwrap()), expected, "{entry}");
        }
        for entry in ["k={conf", "k= [1, 2", "k={'a': 1}", "k={} and more"] {
            let refused = value(entry).unwrap_err().message;
            assert!(refused.starts_with("The value of k begins as JSON does and is none: "), "{refused}");
            assert!(refused.ends_with(r#"in double quotes: k='"…"'."#), "{refused}");
        }
        assert!(value("k").unwrap_err().message.contains("should be NAME=VALUE"));
    }

    #[test]
    fn messages_are_a_list_or_lines() {
        assert_eq!(messages_in("[\"one\", \"two\\nlines\"]"), ["one", "two\nlines"]);
        assert_eq!(messages_in("- one\n- two\n"), ["one", "two"]);
        assert_eq!(messages_in("one\n\n two: three\n"), ["one", "two: three"]);
    }
}
