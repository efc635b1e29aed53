//! What the bodies of all providers share.

use strata_model::{Json, LlmRequest, Object, RequestTool, json};

use super::settings::Settings;

/// What a body says beside the request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BodyOptions {
    /// The answer comes in pieces.
    pub is_streamed: bool,
    /// The most tokens of the answer, where the request does not say.
    pub max_output_tokens: Option<u32>,
}

pub(super) fn object<const N: usize>(members: [(&str, Json); N]) -> Json {
    Json::Object(Object::from_iter(members))
}

/// Leaves these members of an object, and no others.
pub(super) fn keep(body: &mut Json, names: &[&str]) {
    if let Json::Object(object) = body {
        object.retain(|key, _| names.contains(&key));
    }
}

pub(super) fn push_settings(body: &mut Object, request: &LlmRequest, settings: Settings) {
    for (own, theirs) in settings {
        if let Some(value) = request.config_field(own) {
            body.push(*theirs, value.clone());
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

/// `auto`, `required`, `none`, or one function.
pub(super) fn tool_choice(request: &LlmRequest) -> Option<Json> {
    let config = request.config_field("toolConfig")?.get("functionCallingConfig")?;
    match config.get("mode")?.as_str()? {
        "ANY" => Some("required".into()),
        "NONE" => Some("none".into()),
        _ => Some("auto".into()),
    }
}
