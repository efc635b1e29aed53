//! Laws that hold for every request Strata compiles.

use strata_model::{Json, LlmRequest, Object};
use strata_wire::{Item, Path, segments};

/// Every byte of a request has exactly one source: the segments, put together, are the request, and the spans of
/// each add up to its text. Returns what does not hold.
pub fn partition(request: &LlmRequest) -> Vec<String> {
    let mut failures = Vec::new();
    for segment in segments(request) {
        let bytes: usize = segment.spans().iter().map(|(bytes, _)| bytes).sum();
        if bytes != segment.text().len() {
            failures.push(format!(
                "{}: {bytes} bytes with a source of {}",
                segment.path,
                segment.text().len()
            ));
        }
    }
    let rebuilt = rebuild(request);
    if rebuilt != request.to_json() {
        failures.push("the segments put together are not the request".to_owned());
    }
    failures
}

/// The request from its segments alone.
fn rebuild(request: &LlmRequest) -> Json {
    let mut envelope = Object::new();
    let mut config = Object::new();
    let mut system: Option<String> = None;
    let mut functions: Vec<Json> = Vec::new();
    let mut tools: Vec<Json> = Vec::new();
    let mut contents: Vec<Object> = Vec::new();
    for segment in segments(request) {
        match (&segment.path, &segment.item) {
            (_, Item::Declaration(declaration)) => {
                if functions.is_empty() {
                    tools.push(Json::Null);
                }
                functions.push(Json::Object(declaration.json.clone()));
            }
            (_, Item::BuiltInTool { json, .. }) => tools.push((*json).clone()),
            (_, Item::System(_)) => *system.get_or_insert_default() += &segment.text(),
            (Path::Part { content, part }, Item::Part { content: of, part: shown }) => {
                if *part == 0 {
                    assert_eq!(*content, contents.len());
                    contents.push(Object::from_iter([("parts", Vec::<Json>::new())]));
                    contents[*content].push_some("role", of.role.clone());
                }
                if let Some(Json::Array(parts)) = contents[*content].get_mut("parts") {
                    parts.push(strata_model::FromJson::to_json(&*shown.part));
                }
            }
            (_, Item::EmptyContent(content)) => {
                if let Json::Object(content) = content.to_json() {
                    contents.push(content);
                }
            }
            (Path::Config { field }, Item::Setting { value, .. }) => {
                config.push(*field, value.clone().into_owned());
            }
            (Path::Request { field }, Item::Setting { value, .. }) => {
                envelope.push(*field, value.clone().into_owned());
            }
            (path, item) => unreachable!("{path}: {item:?}"),
        }
    }
    // All functions stand in the first entry that holds any.
    for tool in &mut tools {
        if tool.is_null() {
            *tool =
                Json::Object(Object::from_iter([("functionDeclarations", std::mem::take(&mut functions))]));
        }
    }
    let mut whole_config = Object::new();
    // An empty instruction is not the same as none, and has no byte that could have a source.
    let is_empty = request.system_instruction.as_ref().is_some_and(|text| text.is_empty());
    whole_config.push_some("systemInstruction", system.or_else(|| is_empty.then(String::new)));
    if !tools.is_empty() {
        whole_config.push("tools", tools);
    }
    for (field, value) in config {
        whole_config.push(field, value);
    }
    let mut out = Object::new();
    out.push_some("model", envelope.remove("model"));
    out.push("contents", contents.into_iter().map(Json::Object).collect::<Vec<_>>());
    out.push("config", whole_config);
    for (field, value) in envelope {
        out.push(field, value);
    }
    Json::Object(out)
}
