//! Causes of a difference, and adding them up.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use strata_model::Str;

use crate::tokens::Basis;

/// What makes a difference. Kinds up to [`Self::Counting`] are tokens of calls that both sides have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CauseKind {
    /// Declarations of a tool.
    Declarations,
    /// A source of the system instruction, or another text that the app writes.
    Instructions,
    /// Memories and contents of artifacts.
    Memory,
    Summaries,
    UserMessages,
    /// What a model said before.
    Answers,
    Thoughts,
    /// Calls of a tool.
    ToolCalls,
    /// Results of a tool.
    Results,
    /// What another agent said and did, as it is handed on.
    HandOff,
    /// An agent carries more or less of what was said on both sides.
    History,
    /// What stands around messages.
    Framing,
    /// What the provider counts and the session does not show, less what is counted too much.
    Hidden,
    /// The same texts, counted by another model's vocabulary or with another calibration.
    Counting,
    /// Calls of an agent in a turn that both sides have.
    Calls,
    /// Turns that one side has.
    Turns,
    /// Another share of an agent's prompts is read from a cache or written to one.
    Cache,
    /// What an agent's model answers.
    Output,
    /// Another price for each token: that of another model, or of long prompts.
    Price,
    /// One side was paid for, and of the other nobody is known to have paid.
    Unpaid,
}

impl CauseKind {
    pub const ALL: [Self; 20] = [
        Self::Declarations,
        Self::Instructions,
        Self::Memory,
        Self::Summaries,
        Self::UserMessages,
        Self::Answers,
        Self::Thoughts,
        Self::ToolCalls,
        Self::Results,
        Self::HandOff,
        Self::History,
        Self::Framing,
        Self::Hidden,
        Self::Counting,
        Self::Calls,
        Self::Turns,
        Self::Cache,
        Self::Output,
        Self::Price,
        Self::Unpaid,
    ];

    /// The kind with this name for machines.
    pub fn from_code(code: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.code() == code)
    }

    /// A name for machines.
    pub fn code(self) -> &'static str {
        match self {
            Self::Declarations => "declarations",
            Self::Instructions => "instructions",
            Self::Memory => "memory",
            Self::Summaries => "summaries",
            Self::UserMessages => "user_messages",
            Self::Answers => "earlier_answers",
            Self::Thoughts => "thoughts",
            Self::ToolCalls => "tool_calls",
            Self::Results => "tool_results",
            Self::HandOff => "hand_off",
            Self::History => "history",
            Self::Framing => "framing",
            Self::Hidden => "hidden",
            Self::Counting => "counting",
            Self::Calls => "calls",
            Self::Turns => "turns",
            Self::Cache => "cache",
            Self::Output => "output",
            Self::Price => "price",
            Self::Unpaid => "unpaid",
        }
    }
}

/// One of two sessions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Side {
    Before,
    After,
}

impl Side {
    pub const BOTH: [Self; 2] = [Self::Before, Self::After];

    pub fn other(self) -> Self {
        match self {
            Self::Before => Self::After,
            Self::After => Self::Before,
        }
    }
}

/// A call of one side.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    pub side: Side,
    pub call: u32,
}

/// A call that lost what a cache could have given.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BrokenPrefix {
    pub place: Place,
    pub tokens: u32,
    pub cost_usd: Option<f64>,
}

/// What of a difference has one reason. All amounts are of the later session less the earlier.
#[derive(Debug, Clone, PartialEq)]
pub struct Cause {
    pub kind: CauseKind,
    /// The tool, the agent, the source or the models that it is about; empty where the kind says it all.
    pub what: Str,
    /// The turn, for calls.
    pub turn: Option<u32>,
    /// Calls more or fewer.
    pub calls: i64,
    /// Tokens of prompts.
    pub tokens: i64,
    /// Of these, what was read from a cache.
    pub cached_tokens: i64,
    /// Tokens of answers.
    pub output_tokens: i64,
    /// US dollars. `None` where a call of either side has no price.
    pub cost_usd: Option<f64>,
    /// Of the tokens.
    pub basis: Basis,
    /// Where most of it is seen.
    pub place: Place,
    /// Of a cache: the greatest first.
    pub breaks: Vec<BrokenPrefix>,
}

/// By what causes are ranked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ranking {
    Tokens,
    Cost,
}

/// What amounts are added up by.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Subject {
    pub kind: CauseKind,
    pub what: Str,
    pub turn: Option<u32>,
}

