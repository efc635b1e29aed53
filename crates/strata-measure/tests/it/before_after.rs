//! Two recordings of one task: what makes the difference, by its causes, which come to all of it.

use std::sync::Arc;

use proptest::prelude::*;
use strata_engine::{Experiment, FlowKind, infer_app};
use strata_measure::analysis::{BillTotals, BilledCalls, CacheAnalysis, Counting, SessionAnalysis};
use strata_measure::before_after::{
    BeforeAfter, Cause, CauseKind, ComparedSession, Composition, GrownPart, Place, Ranking, Side,
};
use strata_measure::prices::Prices;
use strata_model::App;
use strata_testkit::{Seeded, app, session};

/// A session with what its calls come to.
struct Known {
    experiment: Experiment,
    analysis: SessionAnalysis,
    caches: CacheAnalysis,
}

impl Known {
    fn of(transcript: &str) -> Self {
        let session = session(transcript);
        let app = infer_app(&session, FlowKind::Adk, &[]).app;
        Self::of_experiment(Experiment::new(Arc::new(session), app, FlowKind::Adk))
    }

    fn in_app(app: App, transcript: &str) -> Self {
        Self::of_experiment(Experiment::new(Arc::new(session(transcript)), Arc::new(app), FlowKind::Adk))
    }

    fn of_experiment(experiment: Experiment) -> Self {
        let counting = Counting::default();
        let mut analysis = SessionAnalysis::default();
        while analysis.step(&experiment, &counting) {}
        let caches = CacheAnalysis::new(&experiment, &analysis, analysis.rules(), &Prices::embedded());
        Self { experiment, analysis, caches }
    }

    fn compared(&self) -> ComparedSession<'_> {
        let billed = BilledCalls { analysis: &self.analysis, caches: &self.caches };
        ComparedSession { experiment: &self.experiment, billed }
    }
}

fn compare(before: &Known, after: &Known) -> BeforeAfter {
    BeforeAfter::of(before.compared(), after.compared(), &Prices::embedded())
}

/// They come to the difference of the bills.
#[track_caller]
fn check_sums(found: &BeforeAfter) {
    let sum = |of: fn(&Cause) -> i64| found.causes.iter().map(of).sum::<i64>();
    let (a, b) = (&found.before, &found.after);
    let more = |of: fn(&BillTotals) -> u64| of(b) as i64 - of(a) as i64;
    assert_eq!(sum(|cause| cause.tokens), more(|bill| bill.prompt_tokens), "tokens {:#?}", found.causes);
    assert_eq!(sum(|cause| cause.cached_tokens), more(|bill| bill.cached_tokens), "cached");
    assert_eq!(sum(|cause| cause.output_tokens), more(|bill| bill.output_tokens), "answers");
    assert_eq!(sum(|cause| cause.calls), more(|bill| bill.calls.into()), "calls");
    if let (Some(was), Some(now)) = (a.cost_usd(), b.cost_usd()) {
        let cost: f64 = found.causes.iter().filter_map(|cause| cause.cost_usd).sum();
        assert!((cost - (now - was)).abs() < 1e-7, "{cost} of {}: {:#?}", now - was, found.causes);
    }
}

/// What one kind of cause comes to, by what it is about.
fn of_kind(found: &BeforeAfter, kind: CauseKind) -> Vec<(&str, i64)> {
    let mut causes: Vec<(&str, i64)> = found
        .causes
        .iter()
        .filter(|cause| cause.kind == kind)
        .map(|cause| (&*cause.what, cause.tokens))
        .collect();
    causes.sort_unstable();
    causes
}

fn kinds(found: &BeforeAfter) -> Vec<CauseKind> {
    let mut kinds: Vec<CauseKind> = found.causes.iter().map(|cause| cause.kind).collect();
    kinds.sort_unstable();
    kinds.dedup();
    kinds
}

const SEARCH: &str = r#"
    user: Find flights to Oslo
    planner [model gpt-4o]: -> search(dest="Oslo")
    tool: RESULT
    planner [model gpt-4o]: Three flights.
    user: And back?
    planner [model gpt-4o]: -> search(dest="Rome")
    tool: none
    planner [model gpt-4o]: No.
"#;

