//! Sessions in which nothing in the prompt is to blame: other models and settings, pauses, limits, several agents.

use std::sync::Arc;

use strata_wire::CacheRules;

use super::kinds::{MODEL, TOOL, bot, instructed, rules_words, toggled};
use super::script::{Injected, Script, long_text};

pub(crate) fn models() -> Injected {
    let mut script = Script::new(11);
    let mut model = 0_u32;
    while !script.is_long() {
        if script.n_calls() > 5 && script.random.below(4) == 0 {
            model += 1;
            script.expect_next(("model_changed", Some("basic")));
        }
        script.user("");
        script.says("bot", &format!("model model-{model}"));
    }
    Injected::new("model changed", script, &bot("model-0", &instructed(&rules_words()), ""))
}

pub(crate) fn parameters() -> Injected {
    let app = |budget: u32| {
        let config =
            format!(r#""generateContentConfig": {{"thinkingConfig": {{"thinkingBudget": {budget}}}}}"#);
        bot("claude-sonnet-4-5", &format!("{}, {config}", instructed(&rules_words())), "")
    };
    toggled("parameters changed", &[app(1000), app(2000)], ("parameters_changed", Some("basic")))
}

pub(crate) fn pauses() -> Injected {
    let mut script = Script::new(12);
    let mut pauses = Vec::new();
    while !script.is_long() {
        if script.n_calls() > 3 && script.random.below(5) == 0 {
            script.expect_next(("expired", None));
            pauses.push(script.n_lines());
        }
        script.turn("bot", "");
    }
    let mut injected = Injected::new("lifetime over", script, &bot(MODEL, &instructed(&rules_words()), ""));
    for (at, event) in injected.session.events.iter_mut().enumerate() {
        let n_pauses = pauses.iter().filter(|line| at >= **line).count();
        Arc::make_mut(event).timestamp += 3600.0 * n_pauses as f64;
    }
    injected
}

pub(crate) fn short_prompts() -> Injected {
    let mut script = Script::new(13);
    while !script.is_long() {
        script.turn("bot", "");
    }
    for call in 2..=script.n_calls() {
        script.expected.insert(call, ("below_minimum", None));
    }
    let mut injected =
        Injected::new("too short to be cached", script, &bot("model-a", &instructed("Be short."), ""));
    let rule = r#"{"rules": [], "fallback": {"name": "test", "source": "test", "seen_on": "2026-11-20",
        "machine": {"kind": "auto_prefix", "minimum_tokens": 1000000, "step_tokens": 1}}}"#;
    injected.rules = CacheRules::parse(rule.as_bytes()).expect("rules");
    injected
}

/// Two agents at a server with one slot.
pub(crate) fn evictions() -> Injected {
    let mut injected = alternating();
    let rule = r#"{"rules": [], "fallback": {"name": "test", "source": "test", "seen_on": "2026-11-20",
        "machine": {"kind": "lcp_slot", "slots": 1}}}"#;
    injected.name = "evicted from the only slot";
    injected.rules = CacheRules::parse(rule.as_bytes()).expect("rules");
    // The first answer of an agent follows one of the other.
    let n_calls = injected.session.events.iter().filter(|event| !event.is_from_user()).count() as u32;
    injected.expected = (3..=n_calls).map(|call| (call, ("evicted", None))).collect();
    injected
}

/// Two agents take turns and nothing changes.
pub(crate) fn alternating() -> Injected {
    let mut script = Script::new(14);
    while !script.is_long() {
        script.user("");
        script.says("bot", "");
        script.user("");
        script.says("peer", "");
    }
    let agents = format!(
        r#"{{"name": "demo", "root_agent": {{"type": "llm", "name": "bot", "model": {{"name": "{MODEL}", "kind": "lite_llm"}},
            "instruction": "{}", "sub_agents": [{{"type": "llm", "name": "peer",
            "model": {{"name": "{MODEL}", "kind": "lite_llm"}}, "instruction": "{}"}}]}}}}"#,
        rules_words(),
        long_text(8, 1500)
    );
    Injected::new("agents alternate", script, &agents)
}

/// A specialist without history is called several times in a turn, and in several turns.
pub(crate) fn hand_offs() -> [Injected; 2] {
    let app = format!(
        r#"{{"name": "demo", "root_agent": {{"type": "llm", "name": "desk", "model": {{"name": "{MODEL}", "kind": "lite_llm"}},
            "instruction": "{}", "sub_agents": [{{"type": "llm", "name": "bot", "include_contents": "none",
            "model": {{"name": "{MODEL}", "kind": "lite_llm"}}, "instruction": "{}", "tools": [{TOOL}]}}]}}}}"#,
        long_text(15, 1500),
        rules_words()
    );
    let mut scripts = [Script::new(16), Script::new(17)];
    for (script, times) in scripts.iter_mut().zip([3, 1]) {
        let mut is_first = true;
        while !script.is_long() {
            script.user("");
            for time in 0..times {
                script.says("desk", "");
                script.line("desk => bot");
                script.count_call();
                if !is_first {
                    let code = if time == 0 { "history_scope" } else { "hand_off" };
                    script.expect_next((code, Some("contents")));
                }
                is_first = false;
                script.uses_tool("bot", "");
                script.says("bot", "");
                script.line("bot => desk");
                script.count_call();
            }
            script.says("desk", "");
        }
    }
    let [several, one] = scripts;
    [Injected::new("hand-off", several, &app), Injected::new("history scope", one, &app)]
}
