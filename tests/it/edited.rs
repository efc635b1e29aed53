//! What edits are predicted to do to requests of which it is reported what the provider found.

use std::sync::Arc;

use serde_json::json;
use strata_engine::{Catalog, Edit, Experiment, FlowEdit, FlowKind, infer_app};
use strata_import::import;
use strata_measure::analysis::{BilledCalls, CacheAnalysis, Counting, SessionAnalysis};
use strata_measure::edited;
use strata_measure::fixes::{Fix, candidates, try_fix};
use strata_measure::prices::Prices;
use strata_model::{EventIndex, Object};
use strata_wire::{CacheRules, request_of};

/// What a provider reports of a call: read from its cache, written to it, and the rest; zeros where it reports nothing.
type Report = (u32, u32, u32);

/// A log of requests that go on with one another, one for each report: an answer with a thought, a call of a tool and its
/// long result between every two.
fn log(reports: &[Report]) -> Experiment {
    log_with(reports, |_| Vec::new())
}

/// The same, with the tools that each request declares.
fn log_with(reports: &[Report], tools: impl Fn(usize) -> Vec<serde_json::Value>) -> Experiment {
    experiment(&log_lines(reports, tools))
}

fn log_lines(reports: &[Report], tools: impl Fn(usize) -> Vec<serde_json::Value>) -> String {
    let words = |text: &str, n: usize| vec![text; n].join(" ");
    let mut messages = vec![json!({"role": "user", "content": "Which files are there?"})];
    let mut lines = String::new();
    for (at, (read, written, rest)) in reports.iter().enumerate() {
        let answer = json!([
            {"type": "thinking", "thinking": words("the list may be long", 20), "signature": "s"},
            {"type": "tool_use", "id": format!("toolu_{at}"), "name": "Glob", "input": {"pattern": "**"}},
        ]);
        let body = json!({"model": "claude-sonnet-4-5", "max_tokens": 1000, "messages": messages, "tools": tools(at),
            "cache_control": {"type": "ephemeral"}, "system": [{"type": "text", "text": words("You look after files.", 900)}]});
        let usage = json!({"input_tokens": rest, "output_tokens": 90, "cache_read_input_tokens": read,
            "cache_creation_input_tokens": written});
        let usage = (read + written + rest > 0).then_some(usage);
        let line = json!({"timestamp": 1_795_170_000 + at * 20, "request": body, "response": {
            "id": format!("msg_{at}"), "type": "message", "role": "assistant", "model": "claude-sonnet-4-5",
            "content": answer, "stop_reason": "tool_use", "usage": usage}});
        lines += &format!("{line}\n");
        messages.push(json!({"role": "assistant", "content": answer}));
        let result = format!("{at}: {}", words("src/a/long/name/of/a/file.rs", 400));
        messages.push(json!({"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": format!("toolu_{at}"), "content": result}]}));
    }
    lines
}

fn experiment(lines: &str) -> Experiment {
    let mut imported = import(lines.as_bytes());
    let imported = imported.sessions.remove(0);
    let sent: Vec<_> = imported
        .requests
        .iter()
        .filter_map(|sent| Some((EventIndex(u32::try_from(sent.answer?).ok()?), request_of(&sent.body)?)))
        .collect();
    let app = infer_app(&imported.session, FlowKind::Transcript, &sent).app;
    Experiment::new(Arc::new(imported.session), app, FlowKind::Transcript).with_requests(sent)
}

struct Measured {
    experiment: Experiment,
    analysis: SessionAnalysis,
    caches: CacheAnalysis,
    counting: Counting,
}

impl Measured {
    fn of(experiment: Experiment) -> Self {
        let counting = Counting::default();
        let mut analysis = SessionAnalysis::default();
        while analysis.step(&experiment, &counting) {}
        let caches = CacheAnalysis::new(&experiment, &analysis, &CacheRules::embedded(), &Prices::embedded());
        Self { experiment, analysis, caches, counting }
    }

    fn billed(&self) -> BilledCalls<'_> {
        BilledCalls { analysis: &self.analysis, caches: &self.caches }
    }

    fn with(&self, edits: &[Edit]) -> CacheAnalysis {
        let edited = edited(&self.experiment, edits, &Catalog::new(), &self.counting);
        assert_eq!(edited.notes, []);
        let mut after = self.analysis.sharing();
        while after.step(&edited.experiment, &self.counting) {}
        CacheAnalysis::of_edited(
            &edited.experiment,
            &after,
            self.billed(),
            &CacheRules::embedded(),
            &Prices::embedded(),
        )
    }

    fn fixes(&self) -> Vec<Fix> {
        let (prices, catalog) = (Prices::embedded(), Catalog::new());
        let with = (&self.counting, &prices, &catalog);
        let tried = candidates(&self.experiment, &self.analysis).into_iter();
        tried.filter_map(|candidate| try_fix(candidate, &self.experiment, self.billed(), with)).collect()
    }
}