#[test]
fn a_larger_result_is_the_cause_in_every_call_that_carries_it() {
    let (before, after) = (
        Known::of(&SEARCH.replace("RESULT", "one")),
        Known::of(&SEARCH.replace("RESULT", "one two three four")),
    );
    let found = compare(&before, &after);
    check_sums(&found);
    // The result is in the prompts of C2, C3 and C4.
    let size = |known: &Known| known.analysis.calls()[1].total.tokens;
    let more = i64::from(size(&after) - size(&before));
    assert!(more > 0);
    assert_eq!(of_kind(&found, CauseKind::Results), [("search", 3 * more)]);
    assert_eq!(found.causes.iter().filter(|cause| cause.tokens != 0).count(), 1, "{:#?}", found.causes);
    let cause = &found.causes[0];
    assert_eq!((cause.place.side, cause.place.call), (Side::After, 2));
}

#[test]
fn a_call_more_is_a_cause_by_itself_and_its_result_another() {
    let more =
        "planner [model gpt-4o]: -> look(at=1)\n    tool: seen\n    planner [model gpt-4o]: Three flights.";
    let before = Known::of(&SEARCH.replace("RESULT", "one"));
    let after =
        Known::of(&SEARCH.replace("RESULT", "one").replace("planner [model gpt-4o]: Three flights.", more));
    let found = compare(&before, &after);
    check_sums(&found);
    let calls: Vec<&Cause> = found.causes.iter().filter(|cause| cause.kind == CauseKind::Calls).collect();
    let [call] = &calls[..] else { panic!("{:#?}", found.causes) };
    assert_eq!((&*call.what, call.turn, call.calls), ("planner", Some(1), 1));
    assert_eq!(call.tokens, i64::from(after.analysis.calls()[2].total.tokens));
    // The calls of the second turn carry what it did.
    let [("look", results)] = of_kind(&found, CauseKind::Results)[..] else { panic!("{:#?}", found.causes) };
    assert!(results > 0);
    assert_eq!(of_kind(&found, CauseKind::History), []);
}

#[test]
fn turns_that_one_side_has_are_one_cause() {
    let before = Known::of(&SEARCH.replace("RESULT", "one"));
    let after =
        Known::of(SEARCH.replace("RESULT", "one").split("    user: And back?").next().expect("a turn"));
    let found = compare(&before, &after);
    check_sums(&found);
    assert_eq!(kinds(&found), [CauseKind::Turns]);
    assert_eq!(found.causes[0].calls, -2);
}

#[test]
fn a_turn_that_was_put_in_moves_no_other() {
    let without = SEARCH.replace("RESULT", "one two three");
    let (first, second) = without.split_once("    user: And back?").expect("two turns");
    let one_more = "    user: Where is it warm?\n    planner [model gpt-4o]: In the south.\n";
    let with = format!("{first}{one_more}    user: And back?{second}");
    let found = compare(&Known::of(&without), &Known::of(&with));
    check_sums(&found);
    let of_both: Vec<_> =
        found.calls.iter().filter(|calls| calls.before.is_some() && calls.after.is_some()).collect();
    let pairs: Vec<_> =
        of_both.iter().filter_map(|calls| Some((calls.before?, calls.after?, calls.turn))).collect();
    assert_eq!(pairs, [(1, 1, 1), (2, 2, 1), (3, 4, 3), (4, 5, 3)]);
    let turns = found.causes.iter().find(|cause| cause.kind == CauseKind::Turns).expect("the new turn");
    assert_eq!((turns.calls, turns.place), (1, Place { side: Side::After, call: 3 }));
    // The later calls carry what was said in it, and nothing else is told of them.
    let kinds: Vec<CauseKind> = kinds(&found).into_iter().filter(|kind| *kind != CauseKind::Cache).collect();
    assert_eq!(kinds.iter().filter(|kind| **kind == CauseKind::Results).count(), 0, "{:#?}", found.causes);
}

#[test]
fn an_agent_that_no_longer_sees_the_history_carries_less_of_it() {
    let configured = |contents: &str| {
        app(&format!(
            r#"{{"name": "trip", "rootAgent": {{"agentClass": "LlmAgent", "name": "planner", "model": "gpt-4o",
                "instruction": "Plan trips.", "includeContents": "{contents}"}}}}"#
        ))
    };
    let transcript = SEARCH.replace("RESULT", "one two three");
    let before = Known::in_app(configured("default"), &transcript);
    let after = Known::in_app(configured("none"), &transcript);
    let found = compare(&before, &after);
    check_sums(&found);
    let [("planner", history)] = of_kind(&found, CauseKind::History)[..] else {
        panic!("{:#?}", found.causes)
    };
    assert!(history < 0);
    for kind in [CauseKind::Results, CauseKind::ToolCalls, CauseKind::Answers, CauseKind::UserMessages] {
        assert_eq!(of_kind(&found, kind), [], "{kind:?}");
    }
}

