//! Changes that would have kept prefixes, each tried on the whole session.

use std::collections::{BTreeMap, BTreeSet};

use strata_engine::Experiment;
use strata_engine::processors::{Rewritten, moved_behind};
use strata_model::{LlmRequest, Origin, SharedList, Str};
use strata_wire::{CacheRules, Mark};

use super::replay::{Bill, Replay};
use super::rewrite;
use super::timeline::Timeline;
use super::{CacheAnalysis, LeftOut, volatile};
use crate::analysis::blame::Cause;
use crate::analysis::call::CallAnalysis;
use crate::analysis::session::SessionAnalysis;
use crate::analysis::weigh::Counting;
use crate::prices::Prices;

/// Characters that a title shows of a text.
const LONGEST_BEGINNING: usize = 60;
/// Windows and summaries that move half as often.
const TIMES_LESS_OFTEN: u32 = 2;

/// What is changed.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum FixKind {
    /// Text with these values is sent behind the history instead of in the instruction.
    MoveBehindHistory { keys: Vec<Str> },
    /// Sentences of the system text that begin in these ways are sent behind the history.
    MoveLinesBehindHistory { beginnings: Vec<Str> },
    /// The same sentences are left out.
    DropLines { beginnings: Vec<Str> },
    /// The list of artifacts is sent behind the history.
    MoveArtifactsBehindHistory,
    /// The instruction names the values, and they are sent behind the history.
    MakeStatic { keys: Vec<Str> },
    /// An instruction that is placed anew in every call stands in the system instruction.
    PlaceInSystem,
    /// The values are left out.
    DropValues { keys: Vec<Str> },
    /// The value is rounded to its first digit.
    RoundValue { key: Str },
    /// Tools are declared in the order of their names.
    OrderTools,
    /// The window moves on only every so many times it would.
    PinWindow { every: u32 },
    /// Summaries are made only every so many times they were.
    CompactLessOften { every: u32 },
    /// The provider is asked to keep prefixes for so many seconds: for longer than it was, or for less, which is cheaper
    /// to write.
    KeepFor { lifetime_s: u32 },
    /// The provider is asked to keep what stands before this place in the prompt of each call, for so many seconds where not
    /// for as long as it does unasked.
    MarkPrompts { last: Mark, lifetime_s: Option<u32> },
}

/// A change that would have saved something.
#[derive(Debug, Clone, PartialEq)]
pub struct CacheFix {
    pub kind: FixKind,
    /// The agent whose requests are changed.
    pub agent: Str,
    /// What a person is told: `Send state.hits behind the history`.
    pub title: String,
    /// Tokens less that are paid in full, over all calls.
    pub saves_tokens: i64,
    /// US dollars less. `None` where a model has no price. It may be below 0 where more is sent.
    pub saves_cost: Option<f64>,
    /// Prompts that would be sent differently.
    pub changes: usize,
}

