//! Machines on small call sequences. Numbers as providers and a llama.cpp server have reported them.

use strata_wire::{CacheRule, CacheRules, Machine, Mark};

use super::simulate::{Prediction, SentCall, simulate};
use super::zones::{Zone, zones};
use crate::analysis::matches::{ExplicitCache, Match, PromptMatches, SentElsewhere};

fn rule(model: &str) -> CacheRule {
    CacheRule::clone(CacheRules::embedded().of_model(model))
}

/// `matches`: `(call, tokens)`, the latest first; those with all of the earlier prompt are whole.
fn prompt(prompts: &[PromptMatches], tokens: u32, n_parts: u32, matches: &[(u32, u32)]) -> PromptMatches {
    let size = |call: u32| prompts[call as usize - 1].tokens;
    let candidates: Vec<Match> = matches
        .iter()
        .map(|(call, tokens)| Match { call: *call, tokens: *tokens, is_whole: *tokens == size(*call) })
        .collect();
    let parent = candidates.iter().rev().find(|found| found.is_whole).map(|found| found.call);
    PromptMatches {
        candidates,
        parent,
        tokens,
        n_parts,
        head_tokens: tokens.min(2000),
        ..PromptMatches::default()
    }
}

/// `(seconds, tokens, parts, matches)` of a call.
type Sending<'m> = (f64, u32, u32, &'m [(u32, u32)]);

