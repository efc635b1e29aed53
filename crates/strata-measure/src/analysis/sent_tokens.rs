//! What a server should find again of a prompt, by the very tokens that it made of this one and of those before it.

use std::sync::Arc;

use strata_wire::CacheRule;

use super::cache::{Prediction, ProviderCaches, SentCall};
use super::matches::{Match, PromptMatches};

/// Prompts that are remembered before the older half of those that none continued is forgotten.
const MOST: usize = 256;
/// Tokens that are held of them together: 16 MB.
const MOST_TOKENS: usize = 4 << 20;

/// The prompts that were sent to one model of one server, as the numbers of their tokens in its own vocabulary: with what
/// its template puts before, between and behind the messages. Where two of them part is known to the token. Rules that go
/// by breakpoints are none of its: they are set on parts.
#[derive(Clone, Default)]
pub struct SentTokens {
    /// Prompts that no later one begins with, the oldest first.
    tips: Vec<Tip>,
    matches: Vec<PromptMatches>,
    caches: ProviderCaches,
}

#[derive(Clone)]
struct Tip {
    /// Its number, counted from 1.
    number: u32,
    ids: Arc<[u32]>,
    rule: CacheRule,
    at_s: f64,
}

impl SentTokens {
    /// What would be found of a prompt that is sent at this time, in epoch seconds, by this rule. Sizes are in the server's
    /// tokens.
    pub fn predict(&self, ids: &[u32], (rule, at_s): (&CacheRule, f64)) -> Prediction {
        let mut matches = self.matches.clone();
        matches.push(self.matches_of(ids));
        self.caches.clone().meet(&matches, SentCall::new(rule, at_s))
    }

    /// What a prompt has in common with the one that was sent last: found whatever became of those before it.
    pub fn common_with_last(&self, ids: &[u32]) -> u32 {
        self.tips.last().map_or(0, |tip| readable(common(&tip.ids, ids), ids))
    }

    /// A prompt was sent, and read by the server.
    pub fn push(&mut self, ids: Arc<[u32]>, (rule, at_s): (&CacheRule, f64)) {
        if self.matches.len() >= MOST {
            self.forget_older_half();
        }
        let matches = self.matches_of(&ids);
        self.matches.push(matches);
        self.caches.meet(&self.matches, SentCall::new(rule, at_s));
        // What a later prompt shares with one of these it shares with the new one, too.
        self.tips.retain(|tip| !ids.starts_with(&tip.ids));
        let number = self.matches.len() as u32;
        self.tips.push(Tip { number, ids, rule: rule.clone(), at_s });
        let mut held: usize = self.tips.iter().map(|tip| tip.ids.len()).sum();
        while held > MOST_TOKENS && self.tips.len() > 1 {
            held -= self.tips.remove(0).ids.len();
        }
    }

    /// Goes on with the newer prompts alone, as if the others had never been sent.
    fn forget_older_half(&mut self) {
        let tips = std::mem::take(self).tips;
        let first = tips.len().saturating_sub(MOST / 2);
        for tip in tips.into_iter().skip(first) {
            self.push(tip.ids, (&tip.rule, tip.at_s));
        }
    }

    fn matches_of(&self, ids: &[u32]) -> PromptMatches {
        let mut candidates: Vec<Match> = Vec::new();
        let mut parent: Option<(usize, u32)> = None;
        for tip in self.tips.iter().rev() {
            let common = common(&tip.ids, ids);
            let is_whole = common == tip.ids.len();
            if is_whole && parent.is_none_or(|(longest, _)| common > longest) {
                parent = Some((common, tip.number));
            }
            let tokens = readable(common, ids);
            if tokens > candidates.last().map_or(0, |found| found.tokens) {
                candidates.push(Match { call: tip.number, tokens, is_whole });
            }
        }
        PromptMatches {
            candidates,
            parent: parent.map(|(_, number)| number),
            tokens: ids.len() as u32,
            ..PromptMatches::default()
        }
    }
}

fn common(before: &[u32], now: &[u32]) -> usize {
    before.iter().zip(now).take_while(|(before, now)| before == now).count()
}

/// As much of a common beginning as is found: the last token is always read anew, for the answer begins with it.
fn readable(common: usize, ids: &[u32]) -> u32 {
    common.min(ids.len().saturating_sub(1)) as u32
}

#[cfg(test)]
mod tests {
    use strata_wire::CacheRules;

    use super::*;

