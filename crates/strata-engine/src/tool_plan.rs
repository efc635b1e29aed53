//! What an agent's tools do to its requests, worked out once per agent.

mod fenced;
pub(crate) mod node_tools;
mod signature;

use std::sync::Arc;

use strata_model::app::{AgentMode, Example, OutputSchema};
use strata_model::{
    Agent, Declaration, Fingerprint, FingerprintBuilder, FromJson as _, Json, Object, Origin, Str, Tool,
};

use crate::adk_text::{
    DEFAULT_TASK_OUTPUT_DESCRIPTION, EXIT_LOOP_DESCRIPTION, FINISH_TASK_DESCRIPTION,
    FINISH_TASK_DESCRIPTION_WITH_SCHEMA, FINISH_TASK_INSTRUCTION, GOOGLE_SEARCH_AGENT_DESCRIPTION,
    LOAD_ARTIFACTS_DESCRIPTION, LOAD_MEMORY_DESCRIPTION, LOAD_MEMORY_INSTRUCTION, LRO_NOTE, REQUEST_INPUT,
    REQUEST_INPUT_DESCRIPTION, TASK_DEFAULT_REQUEST_DESCRIPTION, TASK_TOOL_DESCRIPTION_SUFFIX,
};
use crate::backend::Backend;
use signature::{function, object_schema, typed_parameters};

/// One thing a tool does to a request.
#[derive(Debug, Clone, PartialEq)]
pub enum ToolStep {
    /// Describes a function to the model.
    Declare(Arc<Declaration>),
    /// Adds text to the system instruction.
    Instruct { tool: Str, text: &'static str },
    /// Says once that descriptions of tools' own servers are no instructions.
    Distrust { tool: Str },
    /// Adds a tool the provider runs; only Gemini models have it.
    GoogleSearch,
    /// Adds another one, as requests name it.
    BuiltIn { tool: Str, request: Object },
    /// Puts memories that match the user's words before them.
    PreloadMemory,
    /// Lists the artifacts, and shows the ones the model has just asked for.
    ListArtifacts,
    /// Adds worked examples to the system instruction.
    Examples(Arc<Vec<Example>>),
    /// Code that is not known, by the tool's name: the `nth` with it, from 0.
    Code { name: Str, nth: usize },
}

/// All steps of an agent's tools, in order.
#[derive(Debug, PartialEq)]
pub struct ToolPlan {
    pub steps: Vec<ToolStep>,
    pub fingerprint: Fingerprint,
}

impl ToolPlan {
    pub fn uses(&self, step: &ToolStep) -> bool {
        self.steps.contains(step)
    }
}

/// What the plan is made from.
pub(crate) struct ToolPlanInputs<'a> {
    pub agent: &'a Agent,
    /// Sub-agents that run as tools.
    pub delegates: Vec<(&'a Agent, AgentMode)>,
    pub has_transfer_targets: bool,
    pub backend: Backend,
    /// Places of tools that are left out.
    pub left_out: &'a [usize],
}

impl ToolPlanInputs<'_> {
    pub(crate) fn plan(&self) -> ToolPlan {
        let mut steps = Vec::new();
        let is_task = self.agent.mode == Some(AgentMode::Task);
        let n_tools = self.agent.tools().len() + usize::from(is_task) + self.delegates.len();
        let has_several = n_tools > 1 || self.has_transfer_targets;
        for (at, tool) in self.agent.tools().iter().enumerate() {
            if !self.left_out.contains(&at) {
                self.add_tool(&mut steps, tool, None, has_several);
            }
        }
        if is_task {
            steps.push(ToolStep::Declare(finish_task(self.agent)));
            steps.push(ToolStep::Instruct { tool: "finish_task".into(), text: FINISH_TASK_INSTRUCTION });
        }
        for (delegate, mode) in &self.delegates {
            steps.push(ToolStep::Declare(match mode {
                AgentMode::Task => self.task_agent(delegate),
                AgentMode::SingleTurn | AgentMode::Chat => self.agent_tool(delegate),
            }));
        }
        let fingerprint = fingerprint(&steps);
        ToolPlan { steps, fingerprint }
    }

