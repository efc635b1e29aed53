//! Agents and their tools.

use strata_engine::Step;
use strata_model::app::{
    AgentKind, Callback, CodeExecutor, Confirmation, Instruction, ModelFamily, ModelSpec, OutputSchema,
    Planner, Plugin, SchemaKind,
};
use strata_model::{Agent, FromJson as _, Json, Object, Tool};

use super::literal::{lines, literal, text};
use super::{Module, left_out, processors};

/// Processors behind which callbacks run: what is inserted before these runs at another place in the module.
const LATE: &[&str] = &["model_call"];

impl Module<'_> {
    /// Writes an agent with all below it, and returns the name of its variable.
    pub(super) fn agent(&mut self, agent: &Agent) -> String {
        let mut fields = vec![format!("name={}", text(&agent.name))];
        if let Some(description) = &agent.description {
            fields.push(format!("description={}", text(description)));
        }
        let below: Vec<String> = agent.sub_agents().iter().map(|below| self.agent(below)).collect();
        let class = match agent.kind {
            AgentKind::Llm => "LlmAgent",
            AgentKind::Sequential => "SequentialAgent",
            AgentKind::Parallel => "ParallelAgent",
            AgentKind::Loop => "LoopAgent",
            AgentKind::Custom | AgentKind::Workflow => {
                let what = if agent.kind == AgentKind::Custom {
                    format!("The code of the custom agent {}", agent.name)
                } else {
                    format!("The graph of the workflow {}", agent.name)
                };
                self.diagnostics.push(left_out(format!("{what}: a sequential agent stands in its place.")));
                "SequentialAgent"
            }
        };
        let import = match class {
            "LlmAgent" => "from google.adk.agents import LlmAgent",
            "SequentialAgent" => "from google.adk.agents import SequentialAgent",
            "ParallelAgent" => "from google.adk.agents import ParallelAgent",
            _ => "from google.adk.agents import LoopAgent",
        };
        let mut class = class.to_owned();
        if let Some(iterations) = agent.max_iterations {
            fields.push(format!("max_iterations={iterations}"));
        }
        if agent.is_llm() {
            let flow = self.llm_fields(agent, &mut fields);
            if let Some(flow) = flow {
                self.used.insert("TunedAgent");
                "TunedAgent".clone_into(&mut class);
                fields.push(flow);
            } else {
                self.imports.insert(import);
            }
        } else {
            self.imports.insert(import);
        }
        if !below.is_empty() {
            fields.push(format!("sub_agents=[{}]", below.join(", ")));
        }
        let variable = variable(&agent.name);
        let fields = lines(&fields, ("    ", ",\n"));
        self.agents += &format!("{variable} = {class}(\n{fields})\n\n");
        variable
    }

    /// The fields of an agent that calls a model. Returns the order of its flow where that is not ADK's.
    fn llm_fields(&mut self, agent: &Agent, fields: &mut Vec<String>) -> Option<String> {
        if let Some(model) = &agent.model {
            fields.push(format!("model={}", self.model(model)));
        }
        let index = self.subject.experiment.index();
        let steps: Vec<Step> = index.find(&agent.name).map(|id| self.steps(id).to_vec()).unwrap_or_default();
        let maps: Vec<Json> = steps.iter().filter(|step| step.is_enabled).filter_map(state_map).collect();
        if let Some(instruction) = &agent.instruction {
            fields.push(format!("instruction={}", self.instruction(instruction, &maps)));
        }
        if let Some(instruction) = &agent.global_instruction {
            fields.push(format!("global_instruction={}", self.instruction(instruction, &maps)));
        }
        if let Some(instruction) = agent.static_instruction.as_ref().filter(|known| known.is_set) {
            let json = instruction.to_json();
            let only_text = match instruction.content.parts() {
                [only] => only.text.clone(),
                _ => None,
            };
            fields.push(match only_text {
                Some(only) => format!("static_instruction={}", literal(&Json::String(only), 1)),
                None => {
                    self.imports.insert("from google.genai import types");
                    format!("static_instruction=types.Content.model_validate({})", literal(&json, 1))
                }
            });
        }
        let mut word = |name: &str, value: Option<&str>| {
            fields.extend(value.map(|value| format!("{name}={}", text(value))));
        };
        word("include_contents", agent.include_contents.map(|value| value.as_str()));
        word("mode", agent.mode.map(|value| value.as_str()));
        word("output_key", agent.output_key.as_deref());
        for (name, value) in [
            ("disallow_transfer_to_parent", agent.disallow_transfer_to_parent),
            ("disallow_transfer_to_peers", agent.disallow_transfer_to_peers),
        ] {
            fields.extend(value.map(|value| format!("{name}={}", if value { "True" } else { "False" })));
        }
        for (name, schema) in [("output_schema", &agent.output_schema), ("input_schema", &agent.input_schema)]
        {
            if let Some(schema) = schema {
                fields.push(format!("{name}={}", self.schema(schema, &agent.name)));
            }
        }
        if let Some(config) = &agent.generate_content_config {
            self.imports.insert("from google.genai import types");
            let config = literal(&Json::Object(config.clone()), 1);
            fields.push(format!(
                "generate_content_config=types.GenerateContentConfig.model_validate({config})"
            ));
        }
        if let Some(planner) = &agent.planner {
            fields.push(format!("planner={}", self.planner(planner)));
        }
        if let Some(executor) = &agent.code_executor {
            self.code_executor(executor, &agent.name, fields);
        }
        let tools: Vec<String> = agent.tools().iter().map(|tool| self.tool(tool)).collect();
        if !tools.is_empty() {
            let tools = lines(&tools, ("        ", ",\n"));
            fields.push(format!("tools=[\n{tools}    ]"));
        }
        let mut callbacks: Vec<String> =
            agent.before_model_callbacks().iter().filter_map(|known| self.callback(known)).collect();
        callbacks.extend(self.inserted(&steps, &agent.name));
        if !callbacks.is_empty() {
            let callbacks = lines(&callbacks, ("        ", ",\n"));
            fields.push(format!("before_model_callback=[\n{callbacks}    ]"));
        }
        self.flow(agent, &steps)
    }

    /// Inserted processors as callbacks, in the order of the flow.
    pub(super) fn inserted(&mut self, steps: &[Step], agent: &str) -> Vec<String> {
        let mut callbacks = Vec::new();
        for (at, step) in steps.iter().enumerate().filter(|(_, step)| step.is_enabled) {
            let Some(inserted) = &step.inserted else { continue };
            if &*inserted.kind == "compact_state" {
                continue;
            }
            let behind = steps[at + 1..].iter().filter(|step| step.is_enabled && step.inserted.is_none());
            let early: Vec<&str> =
                behind.map(|step| step.processor.name()).filter(|name| !LATE.contains(name)).collect();
            if !early.is_empty() {
                self.diagnostics.push(left_out(format!(
                    "The place of {} in {agent}: callbacks run behind {}, so its result may differ.",
                    step.processor.name(),
                    early.join(", ")
                )));
            }
            match processors::call(&inserted.kind, &inserted.params) {
                Some((section, call)) => {
                    self.used.insert(section);
                    callbacks.push(call);
                }
                None => self.diagnostics.push(left_out(format!(
                    "The script {} of {agent}: google-adk runs no JavaScript. Write what it does as a \
                     before_model_callback of {agent}, in the place of this remark.",
                    step.processor.name()
                ))),
            }
        }
        callbacks
    }

    /// The processors of the flow in their order, where it is not ADK's own.
    fn flow(&self, agent: &Agent, steps: &[Step]) -> Option<String> {
        Some(format!("processors={}", literal(&self.order(agent, steps)?, 1)))
    }

    /// Their names.
    pub(super) fn order(&self, agent: &Agent, steps: &[Step]) -> Option<Json> {
        let experiment = self.subject.experiment;
        let id = experiment.index().find(&agent.name)?;
        let own = strata_engine::Flow::of_agent(experiment.index(), id);
        let own: Vec<&str> =
            own.steps().iter().map(|step| step.processor.name()).filter(|name| is_adks(name)).collect();
        let now = steps.iter().filter(|step| step.is_enabled && step.inserted.is_none());
        let now: Vec<&str> = now.map(|step| step.processor.name()).filter(|name| is_adks(name)).collect();
        (own != now).then(|| Json::Array(now.into_iter().map(Json::from).collect()))
    }

    fn instruction(&mut self, instruction: &Instruction, maps: &[Json]) -> String {
        let quoted = literal(&Json::String(instruction.text().clone()), 1);
        match instruction {
            Instruction::Provider { .. } => format!("lambda context: {quoted}"),
            Instruction::Template(_) if maps.is_empty() => quoted,
            Instruction::Template(_) => {
                self.used.insert("compact_state");
                format!("compact_state({quoted}, {})", literal(&Json::Array(maps.to_vec()), 1))
            }
        }
    }

    fn model(&mut self, model: &ModelSpec) -> String {
        let name = text(&model.name);
        match model.family {
            ModelFamily::Gemini | ModelFamily::GeminiWire if !model.use_interactions_api => name,
            ModelFamily::Gemini | ModelFamily::GeminiWire => {
                self.imports.insert("from google.adk.models.google_llm import Gemini");
                format!("Gemini(model={name}, use_interactions_api=True)")
            }
            ModelFamily::LiteLlm => {
                self.imports.insert("from google.adk.models.lite_llm import LiteLlm");
                format!("LiteLlm(model={name})")
            }
            ModelFamily::Unknown => {
                self.diagnostics.push(left_out("The model: nothing names it.".to_owned()));
                name
            }
            ModelFamily::Other => {
                self.diagnostics
                    .push(left_out(format!("The class of the model {}: only its name.", model.name)));
                name
            }
        }
    }

    fn schema(&mut self, schema: &OutputSchema, agent: &str) -> String {
        if schema.kind != SchemaKind::JsonSchema {
            self.diagnostics.push(left_out(format!(
                "The Python class of a schema of {agent}: its JSON Schema stands in its place."
            )));
        }
        literal(&schema.json_schema, 1)
    }

    fn planner(&mut self, planner: &Planner) -> String {
        match planner {
            Planner::PlanReAct => {
                self.imports.insert("from google.adk.planners import PlanReActPlanner");
                "PlanReActPlanner()".to_owned()
            }
            Planner::BuiltIn { thinking_config } => {
                self.imports.insert("from google.adk.planners import BuiltInPlanner");
                self.imports.insert("from google.genai import types");
                let config = literal(&Json::Object(thinking_config.clone()), 1);
                format!("BuiltInPlanner(thinking_config=types.ThinkingConfig.model_validate({config}))")
            }
        }
    }

    fn code_executor(&mut self, executor: &CodeExecutor, agent: &str, fields: &mut Vec<String>) {
        match executor {
            CodeExecutor::BuiltIn => {
                self.imports.insert(
                    "from google.adk.code_executors.built_in_code_executor import BuiltInCodeExecutor",
                );
                fields.push("code_executor=BuiltInCodeExecutor()".to_owned());
            }
            CodeExecutor::Host { .. } => self
                .diagnostics
                .push(left_out(format!("The code executor of {agent}: it belongs to the host it ran on."))),
        }
    }

    fn tool(&mut self, tool: &Tool) -> String {
        match tool {
            Tool::Function { declaration, is_long_running, confirmation } => {
                if *confirmation != Confirmation::Never {
                    self.diagnostics.push(left_out(format!("The approval of calls of {}.", tool.name())));
                }
                self.used.insert("DeclaredTool");
                let flag = if *is_long_running { ", is_long_running=True" } else { "" };
                format!("DeclaredTool({}{flag})", literal(&Json::Object(declaration.clone()), 2))
            }
            Tool::LongRunningFunction { declaration } => {
                self.used.insert("DeclaredLongRunning");
                format!("DeclaredLongRunning({})", literal(&Json::Object(declaration.clone()), 2))
            }
            Tool::Code { name, .. } => {
                self.diagnostics
                    .push(left_out(format!("What the tool {name} does to requests: put your own there.")));
                self.used.insert("DeclaredTool");
                format!("DeclaredTool({{\"name\": {}}}, is_declared=False)", text(name))
            }
            Tool::NoDeclaration { name } => {
                self.used.insert("DeclaredTool");
                format!("DeclaredTool({{\"name\": {}}}, is_declared=False)", text(name))
            }
            Tool::TypedFunction { name, description, .. } => {
                self.diagnostics.push(left_out(format!("The parameters of the function {name}.")));
                self.used.insert("DeclaredTool");
                let (name, description) = (text(name), text(description));
                format!("DeclaredTool({{\"name\": {name}, \"description\": {description}}})")
            }
            Tool::NodeTool { .. } => {
                let name = tool.name();
                self.diagnostics.push(left_out(format!("The node behind the tool {name}.")));
                self.used.insert("DeclaredTool");
                format!("DeclaredTool({{\"name\": {}}})", text(&name))
            }
            Tool::RequestInput => {
                self.imports.insert("from google.adk.tools import request_input");
                "request_input".to_owned()
            }
            Tool::Toolset { tools, prefix, source } => {
                if source.is_some() {
                    self.diagnostics.push(left_out("Where the tools of a toolset come from.".to_owned()));
                }
                self.used.insert("DeclaredToolset");
                let tools: Vec<String> = tools.iter().map(|tool| self.tool(tool)).collect();
                let prefix = prefix.as_ref().map_or("None".to_owned(), |prefix| text(prefix));
                format!("DeclaredToolset([{}], {prefix})", tools.join(", "))
            }
            Tool::AgentTool { agent, skip_summarization, include_plugins } => {
                self.imports.insert("from google.adk.tools.agent_tool import AgentTool");
                let inner = self.agent(agent);
                let flag = |value: bool| if value { "True" } else { "False" };
                format!(
                    "AgentTool({inner}, skip_summarization={}, include_plugins={})",
                    flag(*skip_summarization),
                    flag(*include_plugins)
                )
            }
            Tool::LoadMemory => {
                self.imports.insert("from google.adk.tools import load_memory");
                "load_memory".to_owned()
            }
            Tool::PreloadMemory => {
                self.imports.insert("from google.adk.tools import preload_memory");
                "preload_memory".to_owned()
            }
            Tool::LoadArtifacts => {
                self.imports.insert("from google.adk.tools import load_artifacts");
                "load_artifacts".to_owned()
            }
            Tool::ExitLoop => {
                self.imports.insert("from google.adk.tools import exit_loop");
                "exit_loop".to_owned()
            }
            Tool::GoogleSearch { bypass_multi_tools_limit } => {
                self.imports.insert("from google.adk.tools.google_search_tool import GoogleSearchTool");
                let flag = if *bypass_multi_tools_limit { "True" } else { "False" };
                format!("GoogleSearchTool(bypass_multi_tools_limit={flag})")
            }
            Tool::BuiltIn { name, request } => {
                let known = match &**name {
                    "url_context" => ("from google.adk.tools import url_context", "url_context"),
                    "google_maps" => {
                        ("from google.adk.tools import google_maps_grounding", "google_maps_grounding")
                    }
                    "enterprise_web_search" => {
                        ("from google.adk.tools import enterprise_web_search", "enterprise_web_search")
                    }
                    _ => {
                        let request = strata_model::json::object_to_compact(request);
                        self.diagnostics.push(left_out(format!("The tool {name}: {request}.")));
                        self.used.insert("DeclaredTool");
                        return format!("DeclaredTool({{\"name\": {}}}, is_declared=False)", text(name));
                    }
                };
                self.imports.insert(known.0);
                known.1.to_owned()
            }
            Tool::Examples { examples } => {
                self.imports.insert("from google.adk.examples.example import Example");
                self.imports.insert("from google.adk.tools.example_tool import ExampleTool");
                let examples: Vec<String> = examples
                    .iter()
                    .map(|example| format!("Example.model_validate({})", literal(&example.to_json(), 2)))
                    .collect();
                format!("ExampleTool([{}])", examples.join(", "))
            }
        }
    }

    /// A callback of the app as it was. `None` for one that works on tool results alone.
    fn callback(&mut self, callback: &Callback) -> Option<String> {
        let params = match callback.to_json() {
            Json::Object(params) => params,
            _ => Object::new(),
        };
        match callback {
            Callback::CapRows { .. } => None,
            Callback::Code { name, .. } => {
                self.diagnostics.push(left_out(format!("The callback {name}: put your own there.")));
                None
            }
            Callback::StripForContext { style } => {
                self.used.insert("strip_agent_traffic");
                let form = match style {
                    strata_model::app::RelayStyle::Fenced => "fenced",
                    strata_model::app::RelayStyle::ForContext => "for_context",
                };
                Some(format!("strip_agent_traffic(form=\"{form}\")"))
            }
            _ => {
                self.used.insert("recorded_callback");
                Some(format!("recorded_callback({})", literal(&Json::Object(params), 2)))
            }
        }
    }

    /// A plugin of the app as it was. `None` for one whose code is not known.
    pub(super) fn plugin(&mut self, plugin: &Plugin) -> Option<String> {
        let flag = |value: bool| if value { "True" } else { "False" };
        Some(match plugin {
            Plugin::ReflectRetryTool { max_retries, throw_exception_if_retry_exceeded, .. } => {
                self.imports.insert(
                    "from google.adk.plugins.reflect_retry_tool_plugin import ReflectAndRetryToolPlugin",
                );
                format!(
                    "ReflectAndRetryToolPlugin(name={}, max_retries={max_retries}, \
                     throw_exception_if_retry_exceeded={})",
                    text(plugin.name()),
                    flag(*throw_exception_if_retry_exceeded)
                )
            }
            Plugin::SaveFilesAsArtifacts { attach_file_reference, .. } => {
                self.imports.insert(
                    "from google.adk.plugins.save_files_as_artifacts_plugin import SaveFilesAsArtifactsPlugin",
                );
                format!(
                    "SaveFilesAsArtifactsPlugin({}, attach_file_reference={})",
                    text(plugin.name()),
                    flag(*attach_file_reference)
                )
            }
            Plugin::Code { name, .. } => {
                self.diagnostics.push(left_out(format!("The plugin {name}: put your own there.")));
                return None;
            }
            Plugin::GlobalInstruction { global_instruction, .. } => {
                self.imports.insert(
                    "from google.adk.plugins.global_instruction_plugin import GlobalInstructionPlugin",
                );
                let instruction = self.instruction(global_instruction, &[]);
                format!(
                    "GlobalInstructionPlugin(global_instruction={instruction}, name={})",
                    text(plugin.name())
                )
            }
            Plugin::ContextFilter { num_invocations_to_keep, remove_amount, custom_filter, .. } => {
                self.imports
                    .insert("from google.adk.plugins.context_filter_plugin import ContextFilterPlugin");
                if custom_filter.is_some() {
                    self.diagnostics.push(left_out(format!("The function of the plugin {}.", plugin.name())));
                }
                let keep = num_invocations_to_keep.map_or("None".to_owned(), |keep| keep.to_string());
                let remove =
                    remove_amount.map_or(String::new(), |amount| format!(", remove_amount={amount}"));
                format!(
                    "ContextFilterPlugin(num_invocations_to_keep={keep}{remove}, name={})",
                    text(plugin.name())
                )
            }
        })
    }
}

/// Whether ADK runs a processor of that name: plugins, callbacks and the call itself stand in its flow, too, here.
fn is_adks(name: &str) -> bool {
    let is_code = ["plugin:", "callback:", "provider:"].iter().any(|kind| name.starts_with(kind));
    name != "model_call" && !is_code
}

pub(super) fn state_map(step: &Step) -> Option<Json> {
    let inserted = step.inserted.as_ref().filter(|inserted| &*inserted.kind == "compact_state")?;
    Some(Json::Object(inserted.params.clone()))
}

/// An agent's name is a Python identifier already, unless it was recorded elsewhere.
fn variable(name: &str) -> String {
    let plain: String = name.chars().map(|c| if c.is_alphanumeric() || c == '_' { c } else { '_' }).collect();
    match plain.as_str() {
        "app" => "app_agent".to_owned(),
        plain => plain.to_owned(),
    }
}
