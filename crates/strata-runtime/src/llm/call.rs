//! The call of the model: hooks, the gate, the responses, and what follows from them.

use std::sync::Arc;

use futures_util::StreamExt as _;
use parking_lot::Mutex;
use strata_model::{Content, Event, EventActions, FunctionCall, LlmRequest, LlmResponse, Part, Str};

use super::answers::{answer, calls_of};
use super::compile::{Compiled, Compiling};
use super::response;
use crate::context::{Context, InvocationContext, SharedActions};
use crate::events::{Events, Outlet};
use crate::halt::{Failure, Halt};
use crate::hooks::{ModelHooks, own_event};
use crate::host::{HeldCall, ModelCall};
use crate::tools::Tools;

/// Calls the model once, and tells its responses with what their calls come to.
pub(super) async fn run(
    invocation: &InvocationContext,
    compiling: Compiling<'_>,
    tools: Tools,
    outlet: &Outlet,
) -> Result<(), Halt> {
    let actions = SharedActions::default();
    let mut template = own_event(invocation);
    let mut responses = Events::new(|outlet| generate(invocation, compiling, actions.clone(), outlet));
    while let Some(response) = responses.next().await? {
        let mut events = Events::new(|outlet| {
            process(invocation, response, template.clone(), actions.clone(), tools.clone(), outlet)
        });
        while let Some(event) = events.next().await? {
            if event.partial != Some(true) {
                template.id = invocation.run.new_id();
            }
            template.timestamp = invocation.run.now();
            outlet.emit(event).await;
        }
    }
    Ok(())
}

/// The responses of the model, or of a hook in its place.
async fn generate(
    invocation: &InvocationContext,
    compiling: Compiling<'_>,
    actions: SharedActions,
    outlet: Outlet<LlmResponse>,
) -> Result<(), Halt> {
    let agent = invocation.agent_config()?;
    let context = Context::gathering(invocation, actions);
    let (compilation, asked) = match compiling.close(&context).await? {
        Compiled::Answered(response) => {
            outlet.emit(*response).await;
            return Ok(());
        }
        Compiled::Request(compilation, asked) => (compilation, asked),
    };
    let run = &invocation.run;
    run.count_model_call()?;
    let held = {
        let live = run.session.lock();
        HeldCall {
            invocation: invocation.to_engine(),
            session: live.key.clone(),
            n_events: live.log.len(),
            state: live.state.clone(),
            input: live.input(invocation.input),
            compilation,
            asked,
        }
    };
    let request = Arc::new(invocation.wait(run.host.gate.before_call(held)).await??);
    let hooks = ModelHooks { context: &context, agent: &agent };
    let mut responses = run.host.models.generate(ModelCall {
        agent: agent.name.clone(),
        model: invocation.index().model(invocation.agent_id()?).name.clone(),
        request: request.clone(),
        is_streaming: run.config.is_streaming,
    });
    while let Some(response) = invocation.wait(responses.next()).await? {
        let (response, is_last) = match response {
            Ok(response) => (response, false),
            Err(failure) => (recovered(&hooks, &request, failure).await?, true),
        };
        let replaced = hooks.after(&response).await?;
        outlet.emit(replaced.unwrap_or(response)).await;
        if is_last {
            break;
        }
    }
    Ok(())
}

async fn recovered(
    hooks: &ModelHooks<'_>,
    request: &LlmRequest,
    failure: Failure,
) -> Result<LlmResponse, Halt> {
    let recovered = hooks.on_error(request, &failure).await?;
    recovered.ok_or(Halt::Failed(failure))
}

/// Makes an event of a response, and runs the calls in it.
async fn process(
    invocation: &InvocationContext,
    mut given: LlmResponse,
    template: Event,
    actions: Arc<Mutex<EventActions>>,
    tools: Tools,
    outlet: Outlet,
) -> Result<(), Halt> {
    response::mark_empty(&mut given, invocation.run.config.is_streaming);
    let agent = invocation.agent_config()?;
    response::run_processors(&agent, &mut given);
    if !response::says_something(&given) {
        return Ok(());
    }
    let mut event = Event { actions: actions.lock().clone(), ..template };
    given.write_to(&mut event);
    name_calls(invocation, &mut event, &tools);
    let calls: Vec<FunctionCall> = calls_of(&event);
    let is_partial = event.partial == Some(true);
    outlet.emit(event).await;
    if calls.is_empty() || is_partial {
        return Ok(());
    }
    answer(invocation, &calls, tools, &outlet).await
}

/// Gives ids to calls that came without one, and notes those that are answered later.
fn name_calls(invocation: &InvocationContext, event: &mut Event, tools: &Tools) {
    if event.function_calls().next().is_none() {
        return;
    }
    let lacks_id = |part: &&Arc<Part>| {
        part.function_call.as_ref().is_some_and(|call| call.id.as_deref().is_none_or(str::is_empty))
    };
    if event.parts().iter().any(|part| lacks_id(&part))
        && let Some(content) = &event.content
    {
        let named = content.parts().iter().map(|part| {
            if !lacks_id(&part) {
                return part.clone();
            }
            let mut part = Part::clone(part);
            if let Some(call) = &mut part.function_call {
                call.id = Some(invocation.run.new_call_id());
            }
            Arc::new(part)
        });
        let content = Content { parts: Some(named.collect()), ..Content::clone(content) };
        event.content = Some(Arc::new(content));
    }
    let is_long = |call: &&FunctionCall| {
        call.name.as_deref().and_then(|name| tools.get(name)).is_some_and(|tool| tool.is_long_running())
    };
    let long: Vec<Str> = event.function_calls().filter(is_long).filter_map(|call| call.id.clone()).collect();
    event.long_running_tool_ids = Some(long);
}
