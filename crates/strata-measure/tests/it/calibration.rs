//! Counts that a provider's reports correct: parts, prompts and what is hidden.

use std::sync::Arc;

use strata_engine::{Catalog, Edit, Experiment, FlowKind, Growth, infer_app};
use strata_measure::analysis::{BilledCalls, CacheAnalysis, Counting, SessionAnalysis, model_growths};
use strata_measure::prices::Prices;
use strata_measure::tokens::{Basis, SizeKind, Sizes, Tokenizer, Weigher};
use strata_model::{Session, Usage};
use strata_testkit::Seeded;
use strata_wire::CacheRules;

const MODEL: &str = "claude-opus-4-6";
/// What every prompt has beyond what is recorded.
const HIDDEN: f64 = 18_000.0;

fn truth(kind: SizeKind) -> f64 {
    match kind {
        SizeKind::Text => 0.95,
        SizeKind::Call => 0.85,
        SizeKind::Result => 0.9,
        SizeKind::ToolFraming => 2.2,
        _ => 1.0,
    }
}

/// A session of a coding agent, without reports.
fn transcript(n_turns: usize, model: &str) -> Session {
    let mut random = Seeded::new(7);
    let words = ["parse", "the", "ledger", "again", "because", "totals", "differ", "by", "a", "cent"];
    let mut text = String::new();
    for turn in 0..n_turns {
        let said: Vec<&str> = (0..random.between(5, 200)).map(|_| *random.pick(&words)).collect();
        let read: Vec<String> = (0..random.between(2, 300))
            .map(|line| format!("    let total_{line} = {};", random.hex(4)))
            .collect();
        text += &format!("user: {}\n", said.join(" "));
        text += &format!(
            "coder [model {model}]: -> read(path=\"src/{}.rs\", lines={turn}) #c{turn}\n",
            random.hex(8)
        );
        text += &format!("tool #c{turn}: {}\n", strata_model::json::to_compact(&read.join("\\n").into()));
        text += &format!("coder [model {model}]: Read {} lines. {}\n", read.len(), said[..3].join(" "));
    }
    strata_testkit::session(&text)
}

fn experiment(session: Session) -> Experiment {
    let session = Arc::new(session);
    let app = infer_app(&session, FlowKind::Transcript, &[]).app;
    Experiment::new(session, app, FlowKind::Transcript)
}

fn analysed(experiment: &Experiment, counting: &Counting) -> SessionAnalysis {
    let mut analysis = SessionAnalysis::default();
    while analysis.step(experiment, counting) {}
    analysis
}

/// The same session with the reports of a provider that counts by [`truth`]. Every tenth prompt has more, which nobody
/// recorded.
fn reported(mut session: Session, counting: &Counting) -> Session {
    let silent = experiment(session.clone());
    let tokenizer = Tokenizer::of_model(MODEL);
    let weigher = Weigher::new(&tokenizer, &counting.vocabularies, &counting.memo);
    for call in analysed(&silent, counting).calls() {
        let sizes: Sizes = call.request.contents.iter().map(|content| weigher.sizes(content)).sum();
        let known: f64 = SizeKind::ALL.iter().map(|kind| truth(*kind) * f64::from(sizes.get(*kind))).sum();
        let reminders = 900.0 * f64::from(call.number / 10);
        let answer = silent.call(call.number).expect("a call").answer.as_usize();
        let report = Usage {
            prompt_token_count: Some((HIDDEN + reminders + known).round() as u64),
            ..Usage::default()
        };
        Arc::make_mut(&mut session.events[answer]).usage_metadata = Some(report.into());
    }
    session
}

fn caches(experiment: &Experiment, analysis: &SessionAnalysis) -> CacheAnalysis {
    CacheAnalysis::new(experiment, analysis, &CacheRules::embedded(), &Prices::embedded())
}

