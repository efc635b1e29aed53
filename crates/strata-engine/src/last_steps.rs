//! What the runs of agents did last: by that, some of what follows answers no request.
//!
//! google-adk writes down what its models answered, what its callbacks said in their place or behind them, and what
//! went wrong in any of it, all as events of the agent. An agent asks nothing more in a run in which it has said its
//! last word, and nothing before its calls are answered.

use imbl::HashMap;
use strata_model::app::{AgentKind, Callback, Plugin};
use strata_model::{Event, NodePath, Str};

use crate::adk_text::{REQUEST_CONFIRMATION, REQUEST_CREDENTIAL};
use crate::app_index::{AgentId, AppIndex};
use crate::turn::is_final_response;

/// google-adk counts calls before it sends them.
const LIMIT_REACHED: &str = "LlmCallsLimitExceededError";
/// What google-adk raises for a placeholder without a value, while it puts the request together.
const KEY_ERROR: &str = "KeyError";
const NO_VALUE: &str = "Context variable not found";

/// What google-adk writes as the author of what a plugin says in the place of a whole run.
const RUN_AUTHOR: &str = "model";

/// The last step of each run, while events are read one after the other.
#[derive(Debug, Clone, Default)]
pub(crate) struct LastSteps {
    runs: HashMap<Run, (usize, Step)>,
    /// What the user said or answered last in each invocation, and where.
    user: HashMap<Str, (usize, UserStep)>,
}

/// An invocation, an agent, a branch and the path of a node.
type Run = (Str, Str, Option<Str>, NodePath);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    /// It said its last word.
    Ended,
    /// It called functions, so many of which are not answered yet.
    Called(usize),
    Other,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum UserStep {
    /// An answer to what the runtime asked, on which a tool runs before a model is asked again.
    Approved,
    Other,
}

impl LastSteps {
    pub(crate) fn add(&mut self, at: usize, event: &Event) {
        if event.is_from_user() {
            let is_asked = |name: &str| matches!(name, REQUEST_CONFIRMATION | REQUEST_CREDENTIAL);
            let names = event.function_responses().filter_map(|response| response.name.as_deref());
            let step = if names.into_iter().any(is_asked) { UserStep::Approved } else { UserStep::Other };
            self.user.insert(event.invocation_id.clone(), (at, step));
            return;
        }
        if event.partial == Some(true) || event.parts().is_empty() {
            return;
        }
        let run = run(event);
        let n_calls = event.function_calls().count();
        let n_answers = event.function_responses().count();
        let step = match self.runs.get(&run) {
            _ if is_final_response(event) => Step::Ended,
            _ if n_calls > 0 => Step::Called(n_calls),
            Some((_, Step::Called(open))) if *open > n_answers => Step::Called(open - n_answers),
            _ => Step::Other,
        };
        self.runs.insert(run, (at, step));
        if let Some((_, step)) = self.user.get_mut(&event.invocation_id) {
            *step = UserStep::Other;
        }
    }

    /// Whether what an agent did before tells that no model was asked for this event of it. `agent`: where it is
    /// configured.
    pub(crate) fn is_unasked(&self, event: &Event, agent: Option<(AgentId, &AppIndex)>) -> bool {
        if event.usage_metadata.is_some() {
            return false;
        }
        let user = self.user.get(&event.invocation_id);
        let last = self.runs.get(&run(event)).filter(|(at, _)| user.is_none_or(|(said, _)| said < at));
        let is_ended = || match last {
            Some((_, Step::Ended)) if event.node_info.path.as_str().is_empty() => {
                agent.is_some_and(|(agent, index)| adds_last_words(agent, index))
            }
            Some((_, Step::Ended)) => true,
            _ => false,
        };
        let Some(code) = event.error_code.as_deref().filter(|_| event.parts().is_empty()) else {
            return is_ended();
        };
        let is_tools = matches!(last, Some((_, Step::Called(_))))
            || user.is_some_and(|(_, step)| *step == UserStep::Approved);
        code == LIMIT_REACHED || is_without_value(code, event) || is_tools || is_ended()
    }
}

fn run(event: &Event) -> Run {
    let path = event.node_info.path.clone();
    (event.invocation_id.clone(), event.author.clone(), event.branch.clone(), path)
}

fn is_without_value(code: &str, event: &Event) -> bool {
    let message = event.error_message.as_deref().unwrap_or_default();
    code == KEY_ERROR && message.trim_start_matches(['"', '\'']).starts_with(NO_VALUE)
}

/// Whether an event looks like what a plugin said in the place of a whole run, and not like what an agent called `model`
/// did: it is of no node, and nothing of a model stands with it.
pub(crate) fn looks_like_run_answer(event: &Event) -> bool {
    *event.author == *RUN_AUTHOR
        && event.usage_metadata.is_none()
        && event.model_version.is_none()
        && event.node_info.path.as_str().is_empty()
        && event.branch.is_none()
}

/// Whether an agent's own code may add to its last words, and nothing has it run again in an invocation.
fn adds_last_words(agent: AgentId, index: &AppIndex) -> bool {
    let mut above = std::iter::successors(index.parent(agent), |id| index.parent(*id));
    index.agent(agent).after_agent_callbacks.as_ref().is_some_and(|callbacks| !callbacks.is_empty())
        && above.all(|id| {
            matches!(index.agent(id).kind, AgentKind::Llm | AgentKind::Sequential | AgentKind::Parallel)
        })
}

/// Whether code that Strata does not know may answer in the place of an agent's model.
pub(crate) fn may_be_answered_by_code(agent: AgentId, index: &AppIndex) -> bool {
    let is_code = |callback: &Callback| matches!(callback, Callback::Code { .. });
    let agent = index.agent(agent);
    let callbacks =
        [&agent.before_agent_callbacks, &agent.before_model_callbacks, &agent.after_agent_callbacks];
    callbacks.into_iter().flatten().flatten().any(is_code)
        || index.app().plugins().iter().any(|plugin| matches!(plugin, Plugin::Code { .. }))
}
