//! Sessions for rules to look at.

use std::sync::{Arc, LazyLock};

use strata_engine::{Experiment, FlowKind, infer_app};
use strata_import::read_app_config;
use strata_measure::analysis::{BilledCalls, CacheAnalysis, Counting, SessionAnalysis};
use strata_measure::findings::{Finding, findings};
use strata_measure::prices::Prices;
use strata_model::App;
use strata_testkit::session;

/// A session in its app. In both, `«300 words»` stands for a text of so many words, and `«600 fields»` for so many fields of
/// JSON with white space between them.
#[derive(Clone, Copy)]
pub(crate) struct Given {
    /// YAML: fields of the app, or of its root agent if it begins with `name:`. Empty: inferred from the session.
    pub app: &'static str,
    pub session: &'static str,
}

/// What a rule has to find and what not.
#[derive(Clone, Copy)]
pub(crate) struct Case {
    pub code: &'static str,
    pub found_in: Given,
    /// The first sentence of its message.
    pub says: &'static str,
    pub not_in: Given,
}

#[track_caller]
pub(crate) fn check(cases: &[Case]) {
    let mut problems = String::new();
    for case in cases {
        let found = all(case.found_in);
        let of_code: Vec<&Finding> = found.iter().filter(|finding| finding.code == case.code).collect();
        match of_code.first() {
            Some(first) if first.message == case.says => {}
            Some(first) => problems += &format!("{} says\n    {}\n", case.code, first.message),
            None => problems += &format!("{} is not found, only {:?}\n", case.code, codes(&found)),
        }
        let neighbour = all(case.not_in);
        if let Some(wrong) = neighbour.iter().find(|finding| finding.code == case.code) {
            problems += &format!("{} is found in its neighbour:\n    {}\n", case.code, wrong.message);
        }
    }
    assert!(problems.is_empty(), "\n{problems}");
}

pub(crate) fn codes(findings: &[Finding]) -> Vec<&'static str> {
    findings.iter().map(|finding| finding.code).collect()
}

pub(crate) fn all(given: Given) -> Vec<Finding> {
    let session = Arc::new(session(&with_words(given.session)));
    let app = if given.app.is_empty() {
        infer_app(&session, FlowKind::Adk, &[]).app
    } else {
        Arc::new(app(&with_words(given.app)))
    };
    of(&Experiment::new(session, app, FlowKind::Adk))
}

/// The sessions repeat one another's texts.
static COUNTING: LazyLock<Counting> = LazyLock::new(Counting::default);

pub(crate) fn of(experiment: &Experiment) -> Vec<Finding> {
    let mut analysis = SessionAnalysis::default();
    while analysis.step(experiment, &COUNTING) {}
    let caches = CacheAnalysis::new(experiment, &analysis, analysis.rules(), &Prices::embedded());
    findings(experiment, BilledCalls { analysis: &analysis, caches: &caches }, &COUNTING)
}

fn app(text: &str) -> App {
    let text = unindented(text);
    let text = if text.starts_with("name:") {
        let root: String = text.lines().flat_map(|line| ["  ", line, "\n"]).collect();
        format!("root_agent:\n{root}")
    } else {
        text
    };
    let config = match read_app_config(text.as_bytes(), &|_| None) {
        Ok(config) => config,
        Err(error) => panic!("{error}\n{text}"),
    };
    assert!(config.diagnostics.is_empty(), "{:?}\n{text}", config.diagnostics);
    App { name: "demo".into(), ..App::clone(&config.app) }
}

/// The lines without the indentation they have in the source of a test.
fn unindented(text: &str) -> String {
    let lines = || text.lines().filter(|line| !line.trim().is_empty());
    let margin = lines().map(|line| line.len() - line.trim_start().len()).min().unwrap_or(0);
    lines().flat_map(|line| [&line[margin..], "\n"]).collect()
}

fn with_words(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('«') {
        let Some((said, after)) = after.split_once('»') else {
            panic!("«… words» is not closed: {after}")
        };
        let (count, what) = said.split_once(' ').unwrap_or((said, ""));
        let Ok(count) = count.parse::<usize>() else { panic!("{count} is no number of {what}") };
        out += before;
        out += &match what {
            "words" => ["lorem"].repeat(count).join(" "),
            "fields" => {
                let fields: Vec<String> = (0..count).map(|at| format!("\"f{at}\" :   {at} ,   ")).collect();
                fields.concat()
            }
            _ => panic!("there are no {what}, but words and fields"),
        };
        rest = after;
    }
    out + rest
}
