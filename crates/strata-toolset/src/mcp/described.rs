//! Tools and answers of a server in google-adk's own form.

use rmcp::model::{CallToolResult, Tool};
use strata_model::{Json, Object};

/// Names that a server may not take: with them, google-adk itself speaks to models.
const RESERVED: [&str; 5] = [
    "adk_request_credential",
    "adk_request_confirmation",
    "adk_request_input",
    "transfer_to_agent",
    "set_model_response",
];

/// Below these keys is the server's own JSON, whatever its keys are.
const OPAQUE: [&str; 4] = ["_meta", "inputSchema", "outputSchema", "structuredContent"];

/// The declarations of the tools that a filter lets through, by name: servers promise no order, and a prefix needs one.
pub(super) fn tools(listed: &[Tool], filter: Option<&[String]>) -> Vec<Object> {
    let is_chosen = |tool: &&Tool| {
        let names = filter.filter(|names| !names.is_empty());
        names.is_none_or(|names| names.iter().any(|name| *name == *tool.name))
    };
    let mut tools: Vec<&Tool> =
        listed.iter().filter(|tool| !RESERVED.contains(&&*tool.name)).filter(is_chosen).collect();
    tools.sort_by(|one, other| one.name.cmp(&other.name));
    tools.into_iter().map(declaration).collect()
}

fn declaration(tool: &Tool) -> Object {
    let mut declaration = Object::new();
    declaration.push("description", tool.description.as_deref().unwrap_or_default());
    declaration.push("name", &*tool.name);
    declaration.push("parametersJsonSchema", of_serde(&*tool.input_schema));
    declaration.push_some("responseJsonSchema", tool.output_schema.as_deref().map(of_serde));
    declaration
}

/// A result with the keys, and in the order, that google-adk's callers read.
pub(super) fn result(result: &CallToolResult) -> Json {
    let Json::Object(mut dumped) = of_serde(result) else { return Json::Null };
    dumped.remove("resultType");
    let mut ordered = Object::new();
    ordered.push_some("meta", dumped.remove("_meta"));
    let content = dumped.remove("content").map(restored);
    ordered.push("content", content.unwrap_or_else(|| Vec::new().into()));
    ordered
        .push_some("structuredContent", dumped.remove("structuredContent").filter(|value| !value.is_null()));
    ordered.push("isError", dumped.remove("isError").and_then(|value| value.as_bool()).unwrap_or(false));
    ordered.into()
}

fn of_serde(value: impl serde::Serialize) -> Json {
    serde_json::to_value(value).ok().and_then(|value| serde_json::from_value(value).ok()).unwrap_or_default()
}

/// `_meta` is `meta` in google-adk, wherever it is the protocol's.
fn restored(value: Json) -> Json {
    match value {
        Json::Array(items) => items.iter().cloned().map(restored).collect::<Vec<_>>().into(),
        Json::Object(object) => {
            let entries = object.into_iter().filter(|(_, value)| !value.is_null());
            let restored = entries.map(|(key, value)| match &*key {
                "_meta" => ("meta".into(), value),
                name if OPAQUE.contains(&name) => (key, value),
                _ => (key, restored(value)),
            });
            restored.collect::<Object>().into()
        }
        other => other,
    }
}