    fn add_tool(&self, steps: &mut Vec<ToolStep>, tool: &Tool, prefix: Option<&str>, has_several: bool) {
        match tool {
            Tool::Function { declaration, .. } => steps.push(declare(prefixed(declaration.clone(), prefix))),
            Tool::LongRunningFunction { declaration } => {
                steps.push(declare(prefixed(with_long_running_note(declaration.clone()), prefix)));
            }
            Tool::TypedFunction { name, description, params, .. } => {
                let declaration = function(name, description, Some(typed_parameters(name, params)));
                steps.push(declare(prefixed(declaration, prefix)));
            }
            Tool::NodeTool { node, description, .. } => {
                steps.push(declare(node_tools::declaration(&tool.name(), node, description.as_deref())));
            }
            Tool::RequestInput => {
                let declaration =
                    function(REQUEST_INPUT, REQUEST_INPUT_DESCRIPTION, Some(request_input_parameters()));
                steps.push(declare(with_long_running_note(declaration)));
            }
            Tool::NoDeclaration { .. } => {}
            Tool::Toolset { tools, prefix, source } => {
                let prefix = prefix.as_deref().filter(|prefix| !prefix.is_empty());
                let is_foreign =
                    source.as_ref().and_then(|source| source.get("type")?.as_str()) == Some("mcp");
                let mut is_said = false;
                for tool in tools {
                    match tool {
                        Tool::Function { declaration, .. } if is_foreign => {
                            steps.push(declare(fenced::fenced(prefixed(declaration.clone(), prefix))));
                            // Said once is enough: nothing between the tools of a set takes it out again.
                            if !std::mem::replace(&mut is_said, true) {
                                steps.push(ToolStep::Distrust { tool: tool.name() });
                            }
                        }
                        tool => self.add_tool(steps, tool, prefix, has_several),
                    }
                }
            }
            Tool::AgentTool { agent, .. } => steps.push(ToolStep::Declare(self.agent_tool(agent))),
            Tool::LoadMemory => {
                steps.push(declare(function(
                    "load_memory",
                    LOAD_MEMORY_DESCRIPTION,
                    Some(query_parameter()),
                )));
                steps.push(ToolStep::Instruct { tool: "load_memory".into(), text: LOAD_MEMORY_INSTRUCTION });
            }
            Tool::PreloadMemory => steps.push(ToolStep::PreloadMemory),
            Tool::LoadArtifacts => {
                let parameters = Some(artifact_names_parameter());
                steps.push(declare(function("load_artifacts", LOAD_ARTIFACTS_DESCRIPTION, parameters)));
                steps.push(ToolStep::ListArtifacts);
            }
            Tool::ExitLoop => {
                let declaration = function("exit_loop", EXIT_LOOP_DESCRIPTION, None);
                steps.push(declare(returning_nothing(declaration, self.backend)));
            }
            Tool::GoogleSearch { bypass_multi_tools_limit: true } if has_several => {
                let declaration = function(
                    "google_search_agent",
                    GOOGLE_SEARCH_AGENT_DESCRIPTION,
                    Some(request_parameter()),
                );
                steps.push(declare(self.with_response(declaration, None)));
            }
            Tool::GoogleSearch { .. } => steps.push(ToolStep::GoogleSearch),
            Tool::BuiltIn { name, request } => {
                steps.push(ToolStep::BuiltIn { tool: name.clone(), request: request.clone() });
            }
            Tool::Examples { examples } => steps.push(ToolStep::Examples(Arc::new(examples.clone()))),
            Tool::Code { name, .. } => {
                let is_same =
                    |step: &&ToolStep| matches!(step, ToolStep::Code { name: known, .. } if known == name);
                let nth = steps.iter().filter(is_same).count();
                steps.push(ToolStep::Code { name: name.clone(), nth });
            }
        }
    }

    /// The declaration of an agent that is called like a function.
    fn agent_tool(&self, agent: &Agent) -> Arc<Declaration> {
        let parameters = match input_schema(agent) {
            Some(schema) => schema.json_schema.as_object().cloned().unwrap_or_default(),
            None => request_parameter(),
        };
        let declaration = function(&agent.name, agent.description(), Some(parameters));
        described(self.with_response(declaration, output_schema(agent)))
    }

    /// The declaration of an agent that takes over for a whole task.
    fn task_agent(&self, agent: &Agent) -> Arc<Declaration> {
        let parameters = match input_schema(agent) {
            Some(schema) => schema.json_schema.as_object().cloned().unwrap_or_default(),
            None => default_task_input(),
        };
        let description = format!("{}{TASK_TOOL_DESCRIPTION_SUFFIX}", agent.description());
        let declaration = function(&agent.name, strata_model::python::strip(&description), Some(parameters));
        described(self.with_response(declaration, output_schema(agent)))
    }

    /// Vertex is also told what comes back.
    fn with_response(&self, mut declaration: Object, output: Option<&OutputSchema>) -> Object {
        if self.backend == Backend::Vertex {
            let kind = if output.is_some() { "object" } else { "string" };
            declaration.push("responseJsonSchema", Object::from_iter([("type", kind)]));
        }
        declaration
    }
}

/// The declaration of a Python function without a return value: Vertex is told so.
pub(crate) fn returning_nothing(mut declaration: Object, backend: Backend) -> Object {
    if backend == Backend::Vertex {
        declaration.push("responseJsonSchema", Object::from_iter([("type", "null")]));
    }
    declaration
}

fn declare(declaration: Object) -> ToolStep {
    ToolStep::Declare(described(declaration))
}

fn described(declaration: Object) -> Arc<Declaration> {
    let name = declaration.get("name").and_then(Json::as_str).unwrap_or_default().into();
    Arc::new(Declaration::new(declaration, Origin::Tool { name }))
}

