//! What agents answer in words: for whom, and whether a JSON object stands in it.

use std::collections::BTreeMap;
use std::ops::Range;

use strata_engine::{Experiment, FlowKind};
use strata_model::{Event, EventIndex, Json, Object, Str, json};

/// The answers in words of an agent that could be given an output schema and has none.
pub(crate) struct AgentAnswers {
    pub agent: Str,
    /// google-adk would have it answer by calling `set_model_response`.
    pub has_tools: bool,
    /// In order; never empty.
    pub events: Vec<EventIndex>,
    /// After each of them another agent was called in the same turn: a person reads what came of it.
    pub are_for_agents: bool,
    /// The object of each answer, in their order. `None` where not every answer is one JSON object and words around it.
    pub objects: Option<Vec<WrappedObject>>,
}

/// A JSON object with words around it.
pub(crate) struct WrappedObject {
    /// Of the event's parts, the one it stands in.
    pub part: usize,
    pub object: Object,
    /// As the model wrote it.
    pub text: String,
    /// Bytes of the words around it.
    pub n_around: usize,
    /// Bytes of the whole.
    pub n_bytes: usize,
}

impl AgentAnswers {
    /// Of all agents of google-adk that have said something more than once, by name.
    pub(crate) fn of(experiment: &Experiment) -> Vec<Self> {
        if experiment.kind() != FlowKind::Adk {
            return Vec::new();
        }
        let mut by_agent: BTreeMap<Str, Vec<Said<'_>>> = BTreeMap::new();
        let mut turn = Later::default();
        let calls: Vec<_> = experiment.calls().iter().collect();
        for call in calls.into_iter().rev() {
            let agent = &call.invocation.agent;
            let is_for_agents = turn.has_another(call.turn, agent);
            let Some(event) = experiment.session().events.get(call.answer.as_usize()) else { continue };
            if event.function_calls().next().is_none() && words(event).next().is_some() {
                let said = Said { at: call.answer, event, is_for_agents };
                by_agent.entry(agent.clone()).or_default().push(said);
            }
        }
        by_agent.into_iter().filter_map(|(agent, said)| Self::of_agent(experiment, agent, said)).collect()
    }

    fn of_agent(experiment: &Experiment, agent: Str, mut said: Vec<Said<'_>>) -> Option<Self> {
        let index = experiment.index();
        let id = index.find(&agent)?;
        if said.len() < 2 || index.agent(id).output_schema.is_some() {
            return None;
        }
        said.reverse();
        let objects: Option<Vec<WrappedObject>> =
            said.iter().map(|said| wrapped_object(said.event)).collect();
        Some(Self {
            agent,
            has_tools: index.has_tools(id),
            events: said.iter().map(|said| said.at).collect(),
            are_for_agents: said.iter().all(|said| said.is_for_agents),
            objects: objects.filter(|objects| objects.iter().all(|object| object.n_around > 0)),
        })
    }
}

struct Said<'e> {
    at: EventIndex,
    event: &'e Event,
    is_for_agents: bool,
}

/// The agents that were called later in a turn, going from the last call to the first.
#[derive(Default)]
struct Later {
    turn: u32,
    agents: Vec<Str>,
}

impl Later {
    /// Whether another agent than this one was called later in the turn. Notes this one.
    fn has_another(&mut self, turn: u32, agent: &Str) -> bool {
        if self.turn != turn {
            *self = Self { turn, agents: Vec::new() };
        }
        let has_another = self.agents.iter().any(|later| later != agent);
        if !self.agents.contains(agent) {
            self.agents.push(agent.clone());
        }
        has_another
    }
}

/// Parts of an event that say something, with their places.
fn words(event: &Event) -> impl Iterator<Item = (usize, &str)> {
    let said = event.parts().iter().enumerate().filter(|(_, part)| !part.is_thought());
    said.filter_map(|(at, part)| Some((at, part.text.as_deref().filter(|text| !text.trim().is_empty())?)))
}

/// The only thing an event says, where that is one JSON object with or without words around it.
fn wrapped_object(event: &Event) -> Option<WrappedObject> {
    let mut said = words(event);
    let (part, text) = said.next()?;
    if said.next().is_some() {
        return None;
    }
    let range: Range<usize> = text.find('{')?..text.rfind('}')? + 1;
    let object = text.get(range.clone())?;
    let Ok(Json::Object(read)) = json::parse(object.as_bytes()) else { return None };
    let around = text[..range.start].trim().len() + text[range.end..].trim().len();
    (!read.is_empty()).then(|| WrappedObject {
        part,
        object: read,
        text: object.to_owned(),
        n_around: around,
        n_bytes: text.len(),
    })
}
