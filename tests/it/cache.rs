//! Predictions of prompt caches beside what providers reported, on recorded sessions.
//!
#![expect(clippy::print_stdout, reason = "the figures are what the tests are run for")]

mod failed;
mod unsaid;

use std::collections::BTreeMap;
use std::fs;
use std::sync::Arc;

use strata_engine::{Experiment, FlowKind, infer_app};
use strata_import::import;
use strata_measure::analysis::{CacheAnalysis, Counting, Difference, SessionAnalysis};
use strata_measure::prices::Prices;
use strata_model::Session;
use strata_testkit::samples;
use strata_wire::CacheRules;

fn analyse(session: Session, kind: FlowKind) -> CacheAnalysis {
    let app = infer_app(&session, kind, &[]).app;
    let experiment = Experiment::new(Arc::new(session), app, kind);
    let counting = Counting::default();
    let mut analysis = SessionAnalysis::default();
    while analysis.step(&experiment, &counting) {}
    CacheAnalysis::new(&experiment, &analysis, &CacheRules::embedded(), &Prices::embedded())
}

/// How far predictions of one session are off.
#[derive(Default)]
struct Error {
    n_calls: usize,
    n_agreeing: usize,
    reported: u64,
    predicted: u64,
    absolute: u64,
    prompts: u64,
    differences: BTreeMap<Difference, (usize, u64)>,
    unexplained: Vec<String>,
}

impl Error {
    fn of(cache: &CacheAnalysis) -> Self {
        let mut error = Self::default();
        for call in &cache.calls {
            let (Some(found), Some(reported)) = (call.comparison, call.reported) else { continue };
            let off = u64::from(found.predicted.abs_diff(found.reported));
            error.n_calls += 1;
            error.n_agreeing += usize::from(found.difference.is_none());
            error.reported += u64::from(found.reported);
            error.predicted += u64::from(found.predicted);
            error.absolute += off;
            error.prompts += u64::from(reported.prompt);
            if let Some(difference) = found.difference {
                let known = error.differences.entry(difference).or_default();
                known.0 += 1;
                known.1 += off;
                if difference == Difference::Unexplained {
                    error.unexplained.push(format!(
                        "C{} predicted {} reported {}",
                        call.call, found.predicted, found.reported
                    ));
                }
            }
        }
        error
    }

    fn print(&self, name: &str) {
        let share = |part: u64| 100.0 * part as f64 / self.prompts.max(1) as f64;
        let differences: Vec<String> = self
            .differences
            .iter()
            .map(|(why, (n, tokens))| format!("{} {n} ({tokens})", why.name()))
            .collect();
        println!(
            "{name:<46} {:>4} calls {:>4} agree  cached {:>5.1} % predicted {:>5.1} %  off {:>5.2} %  {}",
            self.n_calls,
            self.n_agreeing,
            share(self.reported),
            share(self.predicted),
            share(self.absolute),
            differences.join(", ")
        );
        for unexplained in &self.unexplained {
            println!("    {unexplained}");
        }
    }
}

#[test]
fn predictions_for_recorded_claude_code_sessions_are_near_what_was_reported() {
    let (mut n_calls, mut n_unexplained, mut absolute, mut prompts) = (0, 0, 0, 0);
    for path in samples::files("claude-code") {
        let Ok(bytes) = fs::read(&path) else { continue };
        for (at, imported) in import(&bytes).sessions.into_iter().enumerate() {
            let error = Error::of(&analyse(imported.session, FlowKind::Transcript));
            if error.n_calls == 0 {
                continue;
            }
            let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
            error.print(&format!("{}#{at}", name.chars().take(42).collect::<String>()));
            n_calls += error.n_calls;
            n_unexplained += error.unexplained.len();
            absolute += error.absolute;
            prompts += error.prompts;
        }
    }
    println!(
        "{n_calls} calls, off by {:.2} % of the prompts",
        100.0 * absolute as f64 / prompts.max(1) as f64
    );
    assert!(n_calls > 0, "no call of the samples has a report");
    assert!(absolute * 20 < prompts, "predictions are off by more than a twentieth");
    assert!(n_unexplained * 50 < n_calls, "{n_unexplained} differences are not explained");
}

#[test]
fn what_was_cached_is_part_of_the_prompt() {
    for path in samples::files("claude-code") {
        let Ok(bytes) = fs::read(&path) else { continue };
        for imported in import(&bytes).sessions {
            for call in analyse(imported.session, FlowKind::Transcript).calls {
                let Some(reported) = call.reported else { continue };
                let of_cache = reported.cached.unwrap_or(0) + reported.written.unwrap_or(0);
                assert!(of_cache <= reported.prompt, "{} C{}: {reported:?}", path.display(), call.call);
            }
        }
    }
}
