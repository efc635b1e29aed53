//! Agents, their tools and the nodes of workflows: an agent has tools and nodes, and may be one.

use std::sync::Arc;

use super::code_executor::CodeExecutor;
use super::confirmation::Confirmation;
use super::extension::Callback;
use super::instruction::{Instruction, StaticInstruction};
use super::model_spec::ModelSpec;
use super::node::{CodeNode, Edge, JoinNode, Parameter, Retry};
use super::output_schema::OutputSchema;
use super::planner::Planner;
use super::words::{AgentKind, AgentMode, IncludeContents};
use crate::Str;
use crate::content::Content;
use crate::decode::{Decoder, FromJson, record};
use crate::diagnostic::Diagnostic;
use crate::json::{Json, Object};

record! {
    /// An agent of any kind; the fields below `model` only matter to those that call a model.
    Agent: "an agent" {
        kind: AgentKind = "type",
        name: Str = "name",
        description: Option<Str> = "description",
        sub_agents: Option<Vec<Arc<Agent>>> = "subAgents",
        max_iterations: Option<i64> = "maxIterations",
        behavior: Option<Object> = "behavior",
        before_agent_callbacks: Option<Vec<Callback>> = "beforeAgentCallbacks",
        after_agent_callbacks: Option<Vec<Callback>> = "afterAgentCallbacks",
        model: Option<ModelSpec> = "model",
        instruction: Option<Instruction> = "instruction",
        global_instruction: Option<Instruction> = "globalInstruction",
        static_instruction: Option<StaticInstruction> = "staticInstruction",
        include_contents: Option<IncludeContents> = "includeContents",
        mode: Option<AgentMode> = "mode",
        output_key: Option<Str> = "outputKey",
        output_schema: Option<OutputSchema> = "outputSchema",
        input_schema: Option<OutputSchema> = "inputSchema",
        disallow_transfer_to_parent: Option<bool> = "disallowTransferToParent",
        disallow_transfer_to_peers: Option<bool> = "disallowTransferToPeers",
        planner: Option<Planner> = "planner",
        code_executor: Option<CodeExecutor> = "codeExecutor",
        generate_content_config: Option<Object> = "generateContentConfig",
        tools: Option<Vec<Tool>> = "tools",
        before_model_callbacks: Option<Vec<Callback>> = "beforeModelCallbacks",
        after_model_callbacks: Option<Vec<Callback>> = "afterModelCallbacks",
        on_model_error_callbacks: Option<Vec<Callback>> = "onModelErrorCallbacks",
        before_tool_callbacks: Option<Vec<Callback>> = "beforeToolCallbacks",
        after_tool_callbacks: Option<Vec<Callback>> = "afterToolCallbacks",
        on_tool_error_callbacks: Option<Vec<Callback>> = "onToolErrorCallbacks",
        /// The nodes of a workflow.
        nodes: Option<Vec<Node>> = "nodes",
        edges: Option<Vec<Edge>> = "edges",
        /// Nodes that a workflow's code may run, which are not in its graph.
        library: Option<Vec<Node>> = "library",
        /// How many nodes of a workflow run at once; absent or not positive: any number.
        max_concurrency: Option<i64> = "maxConcurrency",
        state_schema: Option<OutputSchema> = "stateSchema",
        retry: Option<Retry> = "retry",
        /// Seconds a run as a node may take.
        timeout: Option<f64> = "timeout",
        rerun_on_resume: Option<bool> = "rerunOnResume",
        wait_for_output: Option<bool> = "waitForOutput",
        /// As a node, it runs once for each item of its input.
        parallel_worker: Option<bool> = "parallelWorker",
        max_parallel_workers: Option<i64> = "maxParallelWorkers",
    }
    passes {
        "class": 0,
        "function": 0,
        "repeated": 0,
    }
}

impl Agent {
    pub fn is_llm(&self) -> bool {
        self.kind == AgentKind::Llm
    }

