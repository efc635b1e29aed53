//! What the bodies of all providers share.

use std::sync::Arc;

use strata_model::{Declaration, Json, LlmRequest, Object, Origin, RequestTool, json};

/// A body that is no request.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{path}: {message}")]
pub struct BodyError {
    pub path: String,
    pub message: String,
}

impl BodyError {
    pub(super) fn new(path: impl Into<String>, message: impl Into<String>) -> Self {
        Self { path: path.into(), message: message.into() }
    }
}

/// Who is named as the source of what a body holds.
pub(super) fn origin() -> Origin {
    Origin::Run { field: "body".into() }
}

pub(super) fn object<const N: usize>(members: [(&str, Json); N]) -> Json {
    Json::Object(Object::from_iter(members))
}

pub(super) fn text(value: Option<&Json>) -> &str {
    value.and_then(Json::as_str).unwrap_or_default()
}

pub(super) fn list<'j>(value: Option<&'j Json>, path: &str) -> Result<&'j [Json], BodyError> {
    value.and_then(Json::as_array).ok_or_else(|| BodyError::new(path, "is no list"))
}

/// Leaves these members of an object, and no others.
pub(super) fn keep(body: &mut Json, names: &[&str]) {
    if let Json::Object(object) = body {
        object.retain(|key, _| names.contains(&key));
    }
}

/// Names of settings: in `config`, and in a body.
pub(super) type Settings = &'static [(&'static str, &'static str)];

pub(super) fn push_settings(body: &mut Object, request: &LlmRequest, settings: Settings) {
    for (own, theirs) in settings {
        if let Some(value) = request.config_field(own) {
            body.push(*theirs, value.clone());
        }
    }
}

pub(super) fn read_settings(request: &mut LlmRequest, body: &Json, settings: Settings) {
    for (own, theirs) in settings {
        if let Some(value) = body.get(theirs).filter(|value| !value.is_null()) {
            request.set_config(own, value.clone(), origin());
        }
    }
}

/// Name, description and parameters of each function.
pub(super) fn functions(request: &LlmRequest) -> impl Iterator<Item = (&str, Option<&Json>, Json)> {
    let declarations = request.tools.iter().flat_map(|tool| match tool {
        RequestTool::Functions(declarations) => &declarations[..],
        RequestTool::BuiltIn { .. } => &[],
    });
    declarations.map(|declaration| {
        let schema = declaration.json.get("parametersJsonSchema").cloned();
        let schema = schema.or_else(|| declaration.json.get("parameters").map(json_schema));
        let none = || object([("type", "object".into()), ("properties", Object::new().into())]);
        (declaration.name(), declaration.json.get("description"), schema.unwrap_or_else(none))
    })
}

/// The other way round.
pub(super) fn add_function(
    request: &mut LlmRequest,
    name: &str,
    description: Option<&Json>,
    schema: Option<&Json>,
) {
    let mut declaration = Object::new();
    declaration.push("name", name);
    declaration.push_some("description", description.cloned());
    declaration.push_some("parametersJsonSchema", schema.cloned());
    request.add_declaration(Arc::new(Declaration::new(declaration, origin())));
}

/// A schema of Gemini's as JSON Schema: names of types are in lower case there.
pub(super) fn json_schema(schema: &Json) -> Json {
    match schema {
        Json::Object(object) => {
            let members = object.iter().map(|(key, value)| {
                let value = match (&**key, value) {
                    ("type", Json::String(name)) => Json::from(name.to_lowercase()),
                    _ => json_schema(value),
                };
                (key.clone(), value)
            });
            Json::Object(members.collect())
        }
        Json::Array(items) => Json::Array(items.iter().map(json_schema).collect()),
        other => other.clone(),
    }
}

/// The schema the answer must follow, if there is one.
pub(super) fn answer_schema(request: &LlmRequest) -> Option<Json> {
    let own = request.config_field("responseJsonSchema").cloned();
    own.or_else(|| request.config_field("responseSchema").map(json_schema))
}

/// Arguments as the text they are sent as.
pub(super) fn arguments(args: Option<&Object>) -> String {
    args.map_or_else(|| "{}".to_owned(), json::object_to_compact)
}

/// Arguments of a call from the text they came as. What is no object is kept as it is.
pub(super) fn parsed_arguments(text: &str) -> Object {
    if text.trim().is_empty() {
        return Object::new();
    }
    match json::parse(text.as_bytes()) {
        Ok(Json::Object(object)) => object,
        _ => Object::from_iter([("arguments", Json::from(text))]),
    }
}

/// What a tool returned, from the text it was sent as.
pub(super) fn parsed_result(text: &str) -> Object {
    match json::parse(text.as_bytes()) {
        Ok(Json::Object(object)) => object,
        _ => Object::from_iter([("result", Json::from(text))]),
    }
}
