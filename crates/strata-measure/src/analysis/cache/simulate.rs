//! What a provider finds in its cache, call by call.
//!
//! Only sizes, shared prefixes and times are looked at, so that another rule, another gap or a rewritten session costs
//! next to nothing to try.

use strata_wire::{CacheRule, Machine, Mark};

use super::entries::{Asking, Entries, Looked};
use crate::analysis::marked::MarkedPrefix;
use crate::analysis::matches::{PromptMatches, SentElsewhere};

/// Prompts that have less than this share in common with a slot are not put into it (llama.cpp's default).
const SLOT_SIMILARITY: f64 = 0.1;

/// A call as its provider meets it.
#[derive(Debug, Clone, Copy)]
pub struct SentCall<'r> {
    pub rule: &'r CacheRule,
    /// Epoch seconds. Calls without a time are taken to follow at once.
    pub at_s: f64,
    /// What it asks to be kept.
    pub asked: Asked,
    /// Seconds for which all that it marks is to be kept, whatever its marks say.
    pub forced_lifetime_s: Option<f64>,
    /// The call before it in its lineage, by its number.
    pub previous: Option<u32>,
    /// What is reported to have been found of it: it tells where a mark is.
    pub reported: Option<u32>,
    /// All of its prompt, as its provider counts it: no more can be found.
    pub size: Option<u32>,
    /// Seconds for which what this call stores or uses is kept, where that is known better than by the rule.
    pub lifetime_s: Option<f64>,
    /// Calls with another number have other values for settings of which the rule says that a conversation is kept for
    /// each.
    pub settings: u32,
    /// It failed before the provider read it, or no answer to it is recorded: nothing is known to be found of it, stored
    /// or kept for longer.
    pub is_unpaid: bool,
}

impl<'r> SentCall<'r> {
    /// An answered call without settings of its own.
    pub fn new(rule: &'r CacheRule, at_s: f64) -> Self {
        Self {
            rule,
            at_s,
            asked: Asked::Unknown,
            forced_lifetime_s: None,
            previous: None,
            reported: None,
            size: None,
            lifetime_s: None,
            settings: 0,
            is_unpaid: false,
        }
    }

    /// The prefixes that it marks, where these are known.
    fn marked<'p>(&self, prompt: &'p PromptMatches) -> Option<Vec<&'p MarkedPrefix>> {
        let marked = prompt.marked.as_ref()?;
        match self.asked {
            Asked::Unknown => None,
            Asked::Own => Some(marked.own.iter().collect()),
            Asked::UpTo(last) => Some(marked.usual_to(last).collect()),
        }
    }

    /// Where it marks its prompt, for what is known by its size alone.
    fn marks(&self, prompt: &PromptMatches) -> Vec<Mark> {
        let Machine::Breakpoints { marks, .. } = &self.rule.machine else { return Vec::new() };
        let is_asked = |mark: &Mark| match self.asked {
            Asked::Unknown => true,
            Asked::Own => prompt.marked.as_ref().is_none_or(|marked| marked.has(*mark)),
            Asked::UpTo(last) => *mark <= last,
        };
        marks.iter().copied().filter(is_asked).collect()
    }
}

/// What a client asks its provider to keep, where that keeps nothing unasked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Asked {
    /// Its requests are not recorded: it asks as the rule says that clients do.
    #[default]
    Unknown,
    /// What its request marks.
    Own,
    /// What stands before the last of these marks, as if its request had them.
    UpTo(Mark),
}

/// What is found of one prompt. All sizes are in tokens from its beginning.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Prediction {
    /// What can be found at best: whatever was sent before, however long ago.
    pub ceiling: u32,
    /// What should be found, given the time that has passed and the room there is.
    pub expected: u32,
    /// What is stored for later calls beyond what was found.
    pub written: u32,
    /// The prefix that was sent before and may still be there; of it, `expected` ends where a block or a mark does.
    pub matched: u32,
    /// The prefix that was ever sent before.
    pub matched_ever: u32,
    /// The call whose prompt is found again; none where it was another session's.
    pub reference: Option<u32>,
    /// Seconds since that prompt was last of use.
    pub idle_s: Option<f64>,
    /// What should be found was stored by another session of the same source.
    pub is_from_elsewhere: bool,
    /// Of `written`, for the provider's longer lifetime, where each mark is known.
    pub written_long: Option<u32>,
    /// What the call before it in its lineage kept and it asks for, where both's marks are known.
    pub kept_before: Option<u32>,
}

