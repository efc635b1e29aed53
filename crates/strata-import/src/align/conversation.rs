//! A conversation that was recovered from requests, with the agents that take part in it.

mod attempts;
mod replaced;

use std::collections::HashSet;

use strata_model::{Fingerprint, Json, Object, Part, Str};
use strata_wire::message::{Role, Turn};
use strata_wire::{Answer, context_of_body};

pub(super) use attempts::joined;

use super::calls::Calls;
use super::fork::forked_by;
use super::lane::{Fit, Lane};
use super::plan::Plan;
use super::summary::is_summary_of_client;
use super::unit::{Overlap, Unit, UnitKey, overlap, units_of_turn};
use crate::draft::{Draft, EventDraft, Kind, STEP, is_same, kind_of};
use crate::exchange::{Exchange, asked_model};
use crate::imported::RecordedRequest;
use crate::injected::{QUOTATION, injected_kind};
use crate::marks;
use crate::title::behind_elements;

/// A prompt shorter than this says nothing about who wrote it.
const TELLING_CHARS: usize = 12;

#[derive(Debug)]
pub(super) struct Conversation {
    /// The session as the log names it.
    pub(super) key: Option<Str>,
    draft: Draft,
    lanes: Vec<Lane>,
    last_answer: Option<Str>,
    calls: Calls,
    /// When its first and its last request were sent, in epoch seconds.
    sent: Option<(f64, f64)>,
}

impl Conversation {
    pub(super) fn new(exchange: &Exchange, reading: &Draft, number: usize) -> Self {
        let mut draft = Draft::new(&reading.session.app_name, &reading.agent);
        draft.title.clone_from(&exchange.about.title);
        let answer_id = exchange.answer.as_ref().and_then(|answer| answer.id.clone());
        let own = || format!("conversation-{number}").into();
        let named = exchange.about.session.clone().or_else(|| exchange.about.begins.clone());
        draft.session.id = named.or(answer_id).unwrap_or_else(own);
        Self {
            key: exchange.about.session.clone(),
            draft,
            lanes: Vec::new(),
            last_answer: None,
            calls: Calls::default(),
            sent: None,
        }
    }

    /// The id of the answer that was added last.
    pub(super) fn last_answer(&self) -> Option<&Str> {
        self.last_answer.as_ref()
    }

    pub(super) fn n_requests(&self) -> usize {
        self.draft.requests.len()
    }

    /// A request as it was sent, by its number from 0.
    pub(super) fn body(&self, request: usize) -> Option<&Json> {
        self.draft.requests.get(request).map(|request| &request.body)
    }

    pub(super) fn last_body(&self) -> Option<&Json> {
        self.draft.requests.last().map(|request| &request.body)
    }

    pub(super) fn may_hold(&self, exchange: &Exchange) -> bool {
        self.key == exchange.about.session
    }

    /// The lanes a request may continue, with how well it does.
    pub(super) fn fits(&self, exchange: &Exchange, units: &[Unit]) -> Vec<(usize, Fit)> {
        let lanes = self.lanes.iter().enumerate();
        lanes.filter_map(|(at, lane)| Some((at, lane.fit(exchange, units, self.key.is_some())?))).collect()
    }

    /// Whether so far only what a client asks beside its work was asked, about the prompt of this request of its main agent.
    pub(super) fn awaits(&self, exchange: &Exchange, units: &[Unit]) -> bool {
        let main = Some(&self.draft.agent);
        let is_beside = |lane: &Lane| lane.named.is_some() && lane.named.as_ref() != main;
        let asked = |lane: &Lane| {
            let last = lane.units[..lane.n_requested].iter().rfind(|unit| !unit.is_model).copied();
            last.is_some_and(|last| units.iter().any(|unit| unit.is_same(&last)))
        };
        exchange.about.agent.as_ref() == main && self.lanes.iter().all(|lane| is_beside(lane) && asked(lane))
    }

