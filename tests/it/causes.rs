//! Causes of lost prefixes, put into sessions and requests that have none, as clients make them: each has to come out
//! with its value, its place and its price, whoever wrote the session. What is said of each is in
//! `docs/injected-causes.md`, which is made here.

mod conversation;
mod kinds;
mod page;
mod writers;

use strata_engine::Experiment;
use strata_measure::analysis::{BilledCalls, CacheAnalysis, CallCache, Counting, Loss, SessionAnalysis};
use strata_measure::findings::{Finding, FindingKind, findings};
use strata_measure::prices::Prices;
use strata_measure::remedies;
use strata_wire::CacheRules;

use conversation::{CHANGED, conversation};
use kinds::{Kind, kinds};
use page::Row;
use writers::{Opened, Writer};

/// What is found in a session.
struct Found {
    findings: Vec<Finding>,
    caches: CacheAnalysis,
    experiment: Experiment,
    writer: remedies::Writer,
}

fn analyse(experiment: Experiment, writer: remedies::Writer, counting: &Counting) -> Found {
    let mut analysis = SessionAnalysis::default();
    while analysis.step(&experiment, counting) {}
    let caches = CacheAnalysis::new(&experiment, &analysis, &CacheRules::embedded(), &Prices::embedded());
    let findings = findings(&experiment, BilledCalls { analysis: &analysis, caches: &caches }, counting);
    Found { findings, caches, experiment, writer }
}

fn read(opened: Opened, counting: &Counting) -> Found {
    analyse(opened.experiment, opened.writer, counting)
}

impl Found {
    fn losses(&self) -> Vec<(&CallCache, &Loss)> {
        self.caches.calls.iter().filter_map(|call| Some((call, call.broken()?))).collect()
    }

    /// Every loss with its call, as it is said.
    fn said(&self) -> Vec<(u32, &'static str, String)> {
        let all = self.losses().into_iter();
        all.map(|(call, loss)| (call.call, loss.cause.code(), loss.cause.sentence(&self.experiment)))
            .collect()
    }

    /// What to do, in the terms of the tool the session is from: a setting, else words.
    fn fix(&self, finding: &Finding) -> String {
        let remedy = finding.remedy_in(self.writer).map(|remedy| remedy.text);
        remedy.unwrap_or_else(|| finding.advice_for(self.writer).to_owned())
    }
}

/// The codes of the findings that injected causes are told by.
pub(crate) fn codes_of_findings() -> impl Iterator<Item = &'static str> {
    kinds().into_iter().filter_map(|kind| kind.finding())
}

/// The conversation with a cause in it.
fn injected(kind: &Kind) -> Vec<conversation::Request> {
    let mut requests = conversation();
    let (before, from) = requests.split_at_mut(CHANGED as usize - 1);
    if let Some(prepare) = kind.prepare {
        before.iter_mut().for_each(prepare);
    }
    from.iter_mut().for_each(kind.inject);
    requests
}

/// What is wrong with what is said of a session in which one call has a cause.
fn problems(kind: &Kind, writer: Writer, found: &Found) -> Vec<String> {
    let mut problems = Vec::new();
    let all = found.losses();
    let Some((call, loss)) = all.iter().find(|(call, _)| call.call == CHANGED) else {
        return vec![format!("C{CHANGED} lost nothing; {:?}", found.said())];
    };
    if all.len() > 1 && !kind.is_repeated {
        problems.push(format!("more than one call lost something: {:?}", found.said()));
    }
    let sentence = loss.cause.sentence(&found.experiment);
    if loss.cause.code() != kind.cause {
        problems.push(format!("it is {}: {sentence}", loss.cause.code()));
    }
    let change = loss.cause.change();
    let is_right = match (&kind.change, change) {
        (Some(expected), Some(found)) => expected.is(found.kind.code(), &found.before, &found.after),
        // An added tool may have a text that differs from none.
        (None, found) => found.is_none(),
        (Some(_), None) => false,
    };
    if !is_right {
        problems.push(format!("the value is {change:?}"));
    }
    let model = (kind.cause == "model_changed").then(|| writer.other_model());
    for value in kind.says.iter().copied().chain(model).filter(|value| !sentence.contains(value)) {
        problems.push(format!("{value:?} is not named: {sentence}"));
    }
    if !loss.path.starts_with(kind.place) {
        problems.push(format!("it stands in {}", loss.path));
    }
    problems.extend(kind.finding().and_then(|code| problem_of_finding(kind, code, &sentence, loss, found)));
    problems.extend(problem_of_price(call, loss));
    problems
}

