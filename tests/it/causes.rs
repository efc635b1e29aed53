//! Causes of lost prefixes, put into sessions and requests that have none, as clients make them: each has to come out
//! with its value, its place and its price, whoever wrote the session. What is said of each is in
//! `docs/injected-causes.md`, which is made here.

mod advice;
mod conversation;
mod kinds;
mod marks;
mod page;
mod writers;

use rayon::prelude::*;
use serde_json::json;
use strata_engine::Experiment;
use strata_measure::analysis::{BilledCalls, CacheAnalysis, CallCache, Counting, Loss, SessionAnalysis};
use strata_measure::findings::{Finding, FindingKind, findings};
use strata_measure::prices::Prices;
use strata_measure::remedies::{self, Aim, remedy};
use strata_wire::CacheRules;

use conversation::{CHANGED, Said, TURN_BEGINS, conversation};
use kinds::{Kind, harmless, kinds};
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

    /// What to do about a loss, in the terms of the tool the session is from: a setting, else the words of its finding.
    fn fix(&self, loss: &Loss, finding: Option<&Finding>) -> Option<String> {
        let of_cause = Aim::of_cause(&loss.cause).and_then(|aim| remedy(self.writer, &aim));
        let advice = || Some(finding?.advice_for(self.writer).to_owned());
        of_cause.map(|remedy| format!("`{}` ({})", remedy.text, remedy.place)).or_else(advice)
    }

    fn finding(&self, kind: &Kind) -> Option<&Finding> {
        self.findings.iter().find(|finding| Some(finding.code) == kind.finding())
    }
}

/// The codes of the findings that injected causes are told by.
pub(crate) fn codes_of_findings() -> impl Iterator<Item = &'static str> {
    kinds().into_iter().filter_map(|kind| kind.finding()).chain([marks::FINDING])
}

/// The conversation with a cause in it from a call on.
fn injected(kind: &Kind, call: u32) -> Vec<conversation::Request> {
    let mut requests = conversation();
    let (before, from) = requests.split_at_mut(call as usize - 1);
    if let Some(prepare) = kind.prepare {
        before.iter_mut().for_each(prepare);
    }
    from.iter_mut().for_each(kind.inject);
    requests
}