    /// The call for which a request asks: nobody answered it yet and its arguments hold the prompt, or it was answered at
    /// once and they are that.
    pub(super) fn call_with(&self, exchange: &Exchange) -> Option<(Str, Str)> {
        let mut asked = exchange.turns.iter().filter(|turn| turn.role == Role::User);
        let typed = asked.clone().find(|turn| injected_kind(&turn.parts).is_none());
        let prompt = typed.or_else(|| asked.next())?.text();
        // Clients put the time and the like before what an agent is asked.
        let prompts = [prompt.trim(), behind_elements(&prompt)];
        let prompts = prompts.into_iter().filter(|prompt| prompt.chars().count() >= TELLING_CHARS);
        let open = prompts.clone().find_map(|prompt| self.calls.open_with(prompt));
        // Who asks anew what was asked before is no sub-agent, although a tool was given it, too.
        let is_own = |said: Fingerprint| {
            let lanes = self.lanes.iter().filter(|lane| lane.branch.is_none());
            lanes.flat_map(|lane| &lane.units).any(|unit| !unit.is_model && unit.content == said)
        };
        open.or_else(|| {
            let mut said = prompts.map(|prompt| Fingerprint::of(prompt.as_bytes()));
            said.find_map(|said| self.calls.made_for(said, exchange.time).filter(|_| !is_own(said)))
        })
    }

    /// Adds a request that begins the history of a sub-agent.
    pub(super) fn sub_agent(
        &mut self,
        call_id: &str,
        tool: &Str,
        exchange: Exchange,
        units: Vec<Unit>,
    ) -> Vec<UnitKey> {
        let branch = format!("agent.{}", call_id.replace('.', "_")).into();
        self.lanes.push(self.lane_of(tool, branch, &exchange));
        self.append(self.lanes.len() - 1, Fit::Hinted, exchange, units)
    }

    /// Adds a request that begins the history of a sub-agent with all that its caller was told.
    pub(super) fn fork(
        &mut self,
        caller: usize,
        call_id: &str,
        tool: &Str,
        exchange: Exchange,
        units: Vec<Unit>,
    ) -> Vec<UnitKey> {
        let caller = &self.lanes[caller];
        // By ADK's rule, what is below a branch sees it.
        let above = caller.branch.as_deref().unwrap_or("main");
        let branch = format!("{above}.agent-{}", call_id.replace('.', "_")).into();
        let n_shared = overlap(&caller.units, &units).shared;
        let told = caller.units[..n_shared].to_vec();
        let begun =
            Lane { units: told, n_requested: n_shared, system: caller.system.clone(), ..Lane::default() };
        let Lane { agent, named, branch, .. } = self.lane_of(tool, branch, &exchange);
        self.lanes.push(Lane { agent, named, branch, ..begun });
        self.append(self.lanes.len() - 1, Fit::Continued(n_shared), exchange, units)
    }

    /// The call for which a request goes on from a lane as somebody else.
    pub(super) fn forked_by(&self, lane: usize, exchange: &Exchange, units: &[Unit]) -> Option<(Str, Str)> {
        let new = units.get(overlap(&self.lanes[lane].units, units).shared)?;
        forked_by(&exchange.turns, new.turn)
    }

    fn lane_of(&self, tool: &Str, branch: Str, exchange: &Exchange) -> Lane {
        let named = exchange.about.agent.clone();
        // A client that names its main agent alone does not name this one.
        let own = named.clone().filter(|named| *named != self.draft.agent);
        let agent = own.unwrap_or_else(|| format!("{}.{tool}", self.draft.agent).into());
        Lane { agent: Some(agent), named, branch: Some(branch), ..Lane::default() }
    }

    /// Adds a request that begins a history of its own.
    pub(super) fn thread(&mut self, exchange: Exchange, units: Vec<Unit>) -> Vec<UnitKey> {
        let named = exchange.about.agent.clone();
        self.lanes.push(Lane { agent: named.clone(), named, ..Lane::default() });
        self.append(self.lanes.len() - 1, Fit::Hinted, exchange, units)
    }

