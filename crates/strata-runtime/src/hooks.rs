//! Code that is asked around what happens: the app's plugins first, then the agent's own callbacks.

mod agent;
mod built_in;
mod model;
mod run;
mod tool;

use std::sync::Arc;

use strata_model::app::{Callback, Plugin};
use strata_model::{Agent, Event, Object};

pub(crate) use agent::{after_agent, agent_failed, before_agent};
pub(crate) use model::{ModelHooks, Proceed};
pub(crate) use run::{add_metadata, after_run, before_run, on_event, on_user_message, run_failed};
pub(crate) use tool::ToolHooks;

use crate::adk_text::{PLUGIN_FAILED, filled};
use crate::context::{Context, Hook, InvocationContext};
use crate::halt::{Failure, Halt};
use crate::host::{Answer, HookOwner, HookPoint};

/// An event of the agent whose turn it is.
pub(crate) fn own_event(invocation: &InvocationContext) -> Event {
    invocation.event(invocation.agent_name())
}

/// A plugin's failure is told as the failure of the plugin.
fn plugin_failure(plugin: &str, hook: &str, failure: &Failure) -> Failure {
    let places = [("PLUGIN", plugin), ("HOOK", hook), ("ERROR", &*failure.text())];
    Failure::new("RuntimeError", filled(PLUGIN_FAILED, &places))
}

/// Asks the code of a plugin.
async fn ask_plugin(
    context: &Context,
    name: &str,
    code: &Object,
    hook: &str,
    point: HookPoint<'_>,
) -> Result<Answer, Halt> {
    let host = context.invocation().run.host.code.clone();
    let owner = HookOwner::Plugin { name };
    let asked = host.hook(Hook { owner, code, context, point });
    let answer = context.invocation().wait(asked).await?;
    answer.map_err(|failure| plugin_failure(name, hook, &failure).into())
}

/// Asks the code of an agent's callback.
async fn ask_callback(
    context: &Context,
    agent: &str,
    code: &Object,
    point: HookPoint<'_>,
) -> Result<Answer, Halt> {
    let host = context.invocation().run.host.code.clone();
    let owner = HookOwner::Agent { name: agent };
    let asked = host.hook(Hook { owner, code, context, point });
    Ok(context.invocation().wait(asked).await??)
}

/// The code of a callback; those that Strata knows by their type have their place elsewhere.
fn code_of(callback: &Callback) -> Option<&Object> {
    match callback {
        Callback::Code { code, .. } => code.as_ref(),
        _ => None,
    }
}

fn plugins_of(invocation: &InvocationContext) -> Vec<Plugin> {
    invocation.run.plugins().to_vec()
}

fn callbacks<'a>(
    agent: &'a Arc<Agent>,
    list: impl Fn(&'a Agent) -> Option<&'a Vec<Callback>>,
) -> impl Iterator<Item = &'a Object> {
    list(agent).into_iter().flatten().filter_map(code_of)
}
