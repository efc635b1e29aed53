//! `request_confirmation`: takes up calls that waited for a person's approval.
//!
//! ADK runs the approved calls again here. What their tools returned is an input; in a recorded session it is an event
//! already, so there only the fact is noted.

mod approvals;
mod branch_events;
mod targets;

use std::collections::HashMap;
use std::sync::Arc;

use strata_model::{Diagnostic, Event, FromJson as _, FunctionCall, LlmRequest, Object, Scope, Str};

use crate::adk_text::REQUEST_CONFIRMATION;
use crate::context::{CallSource, CompileContext};
use crate::error::CompileError;
use crate::log::LoggedEvent;
use crate::processor::{EarlyEnd, Fingerprinted, Processor, StageOutput};
use crate::sections::Sections;
use crate::turn::tool_calls::{CallFailure, RunnableTool, ToolConfirmation, ToolRun, runnable_tools};
use approvals::{Approvals, Pending};
use branch_events::OwnBranch;
pub use branch_events::own_branch_events;

pub struct RequestConfirmation;

pub enum Inputs<'c> {
    /// What the user said last is no answer to such a request.
    NoAnswer,
    /// What came of the answer is in the history.
    Recorded,
    Live(Box<LiveInputs<'c>>),
}

pub struct LiveInputs<'c> {
    context: &'c CompileContext<'c>,
    /// The events of the agent's own branch.
    events: Vec<&'c LoggedEvent>,
    tools: Vec<RunnableTool>,
    /// Stands for everything above, and for what was answered.
    key: Fingerprinted<()>,
}

impl std::hash::Hash for Inputs<'_> {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        match self {
            Self::NoAnswer => 0.hash(state),
            Self::Recorded => 1.hash(state),
            Self::Live(live) => (2, &live.tools, &live.key).hash(state),
        }
    }
}

impl Processor for RequestConfirmation {
    type Inputs<'c> = Inputs<'c>;

    fn name(&self) -> &'static str {
        "request_confirmation"
    }

    fn reads(&self) -> Sections {
        Sections::empty()
    }

    fn inputs<'c>(&self, context: &'c CompileContext<'c>) -> Inputs<'c> {
        let own = OwnBranch::of(context);
        let last = context.events.iter().rev().find(|logged| logged.event.is_from_user() && own.has(logged));
        let is_answer = |event: &Event| {
            event.function_responses().any(|response| response.name.as_deref() == Some(REQUEST_CONFIRMATION))
        };
        if !last.is_some_and(|logged| is_answer(&logged.event)) {
            return Inputs::NoAnswer;
        }
        if context.source != CallSource::Live {
            return Inputs::Recorded;
        }
        Inputs::Live(Box::new(LiveInputs {
            context,
            events: context.events.iter().filter(|logged| own.has(logged)).collect(),
            tools: runnable_tools(context.index, context.agent_id),
            key: Fingerprinted { value: (), fingerprint: context.work_fingerprint() },
        }))
    }

    fn process(inputs: Inputs<'_>, _: &mut LlmRequest, output: &mut StageOutput) -> Result<(), CompileError> {
        match inputs {
            Inputs::NoAnswer => output.note("nothing to confirm"),
            Inputs::Recorded => output.note("an approval was given; what came of it is in the events"),
            Inputs::Live(live) => take_up(&live, output)?,
        }
        Ok(())
    }
}