    /// Says of the prompt that was added last what other conversations sent of it before.
    pub(super) fn sent_elsewhere(&mut self, said: Vec<Json>) {
        let answer = self.draft.requests.last().and_then(|request| request.answer);
        if let Some(answer) = answer.filter(|_| !said.is_empty()) {
            self.draft.mark(answer, marks::SENT_ELSEWHERE, said);
        }
    }

    /// Adds a request, and what answered it, to a lane. Returns what was not said in it before.
    pub(super) fn append(
        &mut self,
        at: usize,
        fit: Fit,
        exchange: Exchange,
        mut units: Vec<Unit>,
    ) -> Vec<UnitKey> {
        let Exchange { source, time, end, body, turns, answer, answered_at, about, .. } = exchange;
        let (logged, time) = (time, time.map(|time| self.lanes[at].time_behind_answer(time)));
        self.draft.set_clock(time);
        if let Some(time) = time {
            self.sent = Some((self.sent.map_or(time, |(first, _)| first), time));
        }
        // Of some calls only the answer was recorded, or that they were made.
        let is_recorded = !body.is_null();
        let lane = &self.lanes[at];
        // The history is not in the request: the provider holds it, or the log shows only what is new.
        let follows = matches!(fit, Fit::Named | Fit::Hinted);
        let overlap = if follows { Overlap::default() } else { overlap(&lane.units, &units) };
        let mut plan = Plan::of(lane, &units, &overlap, follows);
        self.find_summary(&mut plan, lane, &units, &turns);
        self.find_told_anew(&mut plan, lane, &overlap, (&units, &turns));
        for (old, new) in (0..overlap.shared).map(|it| (it, it)).chain(overlap.kept.iter().copied()) {
            units[new].event = lane.units[old].event;
        }
        let named = about.agent.clone().filter(|named| lane.named.as_ref() != Some(named));
        let base = EventDraft {
            invocation: about.invocation.clone(),
            agent: named.or_else(|| lane.agent.clone()),
            branch: lane.branch.clone(),
            time,
            ..EventDraft::new(Kind::Notice, Vec::new(), source.clone())
        };
        self.say_system(at, &turns, &base);
        self.say_rewritten(&mut plan, &units, &turns, at, &base);
        let lane = &mut self.lanes[at];
        let is_all_there = overlap.shared >= lane.n_requested;
        let awaited = lane.awaited.take().filter(|_| is_all_there);
        let failed = lane.refused.take().filter(|_| is_all_there).or(awaited);
        if let Some(attempt) = failed.filter(|_| overlap.shared == units.len()) {
            self.draft.mark(attempt, marks::ATTEMPT, true);
        }
        self.say_new(at, &mut plan, &mut units, &turns, &base, awaited);
        let alignment = plan.alignment;
        // An answer is later than its request, also where the log has one time for both.
        let behind = time
            .filter(|_| end.zip(logged).is_none_or(|(end, logged)| is_same(end, logged)))
            .map(|asked| asked + STEP);
        self.lanes[at].answered_behind = logged.zip(behind);
        let sources = answered_at.map_or(base.sources, |place| vec![place]);
        let base = EventDraft { sources, time: behind.or(end), ..base };
        let is_answered = answer.is_some();
        let is_refused = answer.as_ref().is_some_and(|answer| {
            answer.error.is_some() && answer.usage.is_none() && answer.parts().is_empty()
        });
        let event = match answer {
            Some(answer) => {
                Some(self.say_answer(at, answer, &mut units, about.event_id.clone(), end.or(time), base))
            }
            None => is_recorded.then(|| self.await_answer(asked_model(&body), base)),
        };
        let contexts: Vec<Json> =
            about.contexts.iter().chain(&context_of_body(&body)).map(marks::named_context).collect();
        if let Some(event) = event.filter(|_| !contexts.is_empty()) {
            self.draft.mark(event, marks::CONTEXTS, contexts);
        }
        let lane = &mut self.lanes[at];
        let n_answered = units.iter().rev().take_while(|unit| unit.turn == ANSWER).count();
        let new = units.iter().skip(overlap.shared).map(Unit::key).collect();
        if follows {
            let mut all = std::mem::take(&mut lane.units);
            all.append(&mut units);
            units = all;
        }
        lane.n_requested = units.len() - n_answered;
        if !is_answered {
            lane.calls.clear();
        }
        if lane.n_first == 0 {
            lane.n_first = lane.n_requested;
        }
        lane.is_answered = is_answered && !is_refused;
        lane.awaited = event.filter(|_| !is_answered);
        lane.refused = event.filter(|_| is_refused);
        lane.units = units;
        if is_recorded {
            self.draft.requests.push(RecordedRequest { answer: event, body, source, alignment });
        }
        new
    }

