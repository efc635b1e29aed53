//! What is typed on a command line, or written in a file, for a run.

use strata_model::{Json, Object, json};

use crate::error::AppError;

/// A value as it is typed: JSON, or else a text.
pub(crate) fn typed_value(text: &str) -> Json {
    json::parse(text.as_bytes()).unwrap_or_else(|_| Json::from(text))
}

/// A list of `NAME=VALUE`, each a [`typed_value`].
pub fn named_values(list: &[String]) -> Result<Vec<(String, Json)>, AppError> {
    let values = list.iter().map(|entry| {
        let (name, value) = entry.split_once('=').ok_or_else(|| {
            AppError::bad_input(format!("`{entry}` has no value: it should be NAME=VALUE."))
        })?;
        Ok((name.to_owned(), typed_value(value)))
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
    fn messages_are_a_list_or_lines() {
        assert_eq!(messages_in("[\"one\", \"two\\nlines\"]"), ["one", "two\nlines"]);
        assert_eq!(messages_in("- one\n- two\n"), ["one", "two"]);
        assert_eq!(messages_in("one\n\n two: three\n"), ["one", "two: three"]);
    }
}
