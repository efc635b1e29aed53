//! From what tools returned to the event that answers their calls (`ADK.md` 6.3).
//!
//! Tools are not run here. Those of google-adk whose result follows from the session are worked out; what any other
//! returned is an input.

mod cap_rows;
mod confirmation;
mod merge;
mod runnable;

use std::collections::HashMap;
use std::sync::Arc;

use strata_model::app::Callback;
use strata_model::{
    Content, Event, EventActions, FromJson, FunctionCall, FunctionResponse, Json, Object, Part, Str, json,
};

pub use cap_rows::apply as capped_rows;
pub use confirmation::ToolConfirmation;
pub use runnable::{RunnableKind, RunnableTool, loaded_names, runnable_tools, shown_result};

use crate::adk_text::{CONFIRMATION_REJECTED, CONFIRMATION_REQUIRED, TOOL_NOT_FOUND};
use crate::answers::{Answers, ToolAnswer};
use crate::context::{Invocation, Services, SessionIds};
use crate::error::{CompileError, ErrorKind};
pub use merge::{deep_merge, merged_actions};

/// Where calls are answered.
#[derive(Clone, Copy)]
pub struct ToolRun<'r> {
    pub agent_name: &'r Str,
    pub after_tool_callbacks: &'r [Callback],
    /// In the order in which they were registered.
    pub tools: &'r [RunnableTool],
    pub invocation: &'r Invocation,
    pub session: SessionIds<'r>,
    pub services: &'r Services,
    pub answers: &'r Answers,
    /// What people said to calls that asked for approval, by call id.
    pub confirmations: &'r HashMap<Str, ToolConfirmation>,
}

/// Calls with their answer.
#[derive(Debug, Clone, PartialEq)]
pub struct AnsweredCalls {
    /// Carries the responses, and what the tools wrote and asked for. `None`: all answers come later.
    pub event: Option<Event>,
    pub artifacts: Vec<(Str, Arc<Part>)>,
}

/// Why calls have no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CallFailure {
    /// What this tool returned was not given.
    Awaited { tool: Str },
    /// A tool failed, which ends the run.
    Failed(CompileError),
}

impl ToolRun<'_> {
    /// Answers the calls of one turn, in their order, with one event.
    pub fn answer(&self, calls: &[FunctionCall]) -> Result<AnsweredCalls, CallFailure> {
        let mut runs: HashMap<&str, usize> = HashMap::new();
        let mut answered = Vec::new();
        let mut artifacts = Vec::new();
        for call in calls {
            let name = call.name.as_deref().unwrap_or_default();
            let run = runs.entry(name).or_default();
            answered.extend(self.answer_one(call, *run, &mut artifacts)?);
            *run += 1;
        }
        Ok(AnsweredCalls { event: self.event(answered), artifacts })
    }

    fn event(&self, answered: Vec<AnsweredCall>) -> Option<Event> {
        if answered.is_empty() {
            return None;
        }
        let actions = merged_actions(answered.iter().map(|one| &one.actions));
        let parts = answered.into_iter().flat_map(|one| one.parts);
        Some(Event {
            invocation_id: self.invocation.invocation_id.clone(),
            author: self.agent_name.clone(),
            branch: self.invocation.branch.clone(),
            isolation_scope: self.invocation.isolation_scope.clone(),
            content: Some(Arc::new(Content::new("user", parts))),
            actions,
            timestamp: self.answers.now,
            ..Event::default()
        })
    }

    fn answer_one(
        &self,
        call: &FunctionCall,
        run: usize,
        artifacts: &mut Vec<(Str, Arc<Part>)>,
    ) -> Result<Option<AnsweredCall>, CallFailure> {
        let name = call.name.clone().unwrap_or_else(|| "<unnamed>".into());
        let Some(tool) = self.tools.iter().rfind(|tool| tool.name == name) else {
            let names: Vec<&str> = self.tools.iter().map(|tool| &*tool.name).collect();
            let error = tool_not_found(&name, &names);
            return Ok(Some(AnsweredCall::new(call, &name, error, EventActions::default())));
        };
        let mut actions = EventActions::default();
        let result = match tool.result(self, call, &mut actions) {
            Some(result) => result.map_err(CallFailure::Failed)?,
            None => {
                let answer = self.answers.tools.get(&name, run);
                let answer = answer.ok_or_else(|| CallFailure::Awaited { tool: name.clone() })?;
                self.given_result(call, answer, &mut actions, artifacts)?
            }
        };
        let result = cap_rows::apply(self.after_tool_callbacks, result, &mut actions.state_delta);
        if tool.answers_later() && !result.is_truthy() {
            return Ok(None);
        }
        let shown = tool.shown_text(&result, &actions);
        let mut answered = AnsweredCall::new(call, &name, result, actions);
        answered.parts.extend(shown.map(Part::from_text));
        Ok(Some(answered))
    }

    /// What a tool did whose run was given.
    fn given_result(
        &self,
        call: &FunctionCall,
        answer: &ToolAnswer,
        actions: &mut EventActions,
        artifacts: &mut Vec<(Str, Arc<Part>)>,
    ) -> Result<Json, CallFailure> {
        actions.state_delta.update(&answer.state);
        for (name, part) in &answer.artifacts {
            let version = self.next_version(name, artifacts).map_err(CallFailure::Failed)?;
            actions.artifact_delta.insert(name.clone(), version);
            artifacts.push((name.clone(), part.clone()));
        }
        *actions = merged_actions([&*actions, &answer.actions].into_iter());
        if let Some(hint) = &answer.confirmation_hint {
            let id = call.id.clone().unwrap_or_default();
            match self.confirmations.get(&id) {
                None => {
                    let mut request = Object::new();
                    request.push("hint", hint.clone());
                    request.push("confirmed", false);
                    actions.requested_tool_confirmations.insert(id, request);
                    actions.skip_summarization = Some(true);
                    return Ok(error_result(CONFIRMATION_REQUIRED));
                }
                Some(confirmation) if !confirmation.is_confirmed => {
                    return Ok(error_result(CONFIRMATION_REJECTED));
                }
                Some(_) => {}
            }
        }
        match &answer.error {
            Some(message) => Err(CallFailure::Failed(CompileError::new(
                ErrorKind::ValueError,
                message.clone(),
                "let the tool return what went wrong instead of raising, so that the model can react to it",
            ))),
            None => Ok(answer.result.clone()),
        }
    }

    fn next_version(&self, name: &str, saved: &[(Str, Arc<Part>)]) -> Result<i64, CompileError> {
        let Some(artifacts) = &self.services.artifacts else {
            return Err(CompileError::new(
                ErrorKind::ValueError,
                "Artifact service is not initialized.",
                "run the app with an artifact service, or save no artifacts in tools",
            ));
        };
        let n_saved = saved.iter().filter(|(known, _)| **known == *name).count();
        Ok((artifacts.n_versions(name) + n_saved) as i64)
    }
}

