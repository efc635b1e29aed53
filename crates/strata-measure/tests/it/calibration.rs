//! Counts that a provider's reports correct: parts, prompts and what is hidden.

use std::collections::HashMap;
use std::sync::Arc;

use strata_engine::{Catalog, Edit, Experiment, FlowKind, Growth, StageCache, infer_app};
use strata_measure::analysis::{BilledCalls, CacheAnalysis, Counting, SessionAnalysis, model_growths};
use strata_measure::prices::Prices;
use strata_measure::tokens::{Basis, SizeKind, Sizes, Tokenizer, Weigher};
use strata_model::{EventIndex, LlmRequest, Origin, RichText, Session, Usage};
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
    let weigher = Weigher::new(&tokenizer, &counting.memo);
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
    let held_out = fit.held_out().expect("growths");
    assert!(held_out.shown.median < 0.02, "{held_out:?}");
    assert_eq!(held_out.set_aside, 7, "every tenth of 79 calls says more than is recorded");
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

/// A time in the system text makes it another text in each request; the prompt does not grow by it.
#[test]
fn a_system_text_that_changes_is_no_growth() {
    let counting = Counting::default();
    let mut session = transcript(20, MODEL);
    let silent = experiment(session.clone());
    let tokenizer = Tokenizer::of_model(MODEL);
    let weigher = Weigher::new(&tokenizer, &counting.memo);
    let mut requests: Vec<(EventIndex, LlmRequest)> = Vec::new();
    for call in analysed(&silent, &counting).calls() {
        let mut request = LlmRequest { contents: call.request.contents.clone(), ..LlmRequest::default() };
        let rules = "Treat each order with care and answer politely. ".repeat(300);
        let text = format!("It is 10:00:{:02}. {rules}", call.number);
        request.append_system(RichText::from_span(text, Origin::Run { field: "instruction".into() }));
        let said: u32 = request.contents.iter().map(|content| weigher.sizes(content).total()).sum();
        let system: u32 = request.system_instruction.iter().map(|text| weigher.system(text).tokens).sum();
        let answer = silent.call(call.number).expect("a call").answer;
        let report =
            Usage { prompt_token_count: Some(u64::from(said) + u64::from(system)), ..Usage::default() };
        Arc::make_mut(&mut session.events[answer.as_usize()]).usage_metadata = Some(report.into());
        requests.push((answer, request));
    }
    let recorded = experiment(session).with_requests(requests);
    let analysis = analysed(&recorded, &counting);
    let fit = analysis.fits().and_then(|fits| fits.of_model(MODEL)).expect("a fit");
    assert!((fit.ratio(SizeKind::Text) - 1.0).abs() < 0.05, "{fit:?}");
    for cache in caches(&recorded, &analysis).calls {
        let hidden = cache.bill.hidden_tokens();
        assert!(hidden < cache.bill.prompt_tokens / 20, "{hidden} hidden in C{}", cache.call);
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

/// Turns of a pipeline, with what its provider reports.
fn pipeline() -> Experiment {
    let mut text = String::new();
    for turn in 0..4 {
        let usage = 1_000 * (turn + 1);
        let rows: Vec<String> =
            (0..30).map(|row| format!(r#"{{"day": {row}, "clicks": {}}}"#, row * 7)).collect();
        let rows = rows.join(", ");
        text += &format!("user: How did week {turn} go?\n");
        text += &format!("reader [model gemini-2.5-flash, usage {usage}]: -> rows(week={turn})\n");
        text += &format!("tool: {{\"rows\": [{rows}]}}\n");
        text += &format!("reader [model gemini-2.5-flash, usage {}]: Thirty rows were read.\n", usage + 100);
        text += &format!("critic [model gemini-2.5-flash, usage {}]: Nothing stands out.\n", usage + 200);
        text += &format!(
            "writer [model gemini-2.5-flash, usage {}]: -> save(week={turn})\ntool: saved\n",
            usage + 300
        );
        text += &format!("writer [model gemini-2.5-flash, usage {}]: It went as always.\n", usage + 400);
    }
    let agent = |name: &str, scope: &str| {
        format!(
            r#"{{"type": "llm", "name": "{name}", "model": "gemini-2.5-flash", "instruction": "Go on.", "include_contents": "{scope}"}}"#
        )
    };
    let agents = [agent("reader", "default"), agent("critic", "default"), agent("writer", "none")].join(", ");
    let app = strata_testkit::app(&format!(
        r#"{{"name": "weeks", "root_agent": {{"type": "sequential", "name": "weeks", "sub_agents": [{agents}]}}}}"#
    ));
    strata_testkit::experiment_in(app, strata_testkit::session(&text))
}

fn requests(experiment: &Experiment) -> Vec<LlmRequest> {
    let mut cache = StageCache::new();
    let compiled = experiment.calls().iter().map(|call| experiment.compile(call, &mut cache));
    compiled.map(|compiled| compiled.expect("a compilation").working_context()).collect()
}

/// What the prompts of each agent had more than the one before, where that is their beginning.
fn grown(experiment: &Experiment, requests: &[LlmRequest], counting: &Counting) -> Vec<Sizes> {
    let tokenizer = Tokenizer::of_model("gemini-2.5-flash");
    let weigher = Weigher::new(&tokenizer, &counting.memo);
    let mut last: HashMap<&str, &LlmRequest> = HashMap::new();
    let mut found = Vec::new();
    for (call, request) in experiment.calls().iter().zip(requests).take(FITTED_CALLS) {
        let Some(earlier) = last.insert(&call.invocation.agent, request) else { continue };
        let prints = |request: &LlmRequest| -> Vec<_> {
            request.contents.iter().map(|content| content.fingerprint).collect()
        };
        if prints(request).starts_with(&prints(earlier)) {
            let new = request.contents.iter().skip(earlier.contents.len());
            found.push(new.map(|content| weigher.sizes(content)).sum());
        }
    }
    found
}

/// Of the twenty calls of [`pipeline`], as many as fits are made from.
const FITTED_CALLS: usize = 18;

#[test]
fn growths_are_what_an_agent_was_shown() {
    let counting = Counting::default();
    let base = pipeline();
    let sizes = |experiment: &Experiment| -> Vec<Sizes> {
        let growths = model_growths(experiment, &counting);
        growths.iter().flat_map(|of_model| &of_model.growths).map(|growth| growth.sizes).collect()
    };
    let compiled = requests(&base);
    let expected = grown(&base, &compiled, &counting);
    assert_eq!(sizes(&base), expected, "quotations of others, and turns of one's own");
    assert!(
        expected.iter().any(|grown| grown.get(SizeKind::Result) == 0 && grown.total() > 300),
        "{expected:?}"
    );

    // Code of the app takes all results out before a request goes out.
    let mut sent = compiled;
    for request in &mut sent {
        let kept: Vec<_> =
            request.contents.iter().filter(|content| !content.has_function_response()).cloned().collect();
        request.contents = kept.into_iter().collect();
    }
    let expected = grown(&base, &sent, &counting);
    let answers: Vec<EventIndex> = base.calls().iter().map(|call| call.answer).collect();
    let seen = base.with_requests(answers.into_iter().zip(sent));
    assert_eq!(sizes(&seen), expected);
    assert!(expected.iter().all(|grown| grown.get(SizeKind::Result) == 0), "{expected:?}");
}
