//! `agent_transfer`: tells the agent whom it can hand over to, and gives it the tool to do so.

use std::sync::Arc;

use strata_model::{AgentField, Declaration, Json, LlmRequest, Object, Origin, RichText, Str, Tool};

use crate::adk_text::{
    TRANSFER_END, TRANSFER_INTRO, TRANSFER_PARENT_SUFFIX, TRANSFER_RULES, TRANSFER_TARGET,
    TRANSFER_TOOL_DESCRIPTION,
};
use crate::backend::Backend;
use crate::context::CompileContext;
use crate::error::{CompileError, ErrorKind};
use crate::models;
use crate::processor::{Processor, StageOutput};
use crate::sections::Sections;
use crate::tool_plan::returning_nothing;

const ENTERPRISE: &str = "EnterpriseWebSearchTool";

pub struct AgentTransfer;

#[derive(Hash)]
pub struct Inputs<'c> {
    agent: &'c Str,
    targets: Vec<Target<'c>>,
    /// Named at the end of the instruction, even where it is no target.
    parent: Option<&'c Str>,
    /// Runs as delegated work: it gets the tool but no instruction about it.
    is_delegated: bool,
    /// The class of the first tool that older models do not take beside functions.
    built_in_search: Option<&'static str>,
    backend: Backend,
}

#[derive(Hash)]
struct Target<'c> {
    name: &'c Str,
    description: &'c str,
    is_sub_agent: bool,
}

impl Processor for AgentTransfer {
    type Inputs<'c> = Inputs<'c>;

    fn name(&self) -> &'static str {
        "agent_transfer"
    }

    fn after(&self) -> &'static [&'static str] {
        &["identity"]
    }

    fn reads(&self) -> Sections {
        Sections::MODEL | Sections::SYSTEM | Sections::TOOLS | Sections::TOOL_NAMES
    }

    fn inputs<'c>(&self, context: &'c CompileContext<'c>) -> Inputs<'c> {
        let index = context.index;
        let agent = context.agent();
        let sub_agents = index.sub_agents(context.agent_id);
        let targets = index.transfer_targets(context.agent_id).into_iter().map(|target| {
            let agent = index.agent(target);
            Target {
                name: &agent.name,
                description: agent.description(),
                is_sub_agent: sub_agents.contains(&target),
            }
        });
        Inputs {
            agent: &agent.name,
            targets: targets.collect(),
            parent: index
                .parent(context.agent_id)
                .filter(|_| agent.allows_transfer_to_parent())
                .map(|parent| &index.agent(parent).name),
            is_delegated: matches!(
                context.mode(),
                strata_model::app::AgentMode::Task | strata_model::app::AgentMode::SingleTurn
            ),
            built_in_search: agent.tools().iter().find_map(built_in_search),
            backend: context.backend,
        }
    }

    fn process(
        inputs: Inputs<'_>,
        request: &mut LlmRequest,
        output: &mut StageOutput,
    ) -> Result<(), CompileError> {
        if inputs.targets.is_empty() {
            output.note("nobody to transfer to");
            return Ok(());
        }
        let model = request.model.as_deref().unwrap_or_default();
        if let Some(class) = inputs.built_in_search
            && !models::combines_built_in_tools_with_functions(model)
        {
            if inputs.targets.iter().any(|target| target.is_sub_agent) {
                return Err(search_conflict(inputs.agent, class));
            }
            output.note("left out: built-in search cannot stand beside the transfer tool");
            return Ok(());
        }
        if !inputs.is_delegated {
            request.append_system(instruction(&inputs));
        }
        let name: Str = "transfer_to_agent".into();
        request.add_declaration(Arc::new(Declaration::new(
            returning_nothing(declaration(&inputs.targets), inputs.backend),
            Origin::Tool { name: name.clone() },
        )));
        request.add_tool_name(&name);
        let names: Vec<&str> = inputs.targets.iter().map(|target| &**target.name).collect();
        output.note(format!("transfer_to_agent: {}", names.join(", ")));
        Ok(())
    }
}

