//! Edits of the app and its agents.

use std::sync::Arc;

use strata_model::app::{
    Confirmation, ContextCacheConfig, IncludeContents, Instruction, OutputSchema, SchemaKind,
    StaticInstruction,
};
use strata_model::{Agent, App, Decoder, FromJson, Json, Object, Str, Tool};

use super::draft::Draft;
use crate::app_index::AppIndex;
use crate::edit::AppEdit;

impl Draft<'_> {
    pub(super) fn edit_app(&mut self, edit: &AppEdit) {
        match edit {
            AppEdit::Instruction { agent, text } => self.edit_agent(agent, |agent| {
                agent.instruction = changed(agent.instruction.as_ref(), text.as_ref());
            }),
            AppEdit::StaticInstruction { agent, text } => {
                let instruction = text.as_ref().map(|text| StaticInstruction {
                    content: strata_model::Content::new(
                        "user",
                        [strata_model::Part::from_text(text.clone())],
                    ),
                    is_set: !text.is_empty(),
                });
                self.edit_agent(agent, |agent| {
                    if static_text(agent) != text.as_ref() {
                        agent.static_instruction.clone_from(&instruction);
                    }
                });
            }
            AppEdit::GlobalInstruction { text } => {
                let root = self.app.root_agent.as_ref().map(|root| root.name.clone());
                let Some(root) = root else {
                    self.notes.error("edit-no-agent", "The app has no root agent.");
                    return;
                };
                self.edit_agent(&root, |agent| {
                    agent.global_instruction = changed(agent.global_instruction.as_ref(), text.as_ref());
                });
            }
            AppEdit::OutputSchema { agent, schema } => {
                let schema = schema.as_ref().map(|schema| OutputSchema {
                    kind: SchemaKind::JsonSchema,
                    class: None,
                    annotation: None,
                    json_schema: schema.clone(),
                });
                self.edit_agent(agent, |agent| agent.output_schema.clone_from(&schema));
            }
            AppEdit::IncludeContents { agent, value } => {
                let value = match &**value {
                    "default" => IncludeContents::Default,
                    "none" => IncludeContents::None,
                    other => {
                        let message =
                            format!("`{other}` is no value of include_contents: `default` or `none`.");
                        self.notes.error("edit-include-contents", &message);
                        return;
                    }
                };
                self.edit_agent(agent, |agent| agent.include_contents = Some(value));
            }
            AppEdit::Tool { agent, tool, declaration } => self.edit_tool(agent, tool, declaration.as_ref()),
            AppEdit::Cache { config } => {
                if let Ok(config) = self.config::<ContextCacheConfig>("a context cache", config.as_ref()) {
                    Arc::make_mut(&mut self.app).context_cache_config = config;
                }
            }
        }
    }

    /// Reads a configuration, and reports what of it means nothing. `Err` when nothing could be read.
    pub(super) fn config<T: FromJson>(
        &mut self,
        what: &str,
        config: Option<&Object>,
    ) -> Result<Option<T>, ()> {
        let Some(config) = config else { return Ok(None) };
        let mut decoder = Decoder::new();
        let read = T::from_json(Json::Object(config.clone()), &mut decoder);
        for finding in decoder.into_diagnostics() {
            self.notes.warn(
                "edit-config",
                format!("In {what} configuration: {} ({}).", finding.message, finding.at),
            );
        }
        read.map(Some)
            .map_err(|_| self.notes.error("edit-config", &format!("This is no {what} configuration.")))
    }

    fn edit_agent(&mut self, name: &Str, change: impl Fn(&mut Agent)) {
        let is_changed = change_agent(Arc::make_mut(&mut self.app), name, &change);
        if !is_changed {
            self.no_agent(name);
        }
    }

    fn no_agent(&mut self, name: &str) {
        let index = AppIndex::new(self.app.clone());
        let names: Vec<&str> = index.ids().map(|id| &*index.agent(id).name).collect();
        self.notes
            .error("edit-no-agent", &format!("There is no agent `{name}`. Agents: {}.", names.join(", ")));
    }

    fn edit_tool(&mut self, agent: &Str, tool: &Str, declaration: Option<&Object>) {
        let index = AppIndex::new(self.app.clone());
        let Some(found) = index.find(agent) else { return self.no_agent(agent) };
        let names = tool_names(index.agent(found).tools());
        if !names.contains(tool) && declaration.is_none() {
            let names = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
            let message = format!("`{agent}` has no tool `{tool}`. Its tools: {names}.");
            return self.notes.error("edit-no-tool", &message);
        }
        let is_new = !names.contains(tool);
        self.edit_agent(agent, |agent| {
            let tools = agent.tools.get_or_insert_default();
            if is_new {
                let declaration = declaration.cloned().unwrap_or_default();
                tools.push(Tool::Function {
                    declaration: named(&declaration, tool),
                    is_long_running: false,
                    confirmation: Confirmation::Never,
                });
            } else {
                change_tool(tools, tool, declaration);
            }
        });
    }
}

