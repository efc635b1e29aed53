//! Agents. What an agent is made of comes first: sub-agents and tools are made, and checked, before it.

use strata_model::{Json, Object, python};

use super::error::{ConfigError, found};
use super::number::ANY;
use super::problem::{Problem, whole};
use super::record::Shape::{Any, Bool, Checked, Int, List, Literal, Text};
use super::record::{Field, Record, check_record, check_shape, defaulted, nullable, required};
use super::records::model;

/// Keys of a configuration that are not arguments of the agent's class.
const NOT_ARGUMENTS: [&str; 11] = [
    "type",
    "behavior",
    "before_agent_callbacks",
    "after_agent_callbacks",
    "before_model_callbacks",
    "after_model_callbacks",
    "on_model_error_callbacks",
    "before_tool_callbacks",
    "after_tool_callbacks",
    "on_tool_error_callbacks",
    "extra_fields",
];

static LLM_AGENT: Record = model(&[
    required("name", Checked(&Text, name_problems)),
    defaulted("description", Text),
    nullable("input_schema", Any),
    nullable("output_schema", Any),
    defaulted("sub_agents", List(&Any)),
    defaulted("model", Any),
    defaulted("instruction", Checked(&Any, instruction_problems)),
    defaulted("global_instruction", Checked(&Any, instruction_problems)),
    nullable("static_instruction", Any),
    defaulted("tools", List(&Any)),
    nullable("generate_content_config", Checked(&Any, owned_by_the_agent)),
    nullable("mode", Checked(&Any, mode_problems)),
    defaulted("disallow_transfer_to_parent", Bool),
    defaulted("disallow_transfer_to_peers", Bool),
    defaulted("include_contents", Literal(&["default", "none"])),
    nullable("output_key", Text),
    nullable("planner", Any),
    nullable("code_executor", Any),
]);

const WORKFLOW_FIELDS: [Field; 3] = [
    required("name", Checked(&Text, name_problems)),
    defaulted("description", Text),
    defaulted("sub_agents", List(&Any)),
];

static WORKFLOW_AGENT: Record = {
    static FIELDS: [Field; 3] = WORKFLOW_FIELDS;
    model(&FIELDS)
};

static LOOP_AGENT: Record = {
    static FIELDS: [Field; 4] = {
        let [name, description, sub_agents] = WORKFLOW_FIELDS;
        [name, description, sub_agents, nullable("max_iterations", Int(ANY))]
    };
    model(&FIELDS)
};

/// A graph of nodes; what nodes that are no agents are made of is read with the app.
static GRAPH: Record = model(&[
    required("name", Checked(&Text, name_problems)),
    defaulted("description", Text),
    defaulted("sub_agents", List(&Any)),
    defaulted("nodes", List(&Any)),
    defaulted("edges", List(&Any)),
    defaulted("library", List(&Any)),
    nullable("max_concurrency", Int(ANY)),
    nullable("input_schema", Any),
    nullable("output_schema", Any),
    nullable("state_schema", Any),
]);

/// What any agent may be given for its runs as a node.
const OF_NODES: [&str; 6] =
    ["retry", "timeout", "rerun_on_resume", "wait_for_output", "parallel_worker", "max_parallel_workers"];

/// Nodes that are no agents.
const NO_AGENTS: [&str; 3] = ["function_node", "base_node", "join"];

/// Number fields of `GenerateContentConfig`; its other fields are listed below.
static GENERATE_NUMBERS: [Field; 10] = [
    nullable("temperature", super::record::Shape::Float),
    nullable("top_p", super::record::Shape::Float),
    nullable("top_k", super::record::Shape::Float),
    nullable("presence_penalty", super::record::Shape::Float),
    nullable("frequency_penalty", super::record::Shape::Float),
    nullable("candidate_count", Int(ANY)),
    nullable("max_output_tokens", Int(ANY)),
    nullable("logprobs", Int(ANY)),
    nullable("seed", Int(ANY)),
    nullable("response_logprobs", Bool),
];