impl Prediction {
    /// What is written for the provider's shorter lifetime, and for the longer one; where marks are not known, all of it is
    /// for one of them.
    pub(super) fn writes(&self, is_kept_long: bool) -> (u32, u32) {
        let long = self.written_long.unwrap_or(if is_kept_long { self.written } else { 0 }).min(self.written);
        (self.written - long, long)
    }
}

/// What is found of each prompt, in order.
pub fn simulate<'r>(prompts: &[PromptMatches], sent: impl Fn(usize) -> SentCall<'r>) -> Vec<Prediction> {
    let mut caches = ProviderCaches::default();
    (0..prompts.len()).map(|at| caches.meet(&prompts[..=at], sent(at))).collect()
}

/// The state of a provider's caches after so many calls.
#[derive(Debug, Clone, Default)]
pub(in crate::analysis) struct ProviderCaches {
    times: Vec<f64>,
    /// When what was stored at the end of each prompt was last of use.
    used: Vec<f64>,
    /// For how many seconds each prompt is kept.
    lifetimes: Vec<f64>,
    /// Prefixes that are kept of requests whose marks are known.
    entries: Entries,
    /// The settings that each was sent with.
    settings: Vec<u32>,
    /// Numbers of the calls whose prompts are held in slots, the least used first.
    slots: Vec<u32>,
    /// What each call changed of what was there before it.
    changes: Vec<Change>,
}

/// What a call changed, as it was before.
#[derive(Debug, Clone, Default)]
struct Change {
    /// The place of an earlier prompt, and when that was of use before.
    used: Option<(usize, f64)>,
    slots: Option<Vec<u32>>,
}

/// A prefix that is found.
#[derive(Clone, Copy, Default)]
struct Hit {
    tokens: u32,
    /// `None`: it was stored by another session.
    call: Option<u32>,
}

impl Hit {
    fn or_longer(self, other: Self) -> Self {
        if other.tokens > self.tokens { other } else { self }
    }
}

impl ProviderCaches {
    /// As they were after the first calls.
    pub(super) fn truncate(&mut self, n_calls: usize) {
        while self.changes.len() > n_calls {
            let Change { used, slots } = self.changes.pop().unwrap_or_default();
            if let Some((at, before)) = used {
                self.used[at] = before;
            }
            if let Some(before) = slots {
                self.slots = before;
            }
        }
        self.times.truncate(n_calls);
        self.used.truncate(n_calls);
        self.lifetimes.truncate(n_calls);
        self.entries.truncate(n_calls);
        self.settings.truncate(n_calls);
    }

