//! Callbacks of agents that are functions of the script: `export function NAME(about, context)`.
//!
//! As in google-adk, the first of a list that returns something ends it: what comes before an agent, a model or a tool
//! answers in its place, what comes behind replaces what it gave. What a callback may change stands in its context:
//! `context.request` before a model, `context.args` around a tool.

use std::sync::Arc;

use strata_model::app::Callback;
use strata_model::{
    Agent, App, Content, Decoder, FromJson as _, Json, LlmRequest, LlmResponse, Object, Origin,
    RequestChange, is_alike_in_scripts,
};
use strata_runtime::{Answer, Failure, Hook, HookOwner, HookPoint, ToolResult};

use super::app_tree::with_agents;
use super::script_code::{callback_function, function_of, script_failure};
use super::tools::{Returned, ToolScript, ToolSources};

/// The app with its callbacks pointed at the functions of a script; those that it does not have are not asked.
pub(super) fn pointed(app: &App, script: Option<&ToolScript>) -> App {
    with_agents(app, &mut |agent: &mut Agent| {
        for list in [
            &mut agent.before_agent_callbacks,
            &mut agent.after_agent_callbacks,
            &mut agent.before_model_callbacks,
            &mut agent.after_model_callbacks,
            &mut agent.on_model_error_callbacks,
            &mut agent.before_tool_callbacks,
            &mut agent.after_tool_callbacks,
            &mut agent.on_tool_error_callbacks,
        ] {
            for callback in list.iter_mut().flatten() {
                let Callback::Code { name, code } = callback else { continue };
                let function = callback_function(name, code.as_ref()).to_owned();
                let is_known = script.is_some_and(|script| script.has(&function));
                *code = is_known.then(|| Object::from_iter([("function", function)]));
            }
        }
    })
}

/// Asks a callback. Plugins are code that is not run.
pub(super) async fn ask(tools: &ToolSources, hook: Hook<'_>) -> Result<Answer, Failure> {
    let Hook { owner, code, context, point } = hook;
    let (HookOwner::Agent { .. }, Some(script)) = (owner, &tools.script) else { return Ok(Answer::Nothing) };
    let name = function_of(code, "");
    let (about, lent) = (about(&point), lent(&point));
    let called = tools.run(script, name, about.into(), &lent, context).await;
    let Returned { result, lent: left } = called.map_err(|problem| script_failure(script, problem))?;
    take_back(point, name, &lent, left)
        .and_then(|asked| answer(asked, name, result))
        .map_err(|problem| script_failure(script, problem))
}

/// What a callback is asked about, by what it may answer.
#[derive(Clone, Copy)]
enum Asked {
    Agent,
    Model,
    Tool,
    Nothing,
}

/// What it is told.
fn about(point: &HookPoint<'_>) -> Object {
    let mut about = Object::new();
    match point {
        HookPoint::BeforeAgent { agent }
        | HookPoint::AfterAgent { agent }
        | HookPoint::BeforeModel { agent, .. } => about.push("agent", *agent),
        HookPoint::AfterModel { agent, response } => {
            about.push("agent", *agent);
            about.push("response", response.to_json());
        }
        HookPoint::OnModelError { agent, request, failure } => {
            about.push("agent", *agent);
            about.push("request", request.to_json());
            about.push("error", told(failure));
        }
        HookPoint::BeforeTool { tool, .. } => about.push("tool", *tool),
        HookPoint::AfterTool { tool, result, .. } => {
            about.push("tool", *tool);
            about.push("result", result.value.clone());
        }
        HookPoint::OnToolError { tool, failure, .. } => {
            about.push("tool", *tool);
            about.push("error", failure.map_or(Json::Null, told));
        }
        _ => {}
    }
    about
}

fn told(failure: &Failure) -> Json {
    Object::from_iter([("type", &*failure.kind), ("message", &*failure.message)]).into()
}

/// What it may change.
fn lent(point: &HookPoint<'_>) -> Object {
    let mut lent = Object::new();
    match point {
        HookPoint::BeforeModel { request, .. } => lent.push("request", request.to_json()),
        HookPoint::BeforeTool { args, .. }
        | HookPoint::AfterTool { args, .. }
        | HookPoint::OnToolError { args, .. } => lent.push("args", (**args).clone()),
        _ => {}
    }
    lent
}

