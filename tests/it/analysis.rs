//! What the analysis of a whole session must add up to.

use std::collections::HashMap;

use strata_engine::Experiment;
use strata_measure::analysis::{CarriedTokens, Cause, Counting, EventFinder, SessionAnalysis, UseTotals};
use strata_measure::tokens::Weigher;
use strata_model::EventIndex;
use strata_testkit::{app, experiment_in, invoice_triage, session};

fn triage() -> Experiment {
    experiment_in(invoice_triage::app(), invoice_triage::session())
}

fn analyse(experiment: &Experiment, counting: &Counting) -> SessionAnalysis {
    let mut analysis = SessionAnalysis::default();
    while analysis.step(experiment, counting) {}
    analysis
}

#[test]
fn weights_of_prompts_are_those_of_their_pieces_weighed_one_by_one() {
    let (experiment, counting) = (triage(), Counting::default());
    let analysis = analyse(&experiment, &counting);
    assert_eq!(analysis.calls().len(), experiment.calls().len());
    for call in analysis.calls() {
        let tokenizer = strata_measure::tokens::Tokenizer::of_model(&call.model);
        let weigher = Weigher::new(&tokenizer, &counting.memo);
        assert_eq!(call.total, weigher.request(&call.request).total(), "C{}", call.number);
        let scale = analysis.scale(&experiment, &counting, &call.model).expect("a scale for every model");
        let prompt = scale.prompt(&call.request);
        let of_pieces: u32 = prompt.pieces().map(|piece| piece.tokens).sum();
        assert_eq!(of_pieces + call.overhead, call.total.tokens, "C{}", call.number);
        assert_eq!(call.by_kind.iter().sum::<u32>(), of_pieces, "C{}", call.number);
    }
}

#[test]
fn every_token_sent_is_in_the_ledger_once() {
    let (experiment, counting) = (triage(), Counting::default());
    let analysis = analyse(&experiment, &counting);
    let n_events = experiment.session().events.len();
    let events = analysis.ledger().events(n_events);
    let sources = analysis.ledger().sources();
    let sum = |count: fn(&UseTotals) -> u64| -> u64 {
        events.iter().chain(sources.iter().map(|source| &source.usage)).map(count).sum()
    };
    let sent: u64 = analysis.calls().iter().map(|call| u64::from(call.total.tokens - call.overhead)).sum();
    assert_eq!(sum(|usage| usage.lifetime), sent);
    assert!(
        sum(|usage| usage.matched)
            <= analysis.calls().iter().map(|call| u64::from(call.matched.tokens)).sum()
    );

    let mut piece_by_piece = (0, 0);
    for sent in analysis.ledger().sent() {
        for (piece, run) in sent.pieces.iter().flat_map(|piece| sent.runs.iter().map(move |run| (piece, run)))
        {
            piece_by_piece.0 += u64::from(run.n_calls()) * u64::from(piece.piece.tokens);
            piece_by_piece.1 += u64::from(run.n_calls()) * u64::from(run.matched(piece));
        }
    }
    assert_eq!(piece_by_piece, (sum(|usage| usage.lifetime), sum(|usage| usage.matched)));

    for (at, usage) in events.iter().enumerate() {
        let carriers = analysis.ledger().carriers(EventIndex(at as u32));
        let total = |count: fn(&CarriedTokens) -> u32| -> u64 {
            let calls = |carried: &CarriedTokens| u64::from(carried.last_call - carried.first_call + 1);
            carriers.iter().map(|carried| calls(carried) * u64::from(count(carried))).sum()
        };
        assert_eq!(total(|carried| carried.tokens), usage.lifetime, "E{}", at + 1);
        assert_eq!(total(|carried| carried.matched), usage.matched, "E{}", at + 1);
        assert_eq!(total(|_| 1), u64::from(usage.calls), "E{}", at + 1);
        assert_eq!(carriers.first().map_or(0, |carried| carried.first_call), usage.first_call);
        assert_eq!(carriers.last().map_or(0, |carried| carried.last_call), usage.last_call);
        assert!(carriers.is_sorted_by(|earlier, later| earlier.last_call < later.first_call));
    }
}

#[test]
fn an_event_is_found_in_prompts_where_walking_through_their_pieces_finds_it() {
    // Long enough for prompts of several blocks, with two agents that see each other's words as quotations.
    let app = strata_testkit::large::app();
    let experiment = experiment_in(app, strata_testkit::large::session(3_000));
    let counting = Counting::default();
    let analysis = analyse(&experiment, &counting);
    for at in [0, 1, 40, 700, 2_600].map(EventIndex) {
        let mut finder = EventFinder::new(at);
        for call in analysis.calls().iter().step_by(7) {
            let scale = analysis.scale(&experiment, &counting, &call.model).expect("a known model");
            let prompt = scale.prompt(&call.request);
            let is_there = prompt.pieces().any(|piece| piece.origin.event() == Some(at));
            let before = prompt.pieces().take_while(|piece| piece.origin.event() != Some(at));
            let walked = is_there.then(|| before.map(|piece| piece.tokens).sum::<u32>());
            assert_eq!(finder.tokens_before(&call.request, &scale), walked, "{at:?} in C{}", call.number);
        }
    }
}

#[test]
fn breaks_of_the_sample_have_the_causes_it_was_written_with() {
    let (experiment, counting) = (triage(), Counting::default());
    let analysis = analyse(&experiment, &counting);
    let mut causes: HashMap<&str, u32> = HashMap::new();
    for call in analysis.calls() {
        let Some(found) = &call.prefix_break else { continue };
        let name = match &found.cause {
            Cause::State { key, .. } => key,
            Cause::Compacted { .. } | Cause::Scope { .. } => found.cause.code(),
            cause => panic!("C{} breaks because of {cause:?}", call.number),
        };
        *causes.entry(name).or_default() += 1;
    }
    assert_eq!(causes.get("hits"), Some(&2), "{causes:?}");
}

#[test]
fn a_saved_artifact_changes_the_list_of_the_next_call_and_of_no_earlier_one() {
    let app = app(
        r#"{"name": "demo", "root_agent": {"type": "llm", "name": "desk", "model": "gemini-2.5-flash", "tools": [
            {"type": "load_artifacts"}, {"type": "function", "declaration": {"name": "keep"}}]}}"#,
    );
    let transcript = r#"
        user: Keep the bill and the rent.
        desk: -> keep(what=bill) #c1
        tool [artifact bill.txt=0]: {"kept": "bill.txt"}
        desk: -> keep(what=bill) #c2
        tool [artifact bill.txt=1]: {"kept": "bill.txt"}
        desk: Done.
    "#;
    let (experiment, counting) = (experiment_in(app, session(transcript)), Counting::default());
    let analysis = analyse(&experiment, &counting);
    let names = |call: &strata_engine::Call| {
        let services = experiment.context(call).expect("desk is in the app").services;
        services.artifacts.as_ref().map_or(0, |artifacts| artifacts.names().len())
    };
    assert_eq!(experiment.calls().iter().map(names).collect::<Vec<_>>(), [0, 1, 1]);
    let breaks: Vec<_> = analysis.calls().iter().map(|call| call.prefix_break.is_some()).collect();
    assert_eq!(breaks, [false, true, false]);
}