const GENERATE_FIELDS: [&str; 29] = [
    "http_options",
    "should_return_http_response",
    "system_instruction",
    "stop_sequences",
    "response_mime_type",
    "response_schema",
    "response_json_schema",
    "routing_config",
    "model_selection_config",
    "safety_settings",
    "tools",
    "tool_config",
    "labels",
    "cached_content",
    "response_modalities",
    "media_resolution",
    "speech_config",
    "audio_timestamp",
    "automatic_function_calling",
    "thinking_config",
    "image_config",
    "enable_enhanced_civic_answers",
    "model_armor_config",
    "service_tier",
    "audio_transcription_config",
    "continuation_token",
    "automatic_continuation",
    "generation_output_config",
    "store",
];

pub(super) fn check(value: &Json) -> Result<(), ConfigError> {
    let items = |key: &str| value.get(key).and_then(Json::as_array).unwrap_or_default();
    items("sub_agents").iter().try_for_each(check)?;
    let nodes = items("nodes").iter().chain(items("library"));
    let is_agent = |node: &&Json| {
        let kind = node.get("type").and_then(Json::as_str);
        kind.is_some_and(|kind| !NO_AGENTS.contains(&kind))
    };
    nodes.filter(is_agent).try_for_each(check)?;
    items("tools").iter().try_for_each(check_tool)?;
    let Json::Object(object) = value else {
        return found(check_record(&LLM_AGENT, value));
    };
    if let Some(config) = object.get("generate_content_config") {
        found(generate_problems(config))?;
    }
    let extra = object.get("extra_fields").and_then(Json::as_object).cloned().unwrap_or_default();
    let mut arguments = object.clone();
    arguments.retain(|key, _| !NOT_ARGUMENTS.contains(&key) && !OF_NODES.contains(&key));
    arguments.update(&extra);
    let schema = object.get("output_schema").and_then(|schema| schema.get("json_schema"));
    if let Some(json_type) = schema.and_then(unreadable_type) {
        let message = format!("'{}' object has no attribute 'upper'", python::type_name(json_type));
        return Err(ConfigError::Attribute { message });
    }
    found(match object.get("type").and_then(Json::as_str) {
        Some("workflow") => check_record(&GRAPH, &arguments.into()),
        Some("loop") => check_record(&LOOP_AGENT, &arguments.into()),
        Some("sequential" | "parallel" | "custom") => check_record(&WORKFLOW_AGENT, &arguments.into()),
        _ => {
            let misplaced = misplaced(&arguments);
            if misplaced.is_empty() { check_record(&LLM_AGENT, &arguments.into()) } else { misplaced }
        }
    })
}

fn check_tool(tool: &Json) -> Result<(), ConfigError> {
    if let Some(agent) = tool.get("agent") {
        check(agent)?;
    }
    tool.get("tools").and_then(Json::as_array).unwrap_or_default().iter().try_for_each(check_tool)
}

/// The first `type` of a schema that is no text, where google-genai's `Schema` reads one: it asks every `type` for its
/// capitals before it asks what it is.
fn unreadable_type(schema: &Json) -> Option<&Json> {
    let own = schema.get("type").filter(|own| own.as_str().is_none() && !own.is_null());
    let members = ["properties", "defs"].iter().filter_map(|key| schema.get(key)?.as_object());
    let lists = ["anyOf", "any_of"].iter().filter_map(|key| schema.get(key)?.as_array());
    own.or_else(|| members.flat_map(Object::iter).find_map(|(_, inner)| unreadable_type(inner)))
        .or_else(|| schema.get("items").and_then(unreadable_type))
        .or_else(|| lists.flatten().find_map(unreadable_type))
}

