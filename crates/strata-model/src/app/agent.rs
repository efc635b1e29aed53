//! Agents.

use std::sync::Arc;

use super::extension::Callback;
use super::tool::Tool;
use crate::content::{Content, Part};
use crate::decode::{Decoder, FromJson, record};
use crate::json::{Json, Object};
use crate::{Diagnostic, Str};

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
        after_tool_callbacks: Option<Vec<Callback>> = "afterToolCallbacks",
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

/// A field with a closed set of spellings.
macro_rules! word {
    ($(#[$meta:meta])* $name:ident: $expected:literal { $($(#[$variant_meta:meta])* $variant:ident = $word:literal),* $(,)? }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum $name {
            $($(#[$variant_meta])* $variant,)*
        }

        impl $name {
            pub fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $word,)*
                }
            }
        }

        impl FromJson for $name {
            const EXPECTED: &'static str = $expected;

            fn from_json(value: Json, _: &mut Decoder) -> Result<Self, Json> {
                match value.as_str() {
                    $(Some($word) => Ok(Self::$variant),)*
                    _ => Err(value),
                }
            }

            fn to_json(&self) -> Json {
                Json::from(self.as_str())
            }
        }
    };
}

word! {
    /// What an agent does with its turn.
    #[derive(Default)]
    AgentKind: "one of llm, sequential, parallel, loop, custom" {
        #[default]
        Llm = "llm",
        Sequential = "sequential",
        Parallel = "parallel",
        Loop = "loop",
        Custom = "custom",
    }
}

crate::decode::always_written!(AgentKind);

word! {
    /// How much of the session an agent's requests carry.
    IncludeContents: "`default` or `none`" {
        Default = "default",
        /// The current turn only.
        None = "none",
    }
}

word! {
    AgentMode: "one of chat, task, single_turn" {
        Chat = "chat",
        Task = "task",
        SingleTurn = "single_turn",
    }
}

word! {
    /// Which of ADK's model classes carries the request; they differ in ids they keep and what they can combine.
    ModelFamily: "one of gemini, gemini_wire, lite_llm, other" {
        Gemini = "gemini",
        /// A Gemini model whose adapter is compiled too, down to the wire.
        GeminiWire = "gemini_wire",
        LiteLlm = "lite_llm",
        Other = "other",
    }
}

word! {
    SchemaKind: "one of pydantic_model, list_of_pydantic_model, primitive, json_schema" {
        PydanticModel = "pydantic_model",
        ListOfPydanticModel = "list_of_pydantic_model",
        Primitive = "primitive",
        JsonSchema = "json_schema",
    }
}

/// The model an agent calls: a name, or a name with its class.
#[derive(Debug, Clone, PartialEq, Hash)]
pub struct ModelSpec {
    pub name: Str,
    pub family: ModelFamily,
    pub use_interactions_api: bool,
    /// The model can combine a response schema with tools.
    pub output_schema_and_tools: bool,
}

impl ModelSpec {
    pub fn gemini(name: impl Into<Str>) -> Self {
        Self {
            name: name.into(),
            family: ModelFamily::Gemini,
            use_interactions_api: false,
            output_schema_and_tools: false,
        }
    }
}

impl FromJson for ModelSpec {
    const EXPECTED: &'static str = "a model name or {name, kind}";

    fn from_json(value: Json, decoder: &mut Decoder) -> Result<Self, Json> {
        if let Json::String(name) = value {
            return Ok(Self::gemini(name));
        }
        let Some(Json::String(name)) = value.get("name") else { return Err(value) };
        let mut spec = Self::gemini(name.clone());
        if let Some(kind) = value.get("kind") {
            match ModelFamily::from_json(kind.clone(), decoder) {
                Ok(family) => spec.family = family,
                Err(_) => return Err(value),
            }
        }
        let flag = |key: &str| value.get(key).and_then(Json::as_bool) == Some(true);
        spec.use_interactions_api = flag("use_interactions_api");
        spec.output_schema_and_tools = flag("output_schema_and_tools");
        Ok(spec)
    }