#[test]
fn what_is_hidden_of_prompts_is_what_is_not_recorded() {
    let counting = Counting::default();
    let session = experiment(reported(transcript(40, MODEL), &counting));
    let analysis = analysed(&session, &counting);
    let fit = analysis.fits().and_then(|fits| fits.of_model(MODEL)).expect("a fit");
    assert!((fit.ratio(SizeKind::ToolFraming) - 2.2).abs() < 0.3, "{fit:?}");
    assert!(fit.held_out().shown.median < 0.02, "{:?}", fit.held_out());
    assert_eq!(fit.held_out().set_aside, 7, "every tenth of 79 calls says more than is recorded");
    for (call, cache) in analysis.calls().iter().zip(caches(&session, &analysis).calls) {
        let reminders = 900.0 * f64::from(call.number / 10);
        let hidden = f64::from(cache.bill.hidden_tokens());
        // Tools are inferred from their calls, and in no growth.
        let off = hidden - HIDDEN - reminders;
        assert!(off.abs() < 0.05 * HIDDEN, "{hidden} hidden in C{}", call.number);
        assert_eq!(call.total.basis, Basis::Calibrated);
        assert!(call.total.low <= call.total.tokens && call.total.tokens <= call.total.high);
    }
}

#[test]
fn an_edit_that_changes_nothing_changes_no_calibrated_count() {
    let counting = Counting::default();
    let base = experiment(reported(transcript(20, MODEL), &counting));
    let before = analysed(&base, &counting);
    let edits: Vec<Edit> = serde_json::from_str(r#"[{"edit": "pin_event", "event": 3}]"#).expect("edits");
    let edited = strata_measure::edited(&base, &edits, &Catalog::new(), &counting).experiment;
    let shared = {
        let mut shared = before.sharing();
        while shared.step(&edited, &counting) {}
        shared
    };
    let bills = caches(&base, &before);
    let billed = BilledCalls { analysis: &before, caches: &bills };
    for after in [shared, analysed(&edited, &counting)] {
        let totals = |analysis: &SessionAnalysis| -> Vec<_> {
            analysis.calls().iter().map(|call| (call.total, call.by_kind)).collect()
        };
        assert_eq!(totals(&after), totals(&before));
        let (rules, prices) = (CacheRules::embedded(), Prices::embedded());
        let again = CacheAnalysis::of_edited(&edited, &after, billed, &rules, &prices);
        assert_eq!(again.bill(), bills.bill());
    }
}

#[test]
fn a_session_that_grows_is_counted_as_one_that_is_read_whole() {
    let counting = Counting::default();
    let whole = reported(transcript(24, MODEL), &counting);
    let events = &whole.events;
    let first = Session { events: events[..30].to_vec(), ..whole.clone() };
    let mut grown = experiment(first);
    let mut analysis = analysed(&grown, &counting);
    // Some of these pieces make the fits anew, and others do not.
    for end in [34, 38, 50, 52, events.len()] {
        let kept = grown.session().events.len();
        let growth = Growth { kept, events: events[kept..end].to_vec(), ..Growth::default() };
        let after = grown.grown(growth);
        analysis = analysis.grown(&grown, &after);
        grown = after.experiment;
        while analysis.step(&grown, &counting) {}
        let read = experiment(Session { events: events[..end].to_vec(), ..whole.clone() });
        let read = analysed(&read, &counting);
        assert_eq!(analysis.fits(), read.fits(), "after {end} events");
        let totals = |analysis: &SessionAnalysis| -> Vec<_> {
            analysis.calls().iter().map(|call| call.total).collect()
        };
        assert_eq!(totals(&analysis), totals(&read), "after {end} events");
    }
}

#[test]
fn counts_with_a_models_own_vocabulary_stay_as_they_are() {
    let counting = Counting::default();
    let session = experiment(reported(transcript(20, "gpt-4o"), &counting));
    assert_eq!(model_growths(&session, &counting), []);
    let analysis = analysed(&session, &counting);
    assert!(analysis.tokenizers().all(|tokenizer| tokenizer.fit().is_none()));
}