/// Takes over what was changed. The error is a sentence without its end.
fn take_back(point: HookPoint<'_>, name: &str, before: &Object, mut left: Object) -> Result<Asked, String> {
    Ok(match point {
        HookPoint::BeforeAgent { .. } | HookPoint::AfterAgent { .. } => Asked::Agent,
        HookPoint::BeforeModel { request, .. } => {
            let after = left.get("request").filter(|after| is_request(after));
            let after = after.ok_or_else(|| {
                format!(
                    "`{name}` left no request in `context.request`: it needs `contents`, a list of objects"
                )
            })?;
            changed(request, before.get("request").unwrap_or(&Json::Null), after, name);
            Asked::Model
        }
        HookPoint::AfterModel { .. } | HookPoint::OnModelError { .. } => Asked::Model,
        HookPoint::BeforeTool { args, .. }
        | HookPoint::AfterTool { args, .. }
        | HookPoint::OnToolError { args, .. } => {
            match left.get_mut("args") {
                // What is as it was keeps its numbers, too.
                Some(Json::Object(after)) if is_alike(before.get("args"), after) => {}
                Some(Json::Object(after)) => *args = std::mem::take(after),
                _ => return Err(format!("`{name}` left no object in `context.args`")),
            }
            Asked::Tool
        }
        _ => Asked::Nothing,
    })
}

fn is_alike(before: Option<&Json>, after: &Object) -> bool {
    before.is_some_and(|before| is_alike_in_scripts(before, &Json::Object(after.clone())))
}

fn is_request(value: &Json) -> bool {
    let contents = value.get("contents").and_then(Json::as_array);
    contents.is_some_and(|contents| contents.iter().all(|content| content.as_object().is_some()))
}

/// What was left as it was keeps its source.
fn changed(request: &mut LlmRequest, before: &Json, after: &Json, name: &str) {
    let change = RequestChange::between(before, after);
    // It is made on the very request that it was found on, so that it fits.
    let _ = change.apply(request, &Origin::Extension { name: name.into() });
}

/// What a function returned, as the answer of a callback. Nothing, and for an agent or a model an empty text, is none.
fn answer(asked: Asked, name: &str, returned: Json) -> Result<Answer, String> {
    if returned.is_null() {
        return Ok(Answer::Nothing);
    }
    let is_empty = returned.as_str().is_some_and(str::is_empty);
    match asked {
        Asked::Nothing => Ok(Answer::Nothing),
        Asked::Tool => Ok(Answer::Result(ToolResult::new(returned))),
        Asked::Agent | Asked::Model if is_empty => Ok(Answer::Nothing),
        Asked::Agent => {
            let content = content(&returned);
            let wrong = || format!("`{name}` should return a text, `{{role, parts}}`, or nothing");
            content.map(Answer::Content).ok_or_else(wrong)
        }
        Asked::Model => {
            let wrong = || {
                format!(
                    "`{name}` should return a text, a response with `content`, `{{role, parts}}`, or nothing"
                )
            };
            response(returned).map(|response| Answer::Response(Box::new(response))).ok_or_else(wrong)
        }
    }
}

fn content(value: &Json) -> Option<Content> {
    if let Some(text) = value.as_str() {
        return Some(Content::new("model", [strata_model::Part::from_text(text)]));
    }
    value.get("parts")?.as_array()?;
    let mut content = Content::from_json(value.clone(), &mut Decoder::new()).ok()?;
    content.role.get_or_insert_with(|| "model".into());
    Some(content)
}

fn response(value: Json) -> Option<LlmResponse> {
    if let Some(content) = content(&value) {
        return Some(LlmResponse { content: Some(Arc::new(content)), ..LlmResponse::default() });
    }
    let is_one = value.get("content").is_some_and(|content| content.get("parts").is_some())
        || value.get("errorCode").is_some();
    if !is_one {
        return None;
    }
    LlmResponse::from_json(value, &mut Decoder::new()).ok()
}