#[test]
fn instructions_and_declarations_are_named() {
    let configured = |instruction: &str, tool: &str| {
        app(&format!(
            r#"{{"name": "trip", "rootAgent": {{"agentClass": "LlmAgent", "name": "planner", "model": "gpt-4o",
                "instruction": "{instruction}",
                "tools": [{{"type": "function", "declaration": {{"name": "search", "description": "{tool}"}}}}]}}}}"#
        ))
    };
    let transcript = SEARCH.replace("RESULT", "one");
    let before = Known::in_app(configured("Plan trips.", "Finds"), &transcript);
    let after =
        Known::in_app(configured("Plan trips, and be brief.", "Finds flights in all of Europe"), &transcript);
    let found = compare(&before, &after);
    check_sums(&found);
    let [("search", declared)] = of_kind(&found, CauseKind::Declarations)[..] else {
        panic!("{:#?}", found.causes)
    };
    let [("instruction of planner", instructed)] = of_kind(&found, CauseKind::Instructions)[..] else {
        panic!("{:#?}", found.causes)
    };
    assert!(declared > 0 && instructed > 0);
}

/// The same prompts with other reports: of a cache, of answers, of another model.
fn reported(cached: u32, answer: u32, model: &str) -> Known {
    let notes = |prompt: u32| format!("[usage {prompt} cached {cached} answer {answer}, model {model}]");
    Known::of(&format!(
        "user: Hi\nplanner {}: Hello\nuser: And?\nplanner {}: Nothing\n",
        notes(10_000),
        notes(20_000)
    ))
}

#[test]
fn what_a_cache_gives_costs_and_is_no_token() {
    let found = compare(&reported(0, 100, "gpt-4o"), &reported(8_000, 100, "gpt-4o"));
    check_sums(&found);
    assert_eq!(kinds(&found), [CauseKind::Cache]);
    let cause = &found.causes[0];
    assert_eq!((cause.tokens, cause.cached_tokens), (0, 16_000));
    // Half of what tokens cost that are not cached: 2.50 dollars a million.
    assert!((cause.cost_usd.expect("a price") + 16_000.0 * 1.25e-6).abs() < 1e-9, "{cause:?}");
}

#[test]
fn answers_and_prices_are_causes_of_their_own() {
    let found = compare(&reported(0, 100, "gpt-4o"), &reported(0, 300, "gpt-4o"));
    check_sums(&found);
    assert_eq!(kinds(&found), [CauseKind::Output]);
    assert_eq!(found.causes[0].output_tokens, 400);

    let found = compare(&reported(0, 100, "gpt-4o"), &reported(0, 100, "gpt-4o-mini"));
    check_sums(&found);
    assert_eq!(kinds(&found), [CauseKind::Price]);
    assert_eq!(&*found.causes[0].what, "gpt-4o → gpt-4o-mini");
}

#[test]
fn causes_are_ranked_by_cost_where_that_is_asked() {
    let found = compare(&reported(0, 100, "gpt-4o"), &reported(8_000, 300, "gpt-4o-mini"));
    let dollars = |cause: &&Cause| cause.cost_usd.expect("a price").abs();
    assert!(found.ranked(Ranking::Cost).is_sorted_by(|a, b| dollars(a) >= dollars(b)));
}