    fn to_json(&self) -> Json {
        if *self == Self::gemini(self.name.clone()) {
            return Json::String(self.name.clone());
        }
        let mut out = Object::new();
        out.push("name", self.name.clone());
        out.push("kind", self.family.as_str());
        if self.use_interactions_api {
            out.push("use_interactions_api", true);
        }
        if self.output_schema_and_tools {
            out.push("output_schema_and_tools", true);
        }
        Json::Object(out)
    }
}

/// An instruction: a template that is filled from state, or text a provider function returned.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Instruction {
    Template(Str),
    /// Never filled: ADK takes what a provider returns as it is.
    Provider(Str),
}

impl Instruction {
    pub fn text(&self) -> &Str {
        match self {
            Self::Template(text) | Self::Provider(text) => text,
        }
    }

    /// A provider always counts as an instruction; an empty template does not.
    pub fn is_set(&self) -> bool {
        match self {
            Self::Template(text) => !text.is_empty(),
            Self::Provider(_) => true,
        }
    }
}

impl FromJson for Instruction {
    const EXPECTED: &'static str = "a template or {provider: text}";

    fn from_json(value: Json, _: &mut Decoder) -> Result<Self, Json> {
        match value {
            Json::String(text) => Ok(Self::Template(text)),
            other => match other.get("provider") {
                Some(Json::String(text)) => Ok(Self::Provider(text.clone())),
                _ => Err(other),
            },
        }
    }

    fn to_json(&self) -> Json {
        match self {
            Self::Template(text) => Json::String(text.clone()),
            Self::Provider(text) => Json::Object(Object::from_iter([("provider", text.clone())])),
        }
    }
}

/// An instruction that never changes: text, files or both.
#[derive(Debug, Clone, PartialEq)]
pub struct StaticInstruction {
    pub content: Content,
    /// False for an empty text or list, which ADK takes for no static instruction.
    pub is_set: bool,
}

impl FromJson for StaticInstruction {
    const EXPECTED: &'static str = "a text, a part, a content, or a list of texts and parts";

    fn from_json(value: Json, decoder: &mut Decoder) -> Result<Self, Json> {
        let is_set = value.is_truthy();
        let parts = match value {
            Json::String(text) => vec![Part::from_text(text)],
            Json::Array(items) => {
                let mut parts = Vec::with_capacity(items.len());
                for item in items {
                    parts.push(match item {
                        Json::String(text) => Part::from_text(text),
                        part => Part::from_json(part, decoder)?,
                    });
                }
                parts
            }
            Json::Object(object) if object.contains_key("parts") => {
                return Content::from_json(Json::Object(object), decoder)
                    .map(|content| Self { content, is_set });
            }
            other => vec![Part::from_json(other, decoder)?],
        };
        Ok(Self { content: Content::new("user", parts), is_set })
    }

    fn to_json(&self) -> Json {
        self.content.to_json()
    }
}

/// A schema with the JSON Schema pydantic generates for it.
#[derive(Debug, Clone, PartialEq, Hash)]
pub struct OutputSchema {
    pub kind: SchemaKind,
    /// Name of the Python class.
    pub class: Option<Str>,
    /// Python annotation of a primitive, such as `dict[str, int]`.
    pub annotation: Option<Str>,
    pub json_schema: Json,
}

impl FromJson for OutputSchema {
    const EXPECTED: &'static str = "a JSON Schema or {kind, json_schema}";

    fn from_json(value: Json, decoder: &mut Decoder) -> Result<Self, Json> {
        let Json::Object(object) = &value else { return Err(value) };
        let (Some(kind), Some(json_schema)) =
            (object.get("kind"), object.get("json_schema").or_else(|| object.get("jsonSchema")))
        else {
            return Ok(Self {
                kind: SchemaKind::JsonSchema,
                class: None,
                annotation: None,
                json_schema: value,
            });
        };
        let text = |key: &str| object.get(key).and_then(Json::as_str).map(Str::from);
        match SchemaKind::from_json(kind.clone(), decoder) {
            Ok(kind) => Ok(Self {
                kind,
                class: text("class"),
                annotation: text("annotation"),
                json_schema: json_schema.clone(),
            }),
            Err(_) => Err(value),
        }
    }

    fn to_json(&self) -> Json {
        let mut out = Object::new();
        out.push("kind", self.kind.as_str());
        out.push_some("class", self.class.clone());
        out.push_some("annotation", self.annotation.clone());
        out.push("json_schema", self.json_schema.clone());
        Json::Object(out)
    }
}

