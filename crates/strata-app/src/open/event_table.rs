//! The events of a session as rows: what each is, and what it cost.

use std::sync::{Arc, Mutex, PoisonError};

use strata_engine::Experiment;
use strata_measure::analysis::{Scale, SessionAnalysis, UseTotals};
use strata_model::{Event, EventIndex, Origin, RequestContent};

use super::event_facts::{EventFacts, facts};
use super::tool_calls::ToolCalls;

/// All rows of a session.
pub(crate) struct EventTable {
    facts: Vec<Arc<EventFacts>>,
    /// What each holds, for weighing; `None` where there is nothing.
    contents: Vec<Option<Arc<RequestContent>>>,
    tool_calls: ToolCalls,
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
    /// The rows of a session, going on from those of its first `kept` events as it was before.
    pub(crate) fn of(experiment: &Experiment, known: Option<(&Self, usize)>) -> Self {
        let events = &experiment.session().events;
        let (mut tool_calls, mut contents, n_known, known_facts) = match known {
            Some((known, kept)) if kept == known.facts.len() => {
                (known.tool_calls.clone(), known.contents.clone(), kept, &known.facts[..])
            }
            // Tools that were called behind the events that stay are not to be found.
            Some((known, kept)) => {
                (ToolCalls::default(), known.contents[..kept].to_vec(), 0, &known.facts[..kept])
            }
            None => (ToolCalls::default(), Vec::new(), 0, &[][..]),
        };
        tool_calls.read(events, n_known);
        let n_contents = contents.len();
        let new_contents = events.iter().enumerate().skip(n_contents);
        contents.extend(new_contents.map(|(at, event)| content(event, EventIndex(at as u32))));
        let facts = producers(experiment, &tool_calls).into_iter().enumerate().map(|(at, call)| {
            match known_facts.get(at).filter(|known| known.call == call) {
                Some(known) => known.clone(),
                None => Arc::new(facts(&events[at], call, |id| Some(tool_calls.before(events, (id, at))?.1))),
            }
        });
        Self { facts: facts.collect(), contents, tool_calls, used: Mutex::default() }
    }

    /// The rows of the same session for an experiment over it: what events cost is another matter there, and what was
    /// edited says something else.
    pub(super) fn over(&self, experiment: &Experiment) -> Self {
        let (mut of_all, mut contents) = (self.facts.clone(), self.contents.clone());
        let events = &experiment.session().events;
        for (index, change) in experiment.changed_events() {
            let Some(event) = &change.edited else { continue };
            let at = index.as_usize();
            let asked = |id: &str| Some(self.tool_calls.before(events, (id, at))?.1);
            of_all[at] = Arc::new(facts(event, self.facts[at].call, asked));
            contents[at] = content(event, index);
        }
        Self { facts: of_all, contents, tool_calls: self.tool_calls.clone(), used: Mutex::default() }
    }

    pub(crate) fn facts(&self) -> &[Arc<EventFacts>] {
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
fn producers(experiment: &Experiment, tool_calls: &ToolCalls) -> Vec<Option<u32>> {
    let events = &experiment.session().events;
    let mut of_event = vec![None; events.len()];
    for call in experiment.calls() {
        of_event[call.answer.as_usize()] = Some(call.number);
    }
    for (at, event) in events.iter().enumerate() {
        let mut ids = event.function_responses().filter_map(|response| response.id.as_deref());
        let asked = || ids.find_map(|id| of_event[tool_calls.before(events, (id, at))?.0]);
        of_event[at] = of_event[at].or_else(asked);
    }
    of_event
}
