//! What a script is told beside the request.

use strata_model::{Json, Object};

use crate::context::CompileContext;

/// `{agent: {name, description, model}, state, call: {invocationId, branch, events}, session: {id, appName, userId}}`.
pub(super) fn for_script(context: &CompileContext<'_>) -> Object {
    let mut agent = Object::new();
    agent.push("name", context.agent().name.clone());
    agent.push("description", context.agent().description());
    agent.push("model", context.model().name.clone());
    let mut call = Object::new();
    call.push("invocationId", context.invocation.invocation_id.clone());
    call.push("branch", context.invocation.branch.clone().map_or(Json::Null, Json::String));
    call.push("events", context.events.len() as i64);
    let mut session = Object::new();
    session.push("id", context.session.session_id);
    session.push("appName", context.session.app_name);
    session.push("userId", context.session.user_id);
    let mut out = Object::new();
    out.push("agent", agent);
    out.push("state", context.state.known());
    out.push("call", call);
    out.push("session", session);
    out
}
