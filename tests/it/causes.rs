//! Causes of lost prefixes, put into sessions and requests that have none, as clients make them: each has to come out
//! with its value, its place and its price, whoever wrote the session.

mod conversation;
mod kinds;
mod writers;

use strata_engine::Experiment;
use strata_measure::analysis::{BilledCalls, CacheAnalysis, CallCache, Counting, Loss, SessionAnalysis};
use strata_measure::findings::{Finding, FindingKind, findings};
use strata_measure::prices::Prices;
use strata_wire::CacheRules;

use conversation::{CHANGED, conversation};
use kinds::{Kind, kinds};
use writers::Writer;

/// What is found in a session.
struct Found {
    findings: Vec<Finding>,
    caches: CacheAnalysis,
    experiment: Experiment,
}

fn analyse(experiment: Experiment, counting: &Counting) -> Found {
    let mut analysis = SessionAnalysis::default();
    while analysis.step(&experiment, counting) {}
    let caches = CacheAnalysis::new(&experiment, &analysis, &CacheRules::embedded(), &Prices::embedded());
    let findings = findings(&experiment, BilledCalls { analysis: &analysis, caches: &caches }, counting);
    Found { findings, caches, experiment }
}

fn losses(found: &Found) -> Vec<(&CallCache, &Loss)> {
    found.caches.calls.iter().filter_map(|call| Some((call, call.broken()?))).collect()
}

/// The codes of the findings that injected causes are told by.
pub(crate) fn codes_of_findings() -> impl Iterator<Item = &'static str> {
    kinds().into_iter().filter_map(|kind| kind.finding())
}

/// What is wrong with what is said of a session in which one call has a cause.
fn problems(kind: &Kind, found: &Found) -> Vec<String> {
    let mut problems = Vec::new();
    let all = losses(found);
    let Some((call, loss)) = all.iter().find(|(call, _)| call.call == CHANGED) else {
        return vec![format!("C{CHANGED} lost nothing; {:?}", codes(found))];
    };
    if all.len() > 1 && !kind.is_repeated {
        problems.push(format!("more than one call lost something: {:?}", codes(found)));
    }
    let sentence = loss.cause.sentence(&found.experiment);
    let change = loss.cause.change().map(|change| change.kind.code());
    if (loss.cause.code(), change) != (kind.cause, kind.change) {
        problems.push(format!("it is {} {change:?}: {sentence}", loss.cause.code()));
    }
    for value in kind.values.iter().filter(|value| !sentence.contains(**value)) {
        problems.push(format!("{value:?} is not named: {sentence}"));
    }
    if !loss.path.starts_with(kind.place) {
        problems.push(format!("it stands in {}", loss.path));
    }
    if let Some(code) = kind.finding() {
        let told = found.findings.iter().find(|finding| finding.code == code);
        let is_same = told.is_some_and(|told| {
            told.message.to_lowercase().starts_with(&sentence.to_lowercase())
                && (kind.is_repeated || told.tokens() == u64::from(loss.tokens))
                && (kind.is_repeated || told.lost_usd == loss.cost_usd)
        });
        if !is_same {
            problems.push(format!("the finding {code} says something else: {told:?}"));
        }
    }
    let price = Prices::embedded();
    let rates = price.of_model(&call.model).map(|price| price.rates_for(call.bill.prompt_tokens.into()));
    let dollars = |rate: f64, cached: f64| f64::from(loss.tokens) * (rate - cached) / 1e6;
    let expected = rates.map(|rates| {
        [rates.input, rates.cache_write.unwrap_or(rates.input)].map(|rate| dollars(rate, rates.cached_read))
    });
    let is_priced = loss.cost_usd.zip(expected).is_some_and(|(cost, expected)| {
        cost > 0.0 && expected.iter().any(|expected| (cost - expected).abs() < 1e-9)
    });
    if loss.tokens == 0 || !is_priced {
        problems.push(format!("its price is {} tokens, {:?}", loss.tokens, loss.cost_usd));
    }
    problems
}

fn codes(found: &Found) -> Vec<(u32, &'static str, String)> {
    let all = losses(found).into_iter();
    all.map(|(call, loss)| (call.call, loss.cause.code(), loss.cause.sentence(&found.experiment))).collect()
}

#[test]
#[expect(clippy::print_stdout, reason = "the table is what the test is run for")]
fn every_injected_cause_is_named_with_its_value_its_place_and_its_price() {
    println!(
        "{:<34} {:<20} {:<22} {:<12} {:>6} {:>9}  what is said",
        "injected", "writer", "cause", "change", "tokens", "dollars"
    );
    let mut wrong = Vec::new();
    let (kinds, counting) = (kinds(), Counting::default());
    let mut n_injected = 0;
    for kind in &kinds {
        for writer in Writer::ALL.into_iter().filter(|writer| kind.is_written_by(*writer)) {
            n_injected += 1;
            let mut requests = conversation();
            for request in &mut requests[CHANGED as usize - 1..] {
                (kind.inject)(request);
            }
            if let Some(prepare) = kind.prepare {
                requests.iter_mut().take(CHANGED as usize - 1).for_each(prepare);
            }
            let found = analyse(writer.experiment(&requests), &counting);
            let loss = found.caches.call(CHANGED).and_then(CallCache::broken);
            if let Some(loss) = loss {
                println!(
                    "{:<34} {:<20} {:<22} {:<12} {:>6} {:>9.4}  {}",
                    kind.name,
                    writer.name(),
                    loss.cause.code(),
                    loss.cause.change().map_or("", |change| change.kind.code()),
                    loss.tokens,
                    loss.cost_usd.unwrap_or_default(),
                    loss.cause.sentence(&found.experiment)
                );
            }
            let of_writer = |problem: String| format!("{}, {}: {problem}", kind.name, writer.name());
            wrong.extend(problems(kind, &found).into_iter().map(of_writer));
        }
    }
    println!("{} kinds, {n_injected} injected", kinds.len());
    assert!(kinds.len() >= 30, "{} kinds", kinds.len());
    assert!(wrong.is_empty(), "{} of {n_injected}:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn nothing_is_found_where_nothing_was_injected() {
    let counting = Counting::default();
    for writer in Writer::ALL {
        let found = analyse(writer.experiment(&conversation()), &counting);
        assert!(
            found.caches.calls.len() >= CHANGED as usize,
            "{}: {} calls",
            writer.name(),
            found.caches.calls.len()
        );
        assert_eq!(codes(&found), [], "{}", writer.name());
        let prefixes = found.findings.iter().filter(|finding| finding.kind == FindingKind::Prefix);
        assert_eq!(prefixes.collect::<Vec<_>>(), Vec::<&Finding>::new(), "{}", writer.name());
    }
}

#[test]
fn a_cause_in_the_instruction_is_the_same_with_and_without_the_configuration() {
    let counting = Counting::default();
    let with = analyse(writers::configured(&conversation()), &counting);
    let without = analyse(writers::configured_and_recorded(&conversation()), &counting);
    let said = |found: &Found| codes(found);
    assert_eq!(said(&with), said(&without));
    let (_, code, sentence) = said(&with).into_iter().next().expect("a cause");
    assert_eq!(
        (code, &*sentence),
        ("state_in_instruction", "state.now changed 10:12:31 → 10:13:07 inside the instruction")
    );
}