impl Subject {
    pub(super) fn of(kind: CauseKind) -> Self {
        Self::named(kind, "")
    }

    pub(super) fn named(kind: CauseKind, what: &str) -> Self {
        Self { kind, what: what.into(), turn: None }
    }
}

/// A part of a difference.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Amount {
    pub calls: i64,
    pub tokens: i64,
    pub cached_tokens: i64,
    pub output_tokens: i64,
    /// US dollars.
    pub cost: f64,
}

impl Amount {
    /// As a difference to a side that has nothing of it.
    pub(super) fn signed(self, side: Side) -> Self {
        match side {
            Side::After => self,
            Side::Before => Self {
                calls: -self.calls,
                tokens: -self.tokens,
                cached_tokens: -self.cached_tokens,
                output_tokens: -self.output_tokens,
                cost: -self.cost,
            },
        }
    }

    /// By what the place of a cause is chosen.
    fn weight(&self) -> (u64, u64, f64) {
        let tokens = self.tokens.unsigned_abs();
        (tokens, self.output_tokens.unsigned_abs() + self.cached_tokens.unsigned_abs(), self.cost.abs())
    }

    /// Less than a billionth of a dollar is what rounding leaves.
    fn is_nothing(&self) -> bool {
        let Self { calls, tokens, cached_tokens, output_tokens, cost } = *self;
        [calls, tokens, cached_tokens, output_tokens] == [0; 4] && cost.abs() < 1e-9
    }
}

#[derive(Debug, Clone)]
struct Sum {
    amount: Amount,
    /// The greatest of what was added, and where.
    greatest: Amount,
    place: Place,
    breaks: Vec<BrokenPrefix>,
}

/// Causes while they are added up.
#[derive(Debug, Default)]
pub(super) struct Causes {
    sums: BTreeMap<Subject, Sum>,
}

impl Causes {
    pub(super) fn add(&mut self, subject: &Subject, amount: Amount, place: Place) {
        if amount == Amount::default() {
            return;
        }
        let Some(sum) = self.sums.get_mut(subject) else {
            self.sums.insert(subject.clone(), Sum { amount, greatest: amount, place, breaks: Vec::new() });
            return;
        };
        sum.amount.calls += amount.calls;
        sum.amount.tokens += amount.tokens;
        sum.amount.cached_tokens += amount.cached_tokens;
        sum.amount.output_tokens += amount.output_tokens;
        sum.amount.cost += amount.cost;
        if amount.weight() > sum.greatest.weight() {
            (sum.greatest, sum.place) = (amount, place);
        }
    }

    /// Notes a break, which counts if its subject makes a difference.
    pub(super) fn add_break(&mut self, subject: &Subject, broken: BrokenPrefix) {
        let nothing = || Sum {
            amount: Amount::default(),
            greatest: Amount::default(),
            place: broken.place,
            breaks: Vec::new(),
        };
        self.sums.entry(subject.clone()).or_insert_with(nothing).breaks.push(broken);
    }

    /// What makes a difference, the greatest first.
    pub(super) fn finish(self, is_priced: bool, basis: impl Fn(CauseKind) -> Basis) -> Vec<Cause> {
        let sums = self.sums.into_iter().map(|(subject, mut sum)| {
            if !is_priced {
                sum.amount.cost = 0.0;
            }
            (subject, sum)
        });
        let mut causes: Vec<Cause> = sums
            .filter(|(_, sum)| !sum.amount.is_nothing())
            .map(|(subject, Sum { amount, place, mut breaks, .. })| {
                breaks.sort_by_key(|broken| (Reverse(broken.tokens), broken.place));
                Cause {
                    kind: subject.kind,
                    what: subject.what,
                    turn: subject.turn,
                    calls: amount.calls,
                    tokens: amount.tokens,
                    cached_tokens: amount.cached_tokens,
                    output_tokens: amount.output_tokens,
                    cost_usd: is_priced.then_some(amount.cost),
                    basis: basis(subject.kind),
                    place,
                    breaks,
                }
            })
            .collect();
        let dollars = |cause: &Cause| cause.cost_usd.unwrap_or(0.0).abs();
        causes.sort_by(|a, b| {
            let tokens = b.tokens.unsigned_abs().cmp(&a.tokens.unsigned_abs());
            tokens.then(dollars(b).total_cmp(&dollars(a)))
        });
        causes
    }
}
