//! The events of a session as rows: what each is, and what it cost.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use strata_engine::Experiment;
use strata_measure::analysis::{Kind, Scale, SessionAnalysis, UseTotals};
use strata_model::{Event, EventIndex, FunctionCall, Json, Origin, Part, RequestContent, Str, json, marks};

use crate::{tool_words, words};

/// A row as far as the session alone tells it.
#[derive(Clone)]
pub(crate) struct EventFacts {
    pub kind: Kind,
    pub agent: Str,
    /// The call that produced it, or asked for it.
    pub call: Option<u32>,
    /// Tools it calls or answers, in order.
    pub tools: Vec<Str>,
    /// In one line, without the tool's name.
    pub what: String,
    pub error: Option<String>,
    /// It holds nothing a model could read.
    pub is_silent: bool,
}

/// All rows of a session.
pub(crate) struct EventTable {
    facts: Arc<Vec<EventFacts>>,
    /// What each holds, for weighing; `None` where there is nothing.
    contents: Arc<Vec<Option<Arc<RequestContent>>>>,
    used: Mutex<Option<Arc<UsedEvents>>>,
}

/// What the events cost in the calls compiled so far, by their place in the session.
pub(crate) struct UsedEvents {
    n_compiled: usize,
    /// As stored.
    pub tokens: Vec<u32>,
    pub uses: Vec<UseTotals>,
    pub max_lifetime: u64,
    /// Places, the costliest first.
    pub by_lifetime: Vec<u32>,
    pub by_size: Vec<u32>,
}

impl EventTable {
    pub(crate) fn of(experiment: &Experiment) -> Self {
        let producers = producers(experiment);
        let asked = Asked::of(experiment);
        let events = experiment.session().events.iter().enumerate();
        Self {
            facts: Arc::new(events.clone().map(|(at, event)| facts(event, producers[at], &asked)).collect()),
            contents: Arc::new(events.map(|(at, event)| content(event, EventIndex(at as u32))).collect()),
            used: Mutex::default(),
        }
    }

    /// The rows of the same session for an experiment over it: what events cost is another matter there, and what was
    /// edited says something else.
    pub(super) fn over(&self, experiment: &Experiment) -> Self {
        let (mut of_all, mut contents) = (self.facts.clone(), self.contents.clone());
        let asked = Asked::of(experiment);
        for (index, change) in experiment.changed_events() {
            let Some(event) = &change.edited else { continue };
            let at = index.as_usize();
            let edited = facts(event, self.facts[at].call, &asked);
            Arc::make_mut(&mut of_all)[at] = edited;
            Arc::make_mut(&mut contents)[at] = content(event, index);
        }
        Self { facts: of_all, contents, used: Mutex::default() }
    }

    pub(crate) fn facts(&self) -> &[EventFacts] {
        &self.facts
    }

    /// What an event holds: its own content, or the summary it carries.
    pub(crate) fn content(&self, event: EventIndex) -> Option<&Arc<RequestContent>> {
        self.contents.get(event.as_usize())?.as_ref()
    }

    /// What the events cost by now. While calls are being compiled an answer may lag behind a little.
    pub(crate) fn used(
        &self,
        analysis: &SessionAnalysis,
        scale: Option<Scale<'_>>,
        n_calls: usize,
    ) -> Arc<UsedEvents> {
        let mut known = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        let n_compiled = analysis.calls().len();
        let is_fresh = |used: &UsedEvents| {
            used.n_compiled == n_compiled
                || (n_compiled < n_calls && used.n_compiled > n_compiled - n_compiled / 8)
        };
        if let Some(used) = known.as_ref().filter(|used| is_fresh(used)) {
            return used.clone();
        }
        let tokens: Vec<u32> = match (scale, known.as_ref()) {
            (_, Some(used)) if used.n_compiled > 0 => used.tokens.clone(),
            (Some(scale), _) => {
                self.contents.iter().map(|content| weigh(content.as_deref(), scale)).collect()
            }
            (None, _) => vec![0; self.facts.len()],
        };
        let uses = analysis.ledger().events(self.facts.len());
        let by = |size: &dyn Fn(usize) -> u64| {
            let mut places: Vec<u32> = (0..self.facts.len() as u32).collect();
            places.sort_by_key(|at| std::cmp::Reverse(size(*at as usize)));
            places
        };
        let used = Arc::new(UsedEvents {
            n_compiled,
            by_lifetime: by(&|at| uses[at].lifetime),
            by_size: by(&|at| tokens[at].into()),
            max_lifetime: uses.iter().map(|usage| usage.lifetime).max().unwrap_or(0),
            tokens,
            uses,
        });
        *known = Some(used.clone());
        used
    }
}

fn weigh(content: Option<&RequestContent>, scale: Scale<'_>) -> u32 {
    content.map_or(0, |content| content.parts.iter().map(|part| scale.weigher().part(part).tokens).sum())
}

/// What an event holds, with where it is from.
pub(crate) fn content(event: &Event, index: EventIndex) -> Option<Arc<RequestContent>> {
    let summary =
        event.actions.compaction.as_ref().and_then(|compaction| compaction.compacted_content.as_ref());
    let origin = |part: usize| {
        let part = part as u16;
        if summary.is_some() {
            Origin::Summary { event: index, part }
        } else {
            Origin::Event { event: index, part }
        }
    };
    let content = summary.or(event.content.as_deref())?;
    Some(Arc::new(RequestContent::from_content(content, origin)))
}