impl FixKind {
    /// Codes of the causes it is a remedy for.
    pub fn causes(&self) -> &'static [&'static str] {
        match self {
            Self::MoveBehindHistory { .. }
            | Self::MakeStatic { .. }
            | Self::DropValues { .. }
            | Self::RoundValue { .. } => &["state_in_instruction"],
            Self::MoveLinesBehindHistory { .. } | Self::DropLines { .. } => {
                &["instruction_changed", "client_block"]
            }
            Self::MoveArtifactsBehindHistory => &["artifact_list"],
            Self::PlaceInSystem => &["instruction_placement"],
            Self::OrderTools => &["tools_reordered"],
            Self::PinWindow { .. } => &["filter_window", "truncated_history"],
            Self::CompactLessOften { .. } => &["compaction"],
            Self::KeepFor { .. } => &["expired"],
            // Nothing is lost of what was never kept.
            Self::MarkPrompts { .. } => &[],
        }
    }

    /// A name for machines.
    pub fn code(&self) -> &'static str {
        match self {
            Self::MoveBehindHistory { .. } => "move_behind_history",
            Self::MoveLinesBehindHistory { .. } => "move_lines_behind_history",
            Self::DropLines { .. } => "drop_lines",
            Self::MoveArtifactsBehindHistory => "move_artifacts_behind_history",
            Self::MakeStatic { .. } => "make_static",
            Self::PlaceInSystem => "place_in_system",
            Self::DropValues { .. } => "drop_value",
            Self::RoundValue { .. } => "round_value",
            Self::OrderTools => "order_tools",
            Self::PinWindow { .. } => "pin_window",
            Self::CompactLessOften { .. } => "compact_less_often",
            Self::KeepFor { .. } => "cache_lifetime",
            Self::MarkPrompts { .. } => "mark_prompts",
        }
    }

    fn title(&self, agent: &str) -> String {
        let listed =
            |keys: &[Str]| keys.iter().map(|key| format!("{{{key}}}")).collect::<Vec<_>>().join(" and ");
        match self {
            Self::MoveBehindHistory { keys } => {
                format!("Send the lines of {agent}'s instruction with {} behind the history", listed(keys))
            }
            Self::MoveLinesBehindHistory { beginnings } => {
                format!("Send {} of {agent}'s system text behind the history", texts(beginnings))
            }
            Self::DropLines { beginnings } => {
                format!("Leave {} out of {agent}'s system text", texts(beginnings))
            }
            Self::MoveArtifactsBehindHistory => "Send the list of artifacts behind the history".to_owned(),
            Self::MakeStatic { keys } => {
                format!("Keep {agent}'s instruction static, and send {} behind the history", listed(keys))
            }
            Self::PlaceInSystem => format!("Put {agent}'s instruction into the system instruction"),
            Self::DropValues { keys } => format!("Leave {} out of {agent}'s instruction", listed(keys)),
            Self::RoundValue { key } => {
                format!("Round {{{key}}} in {agent}'s instruction to its first digit")
            }
            Self::OrderTools => format!("Declare {agent}'s tools in the order of their names"),
            Self::PinWindow { every } => {
                format!("Move the window of {agent}'s history every {every} times only")
            }
            Self::CompactLessOften { every } => format!("Summarise every {every} times only"),
            Self::KeepFor { lifetime_s } => {
                format!("Have the provider keep {agent}'s prompts for {}", duration(*lifetime_s))
            }
            Self::MarkPrompts { last, lifetime_s } => {
                let what = match last {
                    Mark::Tools => "tools",
                    Mark::System => "tools and system text",
                    Mark::Last => "tools, system text and newest message",
                };
                let time = lifetime_s.map_or(String::new(), |time| format!(" for {}", duration(time)));
                format!("Mark {agent}'s {what} to be cached{time}")
            }
        }
    }

    fn rewrite(&self, request: &LlmRequest) -> Rewritten {
        match self {
            Self::MoveBehindHistory { keys } => {
                moved_behind(request, &|origin| matches!(origin, Origin::State { key } if keys.contains(key)))
            }
            Self::MoveArtifactsBehindHistory => {
                moved_behind(request, &|origin| matches!(origin, Origin::Artifact { .. }))
            }
            Self::MoveLinesBehindHistory { beginnings } => rewrite::without_sentences(request, beginnings),
            Self::DropLines { beginnings } => {
                Rewritten::new(rewrite::without_sentences(request, beginnings).request)
            }
            Self::MakeStatic { keys } => rewrite::named_values(request, keys),
            Self::PlaceInSystem => Rewritten::new(rewrite::placed_in_system(request)),
            Self::DropValues { keys } => {
                Rewritten::new(rewrite::with_state(request, keys, |_, _| String::new()))
            }
            Self::RoundValue { key } => {
                let keys = std::slice::from_ref(key);
                Rewritten::new(rewrite::with_state(request, keys, |_, value| rewrite::rounded(value)))
            }
            Self::OrderTools => Rewritten::new(rewrite::tools_in_order(request)),
            Self::PinWindow { .. }
            | Self::CompactLessOften { .. }
            | Self::KeepFor { .. }
            | Self::MarkPrompts { .. } => Rewritten::new(request.clone()),
        }
    }
}

