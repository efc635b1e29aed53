//! The request of a step: the compiler's flow, with the work that has to be done on the way.

use std::sync::Arc;

use strata_engine::turn::tool_calls::runnable_tools;
use strata_engine::{
    Answers, ApprovedCalls, Backend, CallSource, Compilation, CompileContext, CompileRun, EarlyEnd, Flow,
    Invocation, LoggedEvent, Memory, Outcome, Services, SessionIds, StateView, Step, approved_calls,
    own_branch_events,
};
use strata_model::app::{AgentMode, Tool};
use strata_model::{Event, LlmRequest, LlmResponse};

use super::answers::calls_of;
use crate::compaction;
use crate::context::{Context, InvocationContext};
use crate::events::Outlet;
use crate::halt::{Failure, Halt};
use crate::hooks::{ModelHooks, Proceed};
use crate::host::AskedCode;
use crate::live::LiveSession;
use crate::tasks::{GATHERING, step_back};
use crate::tools::{Tools, credentials, run_calls};

/// A request that is being made.
pub(super) struct Compiling<'i> {
    invocation: &'i InvocationContext,
    inputs: Invocation,
    flow: Flow,
    run: CompileRun,
}

/// How making a request ended.
pub(super) enum Compiled {
    /// The model is called with the last stage of this. Code of the app was asked at some stages.
    Request(Arc<Compilation>, Vec<AskedCode>),
    /// A hook has answered in place of the model.
    Answered(Box<LlmResponse>),
}

impl<'i> Compiling<'i> {
    pub(super) fn new(invocation: &'i InvocationContext) -> Result<Self, Halt> {
        let flow = invocation.run.program.flow(invocation.agent_id()?);
        Ok(Self { invocation, inputs: invocation.to_engine(), flow, run: CompileRun::new() })
    }

    pub(super) fn request(&self) -> &LlmRequest {
        self.run.request()
    }

    /// The tools a model may call that is sent this request.
    pub(super) fn tools(&self) -> Result<Tools, Halt> {
        let invocation = self.invocation;
        let names = self.request().tool_names.clone();
        Ok(Tools::registered(invocation.index(), invocation.agent_id()?, &names))
    }

    /// Puts the request together. What work on the way tells goes to `outlet`.
    pub(super) async fn assemble(&mut self, outlet: Outlet) -> Result<(), Halt> {
        let flow = self.flow.clone();
        for step in &flow.steps()[..self.closing()] {
            match step.processor.name() {
                _ if !step.is_enabled => {}
                "auth" => self.take_credentials(&outlet).await?,
                "request_confirmation" => self.take_approvals(&outlet).await?,
                "compaction" => compaction::before_call(self.invocation).await?,
                "agent_transfer" => self.gather(self.hands_over()).await,
                "agent_tools" => {
                    self.open_toolsets().await?;
                    self.gather(self.has_tools()).await;
                }
                _ => {}
            }
            if !self.invocation.is_ended() && self.step(step).await?.is_some() {
                self.invocation.end();
            }
            if self.invocation.is_ended() {
                return Ok(());
            }
        }
        Ok(())
    }

    /// The place of the first step that is taken when the request is closed: a hook, or the call itself.
    fn closing(&self) -> usize {
        let steps = self.flow.steps();
        let is_closing = |step: &Step| step.hook.is_some() || step.processor.name() == "model_call";
        steps.iter().position(is_closing).unwrap_or(steps.len())
    }

    /// Asks the hooks before the call, and closes the request.
    pub(super) async fn close(mut self, context: &Context) -> Result<Compiled, Halt> {
        let agent = self.invocation.agent_config()?;
        let hooks = ModelHooks { context, agent: &agent };
        let flow = self.flow.clone();
        let mut asked = Vec::new();
        for step in &flow.steps()[self.closing()..] {
            let Some(hook) = step.hook.filter(|_| step.is_enabled) else {
                self.step(step).await?;
                continue;
            };
            let is_plugin = matches!(hook, strata_engine::Hook::Plugin(_));
            if is_plugin && !self.invocation.run.has_plugins {
                continue;
            }
            if hooks.is_code(hook) {
                if let Proceed::Answered(response) = hooks.before(hook, step, &mut self.run).await? {
                    return Ok(Compiled::Answered(response));
                }
                asked.push(AskedCode { hook, stage: self.run.n_stages() - 1 });
                continue;
            }
            let end = self.step(step).await?;
            let written = self.run.last_output().map(|output| output.state_delta.clone());
            for (key, value) in written.unwrap_or_default() {
                context.set_state(key, value)?;
            }
            if let Some(EarlyEnd::Answered { text }) = end {
                return Ok(Compiled::Answered(Box::new(LlmResponse::from_text(text))));
            }
        }
        Ok(Compiled::Request(Arc::new(self.run.finish(&flow, Outcome::Request)), asked))
    }

    /// Runs a step of the flow over the session as it is now.
    async fn step(&mut self, step: &Step) -> Result<Option<EarlyEnd>, Halt> {
        let services = services(self.invocation).await?;
        let mut live = self.invocation.run.session.lock();
        let mut stages = std::mem::take(&mut live.stages);
        let end = with_context(self.invocation, &self.inputs, &live, &services, |context| {
            self.run.step(step, context, &mut stages)
        });
        stages.limit(MOST_STAGES);
        live.stages = stages;
        Ok(end??)
    }

