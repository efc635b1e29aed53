//! A tool as a node.

use std::sync::Arc;

use strata_engine::adk_text::REQUEST_CREDENTIAL;
use strata_engine::turn::tool_calls::error_result;
use strata_model::app::{Tool, ToolNode};
use strata_model::{Event, Json, Object, json, python};

use super::request;
use crate::adk_text::{NO_AUTH_CONFIG, TOOL_NODE_INPUT, filled};
use crate::context::{Context, credential_key};
use crate::event_rules::text_of;
use crate::events::Outlet;
use crate::halt::{Failure, Halt};
use crate::hooks::ToolHooks;
use crate::host::{ToolResult, Value};
use crate::program::Node;
use crate::tools::{BoundTool, Parameters, Tools, confirmation, credentials, invoke};

/// Runs a tool between the hooks of plugins; a node has no callbacks.
pub(super) async fn work(
    tool: &Arc<ToolNode>,
    node: &Arc<Node>,
    context: Context,
    input: Value,
    outlet: Outlet,
) -> Result<(), Halt> {
    let invocation = context.agent_invocation();
    let Some(bound) = Tools::of_node(invocation.index(), &tool.tool) else { return Ok(()) };
    let mut args = arguments(&tool.tool, &context, input)?;
    let answer = request::confirmation_answer(&context)?;
    let call = context.as_call(invocation.run.new_id(), answer);
    take_credential(&call, &context)?;
    let hooks = ToolHooks { invocation: &invocation, context: &call, tool: &bound.name };
    let result = match hooks.before(&mut args).await? {
        Some(result) => result,
        None => match run_tool(&hooks, &bound, &mut args).await? {
            ToolOutcome::Result(result) => result,
            ToolOutcome::Asks(event) => {
                outlet.emit(*event).await;
                return Ok(());
            }
        },
    };
    let result = hooks.after(&mut args, &result).await?.unwrap_or(result);
    let output = super::inputs::checked_output(node, result.value)?;
    outlet.emit(Event { output: Some(output).filter(|output| !output.is_null()), ..Event::default() }).await;
    Ok(())
}

enum ToolOutcome {
    Result(ToolResult),
    /// It waits for approval or a credential.
    Asks(Box<Event>),
}

async fn run_tool(hooks: &ToolHooks<'_>, tool: &BoundTool, args: &mut Object) -> Result<ToolOutcome, Halt> {
    let ran = match confirmation::gate(hooks.context, tool, args) {
        Some(refusal) => Ok(ToolResult::new(error_result(refusal))),
        None => invoke(hooks.context, tool, args).await,
    };
    let (approvals, configs) = take_requests(hooks.context);
    match ran {
        Ok(result) => {
            if let Some(asked) = approvals.values().next() {
                let hint = asked.get("hint").and_then(Json::as_str);
                let payload = asked.get("payload").cloned();
                let question = request::confirmation(hooks.context, &tool.name, args.clone(), hint, payload);
                return Ok(ToolOutcome::Asks(Box::new(request::event_of(question, hooks.context))));
            }
            if let Some(config) = configs.values().next() {
                let id = request::credential_id(hooks.context.node_path());
                let mut described = Object::from_iter([("functionCallId", Json::from(id.clone()))]);
                described.push("authConfig", config.clone());
                described.push("message", credential_message(config));
                return Ok(ToolOutcome::Asks(Box::new(request::asking(REQUEST_CREDENTIAL, id, described))));
            }
            Ok(ToolOutcome::Result(result))
        }
        Err(Halt::Failed(failure)) => {
            let recovered = hooks.on_error(args, &failure).await?;
            recovered.map(ToolOutcome::Result).ok_or(Halt::Failed(failure))
        }
        Err(Halt::Cancelled) => {
            hooks.cancelled(args).await;
            Err(Halt::Cancelled)
        }
        Err(Halt::Interrupted) => Err(Halt::Interrupted),
    }
}

/// What a tool asked for goes into a question of the node.
fn take_requests(context: &Context) -> (Object, Object) {
    let mut taken = (Object::new(), Object::new());
    context.edit_actions(|actions| {
        taken = (
            std::mem::take(&mut actions.requested_tool_confirmations),
            std::mem::take(&mut actions.requested_auth_configs),
        );
    });
    taken
}

fn credential_message(config: &Json) -> String {
    use crate::adk_text::{ASK_AUTH_FLOW, ASK_CREDENTIALS, ASK_KEY};
    let member = |value: &Json, key: &str| value.get(key).and_then(Json::as_str).map(str::to_owned);
    let raw = config.get("rawAuthCredential").or_else(|| config.get("raw_auth_credential"));
    let scheme = config.get("authScheme").or_else(|| config.get("auth_scheme"));
    let kind = raw.and_then(|raw| member(raw, "authType").or_else(|| member(raw, "auth_type")));
    match kind.as_deref() {
        Some("apiKey") => {
            let name = scheme.and_then(|scheme| member(scheme, "name"));
            filled(ASK_KEY, &[("NAME", name.as_deref().unwrap_or("API key"))])
        }
        Some("oauth2" | "openIdConnect") => ASK_AUTH_FLOW.into(),
        _ => ASK_CREDENTIALS.into(),
    }
}

/// Keeps a credential that was given to this node's question.
fn take_credential(call: &Context, context: &Context) -> Result<(), Halt> {
    let id = request::credential_id(context.node_path());
    let Some(answer) = context.resume_input(&id).filter(|answer| !answer.is_null()) else { return Ok(()) };
    let invocation = context.invocation();
    let config = {
        let live = invocation.run.session.lock();
        let calls = live.events().flat_map(|event| event.function_calls()).filter(|call| {
            call.id.as_deref() == Some(&*id) && call.name.as_deref() == Some(REQUEST_CREDENTIAL)
        });
        calls.last().and_then(|call| call.args.as_ref()?.get("authConfig")?.as_object().cloned())
    };
    let Some(config) = config else {
        let places = [("PATH", &**context.node_path()), ("ID", &*id)];
        return Err(Failure::data(filled(NO_AUTH_CONFIG, &places)).into());
    };
    let credential = credentials::credential_of(&config, &answer);
    match (credential_key(&config), credential) {
        (Some(key), Some(credential)) => Ok(call.set_state(key, credential)?),
        _ => Err(Failure::data(crate::adk_text::BAD_CREDENTIAL).into()),
    }
}

/// The input as arguments: an object, or the value of the one parameter.
fn arguments(tool: &Tool, context: &Context, input: Value) -> Result<Object, Failure> {
    let input = match input {
        Value::Content(content) => Json::from(text_of(&content)),
        other => other.to_json(),
    };
    let input = match input {
        Json::String(text) => {
            let text = python::strip(&text);
            match json::parse(text.as_bytes()) {
                _ if text.is_empty() => Json::Null,
                Ok(object @ Json::Object(_)) => object,
                _ => Json::from(text),
            }
        }
        other => other,
    };
    let Parameters { all, required } = Parameters::of(tool);
    let mut args = match input {
        Json::Null => Object::new(),
        Json::Object(args) => args,
        other => match (all.as_slice(), required.as_slice()) {
            ([only], _) | (_, [only]) => Object::from_iter([(only.clone(), other)]),
            _ => {
                let kind = format!("<class '{}'>", python::type_name(&other));
                return Err(Failure::new("TypeError", filled(TOOL_NODE_INPUT, &[("TYPE", &kind)])));
            }
        },
    };
    for name in required {
        if !args.contains_key(&name)
            && let Some(value) = context.state_value(&name)
        {
            args.push(name, value);
        }
    }
    Ok(args)
}