    pub fn sub_agents(&self) -> &[Arc<Self>] {
        self.sub_agents.as_deref().unwrap_or_default()
    }

    pub fn tools(&self) -> &[Tool] {
        self.tools.as_deref().unwrap_or_default()
    }

    pub fn before_model_callbacks(&self) -> &[Callback] {
        self.before_model_callbacks.as_deref().unwrap_or_default()
    }

    pub fn after_tool_callbacks(&self) -> &[Callback] {
        self.after_tool_callbacks.as_deref().unwrap_or_default()
    }

    /// The nodes of a workflow.
    pub fn nodes(&self) -> &[Node] {
        self.nodes.as_deref().unwrap_or_default()
    }

    pub fn edges(&self) -> &[Edge] {
        self.edges.as_deref().unwrap_or_default()
    }

    /// Nodes that a workflow's code may run, which are not in its graph.
    pub fn library(&self) -> &[Node] {
        self.library.as_deref().unwrap_or_default()
    }

    pub fn description(&self) -> &str {
        self.description.as_deref().unwrap_or_default()
    }

    pub fn allows_transfer_to_parent(&self) -> bool {
        self.disallow_transfer_to_parent != Some(true)
    }

    pub fn allows_transfer_to_peers(&self) -> bool {
        self.disallow_transfer_to_peers != Some(true)
    }

    /// Runs as a delegated unit of work inside another agent's turn.
    pub fn is_delegated(&self) -> bool {
        matches!(self.mode, Some(AgentMode::Task | AgentMode::SingleTurn))
    }
}

/// Something an agent may call, or that edits its requests.
#[derive(Debug, Clone, PartialEq)]
pub enum Tool {
    /// A function with the declaration the model sees (a `FunctionDeclaration` in camelCase).
    Function {
        declaration: Object,
        is_long_running: bool,
        confirmation: Confirmation,
    },
    /// A Python function with annotated parameters, from which ADK makes the declaration.
    TypedFunction {
        name: Str,
        description: Str,
        params: Vec<Parameter>,
        confirmation: Confirmation,
    },
    /// A node that is called like a function.
    NodeTool {
        node: Node,
        /// The node's own, if absent.
        name: Option<Str>,
        description: Option<Str>,
    },
    /// ADK's tool by which a model asks the user.
    RequestInput,
    /// ADK's `LongRunningFunctionTool`, which adds a note to the description.
    LongRunningFunction {
        declaration: Object,
    },
    /// A tool the model is not told about.
    NoDeclaration {
        name: Str,
    },
    Toolset {
        tools: Vec<Tool>,
        /// Names become `<prefix>_<name>`.
        prefix: Option<Str>,
        /// Where the host gets the tools from; the host opens it before every call of a model.
        source: Option<Object>,
    },
    /// An agent that runs in a session of its own.
    AgentTool {
        agent: Arc<Agent>,
        skip_summarization: bool,
        include_plugins: bool,
    },
    LoadMemory,
    PreloadMemory,
    LoadArtifacts,
    ExitLoop,
    GoogleSearch {
        bypass_multi_tools_limit: bool,
    },
    Examples {
        examples: Vec<Example>,
    },
    /// Another tool that Gemini runs by itself, as requests name it: `{"urlContext": {}}`.
    BuiltIn {
        name: Str,
        request: Object,
    },
    /// A tool or toolset that changes requests in a way Strata does not know: what it changed is known for the calls
    /// that were recorded.
    Code {
        name: Str,
        class: Option<Str>,
    },
}

/// A question and how the model should have answered it.
#[derive(Debug, Clone, PartialEq)]
pub struct Example {
    pub input: Content,
    pub output: Vec<Content>,
}

