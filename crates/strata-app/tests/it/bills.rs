//! What a session comes to is one figure, in whatever document or view it is said.

use std::path::Path;

use serde_json::{Value, json};
use strata_app::report::{
    self, Amount, Bill, CauseRanking, CheckChoice, CheckReport, DiffChoice, DifferenceReport, Source,
    SweepChoice,
};

use crate::samples::{self, Unwatched};
use crate::{ask, ask_bytes, import, start, wait_until};

/// As a document has it in JSON.
fn bill_in(document: &Value) -> Value {
    document["bill"].clone()
}

fn near(a: Option<f64>, b: Option<f64>, what: &str) {
    match (a, b) {
        (Some(a), Some(b)) => assert!((a - b).abs() <= 1e-6 * a.abs().max(1.0), "{what}: {a} and {b}"),
        (a, b) => assert_eq!(a, b, "{what}"),
    }
}

/// Its pieces add up.
#[track_caller]
fn check_sums(bill: &Bill, what: &str) {
    let Bill { prompt_tokens, counted_tokens, hidden_tokens, overcounted_tokens, .. } = *bill;
    assert_eq!(counted_tokens + hidden_tokens - overcounted_tokens, prompt_tokens, "{what}");
    assert!(bill.cached_tokens <= prompt_tokens, "{what}");
    assert!(bill.reported_calls <= bill.calls && bill.cache_reported_calls <= bill.calls, "{what}");
}

/// Every document about one session of a file says the same.
fn check_documents(path: &Path, session: &str, scratch: &Path) -> Option<Bill> {
    let (source, what) = (samples::source(path), format!("{} {session}", path.display()));
    let shown = report::show(&source, &Unwatched::default()).expect("it is shown");
    let shown = shown.sessions.into_iter().find(|shown| shown.session.id == session).expect("it is there");
    let known = shown.tokens?;
    let bill = known.bill;
    check_sums(&bill, &what);
    assert_eq!(shown.session.calls, u64::from(bill.calls), "{what}: calls");
    assert_eq!(known.calls, bill.calls, "{what}");

    let tokens = report::tokens(&source, Some(session), &Unwatched::default()).expect("a ledger");
    assert_eq!(tokens.bill, bill, "{what}: tokens");
    let of_calls: u64 = tokens.calls.iter().map(|call| u64::from(call.prompt_tokens)).sum();
    assert_eq!(of_calls, bill.prompt_tokens, "{what}: calls of tokens");
    let cached: u64 = tokens.calls.iter().map(|call| u64::from(call.cached_tokens)).sum();
    assert_eq!(cached, bill.cached_tokens, "{what}: cached of tokens");
    let of_calls: Option<f64> = tokens.calls.iter().map(|call| call.cost).sum();
    let with_summaries = of_calls.zip(bill.summaries.cost).map(|(calls, summaries)| calls + summaries);
    near(with_summaries, bill.cost, &format!("{what}: costs of calls"));
    let of_parts: Option<f64> = tokens.parts.iter().map(|part| part.cost).sum();
    let all = || {
        let of_prompts = of_parts? + tokens.overhead_cost? + bill.hidden_cost?;
        Some(of_prompts + bill.output_cost? + bill.summaries.cost?)
    };
    near(all().filter(|_| bill.cost.is_some()), bill.cost, &format!("{what}: costs of parts"));

    let cache = report::cache(&source, Some(session), &Unwatched::default()).expect("caches");
    assert_eq!(cache.bill, bill, "{what}: cache");
    let of_calls: u64 = cache.calls.iter().map(|call| u64::from(call.prompt_tokens)).sum();
    assert_eq!(of_calls, bill.prompt_tokens, "{what}: calls of cache");
    for call in &cache.calls {
        let lost = call.loss.as_ref().and_then(|loss| loss.cost).unwrap_or(0.0);
        assert!(lost <= call.cost.unwrap_or(lost) + 1e-9, "{what}: C{} lost more than it cost", call.call);
        assert!(call.predicted_cached_tokens <= call.prompt_tokens, "{what}: C{} found more", call.call);
    }

    let budget = scratch.join("budget.toml");
    std::fs::write(&budget, "max_prompt_tokens = 1\nmin_cache_ratio = 1.0\nmax_cost = 0.0\n")
        .expect("a file");
    let checked = checked(&source, Some(session), &budget);
    assert_eq!(checked.bill, bill, "{what}: check");
    let spent = checked.budgets.iter().find(|budget| budget.budget == "max_cost");
    let spent = spent.and_then(|budget| match budget.actual {
        Amount::Dollars(dollars) => Some(dollars),
        _ => None,
    });
    near(spent, bill.cost, &format!("{what}: what a budget is held against"));

    // What is tried out is compiled, and compared with what is compiled.
    if shown.recorded_requests == 0 {
        let name = &source.name;
        let choice = DiffChoice {
            session: Some(session),
            other_session: None,
            other_app: None,
            call: None,
            by: CauseRanking::Tokens,
        };
        let diff = report::diff(&source, name, &choice, &Unwatched::default()).expect("a difference");
        let DifferenceReport::Experiments(diff) = diff else { panic!("{what}: one recording") };
        assert_eq!((diff.a.bill, diff.b.bill), (bill, bill), "{what}: diff");
        assert!(diff.causes.is_empty(), "{what}: {:?}", diff.causes);
        let choice = SweepChoice { grid: "interval=3,overlap=1".to_owned(), summary_tokens: None };
        let swept =
            report::sweep(&source, Some(session), &choice, &Unwatched::default(), &|_| {}).expect("a sweep");
        assert_eq!(swept.recorded.prompt_tokens, bill.prompt_tokens, "{what}: sweep");
        assert_eq!(swept.recorded.cached_tokens, bill.cached_tokens, "{what}: sweep");
        near(swept.recorded.cost, bill.cost, &format!("{what}: cost of the sweep's recording"));
    }
    Some(bill)
}

