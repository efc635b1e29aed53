//! The events of a session as rows: what each is, and what it cost.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use imbl::Vector;
use strata_engine::{Call, Experiment};
use strata_measure::analysis::{Scale, SessionAnalysis, UseTotals};
use strata_model::{Event, EventIndex, Origin, RequestContent, SharedList, Str};

use super::event_facts::{self, EventFacts};
use super::tool_calls::ToolCalls;

/// The first and the last call of a range.
type CallRange = (u32, u32);

/// All rows of a session.
pub(crate) struct EventTable {
    facts: Vector<Arc<EventFacts>>,
    /// What each holds, for weighing; `None` where there is nothing.
    contents: Vector<Option<Arc<RequestContent>>>,
    tool_calls: ToolCalls,
    /// By invocation, the first event in which its user said something.
    asked: imbl::HashMap<Str, u32>,
    /// By which the rows say who wrote them.
    calls: SharedList<Call>,
    /// See [`Self::agents`].
    agents: Vec<AgentRows>,
    used: Mutex<Option<Arc<UsedEvents>>>,
    /// The same in the calls that were asked about last.
    used_within: Mutex<Option<(CallRange, Arc<UsedEvents>)>>,
}

/// What an agent did in a session.
#[derive(Clone)]
pub(crate) struct AgentRows {
    pub name: Str,
    pub n_events: u32,
    pub n_calls: u32,
}

/// What the events cost in the calls compiled so far, by their place in the session.
pub(crate) struct UsedEvents {
    n_compiled: usize,
    /// As stored.
    pub tokens: Vec<u32>,
    pub uses: Vec<UseTotals>,
    /// Of all prompts.
    pub sent: u64,
    pub max_lifetime: u64,
    /// Places, the costliest first.
    pub by_lifetime: Vec<u32>,
    pub by_size: Vec<u32>,
}

impl EventTable {
    pub(crate) fn of(experiment: &Experiment) -> Self {
        let empty = Self {
            facts: Vector::new(),
            contents: Vector::new(),
            tool_calls: ToolCalls::default(),
            asked: imbl::HashMap::new(),
            calls: SharedList::new(),
            agents: Vec::new(),
            used: Mutex::default(),
            used_within: Mutex::default(),
        };
        empty.gone_on(experiment)
    }

    /// The rows of a session that has grown: of what it was, its first `kept` events stayed.
    pub(super) fn grown(&self, before: &Experiment, kept: usize, experiment: &Experiment) -> Self {
        let mut stays = self.copy();
        stays.facts.truncate(kept);
        stays.contents.truncate(kept);
        for (at, event) in before.session().events.iter().enumerate().skip(kept) {
            stays.tool_calls.forget(event, kept);
            if stays.asked.get(&event.invocation_id) == Some(&(at as u32)) {
                stays.asked.remove(&event.invocation_id);
            }
            if let Some(agent) = stays.agents.iter_mut().find(|agent| agent.name == event.author) {
                agent.n_events -= 1;
            }
        }
        stays.agents.retain(|agent| agent.n_events > 0);
        stays.gone_on(experiment)
    }

    /// With the events behind those that it has.
    fn gone_on(self, experiment: &Experiment) -> Self {
        let events = &experiment.session().events;
        let Self { mut facts, mut contents, mut tool_calls, mut asked, calls, mut agents, .. } = self;
        let kept = contents.len();
        tool_calls.read(events, kept);
        // Calls that stay wrote what they wrote; those that are gone counted only for agents that stay.
        let now = experiment.calls();
        let n_same = calls.n_shared(now);
        let n_of = |calls: &SharedList<Call>, agent: &Str| {
            calls.range(n_same..calls.len()).filter(|call| call.invocation.agent == *agent).count() as u32
        };
        for agent in &mut agents {
            agent.n_calls -= n_of(&calls, &agent.name);
        }
        for (at, event) in events.iter().enumerate().skip(kept) {
            contents.push_back(content(event, EventIndex(at as u32)));
            if event.is_from_user() && !event.parts().is_empty() {
                asked.entry(event.invocation_id.clone()).or_insert(at as u32);
            }
            match agents.iter_mut().find(|agent| agent.name == event.author) {
                Some(agent) => agent.n_events += 1,
                None if event.is_from_user() => {}
                None => agents.push(AgentRows { name: event.author.clone(), n_events: 1, n_calls: 0 }),
            }
        }
        for agent in &mut agents {
            agent.n_calls += n_of(now, &agent.name);
        }
        let changed = [calls.get(n_same), now.get(n_same)].into_iter().flatten();
        facts.truncate(changed.map(|call| call.answer.as_usize()).min().unwrap_or(kept));
        let wrote = now.range(n_same..now.len()).map(|call| (call.answer.as_usize(), call.number));
        let wrote: HashMap<usize, u32> = wrote.collect();
        for (at, event) in events.iter().enumerate().skip(facts.len()) {
            let place_of_call = |id: &str| tool_calls.before(events, (id, at));
            let mut ids = event.function_responses().filter_map(|response| response.id.as_deref());
            let asked = || ids.find_map(|id| facts.get(place_of_call(id)?.0)?.call);
            let call = wrote.get(&at).copied().or_else(asked);
            facts.push_back(Arc::new(event_facts::facts(event, call, |id| Some(place_of_call(id)?.1))));
        }
        Self {
            facts,
            contents,
            tool_calls,
            asked,
            calls: now.clone(),
            agents,
            used: Mutex::default(),
            used_within: Mutex::default(),
        }
    }

