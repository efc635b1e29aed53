//! The tools of agent configuration files: google-adk's own by their names, others by the name of their code.

use std::sync::Arc;

use strata_model::app::{Confirmation, Example};
use strata_model::{Decoder, Diagnostic, FromJson as _, Json, Object, Str, Tool};

use super::adk_functions;
use super::graph::{Agents, last_segment};

/// What google-adk 2.13 has under these names and makes from no file.
const UNUSABLE: [&str; 4] = ["APIHubToolset", "BaseTool", "ModelConsultTool", "VertexAiLoadProfilesTool"];

/// What google-adk 2.13 has besides, with the names of the tools that come of it.
const UNKNOWN: [(&str, &str); 8] = [
    ("ApiRegistry", "ApiRegistry"),
    ("AuthToolArguments", "AuthToolArguments"),
    ("DiscoveryEngineSearchTool", "discovery_engine_search"),
    ("ModelConsultContextConfig", "ModelConsultContextConfig"),
    ("RemoteMcpServer", "RemoteMcpServer"),
    ("SearchResultMode", "SearchResultMode"),
    ("ToolContext", "Context"),
    ("TransferToAgentTool", "transfer_to_agent"),
];

pub(super) fn read_tools(tools: &[Json], agent: &str, reader: &mut dyn Agents) -> Vec<Tool> {
    tools.iter().filter_map(|tool| read_tool(tool, agent, reader)).collect()
}

fn read_tool(tool: &Json, agent: &str, reader: &mut dyn Agents) -> Option<Tool> {
    let path = tool.get("name").and_then(Json::as_str)?;
    let args = tool.get("args");
    let arg = |key: &str| args.and_then(|args| args.get(key));
    let flag = |key: &str| arg(key).and_then(Json::as_bool);
    let is_adks = !path.contains('.') || path.starts_with("google.adk.");
    Some(match last_segment(path) {
        _ if !is_adks => function(path, agent, reader),
        "google_search" => Tool::GoogleSearch { bypass_multi_tools_limit: false },
        "GoogleSearchTool" => {
            Tool::GoogleSearch { bypass_multi_tools_limit: flag("bypass_multi_tools_limit") == Some(true) }
        }
        "load_memory" | "load_memory_tool" => Tool::LoadMemory,
        "preload_memory" | "preload_memory_tool" => Tool::PreloadMemory,
        "load_artifacts" | "load_artifacts_tool" => Tool::LoadArtifacts,
        "exit_loop" => Tool::ExitLoop,
        "request_input" => Tool::RequestInput,
        "get_user_choice" => Tool::LongRunningFunction { declaration: adk_functions::get_user_choice() },
        "transfer_to_agent" => declared(adk_functions::transfer_to_agent()),
        "FunctionTool" => function(function_path(arg("func"), agent, reader)?, agent, reader),
        "LongRunningFunctionTool" => {
            let path = function_path(arg("func"), agent, reader)?;
            Tool::LongRunningFunction { declaration: only_name(path, agent, reader) }
        }
        "ExampleTool" => examples(arg("examples"), agent, reader)?,
        "McpToolset" | "MCPToolset" => toolset("mcp", args),
        "OpenAPIToolset" => {
            let message = format!(
                "google-adk takes an OpenAPIToolset from Python alone; in a file, that of {agent} is Strata's own"
            );
            reader.report(Diagnostic::info("toolset-of-strata", agent, message));
            toolset("openapi", args)
        }
        "url_context" => built_in("url_context", "urlContext", Object::new()),
        "google_maps_grounding" => built_in("google_maps", "googleMaps", Object::new()),
        "enterprise_web_search" | "enterprise_web_search_tool" => {
            built_in("enterprise_web_search", "enterpriseWebSearch", Object::new())
        }
        "VertexAiSearchTool" => vertex_search(args, agent, reader)?,
        "AgentTool" => {
            let called = reader.reference(arg("agent")?, agent)?;
            Tool::AgentTool {
                agent: Arc::new(called),
                skip_summarization: flag("skip_summarization") == Some(true),
                include_plugins: flag("include_plugins") != Some(false),
            }
        }
        name if UNUSABLE.contains(&name) => {
            let message = format!("google-adk makes no {name} from a file, which {agent} names");
            reader.refuse("unusable-tool", agent, message);
            return None;
        }
        name => match UNKNOWN.iter().find(|(known, _)| *known == name) {
            Some((_, tool)) => unknown(tool, path, agent, reader),
            None if path.contains('.') => function(path, agent, reader),
            None => {
                reader.refuse(
                    "unknown-tool",
                    agent,
                    format!("google-adk has no tool {path}, which {agent} names"),
                );
                return None;
            }
        },
    })
}

