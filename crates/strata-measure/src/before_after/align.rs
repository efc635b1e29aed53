//! Which call of one session is which of the other.

use std::collections::{BTreeMap, BTreeSet};

use strata_model::Str;

use super::cause::{CauseKind, Side, Subject};
use super::compared::ComparedSession;
use super::turns::AlignedTurns;

/// A call of both sessions, or of one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AlignedCalls {
    /// The user's turn, counted from 1: as the later side has it, where it has it.
    pub turn: u32,
    pub agent: Str,
    /// Numbers of the calls; at least one is there.
    pub before: Option<u32>,
    pub after: Option<u32>,
}

impl AlignedCalls {
    pub fn on(&self, side: Side) -> Option<u32> {
        match side {
            Side::Before => self.before,
            Side::After => self.after,
        }
    }

    fn is_pair(&self) -> bool {
        self.before.is_some() && self.after.is_some()
    }
}

/// A call that only one side has, and what that is a part of.
pub(super) struct Alone {
    pub call: u32,
    pub subject: Subject,
}

/// Calls in the order of their turns, then of their numbers.
pub(super) struct Alignment {
    calls: Vec<AlignedCalls>,
    /// Turns, by the numbers they have on either side, in which the other side called a model, too.
    shared_turns: [BTreeSet<u32>; 2],
}

impl Alignment {
    pub(super) fn of(sides: [ComparedSession<'_>; 2], turns: &AlignedTurns) -> Self {
        let mut groups: BTreeMap<(u32, Str), [Vec<u32>; 2]> = BTreeMap::new();
        let mut called: [BTreeSet<u32>; 2] = Default::default();
        for side in Side::BOTH {
            let ComparedSession { experiment, billed } = sides[side as usize];
            let mut names = TurnNames::default();
            for bill in billed.caches.calls.iter().filter(|call| !call.bill.is_pending) {
                let invocation = experiment.call(bill.call).map(|call| &*call.invocation.invocation_id);
                let turn = turns.common(side, invocation.unwrap_or_default());
                called[side as usize].insert(turn);
                let agent = names.of(turn, &bill.agent);
                groups.entry((turn, agent)).or_default()[side as usize].push(bill.call);
            }
        }
        let mut calls = Vec::new();
        for ((turn, agent), [before, after]) in groups {
            for nth in 0..before.len().max(after.len()) {
                let (before, after) = (before.get(nth).copied(), after.get(nth).copied());
                let side = if after.is_some() { Side::After } else { Side::Before };
                let own = turns.on(side, turn).unwrap_or(0);
                calls.push((turn, AlignedCalls { turn: own, agent: agent.clone(), before, after }));
            }
        }
        calls.sort_by_key(|(turn, calls)| (*turn, calls.before.or(calls.after), calls.after));
        let calls = calls.into_iter().map(|(_, calls)| calls).collect();
        let shared = |side| {
            let both = called[0].intersection(&called[1]);
            both.map(|turn| turns.on(side, *turn).unwrap_or(0)).collect()
        };
        Self { calls, shared_turns: Side::BOTH.map(shared) }
    }

    /// Calls that both sides have.
    pub(super) fn pairs(&self) -> impl Iterator<Item = &AlignedCalls> {
        self.calls.iter().filter(|calls| calls.is_pair())
    }

    /// Calls that the other side has not.
    pub(super) fn alone(&self, side: Side) -> impl Iterator<Item = Alone> {
        let shared = &self.shared_turns[side as usize];
        self.calls.iter().filter(|calls| !calls.is_pair()).filter_map(move |calls| {
            let call = calls.on(side)?;
            let subject = if shared.contains(&calls.turn) {
                Subject { turn: Some(calls.turn), ..Subject::named(CauseKind::Calls, &calls.agent) }
            } else {
                Subject::of(CauseKind::Turns)
            };
            Some(Alone { call, subject })
        })
    }

    pub(super) fn into_calls(self) -> Vec<AlignedCalls> {
        self.calls
    }
}

/// Digits from which on the end of a name is an id.
const MIN_ID: usize = 6;

/// What agents are called in each turn. Agents that a client starts have ids of their own in each session: they are
/// numbered, in the order of their first calls in a turn.
#[derive(Default)]
struct TurnNames {
    started: BTreeMap<(u32, String), Vec<Str>>,
}

impl TurnNames {
    fn of(&mut self, turn: u32, agent: &Str) -> Str {
        let is_id = |id: &str| id.len() >= MIN_ID && id.chars().all(|c| c.is_ascii_hexdigit() || c == '-');
        let Some((starter, _)) = agent.rsplit_once('.').filter(|(_, id)| is_id(id)) else {
            return agent.clone();
        };
        let started = self.started.entry((turn, starter.to_owned())).or_default();
        let nth = started.iter().position(|known| known == agent).unwrap_or_else(|| {
            started.push(agent.clone());
            started.len() - 1
        });
        format!("{starter}, agent {}", nth + 1).into()
    }
}
