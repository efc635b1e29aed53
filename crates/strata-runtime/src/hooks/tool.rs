//! Hooks around the call of a tool.

use std::sync::Arc;

use strata_engine::turn::tool_calls::capped_rows;
use strata_model::app::{Callback, Plugin};
use strata_model::{Agent, Object, Str};

use super::{ask_callback, ask_plugin, built_in, callbacks, code_of, plugins_of};
use crate::context::{Context, InvocationContext};
use crate::halt::{Failure, Halt};
use crate::host::{Answer, HookPoint, ToolResult};

/// The call of a tool, as hooks see it.
pub(crate) struct ToolHooks<'h> {
    pub(crate) invocation: &'h InvocationContext,
    pub(crate) context: &'h Context,
    pub(crate) tool: &'h Str,
}

impl ToolHooks<'_> {
    /// The agent whose callbacks are asked; none where a node runs the tool.
    fn agent(&self) -> Option<Arc<Agent>> {
        self.context.node().is_none().then(|| self.invocation.agent_config().ok()).flatten()
    }

    /// An answer in place of the tool.
    pub(crate) async fn before(&self, args: &mut Object) -> Result<Option<ToolResult>, Halt> {
        for plugin in plugins_of(self.invocation) {
            let Plugin::Code { name, code: Some(code), .. } = &plugin else { continue };
            let point = HookPoint::BeforeTool { tool: self.tool, args };
            if let Answer::Result(result) = ask_plugin(self.context, name, code, "before_tool", point).await?
            {
                return Ok(Some(result));
            }
        }
        let Some(agent) = self.agent() else { return Ok(None) };
        for code in callbacks(&agent, |agent| agent.before_tool_callbacks.as_ref()) {
            let point = HookPoint::BeforeTool { tool: self.tool, args };
            if let Answer::Result(result) = ask_callback(self.context, &agent.name, code, point).await? {
                return Ok(Some(result));
            }
        }
        Ok(None)
    }

    /// A result in place of the tool's.
    pub(crate) async fn after(
        &self,
        args: &mut Object,
        result: &ToolResult,
    ) -> Result<Option<ToolResult>, Halt> {
        for plugin in plugins_of(self.invocation) {
            match &plugin {
                Plugin::Code { name, code: Some(code), .. } => {
                    let point = HookPoint::AfterTool { tool: self.tool, args, result };
                    let answer = ask_plugin(self.context, name, code, "after_tool", point).await?;
                    if let Answer::Result(result) = answer {
                        return Ok(Some(result));
                    }
                }
                Plugin::ReflectRetryTool { .. } => {
                    built_in::tool_worked(self.invocation, self.tool, result);
                }
                _ => {}
            }
        }
        let Some(agent) = self.agent() else { return Ok(None) };
        for callback in agent.after_tool_callbacks() {
            if matches!(callback, Callback::CapRows { .. }) {
                let mut written = Object::new();
                let capped = capped_rows(std::slice::from_ref(callback), result.value.clone(), &mut written);
                for (key, value) in written {
                    self.context.set_state(key, value)?;
                }
                if capped != result.value {
                    return Ok(Some(ToolResult { value: capped, media: result.media.clone() }));
                }
            }
            let Some(code) = code_of(callback) else { continue };
            let point = HookPoint::AfterTool { tool: self.tool, args, result };
            if let Answer::Result(result) = ask_callback(self.context, &agent.name, code, point).await? {
                return Ok(Some(result));
            }
        }
        Ok(None)
    }

    /// A result in place of a failure.
    pub(crate) async fn on_error(
        &self,
        args: &mut Object,
        failure: &Failure,
    ) -> Result<Option<ToolResult>, Halt> {
        for plugin in plugins_of(self.invocation) {
            match &plugin {
                Plugin::Code { name, code: Some(code), .. } => {
                    let point = HookPoint::OnToolError { tool: self.tool, args, failure: Some(failure) };
                    let answer = ask_plugin(self.context, name, code, "on_tool_error", point).await?;
                    if let Answer::Result(result) = answer {
                        return Ok(Some(result));
                    }
                }
                Plugin::ReflectRetryTool { max_retries, throw_exception_if_retry_exceeded, .. } => {
                    let advice = built_in::reflect(
                        self.invocation,
                        self.tool,
                        args,
                        failure,
                        *max_retries,
                        *throw_exception_if_retry_exceeded,
                    );
                    let advice = advice
                        .map_err(|failure| super::plugin_failure(plugin.name(), "on_tool_error", &failure))?;
                    return Ok(Some(ToolResult::new(advice)));
                }
                _ => {}
            }
        }
        let Some(agent) = self.agent() else { return Ok(None) };
        for code in callbacks(&agent, |agent| agent.on_tool_error_callbacks.as_ref()) {
            let point = HookPoint::OnToolError { tool: self.tool, args, failure: Some(failure) };
            if let Answer::Result(result) = ask_callback(self.context, &agent.name, code, point).await? {
                return Ok(Some(result));
            }
        }
        Ok(None)
    }

    /// Tells all that a call was stopped, so that they can clear up; what they answer does not matter.
    pub(crate) async fn cancelled(&self, args: &mut Object) {
        let invocation = self.invocation.shielded();
        let context = Context::gathering(&invocation, self.context.shared_actions().clone());
        for plugin in plugins_of(&invocation) {
            if let Plugin::Code { name, code: Some(code), .. } = &plugin {
                let point = HookPoint::OnToolError { tool: self.tool, args, failure: None };
                let _ = ask_plugin(&context, name, code, "on_tool_error", point).await;
            }
        }
        let Some(agent) = self.agent() else { return };
        for code in callbacks(&agent, |agent| agent.on_tool_error_callbacks.as_ref()) {
            let point = HookPoint::OnToolError { tool: self.tool, args, failure: None };
            let _ = ask_callback(&context, &agent.name, code, point).await;
        }
    }
}