fn checked(source: &Source, session: Option<&str>, budget: &Path) -> CheckReport {
    let names = [source.name.clone()];
    let choice =
        CheckChoice { names: &names, session, budget: Some(budget), baseline: None, write_baseline: None };
    report::check(source, &choice, &Unwatched::default()).expect("it is checked")
}

#[test]
fn documents_of_every_sample_have_one_bill() {
    let scratch = tempfile::tempdir().expect("a folder");
    let (mut n_checked, mut n_reported) = (0, 0);
    for path in samples::committed(scratch.path()) {
        let shown = report::show(&samples::source(&path), &Unwatched::default()).expect("it is shown");
        for shown in &shown.sessions {
            let Some(bill) = check_documents(&path, &shown.session.id, scratch.path()) else { continue };
            n_checked += 1;
            // Where every call has a report, sums are the file's own.
            let Some(usage) = shown.session.reported_usage else { continue };
            let what = format!("{} {}", path.display(), shown.session.id);
            // What summaries took to write is in the file's sums, and is no call of an agent.
            let summaries = bill.summaries;
            let is_whole = summaries.reported == summaries.summaries;
            if bill.reported_calls == bill.calls && is_whole {
                let own = (usage.input_tokens, usage.cached_tokens, usage.output_tokens);
                let billed = (
                    bill.prompt_tokens + summaries.input_tokens,
                    bill.cached_tokens + summaries.cached_tokens,
                    bill.output_tokens + summaries.output_tokens,
                );
                assert_eq!(billed, own, "{what}");
                let written = bill.written_tokens + bill.written_long_tokens;
                assert_eq!(written, usage.cache_write_tokens, "{what}");
                n_reported += 1;
            }
        }
    }
    assert!(n_checked > 50 && n_reported > 20, "{n_checked} {n_reported}");
}