#[test]
fn whoever_would_mark_prompts_would_pay_for_what_is_written() {
    let lines = log_lines(&[(0, 0, 9000), (0, 0, 11_500), (0, 0, 14_000)], |_| Vec::new());
    let unmarked = lines.replace("\"cache_control\":{\"type\":\"ephemeral\"},", "");
    assert_ne!(lines, unmarked);
    let found = Measured::of(experiment(&unmarked));
    let saved =
        found.caches.calls.iter().map(|call| call.left_out.and_then(|left_out| left_out.cost_usd).unwrap());
    // Millions of tokens: read for 0.30 dollars in the place of 3.00, and written for 3.75.
    let expected = (0.0205 * 2.7) - (0.014 * 0.75);
    let saved: f64 = saved.sum();
    assert!((saved - expected).abs() < 0.05 * expected, "{saved} {expected}");
}

#[test]
fn a_client_that_never_asks_for_the_cache_loses_nothing_in_it_by_an_edit() {
    let measured = Measured::of(log(&[(0, 0, 9000), (0, 0, 11_500), (0, 0, 14_000), (0, 0, 16_500)]));
    assert_eq!(measured.caches.totals().lost_tokens, 0);
    let fixes = measured.fixes();
    let cut = fixes.iter().find(|fix| fix.candidate.title.contains("of Glob")).expect("results are long");
    assert!(cut.effect.saved_tokens() > 1000, "{:?}", cut.effect);
    assert_eq!(cut.effect.after.lost_tokens, 0);
    assert!(cut.warnings.iter().all(|warning| !warning.contains("paid in full")), "{:?}", cut.warnings);
    // Nor does it pay for writing to it.
    let after = measured.with(&[FlowEdit::insert("drop_thoughts", Object::new()).into()]);
    assert_eq!((after.bill().cached_tokens, after.bill().written_tokens), (0, 0));
}

#[test]
fn what_others_had_sent_is_found_by_an_edited_prompt_that_begins_the_same() {
    // The second call finds more than the first one stored: another session begins with the same instruction.
    let measured = Measured::of(log(&[(0, 2000, 6000), (5000, 3000, 2500), (8000, 2500, 2500)]));
    let found = |caches: &CacheAnalysis| caches.calls[1].bill.cached_tokens;
    assert_eq!(found(&measured.caches), 5000);
    let thoughts = measured.with(&[FlowEdit::insert("drop_thoughts", Object::new()).into()]);
    assert!(found(&thoughts) > 4000, "{}", found(&thoughts));
    let instruction =
        json!({"edit": "set_instruction", "agent": "model", "text": "You look after other files."});
    let other = measured.with(&[serde_json::from_value(instruction).expect("an edit")]);
    // Nobody else's prompt begins so: only what the first call sent is there.
    let first = other.calls[0].bill.prompt_tokens;
    assert!((1..=first).contains(&found(&other)), "{} of {first}", found(&other));
}

#[test]
fn an_edited_answer_is_charged_as_it_was_reported_and_that_is_said() {
    let measured = Measured::of(log(&[(0, 0, 9000), (0, 0, 11_500)]));
    let answer = measured.experiment.calls().iter().next().expect("a call").answer;
    let said = json!({"edit": "edit_event", "event": answer.number(),
        "content": {"role": "model", "parts": [{"text": "None."}]}});
    let edit: Edit = serde_json::from_value(said).expect("an edit");
    let edited = edited(&measured.experiment, &[edit], &Catalog::new(), &measured.counting);
    let said: Vec<&str> = edited.notes.iter().map(|note| &*note.message).collect();
    let expected = "1 answer is edited, and its output tokens stay those that were reported.";
    assert!(said.contains(&expected), "{said:?}");
}

/// What a provider did not find of an older prompt says nothing of the one that an edit lets it find.
#[test]
fn a_miss_of_one_prompt_is_not_repeated_where_another_is_found() {
    let tool = |name: &str| json!({"name": name, "description": "Asks.", "input_schema": {"type": "object"}});
    let tools = |at: usize| match at {
        2..7 => vec![tool("Glob"), tool("mcp__issues")],
        _ => vec![tool("Glob")],
    };
    let silent = Measured::of(log_with(&[(0, 0, 0); 8], tools));
    let predicted: Vec<Report> = silent
        .caches
        .calls
        .iter()
        .map(|call| (call.prediction.expected, call.prediction.written, 0))
        .collect();
    let mut reports = predicted.clone();
    // Of the two prompts without the tool, the last call finds the first.
    let (first, whole) = (predicted[0].1, predicted[7].0 + predicted[7].1);
    reports[7] = (first, whole - first, 0);
    let log = Measured::of(log_with(&reports, tools));
    assert!(log.caches.calls[7].reported.is_some_and(|report| report.cached < Some(predicted[7].0)));
    let drop =
        json!([{"edit": "insert_processor", "use": "drop_tools", "params": {"tools": ["mcp__issues"]}}]);
    let after = log.with(&serde_json::from_value::<Vec<Edit>>(drop).expect("edits"));
    let last = &after.calls[7];
    assert_eq!(last.bill.cached_tokens, last.prediction.expected);
    assert_eq!(after.losses().len(), 0, "{:?}", after.losses());
}