impl Tool {
    fn known_from_json(value: Json, decoder: &mut Decoder) -> Result<Self, Json> {
        let flag = |key: &str| value.get(key).and_then(Json::as_bool);
        let declaration = || value.get("declaration").and_then(Json::as_object).cloned().unwrap_or_default();
        Ok(match value.get("type").and_then(Json::as_str) {
            Some("function") => Self::Function {
                declaration: declaration(),
                is_long_running: flag("is_long_running") == Some(true),
                confirmation: Confirmation::of(&value),
            },
            Some("typed_function") => {
                let text = |key: &str| value.get(key).and_then(Json::as_str).unwrap_or_default().into();
                let params = value.get("params").cloned().unwrap_or_else(|| Vec::new().into());
                match Vec::from_json(params, decoder) {
                    Ok(params) => Self::TypedFunction {
                        name: text("name"),
                        description: text("description"),
                        params,
                        confirmation: Confirmation::of(&value),
                    },
                    Err(_) => return Err(value),
                }
            }
            Some("node_tool") => {
                let text = |key: &str| value.get(key).and_then(Json::as_str).map(Str::from);
                match Node::from_json(value.get("node").cloned().unwrap_or_default(), decoder) {
                    Ok(node) => Self::NodeTool { node, name: text("name"), description: text("description") },
                    Err(_) => return Err(value),
                }
            }
            Some("request_input") => Self::RequestInput,
            Some("long_running_function") => Self::LongRunningFunction { declaration: declaration() },
            Some("no_declaration") => Self::NoDeclaration {
                name: value.get("name").and_then(Json::as_str).unwrap_or_default().into(),
            },
            Some("toolset") => {
                // Those of a source are known once it is open.
                let tools = value.get("tools").cloned().unwrap_or_else(|| Vec::new().into());
                let prefix = value.get("prefix").and_then(Json::as_str).map(Str::from);
                let source = value.get("source").and_then(Json::as_object).cloned();
                match Vec::from_json(tools, decoder) {
                    Ok(tools) => Self::Toolset { tools, prefix, source },
                    Err(_) => return Err(value),
                }
            }
            Some("agent_tool") => {
                match Agent::from_json(value.get("agent").cloned().unwrap_or_default(), decoder) {
                    Ok(agent) => Self::AgentTool {
                        agent: Arc::new(agent),
                        skip_summarization: flag("skip_summarization") == Some(true),
                        include_plugins: flag("include_plugins") != Some(false),
                    },
                    Err(_) => return Err(value),
                }
            }
            Some("load_memory") => Self::LoadMemory,
            Some("preload_memory") => Self::PreloadMemory,
            Some("load_artifacts") => Self::LoadArtifacts,
            Some("exit_loop") => Self::ExitLoop,
            Some("google_search") => Self::GoogleSearch {
                bypass_multi_tools_limit: flag("bypass_multi_tools_limit") == Some(true),
            },
            Some("examples") => {
                match Vec::from_json(value.get("examples").cloned().unwrap_or_default(), decoder) {
                    Ok(examples) => Self::Examples { examples },
                    Err(_) => return Err(value),
                }
            }
            Some("built_in") => Self::BuiltIn {
                name: value.get("name").and_then(Json::as_str).unwrap_or_default().into(),
                request: value.get("request").and_then(Json::as_object).cloned().unwrap_or_default(),
            },
            Some("code") => Self::Code {
                name: value.get("name").and_then(Json::as_str).unwrap_or_default().into(),
                class: value.get("class").and_then(Json::as_str).map(Str::from),
            },
            _ => return Err(value),
        })
    }
}

impl FromJson for Tool {
    const EXPECTED: &'static str = "a tool with a known type";

