//! A recorded session that is run again from one of its calls on.
//!
//! What was before the turn of the call begins the new session. The turn is taken again: its calls before the chosen one
//! are answered as recorded, without a model, and tools answer as recorded as long as they are called the same. From the
//! call on the model answers.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use strata_engine::{Call, Experiment, Flow, FlowKind, StageCache};
use strata_measure::analysis::{PrefixEnd, common_prefix};
use strata_model::{
    App, Content, Event, EventIndex, LlmRequest, LlmResponse, Object, Session, Str, Usage, json, marks,
};
use strata_store::{AppConfig, AppConfigOrigin, RecordedRequest};
use strata_wire::CacheRule;

use super::tools::RecordedAnswers;
use crate::error::AppError;
use crate::open::AppSource;

/// A turn of a recorded session, up to one of its calls.
pub(crate) struct RecordedTurn {
    pub app: Arc<App>,
    pub app_config: AppConfig,
    /// How requests are made, by agent: as edits left it.
    pub flows: Vec<(Str, Flow)>,
    pub beginning: Beginning,
    pub replay: Replay,
    pub tools: RecordedAnswers,
}

/// What a run that takes a turn again begins with, and what is said in it.
pub(crate) struct Beginning {
    /// What was before the turn.
    pub session: Session,
    pub requests: Vec<RecordedRequest>,
    /// What the user says in the turn, and the state that comes with it.
    pub message: Content,
    pub state: Object,
    /// What the user said in later turns.
    pub later: Vec<Content>,
}

/// The calls of a turn that are not made again, with their recorded answers.
#[derive(Default)]
pub(crate) struct Replay(Mutex<Waiting>);

#[derive(Default)]
struct Waiting {
    calls: VecDeque<ReplayedCall>,
    /// A request was another one than recorded, and it was said.
    is_told: bool,
}

struct ReplayedCall {
    /// As the session's calls are numbered; 0 for a summary.
    number: u32,
    /// Empty for a summary.
    agent: Str,
    /// What was sent.
    request: Option<LlmRequest>,
    response: LlmResponse,
}

impl RecordedTurn {
    /// The turn of a call, counted from 1, of a session with its edits.
    pub(crate) fn up_to(
        experiment: &Experiment,
        source: &AppSource,
        requests: &[RecordedRequest],
        call: u32,
    ) -> Result<Self, AppError> {
        if experiment.kind() != FlowKind::Adk {
            return Err(AppError::bad_input(
                "Only sessions of google-adk and of Strata can be run again from a call: of others it is not recorded how \
                 their agents go on.",
            ));
        }
        if source.is_inferred {
            return Err(AppError::bad_input(
                "The app of this session is inferred from what was recorded, and says nothing of how its agents run. Give \
                 the app's configuration.",
            ));
        }
        if experiment.session().events.len() > experiment.n_recorded() {
            return Err(AppError::bad_input(
                "A summary of the Lab is laid over this session. Take it back, or start from the recording: a run cannot \
                 begin with it.",
            ));
        }
        let chosen = experiment.call(call).ok_or_else(|| {
            AppError::not_found(format!(
                "C{call} is not in this session, which has {} calls.",
                experiment.calls().len()
            ))
        })?;
        let invocation = &chosen.invocation.invocation_id;
        let events = &experiment.session().events;
        let is_of_turn = |event: &Arc<Event>| event.invocation_id == *invocation;
        let first = events.iter().position(is_of_turn).unwrap_or(0);
        let (opening, content) = shown(experiment, first)
            .filter(|event| event.is_from_user() && first < chosen.n_events())
            .and_then(|event| Some((event.clone(), event.content.clone()?)))
            .ok_or_else(|| {
                AppError::bad_input(format!(
                    "The turn of C{call} does not begin with words of the user, so it cannot be taken again. Choose a call \
                     of another turn."
                ))
            })?;
        let is_resumed = |event: &Arc<Event>| is_of_turn(event) && event.is_from_user();
        if let Some(at) = (first + 1..chosen.n_events()).find(|at| is_resumed(&events[*at])) {
            return Err(AppError::bad_input(format!(
                "The user answered in the middle of this turn, in E{}. Choose a call before that.",
                at + 1
            )));
        }
        let is_before = |answer: u32| (answer as usize) < first;
        let kept = requests.iter().filter(|request| request.answer.is_some_and(is_before));
        let app = experiment.app().clone();
        Ok(Self {
            app_config: AppConfig {
                origin: AppConfigOrigin::Given,
                format: "json".to_owned(),
                text: json::to_pretty(&strata_model::FromJson::to_json(&*app)),
                location: source.location.clone(),
            },
            flows: experiment
                .index()
                .ids()
                .map(|id| (experiment.index().agent(id).name.clone(), experiment.flow(id).clone()))
                .collect(),
            beginning: Beginning {
                session: Session {
                    events: (0..first).filter_map(|at| shown(experiment, at)).collect(),
                    state: experiment.states().at(first).known(),
                    ..Session::clone(experiment.session())
                },
                requests: kept
                    .map(|request| RecordedRequest { added_from: None, ..request.clone() })
                    .collect(),
                message: Content::clone(&content),
                state: opening.actions.state_delta.clone(),
                later: later_messages(&events[chosen.n_events()..]),
            },
            replay: Replay::of(experiment, first, chosen),
            tools: RecordedAnswers::of(&events[first..]),
            app,
        })
    }
}