    /// The system prompt is said when it is new.
    fn say_system(&mut self, at: usize, turns: &[Turn], base: &EventDraft) {
        let system: Vec<&Turn> = turns.iter().filter(|turn| turn.role == Role::System).collect();
        let text = system.iter().map(|turn| turn.text()).collect::<Vec<_>>().join("\n\n");
        if text.is_empty() || self.lanes[at].system == text {
            return;
        }
        let is_known = self.lanes.iter().any(|lane| lane.system == text);
        self.lanes[at].system = text;
        if !is_known {
            let parts = system.iter().flat_map(|turn| turn.parts.iter().cloned()).collect();
            let say = EventDraft { parts, kind: Kind::Injected("system".into()), ..base.clone() };
            let event = self.draft.push(say);
            // What stands between messages is one.
            if turns.iter().take(system.len()).all(|turn| turn.role == Role::System) {
                self.draft.mark(event, marks::SYSTEM_TEXT, true);
            }
        }
    }

    /// When several messages made room for a new one, that is a summary of them.
    fn say_rewritten(
        &mut self,
        plan: &mut Plan,
        units: &[Unit],
        turns: &[Turn],
        at: usize,
        base: &EventDraft,
    ) {
        if plan.is_compacted {
            return self.say_provider_compaction(plan, units, turns, at, base);
        }
        if !plan.makes_room(&self.lanes[at]) || plan.rewritten.is_empty() {
            return;
        }
        let (anew, new): (Vec<usize>, Vec<usize>) =
            plan.rewritten.iter().partition(|place| plan.anew.contains(place));
        let parts: Vec<_> =
            new.iter().map(|place| turns[units[*place].turn].parts[units[*place].part].clone()).collect();
        // A summary is told in words, results that came back sum nothing up, and it is fewer messages than are gone: of as
        // many, one was put in the place of each.
        let is_one = |part: &Part| part.text.as_deref().is_some_and(is_summary_of_client);
        let is_shorter = plan.rewritten.len() < plan.removed.len() || parts.iter().any(is_one);
        if parts.iter().all(|part| part.text.is_none()) || !is_shorter {
            return;
        }
        let lane = &self.lanes[at];
        let times =
            plan.removed.iter().filter_map(|old| Some(self.draft.event(lane.units[*old].event?)?.timestamp));
        let Some((start, end)) = span(times) else { return };
        let notes = Object::from_iter([("removedParts", Json::Int(plan.removed.len() as i64))]);
        let event = self.draft.push(EventDraft {
            parts,
            kind: Kind::Compaction,
            source_notes: notes,
            ..base.clone()
        });
        self.draft.set_span(event, (start, end));
        plan.said.extend(new.into_iter().map(|place| (place, event)));
        plan.rewritten = anew;
    }

