//! Fixes of schemas: of tools, in instructions, and in the place of long answers.

use strata_engine::{AppEdit, Catalog, Edit, Experiment};
use strata_measure::analysis::{BilledCalls, Counting};
use strata_measure::findings::{Finding, findings};
use strata_measure::fixes::{Fix, candidates, helping, try_fix};
use strata_measure::prices::Prices;
use strata_measure::remedies::Writer;
use strata_model::Json;
use strata_testkit::{app, experiment_in, session};

use super::{analysed, tokens};

const CODE: &str = "unused-parameters";

/// All findings of a session, and all fixes that save something.
fn looked_at(experiment: &Experiment) -> (Vec<Finding>, Vec<Fix>) {
    let counting = Counting::default();
    let (analysis, caches) = analysed(experiment, &counting);
    let billed = BilledCalls { analysis: &analysis, caches: &caches };
    let with = (&counting, &Prices::embedded(), &Catalog::new());
    let tried = candidates(experiment, &analysis).into_iter();
    let fixes = tried.filter_map(|candidate| try_fix(candidate, experiment, billed, with)).collect();
    (findings(experiment, billed, &counting), fixes)
}

fn declares(fix: &Fix) -> bool {
    fix.candidate.edits.iter().any(|edit| matches!(edit, Edit::App(AppEdit::Tool { .. })))
}

/// A desk with a tool `search` of a parameter `query` and these, which is called three times with these arguments.
fn searching(parameters: &str, required: &str, args: &str) -> Experiment {
    let long = "the name of a field as the table has it ".repeat(20);
    let schema = format!(
        r#"{{"type": "object", "properties": {{"query": {{"type": "string"}}, {parameters}}}, "required": [{required}],
        "$defs": {{"Filter": {{"type": "object", "properties": {{"field": {{"type": "string", "description": "{long}"}}}}}}}}}}"#
    );
    let declaration =
        format!(r#"{{"name": "search", "description": "Finds orders.", "parametersJsonSchema": {schema}}}"#);
    let desk = format!(
        r#"{{"name": "demo", "root_agent": {{"name": "desk", "model": "gemini-2.5-flash", "tools": [{{"type": "function",
        "declaration": {declaration}}}]}}}}"#
    );
    let turn = |n: u32| {
        format!(
            "user: Find {n}\ndesk: -> search({{\"query\": \"q{n}\"{args}}}) #c{n}\ntool: {{\"n\": {n}}}\ndesk: Found {n}.\n"
        )
    };
    experiment_in(app(&desk), session(&(0..3).map(turn).collect::<String>()))
}

