//! Functions and their parameters, as a model is told of them.

use strata_model::app::Parameter;
use strata_model::{Json, Object};

pub(super) fn function(name: &str, description: &str, parameters: Option<Object>) -> Object {
    let mut declaration = Object::new();
    declaration.push("description", description);
    declaration.push("name", name);
    declaration.push_some("parametersJsonSchema", parameters);
    declaration
}

pub(super) fn object_schema(properties: Object, required: &[&str]) -> Object {
    let mut schema = Object::from_iter([("type", "object")]);
    schema.push("properties", properties);
    if !required.is_empty() {
        schema.push("required", required.iter().map(|name| Json::from(*name)).collect::<Vec<_>>());
    }
    schema
}

/// The parameters of a Python function, as pydantic describes them.
pub(super) fn typed_parameters(function: &str, params: &[Parameter]) -> Object {
    let mut properties = Object::new();
    let mut required = Vec::new();
    for param in params {
        let mut property = annotation_schema(param.kind.as_deref().unwrap_or_default());
        property.push_some("default", param.default.clone());
        property.push("title", title(&param.name));
        if param.default.is_none() {
            required.push(Json::from(param.name.clone()));
        }
        properties.push(param.name.clone(), property);
    }
    let mut schema = Object::from_iter([("properties", properties)]);
    if !required.is_empty() {
        schema.push("required", required);
    }
    schema.push("title", format!("{function}Params"));
    schema.push("type", "object");
    schema
}

/// The JSON Schema of a Python annotation; anything unknown is described by nothing.
pub(super) fn annotation_schema(annotation: &str) -> Object {
    let typed = |name: &str| Object::from_iter([("type", name)]);
    match annotation {
        "str" => typed("string"),
        "int" => typed("integer"),
        "float" => typed("number"),
        "bool" => typed("boolean"),
        "list" => {
            let mut schema = typed("array");
            schema.push("items", Object::new());
            schema
        }
        "dict" => {
            let mut schema = typed("object");
            schema.push("additionalProperties", true);
            schema
        }
        _ => Object::new(),
    }
}

/// A name as pydantic titles it: words with capitals.
fn title(name: &str) -> String {
    let words = name.split('_').map(|word| {
        let mut letters = word.chars();
        letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
    });
    words.collect::<Vec<String>>().join(" ")
}