    /// The last answer is what is left of everything before it.
    fn say_provider_compaction(
        &mut self,
        plan: &Plan,
        units: &[Unit],
        turns: &[Turn],
        at: usize,
        base: &EventDraft,
    ) {
        let lane = &self.lanes[at];
        let summary = units.iter().filter(|unit| unit.event.is_some());
        let parts: Vec<_> = summary.map(|unit| turns[unit.turn].parts[unit.part].clone()).collect();
        let times =
            plan.removed.iter().filter_map(|old| Some(self.draft.event(lane.units[*old].event?)?.timestamp));
        let Some(span) = span(times) else { return };
        let event = self.draft.push(EventDraft { parts, kind: Kind::Compaction, ..base.clone() });
        self.draft.set_span(event, span);
    }

    /// Everything that is new becomes events, a message at a time.
    /// `awaited` is the answer to the request before, when only this one can tell what it was.
    fn say_new(
        &mut self,
        at: usize,
        plan: &mut Plan,
        units: &mut [Unit],
        turns: &[Turn],
        base: &EventDraft,
        mut awaited: Option<usize>,
    ) {
        for (place, event) in &plan.said {
            units[*place].event = Some(*event);
        }
        let mut places: Vec<usize> = plan.rewritten.iter().chain(&plan.appended).copied().collect();
        places.sort_unstable();
        let is_shared_by_agents = self.lanes.len() > 1 && base.branch.is_none();
        let known = units.iter().filter(|_| is_shared_by_agents).filter_map(|unit| unit.event);
        let mut known: HashSet<usize> = known.collect();
        let mut from = 0;
        // The last answer that was added, and its turn: one answer may come in several items.
        let mut answer: Option<(usize, usize)> = None;
        while from < places.len() {
            let turn_at = units[places[from]].turn;
            let n = places[from..].iter().take_while(|place| units[**place].turn == turn_at).count();
            let group = &places[from..from + n];
            from += n;
            let turn = &turns[turn_at];
            // What another agent of the session was told already is one event.
            let told = group.iter().map(|place| self.event_of(at, &units[*place], &known));
            let told: Option<Vec<usize>> = if is_shared_by_agents { told.collect() } else { None };
            if let Some(told) = told {
                for (place, event) in group.iter().zip(told) {
                    units[*place].event = Some(event);
                    known.insert(event);
                }
                continue;
            }
            // What ADK quotes of another agent is an event already.
            if self.lanes.len() > 1 && kind_of(turn) == Kind::Injected(QUOTATION.into()) {
                continue;
            }
            let is_whole = units.iter().filter(|unit| unit.turn == turn_at).count() == n;
            let parts = if is_whole {
                turn.parts.clone()
            } else {
                group.iter().map(|place| turn.parts[units[*place].part].clone()).collect()
            };
            let mut said = Turn { parts, result_bytes: turn.result_bytes, ..Turn::new(turn.role) };
            self.calls.name_results(&mut said);
            self.calls.answered(&said);
            self.calls.note(&said, base.time);
            self.draft.note_result_bytes(said.result_bytes);
            for (key, value) in
                turn.rest.iter().filter(|(key, _)| !matches!(&***key, "id" | "status" | "type"))
            {
                self.draft.unmapped.field("request.message", key, value);
            }
            let kind = match kind_of(&said) {
                // What a sub-agent is asked was written by the agent that called it.
                Kind::Prompt if base.branch.is_some() => Kind::Injected("task".into()),
                Kind::Prompt if group.iter().all(|place| plan.anew.contains(place)) => {
                    Kind::Injected("rewritten".into())
                }
                kind => kind,
            };
            if kind == Kind::Response
                && let Some((event, last)) = answer
                && last + 1 == turn_at
            {
                self.draft.extend(event, said.parts, None);
                set_event(units, group, event);
                answer = Some((event, turn_at));
                continue;
            }
            if kind != Kind::Response {
                let event = self.draft.push(EventDraft { parts: said.parts, kind, ..base.clone() });
                set_event(units, group, event);
                continue;
            }
            let event = self.say_repeated(awaited.take(), said.parts, base);
            set_event(units, group, event);
            answer = Some((event, turn_at));
        }
    }