/// The class of a search that Gemini runs by itself.
fn built_in_search(tool: &Tool) -> Option<&'static str> {
    match tool {
        Tool::GoogleSearch { bypass_multi_tools_limit: false } => Some("GoogleSearchTool"),
        Tool::BuiltIn { name, .. } => match &**name {
            "vertex_ai_search" => Some("VertexAiSearchTool"),
            "enterprise_web_search" => Some(ENTERPRISE),
            _ => None,
        },
        _ => None,
    }
}

fn search_conflict(agent: &str, class: &str) -> CompileError {
    if class == ENTERPRISE {
        return CompileError::new(
            ErrorKind::ValueError,
            format!(
                "Agent '{agent}' has sub-agent transfer targets but is configured with EnterpriseWebSearchTool. Gemini \
                 models before 3.0 do not allow EnterpriseWebSearchTool to be combined with function calling (agent \
                 delegation). To enable both, use a Gemini 3+ model or move EnterpriseWebSearchTool into a \
                 mode=\"single_turn\" sub-agent."
            ),
            "Use a Gemini 3 model, or give the search to a sub-agent of its own",
        );
    }
    CompileError::new(
        ErrorKind::ValueError,
        format!(
            "Agent '{agent}' has sub-agent transfer targets but is configured with {class} without \
             bypass_multi_tools_limit=True. Gemini models before 3.0 do not allow built-in search tools to be \
             combined with function calling (agent delegation). To enable both search and sub-agent delegation, use \
             a Gemini 3+ model or set bypass_multi_tools_limit=True on GoogleSearchTool or VertexAiSearchTool."
        ),
        "Use a Gemini 3 model, or set bypass_multi_tools_limit on the search tool",
    )
}

fn instruction(inputs: &Inputs<'_>) -> RichText {
    let framing = Origin::processor("agent_transfer");
    let mut text = RichText::from_span(TRANSFER_INTRO, framing.clone());
    for (at, target) in inputs.targets.iter().enumerate() {
        if at > 0 {
            text.push("\n", framing.clone());
        }
        push_target(&mut text, target, &framing);
    }
    text.push(TRANSFER_RULES, framing.clone());
    let mut names: Vec<&Str> = inputs.targets.iter().map(|target| target.name).collect();
    names.sort();
    for (at, name) in names.into_iter().enumerate() {
        text.push(if at > 0 { ", `" } else { "`" }, framing.clone());
        text.push(name.clone(), Origin::Agent { name: name.clone(), field: AgentField::Name });
        text.push("`", framing.clone());
    }
    text.push(TRANSFER_END, framing.clone());
    if let Some(parent) = inputs.parent {
        let (before, after) =
            TRANSFER_PARENT_SUFFIX.split_once("«P»").unwrap_or((TRANSFER_PARENT_SUFFIX, ""));
        text.push(before, framing.clone());
        text.push(parent.clone(), Origin::Agent { name: parent.clone(), field: AgentField::Name });
        text.push(after, framing);
    }
    text
}

fn push_target(text: &mut RichText, target: &Target<'_>, framing: &Origin) {
    let field = |field| Origin::Agent { name: target.name.clone(), field };
    let (before, rest) = TRANSFER_TARGET.split_once("«N»").unwrap_or((TRANSFER_TARGET, ""));
    let (between, after) = rest.split_once("«D»").unwrap_or((rest, ""));
    text.push(before, framing.clone());
    text.push(target.name.clone(), field(AgentField::Name));
    text.push(between, framing.clone());
    text.push(target.description, field(AgentField::Description));
    text.push(after, framing.clone());
}

fn declaration(targets: &[Target<'_>]) -> Object {
    let names: Vec<Json> = targets.iter().map(|target| target.name.clone().into()).collect();
    let agent_name = Object::from_iter([
        ("title", Json::from("Agent Name")),
        ("type", Json::from("string")),
        ("enum", Json::from(names)),
    ]);
    let parameters = Object::from_iter([
        ("properties", Json::from(Object::from_iter([("agent_name", agent_name)]))),
        ("required", Json::from(vec![Json::from("agent_name")])),
        ("title", Json::from("transfer_to_agentParams")),
        ("type", Json::from("object")),
    ]);
    Object::from_iter([
        ("description", Json::from(TRANSFER_TOOL_DESCRIPTION)),
        ("name", Json::from("transfer_to_agent")),
        ("parametersJsonSchema", Json::from(parameters)),
    ])
}