/// A parameter whose description is so many words long.
fn described(name: &str, n_words: usize) -> String {
    format!(r#""{name}": {{"type": "string", "description": "{}"}}"#, ["words"].repeat(n_words).join(" "))
}

const FILTERS: &str = r##""filters": {"type": "array", "items": {"$ref": "#/$defs/Filter"}}"##;

#[test]
fn parameters_that_no_call_passes_are_found_priced_and_left_out() {
    let recorded = searching(&format!("{}, {FILTERS}", described("sort", 200)), r#""query""#, "");
    let (found, fixes) = looked_at(&recorded);
    let finding = found.iter().find(|finding| finding.code == CODE).expect("a finding");
    let says = "search is called 3 times and never with sort and filters: ";
    assert!(finding.message.starts_with(says), "{}", finding.message);
    let remedy = finding.remedy_in(Writer::Adk).expect("a remedy");
    assert_eq!(remedy.text, "a function for search without sort, filters");

    let helping = helping(&fixes, finding);
    let [fix] = &helping[..] else { panic!("one fix, not {helping:#?}") };
    assert_eq!(fix.candidate.title, "Declare search without sort and filters");
    assert_eq!(fix.candidate.tools, ["search".into()]);
    assert!(fix.warnings[0].starts_with("None of the 3 calls of search passes them"), "{:?}", fix.warnings);
    let Edit::App(AppEdit::Tool { declaration: Some(declaration), .. }) = &fix.candidate.edits[0] else {
        panic!("{:?}", fix.candidate.edits)
    };
    assert_eq!(
        serde_json::to_value(Json::Object(declaration.clone())).expect("JSON"),
        serde_json::json!({
            "name": "search",
            "description": "Finds orders.",
            "parametersJsonSchema":
                {"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]},
        })
    );
    // What is promised is what comes out, and the finding is about as large.
    let edits = &fix.candidate.edits;
    let edited = strata_measure::edited(&recorded, edits, &Catalog::new(), &Counting::default()).experiment;
    let saved = tokens(&recorded) - tokens(&edited);
    assert_eq!(fix.effect.saved_tokens(), saved);
    assert!(finding.tokens().abs_diff(saved as u64) * 10 < saved as u64, "{} and {saved}", finding.tokens());
    // Once it is applied, nothing is left to leave out.
    let (found, fixes) = looked_at(&edited);
    assert!(found.iter().all(|finding| finding.code != CODE) && !fixes.iter().any(declares));
}

#[test]
fn parameters_stay_that_are_small_or_needed() {
    let large = || format!("{}, {FILTERS}", described("sort", 200));
    for (parameters, required, args) in [
        (format!("{}, {FILTERS}", described("sort", 5)), r#""query""#, r#", "filters": [{"field": "id"}]"#),
        (large(), r#""query""#, r#", "sort": "up", "filters": [{"field": "id"}]"#),
        // A call without it is refused.
        (large(), r#""query", "sort", "filters""#, ""),
    ] {
        let (found, fixes) = looked_at(&searching(&parameters, required, args));
        assert!(found.iter().all(|finding| finding.code != CODE), "{required} {args}: {found:#?}");
        assert!(!fixes.iter().any(declares), "{required} {args}: {fixes:#?}");
    }
}

fn schema(n_words: usize) -> String {
    let words = ["words"].repeat(n_words).join(" ");
    format!(
        r#"{{"type": "object", "properties": {{"status": {{"type": "string", "description": "{words}"}}, "rows": {{"type": "integer"}}}}}}"#
    )
}

/// A desk whose instruction shows this schema, and which has that one, or none, as its output schema.
fn instructed(shown: &str, output_schema: Option<&str>) -> Experiment {
    let instruction =
        format!("You look at bills.\n\nAnswer by this schema:\n```json\n{shown}\n```\nBe brief.");
    let mut agent =
        serde_json::json!({"name": "desk", "model": "gemini-2.5-flash", "instruction": instruction});
    if let Some(schema) = output_schema {
        agent["output_schema"] = serde_json::from_str(schema).expect("a schema");
    }
    let desk = serde_json::json!({"name": "demo", "root_agent": agent}).to_string();
    let turn = |n: u32| format!("user: Bill {n}\ndesk: {{\"status\": \"paid\", \"rows\": {n}}}\n");
    experiment_in(app(&desk), session(&(0..4).map(turn).collect::<String>()))
}

#[test]
fn a_schema_in_an_instruction_goes_only_where_answers_are_held_to_it_anyway() {
    let large = schema(120);
    let of_instruction = |experiment: &Experiment| -> Vec<Fix> {
        let (_, fixes) = looked_at(experiment);
        fixes.into_iter().filter(|fix| fix.candidate.title.starts_with("Leave the schema out")).collect()
    };
    let fixes = of_instruction(&instructed(&large, Some(&large)));
    let [fix] = &fixes[..] else { panic!("one fix, not {fixes:#?}") };
    assert_eq!(fix.candidate.agent.as_deref(), Some("desk"));
    let Edit::App(AppEdit::Instruction { text: Some(text), .. }) = &fix.candidate.edits[0] else {
        panic!("{:?}", fix.candidate.edits)
    };
    assert_eq!(&**text, "You look at bills.\n\nAnswer by this schema:\nBe brief.");
    assert!(fix.effect.saved_tokens() > 400, "{}", fix.effect.saved_tokens());
    assert!(fix.warnings[0].starts_with("Answers are held to the output schema"), "{:?}", fix.warnings);

    assert!(of_instruction(&instructed(&large, None)).is_empty(), "it is all that tells of the form");
    assert!(of_instruction(&instructed(&schema(2), Some(&schema(2)))).is_empty(), "it is small");
    let other = r#"{"type": "object", "properties": {"note": {"type": "string"}}}"#;
    assert!(of_instruction(&instructed(&large, Some(other))).is_empty(), "it is of something else");
}

/// A clerk that tells in these words what it did, and what is said behind it.
fn told(words: &str, tools: &str, behind: &str) -> Experiment {
    let line = format!(
        r#"{{"name": "demo", "root_agent": {{"type": "sequential", "name": "line", "sub_agents": [
        {{"name": "clerk", "model": "gemini-2.5-flash"{tools}}}, {{"name": "desk", "model": "gemini-2.5-flash"}}]}}}}"#
    );
    let turn = |n: u32| {
        let behind = behind.replace('#', &n.to_string());
        format!("user: Bill {n}\nclerk: I looked at bill BILL-4711{n}. {words}\n{behind}")
    };
    experiment_in(app(&line), session(&(0..4).map(turn).collect::<String>()))
}

#[test]
fn long_answers_that_only_agents_read_are_offered_a_short_schema() {
    let long = "Then I went through all of it once more and found nothing to say. ".repeat(20);
    let desk = "desk: BILL-4711# is paid.\n";
    let code = "long-answers-for-agents";
    let by_schema = |experiment: &Experiment| -> Vec<Fix> {
        let (_, fixes) = looked_at(experiment);
        fixes.into_iter().filter(|fix| fix.candidate.codes.contains(&code)).collect()
    };
    let recorded = told(&long, "", desk);
    let fixes = by_schema(&recorded);
    let [fix] = &fixes[..] else { panic!("one fix, not {fixes:#?}") };
    assert_eq!(fix.candidate.title, "Have clerk answer by a short schema: a sentence and values");
    let unknown = "What clerk will answer by a schema is not known";
    assert!(fix.warnings[0].starts_with(unknown), "{:?}", fix.warnings);
    let (found, all) = looked_at(&recorded);
    let finding = found.iter().find(|finding| finding.code == code).expect("a finding");
    assert!(helping(&all, finding).iter().any(|helps| helps.candidate == fix.candidate));
    // No more than the answers took, which is the most that a schema can save.
    let saved = fix.effect.saved_tokens();
    assert!(saved > 0 && saved as u64 <= finding.tokens(), "{saved} of {}", finding.tokens());
    let replaced = serde_json::to_value(&fix.candidate.edits[1]).expect("an edit is JSON");
    let text = &replaced["content"]["parts"][0]["text"];
    assert_eq!(text, r#"{"summary":"I looked at bill BILL-47110.","values":["BILL-47110"]}"#);

    let tools = r#", "tools": [{"type": "function", "declaration": {"name": "look"}}]"#;
    let by_call = by_schema(&told(&long, tools, desk));
    assert!(by_call.is_empty(), "it would answer by a call, which is history too: {by_call:#?}");
    assert!(by_schema(&told("It is paid.", "", desk)).is_empty(), "it is short");
    assert!(by_schema(&told(&long, "", "")).is_empty(), "a person reads it");
}
