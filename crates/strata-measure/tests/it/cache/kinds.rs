//! One session for each kind of cause.

use super::agents::{evictions, hand_offs, models, parameters, pauses, short_prompts};
use super::script::{Injected, Script, long_text};

pub(crate) const TOOL: &str =
    r#"{"type": "function", "declaration": {"name": "search", "description": "Finds things."}}"#;
pub(crate) const OTHER_TOOL: &str =
    r#"{"type": "function", "declaration": {"name": "fetch", "description": "Gets things."}}"#;

/// An app of one agent called `bot`, with further fields of the agent and of the app.
pub(crate) fn bot(model: &str, fields: &str, of_app: &str) -> String {
    let comma = |text: &str| if text.is_empty() { String::new() } else { format!(", {text}") };
    let tools = if fields.contains("\"tools\"") { String::new() } else { format!(", \"tools\": [{TOOL}]") };
    format!(
        r#"{{"name": "demo", "root_agent": {{"type": "llm", "name": "bot", "model": {{"name": "{model}", "kind": "lite_llm"}}{tools}{}}}{}}}"#,
        comma(fields),
        comma(of_app)
    )
}

pub(crate) fn instructed(instruction: &str) -> String {
    format!(r#""instruction": "{instruction}""#)
}

pub(crate) const MODEL: &str = "gpt-4.1";

pub(crate) fn rules_words() -> String {
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

/// Two values that change together.
pub(crate) fn two_values() -> Injected {
    two_values_read_as(|words| format!("{words}. Found: {{hits}}. Last: {{last}}. {words}"))
}

/// The same session in an app whose instruction is made of these words.
pub(crate) fn two_values_read_as(instruction: impl FnOnce(&str) -> String) -> Injected {
    let mut script = Script::new(3);
    script.line("user [state hits=0 last=none]: Begin");
    script.says("bot", "");
    let mut hits = 0;
    while !script.is_long() {
        let is_change = script.random.below(3) == 0;
        hits += if is_change { script.random.between(1, 400) } else { 0 };
        let notes = if is_change { format!("state hits={hits} last=query{hits}") } else { String::new() };
        script.turn("bot", &notes);
    }
    let instruction = instruction(&rules_words());
    Injected::new("two values in the instruction", script, &bot(MODEL, &instructed(&instruction), ""))
}

/// Two apps take turns.
pub(crate) fn toggled(
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
    toggled(
        "callback switched on and off",
        &apps,
        ("instruction_changed", Some("callback:append_instruction")),
    )
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
