//! The tools an agent's calls are looked up in.

use strata_model::app::AgentMode;
use strata_model::{EventActions, FunctionCall, Json, Object, Str, Tool};

use super::{ToolRun, result_text, text_argument};
use crate::adk_text::{LOAD_ARTIFACTS_BAD_NAMES, LOAD_ARTIFACTS_STATUS};
use crate::app_index::{AgentId, AppIndex};
use crate::error::{CompileError, ErrorKind};
use crate::memory::MemoryQuery;

/// A tool as it can be called.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct RunnableTool {
    pub name: Str,
    pub kind: RunnableKind,
}

/// How a tool comes to its result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RunnableKind {
    /// Its runs are given. Where the answer comes later, an empty result is none.
    Given {
        answers_later: bool,
    },
    /// An agent that is called like a function; its runs are given.
    Agent {
        skips_summarization: bool,
    },
    Transfer,
    ExitLoop,
    LoadArtifacts,
    LoadMemory,
}

/// The tools of an agent in the order ADK lists them, `transfer_to_agent` last.
pub fn runnable_tools(index: &AppIndex, id: AgentId) -> Vec<RunnableTool> {
    let agent = index.agent(id);
    let mut tools = Vec::new();
    for tool in agent.tools() {
        add(&mut tools, tool, None);
    }
    let given = |name: Str, answers_later| RunnableTool { name, kind: RunnableKind::Given { answers_later } };
    if agent.mode == Some(AgentMode::Task) {
        tools.push(given("finish_task".into(), false));
    }
    for (delegate, mode) in index.delegates(id) {
        tools.push(given(delegate.name.clone(), mode == AgentMode::Task));
    }
    if !index.transfer_targets(id).is_empty() {
        tools.push(RunnableTool { name: "transfer_to_agent".into(), kind: RunnableKind::Transfer });
    }
    tools
}

fn add(tools: &mut Vec<RunnableTool>, tool: &Tool, prefix: Option<&str>) {
    let prefixed = |name: &str| -> Str {
        prefix.map_or_else(|| name.into(), |prefix| format!("{prefix}_{name}").into())
    };
    let declared = |declaration: &Object| -> Str {
        prefixed(declaration.get("name").and_then(Json::as_str).unwrap_or_default())
    };
    let (name, kind) = match tool {
        Tool::Function { declaration, is_long_running, .. } => {
            (declared(declaration), RunnableKind::Given { answers_later: *is_long_running })
        }
        Tool::LongRunningFunction { declaration } => {
            (declared(declaration), RunnableKind::Given { answers_later: true })
        }
        Tool::TypedFunction { name, .. } => (prefixed(name), RunnableKind::Given { answers_later: false }),
        Tool::NodeTool { .. } => (tool.name(), RunnableKind::Given { answers_later: false }),
        Tool::RequestInput => (tool.name(), RunnableKind::Given { answers_later: true }),
        Tool::NoDeclaration { name } | Tool::BuiltIn { name, .. } | Tool::Code { name, .. } => {
            (name.clone(), RunnableKind::Given { answers_later: false })
        }
        Tool::Toolset { tools: inner, prefix, .. } => {
            for tool in inner {
                add(tools, tool, prefix.as_deref().filter(|prefix| !prefix.is_empty()));
            }
            return;
        }
        Tool::AgentTool { agent, skip_summarization, .. } => {
            (agent.name.clone(), RunnableKind::Agent { skips_summarization: *skip_summarization })
        }
        Tool::LoadMemory => ("load_memory".into(), RunnableKind::LoadMemory),
        Tool::PreloadMemory => ("preload_memory".into(), RunnableKind::Given { answers_later: false }),
        Tool::LoadArtifacts => ("load_artifacts".into(), RunnableKind::LoadArtifacts),
        Tool::ExitLoop => ("exit_loop".into(), RunnableKind::ExitLoop),
        Tool::GoogleSearch { .. } => ("google_search".into(), RunnableKind::Given { answers_later: false }),
        Tool::Examples { .. } => ("example_tool".into(), RunnableKind::Given { answers_later: false }),
    };
    tools.push(RunnableTool { name, kind });
}

impl RunnableTool {
    /// Whether an empty result means that the answer comes later.
    pub(super) fn answers_later(&self) -> bool {
        self.kind == RunnableKind::Given { answers_later: true }
    }

    /// The result of a tool that can be worked out; `None` for one whose runs are given.
    pub(super) fn result(
        &self,
        run: &ToolRun<'_>,
        call: &FunctionCall,
        actions: &mut EventActions,
    ) -> Option<Result<Json, CompileError>> {
        match self.kind {
            RunnableKind::Given { .. } => None,
            RunnableKind::Agent { skips_summarization } => {
                actions.skip_summarization = skips_summarization.then_some(true);
                None
            }
            RunnableKind::Transfer => {
                actions.transfer_to_agent = Some(text_argument(call, "agent_name")?.into());
                Some(Ok(Json::Null))
            }
            RunnableKind::ExitLoop => {
                actions.escalate = Some(true);
                actions.skip_summarization = Some(true);
                Some(Ok(Json::Null))
            }
            RunnableKind::LoadArtifacts => Some(Ok(loaded_names(call))),
            RunnableKind::LoadMemory => Some(memories(run, text_argument(call, "query")?)),
        }
    }

    /// What people are shown of an agent's result that the model does not put into words.
    pub(super) fn shown_text(&self, result: &Json, actions: &EventActions) -> Option<String> {
        matches!(self.kind, RunnableKind::Agent { .. }).then(|| shown_result(result, actions)).flatten()
    }
}

/// The text people are shown of what an agent or a node returned, where the model does not put it into words.
pub fn shown_result(result: &Json, actions: &EventActions) -> Option<String> {
    let is_shown = actions.skip_summarization == Some(true) && result.get("error").is_none();
    let is_nothing = match result {
        Json::Null => true,
        Json::String(text) => text.is_empty(),
        Json::Object(object) => object.len() == 1 && object.get("result").is_some_and(Json::is_null),
        _ => false,
    };
    (is_shown && !is_nothing).then(|| result_text(result))
}

/// What `load_artifacts` answers.
pub fn loaded_names(call: &FunctionCall) -> Json {
    let asked = call.args.as_deref().and_then(|args| args.get("artifact_names"));
    let names = asked.map_or(Some(&[][..]), Json::as_array);
    match names.filter(|names| names.iter().all(|name| name.as_str().is_some())) {
        Some(names) => {
            let mut result = Object::new();
            result.push("artifact_names", names.to_vec());
            result.push("status", LOAD_ARTIFACTS_STATUS);
            result.into()
        }
        None => {
            let mut result = Object::from_iter([("error", LOAD_ARTIFACTS_BAD_NAMES)]);
            result.push("error_code", "INVALID_ARGUMENTS");
            result.into()
        }
    }
}

fn memories(run: &ToolRun<'_>, query: &str) -> Result<Json, CompileError> {
    let Some(memory) = &run.services.memory else {
        return Err(CompileError::new(
            ErrorKind::ValueError,
            "Memory service is not available.",
            "run the app with a memory service, or take load_memory off the agent's tools",
        ));
    };
    let found = memory.search(&MemoryQuery {
        app_name: run.session.app_name,
        user_id: run.session.user_id,
        session_id: run.session.session_id,
        at: f64::INFINITY,
        query,
    });
    let found: Vec<Json> = found.iter().map(|memory| memory.to_json()).collect();
    // The tool returns an object of its own, which ADK wraps like any other value that is no dict.
    let memories: Object = Object::from_iter([("memories", found)]);
    Ok(Object::from_iter([("result", memories)]).into())
}
