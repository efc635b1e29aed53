//! A recorded body as a request.

use std::ops::Range;
use std::sync::Arc;

use strata_model::take::{take_any, take_object, take_text};
use strata_model::{
    Content, Declaration, Json, LlmRequest, Object, Origin, RecordedCall, RequestContent, RequestTool,
    RichText, Str, namespace,
};

use super::body::without_messages;
use super::cache_marks::cache_marks;
use crate::message::{Reader, Role, ToolNames, Turn};

/// Who is named as the source of what a body holds.
fn origin() -> Origin {
    Origin::Run { field: "request".into() }
}

/// Members of bodies that say how a request is to be treated and nothing to the model.
const TRANSPORT: [&str; 9] = [
    "cache_control",
    "stream",
    "stream_options",
    "stream_input",
    "metadata",
    "user",
    "store",
    "litellm_metadata",
    "extra_headers",
];

/// Members that refer to messages which the body does not have.
const HELD_ELSEWHERE: [&str; 4] = ["previous_response_id", "conversation", "cachedContent", "cached_content"];

/// The request that a body asks for, in whatever dialect it is. Messages are read as importers read them, so that its
/// parts equal those of the events they became. `None` where the body is not all that the model was given: where a
/// logger kept the messages back, or the provider holds the history.
pub fn request_of(body: &Json) -> Option<LlmRequest> {
    if RecordedCall::is_in(body) {
        // As google-adk had it, with nothing to translate.
        return Some(LlmRequest::from_json(body, &origin()));
    }
    let body = body.as_object()?;
    if is_held_elsewhere(body) {
        return None;
    }
    let cache_marks = cache_marks(body);
    let mut body = body.clone();
    let (mut tools, mut unread) = (ToolNames::new(), ());
    let turns = Reader { tools: &mut tools, unread: &mut unread }.request(&mut body);
    let request = LlmRequest { cache_marks, ..request_with(body, turns) };
    let is_empty = request.contents.is_empty() && request.system_instruction.is_none();
    (!is_empty).then_some(request)
}

/// What [`request_of`] gives, but for its contents, where the messages of a body were read already: tools, instruction and
/// settings.
pub fn head_of(body: &Object, turns: &[Turn]) -> LlmRequest {
    let mut rest = without_messages(body);
    // The system prompt is taken out of it, which is among the turns.
    Reader { tools: &mut ToolNames::new(), unread: &mut () }.request(&mut rest);
    request_with(rest, turns[..n_leading_system(turns)].to_vec())
}

/// Whether messages of a request are where the body refers to.
pub fn is_held_elsewhere(body: &Object) -> bool {
    HELD_ELSEWHERE.iter().any(|key| body.get(key).is_some_and(Json::is_truthy))
}

/// The request that a body asks for whose messages were taken out of it.
fn request_with(mut body: Object, turns: Vec<Turn>) -> LlmRequest {
    let mut request = LlmRequest::default();
    let mut config = take_object(&mut body, "config").unwrap_or_default();
    let own =
        take_object(&mut body, "generationConfig").or_else(|| take_object(&mut body, "generation_config"));
    config.update(&own.unwrap_or_default());
    request.model = take_text(&mut body, "model");
    let tools = take_any(&mut body, &["tools", "functions"])
        .or_else(|| take_any(&mut config, &["tools"]))
        .or_else(|| tools_of_converse(&mut body));
    for tool in tools.as_ref().and_then(Json::as_array).unwrap_or_default() {
        add_tool(&mut request, tool);
    }
    add_turns(&mut request, turns);
    for (key, value) in config.iter().chain(body.iter()) {
        if !value.is_null() && !TRANSPORT.contains(&&**key) {
            request.set_config(key, value.clone(), origin());
        }
    }
    request
}

/// Bedrock's, among which points of the cache stand; what else is said of tools stays.
fn tools_of_converse(body: &mut Object) -> Option<Json> {
    let mut about = take_object(body, "toolConfig")?;
    let tools = take_any(&mut about, &["tools"]);
    body.push_some("toolChoice", take_any(&mut about, &["toolChoice"]));
    let Some(Json::Array(tools)) = tools else { return tools };
    Some(Json::Array(tools.into_iter().filter(|tool| tool.get("cachePoint").is_none()).collect()))
}