/// An event as the experiment has it.
fn shown(experiment: &Experiment, at: usize) -> Option<Arc<Event>> {
    experiment.shown_event(EventIndex(at as u32))
}

/// What the user said, but for answers to calls.
fn later_messages(events: &[Arc<Event>]) -> Vec<Content> {
    let said =
        events.iter().filter(|event| event.is_from_user() && event.function_responses().next().is_none());
    said.filter_map(|event| Some(Content::clone(event.content.as_deref()?))).collect()
}

impl Replay {
    /// Of the turn that begins with the event `first`, the calls before the chosen one.
    fn of(experiment: &Experiment, first: usize, chosen: &Call) -> Self {
        let recorded = experiment.laid_over().unwrap_or(experiment);
        let mut cache = StageCache::new();
        let of_turn = experiment
            .calls()
            .iter()
            .filter(|call| call.n_events() >= first && call.number < chosen.number && call.is_answered);
        let calls = of_turn.filter_map(|call| {
            let sent = recorded.compile(call, &mut cache).map(|compiled| compiled.working_context());
            let answer = shown(experiment, call.n_events())?;
            Some((
                call.n_events(),
                ReplayedCall {
                    number: call.number,
                    agent: call.invocation.agent.clone(),
                    request: sent,
                    response: LlmResponse {
                        custom_metadata: Some(Object::from_iter([(marks::REPLAYED, true)])),
                        ..LlmResponse::of_event(&answer)
                    },
                },
            ))
        });
        let events = experiment.session().events.iter().enumerate();
        let summaries = events.take(chosen.n_events()).skip(first).filter_map(|(at, event)| {
            let summary = event.actions.compaction.as_ref()?.compacted_content.clone()?;
            let response = LlmResponse { content: Some(Arc::new(summary)), ..LlmResponse::default() };
            Some((at, ReplayedCall { number: 0, agent: Str::default(), request: None, response }))
        });
        let mut all: Vec<_> = calls.chain(summaries).collect();
        all.sort_by_key(|(at, _)| *at);
        let calls = all.into_iter().map(|(_, call)| call).collect();
        Self(Mutex::new(Waiting { calls, is_told: false }))
    }

    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether the next call of an agent is answered as recorded.
    pub(crate) fn has(&self, agent: &str) -> bool {
        self.lock().calls.iter().any(|call| *call.agent == *agent)
    }

    /// The recorded answer to the next call of an agent; of the one that writes summaries, with an empty name.
    pub(crate) fn take(&self, agent: &str) -> Option<LlmResponse> {
        let mut waiting = self.lock();
        let at = waiting.calls.iter().position(|call| *call.agent == *agent)?;
        waiting.calls.remove(at).map(|call| call.response)
    }

    /// Compares what an agent would send next with what it sent where it is answered as recorded. What was reported of
    /// one prompt is not said of another. Says how they differ, once, of the first that do.
    pub(crate) fn compare(&self, agent: &str, request: &LlmRequest) -> Option<String> {
        let Waiting { calls, is_told } = &mut *self.lock();
        let call = calls.iter_mut().find(|call| *call.agent == *agent)?;
        let place = match common_prefix(&CacheRule::assumed(), call.request.as_ref()?, request).ends_in {
            PrefixEnd::Definitions => "tools",
            PrefixEnd::System => "instruction",
            PrefixEnd::Contents => "conversation",
            PrefixEnd::Whole => return None,
        };
        call.response.cache_metadata = None;
        if let Some(usage) = &mut call.response.usage_metadata {
            **usage = Usage {
                candidates_token_count: usage.visible_tokens(),
                thoughts_token_count: usage.thought_tokens(),
                ..Usage::default()
            };
        }
        let number = call.number;
        let was_told = std::mem::replace(is_told, true);
        (!was_told).then(|| {
            format!(
                "From C{number} on, prompts are not as they were recorded: the {place} is another one. What was answered to \
                 them is taken as it was recorded."
            )
        })
    }
}
