//! Kind `tool_result`: the event that answers a model's calls.

use std::collections::HashMap;

use strata_engine::turn::tool_calls::{CallFailure, ToolRun, runnable_tools};
use strata_engine::{Answers, Invocation, SessionIds};
use strata_model::{FunctionCall, Json, Object};

use super::{events, given};
use crate::diff::diff;
use crate::{Failure, into_result};

pub(crate) fn check_vector(vector: &Json) -> Result<(), Failure> {
    let index = given::app(vector);
    let session = given::session(vector.get("session").expect("a session"));
    let root = index.ids().next().expect("a root agent");
    let agent = index.agent(root);
    let invocation_id = session.events.last().map(|event| event.invocation_id.clone()).unwrap_or_default();
    let calls = vector.get("function_calls").and_then(Json::as_array).unwrap_or_default();
    let calls: Vec<FunctionCall> = calls.iter().map(given::read).collect();
    let run = ToolRun {
        agent_name: &agent.name,
        after_tool_callbacks: agent.after_tool_callbacks(),
        tools: &runnable_tools(&index, root),
        invocation: &Invocation::new(agent.name.clone(), invocation_id),
        session: SessionIds {
            app_name: &session.app_name,
            user_id: &session.user_id,
            session_id: &session.id,
        },
        services: &given::services(vector, None),
        answers: &Answers {
            tools: given::tool_answers(vector.get("tool_results"), &index, root),
            ..Answers::default()
        },
        confirmations: &HashMap::new(),
    };
    let mut found = Object::new();
    match run.answer(&calls) {
        Ok(answered) => found.push("event", answered.event.as_ref().map_or(Json::Null, events::event_json)),
        Err(CallFailure::Failed(error)) => {
            let error = [("type", Json::from(error.kind.python_name())), ("message", error.message.into())];
            found.push("error", Object::from_iter(error));
        }
        Err(CallFailure::Awaited { tool }) => return Err(vec![format!("the result of {tool} is not given")]),
    }
    let mut expected = vector.get("expected").and_then(Json::as_object).cloned().unwrap_or_default();
    if let Some(event) = expected.remove("event") {
        expected.push("event", events::without_ids(event));
    }
    into_result(diff("expected", &expected.into(), &found.into()))
}