/// One call with its response.
struct AnsweredCall {
    parts: Vec<Part>,
    actions: EventActions,
}

impl AnsweredCall {
    fn new(call: &FunctionCall, name: &Str, result: Json, actions: EventActions) -> Self {
        Self { parts: vec![response_part(call.id.clone(), name, result, &[])], actions }
    }
}

/// The part that answers a call. A result that is no object is wrapped in one; files stand beside it.
pub fn response_part(call_id: Option<Str>, name: &Str, result: Json, files: &[Part]) -> Part {
    let response = match result {
        Json::Object(result) => result,
        other => Object::from_iter([("result", other)]),
    };
    let mut response = FunctionResponse {
        id: call_id,
        name: Some(name.clone()),
        response: Some(Arc::new(response)),
        ..FunctionResponse::default()
    };
    if !files.is_empty() {
        response.other.push("parts", files.iter().map(FromJson::to_json).collect::<Vec<_>>());
    }
    Part::from_response(response)
}

/// What a call that failed is answered with.
pub fn error_result(message: &str) -> Json {
    Object::from_iter([("error", message)]).into()
}

/// The answer to a call of a tool that does not exist, beside those that do.
pub fn tool_not_found(name: &str, tools: &[&str]) -> Json {
    let names = if tools.is_empty() { "none".to_owned() } else { tools.join(", ") };
    error_result(&TOOL_NOT_FOUND.replace("«NAMES»", &names).replace("«NAME»", name))
}

/// Whether the event ends the agent's turn: what it says needs no further words of the model.
pub(crate) fn is_final(event: &Event) -> bool {
    let has_later_answers = event.long_running_tool_ids.as_ref().is_some_and(|ids| !ids.is_empty());
    event.function_responses().next().is_some()
        && (event.actions.skip_summarization == Some(true) || has_later_answers)
}

/// The text of a result as ADK prints it for people.
pub fn result_text(result: &Json) -> String {
    match result {
        Json::String(text) => text.to_string(),
        other => json::to_spaced(other),
    }
}

/// Argument `name` of a call, if it is a text.
fn text_argument<'c>(call: &'c FunctionCall, name: &str) -> Option<&'c str> {
    call.args.as_deref()?.get(name)?.as_str()
}
