//! google-genai's snake_case dumps of camelCase JSON.

use strata_model::{Json, Object};

use super::fields::{Fields, Kind};

/// `model_dump(exclude_none=True)`: absent fields are left out.
pub(crate) fn snake(value: &Json, of: &Fields) -> Json {
    dump(value, of, Absent::Omitted)
}

/// `model_dump()`: absent fields are there as nulls.
pub(crate) fn snake_with_nulls(value: &Json, of: &Fields) -> Json {
    dump(value, of, Absent::Null)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Absent {
    Omitted,
    Null,
}

fn dump(value: &Json, of: &Fields, absent: Absent) -> Json {
    let Json::Object(object) = value else { return value.clone() };
    let mut out = Object::new();
    for (name, kind) in of.0 {
        match member(object, name) {
            Some(value) => out.push(*name, dump_field(value, kind, absent)),
            None if absent == Absent::Null => out.push(*name, Json::Null),
            None => {}
        }
    }
    // Fields this version does not know stay as they are.
    for (key, value) in object.iter().filter(|(key, _)| !of.0.iter().any(|(name, _)| is_spelling(key, name)))
    {
        out.insert(key.clone(), value.clone());
    }
    Json::Object(out)
}

fn dump_field(value: &Json, kind: &Kind, absent: Absent) -> Json {
    match (kind, value) {
        (Kind::Data, _) => value.clone(),
        (Kind::Float, value) => value.as_f64().map_or_else(|| value.clone(), Json::Float),
        (Kind::One(of), value) => dump(value, of, absent),
        (Kind::List(of), Json::Array(items)) => {
            items.iter().map(|item| dump(item, of, absent)).collect::<Vec<_>>().into()
        }
        (Kind::Map(of), Json::Object(members)) => members
            .iter()
            .map(|(key, value)| (key.clone(), dump(value, of, absent)))
            .collect::<Object>()
            .into(),
        (Kind::List(_) | Kind::Map(_), value) => value.clone(),
    }
}

fn member<'o>(object: &'o Object, name: &str) -> Option<&'o Json> {
    object.iter().find(|(key, value)| is_spelling(key, name) && !value.is_null()).map(|(_, value)| value)
}

/// Whether `key` is the snake_case `name` in that spelling or in camelCase.
fn is_spelling(key: &str, name: &str) -> bool {
    let mut letters = name.chars();
    let mut next = || match letters.next() {
        Some('_') => letters.next().map(|letter| letter.to_ascii_uppercase()),
        letter => letter,
    };
    key == name || (key.chars().all(|letter| next() == Some(letter)) && next().is_none())
}

#[cfg(test)]
mod tests {
    use strata_model::json::{parse, to_compact};

    use super::super::fields::{CONTENT, TOOL};
    use super::*;

    #[test]
    fn fields_are_spelled_in_snake_case_and_data_is_left_alone() {
        let content = parse(
            br#"{"parts":[{"functionCall":{"name":"f","args":{"someKey":{"innerKey":null}},"id":null}},{"videoMetadata":{"fps":2,"startOffset":"1s"}}],"role":"model"}"#,
        )
        .unwrap();
        assert_eq!(
            to_compact(&snake(&content, &CONTENT)),
            r#"{"parts":[{"function_call":{"args":{"someKey":{"innerKey":null}},"name":"f"}},{"video_metadata":{"fps":2.0,"start_offset":"1s"}}],"role":"model"}"#
        );
    }

    #[test]
    fn absent_fields_can_be_dumped_as_nulls() {
        let tool = parse(br#"{"functionDeclarations":[{"name":"f"}]}"#).unwrap();
        assert_eq!(
            to_compact(&snake_with_nulls(&tool, &TOOL)),
            r#"{"retrieval":null,"computer_use":null,"file_search":null,"google_search":null,"google_maps":null,"code_execution":null,"enterprise_web_search":null,"function_declarations":[{"description":null,"name":"f","parameters":null,"parameters_json_schema":null,"response":null,"response_json_schema":null,"behavior":null}],"google_search_retrieval":null,"parallel_ai_search":null,"url_context":null,"mcp_servers":null,"exa_ai_search":null}"#
        );
    }
}