    /// Of the same rows; what the events cost is not copied.
    fn copy(&self) -> Self {
        Self {
            facts: self.facts.clone(),
            contents: self.contents.clone(),
            tool_calls: self.tool_calls.clone(),
            asked: self.asked.clone(),
            calls: self.calls.clone(),
            agents: self.agents.clone(),
            used: Mutex::default(),
            used_within: Mutex::default(),
        }
    }

    /// The rows of the same session for an experiment over it: what events cost is another matter there, and what was
    /// edited says something else.
    pub(super) fn over(&self, experiment: &Experiment) -> Self {
        let mut over = self.copy();
        let events = &experiment.session().events;
        for (index, change) in experiment.changed_events() {
            let Some(event) = &change.edited else { continue };
            let at = index.as_usize();
            let asked = |id: &str| Some(self.tool_calls.before(events, (id, at))?.1);
            over.facts.set(at, Arc::new(event_facts::facts(event, self.facts[at].call, asked)));
            over.contents.set(at, content(event, index));
        }
        over
    }

    pub(crate) fn facts(&self) -> &Vector<Arc<EventFacts>> {
        &self.facts
    }

    /// Who wrote events, in the order of the first ones; nobody's are the user's.
    pub(crate) fn agents(&self) -> &[AgentRows] {
        &self.agents
    }

    /// The first event of an invocation in which its user said something.
    pub(crate) fn asked(&self, invocation: &Str) -> Option<EventIndex> {
        self.asked.get(invocation).copied().map(EventIndex)
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
        let sent = analysis.calls().iter().map(|call| u64::from(call.total.tokens)).sum();
        let used = Arc::new(UsedEvents { sent, ..UsedEvents::of(n_compiled, tokens, uses) });
        *known = Some(used.clone());
        used
    }

    /// What the events cost in some of the calls, from the first to the last of them. `all` is what they cost in all.
    pub(crate) fn used_within(
        &self,
        analysis: &SessionAnalysis,
        all: &UsedEvents,
        calls: CallRange,
    ) -> Arc<UsedEvents> {
        let mut known = self.used_within.lock().unwrap_or_else(PoisonError::into_inner);
        let n_compiled = analysis.calls().len();
        match known.as_ref() {
            Some((of, used)) if *of == calls && used.n_compiled == n_compiled => used.clone(),
            _ => {
                let uses = analysis.ledger().events_within(self.facts.len(), calls);
                let used = Arc::new(UsedEvents::of(n_compiled, all.tokens.clone(), uses));
                *known = Some((calls, used.clone()));
                used
            }
        }
    }
}

impl UsedEvents {
    fn of(n_compiled: usize, tokens: Vec<u32>, uses: Vec<UseTotals>) -> Self {
        let by = |size: &dyn Fn(usize) -> u64| {
            let mut places: Vec<u32> = (0..uses.len() as u32).collect();
            places.sort_by_key(|at| std::cmp::Reverse(size(*at as usize)));
            places
        };
        Self {
            n_compiled,
            by_lifetime: by(&|at| uses[at].lifetime),
            by_size: by(&|at| tokens[at].into()),
            max_lifetime: uses.iter().map(|usage| usage.lifetime).max().unwrap_or(0),
            tokens,
            uses,
            sent: 0,
        }
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

#[cfg(test)]
mod tests {
    use strata_engine::Growth;
    use strata_testkit::experiment;

    use super::*;

    fn agents(table: &EventTable) -> Vec<(&str, u32, u32)> {
        table.agents().iter().map(|agent| (&*agent.name, agent.n_events, agent.n_calls)).collect()
    }

    #[test]
    fn agents_of_a_session_that_grows_are_those_of_reading_it_whole() {
        let before = experiment("user: Hello\nalice: Hi\nuser: And you?\nbob: Hi\nuser: Both?\nalice: Yes");
        let long = experiment(
            "user: Hello\nalice: Hi\nuser: And you?\nbob: Hi\nuser: Both?\nalice: Yes\nuser: Bye\nbob: Bye",
        );
        for kept in 0..=before.session().events.len() {
            let (events, session) = (long.session().events[kept..].to_vec(), long.session());
            let grown = before.grown(Growth {
                kept,
                events,
                state: session.state.clone(),
                last_update_time: session.last_update_time,
                requests: Vec::new(),
                calls: Vec::new(),
            });
            let table = EventTable::of(&before).grown(&before, kept, &grown.experiment);
            let mut gone_on = agents(&table);
            gone_on.sort_unstable();
            assert_eq!(gone_on, [("alice", 2, 2), ("bob", 2, 2)], "of the first {kept} events");
            let whole = EventTable::of(&long);
            for event in &session.events {
                let asked = |table: &EventTable| table.asked(&event.invocation_id);
                assert_eq!(asked(&table), asked(&whole), "of the first {kept} events");
            }
        }
    }
}
