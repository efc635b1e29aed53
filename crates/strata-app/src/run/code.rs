//! The app's own code in a run: tools, and nodes and agents that are functions of a script.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use strata_model::app::{AgentKind, Callback, Node, Plugin, Tool};
use strata_model::{Agent, App, Content, Event, Json, Object, Part, Str};
use strata_runtime::{AgentCall, Answer, Code, Failure, Halt, Hook, Item, NodeCall, ToolCall, ToolResult};

use super::callbacks;
use super::script_code::{callback_function, function_of, script_failure};
use super::tools::{ToolScript, ToolSources};
use crate::error::AppError;

pub(crate) struct AppCode {
    pub tools: ToolSources,
}

impl AppCode {
    /// Calls the function of a node or an agent.
    async fn call(
        &self,
        name: &str,
        input: Json,
        context: &strata_runtime::Context,
    ) -> Result<Json, Failure> {
        let missing = || Failure::new("NotImplementedError", format!("The script has no function `{name}`."));
        let script = self.tools.script.as_ref().filter(|script| script.has(name)).ok_or_else(missing)?;
        let result = self.tools.run(script, name, input, &Object::new(), context).await;
        result.map(|returned| returned.result).map_err(|problem| script_failure(script, problem))
    }
}

impl Code for AppCode {
    fn run_tool<'a>(&'a self, call: ToolCall<'a>) -> BoxFuture<'a, Result<ToolResult, Failure>> {
        Box::pin(async move { Ok(self.tools.answer(&call).await) })
    }

    /// A rule of another program's cannot be applied here: a person decides.
    fn requires_confirmation(&self, _: &str, _: &Json, _: &Object) -> bool {
        true
    }

    fn open_toolset<'a>(&'a self, source: &'a Object) -> BoxFuture<'a, Result<(), Failure>> {
        Box::pin(async move {
            self.tools.toolsets.ready(source).await.map_err(|problem| {
                self.tools.listener.note(&format!("{problem} The agent goes on without its tools."));
                Failure::new("ConnectionError", problem)
            })
        })
    }

    fn hook<'a>(&'a self, hook: Hook<'a>) -> BoxFuture<'a, Result<Answer, Failure>> {
        Box::pin(callbacks::ask(&self.tools, hook))
    }

    fn run_node<'a>(&'a self, call: NodeCall<'a>) -> BoxFuture<'a, Result<(), Halt>> {
        Box::pin(async move {
            let mut input = call.params.clone();
            input.insert("input", call.input.to_json());
            let output =
                self.call(function_of(&call.node.code, &call.node.name), input.into(), call.context).await?;
            call.outlet.emit(Item::Output(output)).await;
            Ok(())
        })
    }

    fn run_agent<'a>(&'a self, call: AgentCall<'a>) -> BoxFuture<'a, Result<(), Halt>> {
        Box::pin(async move {
            let output = self.call(&call.agent.name, Json::Null, call.context).await?;
            let content = match &output {
                Json::Null => None,
                Json::String(text) => Some(Content::new("model", [Part::from_text(text.clone())])),
                other => {
                    let text = strata_model::json::to_compact(other);
                    Some(Content::new("model", [Part::from_text(text)]))
                }
            };
            let actions = call.context.actions();
            call.outlet.emit(Event { content: content.map(Arc::new), actions, ..Event::default() }).await;
            Ok(())
        })
    }
}

/// Refuses an app with nodes or agents of code that the script does not have.
pub(crate) fn check_code(app: &App, script: Option<&ToolScript>) -> Result<(), AppError> {
    let mut missing: Vec<Str> = Vec::new();
    let mut need = |name: &str| {
        if !script.is_some_and(|script| script.has(name)) {
            missing.push(name.into());
        }
    };
    each(app, &mut |found| match found {
        Found::Agent(agent) if agent.kind == AgentKind::Custom => need(&agent.name),
        Found::Node(code, name) => need(function_of(code, name)),
        Found::Agent(_) => {}
    });
    if missing.is_empty() {
        return Ok(());
    }
    let names = missing.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    let first = &missing[0];
    Err(AppError::bad_input(format!(
        "This app has parts whose behaviour is code, and nobody says what they do: {names}. Write them in JavaScript \
         (`export function {first}(input, context) {{ … }}`) and name the file with `--tools FILE`."
    )))
}

/// What of an app's code is not run, a sentence each.
pub(crate) fn left_out(app: &App, script: Option<&ToolScript>) -> Vec<String> {
    let mut notes = Vec::new();
    for plugin in app.plugins() {
        if let Plugin::Code { name, .. } = plugin {
            notes.push(format!("The plugin {name} is code and is not run."));
        }
    }
    each(app, &mut |found| {
        let Found::Agent(agent) = found else { return };
        let lists = [
            &agent.before_agent_callbacks,
            &agent.after_agent_callbacks,
            &agent.before_model_callbacks,
            &agent.after_model_callbacks,
            &agent.on_model_error_callbacks,
            &agent.before_tool_callbacks,
            &agent.after_tool_callbacks,
            &agent.on_tool_error_callbacks,
        ];
        for callback in lists.into_iter().flatten().flatten() {
            let Callback::Code { name, code } = callback else { continue };
            let function = callback_function(name, code.as_ref());
            if !script.is_some_and(|script| script.has(function)) {
                notes.push(format!(
                    "The callback {name} of {} is code and is not run: the script has no function `{function}`.",
                    agent.name
                ));
            }
        }
    });
    notes
}

enum Found<'a> {
    Agent(&'a Agent),
    Node(&'a Object, &'a str),
}

/// Visits every agent and node of an app.
fn each<'a>(app: &'a App, visit: &mut impl FnMut(Found<'a>)) {
    if let Some(root) = &app.root_agent {
        of_agent(root, visit);
    }
    if let Some(root) = &app.root_node {
        of_node(root, visit);
    }
}

fn of_agent<'a>(agent: &'a Agent, visit: &mut impl FnMut(Found<'a>)) {
    visit(Found::Agent(agent));
    for below in agent.sub_agents() {
        of_agent(below, visit);
    }
    for node in agent.nodes().iter().chain(agent.library()) {
        of_node(node, visit);
    }
    for tool in agent.tools() {
        of_tool(tool, visit);
    }
}

fn of_tool<'a>(tool: &'a Tool, visit: &mut impl FnMut(Found<'a>)) {
    match tool {
        Tool::AgentTool { agent, .. } => of_agent(agent, visit),
        Tool::NodeTool { node, .. } => of_node(node, visit),
        Tool::Toolset { tools, .. } => tools.iter().for_each(|tool| of_tool(tool, visit)),
        _ => {}
    }
}

fn of_node<'a>(node: &'a Node, visit: &mut impl FnMut(Found<'a>)) {
    match node {
        Node::Agent(agent) => of_agent(agent, visit),
        Node::Code(code) => visit(Found::Node(&code.code, &code.name)),
        Node::Tool(node) => of_tool(&node.tool, visit),
        Node::Join(_) => {}
    }
}