/// A session of a few turns by two agents, with or without reports.
fn any_transcript(seed: u64) -> String {
    let mut random = Seeded::new(seed);
    let words = ["sum", "the", "ledger", "again", "because", "totals", "differ", "cent"];
    let said = |random: &mut Seeded, most: usize| {
        (0..random.between(1, most)).map(|_| *random.pick(&words)).collect::<Vec<_>>().join(" ")
    };
    let models = ["gpt-4o", "gpt-4o-mini", "gemini-2.5-flash", "claude-opus-4-5"];
    let model = *random.pick(&models);
    let is_reported = random.below(2) == 0;
    let mut text = String::new();
    let mut prompt = random.between(500, 3_000);
    for _ in 0..random.between(1, 4) {
        text += &format!("user: {}\n", said(&mut random, 12));
        for _ in 0..random.below(4) {
            let agent = *random.pick(&["planner", "booker"]);
            prompt += random.between(10, 400);
            let cached = random.below(prompt);
            let answer = random.below(500);
            let usage = match random.below(8) {
                _ if !is_reported => String::new(),
                0 => ", error SAFETY blocked".to_owned(),
                _ => format!(", usage {prompt} cached {cached} answer {answer}"),
            };
            let tool = *random.pick(&["search", "book"]);
            text += &match random.below(3) {
                0 => format!("{agent} [model {model}{usage}]: {}\n", said(&mut random, 30)),
                1 => format!("{agent} [model {model}{usage}]:\n    ~ {}\n    + ok\n", said(&mut random, 20)),
                _ => format!(
                    "{agent} [model {model}{usage}]: -> {tool}(n={})\ntool: {}\n",
                    random.below(9),
                    said(&mut random, 60)
                ),
            };
        }
    }
    text
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn causes_come_to_the_difference_and_turn_their_sign_with_the_sides(a in any::<u64>(), b in any::<u64>()) {
        let (before, after) = (Known::of(&any_transcript(a)), Known::of(&any_transcript(b)));
        let (forth, back) = (compare(&before, &after), compare(&after, &before));
        check_sums(&forth);
        check_sums(&back);
        // The models of a price are named in the order of the sides.
        let subject = |cause: &Cause| {
            let what = if cause.kind == CauseKind::Price { "" } else { &*cause.what };
            (cause.kind, what.to_owned(), cause.turn)
        };
        let sorted = |found: &BeforeAfter| {
            let mut causes = found.causes.clone();
            causes.sort_by_key(subject);
            causes
        };
        let (forth, back) = (sorted(&forth), sorted(&back));
        prop_assert_eq!(forth.len(), back.len());
        for (forth, back) in forth.iter().zip(&back) {
            prop_assert_eq!(subject(forth), subject(back));
            let counts = |cause: &Cause| [cause.calls, cause.tokens, cause.cached_tokens, cause.output_tokens];
            prop_assert_eq!(counts(forth), counts(back).map(|count| -count));
            let dollars = |cause: &Cause| cause.cost_usd.unwrap_or(0.0);
            prop_assert!((dollars(forth) + dollars(back)).abs() < 1e-9);
        }
        prop_assert!(compare(&before, &before).causes.is_empty());
    }

    #[test]
    fn compositions_come_to_the_prompts_and_what_grew_to_their_difference(a in any::<u64>(), b in any::<u64>()) {
        let sides = [a, b].map(|seed| Known::of(&any_transcript(seed)));
        let [before, after] = &sides.each_ref().map(|side| Composition::of(side.compared()));
        for (side, composition) in sides.iter().zip([before, after]) {
            for (name, agent) in &composition.agents {
                let calls = side.caches.calls.iter().filter(|call| call.agent == *name).map(|call| &call.bill);
                let bill = BillTotals::of(calls);
                prop_assert_eq!(agent.tokens(), bill.prompt_tokens as i64);
                prop_assert_eq!(agent.calls, bill.calls);
            }
        }
        let bills = sides.each_ref().map(|side| side.caches.bill());
        let more = |of: fn(&BillTotals) -> i64| of(&bills[1]) - of(&bills[0]);
        let (forth, back) = (before.grown(after), after.grown(before));
        let tokens = |grown: &[GrownPart]| grown.iter().map(|part| part.tokens).sum::<i64>();
        prop_assert_eq!(tokens(&forth), more(|bill| bill.prompt_tokens as i64));
        prop_assert_eq!(tokens(&back), -tokens(&forth));
        let calls = forth.iter().map(|part| part.calls).sum::<i64>();
        prop_assert_eq!(calls, more(|bill| bill.calls.into()));
        prop_assert!(before.grown(before).is_empty());
        let both: BillTotals = bills.into_iter().sum();
        prop_assert_eq!(both.prompt_tokens, bills[0].prompt_tokens + bills[1].prompt_tokens);
        prop_assert_eq!(both.calls, bills[0].calls + bills[1].calls);
    }
}