/// What a person's last words mean for calls that waited for approval.
#[derive(Debug)]
pub enum ApprovedCalls {
    /// They are about no such call, or what they are about was done; with the reason.
    Nothing(&'static str),
    /// What they are about was done before: the run ends.
    Ends,
    /// These calls are to be run or refused now.
    Calls {
        calls: Vec<FunctionCall>,
        /// By the id of the call.
        confirmations: HashMap<Str, ToolConfirmation>,
    },
}

/// Reads what was said to requests for approval. `events` are those of the agent's own branch.
pub fn approved_calls(
    events: &[&LoggedEvent],
    agent: &str,
    tools: &[RunnableTool],
) -> Result<ApprovedCalls, CompileError> {
    let approvals = match Approvals::read(events)? {
        Pending::Nothing => return Ok(ApprovedCalls::Nothing("nothing to confirm")),
        Pending::Taken => {
            return Ok(ApprovedCalls::Nothing("the approval was taken up earlier in this turn"));
        }
        Pending::TakenBefore => return Ok(ApprovedCalls::Ends),
        Pending::Some(approvals) => approvals,
    };
    let targets = targets::resolve(events, agent, &approvals, tools)?;
    if targets.calls.is_empty() {
        return Ok(ApprovedCalls::Nothing("the approval is for another agent"));
    }
    Ok(ApprovedCalls::Calls {
        calls: targets.calls,
        confirmations: targets.confirmations.into_iter().collect(),
    })
}

fn take_up(live: &LiveInputs<'_>, output: &mut StageOutput) -> Result<(), CompileError> {
    match approved_calls(&live.events, &live.context.agent().name, &live.tools)? {
        ApprovedCalls::Nothing(reason) => output.note(reason),
        ApprovedCalls::Ends => {
            output.note("the approval was taken up before: the run ends");
            output.end = Some(EarlyEnd::Ended);
        }
        ApprovedCalls::Calls { calls, confirmations } => answer(live, &calls, &confirmations, output)?,
    }
    Ok(())
}

fn answer(
    live: &LiveInputs<'_>,
    calls: &[FunctionCall],
    confirmations: &HashMap<Str, ToolConfirmation>,
    output: &mut StageOutput,
) -> Result<(), CompileError> {
    let context = live.context;
    let agent = context.agent();
    let run = ToolRun {
        agent_name: &agent.name,
        after_tool_callbacks: agent.after_tool_callbacks(),
        tools: &live.tools,
        invocation: context.invocation,
        session: context.session,
        services: context.services,
        answers: context.answers,
        confirmations,
    };
    match run.answer(calls) {
        Err(CallFailure::Failed(error)) => return Err(error),
        Err(CallFailure::Awaited { tool }) => {
            output.note(format!("an approved call of {tool} has to be run first"));
            let message =
                format!("{tool} was approved and has to be run before this call; its result was not given");
            output.diagnostics.push(Diagnostic::warning("tool-awaited", "request_confirmation", message));
            output.awaited_calls.extend(calls.iter().cloned());
        }
        Ok(answered) => {
            output.note(format!("{} approved or rejected calls answered", calls.len()));
            output.saved_artifacts = answered.artifacts.into_iter().collect();
            if let Some(event) = answered.event {
                output.state_delta = event.actions.state_delta.clone();
                output.emitted.push(Arc::new(stored(event)));
            }
        }
    }
    Ok(())
}

/// An event as it is kept: `temp:` state lives for the run only.
fn stored(mut event: Event) -> Event {
    event.actions.state_delta.retain(|key, _| Scope::of(key) != Scope::Temp);
    event
}

impl CompileContext<'_> {
    /// Identifies what answering calls depends on: events, who runs, services, and what was answered.
    fn work_fingerprint(&self) -> strata_model::Fingerprint {
        let mut hash = strata_model::FingerprintBuilder::new();
        hash.fingerprint(self.events.fingerprint()).text(&self.agent().name);
        hash.text(&self.invocation.invocation_id).optional(self.invocation.branch.as_deref());
        hash.optional(self.invocation.isolation_scope.as_deref()).text(self.invocation.node_path.as_str());
        if let Some(artifacts) = &self.services.artifacts {
            hash.fingerprint(artifacts.fingerprint());
        }
        hash.number(self.answers.now.to_bits());
        for (tool, runs) in &self.answers.tools.0 {
            hash.text(tool);
            for run in runs {
                hash.json(&run.result).object(&run.state).json(&run.actions.to_json());
                hash.optional(run.confirmation_hint.as_deref()).optional(run.error.as_deref());
                let saved: Object =
                    run.artifacts.iter().map(|(name, part)| (name.clone(), part.to_json())).collect();
                hash.object(&saved);
            }
        }
        hash.finish()
    }
}