/// System prompts that stand before everything else: they are the instruction.
fn n_leading_system(turns: &[Turn]) -> usize {
    turns.iter().take_while(|turn| turn.role == Role::System).count()
}

/// The contents that turns are in a request, behind its instruction: the role and the turns of each.
pub fn contents_of_turns(turns: &[Turn]) -> Vec<(&'static str, Range<usize>)> {
    let mut contents: Vec<(&'static str, Range<usize>)> = Vec::new();
    let mut only_results = false;
    for (at, turn) in turns.iter().enumerate().skip(n_leading_system(turns)) {
        let has_only_results =
            turn.has_results() && turn.parts.iter().all(|part| part.function_response.is_some());
        let role = match turn.role {
            Role::Model => "model",
            Role::System => "system",
            Role::User | Role::Tool => "user",
        };
        match contents.last_mut() {
            // Answers come in items, and results one by one: each is one content of a request.
            Some((before, of_content))
                if *before == role && (role == "model" || (only_results && has_only_results)) =>
            {
                of_content.end = at + 1;
            }
            _ => {
                only_results = has_only_results;
                contents.push((role, at..at + 1));
            }
        }
    }
    contents
}

fn add_turns(request: &mut LlmRequest, turns: Vec<Turn>) {
    let contents = contents_of_turns(&turns);
    let n_system = n_leading_system(&turns);
    let mut turns = turns.into_iter();
    for turn in turns.by_ref().take(n_system) {
        for text in turn.parts.into_iter().filter_map(|part| part.text) {
            request.append_system(RichText::from_span(text, origin()));
        }
    }
    request.contents.extend(contents.into_iter().map(|(role, of_content)| {
        let parts = turns.by_ref().take(of_content.len()).flat_map(|turn| turn.parts).map(Arc::new);
        let content = Content { role: Some(role.into()), parts: Some(parts.collect()), ..Content::default() };
        Arc::new(RequestContent::from_content(&content, |_| origin()))
    }));
}

/// Functions in every shape they are declared in; whatever else a provider offers is kept as it is.
fn add_tool(request: &mut LlmRequest, tool: &Json) {
    if let Some(name) = tool.as_str() {
        // A logger that wrote names only.
        let declaration = Object::from_iter([("name", name)]);
        return request.add_declaration(Arc::new(Declaration::new(declaration, tool_origin(name))));
    }
    let inner = tool.get("function").or_else(|| tool.get("toolSpec")).unwrap_or(tool);
    let listed = tool.get("functionDeclarations").or_else(|| tool.get("function_declarations"));
    if let Some(listed) = listed.and_then(Json::as_array) {
        for function in listed {
            add_tool(request, function);
        }
    } else if let Some((namespace, listed)) = namespace::namespace_of(tool) {
        add_namespace(request, tool, namespace, listed);
    } else if let Some(declaration) = declaration(inner) {
        request.add_declaration(Arc::new(declaration));
    } else {
        add_built_in(request, tool.clone());
    }
}

/// Each function of a namespace under its one name, and then what the namespace says for all of them: every word that
/// was sent is there once.
fn add_namespace(request: &mut LlmRequest, tool: &Json, namespace: &str, listed: &[Json]) {
    for function in listed {
        let mut function = function.clone();
        if let Json::Object(function) = &mut function
            && let Some(name) = function.get("name").and_then(Json::as_str).map(Str::from)
        {
            function.insert("name", namespace::name_in(Some(namespace), &name));
        }
        add_tool(request, &function);
    }
    let mut said = tool.clone();
    if let Json::Object(said) = &mut said {
        said.remove("tools");
    }
    add_built_in(request, said);
}

fn add_built_in(request: &mut LlmRequest, json: Json) {
    // A namespace is no tool: none is called by its name.
    let origin = if namespace::is_namespace(&json) { origin() } else { tool_origin(tool_name(&json)) };
    Arc::make_mut(&mut request.tools).push(RequestTool::BuiltIn { json, origin });
}

fn declaration(function: &Json) -> Option<Declaration> {
    let name = function.get("name").and_then(Json::as_str)?;
    let schema = ["parametersJsonSchema", "parameters_json_schema", "input_schema", "inputSchema"];
    let schema = schema.iter().find_map(|key| function.get(key)).filter(|schema| !schema.is_null());
    let schema = schema.map(|schema| schema.get("json").unwrap_or(schema));
    let plain = function.get("parameters").filter(|schema| !schema.is_null());
    let kind = function.get("type").and_then(Json::as_str);
    if schema.is_none() && plain.is_none() && kind.is_some_and(|kind| kind != "function" && kind != "custom")
    {
        return None;
    }
    let mut declaration = Object::new();
    declaration.push("name", name);
    declaration.push_some("description", function.get("description").filter(|text| !text.is_null()).cloned());
    // Gemini's own schemas name their types in capitals; all others are JSON Schema.
    let is_gemini = plain.and_then(|schema| schema.get("type")?.as_str()).is_some_and(is_capital);
    declaration.push_some("parameters", plain.filter(|_| is_gemini).cloned());
    declaration.push_some("parametersJsonSchema", schema.or(plain.filter(|_| !is_gemini)).cloned());
    Some(Declaration::new(declaration, tool_origin(name)))
}

fn is_capital(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_uppercase())
}

