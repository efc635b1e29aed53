//! Agents as nodes. One that calls a model answers once, chats, or works on a task; what it delegates runs below it.

use std::collections::HashSet;
use std::sync::Arc;

use strata_engine::AgentId;
use strata_engine::adk_text::REQUEST_CONFIRMATION;
use strata_model::app::AgentMode;
use strata_model::{Content, Event, FunctionCall, FunctionResponse, Json, NodePath, Object, Part, Str};

use super::inputs::as_user_content;
use crate::adk_text::FINISH_WHILE_DELEGATING;
use crate::agent_mark::AgentMark;
use crate::context::{Context, InvocationContext};
use crate::events::{Events, Outlet};
use crate::halt::Halt;
use crate::host::Value;
use crate::live::InputId;
use crate::program::{AgentNode, Node};
use crate::run_node::RunNode;
use crate::structured;
use crate::tools::{Tools, is_task_end};

/// Runs an agent as a node.
pub(super) async fn work(
    agent: &AgentNode,
    node: &Arc<Node>,
    context: Context,
    input: Value,
    outlet: Outlet,
) -> Result<(), Halt> {
    if !agent.config.is_llm() {
        return composite(agent, node, &context, &outlet).await;
    }
    let invocation = InvocationContext {
        agent: Some(agent.id),
        mode: agent.mode,
        include_contents: agent.include_contents,
        ..context.agent_invocation()
    };
    match agent.mode {
        Some(AgentMode::SingleTurn) | None => once(agent, &context, invocation, input, &outlet).await,
        Some(AgentMode::Chat) => delegating(agent, &context, invocation, &outlet).await,
        Some(AgentMode::Task) => {
            let user_content =
                if input.is_none() { invocation.user_content.clone() } else { Some(as_user_content(&input)) };
            let invocation = InvocationContext { user_content, ..invocation };
            delegating(agent, &context, invocation, &outlet).await
        }
    }
}

/// The author of an event speaks for the node from then on.
async fn tell(event: Event, context: &Context, outlet: &Outlet) {
    if !event.author.is_empty() {
        context.run().event_author = event.author.clone();
    }
    outlet.emit(event).await;
}

/// Composites and agents of the app's own kind: their events carry the node's path.
async fn composite(
    agent: &AgentNode,
    node: &Arc<Node>,
    context: &Context,
    outlet: &Outlet,
) -> Result<(), Halt> {
    let invocation = context.agent_invocation();
    let mut events = invocation.events_of(agent.id);
    while let Some(mut event) = events.next().await? {
        if event.node_info.path.is_empty() && event.author == node.name {
            event.node_info.path = NodePath::new(context.node_path().clone());
        }
        tell(event, context, outlet).await;
    }
    Ok(())
}

/// The input of an agent that answers once; it leaves the history when the agent is done.
struct InputGuard<'g> {
    invocation: &'g InvocationContext,
    id: InputId,
}

impl Drop for InputGuard<'_> {
    fn drop(&mut self) {
        self.invocation.run.session.lock().remove_input(self.id);
    }
}

async fn once(
    agent: &AgentNode,
    context: &Context,
    mut invocation: InvocationContext,
    input: Value,
    outlet: &Outlet,
) -> Result<(), Halt> {
    let is_given = !input.is_none() && context.resume_inputs().is_empty();
    if is_given {
        let event = Event {
            id: invocation.run.new_id(),
            author: "user".into(),
            content: Some(as_user_content(&input)),
            node_info: strata_model::NodeInfo {
                path: NodePath::new(context.node_path().clone()),
                ..Default::default()
            },
            isolation_scope: invocation.isolation_scope.clone().filter(|scope| !scope.is_empty()),
            branch: invocation.branch.clone().filter(|branch| !branch.is_empty()),
            timestamp: invocation.run.now(),
            ..Event::default()
        };
        invocation.input = Some(invocation.run.session.lock().add_input(event));
    }
    let owner = invocation.clone();
    let _given = invocation.input.filter(|_| is_given).map(|id| InputGuard { invocation: &owner, id });
    let mut events = invocation.events_of(agent.id);
    while let Some(mut event) = events.next().await? {
        make_output(agent, context, &mut event)?;
        tell(event, context, outlet).await;
    }
    Ok(())
}