/// What is wrong with what is said of a session in which one call has a cause.
fn problems(kind: &Kind, writer: Writer, changed: u32, found: &Found) -> Vec<String> {
    let mut problems = Vec::new();
    let all = found.losses();
    let Some((call, loss)) = all.iter().find(|(call, _)| call.call == changed) else {
        return vec![format!("C{changed} lost nothing; {:?}", found.said())];
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
    problems.extend(problem_of_finding(kind, &sentence, loss, found));
    if loss.cause.is_avoidable() && found.fix(loss, found.finding(kind)).is_none_or(|fix| fix.is_empty()) {
        problems.push("nothing is said to do about it".to_owned());
    }
    problems.extend(problem_of_price(call, loss));
    problems
}

/// The finding says the same, costs the same and has the same fix.
fn problem_of_finding(kind: &Kind, sentence: &str, loss: &Loss, found: &Found) -> Option<String> {
    let code = kind.finding()?;
    let Some(told) = found.finding(kind) else { return Some(format!("there is no finding {code}")) };
    let is_same = told.message.to_lowercase().starts_with(&sentence.to_lowercase())
        && (kind.is_repeated || told.tokens() == u64::from(loss.tokens))
        && (kind.is_repeated || told.lost_usd == loss.cost_usd)
        && told.remedy_in(found.writer)
            == Aim::of_cause(&loss.cause).and_then(|aim| remedy(found.writer, &aim));
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
    let (kinds, counting) = (kinds(), Counting::default());
    let of_kind = |kind| Writer::ALL.into_iter().map(move |writer: Writer| (kind, writer));
    let cases: Vec<(&Kind, Writer)> =
        kinds.iter().flat_map(of_kind).filter(|(kind, writer)| writer.holds(kind.needs)).collect();
    let told = cases.par_iter().map(|(kind, writer)| {
        let found = read(writer.read(&injected(kind, CHANGED)), &counting);
        (problems_of_case(kind, *writer, CHANGED, &found), Row::of(kind, *writer, &found))
    });
    let (wrong, rows): (Vec<Vec<String>>, Vec<Option<Row>>) = told.unzip();
    let wrong = wrong.concat();
    assert!(kinds.len() >= 30, "{} kinds", kinds.len());
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
    page::compare(&page::document(&rows.into_iter().flatten().collect::<Vec<_>>()));
}

fn problems_of_case(kind: &Kind, writer: Writer, changed: u32, found: &Found) -> Vec<String> {
    let of_case = |problem: String| format!("{}, {}: {problem}", kind.name, writer.name());
    problems(kind, writer, changed, found).into_iter().map(of_case).collect()
}

#[test]
fn a_cause_is_the_same_in_a_call_that_begins_a_turn() {
    let (kinds, counting) = (kinds(), Counting::default());
    let of_kind = |kind| Writer::ALL.into_iter().map(move |writer: Writer| (kind, writer));
    let cases: Vec<(&Kind, Writer)> =
        kinds.iter().flat_map(of_kind).filter(|(kind, writer)| writer.holds(kind.needs)).collect();
    let wrong = cases.par_iter().map(|(kind, writer)| {
        let found = read(writer.read(&injected(kind, TURN_BEGINS)), &counting);
        problems_of_case(kind, *writer, TURN_BEGINS, &found)
    });
    let wrong = wrong.collect::<Vec<_>>().concat();
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
}

#[test]
fn nothing_is_found_where_nothing_was_injected() {
    let counting = Counting::default();
    for (name, requests) in harmless() {
        for writer in Writer::ALL {
            let case = format!("{name}, {}", writer.name());
            let opened = writer.read(&requests);
            let n_requests = if writer.has_requests() { requests.len() } else { 0 };
            assert_eq!(opened.n_requests, n_requests, "{case}");
            let found = read(opened, &counting);
            assert_eq!(found.caches.calls.len(), requests.len(), "{case}");
            assert_eq!(found.said(), [], "{case}");
            let prefixes = found.findings.iter().filter(|finding| finding.kind == FindingKind::Prefix);
            assert_eq!(prefixes.collect::<Vec<_>>(), Vec::<&Finding>::new(), "{case}");
        }
    }
}

#[test]
fn a_line_that_grows_from_call_to_call_is_one_finding() {
    let counting = Counting::default();
    for separator in [" ", ", ", "\n- "] {
        let mut requests = conversation();
        for (at, request) in requests.iter_mut().enumerate() {
            let tags: Vec<String> = (0..=at).map(|tag| format!("t{tag}")).collect();
            request.system = vec![conversation::instruction(&format!("Tags: {}", tags.join(separator)))];
        }
        let found = read(Writer::ChatLog.read(&requests), &counting);
        let changing = found.findings.iter().filter(|finding| finding.code == "changing-system-text");
        let [finding] = changing.collect::<Vec<_>>()[..] else { panic!("{:?}", found.findings) };
        let lost: u64 = found.losses().iter().map(|(_, loss)| u64::from(loss.tokens)).sum();
        assert_eq!((found.losses().len(), finding.tokens()), (requests.len() - 1, lost));
    }
}

#[test]
fn a_result_that_is_cleared_is_told_as_such_where_calls_have_no_ids() {
    let counting = Counting::default();
    let mut requests = conversation();
    for (at, request) in requests.iter_mut().enumerate() {
        let mut is_first = at + 1 >= TURN_BEGINS as usize;
        for said in request.history.iter_mut().chain([&mut request.answer]) {
            match said {
                Said::Call { id, .. } => id.clear(),
                Said::Result { id, text } => {
                    id.clear();
                    if std::mem::take(&mut is_first) {
                        "[cleared]".clone_into(text);
                    }
                }
                _ => {}
            }
        }
    }
    let found = read(Writer::GeminiLog.read(&requests), &counting);
    let [(call, code, sentence)] = &found.said()[..] else { panic!("{:?}", found.said()) };
    assert_eq!((*call, *code), (TURN_BEGINS, "history_rewritten"), "{sentence}");
    assert!(sentence.contains("[cleared]") || sentence.contains("shortened"), "{sentence}");
}

#[test]
fn the_schema_of_an_answer_is_a_part_of_the_prompt() {
    let counting = Counting::default();
    let schema =
        json!({"type": "object", "properties": {"order": {"type": "string"}, "late": {"type": "boolean"}}});
    let as_chat = json!({"type": "json_schema", "json_schema": {"name": "answer", "schema": schema}});
    let as_responses = json!({"format": {"type": "json_schema", "name": "answer", "schema": schema}});
    for (writer, name, value) in
        [(Writer::ChatLog, "response_format", as_chat), (Writer::ResponsesLog, "text", as_responses)]
    {
        let mut requests = conversation();
        let plain = read(writer.read(&requests), &counting);
        for request in requests.iter_mut().skip(CHANGED as usize - 1) {
            request.settings.push((name, value.clone()));
        }
        let found = read(writer.read(&requests), &counting);
        let size = |found: &Found, call: u32| found.caches.call(call).expect("a call").bill.prompt_tokens;
        assert_eq!(size(&found, CHANGED - 1), size(&plain, CHANGED - 1));
        assert!(size(&found, CHANGED) > size(&plain, CHANGED) + 10);
        let losses = found.losses();
        let [(call, loss)] = losses[..] else { panic!("{:?}", found.said()) };
        let sentence = loss.cause.sentence(&found.experiment);
        assert_eq!((call.call, &*sentence), (CHANGED, "the answer schema came in"), "{loss:?}");
        let codes = found.findings.iter().map(|finding| finding.code);
        let codes: Vec<_> = codes.filter(|code| ["tools-change", "settings-change"].contains(code)).collect();
        assert_eq!(codes, ["settings-change"], "no tool changed");
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
