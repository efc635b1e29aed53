//! What the prompts of one session are made of, in the words in which a difference to another one is said; and the
//! difference of two such sums, for sessions of which nothing else is known any more.
//!
//! It is what [`super::BeforeAfter`] tells where both sessions are at hand, without the alignment of calls: a call more or
//! less is charged at the mean of what both sides' calls carry.

use std::collections::BTreeMap;

use strata_model::Str;

use super::cause::{CauseKind, Side, Subject};
use super::compared::{ComparedSession, residual};
use super::source::SaidParts;
use super::turns::AlignedTurns;

/// Sums over all calls of a session, by the agents that made them. Calls that are held are in none.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Composition {
    pub agents: BTreeMap<Str, AgentComposition>,
}

/// What the prompts of an agent carry. It adds up to their tokens.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct AgentComposition {
    pub calls: u32,
    /// By kind of cause, and the tool, source or agent it is about.
    pub parts: BTreeMap<(CauseKind, Str), CarriedPart>,
}

/// Something that prompts carry.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CarriedPart {
    /// Over all calls. Below 0 for what is counted too much.
    pub tokens: i64,
    /// In the call that carries most of it; 0 where none carries more than nothing.
    pub largest: i64,
    /// That call, the first of them; 0 where there is none or it is not known.
    pub call: u32,
}

/// A difference between the prompts of an agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GrownPart {
    pub agent: Str,
    pub kind: CauseKind,
    pub what: Str,
    /// Calls more or fewer, for calls.
    pub calls: i64,
    /// Tokens over all calls, later less earlier.
    pub tokens: i64,
    /// What both sides carry of it in the call that carries most of it; nothing for calls.
    pub largest: [i64; 2],
    /// That call of the later session; 0 where none carries it.
    pub call: u32,
}

impl Composition {
    pub fn of(session: ComparedSession<'_>) -> Self {
        let ComparedSession { experiment, billed } = session;
        let said = SaidParts::of(experiment, Side::After, &AlignedTurns::of([experiment, experiment]));
        let mut agents: BTreeMap<&Str, AgentSums> = BTreeMap::new();
        for call in billed.caches.calls.iter().filter(|call| !call.bill.is_pending) {
            agents.entry(&call.agent).or_default().numbers.push(call.call);
        }
        for call in billed.caches.calls.iter().filter(|call| !call.bill.is_pending) {
            let Some(sums) = agents.get_mut(&call.agent) else { continue };
            let overhead = billed.analysis.call(call.call).map_or(0, |call| i64::from(call.overhead));
            sums.add(&Subject::of(CauseKind::Framing), (call.call, call.call), overhead);
            sums.add(&Subject::of(CauseKind::Hidden), (call.call, call.call), residual(&call.bill));
        }
        for group in billed.analysis.ledger().sent() {
            for sent in &group.pieces {
                let subject = said.source(sent.piece).subject();
                for sums in agents.values_mut() {
                    for run in &group.runs {
                        sums.add(&subject, (run.first_call, run.last_call), i64::from(sent.piece.tokens));
                    }
                }
            }
        }
        let agents = agents.into_iter().map(|(agent, sums)| (agent.clone(), sums.finish()));
        Self { agents: agents.collect() }
    }

    /// What `after` has more or less than `self`, the greatest first. They add up to the difference of the prompts.
    pub fn grown(&self, after: &Self) -> Vec<GrownPart> {
        let none = AgentComposition::default();
        let names =
            self.agents.keys().chain(after.agents.keys().filter(|name| !self.agents.contains_key(*name)));
        let mut grown: Vec<GrownPart> = names
            .flat_map(|name| {
                let [was, now] = [self, after].map(|side| side.agents.get(name).unwrap_or(&none));
                was.grown(name, now)
            })
            .collect();
        grown.sort_by_key(|part| std::cmp::Reverse(part.tokens.unsigned_abs()));
        grown
    }
}

impl AgentComposition {
    /// Of prompts.
    pub fn tokens(&self) -> i64 {
        self.parts.values().map(|part| part.tokens).sum()
    }

    fn grown(&self, agent: &Str, after: &Self) -> Vec<GrownPart> {
        let calls = i64::from(after.calls) - i64::from(self.calls);
        let mut of_calls = 0;
        let names =
            self.parts.keys().chain(after.parts.keys().filter(|name| !self.parts.contains_key(*name)));
        let mut grown = Vec::new();
        for (kind, what) in names {
            let part = |side: &Self| side.parts.get(&(*kind, what.clone())).copied().unwrap_or_default();
            let (was, now) = (part(self), part(after));
            let more = self.of_more_calls(was, after, now);
            of_calls += more;
            grown.push(GrownPart {
                agent: agent.clone(),
                kind: *kind,
                what: what.clone(),
                calls: 0,
                tokens: now.tokens - was.tokens - more,
                largest: [was.largest, now.largest],
                call: now.call,
            });
        }
        let call = after.parts.values().map(|part| part.call).max().unwrap_or(0);
        let (kind, what) = (CauseKind::Calls, agent.clone());
        grown.push(GrownPart {
            agent: agent.clone(),
            kind,
            what,
            calls,
            tokens: of_calls,
            largest: [0, 0],
            call,
        });
        grown.retain(|part| part.tokens != 0 || part.calls != 0);
        grown
    }

