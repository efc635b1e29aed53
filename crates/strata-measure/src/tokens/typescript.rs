//! Function declarations as OpenAI's models see them: types of a TypeScript namespace.
//!
//! The format is not documented for the API; it is the one that token counts agree with, found by the authors of
//! hmarr/openai-chat-tokens, and near to what OpenAI's harmony format prescribes for gpt-oss.

use strata_model::{Json, Object};

/// One declaration with the blank line behind it.
pub(super) fn declaration(declaration: &Object) -> String {
    let text = |key: &str| declaration.get(key).and_then(Json::as_str).unwrap_or_default();
    let mut out = String::new();
    comment(&mut out, 0, text("description"));
    let parameters = declaration.get("parametersJsonSchema").or(declaration.get("parameters"));
    let properties = parameters.map(|schema| properties(schema, 0)).unwrap_or_default();
    let name = text("name");
    if properties.is_empty() {
        out += &format!("type {name} = () => any;\n\n");
    } else {
        out += &format!("type {name} = (_: {{\n{properties}}}) => any;\n\n");
    }
    out
}

fn comment(out: &mut String, indent: usize, text: &str) {
    for line in text.lines() {
        *out += &format!("{}// {line}\n", " ".repeat(indent));
    }
}

/// One line per property, and its description before it.
fn properties(schema: &Json, indent: usize) -> String {
    let mut out = String::new();
    let required = schema.get("required").and_then(Json::as_array).unwrap_or_default();
    for (name, property) in
        schema.get("properties").and_then(Json::as_object).iter().flat_map(|object| object.iter())
    {
        comment(&mut out, indent, property.get("description").and_then(Json::as_str).unwrap_or_default());
        let is_required = required.iter().any(|required| required.as_str() == Some(name));
        let mark = if is_required { "" } else { "?" };
        out += &format!("{}{name}{mark}: {},\n", " ".repeat(indent), type_of(property, indent));
    }
    out
}

fn type_of(schema: &Json, indent: usize) -> String {
    if let Some(values) = schema.get("enum").and_then(Json::as_array) {
        return union(values.iter().map(strata_model::json::to_compact));
    }
    if let Some(choices) = schema.get("anyOf").or(schema.get("oneOf")).and_then(Json::as_array) {
        return union(choices.iter().map(|choice| type_of(choice, indent)));
    }
    match schema.get("type") {
        Some(Json::Array(types)) => {
            union(types.iter().filter_map(Json::as_str).map(|name| named_type(name, schema, indent)))
        }
        Some(Json::String(name)) => named_type(name, schema, indent),
        _ => "any".to_owned(),
    }
}

fn union(types: impl Iterator<Item = String>) -> String {
    types.collect::<Vec<_>>().join(" | ")
}

/// google-genai writes the names of types in capitals, JSON Schema does not.
fn named_type(name: &str, schema: &Json, indent: usize) -> String {
    match name.to_ascii_lowercase().as_str() {
        "integer" | "number" => "number".to_owned(),
        "array" => match schema.get("items") {
            Some(items) => format!("{}[]", type_of(items, indent)),
            None => "any[]".to_owned(),
        },
        "object" if schema.get("properties").is_some() => {
            format!("{{\n{}{}}}", properties(schema, indent + 2), " ".repeat(indent))
        }
        name => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use strata_model::json::parse;

    #[track_caller]
    fn check(json: &str, expected: &str) {
        let json = parse(json.as_bytes()).unwrap();
        assert_eq!(declaration(json.as_object().unwrap()), expected);
    }

    #[test]
    fn declarations() {
        check(r#"{"name": "now"}"#, "type now = () => any;\n\n");
        check(
            r#"{"name": "search", "description": "Finds pages.\nSlow.", "parameters": {"type": "OBJECT", "required": ["q"],
                "properties": {"q": {"type": "STRING", "description": "What to find"}, "limit": {"type": "INTEGER"},
                "kind": {"type": "STRING", "enum": ["a", "b"]}}}}"#,
            "// Finds pages.\n// Slow.\ntype search = (_: {\n// What to find\nq: string,\nlimit?: number,\nkind?: \"a\" | \"b\",\n}) => any;\n\n",
        );
        check(
            r#"{"name": "f", "parametersJsonSchema": {"type": "object", "properties": {
                "where": {"type": "object", "properties": {"x": {"type": ["number", "null"]}}},
                "tags": {"type": "array", "items": {"anyOf": [{"type": "string"}, {"type": "boolean"}]}},
                "free": {"type": "object"}, "any": {}}}}"#,
            "type f = (_: {\nwhere?: {\n  x?: number | null,\n},\ntags?: string | boolean[],\nfree?: object,\nany?: any,\n}) => any;\n\n",
        );
    }
}