fn problem_of_finding(kind: &Kind, code: &str, sentence: &str, loss: &Loss, found: &Found) -> Option<String> {
    let Some(told) = found.findings.iter().find(|finding| finding.code == code) else {
        return Some(format!("there is no finding {code}"));
    };
    let is_same = told.message.to_lowercase().starts_with(&sentence.to_lowercase())
        && (kind.is_repeated || told.tokens() == u64::from(loss.tokens))
        && (kind.is_repeated || told.lost_usd == loss.cost_usd);
    if found.fix(told).is_empty() {
        return Some(format!("the finding {code} says nothing to do"));
    }
    (!is_same).then(|| format!("the finding {code} says something else: {told:?}"))
}

/// Tokens times what they cost more than from the cache.
fn problem_of_price(call: &CallCache, loss: &Loss) -> Option<String> {
    let price = Prices::embedded();
    let rates = price.of_model(&call.model).map(|price| price.rates_for(call.bill.prompt_tokens.into()));
    let dollars = |rate: f64, cached: f64| f64::from(loss.tokens) * (rate - cached) / 1e6;
    let expected = rates.map(|rates| {
        [rates.input, rates.cache_write.unwrap_or(rates.input)].map(|rate| dollars(rate, rates.cached_read))
    });
    let is_priced = loss.cost_usd.zip(expected).is_some_and(|(cost, expected)| {
        cost > 0.0 && expected.iter().any(|expected| (cost - expected).abs() < 1e-9)
    });
    (loss.tokens == 0 || !is_priced)
        .then(|| format!("its price is {} tokens, {:?}", loss.tokens, loss.cost_usd))
}

#[test]
fn every_injected_cause_is_named_with_its_value_its_place_and_its_price() {
    let (mut wrong, mut rows) = (Vec::new(), Vec::new());
    let (kinds, counting) = (kinds(), Counting::default());
    for kind in &kinds {
        for writer in Writer::ALL.into_iter().filter(|writer| writer.holds(kind.needs)) {
            let found = read(writer.read(&injected(kind)), &counting);
            let of_writer = |problem: String| format!("{}, {}: {problem}", kind.name, writer.name());
            wrong.extend(problems(kind, writer, &found).into_iter().map(of_writer));
            rows.extend(Row::of(kind, writer, &found));
        }
    }
    assert!(kinds.len() >= 30, "{} kinds", kinds.len());
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), rows.len(), wrong.join("\n"));
    page::compare(&page::document(&rows));
}

#[test]
fn nothing_is_found_where_nothing_was_injected() {
    let counting = Counting::default();
    for writer in Writer::ALL {
        let found = read(writer.read(&conversation()), &counting);
        let n_calls = found.caches.calls.len();
        assert!(n_calls >= CHANGED as usize, "{}: {n_calls} calls", writer.name());
        assert_eq!(found.said(), [], "{}", writer.name());
        let prefixes = found.findings.iter().filter(|finding| finding.kind == FindingKind::Prefix);
        assert_eq!(prefixes.collect::<Vec<_>>(), Vec::<&Finding>::new(), "{}", writer.name());
    }
}

#[test]
fn a_cause_in_the_instruction_is_the_same_with_and_without_the_configuration() {
    let counting = Counting::default();
    let said = |experiment| analyse(experiment, remedies::Writer::Adk, &counting).said();
    let with = said(writers::configured(&conversation()));
    assert_eq!(with, said(writers::configured_and_recorded(&conversation())));
    let (_, code, sentence) = with.into_iter().next().expect("a cause");
    assert_eq!(
        (code, &*sentence),
        ("state_in_instruction", "state.now changed 10:12:31 → 10:13:07 inside the instruction")
    );
}