/// A function of which no more is known than where it is.
fn function(path: &str, agent: &str, reader: &mut dyn Agents) -> Tool {
    declared(only_name(path, agent, reader))
}

fn declared(declaration: Object) -> Tool {
    Tool::Function { declaration, is_long_running: false, confirmation: Confirmation::Never }
}

fn only_name(path: &str, agent: &str, reader: &mut dyn Agents) -> Object {
    let name = last_segment(path);
    let message = format!(
        "the tool {name} of {agent} is defined in code ({path}); only its name is known, so its definition is counted \
         too small"
    );
    reader.report(Diagnostic::warning("tool-in-code", agent, message));
    Object::from_iter([("name", name)])
}

/// The function that a tool is made of, as `module.function`.
fn function_path<'j>(func: Option<&'j Json>, agent: &str, reader: &mut dyn Agents) -> Option<&'j str> {
    let path = func.and_then(Json::as_str).filter(|path| path.contains('.'));
    if path.is_none() {
        let message = format!("a tool of {agent} is made of a function, and `func` does not say of which");
        reader.refuse("unusable-tool", agent, message);
    }
    path
}

/// A tool that Gemini runs by itself, by its name and by that of its field in requests.
fn built_in(name: &str, field: &str, settings: Object) -> Tool {
    Tool::BuiltIn { name: name.into(), request: Object::from_iter([(field, settings)]) }
}

fn vertex_search(args: Option<&Json>, agent: &str, reader: &mut dyn Agents) -> Option<Tool> {
    let given = |key: &str| args.and_then(|args| args.get(key)).filter(|value| !value.is_null());
    if given("data_store_id").is_some() == given("search_engine_id").is_some() {
        let message =
            format!("VertexAiSearchTool of {agent} needs either a data_store_id or a search_engine_id");
        reader.refuse("unusable-tool", agent, message);
        return None;
    }
    let fields = [
        ("dataStoreSpecs", "data_store_specs"),
        ("datastore", "data_store_id"),
        ("engine", "search_engine_id"),
        ("filter", "filter"),
        ("maxResults", "max_results"),
    ];
    let search: Object =
        fields.into_iter().filter_map(|(field, arg)| Some((field, given(arg)?.clone()))).collect();
    Some(built_in("vertex_ai_search", "retrieval", Object::from_iter([("vertexAiSearch", search)])))
}

/// A list of examples, or code that gives them.
fn examples(given: Option<&Json>, agent: &str, reader: &mut dyn Agents) -> Option<Tool> {
    if let Some(path) = given.and_then(Json::as_str) {
        return Some(unknown("example_tool", path, agent, reader));
    }
    let read = given.and_then(|given| Vec::<Example>::from_json(given.clone(), &mut Decoder::new()).ok());
    if read.is_none() {
        let expected = Example::EXPECTED;
        let message = format!("the examples of {agent} should be a list of {expected}, or the name of code");
        reader.refuse("unusable-tool", agent, message);
    }
    read.map(|examples| Tool::Examples { examples })
}

/// What changes requests in a way that is not known.
fn unknown(name: &str, path: &str, agent: &str, reader: &mut dyn Agents) -> Tool {
    let message = format!(
        "what {path}, a tool of {agent}, puts into requests is not known here, and missing from them where they are \
         not recorded"
    );
    reader.report(Diagnostic::warning("unknown-tool", agent, message));
    Tool::Code { name: name.into(), class: Some(path.into()) }
}

/// Tools that a server has. Which ones is known once it is asked.
fn toolset(kind: &str, args: Option<&Json>) -> Tool {
    let mut source = Object::from_iter([("type", kind)]);
    let mut prefix = None;
    for (key, value) in args.and_then(Json::as_object).into_iter().flat_map(Object::iter) {
        match &**key {
            "tool_name_prefix" => prefix = value.as_str().map(Str::from),
            _ => source.push(key.clone(), value.clone()),
        }
    }
    Tool::Toolset { tools: Vec::new(), prefix, source: Some(source) }
}