/// How an agent is made to plan.
#[derive(Debug, Clone, PartialEq, Hash)]
pub enum Planner {
    /// ADK's instruction for models that do not think by themselves.
    PlanReAct,
    /// The model's own thinking, configured.
    BuiltIn { thinking_config: Object },
}

impl FromJson for Planner {
    const EXPECTED: &'static str = "{type: plan_re_act} or {type: built_in, thinking_config}";

    fn from_json(value: Json, _: &mut Decoder) -> Result<Self, Json> {
        match value.get("type").and_then(Json::as_str) {
            Some("plan_re_act") => Ok(Self::PlanReAct),
            Some("built_in") => {
                let config = value.get("thinking_config").or_else(|| value.get("thinkingConfig"));
                let thinking_config = config.and_then(Json::as_object).cloned().unwrap_or_default();
                Ok(Self::BuiltIn { thinking_config })
            }
            _ => Err(value),
        }
    }

    fn to_json(&self) -> Json {
        let mut out = Object::new();
        match self {
            Self::PlanReAct => out.push("type", "plan_re_act"),
            Self::BuiltIn { thinking_config } => {
                out.push("type", "built_in");
                out.push("thinking_config", thinking_config.clone());
            }
        }
        Json::Object(out)
    }
}

/// What runs the code a model writes.
#[derive(Debug, Clone, PartialEq, Hash)]
pub enum CodeExecutor {
    /// The provider's own.
    BuiltIn,
    /// A sandbox of the host's.
    Host {
        optimize_data_file: bool,
        error_retry_attempts: i64,
        /// Fences around code in text; the first pair is the one models are told to use.
        code_block_delimiters: Vec<(Str, Str)>,
        execution_result_delimiters: (Str, Str),
    },
}

impl FromJson for CodeExecutor {
    const EXPECTED: &'static str = "{type: built_in} or {type: host, …}";

    fn from_json(value: Json, decoder: &mut Decoder) -> Result<Self, Json> {
        let pair = |value: &Json| match value.as_array() {
            Some([Json::String(open), Json::String(close)]) => Some((open.clone(), close.clone())),
            _ => None,
        };
        match value.get("type").and_then(Json::as_str) {
            Some("built_in") => Ok(Self::BuiltIn),
            Some("host") => {
                let delimiters = value.get("code_block_delimiters").and_then(Json::as_array);
                let delimiters: Vec<_> = delimiters.unwrap_or_default().iter().filter_map(pair).collect();
                Ok(Self::Host {
                    optimize_data_file: value.get("optimize_data_file").and_then(Json::as_bool) == Some(true),
                    error_retry_attempts: value
                        .get("error_retry_attempts")
                        .and_then(Json::as_i64)
                        .unwrap_or(2),
                    code_block_delimiters: if delimiters.is_empty() {
                        vec![
                            ("```tool_code\n".into(), "\n```".into()),
                            ("```python\n".into(), "\n```".into()),
                        ]
                    } else {
                        delimiters
                    },
                    execution_result_delimiters: value
                        .get("execution_result_delimiters")
                        .and_then(pair)
                        .unwrap_or_else(|| ("```tool_output\n".into(), "\n```".into())),
                })
            }
            _ => {
                decoder.report(Diagnostic::warning(
                    "unknown-code-executor",
                    decoder.at(),
                    "this kind of code executor is not known; the agent is compiled without one",
                ));
                Err(value)
            }
        }
    }

    fn to_json(&self) -> Json {
        let mut out = Object::new();
        match self {
            Self::BuiltIn => out.push("type", "built_in"),
            Self::Host {
                optimize_data_file,
                error_retry_attempts,
                code_block_delimiters,
                execution_result_delimiters,
            } => {
                let pair =
                    |(open, close): &(Str, Str)| Json::Array(vec![open.clone().into(), close.clone().into()]);
                out.push("type", "host");
                out.push("optimize_data_file", *optimize_data_file);
                out.push("error_retry_attempts", *error_retry_attempts);
                out.push("code_block_delimiters", code_block_delimiters.iter().map(pair).collect::<Vec<_>>());
                out.push("execution_result_delimiters", pair(execution_result_delimiters));
            }
        }
        Json::Object(out)
    }
}
