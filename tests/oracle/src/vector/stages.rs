//! The request after every processor, against `expected_stages`.

use strata_engine::Compilation;
use strata_model::{Json, LlmRequest, Object};

use crate::Failure;
use crate::diff::diff;

/// The name vectors give to a stage of ours: plugins and callbacks are one stage each.
pub(crate) fn stage_group(processor: &str) -> &str {
    match processor.split_once(':') {
        Some(("plugin", _)) => "plugins",
        Some(("callback", _)) => "before_model_callbacks",
        _ => processor,
    }
}

pub(crate) fn check_stages(given: &Json, expected: &Json, compilation: &Compilation) -> Failure {
    let mut failure = Vec::new();
    let mut sections: Object =
        [("contents", Json::Array(Vec::new())), ("tool_names", Json::Array(Vec::new()))]
            .into_iter()
            .collect();
    let mut actual = sections_of(&LlmRequest::default());
    for stage in given.get("expected_stages").and_then(Json::as_array).unwrap_or_default() {
        let name = stage.get("processor").and_then(Json::as_str).unwrap_or_default();
        for (section, value) in stage.get("set").and_then(Json::as_object).into_iter().flat_map(Object::iter)
        {
            let value =
                if value.as_str() == Some("$final") { final_value(expected, section) } else { value.clone() };
            sections.insert(section.clone(), value);
        }
        for section in stage.get("unset").and_then(Json::as_array).unwrap_or_default() {
            sections.remove(section.as_str().unwrap_or_default());
        }
        if let Some(stage) = compilation.stages.iter().rfind(|stage| stage_group(&stage.processor) == name) {
            actual = sections_of(&stage.request);
        }
        let difference =
            diff(&format!("after {name}"), &Json::Object(sections.clone()), &Json::Object(actual.clone()));
        if !difference.is_empty() {
            // Later stages repeat the difference: the first one tells where it came in.
            failure.extend(difference);
            break;
        }
    }
    failure
}

fn final_value(expected: &Json, section: &str) -> Json {
    let request = expected.get("request").cloned().unwrap_or_default();
    let value = match section.strip_prefix("config.") {
        Some(field) => request.get("config").and_then(|config| config.get(field)).cloned(),
        None => request.get(section).cloned(),
    };
    value.unwrap_or_default()
}

/// A request as the sections vectors compare.
fn sections_of(request: &LlmRequest) -> Object {
    let mut sections = Object::new();
    let json = request.to_json();
    for (key, value) in json.as_object().into_iter().flat_map(Object::iter) {
        match value {
            Json::Object(config) if **key == *"config" => {
                for (field, value) in config.iter() {
                    sections.push(format!("config.{field}"), value.clone());
                }
            }
            value => sections.push(key.clone(), value.clone()),
        }
    }
    let names: Vec<Json> = request.tool_names.iter().map(|name| name.clone().into()).collect();
    sections.push("tool_names", names);
    if !request.pending_dynamic_instructions.is_empty() {
        let pending: Vec<Json> =
            request.pending_dynamic_instructions.iter().map(|text| text.to_text().into()).collect();
        sections.push("pending_dynamic_instructions", pending);
    }
    sections
}
