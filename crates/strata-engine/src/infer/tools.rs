//! Which tools each agent had, as far as it called them.

use std::collections::BTreeMap;

use strata_model::app::{Confirmation, OutputSchema, SchemaKind, Tool};
use strata_model::{Event, Json, Object, Str};

use super::tree::Tree;
use crate::adk_text::{REQUEST_CONFIRMATION, REQUEST_CREDENTIAL, REQUEST_INPUT};

/// Calls the runtime makes or answers itself: no tool of an agent's own stands behind them.
pub(super) const RUNTIME_CALLS: [&str; 5] =
    ["transfer_to_agent", "finish_task", REQUEST_CREDENTIAL, REQUEST_CONFIRMATION, REQUEST_INPUT];

#[derive(Debug, Default)]
pub(super) struct InferredTools {
    agents: BTreeMap<Str, AgentTools>,
}

#[derive(Debug, Default)]
pub(super) struct AgentTools {
    pub(super) tools: Vec<Tool>,
    pub(super) output_schema: Option<OutputSchema>,
}

/// What the calls of each author's tools had in common, those of the runtime and of agents among them.
#[derive(Debug, Clone, Default)]
pub(super) struct ToolSignatures {
    authors: BTreeMap<Str, Vec<(Str, Signature)>>,
}

/// What calls of one tool had in common.
#[derive(Debug, Clone, Default)]
struct Signature {
    n_calls: usize,
    is_long_running: bool,
    /// Arguments in order of first use, with how often each was given and with what kinds of values.
    arguments: Vec<(Str, Argument)>,
}

#[derive(Debug, Clone, Default)]
struct Argument {
    n_given: usize,
    types: Vec<&'static str>,
}

impl ToolSignatures {
    /// Takes in what an agent called.
    pub(super) fn add_event(&mut self, event: &Event) {
        let of_author = self.authors.entry(event.author.clone()).or_default();
        for call in event.function_calls() {
            let Some(name) = &call.name else { continue };
            let at = of_author.iter().position(|(known, _)| known == name).unwrap_or_else(|| {
                of_author.push((name.clone(), Signature::default()));
                of_author.len() - 1
            });
            let waits = event.long_running_tool_ids.as_deref().unwrap_or_default();
            let signature = &mut of_author[at].1;
            signature.is_long_running |= call.id.as_ref().is_some_and(|id| waits.contains(id));
            signature.add(call.args.as_deref());
        }
    }
}

impl InferredTools {
    pub(super) fn of(signatures: &ToolSignatures, tree: &Tree) -> Self {
        let is_own =
            |tool: &str| !RUNTIME_CALLS.contains(&tool) && !tree.names().any(|agent| **agent == *tool);
        let agents = signatures.authors.iter().map(|(agent, tools)| {
            (agent.clone(), AgentTools::of(tools.iter().filter(|(name, _)| is_own(name))))
        });
        Self { agents: agents.collect() }
    }

    pub(super) fn of_agent(&self, name: &str) -> Option<&AgentTools> {
        self.agents.get(name)
    }

    pub(super) fn count(&self) -> usize {
        self.agents.values().map(|agent| agent.tools.len()).sum()
    }
}

impl AgentTools {
    fn of<'s>(signatures: impl Iterator<Item = &'s (Str, Signature)>) -> Self {
        let mut tools = Self::default();
        for (name, signature) in signatures {
            match &**name {
                "set_model_response" => tools.output_schema = Some(signature.output_schema()),
                "load_memory" => tools.tools.push(Tool::LoadMemory),
                "load_artifacts" => tools.tools.push(Tool::LoadArtifacts),
                "exit_loop" => tools.tools.push(Tool::ExitLoop),
                _ => tools.tools.push(signature.function(name.clone())),
            }
        }
        tools
    }
}

impl Signature {
    fn add(&mut self, args: Option<&Object>) {
        self.n_calls += 1;
        for (name, value) in args.into_iter().flat_map(Object::iter) {
            let at = self.arguments.iter().position(|(known, _)| known == name).unwrap_or_else(|| {
                self.arguments.push((name.clone(), Argument::default()));
                self.arguments.len() - 1
            });
            let argument = &mut self.arguments[at].1;
            argument.n_given += 1;
            let kind = json_type(value);
            if !argument.types.contains(&kind) {
                argument.types.push(kind);
            }
        }
    }

    fn function(&self, name: Str) -> Tool {
        let mut declaration = Object::new();
        declaration.push("name", name);
        if !self.arguments.is_empty() {
            declaration.push("parametersJsonSchema", self.schema());
        }
        if self.is_long_running {
            return Tool::LongRunningFunction { declaration };
        }
        Tool::Function { declaration, is_long_running: false, confirmation: Confirmation::Never }
    }

    fn output_schema(&self) -> OutputSchema {
        let json_schema = Json::Object(self.schema());
        OutputSchema { kind: SchemaKind::JsonSchema, class: None, annotation: None, json_schema }
    }

    fn schema(&self) -> Object {
        let properties = self.arguments.iter().map(|(name, argument)| (name.clone(), argument.schema()));
        let is_always_given = |argument: &&(Str, Argument)| argument.1.n_given == self.n_calls;
        let required: Vec<Json> =
            self.arguments.iter().filter(is_always_given).map(|(name, _)| name.clone().into()).collect();
        let mut schema = Object::new();
        schema.push("properties", properties.collect::<Object>());
        if !required.is_empty() {
            schema.push("required", required);
        }
        schema.push("type", "object");
        schema
    }
}

impl Argument {
    /// Nothing is said on arguments that were given in several types.
    fn schema(&self) -> Json {
        let fields = match self.types[..] {
            [only] => Object::from_iter([("type", only)]),
            _ => Object::new(),
        };
        Json::Object(fields)
    }
}

fn json_type(value: &Json) -> &'static str {
    match value {
        Json::Null => "null",
        Json::Bool(_) => "boolean",
        Json::Int(_) | Json::BigInt(_) => "integer",
        Json::Float(_) => "number",
        Json::String(_) => "string",
        Json::Array(_) => "array",
        Json::Object(_) => "object",
    }
}
