//! The calls that were approved, checked against the history: an approval must name a call as it was made.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use strata_model::{Event, FunctionCall, Json, Object, Str};

use super::approvals::{Approvals, original_call, refused};
use crate::adk_text::REQUEST_CONFIRMATION;
use crate::error::{CompileError, ErrorKind};
use crate::log::LoggedEvent;
use crate::turn::tool_calls::{RunnableTool, ToolConfirmation};

/// Calls to run again, with what was said to each.
#[derive(Debug, Default)]
pub(super) struct Targets {
    pub(super) calls: Vec<FunctionCall>,
    /// By the id of the call.
    pub(super) confirmations: Vec<(Str, ToolConfirmation)>,
}

/// Finds the approved calls of `agent`; those of other agents are theirs to take up.
pub(super) fn resolve(
    events: &[&LoggedEvent],
    agent: &str,
    approvals: &Approvals,
    tools: &[RunnableTool],
) -> Result<Targets, CompileError> {
    let history = History::of(events);
    let mut targets = Targets::default();
    for logged in events.iter().filter(|logged| is_own(&logged.event, agent)) {
        for request in
            logged.event.function_calls().filter(|call| call.name.as_deref() == Some(REQUEST_CONFIRMATION))
        {
            let Some(confirmation) = request.id.as_deref().and_then(|id| approvals.get(id)) else { continue };
            let Some(original) = original_call(request) else { continue };
            let call = described_call(original)?;
            if let Some(id) = history.check(&call, agent, tools)? {
                targets.add(id, call, confirmation);
            }
        }
    }
    Ok(targets)
}

fn is_own(event: &Event, agent: &str) -> bool {
    event.author.is_empty() || *event.author == *agent
}

impl Targets {
    fn add(&mut self, id: Str, call: FunctionCall, confirmation: &ToolConfirmation) {
        let confirmation = confirmation.clone();
        match self.confirmations.iter().position(|(known, _)| *known == id) {
            Some(at) => {
                self.calls[at] = call;
                self.confirmations[at].1 = confirmation;
            }
            None => {
                self.calls.push(call);
                self.confirmations.push((id, confirmation));
            }
        }
    }
}

/// The calls of the history by id, and which of them asked for approval while they ran.
struct History<'e> {
    calls: HashMap<&'e str, (&'e FunctionCall, &'e Event)>,
    asked: HashSet<&'e str>,
}

impl<'e> History<'e> {
    fn of(events: &[&'e LoggedEvent]) -> Self {
        let mut history = Self { calls: HashMap::new(), asked: HashSet::new() };
        for logged in events {
            let event: &'e Event = &logged.event;
            for call in
                event.function_calls().filter(|call| call.name.as_deref() != Some(REQUEST_CONFIRMATION))
            {
                if let Some(id) = call.id.as_deref().filter(|id| !id.is_empty()) {
                    history.calls.insert(id, (call, event));
                }
            }
            let requested = &event.actions.requested_tool_confirmations;
            let ids = event.function_responses().filter_map(|response| response.id.as_deref());
            history.asked.extend(ids.filter(|id| requested.contains_key(id)));
        }
        history
    }

    /// The id of the call, if it is the agent's own. ADK's checks, in its order.
    fn check(
        &self,
        call: &FunctionCall,
        agent: &str,
        tools: &[RunnableTool],
    ) -> Result<Option<Str>, CompileError> {
        let truthy = |text: &Option<Str>| text.clone().filter(|text| !text.is_empty());
        let id = truthy(&call.id).ok_or_else(|| refused("Original function call ID is missing.".into()))?;
        let name =
            truthy(&call.name).ok_or_else(|| refused("Original function call name is missing.".into()))?;
        let Some((known, event)) = self.calls.get(&*id) else {
            return Err(refused(format!(
                "Original function call for ID '{id}' not found in session history."
            )));
        };
        if *event.author != *agent {
            return Ok(None);
        }
        if !tools.iter().any(|tool| tool.name == name) {
            return Err(refused(format!("Tool '{name}' is not registered.")));
        }
        if !self.asked.contains(&*id) {
            return Err(refused(format!("Tool '{name}' does not require confirmation.")));
        }
        if known.name.as_deref() != Some(&*name) {
            let known = known.name.as_deref().unwrap_or("None");
            return Err(refused(format!(
                "Function call name mismatch for ID '{id}': history has '{known}', confirmation has '{name}'."
            )));
        }
        let args = |call: &FunctionCall| call.args.clone().unwrap_or_default();
        if args(known) != args(call) {
            return Err(refused(format!("Function call arguments mismatch for ID '{id}'.")));
        }
        Ok(Some(id))
    }
}

/// The call as the request describes it. google-genai knows no other fields.
fn described_call(original: &Object) -> Result<FunctionCall, CompileError> {
    let mut call = FunctionCall::default();
    for (key, value) in original.iter().filter(|(_, value)| !value.is_null()) {
        match (&**key, value) {
            ("id", Json::String(id)) => call.id = Some(id.clone()),
            ("name", Json::String(name)) => call.name = Some(name.clone()),
            ("args", Json::Object(args)) => call.args = Some(Arc::new(args.clone())),
            ("partialArgs" | "partial_args" | "willContinue" | "will_continue", _) => {}
            (key, _) => {
                return Err(CompileError::new(
                    ErrorKind::ValidationError,
                    format!("{key} of the original function call cannot be read"),
                    "post the answer to the request as the session holds it, with the call it asks about unchanged",
                ));
            }
        }
    }
    Ok(call)
}
