//! A JSON Schema that some values have in common.

use strata_model::{Json, Object, Str};

/// Fields from which on an object is a table by ids and not a record.
const MAX_FIELDS: usize = 30;

/// The schema of these objects: all of their fields, of which those that each of them has are required. `None` where a
/// field has values of several types, or too many fields to be one record.
pub(crate) fn schema_of_objects(objects: &[&Object]) -> Option<Object> {
    let mut names: Vec<&Str> = Vec::new();
    for name in objects.iter().flat_map(|object| object.keys()) {
        if !names.contains(&name) {
            names.push(name);
        }
        if names.len() > MAX_FIELDS {
            return None;
        }
    }
    let mut properties = Object::new();
    let mut required: Vec<Json> = Vec::new();
    for name in names {
        let values: Vec<&Json> = objects.iter().filter_map(|object| object.get(name)).collect();
        if values.len() == objects.len() {
            required.push(name.clone().into());
        }
        properties.push(name.clone(), schema_of(&values)?);
    }
    let mut schema = Object::new();
    schema.push("type", "object");
    schema.push("properties", properties);
    if !required.is_empty() {
        schema.push("required", required);
    }
    Some(schema)
}

fn schema_of(values: &[&Json]) -> Option<Object> {
    let given: Vec<&Json> = values.iter().copied().filter(|value| !matches!(value, Json::Null)).collect();
    let mut schema = schema_of_given(&given)?;
    if given.len() < values.len() {
        let mut null = Object::new();
        null.push("type", "null");
        let either: Vec<Json> = vec![Json::Object(schema), Json::Object(null)];
        schema = Object::new();
        schema.push("anyOf", either);
    }
    Some(schema)
}

/// Of values that are not null. Of none nothing is known.
fn schema_of_given(values: &[&Json]) -> Option<Object> {
    let are = |kind: fn(&Json) -> bool| !values.is_empty() && values.iter().all(|value| kind(value));
    let mut schema = Object::new();
    if are(|value| matches!(value, Json::String(_))) {
        schema.push("type", "string");
    } else if are(|value| matches!(value, Json::Bool(_))) {
        schema.push("type", "boolean");
    } else if are(|value| matches!(value, Json::Int(_) | Json::BigInt(_))) {
        schema.push("type", "integer");
    } else if are(|value| matches!(value, Json::Int(_) | Json::BigInt(_) | Json::Float(_))) {
        schema.push("type", "number");
    } else if are(|value| matches!(value, Json::Array(_))) {
        let items: Vec<&Json> = values.iter().filter_map(|value| value.as_array()).flatten().collect();
        schema.push("type", "array");
        schema.push("items", schema_of(&items).filter(|_| !items.is_empty())?);
    } else if are(|value| matches!(value, Json::Object(_))) {
        let objects: Vec<&Object> = values.iter().filter_map(|value| value.as_object()).collect();
        schema = schema_of_objects(&objects)?;
    } else {
        return None;
    }
    Some(schema)
}

#[cfg(test)]
mod tests {
    use strata_model::json;

    use super::*;

    fn schema(objects: &[&str]) -> Option<String> {
        let values: Vec<Json> =
            objects.iter().map(|text| json::parse(text.as_bytes()).expect("valid JSON")).collect();
        let objects: Vec<&Object> = values.iter().filter_map(Json::as_object).collect();
        schema_of_objects(&objects).map(|schema| json::to_compact(&Json::Object(schema)))
    }

    #[test]
    fn a_schema_has_what_all_values_have_in_common() {
        let found = schema(&[
            r#"{"status":"done","rows":[{"id":1,"share":1}],"note":null}"#,
            r#"{"status":"failed","rows":[{"id":2,"share":0.5}],"note":"late","ok":false}"#,
        ]);
        let expected = concat!(
            r#"{"type":"object","properties":{"status":{"type":"string"},"#,
            r#""rows":{"type":"array","items":{"type":"object","properties":{"id":{"type":"integer"},"#,
            r#""share":{"type":"number"}},"required":["id","share"]}},"#,
            r#""note":{"anyOf":[{"type":"string"},{"type":"null"}]},"ok":{"type":"boolean"}},"#,
            r#""required":["status","rows","note"]}"#,
        );
        assert_eq!(found.as_deref(), Some(expected));
    }

    #[test]
    fn values_that_have_nothing_in_common_have_no_schema() {
        let table: Vec<String> = (0..40).map(|id| format!("\"row_{id}\":{id}")).collect();
        let table = format!("{{{}}}", table.join(","));
        for objects in [&[r#"{"a":1}"#, r#"{"a":"x"}"#][..], &[r#"{"a":null}"#], &[r#"{"a":[]}"#], &[&table]]
        {
            assert_eq!(schema(objects), None, "{objects:?}");
        }
    }
}