    /// The next call comes in; its prompt is the last one.
    pub(in crate::analysis) fn meet(&mut self, prompts: &[PromptMatches], sent: SentCall<'_>) -> Prediction {
        let at = self.times.len();
        let now = if sent.at_s > 0.0 { sent.at_s } else { self.times.last().copied().unwrap_or_default() };
        let lifetime_s = sent.lifetime_s.or(sent.rule.lifetime_s).unwrap_or(f64::INFINITY);
        self.times.push(now);
        self.used.push(now);
        self.lifetimes.push(lifetime_s);
        self.settings.push(sent.settings);
        self.changes.push(Change::default());
        if sent.is_unpaid {
            self.entries.pass();
            return Prediction::default();
        }
        let prompt = &prompts[at];
        let looked = self.look(prompts, &sent, now);
        let is_kept_elsewhere =
            |since: &SentElsewhere| since.at_s.is_none_or(|since| now - since <= lifetime_s);
        let ever_elsewhere = longest_elsewhere(prompt, |_| true);
        let ever = longest(prompt, |_| true).or_longer(ever_elsewhere);
        let alive = longest(prompt, |call| self.is_kept(&self.times, call, now))
            .or_longer(longest_elsewhere(prompt, is_kept_elsewhere));
        let (ceiling, expected, matched) = match &sent.rule.machine {
            Machine::AutoPrefix { .. } | Machine::Units { .. } => {
                let usable = |hit: Hit| Hit { tokens: sent.rule.usable_tokens(hit.tokens), ..hit };
                (usable(ever).tokens, usable(alive), alive.tokens)
            }
            Machine::LcpSlot { slots } => {
                let found = match slots {
                    // Prompts of other sessions lie in slots as well.
                    Some(n_slots) => self.in_slots(prompt, *n_slots as usize).or_longer(ever_elsewhere),
                    None => ever,
                };
                let last = prompt.tokens.saturating_sub(1);
                (ever.tokens.min(last), Hit { tokens: found.tokens.min(last), ..found }, found.tokens)
            }
            Machine::Breakpoints { minimum_tokens, lookback_blocks, .. } => {
                let marked = Marked {
                    minimum_tokens: *minimum_tokens,
                    lookback_blocks: *lookback_blocks,
                    marks: sent.marks(prompt),
                };
                let before = prompt.parent.map(|parent| self.settings[parent as usize - 1]);
                let is_reset = before.is_some_and(|before| before != sent.settings);
                let (found, ceiling) = match &looked {
                    Some(looked) => (
                        Hit { tokens: looked.found, call: looked.reference },
                        Hit { tokens: looked.ever, call: None },
                    ),
                    None => (
                        self.at_marks(prompts, &marked, Some((now, sent.settings))),
                        self.at_marks(prompts, &marked, None),
                    ),
                };
                let found = found.or_longer(marked.elsewhere(prompt, is_reset, is_kept_elsewhere));
                let ceiling = ceiling.or_longer(marked.elsewhere(prompt, false, |_| true));
                // The same prefix may have been counted for more before.
                let all = sent.size.unwrap_or(u32::MAX);
                let found = Hit { tokens: found.tokens.min(all), ..found };
                (ceiling.tokens.min(all), found, alive.tokens.max(found.tokens))
            }
        };
        let stored = match (&sent.rule.machine, &looked) {
            (_, Some(looked)) => looked.end,
            (Machine::LcpSlot { .. }, None) => prompt.tokens,
            (_, None) => sent.rule.usable_tokens(prompt.tokens),
        };
        let reused = expected.call.map(|call| (call as usize - 1, self.used[call as usize - 1]));
        if let Some((of, _)) = reused {
            self.used[of] = now;
        }
        self.changes[at].used = reused;
        if let Some(cache) = prompt.explicit {
            return Prediction {
                ceiling: cache.tokens,
                expected: cache.tokens,
                written: if cache.is_new { cache.tokens } else { 0 },
                matched: cache.tokens,
                matched_ever: cache.tokens.max(ever.tokens),
                reference: ever.call,
                idle_s: None,
                ..Prediction::default()
            };
        }
        Prediction {
            ceiling: ceiling.max(expected.tokens),
            expected: expected.tokens,
            written: stored.saturating_sub(expected.tokens),
            matched,
            matched_ever: ever.tokens.max(matched),
            reference: if expected.tokens > 0 { expected.call } else { ever.call },
            idle_s: looked.and_then(|looked| looked.idle_s).or(reused.map(|(_, used)| (now - used).max(0.0))),
            is_from_elsewhere: expected.tokens > 0 && expected.call.is_none(),
            written_long: looked.map(|looked| looked.long_end.saturating_sub(expected.tokens)),
            kept_before: looked.map(|looked| looked.kept_before),
        }
    }

    /// What is found of the prefixes that a call marks, where these are known.
    fn look(&mut self, prompts: &[PromptMatches], sent: &SentCall<'_>, now_s: f64) -> Option<Looked> {
        let at = prompts.len() - 1;
        let prompt = &prompts[at];
        let Machine::Breakpoints { minimum_tokens, .. } = sent.rule.machine else {
            self.entries.pass();
            return None;
        };
        let Some(marked) = sent.marked(prompt) else {
            self.entries.pass();
            return None;
        };
        let usual_s = sent.rule.lifetime_s;
        let says_it = marked.iter().any(|prefix| prefix.lifetime_s.is_some());
        let lifetime_s = sent.lifetime_s.filter(|_| !says_it).or(usual_s).unwrap_or(f64::INFINITY);
        let continues = |call: u32| {
            let mut earlier = prompt.parent;
            while let Some(known) = earlier.filter(|known| *known > call) {
                earlier = prompts[known as usize - 1].parent;
            }
            earlier == Some(call) && prompts[call as usize - 1].n_parts < prompt.n_parts
        };
        Some(self.entries.ask(&Asking {
            marked,
            now_s,
            is_timed: sent.at_s > 0.0,
            settings: sent.settings,
            lifetime_s,
            forced_lifetime_s: sent.forced_lifetime_s,
            usual_lifetime_s: usual_s,
            minimum_tokens,
            previous: sent.previous,
            is_to_the_end: sent.marks(prompt).contains(&Mark::Last),
            continues: &continues,
            reported: sent.reported,
        }))
    }

    /// Whether what a call stored is still there.
    fn is_kept(&self, since: &[f64], call: u32, now: f64) -> bool {
        let at = call as usize - 1;
        now - since[at] <= self.lifetimes[at]
    }