pub(super) fn name_problems(name: &Json) -> Vec<Problem> {
    let name = name.as_str().unwrap_or_default();
    if !python::is_identifier(name) {
        whole(format!("the name {name:?} has to be a Python identifier: letters, digits and _"))
    } else if name == "user" {
        whole("an agent cannot be called user: that name is the end user's")
    } else {
        Vec::new()
    }
}

fn mode_problems(mode: &Json) -> Vec<Problem> {
    if matches!(mode.as_str(), Some("chat" | "task" | "single_turn")) {
        return Vec::new();
    }
    let message = "should be chat, task or single_turn";
    vec![
        Problem::new(&["literal['chat','task','single_turn']"], "literal_error", message),
        Problem::new(&["str-enum[AgentMode]"], "enum", message),
    ]
}

/// A template, or a provider written as an object.
fn instruction_problems(instruction: &Json) -> Vec<Problem> {
    if matches!(instruction, Json::String(_) | Json::Object(_)) {
        return Vec::new();
    }
    let message = "should be a text or a provider of one";
    vec![
        Problem::new(&["str"], "string_type", message),
        Problem::new(&["callable"], "callable_type", message),
    ]
}

/// Fields of the model's configuration that the agent sets itself.
pub(super) fn owned_by_the_agent(config: &Json) -> Vec<Problem> {
    let given = |snake: &str, camel: &str| {
        config.get(camel).or_else(|| config.get(snake)).filter(|value| value.is_truthy())
    };
    let base_url = given("http_options", "httpOptions")
        .and_then(|options| options.get("baseUrl").or_else(|| options.get("base_url")))
        .filter(|url| url.is_truthy());
    if given("tools", "tools").is_some() {
        whole("tools belong to the agent's tools")
    } else if given("system_instruction", "systemInstruction").is_some() {
        whole("the system instruction is the agent's instruction")
    } else if given("response_schema", "responseSchema").is_some() {
        whole("the response schema is the agent's output_schema")
    } else if base_url.is_some() {
        whole("the address belongs to the model, not to its configuration")
    } else {
        Vec::new()
    }
}

pub(super) fn generate_problems(config: &Json) -> Vec<Problem> {
    let Json::Object(object) = config else { return Vec::new() };
    let mut problems = Vec::new();
    for (key, value) in object.iter() {
        let number = GENERATE_NUMBERS.iter().find(|field| is_spelling(key, field.name));
        match number {
            Some(_) if value.is_null() => {}
            Some(field) => {
                let found = check_shape(&field.shape, value).into_iter();
                problems.extend(found.map(|problem| problem.below(key)));
            }
            None if !is_generate_field(key) => {
                problems.push(Problem::new(
                    &[key],
                    "extra_forbidden",
                    "is no field of GenerateContentConfig",
                ));
            }
            None => {}
        }
    }
    problems
}

fn is_generate_field(key: &str) -> bool {
    GENERATE_FIELDS.iter().any(|name| is_spelling(key, name))
        || GENERATE_NUMBERS.iter().any(|field| is_spelling(key, field.name))
}

fn is_spelling(key: &str, name: &str) -> bool {
    key == name || key == super::record::camel(name)
}

/// Arguments that belong into `generate_content_config`, or that come without a name.
fn misplaced(arguments: &Object) -> Vec<Problem> {
    let is_known = |key: &str| LLM_AGENT.fields.iter().any(|field| field.name == key);
    let unknown: Vec<&str> = arguments.keys().map(|key| &**key).filter(|key| !is_known(key)).collect();
    let misplaced: Vec<&str> =
        unknown.iter().copied().filter(|key| is_generate_field(key) || *key == "base_url").collect();
    if !misplaced.is_empty() {
        return whole(format!("{} belongs into generate_content_config", misplaced.join(", ")));
    }
    let is_named = arguments.get("name").is_some_and(Json::is_truthy);
    if is_named || unknown.is_empty() {
        return Vec::new();
    }
    whole(format!("an agent needs a name, and takes no {}", unknown.join(", ")))
}
