//! One session for each kind of cause.

use std::sync::Arc;

use strata_wire::CacheRules;

use crate::script::{Injected, Script, long_text};

pub(crate) const TOOL: &str =
    r#"{"type": "function", "declaration": {"name": "search", "description": "Finds things."}}"#;
pub(crate) const OTHER_TOOL: &str =
    r#"{"type": "function", "declaration": {"name": "fetch", "description": "Gets things."}}"#;

/// An app of one agent called `bot`, with further fields of the agent and of the app.
fn bot(model: &str, fields: &str, of_app: &str) -> String {
    let comma = |text: &str| if text.is_empty() { String::new() } else { format!(", {text}") };
    let tools = if fields.contains("\"tools\"") { String::new() } else { format!(", \"tools\": [{TOOL}]") };
    format!(
        r#"{{"name": "demo", "root_agent": {{"type": "llm", "name": "bot", "model": {{"name": "{model}", "kind": "lite_llm"}}{tools}{}}}{}}}"#,
        comma(fields),
        comma(of_app)
    )
}

fn instructed(instruction: &str) -> String {
    format!(r#""instruction": "{instruction}""#)
}

const MODEL: &str = "gpt-4.1";

fn rules_words() -> String {
    long_text(7, 1500)
}

pub(crate) fn all() -> Vec<Injected> {
    let mut all = vec![
        state(),
        tools("tools changed", &[TOOL], &[TOOL, OTHER_TOOL], "tools_changed"),
        tools("tools reordered", &[TOOL, OTHER_TOOL], &[OTHER_TOOL, TOOL], "tools_reordered"),
        instruction_edited(),
        compaction(),
        rewinds(),
        window(),
        truncated(),
        late_results(),
        artifacts(),
        placement(),
        script_toggled(),
        callback_toggled(),
        models(),
        parameters(),
        pauses(),
        short_prompts(),
        evictions(),
    ];
    all.extend(hand_offs());
    all
}

pub(crate) fn state() -> Injected {
    state_read_as(|words| format!("{words}. Found: {{hits}}. {words}"))
}

/// The same session in an app whose instruction is made of these words.
pub(crate) fn state_read_as(instruction: impl FnOnce(&str) -> String) -> Injected {
    let mut script = Script::new(1);
    script.line("user [state hits=0]: Begin");
    script.says("bot", "");
    let mut hits = 0;
    while !script.is_long() {
        if script.random.below(3) == 0 {
            hits += script.random.between(1, 400);
            let first = script.turn("bot", &format!("state hits={hits}")).next().unwrap_or(0);
            script.expected.insert(first + 1, ("state_in_instruction", Some("instructions")));
        } else {
            script.turn("bot", "");
        }
    }
    let instruction = instruction(&rules_words());
    Injected::new("state in the instruction", script, &bot(MODEL, &instructed(&instruction), ""))
}

/// Two apps take turns.
fn toggled(
    name: &'static str,
    apps: &[String; 2],
    expected: (&'static str, Option<&'static str>),
) -> Injected {
    let mut script = Script::new(2);
    let mut changes = Vec::new();
    while !script.is_long() {
        if script.n_calls() > 5 && script.random.below(3) == 0 {
            script.expect_next(expected);
            changes.push(script.n_calls() + 1);
        }
        script.turn("bot", "");
    }
    let mut injected = Injected::new(name, script, &apps[0]);
    for (at, call) in changes.into_iter().enumerate() {
        injected.apps.insert(call, strata_testkit::app(&apps[(at + 1) % 2]));
    }
    injected
}

pub(crate) fn tools(name: &'static str, first: &[&str], second: &[&str], code: &'static str) -> Injected {
    let app = |tools: &[&str]| {
        let fields = format!("{}, \"tools\": [{}]", instructed(&rules_words()), tools.join(", "));
        bot(MODEL, &fields, "")
    };
    toggled(name, &[app(first), app(second)], (code, Some("agent_tools")))
}

fn instruction_edited() -> Injected {
    let app =
        |word: &str| bot(MODEL, &instructed(&format!("{} {word} {}", rules_words(), rules_words())), "");
    toggled("instruction edited", &[app("one"), app("two")], ("instruction_changed", Some("instructions")))
}

fn script_toggled() -> Injected {
    let filter = r#""plugins": [{"type": "context_filter", "name": "mine", "custom_filter": {"type": "drop_function_parts"}}]"#;
    let fields = instructed(&rules_words());
    let mut script = Script::new(2);
    // Something the filter takes away, else there is nothing to see.
    script.user("");
    script.uses_tool("bot", "");
    script.says("bot", "");
    let mut changes = Vec::new();
    while !script.is_long() {
        if script.n_calls() > 5 && script.random.below(3) == 0 {
            script.expect_next(("script", Some("plugin:mine")));
            changes.push(script.n_calls() + 1);
        }
        // Without tools of its own, so that what is on or off is the only difference.
        script.user("");
        script.says("bot", "");
    }
    let mut injected =
        Injected::new("script processor switched on and off", script, &bot(MODEL, &fields, ""));
    let first = injected.apps[&1].clone();
    let second = strata_testkit::app(&bot(MODEL, &fields, filter));
    for (at, call) in changes.into_iter().enumerate() {
        injected.apps.insert(call, if at % 2 == 0 { second.clone() } else { first.clone() });
    }
    injected
}

fn callback_toggled() -> Injected {
    let fields = instructed(&rules_words());
    let callback = r#""beforeModelCallbacks": [{"type": "append_instruction", "text": "Be short."}]"#;
    let apps = [bot(MODEL, &fields, ""), bot(MODEL, &format!("{fields}, {callback}"), "")];
    toggled("callback switched on and off", &apps, ("script", Some("callback:append_instruction")))
}

pub(crate) fn compaction() -> Injected {
    let mut script = Script::new(3);
    let mut turns = 0;
    let mut summarised = 0;
    while !script.is_long() {
        script.turn("bot", "");
        turns += 1;
        if turns - summarised > 3 && script.random.below(2) == 0 {
            let words = script.words(15);
            script.line(format!("compaction {}-{turns}: {words}", summarised + 1));
            summarised = turns;
            script.expect_next(("compaction", Some("contents")));
        }
    }
    Injected::new("compaction", script, &bot(MODEL, &instructed(&rules_words()), ""))
}

fn rewinds() -> Injected {
    let mut script = Script::new(4);
    let mut turns = 0;
    while !script.is_long() {
        script.turn("bot", "");
        turns += 1;
        if script.random.below(4) == 0 {
            script.line(format!("rewind {turns}"));
            script.expect_next(("rewind", Some("contents")));
        }
    }
    Injected::new("rewind", script, &bot(MODEL, &instructed(&rules_words()), ""))
}

pub(crate) fn window() -> Injected {
    let mut script = Script::new(5);
    let mut turns = 0;
    while !script.is_long() {
        turns += 1;
        if turns > 3 {
            script.expect_next(("filter_window", Some("plugin:window")));
        }
        script.turn("bot", "");
    }
    let plugin = r#""plugins": [{"type": "context_filter", "name": "window", "num_invocations_to_keep": 3}]"#;
    Injected::new("filter window", script, &bot(MODEL, &instructed(&rules_words()), plugin))
}

pub(crate) fn truncated() -> Injected {
    let mut script = Script::new(6);
    let mut n_contents = 0;
    while !script.is_long() {
        script.user("");
        // A message, and a call with its result for every tool.
        n_contents += 1;
        loop {
            if n_contents > 10 {
                script.expect_next(("truncated_history", Some("callback:keep_last_contents")));
            }
            if script.random.below(2) == 0 {
                script.says("bot", "");
                n_contents += 1;
                break;
            }
            script.uses_tool("bot", "");
            n_contents += 2;
        }
    }
    let callback = r#""beforeModelCallbacks": [{"type": "keep_last_contents", "count": 10}]"#;
    Injected::new(
        "truncated history",
        script,
        &bot(MODEL, &format!("{}, {callback}", instructed(&rules_words())), ""),
    )
}

fn late_results() -> Injected {
    let mut script = Script::new(8);
    let mut jobs = 0;
    while !script.is_long() {
        jobs += 1;
        script.user("");
        script.line(format!("bot [long-running]: -> job(n={jobs}) #j{jobs}"));
        script.line(format!("tool #j{jobs}: {{\"status\": \"pending\"}}"));
        // A call was answered, and the job's own.
        script.count_call();
        script.says("bot", "");
        script.turn("bot", "");
        let words = script.words(8);
        script.line(format!("user #j{jobs}: {{\"done\": \"{words}\"}}"));
        script.expect_next(("late_tool_response", Some("contents")));
        // From here on the result stays at its call, and the history grows behind it.
        script.says("bot", "");
        script.turn("bot", "");
    }
    Injected::new("late tool response", script, &bot(MODEL, &instructed(&rules_words()), ""))
}

pub(crate) fn artifacts() -> Injected {
    let mut script = Script::new(9);
    let mut n_artifacts = 0;
    while !script.is_long() {
        if script.random.below(4) == 0 {
            let first =
                script.turn("bot", &format!("artifact report-{n_artifacts}.md=0")).next().unwrap_or(0);
            n_artifacts += 1;
            script.expected.insert(first + 1, ("artifact_list", Some("dynamic_instructions")));
        } else {
            script.turn("bot", "");
        }
    }
    let fields =
        format!("{}, \"tools\": [{TOOL}, {{\"type\": \"load_artifacts\"}}]", instructed(&rules_words()));
    let mut injected = Injected::new("artifact list", script, &bot(MODEL, &fields, ""));
    injected.grows = true;
    injected
}

pub(crate) fn placement() -> Injected {
    let mut script = Script::new(10);
    while !script.is_long() {
        script.turn("bot", "");
    }
    for call in 2..=script.n_calls() {
        script.expected.insert(call, ("instruction_placement", Some("contents")));
    }
    let fields =
        format!(r#"{}, "static_instruction": "{}""#, instructed("Answer in one sentence."), rules_words());
    Injected::new("dynamic instruction placement", script, &bot(MODEL, &fields, ""))
}

fn models() -> Injected {
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

fn parameters() -> Injected {
    let app = |budget: u32| {
        let config =
            format!(r#""generateContentConfig": {{"thinkingConfig": {{"thinkingBudget": {budget}}}}}"#);
        bot("claude-sonnet-4-5", &format!("{}, {config}", instructed(&rules_words())), "")
    };
    toggled("parameters changed", &[app(1000), app(2000)], ("parameters_changed", Some("basic")))
}

fn pauses() -> Injected {
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

fn short_prompts() -> Injected {
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
fn evictions() -> Injected {
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
fn hand_offs() -> [Injected; 2] {
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
