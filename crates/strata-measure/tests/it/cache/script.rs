//! Sessions of any length with a change here and there, and what each change should be blamed on.

use std::collections::BTreeMap;

use strata_engine::Experiment;
use strata_measure::analysis::{CacheAnalysis, CacheFix, Counting, SessionAnalysis};
use strata_measure::prices::Prices;
use strata_model::{App, Session};
use strata_testkit::{Seeded, app, experiment_in};
use strata_wire::CacheRules;

/// A cause's code, and the stage that should be named with it.
pub(crate) type Expected = (&'static str, Option<&'static str>);

/// A session of about a hundred calls, and which of them lose a prefix.
pub(crate) struct Injected {
    pub name: &'static str,
    pub session: Session,
    /// By the number of a call, from 1. A call is compiled with the last app before it.
    pub apps: BTreeMap<u32, App>,
    pub expected: BTreeMap<u32, Expected>,
    /// Calls are compiled with what the session held up to them, artifacts included.
    pub grows: bool,
    pub rules: CacheRules,
}

impl Injected {
    pub(crate) fn new(name: &'static str, script: Script, app_json: &str) -> Self {
        let session = strata_testkit::session(&script.text());
        let apps = BTreeMap::from([(1, app(app_json))]);
        Self { name, session, apps, expected: script.expected, grows: false, rules: CacheRules::embedded() }
    }

    pub(crate) fn analyse(&self) -> CacheAnalysis {
        self.analyse_with(|_, _, _, cache| cache.clone())
    }

    pub(crate) fn fixes(&self) -> Vec<CacheFix> {
        self.analyse_with(|experiment, analysis, counting, cache| {
            cache.fixes(experiment, analysis, counting, &self.rules, &Prices::embedded())
        })
    }

    /// Compiles every call, each with its app.
    fn analyse_with<T>(
        &self,
        look: impl FnOnce(&Experiment, &SessionAnalysis, &Counting, &CacheAnalysis) -> T,
    ) -> T {
        let counting = Counting::default();
        let mut analysis = SessionAnalysis::with_rules(self.rules.clone());
        let whole: BTreeMap<u32, Experiment> = self
            .apps
            .iter()
            .map(|(from, app)| (*from, experiment_in(app.clone(), self.session.clone())))
            .collect();
        let first = &whole[&1];
        for call in first.calls() {
            let Some((from, experiment)) = whole.range(..=call.number).next_back() else { continue };
            if self.grows {
                let mut session = self.session.clone();
                session.events.truncate(call.answer.as_usize() + 1);
                analysis.step(&experiment_in(self.apps[from].clone(), session), &counting);
            } else {
                analysis.step(experiment, &counting);
            }
        }
        let cache = CacheAnalysis::new(first, &analysis, &self.rules, &Prices::embedded());
        look(first, &analysis, &counting, &cache)
    }
}

/// A transcript that is written turn by turn.
pub(crate) struct Script {
    lines: Vec<String>,
    n_calls: u32,
    n_ids: u32,
    pub expected: BTreeMap<u32, Expected>,
    pub random: Seeded,
}

impl Script {
    pub(crate) fn new(seed: u64) -> Self {
        Self { lines: Vec::new(), n_calls: 0, n_ids: 0, expected: BTreeMap::new(), random: Seeded::new(seed) }
    }

    fn text(&self) -> String {
        self.lines.join("\n")
    }

    pub(crate) fn n_calls(&self) -> u32 {
        self.n_calls
    }

    /// A call whose lines were written by hand.
    pub(crate) fn count_call(&mut self) {
        self.n_calls += 1;
    }

    pub(crate) fn n_lines(&self) -> usize {
        self.lines.len()
    }

    pub(crate) fn is_long(&self) -> bool {
        self.n_calls >= 100
    }

    pub(crate) fn line(&mut self, line: impl Into<String>) {
        self.lines.push(line.into());
    }

    /// So many words that say nothing.
    pub(crate) fn words(&mut self, n_words: usize) -> String {
        const WORDS: [&str; 12] = [
            "ledger", "invoice", "region", "because", "total", "reads", "after", "before", "margin", "seven",
            "line", "again",
        ];
        (0..n_words).map(|_| *self.random.pick(&WORDS)).collect::<Vec<_>>().join(" ")
    }

    pub(crate) fn user(&mut self, notes: &str) {
        let words = self.words(12);
        self.line(format!("user{}: {words}", bracketed(notes)));
    }

    pub(crate) fn says(&mut self, agent: &str, notes: &str) {
        let words = self.words(20);
        self.line(format!("{agent}{}: {words}", bracketed(notes)));
        self.n_calls += 1;
    }

    /// The agent calls a tool, whose result carries the notes.
    pub(crate) fn uses_tool(&mut self, agent: &str, notes: &str) {
        self.n_ids += 1;
        let (id, words) = (self.n_ids, self.words(30));
        self.line(format!("{agent}: -> search(query=\"q{id}\") #c{id}"));
        self.line(format!("tool #c{id}{}: {{\"found\": \"{words}\"}}", bracketed(notes)));
        self.n_calls += 1;
    }

    /// A turn of the user with a few tools; the first result carries the notes. Returns the calls of it.
    pub(crate) fn turn(&mut self, agent: &str, notes: &str) -> std::ops::RangeInclusive<u32> {
        let first = self.n_calls + 1;
        self.user("");
        let n_tools = self.random.between(usize::from(!notes.is_empty()), 2);
        for at in 0..n_tools {
            self.uses_tool(agent, if at == 0 { notes } else { "" });
        }
        self.says(agent, "");
        first..=self.n_calls
    }

    /// The next call is to be blamed on this.
    pub(crate) fn expect_next(&mut self, expected: Expected) {
        self.expected.insert(self.n_calls + 1, expected);
    }
}

fn bracketed(notes: &str) -> String {
    if notes.is_empty() { String::new() } else { format!(" [{notes}]") }
}

/// An instruction that is long enough to be cached by anybody.
pub(crate) fn long_text(seed: u64, n_words: usize) -> String {
    Script::new(seed).words(n_words)
}