fn tool_name(tool: &Json) -> &str {
    let own = tool.get("name").or_else(|| tool.get("type")).and_then(Json::as_str);
    own.or_else(|| tool.as_object().and_then(|tool| tool.keys().next().map(|key| &**key))).unwrap_or("tool")
}

fn tool_origin(name: &str) -> Origin {
    Origin::Tool { name: Str::from(name) }
}

#[cfg(test)]
mod tests {
    use strata_model::json;

    use super::*;

    /// The same conversation with a tool, in five dialects.
    const BODIES: [&str; 5] = [
        r#"{"model":"m","stream":true,"temperature":0.5,"tools":[{"type":"function","function":{"name":"find","description":"Finds","parameters":{"type":"object"}}}],"messages":[{"role":"system","content":"Be brief."},{"role":"user","content":"Find it"},{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"find","arguments":"{\"q\":\"it\"}"}}]},{"role":"tool","tool_call_id":"c1","content":"found"}]}"#,
        r#"{"model":"m","temperature":0.5,"instructions":"Be brief.","tools":[{"type":"function","name":"find","description":"Finds","parameters":{"type":"object"}}],"input":[{"role":"user","content":[{"type":"input_text","text":"Find it"}]},{"type":"function_call","call_id":"c1","name":"find","arguments":"{\"q\":\"it\"}"},{"type":"function_call_output","call_id":"c1","output":"found"}]}"#,
        r#"{"model":"m","temperature":0.5,"system":[{"type":"text","text":"Be brief."}],"tools":[{"name":"find","description":"Finds","input_schema":{"type":"object"}}],"messages":[{"role":"user","content":"Find it"},{"role":"assistant","content":[{"type":"tool_use","id":"c1","name":"find","input":{"q":"it"}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","content":"found"}]}]}"#,
        r#"{"model":"m","generationConfig":{"temperature":0.5},"systemInstruction":{"parts":[{"text":"Be brief."}]},"tools":[{"functionDeclarations":[{"name":"find","description":"Finds","parametersJsonSchema":{"type":"object"}}]}],"contents":[{"role":"user","parts":[{"text":"Find it"}]},{"role":"model","parts":[{"functionCall":{"id":"c1","name":"find","args":{"q":"it"}}}]},{"role":"user","parts":[{"functionResponse":{"id":"c1","name":"find","response":{"result":"found"}}}]}]}"#,
        r#"{"model":"m","config":{"temperature":0.5,"system_instruction":"Be brief.","tools":[{"function_declarations":[{"name":"find","description":"Finds","parameters_json_schema":{"type":"object"}}]}]},"contents":[{"role":"user","parts":[{"text":"Find it"}]},{"role":"model","parts":[{"function_call":{"id":"c1","name":"find","args":{"q":"it"}}}]},{"role":"user","parts":[{"function_response":{"id":"c1","name":"find","response":{"result":"found"}}}]}]}"#,
    ];