    /// A tool that cannot be read costs itself and no other: it is one whose code is not known.
    fn from_json(value: Json, decoder: &mut Decoder) -> Result<Self, Json> {
        Self::known_from_json(value, decoder).or_else(|unread| {
            let text = |value: &Json, key: &str| value.get(key).and_then(Json::as_str).map(Str::from);
            let class = text(&unread, "type");
            let declared = unread.get("declaration").and_then(|declaration| text(declaration, "name"));
            let name = text(&unread, "name").or(declared).or_else(|| class.clone());
            let name = name.unwrap_or_else(|| "unknown tool".into());
            decoder.report(Diagnostic::warning(
                "unknown-tool",
                decoder.at(),
                format!(
                    "the tool {name} should be {} and is not; what it adds to prompts is not known, and missing from \
                     them where they are not recorded",
                    Self::EXPECTED
                ),
            ));
            Ok(Self::Code { name, class })
        })
    }

    fn to_json(&self) -> Json {
        let mut out = Object::new();
        let set_flag = |out: &mut Object, key: &str, value: bool, default: bool| {
            if value != default {
                out.push(key, value);
            }
        };
        match self {
            Self::Function { declaration, is_long_running, confirmation } => {
                out.push("type", "function");
                out.push("declaration", declaration.clone());
                set_flag(&mut out, "is_long_running", *is_long_running, false);
                confirmation.write(&mut out);
            }
            Self::TypedFunction { name, description, params, confirmation } => {
                out.push("type", "typed_function");
                out.push("name", name.clone());
                out.push("description", description.clone());
                out.push("params", params.to_json());
                confirmation.write(&mut out);
            }
            Self::NodeTool { node, name, description } => {
                out.push("type", "node_tool");
                out.push("node", node.to_json());
                out.push_some("name", name.clone());
                out.push_some("description", description.clone());
            }
            Self::RequestInput => out.push("type", "request_input"),
            Self::LongRunningFunction { declaration } => {
                out.push("type", "long_running_function");
                out.push("declaration", declaration.clone());
            }
            Self::NoDeclaration { name } => {
                out.push("type", "no_declaration");
                out.push("name", name.clone());
            }
            Self::Toolset { tools, prefix, source } => {
                out.push("type", "toolset");
                out.push_some("prefix", prefix.clone());
                out.push_some("source", source.clone());
                out.push("tools", tools.to_json());
            }
            Self::AgentTool { agent, skip_summarization, include_plugins } => {
                out.push("type", "agent_tool");
                out.push("agent", agent.to_json());
                set_flag(&mut out, "skip_summarization", *skip_summarization, false);
                set_flag(&mut out, "include_plugins", *include_plugins, true);
            }
            Self::LoadMemory => out.push("type", "load_memory"),
            Self::PreloadMemory => out.push("type", "preload_memory"),
            Self::LoadArtifacts => out.push("type", "load_artifacts"),
            Self::ExitLoop => out.push("type", "exit_loop"),
            Self::GoogleSearch { bypass_multi_tools_limit } => {
                out.push("type", "google_search");
                set_flag(&mut out, "bypass_multi_tools_limit", *bypass_multi_tools_limit, false);
            }
            Self::Examples { examples } => {
                out.push("type", "examples");
                out.push("examples", examples.to_json());
            }
            Self::BuiltIn { name, request } => {
                out.push("type", "built_in");
                out.push("name", name.clone());
                out.push("request", request.clone());
            }
            Self::Code { name, class } => {
                out.push("type", "code");
                out.push("name", name.clone());
                out.push_some("class", class.clone());
            }
        }
        Json::Object(out)
    }
}

impl Tool {
    /// What the tool is called, a toolset's prefix aside. Toolsets have no name.
    pub fn name(&self) -> Str {
        match self {
            Self::Function { declaration, .. } | Self::LongRunningFunction { declaration } => {
                declaration.get("name").and_then(Json::as_str).unwrap_or_default().into()
            }
            Self::TypedFunction { name, .. }
            | Self::NoDeclaration { name }
            | Self::BuiltIn { name, .. }
            | Self::Code { name, .. } => name.clone(),
            Self::NodeTool { node, name, .. } => name.clone().unwrap_or_else(|| node.name()),
            Self::Toolset { .. } => "".into(),
            Self::AgentTool { agent, .. } => agent.name.clone(),
            Self::RequestInput => "adk_request_input".into(),
            Self::LoadMemory => "load_memory".into(),
            Self::PreloadMemory => "preload_memory".into(),
            Self::LoadArtifacts => "load_artifacts".into(),
            Self::ExitLoop => "exit_loop".into(),
            Self::GoogleSearch { .. } => "google_search".into(),
            Self::Examples { .. } => "example_tool".into(),
        }
    }
}