/// What the agent says is its output.
fn make_output(agent: &AgentNode, context: &Context, event: &mut Event) -> Result<(), Halt> {
    let has_calls = event.function_calls().next().is_some();
    let Some(content) = &event.content else { return Ok(()) };
    if has_calls || event.partial == Some(true) || content.role.as_deref() != Some("model") {
        return Ok(());
    }
    let output = structured::output_of(&agent.config, content)?;
    if let (Some(key), Some(output)) =
        (agent.config.output_key.as_ref().filter(|key| !key.is_empty()), &output)
    {
        context.edit_actions(|actions| {
            actions.state_delta.insert(key.clone(), output.clone());
        });
    }
    event.output = output.filter(|output| !output.is_null());
    if agent.config.output_schema.is_none() {
        event.node_info.message_as_output = Some(true);
    }
    Ok(())
}

/// How a turn of the agent ended.
enum Turn {
    /// It said what it had to say, handed over, or finished its task.
    Done,
    /// Tasks were delegated and done: the agent goes on with what they gave.
    Delegated,
}

async fn delegating(
    agent: &AgentNode,
    context: &Context,
    invocation: InvocationContext,
    outlet: &Outlet,
) -> Result<(), Halt> {
    let tools = Tools::of(invocation.index(), agent.id);
    for call in open_delegations(agent, context, &invocation, &tools) {
        delegate(agent, &call, context, &invocation, &tools, outlet).await?;
    }
    loop {
        match turn(agent, context, &invocation, &tools, outlet).await? {
            Turn::Done => return Ok(()),
            Turn::Delegated => {}
        }
    }
}

async fn turn(
    agent: &AgentNode,
    context: &Context,
    invocation: &InvocationContext,
    tools: &Tools,
    outlet: &Outlet,
) -> Result<Turn, Halt> {
    let is_task = agent.mode == Some(AgentMode::Task);
    let mut finish: Option<Object> = None;
    let mut events = invocation.events_of(agent.id);
    while let Some(mut event) = events.next().await? {
        let tasks = delegations_in(&event, tools);
        if is_task && tasks.is_empty() {
            if let Some(args) = finish_call(&event) {
                finish = Some(args);
                tell(event, context, outlet).await;
                continue;
            }
            if let Some(args) = finish.as_ref().filter(|_| event.function_responses().any(is_task_end)) {
                let wrapped = structured::task_wrapper(&agent.config).and_then(|key| args.get(key));
                let output = wrapped.cloned().unwrap_or_else(|| args.clone().into());
                event.output = Some(output).filter(|output| !output.is_null());
                let key = agent.config.output_key.as_ref().filter(|key| !key.is_empty());
                if let (Some(key), Some(output)) = (key, &event.output) {
                    context.edit_actions(|actions| {
                        actions.state_delta.insert(key.clone(), output.clone());
                    });
                }
                tell(event, context, outlet).await;
                return Ok(Turn::Done);
            }
        }
        let has_others = event.function_calls().any(|call| {
            let tool = call.name.as_deref().and_then(|name| tools.get(name));
            tool.is_some_and(|tool| !tool.is_task())
        });
        let hands_over = event.actions.transfer_to_agent.is_some();
        tell(event, context, outlet).await;
        if !tasks.is_empty() {
            if has_others {
                drain(&mut events, context, outlet).await?;
            }
            for call in tasks {
                delegate(agent, &call, context, invocation, tools, outlet).await?;
            }
            return Ok(Turn::Delegated);
        }
        if hands_over {
            if invocation.run.is_resumable {
                let own = context.invocation();
                let event = AgentMark::of(&own, &agent.config.name).end_event();
                tell(event, context, outlet).await;
            }
            return Ok(Turn::Done);
        }
    }
    Ok(Turn::Done)
}

/// Lets the other calls of a turn be answered that also delegates.
async fn drain(events: &mut Events<'_>, context: &Context, outlet: &Outlet) -> Result<(), Halt> {
    while let Some(event) = events.next().await? {
        let is_models =
            event.content.as_ref().is_some_and(|content| content.role.as_deref() == Some("model"));
        if is_models {
            let asks = event.function_calls().any(|call| call.name.as_deref() == Some(REQUEST_CONFIRMATION));
            if !asks {
                return Ok(());
            }
            tell(event, context, outlet).await;
            continue;
        }
        let has_answers = event.function_responses().next().is_some();
        tell(without_finish(event), context, outlet).await;
        if has_answers {
            return Ok(());
        }
    }
    Ok(())
}

