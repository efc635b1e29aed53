//! What fixes say they save is what the fixed session costs less.

use strata_measure::analysis::{CacheAnalysis, CacheFix, FixKind};

use super::agents;
use super::kinds::{self, OTHER_TOOL, TOOL};
use super::script::Injected;

/// Tokens of all prompts that are not found.
fn fresh_tokens(cache: &CacheAnalysis) -> i64 {
    let fresh = |prompt: u32, expected: u32| i64::from(prompt - expected);
    cache.calls.iter().map(|call| fresh(call.bill.prompt_tokens, call.prediction.expected)).sum()
}

#[track_caller]
fn fix(injected: &Injected, code: &str) -> CacheFix {
    let fixes = injected.fixes();
    let found = fixes.iter().find(|fix| fix.kind.code() == code);
    found.unwrap_or_else(|| panic!("{}: no {code} in {fixes:#?}", injected.name)).clone()
}

#[test]
fn a_value_that_is_left_out_saves_what_an_instruction_without_it_costs_less() {
    let injected = kinds::state();
    let without = kinds::state_read_as(|words| format!("{words}. Found: . {words}"));
    let saved = fresh_tokens(&injected.analyse()) - fresh_tokens(&without.analyse());
    let found = fix(&injected, "drop_value");
    assert_eq!(found.saves_tokens, saved);
    assert!(found.saves_cost.is_some_and(|dollars| dollars > 0.0));
    assert_eq!(found.kind, FixKind::DropValues { keys: vec!["hits".into()] });
    assert_eq!(found.title, "Leave {hits} out of bot's instruction");
}

#[test]
fn moving_a_value_behind_the_history_costs_no_more_than_the_value() {
    let injected = kinds::state();
    let dropped = fix(&injected, "drop_value").saves_tokens;
    let n_calls = injected.analyse().calls.len() as i64;
    for code in ["move_behind_history", "make_static"] {
        let found = fix(&injected, code);
        assert!(found.saves_tokens <= dropped, "{code}: {} of {dropped}", found.saves_tokens);
        // A line of the instruction is about 60 tokens, sent anew in every call.
        assert!(found.saves_tokens >= dropped - 150 * n_calls, "{code}: {} of {dropped}", found.saves_tokens);
        assert_eq!(found.changes as i64, n_calls);
    }
}

#[test]
fn values_that_change_together_are_fixed_together() {
    let injected = kinds::two_values();
    let both = fix(&injected, "drop_value");
    assert_eq!(both.kind, FixKind::DropValues { keys: vec!["hits".into(), "last".into()] });
    let without = kinds::two_values_read_as(|words| format!("{words}. Found: . Last: . {words}"));
    assert_eq!(both.saves_tokens, fresh_tokens(&injected.analyse()) - fresh_tokens(&without.analyse()));
    // The first alone leaves the second, a few tokens on, to end the prefix.
    let fixes = injected.fixes();
    let alone = fixes.iter().find(|fix| fix.kind == FixKind::DropValues { keys: vec!["hits".into()] });
    assert!(alone.is_none_or(|alone| alone.saves_tokens * 20 < both.saves_tokens), "{fixes:#?}");
    for code in ["move_behind_history", "make_static"] {
        assert!(fix(&injected, code).saves_tokens * 10 > both.saves_tokens * 9, "{code}");
    }
}

#[test]
fn a_rounded_value_changes_less_often() {
    let injected = kinds::state();
    let rounded = fix(&injected, "round_value").saves_tokens;
    assert!(0 < rounded && rounded < fix(&injected, "drop_value").saves_tokens);
}

#[test]
fn tools_in_order_save_what_an_order_that_never_changes_costs_less() {
    let changing = kinds::tools("t", &[TOOL, OTHER_TOOL], &[OTHER_TOOL, TOOL], "tools_reordered");
    let steady = kinds::tools("t", &[OTHER_TOOL, TOOL], &[OTHER_TOOL, TOOL], "tools_reordered");
    let saved = fresh_tokens(&changing.analyse()) - fresh_tokens(&steady.analyse());
    assert_eq!(fix(&changing, "order_tools").saves_tokens, saved);
}

#[test]
fn windows_summaries_and_placed_instructions_have_fixes() {
    assert!(fix(&kinds::window(), "pin_window").saves_tokens > 0);
    assert!(fix(&kinds::truncated(), "pin_window").saves_tokens > 0);
    assert!(fix(&kinds::placement(), "place_in_system").saves_tokens > 0);
    assert!(fix(&kinds::artifacts(), "move_artifacts_behind_history").saves_tokens > 0);
}

#[test]
fn what_saves_nothing_is_not_offered() {
    assert_eq!(agents::alternating().fixes(), []);
    for injected in [kinds::state(), kinds::compaction(), kinds::window()] {
        assert!(injected.fixes().iter().all(|fix| fix.saves_tokens > 0), "{}", injected.name);
    }
}