impl FromJson for Example {
    const EXPECTED: &'static str = "{input: content, output: [content]}";

    fn from_json(value: Json, decoder: &mut Decoder) -> Result<Self, Json> {
        let (Some(input), Some(output)) = (value.get("input").cloned(), value.get("output").cloned()) else {
            return Err(value);
        };
        match (Content::from_json(input, decoder), Vec::from_json(output, decoder)) {
            (Ok(input), Ok(output)) => Ok(Self { input, output }),
            _ => Err(value),
        }
    }

    fn to_json(&self) -> Json {
        let mut out = Object::new();
        out.push("input", self.input.to_json());
        out.push("output", self.output.to_json());
        Json::Object(out)
    }
}

/// A step of a workflow.
#[derive(Debug, Clone, PartialEq)]
pub enum Node {
    /// An agent of any kind; a nested workflow is one, too.
    Agent(Arc<Agent>),
    Code(Arc<CodeNode>),
    Join(Arc<JoinNode>),
    Tool(Arc<ToolNode>),
}

impl Node {
    pub fn name(&self) -> Str {
        match self {
            Self::Agent(agent) => agent.name.clone(),
            Self::Code(node) => node.name.clone(),
            Self::Join(node) => node.name.clone(),
            Self::Tool(node) => node.name.clone().unwrap_or_else(|| node.tool.name()),
        }
    }
}

impl FromJson for Node {
    const EXPECTED: &'static str = "an agent, or a node of type function_node, base_node, join or tool_node";

    fn from_json(value: Json, decoder: &mut Decoder) -> Result<Self, Json> {
        match value.get("type").and_then(Json::as_str) {
            Some("function_node" | "base_node") => FromJson::from_json(value, decoder).map(Self::Code),
            Some("join") => FromJson::from_json(value, decoder).map(Self::Join),
            Some("tool_node") => ToolNode::from_json(value, decoder).map(|node| Self::Tool(Arc::new(node))),
            _ => FromJson::from_json(value, decoder).map(Self::Agent),
        }
    }

    fn to_json(&self) -> Json {
        match self {
            Self::Agent(agent) => agent.to_json(),
            Self::Code(node) => node.to_json(),
            Self::Join(node) => node.to_json(),
            Self::Tool(node) => node.to_json(),
        }
    }
}

/// A tool as a node.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolNode {
    pub tool: Tool,
    /// The tool's own, if absent.
    pub name: Option<Str>,
    pub timeout: Option<f64>,
    pub retry: Option<Retry>,
}

impl FromJson for ToolNode {
    const EXPECTED: &'static str = "{type: tool_node, tool}";

    fn from_json(value: Json, decoder: &mut Decoder) -> Result<Self, Json> {
        let tool = value.get("tool").cloned().unwrap_or_default();
        let Ok(tool) = Tool::from_json(tool, decoder) else { return Err(value) };
        let retry = value.get("retry").cloned().and_then(|retry| Retry::from_json(retry, decoder).ok());
        Ok(Self {
            tool,
            name: value.get("name").and_then(Json::as_str).map(Str::from),
            timeout: value.get("timeout").and_then(Json::as_f64),
            retry,
        })
    }

    fn to_json(&self) -> Json {
        let mut out = Object::from_iter([("type", "tool_node")]);
        out.push("tool", self.tool.to_json());
        out.push_some("name", self.name.clone());
        out.push_some("timeout", self.timeout);
        out.push_some("retry", self.retry.as_ref().map(FromJson::to_json));
        out.into()
    }
}