/// An instruction with another text. What a provider function returned stays what it is until it is changed, and a text
/// that was never a template does not become one: its braces are its own.
fn changed(before: Option<&Instruction>, text: Option<&Str>) -> Option<Instruction> {
    match (before, text) {
        (before, text) if before.map(Instruction::text) == text => before.cloned(),
        (Some(Instruction::Provider { name: None, .. }), Some(text)) => {
            Some(Instruction::Provider { text: text.clone(), name: None })
        }
        (_, text) => text.cloned().map(Instruction::Template),
    }
}

/// The static instruction of an agent, if it is one text.
fn static_text(agent: &Agent) -> Option<&Str> {
    match agent.static_instruction.as_ref()?.content.parts() {
        [only] => only.text.as_ref(),
        _ => None,
    }
}

/// Changes every agent of that name: an agent may be a sub-agent and stand in an agent tool, too.
fn change_agent(app: &mut App, name: &str, change: &impl Fn(&mut Agent)) -> bool {
    fn go(agent: &mut Arc<Agent>, name: &str, change: &impl Fn(&mut Agent)) -> bool {
        if !holds(agent, name) {
            return false;
        }
        let agent = Arc::make_mut(agent);
        if *agent.name == *name {
            change(agent);
        }
        for sub_agent in agent.sub_agents.iter_mut().flatten() {
            go(sub_agent, name, change);
        }
        agent.tools.iter_mut().flatten().for_each(|tool| go_tool(tool, name, change));
        true
    }
    fn go_tool(tool: &mut Tool, name: &str, change: &impl Fn(&mut Agent)) {
        match tool {
            Tool::AgentTool { agent, .. } => {
                go(agent, name, change);
            }
            Tool::Toolset { tools, .. } => tools.iter_mut().for_each(|tool| go_tool(tool, name, change)),
            _ => {}
        }
    }
    app.root_agent.as_mut().is_some_and(|root| go(root, name, change))
}

/// Whether the agent is in this tree, so that trees without it stay shared.
fn holds(agent: &Agent, name: &str) -> bool {
    fn tool_holds(tool: &Tool, name: &str) -> bool {
        match tool {
            Tool::AgentTool { agent, .. } => holds(agent, name),
            Tool::Toolset { tools, .. } => tools.iter().any(|tool| tool_holds(tool, name)),
            _ => false,
        }
    }
    *agent.name == *name
        || agent.sub_agents().iter().any(|sub_agent| holds(sub_agent, name))
        || agent.tools().iter().any(|tool| tool_holds(tool, name))
}

/// What a tool is called by the model, as far as its configuration alone says.
fn tool_name(tool: &Tool) -> Option<Str> {
    Some(match tool {
        Tool::Function { declaration, .. } | Tool::LongRunningFunction { declaration } => {
            declaration.get("name").and_then(Json::as_str)?.into()
        }
        Tool::Toolset { .. } | Tool::Examples { .. } => return None,
        other => other.name(),
    })
}

fn tool_names(tools: &[Tool]) -> Vec<Str> {
    let mut names = Vec::new();
    for tool in tools {
        match tool {
            Tool::Toolset { tools, .. } => names.extend(tool_names(tools)),
            other => names.extend(tool_name(other)),
        }
    }
    names
}

fn change_tool(tools: &mut Vec<Tool>, name: &str, declaration: Option<&Object>) {
    if declaration.is_none() {
        tools.retain(|tool| tool_name(tool).as_deref() != Some(name));
    }
    for tool in tools {
        if let Tool::Toolset { tools, .. } = tool {
            change_tool(tools, name, declaration);
        } else if tool_name(tool).as_deref() == Some(name)
            && let Some(changed) = declaration
        {
            match tool {
                Tool::Function { declaration, .. } | Tool::LongRunningFunction { declaration } => {
                    *declaration = named(changed, name);
                }
                other => {
                    *other = Tool::Function {
                        declaration: named(changed, name),
                        is_long_running: false,
                        confirmation: Confirmation::Never,
                    }
                }
            }
        }
    }
}

/// A declaration has to keep its name: calls in the session use it.
fn named(declaration: &Object, name: &str) -> Object {
    let mut named = declaration.clone();
    named.insert("name", name);
    named
}