    fn rule(machine: &str) -> CacheRule {
        let text = format!(
            r#"{{"about": "test", "rules": [], "fallback": {{"name": "t", "machine": {machine}, "order": "system_first",
                "source": "test", "seen_on": "2026-11-20"}}}}"#
        );
        CacheRules::parse(text.as_bytes()).unwrap().of_model("m").as_ref().clone()
    }

    /// Prompts one after the other, and what should be found of each.
    #[track_caller]
    fn check(machine: &str, prompts: &[(Vec<u32>, u32)]) {
        let rule = rule(machine);
        let mut sent = SentTokens::default();
        for (at, (ids, found)) in prompts.iter().enumerate() {
            let prediction = sent.predict(ids, (&rule, 10.0));
            assert_eq!(prediction.expected, *found, "prompt {at}");
            assert!(prediction.expected <= prediction.ceiling);
            sent.push(ids.as_slice().into(), (&rule, 10.0));
        }
    }

    /// The tokens of stretches, each from a number up to another.
    fn ids(stretches: &[(u32, u32)]) -> Vec<u32> {
        stretches.iter().flat_map(|(from, to)| *from..*to).collect()
    }

    const LLAMA: &str = r#"{"kind": "lcp_slot"}"#;

    #[test]
    fn a_break_lies_where_the_tokens_part() {
        check(
            LLAMA,
            &[
                (ids(&[(0, 100)]), 0),
                (ids(&[(0, 100), (500, 520)]), 100),
                (ids(&[(0, 100), (500, 520)]), 119),
                (ids(&[(0, 37), (900, 990)]), 37),
                (ids(&[(0, 100), (500, 530)]), 120),
                (ids(&[(0, 5)]), 4),
                (ids(&[(7, 9)]), 0),
                (Vec::new(), 0),
            ],
        );
    }

    #[test]
    fn whole_blocks_are_found_and_never_all_of_a_prompt() {
        let vllm = r#"{"kind": "units", "unit_tokens": 16}"#;
        check(vllm, &[(ids(&[(0, 64)]), 0), (ids(&[(0, 64)]), 48), (ids(&[(0, 40), (70, 90)]), 32)]);
    }

    #[test]
    fn one_slot_holds_one_prompt() {
        let one = r#"{"kind": "lcp_slot", "slots": 1}"#;
        check(one, &[(ids(&[(0, 100)]), 0), (ids(&[(200, 300)]), 0), (ids(&[(0, 100)]), 0)]);
        check(LLAMA, &[(ids(&[(0, 100)]), 0), (ids(&[(200, 300)]), 0), (ids(&[(0, 100)]), 99)]);
        let rule = rule(LLAMA);
        let mut sent = SentTokens::default();
        assert_eq!(sent.common_with_last(&[1, 2]), 0);
        for prompt in [ids(&[(0, 100)]), ids(&[(0, 20), (200, 300)])] {
            sent.push(prompt.into(), (&rule, 10.0));
        }
        assert_eq!(sent.common_with_last(&ids(&[(0, 100)])), 20);
        assert_eq!(sent.common_with_last(&ids(&[(0, 20), (200, 300)])), 119);
    }

    #[test]
    fn memory_is_bounded_and_the_newer_prompts_are_kept() {
        let rule = rule(LLAMA);
        let mut sent = SentTokens::default();
        let prompt = |n: u32| -> Vec<u32> { std::iter::once(n).chain(0..50).collect() };
        for n in 0..3 * MOST as u32 {
            sent.push(prompt(n).into(), (&rule, 10.0));
            assert!(sent.matches.len() <= MOST && sent.tips.len() <= MOST);
        }
        let last = 3 * MOST as u32 - 1;
        assert_eq!(sent.predict(&prompt(last), (&rule, 11.0)).expected, 50);
        assert_eq!(sent.predict(&prompt(last - 100), (&rule, 11.0)).expected, 50);
        assert_eq!(sent.predict(&prompt(0), (&rule, 11.0)).expected, 0);
        // A conversation is held once, however many calls it has.
        let mut sent = SentTokens::default();
        for n in 1..=1000 {
            sent.push((0..n).collect(), (&rule, 10.0));
            assert_eq!(sent.tips.len(), 1);
        }
        assert_eq!(sent.predict(&ids(&[(0, 1200)]), (&rule, 11.0)).expected, 1000);
        let large = |n: u32| -> Arc<[u32]> { (0..MOST_TOKENS as u32 / 2).map(|at| at + n).collect() };
        for n in [1, 2, 3] {
            sent.push(large(n), (&rule, 10.0));
        }
        assert!(sent.tips.iter().map(|tip| tip.ids.len()).sum::<usize>() <= MOST_TOKENS);
        assert_eq!(sent.predict(&large(3), (&rule, 11.0)).expected, MOST_TOKENS as u32 / 2 - 1);
    }
}