fn run(rule: &CacheRule, calls: &[Sending<'_>]) -> Vec<Prediction> {
    let mut prompts: Vec<PromptMatches> = Vec::new();
    for (_, tokens, n_parts, matches) in calls {
        prompts.push(prompt(&prompts, *tokens, *n_parts, matches));
    }
    simulate(&prompts, |at| SentCall::new(rule, calls[at].0))
}

fn expected(predictions: &[Prediction]) -> Vec<u32> {
    predictions.iter().map(|prediction| prediction.expected).collect()
}

#[test]
fn automatic_prefixes_come_in_steps_and_expire() {
    let found = run(
        &rule("gpt-4o"),
        &[
            (1.0, 1000, 1, &[]),
            (2.0, 1300, 3, &[(1, 1000)]),
            (3.0, 2000, 5, &[(2, 1300)]),
            (4.0, 2500, 7, &[(3, 2000)]),
            (900.0, 2600, 9, &[(4, 2500)]),
        ],
    );
    assert_eq!(expected(&found), [0, 0, 1280, 1920, 0]);
    assert_eq!(found.iter().map(|one| one.ceiling).collect::<Vec<_>>(), [0, 0, 1280, 1920, 2432]);
    let zones_of = |at: usize, tokens| {
        zones(&rule("gpt-4o"), tokens, &found[at]).iter().map(|zone| (zone.zone, zone.to)).collect::<Vec<_>>()
    };
    assert_eq!(zones_of(1, 1300), [(Zone::BelowMinimum, 1000), (Zone::Variable, 1300)]);
    assert_eq!(zones_of(2, 2000), [(Zone::Stable, 1280), (Zone::Unmarked, 1300), (Zone::Variable, 2000)]);
    assert_eq!(zones_of(4, 2600), [(Zone::Expired, 2500), (Zone::Variable, 2600)]);
}

#[test]
fn a_changed_byte_leaves_a_slot_what_stands_before_it() {
    // One byte changed at 0, 1, 10, 25, 50, 75, 90, 99 % and at the end of 5,467 tokens.
    for matched in [25, 84, 577, 1391, 2756, 4116, 4910, 5397, 5454] {
        let found = run(&rule("llama.cpp/m"), &[(1.0, 5467, 1, &[]), (2.0, 5467, 1, &[(1, matched)])]);
        assert_eq!(expected(&found), [0, matched]);
    }
}

#[test]
fn the_last_token_is_always_computed() {
    let found = run(&rule("llama.cpp/m"), &[(1.0, 100, 1, &[]), (2.0, 100, 1, &[(1, 100)])]);
    assert_eq!(expected(&found), [0, 99]);
}

#[test]
fn prompts_that_alternate_need_a_slot_each() {
    let calls: &[Sending<'_>] = &[
        (1.0, 1000, 1, &[]),
        (2.0, 1000, 1, &[(1, 3)]),
        (3.0, 1000, 1, &[(2, 3), (1, 1000)]),
        (4.0, 1000, 1, &[(3, 3), (2, 1000)]),
    ];
    let with = |slots| CacheRule { machine: Machine::LcpSlot { slots }, ..rule("llama.cpp/m") };
    assert_eq!(expected(&run(&with(Some(1)), calls)), [0, 3, 3, 3]);
    assert_eq!(expected(&run(&with(Some(2)), calls)), [0, 0, 999, 999]);
    assert_eq!(expected(&run(&with(None), calls)), [0, 3, 999, 999]);
}

#[test]
fn a_mark_looks_back_twenty_blocks() {
    let sonnet = rule("claude-sonnet-4-5");
    let found =
        run(&sonnet, &[(1.0, 5000, 4, &[]), (2.0, 9000, 24, &[(1, 5000)]), (3.0, 20_000, 45, &[(2, 9000)])]);
    // 21 blocks further only the instruction is found.
    assert_eq!(expected(&found), [0, 5000, 2000]);
    assert_eq!(found.iter().map(|one| one.written).collect::<Vec<_>>(), [5000, 4000, 18_000]);
}

#[test]
fn a_prefix_lives_five_minutes_from_its_last_use() {
    let calls: &[Sending<'_>] = &[
        (1.0, 5000, 1, &[]),
        (200.0, 5500, 3, &[(1, 5000)]),
        (490.0, 6000, 5, &[(2, 5500)]),
        (800.0, 6500, 7, &[(3, 6000)]),
    ];
    assert_eq!(expected(&run(&rule("claude-sonnet-4-5"), calls)), [0, 5000, 5500, 0]);
    let hour = CacheRule { lifetime_s: Some(3600.0), ..rule("claude-sonnet-4-5") };
    assert_eq!(expected(&run(&hour, calls)), [0, 5000, 5500, 6000]);
}

#[test]
fn models_have_minimums_of_their_own() {
    let calls: &[Sending<'_>] =
        &[(1.0, 3000, 1, &[]), (2.0, 3100, 2, &[(1, 3000)]), (3.0, 5000, 3, &[(2, 3100)])];
    assert_eq!(expected(&run(&rule("claude-opus-4-5"), calls)), [0, 0, 0]);
    assert_eq!(expected(&run(&rule("claude-opus-4-7"), calls)), [0, 3000, 3100]);
    assert_eq!(expected(&run(&rule("claude-opus-5"), calls)), [0, 3000, 3100]);
}

#[test]
fn without_lookback_only_what_is_marked_again_is_found() {
    let calls: &[Sending<'_>] =
        &[(1.0, 7495, 2, &[]), (2.0, 7502, 4, &[(1, 7495)]), (3.0, 7502, 4, &[(2, 7502)])];
    let found = run(&rule("gpt-5.6-sol"), calls);
    // A loop stays pinned at the instruction; the same prompt again is found whole.
    assert_eq!(expected(&found), [0, 2000, 7502]);
    assert_eq!(found[0].written, 7495);
    // With a breakpoint of one's own behind the first 6,002 tokens: what is behind it is written each time.
    let explicit = CacheRule {
        machine: Machine::Breakpoints {
            minimum_tokens: 1024,
            lookback_blocks: 0,
            marks: vec![Mark::System, Mark::Last],
        },
        ..rule("gpt-5.6-sol")
    };
    let prompts: Vec<PromptMatches> = (0..3_u32)
        .map(|at| {
            let candidates = (at > 0).then_some(Match { call: at, tokens: 6002, is_whole: false });
            PromptMatches {
                candidates: candidates.into_iter().collect(),
                tokens: 7495 + at,
                head_tokens: 6002,
                n_parts: 1,
                ..PromptMatches::default()
            }
        })
        .collect();
    let found = simulate(&prompts, |_| SentCall::new(&explicit, 1.0));
    let counts: Vec<_> = found.iter().map(|one| (one.expected, one.written)).collect();
    assert_eq!(counts, [(0, 7495), (6002, 1494), (6002, 1495)]);
}

#[test]
fn changed_settings_leave_the_instruction() {
    let sonnet = rule("claude-sonnet-4-5");
    let mut prompts = vec![prompt(&[], 5000, 1, &[])];
    prompts.push(prompt(&prompts, 5500, 3, &[(1, 5000)]));
    prompts.push(prompt(&prompts, 6000, 5, &[(2, 5500), (1, 5000)]));
    let settings = [0, 1, 0];
    let sent = |at: usize| SentCall { settings: settings[at], ..SentCall::new(&sonnet, at as f64) };
    // With the settings of before, what was kept for these is found.
    assert_eq!(expected(&simulate(&prompts, sent)), [0, 2000, 5000]);
}

#[test]
fn units_are_whole() {
    let found = run(
        &rule("deepseek-v4-flash"),
        &[(1.0, 100, 1, &[]), (2.0, 300, 2, &[(1, 100)]), (3.0, 900, 3, &[(2, 300)])],
    );
    assert_eq!(expected(&found), [0, 0, 256]);
}

#[test]
fn zones_cover_the_prompt_side_by_side() {
    let calls: &[Sending<'_>] =
        &[(1.0, 5000, 1, &[]), (2.0, 9000, 3, &[(1, 5000)]), (4000.0, 9500, 5, &[(2, 8000), (1, 5000)])];
    for model in ["gpt-4o", "claude-sonnet-4-5", "gemini-3.5-flash", "deepseek-v4-pro", "vllm/m", "m"] {
        let rule = rule(model);
        for (prediction, (_, tokens, ..)) in run(&rule, calls).iter().zip(calls) {
            let mut end = 0;
            for zone in zones(&rule, *tokens, prediction) {
                assert_eq!(zone.from, end, "{model}");
                end = zone.to;
            }
            assert_eq!(end, *tokens, "{model}");
        }
    }
}

#[test]
fn a_cache_object_holds_what_it_was_made_of() {
    let gemini = rule("gemini-2.5-flash");
    let mut prompts = vec![prompt(&[], 3000, 1, &[])];
    for (tokens, is_new) in [(2500, true), (2500, false)] {
        let at = prompts.len() as u32;
        let mut next = prompt(&prompts, 3000 + at * 500, 1 + at, &[(at, 2500 + at * 500)]);
        next.explicit = Some(ExplicitCache { tokens, is_new });
        prompts.push(next);
    }
    let found = simulate(&prompts, |_| SentCall::new(&gemini, 1.0));
    let counts: Vec<_> = found.iter().map(|one| (one.expected, one.written)).collect();
    assert_eq!(counts, [(0, 3000), (2500, 2500), (2500, 0)]);
}

#[test]
fn what_another_session_stored_is_found_while_it_is_kept() {
    let first = |elsewhere: &[(f64, u32, bool, u32)]| {
        let elsewhere = elsewhere.iter().map(|(at, tokens, is_whole, parts_behind)| SentElsewhere {
            at_s: Some(*at),
            tokens: *tokens,
            is_whole: *is_whole,
            parts_behind: *parts_behind,
        });
        PromptMatches { elsewhere: elsewhere.collect(), ..prompt(&[], 5000, 3, &[]) }
    };
    let met = |model: &str, at_s: f64, elsewhere: &[(f64, u32, bool, u32)]| {
        let rule = rule(model);
        let found = simulate(&[first(elsewhere)], |_| SentCall::new(&rule, at_s))[0];
        assert_eq!((found.reference, found.is_from_elsewhere), (None, found.expected > 0));
        (found.expected, found.ceiling)
    };
    // The same prompt, a minute ago; and an hour ago, when a shorter one of a minute ago is still there.
    let (same, head) = ((1000.0, 5000, true, 0), (4600.0, 2100, false, 2));
    assert_eq!(met("gpt-4o", 1060.0, &[same]), (4992, 4992));
    assert_eq!(met("gpt-4o", 4660.0, &[head, same]), (2048, 4992));
    assert_eq!(met("claude-sonnet-4-5", 1060.0, &[same]), (5000, 5000));
    // Where no mark stands nothing is found, however much is shared: only the instruction, which ends at one.
    assert_eq!(met("claude-sonnet-4-5", 4660.0, &[head, same]), (2000, 5000));
    assert_eq!(met("claude-sonnet-4-5", 1060.0, &[(1000.0, 4000, true, 40)]), (2000, 2000));
    assert_eq!(met("llama.cpp/m", 1060.0, &[same]), (4999, 4999));
    assert_eq!(met("gpt-4o", 1060.0, &[(1000.0, 900, true, 1)]), (0, 0));
}