impl CacheAnalysis {
    /// Changes that would have saved tokens, the most money first, then the most tokens: each is one that removes a loss of this session,
    /// replayed over all of its calls.
    pub fn fixes(
        &self,
        experiment: &Experiment,
        analysis: &SessionAnalysis,
        counting: &Counting,
        rules: &CacheRules,
        prices: &Prices,
    ) -> Vec<CacheFix> {
        let replay = Replay { experiment, analysis, caches: self, counting, rules, prices };
        let before = replay.unchanged();
        let timeline = Timeline::of(experiment, analysis.calls(), rules);
        let mut fixes: Vec<CacheFix> = self
            .candidates(analysis.calls(), &timeline)
            .into_iter()
            .map(|(agent, kind)| {
                let is_of_agent = |call: &CallAnalysis| timeline.agents[call.number as usize - 1] == agent;
                let after = replayed(&replay, &kind, &agent, is_of_agent);
                CacheFix {
                    title: kind.title(&agent),
                    saves_tokens: before.fresh_tokens - after.fresh_tokens,
                    saves_cost: before.cost_usd.zip(after.cost_usd).map(|(before, after)| before - after),
                    changes: after.n_changed,
                    kind,
                    agent,
                }
            })
            .filter(|fix| match fix.kind {
                FixKind::KeepFor { .. } => fix.saves_cost.is_some_and(|dollars| dollars > 0.0),
                FixKind::MarkPrompts { .. } => {
                    fix.saves_tokens > 0 && fix.saves_cost.is_none_or(|dollars| dollars > 0.0)
                }
                _ => fix.saves_tokens > 0,
            })
            .collect();
        fixes.sort_by(|a, b| {
            let dollars = |fix: &CacheFix| fix.saves_cost.unwrap_or(0.0);
            let by_money = dollars(b).total_cmp(&dollars(a));
            by_money.then(b.saves_tokens.cmp(&a.saves_tokens)).then_with(|| a.kind.cmp(&b.kind))
        });
        fixes
    }

    /// What might help, by the causes that were found.
    fn candidates(&self, calls: &SharedList<CallAnalysis>, timeline: &Timeline) -> BTreeSet<(Str, FixKind)> {
        let (mut readers, mut changing) = (BTreeSet::new(), BTreeSet::new());
        let mut candidates = BTreeSet::new();
        for (at, call) in self.calls.iter().enumerate() {
            if let Some(lifetime_s) = timeline.rules[at].lifetime_s.filter(|_| timeline.is_kept_long(at)) {
                candidates.insert((call.agent.clone(), FixKind::KeepFor { lifetime_s: lifetime_s as u32 }));
            }
            if let Some(left_out) = &call.left_out {
                let LeftOut { last, lifetime_s, .. } = *left_out;
                candidates.insert((call.agent.clone(), FixKind::MarkPrompts { last, lifetime_s }));
            }
            let kind = match call.loss.as_ref().map(|loss| &loss.cause) {
                Some(Cause::State { .. }) => {
                    readers.insert(call.agent.clone());
                    continue;
                }
                Some(Cause::Instruction { .. } | Cause::ClientBlock { .. }) => {
                    changing.insert(call.agent.clone());
                    continue;
                }
                Some(Cause::Artifacts { .. }) => FixKind::MoveArtifactsBehindHistory,
                Some(Cause::Placement { .. }) => FixKind::PlaceInSystem,
                Some(cause @ Cause::Definitions { .. }) if cause.code() == "tools_reordered" => {
                    FixKind::OrderTools
                }
                Some(Cause::Window { .. } | Cause::Truncated { .. }) => {
                    FixKind::PinWindow { every: TIMES_LESS_OFTEN }
                }
                Some(Cause::Compacted { .. }) => FixKind::CompactLessOften { every: TIMES_LESS_OFTEN },
                Some(Cause::Expired { longest_s: Some(longest_s), .. }) => {
                    FixKind::KeepFor { lifetime_s: *longest_s }
                }
                _ => continue,
            };
            candidates.insert((call.agent.clone(), kind));
        }
        for agent in readers {
            // The first difference names one value. Another that changes with it would end the prefix a few tokens on.
            let keys = volatile::keys(calls, |call| self.call(call).is_some_and(|call| call.agent == agent));
            let all: Vec<Str> = keys.keys().cloned().collect();
            candidates.insert((agent.clone(), FixKind::MoveBehindHistory { keys: all.clone() }));
            candidates.insert((agent.clone(), FixKind::MakeStatic { keys: all.clone() }));
            candidates.insert((agent.clone(), FixKind::DropValues { keys: all }));
            for (key, is_number) in keys {
                candidates.insert((agent.clone(), FixKind::DropValues { keys: vec![key.clone()] }));
                if is_number {
                    candidates.insert((agent.clone(), FixKind::RoundValue { key }));
                }
            }
        }
        for agent in changing {
            let is_of_agent = |call: u32| self.call(call).is_some_and(|call| call.agent == agent);
            let beginnings: Vec<Str> =
                volatile::sentence_beginnings(calls, is_of_agent).into_iter().collect();
            if !beginnings.is_empty() {
                let moved = FixKind::MoveLinesBehindHistory { beginnings: beginnings.clone() };
                candidates.insert((agent.clone(), moved));
                candidates.insert((agent, FixKind::DropLines { beginnings }));
            }
        }
        candidates
    }
}