    /// Runs calls again that waited for a credential.
    async fn take_credentials(&mut self, outlet: &Outlet) -> Result<(), Halt> {
        let invocation = self.invocation;
        let events = branch_events(invocation, &invocation.run.session.lock(), None);
        let waited = credentials::take_answers(&mut invocation.run.session.lock(), &events);
        if waited.is_empty() {
            return Ok(());
        }
        let name = invocation.agent_name();
        let before_last = &events[..events.len() - 1];
        let calls = before_last.iter().rev().filter(|event| event.author == name).map(|event| {
            let mut calls = calls_of(event);
            calls.retain(|call| call.id.as_ref().is_some_and(|id| waited.contains(id)));
            calls
        });
        let Some(calls) = calls.into_iter().find(|calls| !calls.is_empty()) else { return Ok(()) };
        let tools = Tools::of(invocation.index(), invocation.agent_id()?);
        let answers = run_calls(invocation, &calls, tools, &std::collections::HashMap::new()).await;
        if let Some(event) = answers.map_err(|stopped| stopped.halt)? {
            outlet.emit(event).await;
        }
        Ok(())
    }

    /// Runs calls, or refuses them, that waited for approval.
    async fn take_approvals(&mut self, outlet: &Outlet) -> Result<(), Halt> {
        let invocation = self.invocation;
        let id = invocation.agent_id()?;
        let approved = {
            let tools = runnable_tools(invocation.index(), id);
            let live = invocation.run.session.lock();
            let none = Services::default();
            with_context(invocation, &self.inputs, &live, &none, |context| {
                approved_calls(&own_branch_events(context), &context.agent().name, &tools)
            })??
        };
        match approved {
            ApprovedCalls::Nothing(_) => {}
            ApprovedCalls::Ends => invocation.end(),
            ApprovedCalls::Calls { calls, confirmations } => {
                let tools = Tools::of(invocation.index(), id);
                let answers = run_calls(invocation, &calls, tools, &confirmations).await;
                if let Some(event) = answers.map_err(|stopped| stopped.halt)? {
                    outlet.emit(event).await;
                }
            }
        }
        Ok(())
    }

    /// ADK gathers what the agent may call or hand over to, if there is any.
    async fn gather(&self, is_any: bool) {
        step_back(if is_any { GATHERING } else { 0 }).await;
    }

    fn hands_over(&self) -> bool {
        let is_delegated = matches!(self.invocation.mode(), Some(AgentMode::Task | AgentMode::SingleTurn));
        let index = self.invocation.index();
        !is_delegated && self.invocation.agent.is_some_and(|agent| !index.transfer_targets(agent).is_empty())
    }

    fn has_tools(&self) -> bool {
        let index = self.invocation.index();
        self.invocation.agent.is_some_and(|agent| index.has_tools(agent))
    }

    /// A toolset that cannot be opened is left out of the request.
    async fn open_toolsets(&mut self) -> Result<(), Halt> {
        let agent = self.invocation.agent_config()?;
        for (at, tool) in agent.tools().iter().enumerate() {
            if let Tool::Toolset { source: Some(source), .. } = tool {
                let code = self.invocation.run.host.code.clone();
                if self.invocation.wait(code.open_toolset(source)).await?.is_err() {
                    self.inputs.closed_toolsets.push(at);
                }
            }
        }
        Ok(())
    }
}

/// Stages that are kept to be used again.
const MOST_STAGES: usize = 256;

/// What a compile sees beside the session.
async fn services(invocation: &InvocationContext) -> Result<Services, Failure> {
    let run = &invocation.run;
    let artifacts = match &run.services.artifacts {
        Some(service) => Some(service.view(&run.key).await?),
        None => None,
    };
    let memory = match &run.services.memory {
        Some(service) => Some(Memory::Sessions(service.view(&run.key.app_name, &run.key.user_id).await?)),
        None => None,
    };
    Ok(Services { artifacts, memory, ..Services::default() })
}

fn with_context<R>(
    invocation: &InvocationContext,
    inputs: &Invocation,
    live: &LiveSession,
    services: &Services,
    work: impl FnOnce(&CompileContext<'_>) -> R,
) -> Result<R, Halt> {
    let answers = Answers::default();
    let context = CompileContext {
        index: invocation.index(),
        agent_id: invocation.agent_id()?,
        invocation: inputs,
        events: live.view(invocation.input),
        state: StateView::of(&live.state),
        session: SessionIds {
            app_name: &live.key.app_name,
            user_id: &live.key.user_id,
            session_id: &live.key.session_id,
        },
        services,
        backend: Backend::AiStudio,
        source: CallSource::Running,
        answers: &answers,
        recorded: None,
        unedited: None,
    };
    Ok(work(&context))
}

/// The events of the agent's own place, oldest first; only those of an invocation, if one is named.
pub(super) fn branch_events(
    invocation: &InvocationContext,
    live: &LiveSession,
    only: Option<&str>,
) -> Vec<Arc<Event>> {
    let inputs = invocation.to_engine();
    let is_wanted = |logged: &&LoggedEvent| only.is_none_or(|id| *logged.event.invocation_id == *id);
    let events = with_context(invocation, &inputs, live, &Services::default(), |context| {
        own_branch_events(context).into_iter().filter(is_wanted).map(|logged| logged.event.clone()).collect()
    });
    events.unwrap_or_default()
}