#[test]
fn the_window_has_the_bill_of_the_documents() {
    let scratch = tempfile::tempdir().expect("a folder");
    let strata = start();
    for name in ["claude-code.jsonl", "codex.jsonl", "claude-code-subagents.jsonl", "traffic.har"] {
        let path = samples::of_formats().join(name);
        let done = import(&strata, &path);
        assert_eq!(done["state"], "done", "{name}: {done}");
        let rows = ask(&strata, "session/list", &json!({ "filter": name, "offset": 0, "limit": 9 }));
        for row in rows["rows"].as_array().expect("rows") {
            let asked = json!({ "session": row["session"] });
            wait_until(|| {
                let header = ask(&strata, "session/open", &asked);
                header["compiledCalls"] == header["calls"]
            });
            let header = ask(&strata, "session/header", &asked);
            let calls = header["calls"].as_u64().expect("a number") as u32;
            let bill = bill_in(&header);
            let mut page = asked.clone();
            page["offset"] = json!(0);
            page["limit"] = json!(1);
            page["order"] = json!("byCost");
            let breaks = ask(&strata, "cache/breaks", &page);
            assert_eq!(bill_in(&breaks["summary"]), bill, "{name}");
            let shape = json!({ "session": row["session"], "from": 1, "to": calls, "maxColumns": calls });
            let columns = ask_bytes(&strata, "call/columns", &shape);
            let column = |at: usize| -> u64 {
                let from = 8 + at * calls as usize * 4;
                let words = columns[from..from + calls as usize * 4].chunks_exact(4);
                words.map(|word| u64::from(u32::from_le_bytes(word.try_into().expect("four")))).sum()
            };
            assert_eq!(column(2), bill["promptTokens"], "{name}: columns");
            assert_eq!(column(3), bill["cachedTokens"], "{name}: columns");
            assert_eq!(column(4), bill["hiddenTokens"], "{name}: columns");
            let of_calls = (1..=calls).map(|call| {
                let detail = ask(&strata, "call/get", &json!({ "session": row["session"], "call": call }));
                detail["bill"]["promptTokens"].as_u64().expect("a number")
            });
            assert_eq!(json!(of_calls.sum::<u64>()), bill["promptTokens"], "{name}: calls");
            let shown = report::show(&samples::source(&path), &Unwatched::default()).expect("it is shown");
            let title = row["title"].as_str().unwrap_or_default();
            let shown =
                shown.sessions.iter().find(|shown| shown.session.title == title).expect("it is there");
            // Read from text, as the window's is.
            let read = |bill: &Bill| -> Value {
                let text = serde_json::to_string(bill).expect("JSON");
                serde_json::from_str(&text).expect("JSON")
            };
            let of_show = shown.tokens.as_ref().map(|known| read(&known.bill));
            assert_eq!(of_show, Some(bill), "{name}: show");
            assert_eq!(row["calls"], calls, "{name}: list");
        }
    }
    drop(scratch);
}

/// What the list says of a session that was never opened is what its bill says once it is compiled.
#[test]
fn the_list_says_what_the_bill_will_say() {
    let scratch = tempfile::tempdir().expect("a folder");
    let strata = start();
    for path in samples::committed(scratch.path()) {
        import(&strata, &path);
    }
    let page = ask(&strata, "session/list", &json!({ "filter": "", "offset": 0, "limit": 1_000 }));
    let (mut n_reported, mut n_priced) = (0, 0);
    for row in page["rows"].as_array().expect("rows") {
        let reported = &row["reported"];
        let whole = reported["calls"].as_u64().zip(reported["unpaidCalls"].as_u64());
        if whole.map(|(calls, unpaid)| json!(calls + unpaid)) != Some(row["calls"].clone()) {
            continue;
        }
        let asked = json!({ "session": row["session"] });
        wait_until(|| {
            let header = ask(&strata, "session/open", &asked);
            header["compiledCalls"] == header["calls"]
        });
        let header = ask(&strata, "session/header", &asked);
        let (what, bill) = (format!("{} {}", row["source"], row["title"]), &header["bill"]);
        if bill["reportedCalls"] != reported["calls"] || header["calls"] != row["calls"] {
            continue;
        }
        let number = |value: &Value| value.as_f64().expect("a number");
        let same = |listed: f64, billed: f64, of: &str| {
            assert!((listed - billed).abs() < 0.5, "{what}: {listed} {of} in the list, {billed} in the bill");
        };
        let paid = number(&bill["promptTokens"]) - number(&bill["unpaidTokens"]);
        same(number(&reported["promptTokens"]), paid, "prompt tokens");
        same(number(&reported["outputTokens"]), number(&bill["outputTokens"]), "tokens of answers");
        assert!(number(&reported["largestPrompt"]) <= number(&header["peakTokens"]), "{what}");
        let cached = reported["cachedTokens"].as_f64().unwrap_or_default();
        same(cached, number(&bill["cachedTokens"]), "cached tokens");
        n_reported += 1;
        if let Some(cost) = reported["cost"].as_f64() {
            assert!((cost - number(&bill["cost"])).abs() < 1e-9, "{what}: {cost}, {}", bill["cost"]);
            n_priced += 1;
        }
    }
    assert!(n_reported > 20 && n_priced > 10, "{n_reported} {n_priced}");
}