    fn read(body: &str) -> Option<LlmRequest> {
        request_of(&json::parse(body.as_bytes()).expect("valid JSON"))
    }

    #[test]
    fn what_the_body_does_not_have_all_of_is_no_request() {
        for body in [
            "null",
            r#"{"model":"m","messages":[]}"#,
            r#"{"model":"m","previous_response_id":"resp_1","input":"And now?"}"#,
        ] {
            assert!(read(body).is_none(), "{body}");
        }
    }

    #[test]
    fn all_dialects_say_the_same() {
        let expected = r#"{"model":"m","contents":[{"parts":[{"text":"Find it"}],"role":"user"},{"parts":[{"functionCall":{"id":"c1","args":{"q":"it"},"name":"find"}}],"role":"model"},{"parts":[{"functionResponse":{"id":"c1","name":"find","response":{"result":"found"}}}],"role":"user"}],"config":{"systemInstruction":"Be brief.","tools":[{"functionDeclarations":[{"name":"find","description":"Finds","parametersJsonSchema":{"type":"object"}}]}],"temperature":0.5}}"#;
        for body in BODIES {
            let request = read(body).expect("a request");
            assert_eq!(json::to_compact(&request.to_json()), expected, "{body}");
        }
    }

    #[test]
    fn functions_of_a_namespace_have_one_name_where_they_are_declared_called_and_answered() {
        let body = r#"{"tools":[{"type":"function","name":"shell","parameters":{"type":"object"}},{"type":"namespace","name":"mcp__docs","description":"All about docs.","tools":[{"type":"function","name":"find","description":"Finds","strict":false,"parameters":{"type":"object"}},{"type":"function","name":"list","parameters":{"type":"object"}}]}],"input":[{"role":"user","content":"Find it"},{"type":"function_call","call_id":"c1","name":"find","namespace":"mcp__docs","arguments":"{}"},{"type":"function_call_output","call_id":"c1","output":"found"}]}"#;
        let request = read(body).expect("a request");
        let expected = r#"{"contents":[{"parts":[{"text":"Find it"}],"role":"user"},{"parts":[{"functionCall":{"id":"c1","args":{},"name":"mcp__docs__find"}}],"role":"model"},{"parts":[{"functionResponse":{"id":"c1","name":"mcp__docs__find","response":{"result":"found"}}}],"role":"user"}],"config":{"tools":[{"functionDeclarations":[{"name":"shell","parametersJsonSchema":{"type":"object"}},{"name":"mcp__docs__find","description":"Finds","parametersJsonSchema":{"type":"object"}},{"name":"mcp__docs__list","parametersJsonSchema":{"type":"object"}}]},{"type":"namespace","name":"mcp__docs","description":"All about docs."}]}}"#;
        assert_eq!(json::to_compact(&request.to_json()), expected);
        let paths: Vec<String> =
            crate::definitions(&request).map(|segment| segment.path.to_string()).collect();
        assert_eq!(paths, ["tool.shell", "tool.mcp__docs__find", "tool.mcp__docs__list", "tool.mcp__docs"]);
        // What is said for all of them is no tool that is never called.
        let of_tools = crate::definitions(&request)
            .filter(|segment| matches!(segment.main_origin(), Some(Origin::Tool { .. })));
        assert_eq!(of_tools.count(), 3);
    }

    #[test]
    fn what_a_provider_offers_beside_functions_is_kept() {
        let body = r#"{"tools":[{"type":"web_search"},{"googleSearch":{}},{"type":"bash_20250124","name":"bash"}],"messages":["hi"]}"#;
        let request = read(body).expect("a request");
        let tools: Vec<Json> = request.tools.iter().map(RequestTool::to_json).collect();
        let expected =
            r#"[{"type":"web_search"},{"googleSearch":{}},{"type":"bash_20250124","name":"bash"}]"#;
        assert_eq!(json::to_compact(&Json::Array(tools)), expected);
    }
}