fn prefixed(mut declaration: Object, prefix: Option<&str>) -> Object {
    if let Some(prefix) = prefix {
        let name = declaration.get("name").and_then(Json::as_str).unwrap_or_default();
        let name = format!("{prefix}_{name}");
        declaration.insert("name", name);
    }
    declaration
}

fn with_long_running_note(mut declaration: Object) -> Object {
    let description = declaration.get("description").and_then(Json::as_str).unwrap_or_default();
    let noted = if description.is_empty() {
        LRO_NOTE.trim_start().to_owned()
    } else {
        format!("{description}{LRO_NOTE}")
    };
    declaration.insert("description", noted);
    declaration
}

fn request_parameter() -> Object {
    object_schema(Object::from_iter([("request", Object::from_iter([("type", "string")]))]), &["request"])
}

fn query_parameter() -> Object {
    object_schema(Object::from_iter([("query", Object::from_iter([("type", "string")]))]), &["query"])
}

fn artifact_names_parameter() -> Object {
    let mut names = Object::from_iter([("type", "array")]);
    names.push("items", Object::from_iter([("type", "string")]));
    object_schema(Object::from_iter([("artifact_names", names)]), &[])
}

fn request_input_parameters() -> Object {
    let message = Object::from_iter([("title", "Message"), ("type", "string")]);
    let mut anything = Object::from_iter([("type", Json::from("object"))]);
    anything.push("additionalProperties", true);
    let mut response = Object::new();
    response.push("anyOf", vec![anything.into(), Object::from_iter([("type", "null")]).into()]);
    response.push("default", Json::Null);
    response.push("title", "Response Schema");
    let properties = Object::from_iter([("message", message), ("response_schema", response)]);
    let mut schema = Object::from_iter([("properties", properties)]);
    schema.push("required", vec![Json::from("message")]);
    schema.push("title", "adk_request_inputParams");
    schema.push("type", "object");
    schema
}

fn default_task_input() -> Object {
    let request = Object::from_iter([
        ("description", TASK_DEFAULT_REQUEST_DESCRIPTION),
        ("title", "Request"),
        ("type", "string"),
    ]);
    let mut schema = object_schema(Object::from_iter([("request", request)]), &["request"]);
    schema.push("title", "_DefaultTaskInput");
    schema
}

/// The schema a workflow takes is that of its first agent.
fn input_schema(agent: &Agent) -> Option<&OutputSchema> {
    if agent.is_llm() { agent.input_schema.as_ref() } else { input_schema(agent.sub_agents().first()?) }
}

/// The schema a workflow returns is that of its last agent.
fn output_schema(agent: &Agent) -> Option<&OutputSchema> {
    if agent.is_llm() { agent.output_schema.as_ref() } else { output_schema(agent.sub_agents().last()?) }
}

/// `finish_task`: takes the task's result; a result that is no object is wrapped in one.
fn finish_task(agent: &Agent) -> Arc<Declaration> {
    let schema = agent.output_schema.as_ref().map(|schema| &schema.json_schema);
    let description =
        if schema.is_some() { FINISH_TASK_DESCRIPTION_WITH_SCHEMA } else { FINISH_TASK_DESCRIPTION };
    let raw = schema.and_then(Json::as_object).cloned().unwrap_or_else(default_task_output);
    let parameters = if raw.get("type").and_then(Json::as_str) == Some("object") {
        raw
    } else {
        let mut wrapped = raw;
        let definitions = wrapped.remove("$defs");
        let mut schema = object_schema(Object::from_iter([("result", wrapped)]), &["result"]);
        schema.push_some("$defs", definitions);
        schema
    };
    described(function("finish_task", description, Some(parameters)))
}

fn default_task_output() -> Object {
    let result = Object::from_iter([("title", "Result"), ("type", "string")]);
    let mut schema = object_schema(Object::from_iter([("result", result)]), &["result"]);
    schema.push("additionalProperties", false);
    schema.push("description", DEFAULT_TASK_OUTPUT_DESCRIPTION);
    schema.push("title", "_DefaultTaskOutput");
    schema
}

fn fingerprint(steps: &[ToolStep]) -> Fingerprint {
    let mut hash = FingerprintBuilder::new();
    for step in steps {
        match step {
            ToolStep::Declare(declaration) => hash.number(1).fingerprint(declaration.fingerprint),
            ToolStep::Instruct { tool, text } => hash.number(2).text(tool).text(text),
            ToolStep::GoogleSearch => hash.number(3),
            ToolStep::BuiltIn { tool, request } => hash.number(9).text(tool).object(request),
            ToolStep::PreloadMemory => hash.number(4),
            ToolStep::ListArtifacts => hash.number(5),
            ToolStep::Examples(examples) => hash.number(6).json(&examples.to_json()),
            ToolStep::Distrust { tool } => hash.number(8).text(tool),
            ToolStep::Code { name, nth } => hash.number(7).text(name).number(*nth as u64),
        };
    }
    hash.finish()
}