/// Edits that shorten the largest event of a session with reports.
#[test]
fn an_edited_call_is_predicted_and_not_paid_by_the_old_report() {
    let scratch = tempfile::tempdir().expect("a folder");
    let path = samples::of_formats().join("claude-code.jsonl");
    let recorded = report::tokens(&samples::source(&path), None, &Unwatched::default()).expect("a ledger");
    let largest = recorded.parts.iter().find(|part| part.origin.starts_with('E')).expect("an event");
    let edits = scratch.path().join("edits.json");
    let number: u32 = largest.origin[1..].parse().expect("a number");
    let edit = json!([{
        "edit": "edit_event",
        "event": number,
        "content": { "role": "user", "parts": [{ "text": "x" }] },
    }]);
    std::fs::write(&edits, edit.to_string()).expect("a file");
    let source = Source { edits: vec![edits], ..samples::source(&path) };
    let edited = report::tokens(&source, None, &Unwatched::default()).expect("a ledger");

    assert!(edited.total < recorded.total);
    check_sums(&edited.bill, "edited");
    assert!(edited.bill.prompt_tokens < recorded.bill.prompt_tokens);
    assert_eq!(edited.bill.output_tokens, recorded.bill.output_tokens, "the answers are those recorded");
    let mut n_changed = 0;
    for (now, was) in edited.calls.iter().zip(&recorded.calls) {
        let is_changed = now.tokens != was.tokens;
        n_changed += u32::from(is_changed);
        assert_eq!(now.reported.is_some(), was.reported.is_some() && !is_changed, "C{}", now.call);
        if is_changed && was.reported.is_some() {
            // What is hidden stays as it was, and no prompt is smaller than that of C1, which all begin with.
            let less = was.prompt_tokens - (was.tokens - now.tokens);
            assert_eq!(now.prompt_tokens, less.max(edited.calls[0].prompt_tokens), "C{}", now.call);
        }
    }
    assert!(n_changed > 0);

    let budget = scratch.path().join("budget.toml");
    std::fs::write(&budget, "max_cost = 1.0\n").expect("a file");
    let checked = checked(&source, None, &budget);
    assert_eq!(checked.bill, edited.bill);
}

/// What google-adk reported of writing a summary is paid for, and it is no call.
#[test]
fn a_reported_summary_is_in_every_price() {
    let scratch = tempfile::tempdir().expect("a folder");
    let recorded = std::fs::read_to_string(samples::of_formats().join("adk-rest-session.json"));
    let path = scratch.path().join("priced.json");
    let priced = recorded.expect("a sample").replace("stub-001", "gemini-2.5-flash");
    std::fs::write(&path, priced).expect("a file");
    let bill = check_documents(&path, "web-1", scratch.path()).expect("its calls are known");
    let summaries = bill.summaries;
    assert_eq!((summaries.summaries, summaries.reported), (1, 1));
    assert_eq!((summaries.input_tokens, summaries.output_tokens), (300, 9));
    // Dollars for a million tokens: 0.30 for reading, 2.50 for writing.
    near(summaries.cost, Some((300.0 * 0.30 + 9.0 * 2.50) / 1e6), "the summary");
    assert!(bill.cost > summaries.cost);
}