/// For each event, the call that wrote it or that called the tool it is the result of.
fn producers(experiment: &Experiment) -> Vec<Option<u32>> {
    let events = &experiment.session().events;
    let mut of_event = vec![None; events.len()];
    for call in experiment.calls() {
        of_event[call.answer.as_usize()] = Some(call.number);
    }
    let mut of_tool_call: HashMap<&str, u32> = HashMap::new();
    for (at, event) in events.iter().enumerate() {
        if let Some(call) = of_event[at] {
            let ids = event.function_calls().filter_map(|call| call.id.as_deref());
            of_tool_call.extend(ids.map(|id| (id, call)));
        }
        let mut ids = event.function_responses().filter_map(|response| response.id.as_deref());
        let asked = ids.find_map(|id| of_tool_call.get(id).copied());
        of_event[at] = of_event[at].or(asked);
    }
    of_event
}

/// The calls of tools by their ids, so that a result can say what it answers.
struct Asked<'e>(HashMap<&'e str, &'e FunctionCall>);

impl<'e> Asked<'e> {
    fn of(experiment: &'e Experiment) -> Self {
        let calls = experiment.session().events.iter().flat_map(|event| event.function_calls());
        Self(calls.filter_map(|call| Some((call.id.as_deref()?, call))).collect())
    }

    fn by(&self, id: Option<&str>) -> Option<&'e FunctionCall> {
        self.0.get(id?).copied()
    }
}

fn facts(event: &Event, call: Option<u32>, asked: &Asked<'_>) -> EventFacts {
    let part = main_part(event);
    let calls = event.function_calls().filter_map(|call| call.name.clone());
    let tools: Vec<Str> =
        calls.chain(event.function_responses().filter_map(|response| response.name.clone())).collect();
    let is_silent = event.parts().is_empty() && !event.is_compaction();
    EventFacts {
        kind: Kind::of_event_part(event, part),
        agent: event.author.clone(),
        call,
        what: what(event, part, tools.len(), asked),
        tools,
        error: error(event),
        is_silent,
    }
}

/// The part that says what the event is: a tool call or result, else the first text that is no thought.
fn main_part(event: &Event) -> Option<&Part> {
    let parts = || event.parts().iter().map(|part| &**part);
    let is_tool = |part: &&Part| part.function_call.is_some() || part.function_response.is_some();
    parts().find(is_tool).or_else(|| parts().find(|part| !part.is_thought())).or_else(|| parts().next())
}

fn what(event: &Event, part: Option<&Part>, n_tools: usize, asked: &Asked<'_>) -> String {
    if let Some(compaction) = &event.actions.compaction {
        let content = compaction.compacted_content.as_ref();
        let text = content.and_then(|content| content.parts().first()?.text.clone()).unwrap_or_default();
        return format!("Summary: {}", words::first_line(&text));
    }
    let line = match part {
        Some(part) => match (&part.function_call, &part.function_response) {
            (Some(call), _) => words::arguments(call),
            (_, Some(response)) => tool_words::answered(asked.by(response.id.as_deref()), response),
            _ => words::plain_line(part),
        },
        None => return silent(event),
    };
    if n_tools > 1 { format!("{line} and {} more", n_tools - 1) } else { line }
}

/// What an event without content is there for.
fn silent(event: &Event) -> String {
    let actions = &event.actions;
    if let Some(code) = &event.error_code {
        return words::first_line(&format!("{code}: {}", event.error_message.as_deref().unwrap_or_default()));
    }
    if marks::has(event, marks::UNANSWERED) {
        return "No answer recorded".to_owned();
    }
    if let Some(invocation) = &actions.rewind_before_invocation_id {
        return format!("Rewind to before {invocation}");
    }
    if !actions.state_delta.is_empty() {
        let keys: Vec<&str> = actions.state_delta.keys().map(|key| &**key).collect();
        return words::cut(&format!("State: {}", keys.join(", ")), 240);
    }
    if !actions.artifact_delta.is_empty() {
        let names: Vec<&str> = actions.artifact_delta.keys().map(|key| &**key).collect();
        return words::cut(&format!("Artifacts: {}", names.join(", ")), 240);
    }
    if let Some(agent) = &actions.transfer_to_agent {
        return format!("Transfer to {agent}");
    }
    "No content".to_owned()
}

/// What failed: the model's answer, or a tool.
fn error(event: &Event) -> Option<String> {
    if let Some(code) = &event.error_code {
        let message = event.error_message.as_deref().unwrap_or_default();
        return Some(format!("{code}: {message}").trim_end_matches([':', ' ']).to_owned());
    }
    event.function_responses().find_map(|response| {
        let object = response.response.as_deref()?;
        let is_flagged =
            ["isError", "is_error"].iter().any(|key| object.get(key).is_some_and(Json::is_truthy));
        let failed = object.get("error").filter(|error| error.is_truthy());
        let failed = failed.or_else(|| object.get("result").filter(|_| is_flagged));
        if failed.is_none() && !is_flagged {
            return None;
        }
        let name = response.name.as_deref().unwrap_or("The tool");
        Some(match failed {
            Some(Json::String(message)) => format!("{name} failed: {}", words::first_line(message)),
            Some(other) => format!("{name} failed: {}", words::cut(&json::to_compact(other), 240)),
            None => format!("{name} failed"),
        })
    })
}