/// A task is not finished in a turn that delegates.
fn without_finish(mut event: Event) -> Event {
    let finishes = |part: &Arc<Part>| {
        part.function_response
            .as_ref()
            .is_some_and(|response| response.name.as_deref() == Some("finish_task"))
    };
    if !event.parts().iter().any(finishes) {
        return event;
    }
    let parts = event.parts().iter().map(|part| {
        let mut part = Part::clone(part);
        if let Some(response) = &mut part.function_response
            && response.name.as_deref() == Some("finish_task")
        {
            response.response = Some(Arc::new(Object::from_iter([("error", FINISH_WHILE_DELEGATING)])));
        }
        part
    });
    let role = event.content.as_ref().and_then(|content| content.role.clone());
    let content = Content { role, ..Content::new("", parts) };
    event.content = Some(Arc::new(content));
    event
}

fn finish_call(event: &Event) -> Option<Object> {
    if event.partial == Some(true) {
        return None;
    }
    let call = event.function_calls().find(|call| call.name.as_deref() == Some("finish_task"))?;
    Some(call.args.as_deref().cloned().unwrap_or_default())
}

/// The calls of an event that delegate a task.
fn delegations_in(event: &Event, tools: &Tools) -> Vec<FunctionCall> {
    if event.partial == Some(true) {
        return Vec::new();
    }
    event.function_calls().filter(|call| is_delegation(call, tools)).cloned().collect()
}

fn is_delegation(call: &FunctionCall, tools: &Tools) -> bool {
    let has_id = call.id.as_deref().is_some_and(|id| !id.is_empty());
    has_id && call.name.as_deref().and_then(|name| tools.get(name)).is_some_and(|tool| tool.is_task())
}

/// Delegations of earlier turns that are not answered. A task looks at its own scope alone.
fn open_delegations(
    agent: &AgentNode,
    context: &Context,
    invocation: &InvocationContext,
    tools: &Tools,
) -> Vec<FunctionCall> {
    let scope: Option<Str> =
        if agent.mode == Some(AgentMode::Task) { context.run().isolation_scope.clone() } else { None };
    let live = invocation.run.session.lock();
    let mut calls: Vec<FunctionCall> = Vec::new();
    let mut answered: HashSet<Str> = HashSet::new();
    for logged in live.live_events() {
        let event = &logged.event;
        if event.author != agent.config.name && !event.is_from_user() {
            continue;
        }
        answered.extend(event.function_responses().filter_map(|response| response.id.clone()));
        if scope.is_some() && event.isolation_scope != scope {
            continue;
        }
        for call in event.function_calls().filter(|call| is_delegation(call, tools)) {
            calls.retain(|known| known.id != call.id);
            calls.push(call.clone());
        }
    }
    calls.retain(|call| call.id.as_ref().is_none_or(|id| !answered.contains(id)));
    calls
}

/// Runs a delegated task, and tells what it gave as the answer to the call.
async fn delegate(
    agent: &AgentNode,
    call: &FunctionCall,
    context: &Context,
    invocation: &InvocationContext,
    tools: &Tools,
    outlet: &Outlet,
) -> Result<(), Halt> {
    let Some(target) = task_target(call, tools) else { return Ok(()) };
    let id = call.id.clone().unwrap_or_default();
    let program = &invocation.run.program;
    let node = program.agent_node(target, &agent.tree.at_top(program.index(), agent.id));
    let input = call.args.as_deref().map_or(Value::NONE, |args| Json::from(args.clone()).into());
    let run = RunNode {
        run_id: Some(id.clone()),
        use_sub_branch: true,
        isolation_scope: Some(id),
        stops_on_wait: true,
        ..RunNode::new(node, input)
    };
    let response = match context.run_node(run).await?.to_json() {
        Json::Object(output) => output,
        other => Object::from_iter([("output", other)]),
    };
    let response = FunctionResponse {
        id: call.id.clone(),
        name: call.name.clone(),
        response: Some(Arc::new(response)),
        ..FunctionResponse::default()
    };
    let content = Content::new("user", [Part::from_response(response)]);
    let event = Event { author: "user".into(), content: Some(Arc::new(content)), ..Event::default() };
    tell(event, context, outlet).await;
    Ok(())
}

fn task_target(call: &FunctionCall, tools: &Tools) -> Option<AgentId> {
    match tools.get(call.name.as_deref()?)?.kind {
        crate::tools::ToolKind::Task { agent } => Some(agent),
        _ => None,
    }
}