fn replayed(
    replay: &Replay<'_>,
    kind: &FixKind,
    agent: &str,
    is_of_agent: impl Fn(&CallAnalysis) -> bool,
) -> Bill {
    match kind {
        FixKind::KeepFor { lifetime_s } => replay.kept_for(agent, f64::from(*lifetime_s)),
        FixKind::MarkPrompts { last, lifetime_s } => replay.marked(agent, *last, *lifetime_s),
        FixKind::PinWindow { every } | FixKind::CompactLessOften { every } => {
            less_often(replay, kind, *every, is_of_agent)
        }
        _ => replay.run(|call, _| is_of_agent(call).then(|| kind.rewrite(&call.request))),
    }
}

/// `the text “Current time: …”`, `2 texts, such as “Current time: …”,`; of a long beginning, the words next to what changes.
fn texts(beginnings: &[Str]) -> String {
    let whole = beginnings.first().map_or("", |first| first.trim());
    let n_left = whole.chars().count().saturating_sub(LONGEST_BEGINNING);
    let cut: String = whole.chars().skip(n_left).collect();
    let first = match cut.split_once(' ') {
        Some((_, words)) if n_left > 0 => format!("… {words}"),
        _ => cut,
    };
    match beginnings.len() {
        1 => format!("the text “{first} …”"),
        n => format!("{n} texts, such as “{first} …”,"),
    }
}

/// `5 minutes`, `1 hour`.
fn duration(seconds: u32) -> String {
    let (number, unit) = if seconds < 3600 { (seconds / 60, "minute") } else { (seconds / 3600, "hour") };
    format!("{number} {unit}{}", if number == 1 { "" } else { "s" })
}

/// Beginnings that were cut off are kept until they have been cut off so many times.
fn less_often(
    replay: &Replay<'_>,
    kind: &FixKind,
    every: u32,
    is_of_agent: impl Fn(&CallAnalysis) -> bool,
) -> Bill {
    let mut cuts: BTreeMap<u32, u32> = BTreeMap::new();
    replay.run(|call, requests| {
        let previous = call.previous.filter(|_| is_of_agent(call))?;
        let is_cut = call.prefix_break.as_ref().is_some_and(|found| match kind {
            FixKind::PinWindow { .. } => {
                matches!(found.cause, Cause::Window { .. } | Cause::Truncated { .. })
            }
            _ => matches!(found.cause, Cause::Compacted { .. }),
        });
        let n_cuts = cuts.get(&previous).copied().unwrap_or(0) + u32::from(is_cut);
        if is_cut && n_cuts.is_multiple_of(every) || n_cuts == 0 {
            cuts.insert(call.number, 0);
            return None;
        }
        cuts.insert(call.number, n_cuts);
        let before = &requests[previous as usize - 1];
        let contents = rewrite::continued(&before.contents, &call.request.contents)?;
        Some(Rewritten::new(LlmRequest { contents, ..call.request.clone() }))
    })
}
