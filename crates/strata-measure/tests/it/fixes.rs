//! What fixes say they save is what comes out where they are made, and what they take for granted is said.

mod schemas;

use strata_engine::{Catalog, Edit, EventsEdit, Experiment};
use strata_measure::analysis::{BilledCalls, CacheAnalysis, Counting, SessionAnalysis};
use strata_measure::findings::{Finding, findings};
use strata_measure::fixes::{Fix, candidates, helping, try_fix};
use strata_measure::prices::Prices;
use strata_testkit::{app, experiment_in, session};

const DESK: &str = r#"{"name": "demo", "root_agent": {"name": "desk", "model": "gemini-2.5-flash"}}"#;

/// A session of a desk that answers in JSON, as `answer` writes it.
fn answered(answer: impl Fn(u32) -> String) -> Experiment {
    let turns: Vec<String> =
        (0..6).map(|n| format!("user: Look at bill {n}\ndesk: {}\n", answer(n))).collect();
    experiment_in(app(DESK), session(&turns.concat()))
}

fn json(n: u32) -> String {
    format!(r#"{{"bill": {n}, "status": "paid"}}"#)
}

fn in_words(n: u32) -> String {
    format!("I looked at it, {} and this is what I found: {}", "and looked again, ".repeat(40), json(n))
}

fn analysed(experiment: &Experiment, counting: &Counting) -> (SessionAnalysis, CacheAnalysis) {
    let mut analysis = SessionAnalysis::default();
    while analysis.step(experiment, counting) {}
    let caches = CacheAnalysis::new(experiment, &analysis, analysis.rules(), &Prices::embedded());
    (analysis, caches)
}

fn edited(experiment: &Experiment, edits: &[Edit]) -> Experiment {
    strata_measure::edited(experiment, edits, &Catalog::new(), &Counting::default()).experiment
}

fn tokens(experiment: &Experiment) -> i64 {
    let (analysis, _) = analysed(experiment, &Counting::default());
    analysis.calls().iter().map(|call| i64::from(call.total.tokens)).sum()
}

fn finding_of(experiment: &Experiment, code: &str) -> Finding {
    let counting = Counting::default();
    let (analysis, caches) = analysed(experiment, &counting);
    let found = findings(experiment, BilledCalls { analysis: &analysis, caches: &caches }, &counting);
    let of_code = found.iter().find(|finding| finding.code == code);
    of_code.unwrap_or_else(|| panic!("no {code} in {found:#?}")).clone()
}

/// The fixes of a session that help what is found by this rule.
fn fixes_of(experiment: &Experiment, code: &str) -> Vec<Fix> {
    let counting = Counting::default();
    let (analysis, caches) = analysed(experiment, &counting);
    let billed = BilledCalls { analysis: &analysis, caches: &caches };
    let with = (&counting, &Prices::embedded(), &Catalog::new());
    let tried: Vec<Fix> = candidates(experiment, &analysis)
        .into_iter()
        .filter_map(|candidate| try_fix(candidate, experiment, billed, with))
        .collect();
    helping(&tried, &finding_of(experiment, code)).into_iter().cloned().collect()
}

#[test]
fn an_agent_whose_answers_hold_json_is_offered_its_schema() {
    let recorded = answered(in_words);
    let fixes = fixes_of(&recorded, "words-around-json");
    let [fix] = &fixes[..] else { panic!("one fix, not {fixes:#?}") };
    assert_eq!(fix.candidate.title, "Have desk answer by a schema, without words around the JSON");
    assert_eq!(
        fix.warnings,
        ["What desk will answer by a schema is not known: each answer is taken to be the JSON that it held."]
    );
    let schema = serde_json::to_value(&fix.candidate.edits[0]).expect("an edit is JSON");
    assert_eq!(
        schema,
        serde_json::json!({
            "edit": "set_output_schema",
            "agent": "desk",
            "schema": {
                "type": "object",
                "properties": {"bill": {"type": "integer"}, "status": {"type": "string"}},
                "required": ["bill", "status"],
            },
        })
    );
    // The same app with that schema, whose model did answer so.
    let with_schema = edited(&answered(json), &fix.candidate.edits[..1]);
    assert_eq!(fix.effect.saved_tokens(), tokens(&recorded) - tokens(&with_schema));
    // Once it is applied, nothing is left to find.
    let applied = edited(&recorded, &fix.candidate.edits);
    assert_eq!(tokens(&applied), tokens(&with_schema));
}

#[test]
fn nothing_is_promised_of_answers_that_nobody_has_seen() {
    // By a schema, an agent with tools answers with a call, and the call is history too.
    let tools =
        r#""model": "gemini-2.5-flash", "tools": [{"type": "function", "declaration": {"name": "look"}}]"#;
    let with_tools = app(&DESK.replace(r#""model": "gemini-2.5-flash""#, tools));
    let session = answered(in_words).session().as_ref().clone();
    let fixes = fixes_of(&experiment_in(with_tools, session), "words-around-json");
    let replaces = |edit: &Edit| matches!(edit, Edit::Events(EventsEdit::Replace { .. }));
    assert!(!fixes.iter().any(|fix| fix.candidate.edits.iter().any(replaces)), "{fixes:#?}");
}

/// Two calls a turn, with thoughts; `n_sent` says what the provider reports of each prompt, by its call.
fn thinking(model: &str, n_sent: impl Fn(usize) -> usize) -> Experiment {
    let thought = "I think about the bills of this month. ".repeat(40);
    let mut text = String::new();
    for turn in 0..6 {
        let usage = |call: usize| format!("[model {model}, usage {} answer 200]", n_sent(turn * 2 + call));
        text += &format!("user: Look at bill {turn} again\n");
        text += &format!("desk {}: ~ {thought}\n  -> look(bill={turn})\n", usage(0));
        text += &format!("tool: {{\"bill\": {turn}}}\n");
        text += &format!("desk {}: ~ {thought}\n  + It is paid.\n", usage(1));
    }
    experiment_in(app(&DESK.replace("gemini-2.5-flash", model)), session(&text))
}

#[test]
fn a_model_that_forgets_its_thoughts_is_not_relieved_of_them_twice() {
    // Before its last words of the user, a prompt has no thoughts; after the call of a tool, it has one.
    let sent = |call: usize| 2_000 + call * 30 + (call % 2) * 400;
    let forgetting = thinking("claude-sonnet-4-20250514", sent);
    let fixes = fixes_of(&forgetting, "thoughts-resent");
    // Those that are left belong to calls that are being answered: providers refuse these without them.
    assert!(fixes.iter().all(|fix| !fix.candidate.title.contains("thoughts")));
    let finding = finding_of(&forgetting, "thoughts-resent");
    assert!(
        finding.message.ends_with("claude-sonnet-4-20250514 leaves them out by itself."),
        "{}",
        finding.message
    );
    // Another model is sent all of them in all calls.
    let whole = finding_of(&thinking("claude-opus-4-6", |call| 2_000 + call * 430), "thoughts-resent");
    assert!(whole.tokens() > finding.tokens() * 5, "{} and {}", whole.tokens(), finding.tokens());
}