    fn in_slots(&mut self, prompt: &PromptMatches, n_slots: usize) -> Hit {
        let at = self.times.len() - 1;
        self.changes[at].slots = Some(self.slots.clone());
        let mut held = prompt.candidates.iter().rev().filter(|match_| self.slots.contains(&match_.call));
        let best = held.next();
        let is_similar = |tokens: u32| f64::from(tokens) >= SLOT_SIMILARITY * f64::from(prompt.tokens);
        let slot = match best.filter(|best| is_similar(best.tokens)) {
            Some(best) => Some(best.call),
            None if self.slots.len() < n_slots => None,
            None => self.slots.first().copied(),
        };
        self.slots.retain(|held| Some(*held) != slot);
        self.slots.push(at as u32 + 1);
        let found = prompt.candidates.iter().find(|match_| Some(match_.call) == slot);
        found.map_or(Hit::default(), |found| Hit { tokens: found.tokens, call: Some(found.call) })
    }

    /// By now, with these settings; `None` asks for what was ever stored.
    fn at_marks(&self, prompts: &[PromptMatches], marked: &Marked, now_with: Option<(f64, u32)>) -> Hit {
        let is_kept = |since: &[f64], call| now_with.is_none_or(|(now, _)| self.is_kept(since, call, now));
        let is_of_settings =
            |call: u32| now_with.is_none_or(|(_, settings)| self.settings[call as usize - 1] == settings);
        let Some(prompt) = prompts.last() else { return Hit::default() };
        let is_long_enough = |tokens: u32| tokens >= marked.minimum_tokens;
        if marked.marks.contains(&Mark::Last) {
            let mut earlier = prompt.parent;
            while let Some(call) = earlier {
                let stored = &prompts[call as usize - 1];
                if prompt.n_parts.saturating_sub(stored.n_parts) > marked.lookback_blocks {
                    break;
                }
                if is_of_settings(call) && is_long_enough(stored.tokens) && is_kept(&self.used, call) {
                    return Hit { tokens: stored.tokens, call: Some(call) };
                }
                earlier = stored.parent;
            }
        }
        let at_head = |tokens: u32| {
            let is_there = |call: u32, matched: u32| matched >= tokens && is_kept(&self.times, call);
            let candidate = prompt.candidates.iter().find(|found| is_there(found.call, found.tokens))?;
            (tokens > 0 && is_long_enough(tokens)).then_some(Hit { tokens, call: Some(candidate.call) })
        };
        let heads = [(Mark::System, prompt.head_tokens), (Mark::Tools, prompt.tools_tokens)];
        let mut marked_heads = heads.into_iter().filter(|(mark, _)| marked.marks.contains(mark));
        marked_heads.find_map(|(_, tokens)| at_head(tokens)).unwrap_or_default()
    }
}

/// The longest prefix of a prompt that is still there.
fn longest(prompt: &PromptMatches, is_kept: impl Fn(u32) -> bool) -> Hit {
    let mut kept = prompt.candidates.iter().rev().filter(|candidate| is_kept(candidate.call));
    kept.next().map_or(Hit::default(), |found| Hit { tokens: found.tokens, call: Some(found.call) })
}

/// The same of what other sessions sent.
fn longest_elsewhere(prompt: &PromptMatches, is_kept: impl Fn(&SentElsewhere) -> bool) -> Hit {
    let kept = prompt.elsewhere.iter().rev().find(|found| is_kept(found));
    kept.map_or(Hit::default(), |found| Hit { tokens: found.tokens, call: None })
}

/// A call by the rule of [`Machine::Breakpoints`].
struct Marked {
    minimum_tokens: u32,
    lookback_blocks: u32,
    marks: Vec<Mark>,
}

impl Marked {
    /// What is found of what other sessions stored: all of an earlier prompt, or tools and instruction.
    fn elsewhere(
        &self,
        prompt: &PromptMatches,
        is_reset: bool,
        is_kept: impl Fn(&SentElsewhere) -> bool,
    ) -> Hit {
        let kept = prompt.elsewhere.iter().rev().filter(|found| is_kept(found));
        let ends = kept.flat_map(|found| {
            let is_at_mark = self.marks.contains(&Mark::Last)
                && !is_reset
                && found.is_whole
                && found.parts_behind <= self.lookback_blocks;
            let whole = is_at_mark.then_some(found.tokens);
            let system = self.marks.contains(&Mark::System).then_some(prompt.head_tokens);
            let tools = self.marks.contains(&Mark::Tools).then_some(prompt.tools_tokens);
            [whole, system, tools].into_iter().flatten()
        });
        let longest = ends.filter(|tokens| *tokens >= self.minimum_tokens).max();
        longest.map_or(Hit::default(), |tokens| Hit { tokens, call: None })
    }
}