    /// What of the difference of a part comes of calls more or fewer, at the mean of what both sides' calls carry of it.
    fn of_more_calls(&self, was: CarriedPart, after: &Self, now: CarriedPart) -> i64 {
        let size = |part: CarriedPart, calls: u32| (calls > 0).then(|| part.tokens as f64 / f64::from(calls));
        let mean = match (size(was, self.calls), size(now, after.calls)) {
            (Some(was), Some(now)) => f64::midpoint(was, now),
            (was, now) => was.or(now).unwrap_or(0.0),
        };
        // Halves are rounded away from zero, so that both directions say the same.
        ((f64::from(after.calls) - f64::from(self.calls)) * mean).round() as i64
    }
}

/// Tokens of each part in the calls of an agent, while they are added up.
#[derive(Default)]
struct AgentSums {
    /// Of its calls, in their order.
    numbers: Vec<u32>,
    /// By how much each call carries more than the one before it; one more behind the last.
    steps: BTreeMap<Subject, Vec<i64>>,
}

impl AgentSums {
    /// Adds something that the calls from one to another carry, as far as they are this agent's.
    fn add(&mut self, subject: &Subject, (first, last): (u32, u32), tokens: i64) {
        let from = self.numbers.partition_point(|number| *number < first);
        let to = self.numbers.partition_point(|number| *number <= last);
        if from == to || tokens == 0 {
            return;
        }
        let n_steps = self.numbers.len() + 1;
        let steps = self.steps.entry(subject.clone()).or_insert_with(|| vec![0; n_steps]);
        steps[from] += tokens;
        steps[to] -= tokens;
    }

    fn finish(self) -> AgentComposition {
        let Self { numbers, steps } = self;
        let part = |steps: &[i64]| {
            let mut part = CarriedPart::default();
            let mut carried = 0;
            for (step, call) in steps.iter().zip(&numbers) {
                carried += step;
                part.tokens += carried;
                if carried > part.largest {
                    (part.largest, part.call) = (carried, *call);
                }
            }
            part
        };
        let parts = steps.iter().map(|(subject, steps)| ((subject.kind, subject.what.clone()), part(steps)));
        AgentComposition { calls: numbers.len() as u32, parts: parts.collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn agent(calls: u32, parts: &[(CauseKind, &str, i64)]) -> AgentComposition {
        let part = |tokens: i64| CarriedPart { tokens, largest: tokens / i64::from(calls.max(1)), call: 1 };
        let parts = parts.iter().map(|(kind, what, tokens)| ((*kind, (*what).into()), part(*tokens)));
        AgentComposition { calls, parts: parts.collect() }
    }

    fn session(agents: &[(&str, AgentComposition)]) -> Composition {
        let agents = agents.iter().map(|(name, agent)| ((*name).into(), agent.clone()));
        Composition { agents: agents.collect() }
    }

    fn said(grown: &[GrownPart]) -> Vec<(CauseKind, &str, i64)> {
        grown.iter().map(|part| (part.kind, &*part.what, part.tokens)).collect()
    }

    #[test]
    fn a_part_that_grew_is_named_and_all_add_up() {
        use CauseKind::{Calls, Declarations, Results};
        let was = session(&[("desk", agent(2, &[(Results, "find", 200), (Declarations, "find", 80)]))]);
        let now = session(&[("desk", agent(2, &[(Results, "find", 650), (Declarations, "find", 80)]))]);
        assert_eq!(said(&was.grown(&now)), [(Results, "find", 450)]);
        let more = session(&[("desk", agent(3, &[(Results, "find", 900), (Declarations, "find", 120)]))]);
        let grown = was.grown(&more);
        assert_eq!(said(&grown), [(Results, "find", 500), (Calls, "desk", 240)]);
        assert_eq!(grown.iter().map(|part| part.tokens).sum::<i64>(), 740, "the difference of the prompts");
        assert_eq!(grown[1].calls, 1);
        let back = more.grown(&was);
        assert_eq!(
            said(&back),
            [(Results, "find", -500), (Calls, "desk", -240)],
            "the same with the sign turned"
        );
    }

    #[test]
    fn an_agent_that_one_side_has_is_calls() {
        let was = session(&[]);
        let now = session(&[("desk", agent(2, &[(CauseKind::UserMessages, "", 70)]))]);
        assert_eq!(said(&was.grown(&now)), [(CauseKind::Calls, "desk", 70)]);
        assert_eq!(said(&now.grown(&was)), [(CauseKind::Calls, "desk", -70)]);
        assert!(now.grown(&now).is_empty());
    }
}
