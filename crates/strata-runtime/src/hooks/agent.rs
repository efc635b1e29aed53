//! Hooks around the turn of an agent.

use std::sync::Arc;

use strata_model::app::{Callback, Plugin};
use strata_model::{Agent, Content, Event};

use super::{ask_callback, ask_plugin, built_in, code_of, own_event, plugins_of};
use crate::context::{Context, InvocationContext};
use crate::halt::{Failure, Halt};
use crate::host::{Answer, HookPoint};

/// What is answered in place of the agent, or written before it. An answer ends the agent's turn.
pub(crate) async fn before_agent(invocation: &InvocationContext) -> Result<Option<Event>, Halt> {
    around(invocation, Moment::Before).await
}

/// What is said or written after the agent's turn.
pub(crate) async fn after_agent(invocation: &InvocationContext) -> Result<Option<Event>, Halt> {
    around(invocation, Moment::After).await
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Moment {
    Before,
    After,
}

impl Moment {
    fn point(self, agent: &str) -> HookPoint<'_> {
        match self {
            Self::Before => HookPoint::BeforeAgent { agent },
            Self::After => HookPoint::AfterAgent { agent },
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Before => "before_agent",
            Self::After => "after_agent",
        }
    }

    fn callbacks(self, agent: &Agent) -> &[Callback] {
        let list = match self {
            Self::Before => &agent.before_agent_callbacks,
            Self::After => &agent.after_agent_callbacks,
        };
        list.as_deref().unwrap_or_default()
    }
}

async fn around(invocation: &InvocationContext, moment: Moment) -> Result<Option<Event>, Halt> {
    let agent = invocation.agent_config()?;
    let context = Context::of_callback(invocation);
    let said = said(invocation, &context, &agent, moment).await?;
    let actions = context.actions();
    if let Some(content) = said {
        let event = Event { content: Some(Arc::new(content)), actions, ..own_event(invocation) };
        if moment == Moment::Before {
            invocation.end();
        }
        return Ok(Some(event));
    }
    let has_written = !actions.state_delta.is_empty() || !actions.artifact_delta.is_empty();
    Ok(has_written.then(|| Event { actions, ..own_event(invocation) }))
}

async fn said(
    invocation: &InvocationContext,
    context: &Context,
    agent: &Agent,
    moment: Moment,
) -> Result<Option<Content>, Halt> {
    for plugin in plugins_of(invocation) {
        if matches!(plugin, Plugin::SaveFilesAsArtifacts { .. }) && moment == Moment::Before {
            built_in::tell_saved(context)?;
        }
        let Plugin::Code { name, code: Some(code), .. } = &plugin else { continue };
        match ask_plugin(context, name, code, moment.name(), moment.point(&agent.name)).await? {
            Answer::Content(content) => return Ok(Some(content)),
            Answer::Nothing => {}
            _ => break,
        }
    }
    for callback in moment.callbacks(agent) {
        match callback {
            Callback::SetState { values } => {
                for (key, value) in values.iter() {
                    context.set_state(key.clone(), value.clone())?;
                }
            }
            Callback::ShortCircuit { text } => {
                return Ok(Some(Content::new("model", [strata_model::Part::from_text(text.clone())])));
            }
            callback => {
                let Some(code) = code_of(callback) else { continue };
                let point = moment.point(&agent.name);
                if let Answer::Content(content) = ask_callback(context, &agent.name, code, point).await? {
                    return Ok(Some(content));
                }
            }
        }
    }
    Ok(None)
}

/// Tells all plugins that an agent failed; what they make of it does not matter.
pub(crate) async fn agent_failed(invocation: &InvocationContext, failure: &Failure) {
    let invocation = invocation.shielded();
    let context = Context::of_callback(&invocation);
    let agent = invocation.agent_name();
    for plugin in plugins_of(&invocation) {
        if let Plugin::Code { name, code: Some(code), .. } = &plugin {
            let point = HookPoint::OnAgentError { agent: &agent, failure };
            let _ = ask_plugin(&context, name, code, "on_agent_error", point).await;
        }
    }
}