    /// What a request repeats of a model answers the request before it, or no recorded one.
    fn say_repeated(&mut self, awaited: Option<usize>, parts: Vec<Part>, base: &EventDraft) -> usize {
        if let Some(event) = awaited {
            self.draft.extend(event, parts, base.sources.first().cloned());
            self.draft.unmark(event, marks::UNANSWERED);
            return event;
        }
        let event = self.draft.push(EventDraft { parts, kind: Kind::Response, ..base.clone() });
        self.draft.mark(event, marks::QUOTED, true);
        event
    }

    /// Adds the event that stands for the answer to a request, as long as none is known.
    fn await_answer(&mut self, model: Option<Str>, base: EventDraft) -> usize {
        let event = self.draft.push(EventDraft { kind: Kind::Response, model, ..base });
        self.draft.mark(event, marks::UNANSWERED, true);
        event
    }

    /// The event in which an agent of the session beside that of a lane was told this. Who is told the same twice is told it
    /// in two: those that are `known` to stand in the request already are none.
    fn event_of(&self, at: usize, said: &Unit, known: &HashSet<usize>) -> Option<usize> {
        let lanes = self.lanes.iter().enumerate().filter(|(of, lane)| *of != at && lane.branch.is_none());
        let same = lanes.flat_map(|(_, lane)| &lane.units).filter(|unit| unit.is_same(said));
        same.filter_map(|unit| unit.event).find(|event| !known.contains(event))
    }

    fn say_answer(
        &mut self,
        at: usize,
        answer: Answer,
        units: &mut Vec<Unit>,
        event_id: Option<Str>,
        told_at: Option<f64>,
        base: EventDraft,
    ) -> usize {
        let turn = answer.turn.unwrap_or_else(|| Turn::new(Role::Model));
        self.calls.note(&turn, told_at);
        let mut notes = Object::new();
        if let Some(own) = answer.usage.as_ref().and_then(|usage| usage.top_level_input) {
            notes.push("topLevelInputTokens", Json::Int(own as i64));
        }
        notes.push_some("responseId", answer.id.clone());
        notes.push_some("stopReason", answer.finish.clone());
        let event = self.draft.push(EventDraft {
            kind: Kind::Response,
            parts: turn.parts.clone(),
            id: event_id.or_else(|| answer.id.clone()),
            model: answer.model,
            finish: answer.finish,
            usage: answer.usage,
            error: answer.error,
            source_notes: notes,
            ..base
        });
        if let Some(verdict) = answer.cache_verdict {
            self.draft.mark(event, marks::CACHE_VERDICT, verdict.to_json());
        }
        let answered = units_of_turn(ANSWER, &turn).into_iter();
        units.extend(answered.map(|unit| Unit { event: Some(event), ..unit }));
        let calls = turn.parts.iter().filter_map(|part| part.function_call.as_ref()?.id.clone());
        let lane = &mut self.lanes[at];
        lane.calls = calls.collect();
        lane.all_calls.extend(lane.calls.iter().cloned());
        self.lanes[at].answer_ids.extend(answer.id.clone());
        self.last_answer = answer.id;
        event
    }

    /// Adds a compaction that the log itself reports.
    pub(super) fn compacted(&mut self, reported: (f64, f64), say: EventDraft) {
        let event = self.draft.push(say);
        self.draft.set_span(event, reported);
    }

    pub(super) fn finish(self) -> Draft {
        self.draft
    }
}

/// The place of an answer, which is no message of the request.
const ANSWER: usize = usize::MAX;

fn set_event(units: &mut [Unit], places: &[usize], event: usize) {
    for place in places {
        units[*place].event = Some(event);
    }
}

fn span(times: impl Iterator<Item = f64>) -> Option<(f64, f64)> {
    times.fold(None, |span, time| match span {
        Some((start, end)) => Some((f64::min(start, time), f64::max(end, time))),
        None => Some((time, time)),
    })
}
