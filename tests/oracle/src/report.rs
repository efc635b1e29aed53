//! Collects outcomes and prints them.
#![expect(clippy::print_stdout, reason = "the report of a test binary")]

mod known;

use std::collections::BTreeMap;
use std::path::Path;
use std::process::ExitCode;

pub use known::{KnownDifferences, read as read_known};

use crate::Failure;

#[derive(Default, Clone, Copy)]
struct Counts {
    passed: usize,
    failed: usize,
    known: usize,
}

pub struct Report {
    filters: Vec<String>,
    known: KnownDifferences,
    families: BTreeMap<String, Counts>,
    failures: Vec<(String, Failure)>,
    unused_known: Vec<String>,
}

impl Report {
    pub fn new(filters: Vec<String>, known: KnownDifferences) -> Self {
        Self { filters, known, families: BTreeMap::new(), failures: Vec::new(), unused_known: Vec::new() }
    }

    pub fn wants(&self, name: &str) -> bool {
        self.filters.is_empty() || self.filters.iter().any(|filter| name.contains(filter.as_str()))
    }

    /// Runs one vector, catching what it panics with, and counts the outcome.
    pub fn run(&mut self, family: &str, name: &str, check: impl FnOnce() -> Result<(), Failure>) {
        let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(check)).unwrap_or_else(|panic| {
            let text = panic
                .downcast_ref::<String>()
                .map(String::as_str)
                .or_else(|| panic.downcast_ref::<&str>().copied());
            Err(vec![format!("panicked: {}", text.unwrap_or("(no message)"))])
        });
        let counts = self.families.entry(family.to_owned()).or_default();
        match (outcome, self.known.reason(name)) {
            (Ok(()), None) => counts.passed += 1,
            (Ok(()), Some(_)) => {
                counts.passed += 1;
                self.unused_known.push(name.to_owned());
            }
            (Err(_), Some(_)) => counts.known += 1,
            (Err(failure), None) => {
                counts.failed += 1;
                self.failures.push((name.to_owned(), failure));
            }
        }
    }

    /// Prints what came of it. Fewer than `least` vectors are a failure: some of them are gone.
    pub fn print(self, folder: &Path, least: usize) -> ExitCode {
        const SHOWN_LINES: usize = 12;
        for (name, failure) in &self.failures {
            println!("FAILED {name}");
            for line in failure.iter().take(SHOWN_LINES) {
                println!("    {line}");
            }
            if failure.len() > SHOWN_LINES {
                println!("    … {} more differences", failure.len() - SHOWN_LINES);
            }
        }
        for name in &self.unused_known {
            println!("{name} is listed as a known difference but passes: take it off the list");
        }
        let mut total = Counts::default();
        for (family, counts) in &self.families {
            let known = if counts.known > 0 { format!(", {} known", counts.known) } else { String::new() };
            println!("{family:<28} {:>4} passed, {:>3} failed{known}", counts.passed, counts.failed);
            total.passed += counts.passed;
            total.failed += counts.failed;
            total.known += counts.known;
        }
        if total.known > 0 {
            println!("{} known differences, each explained in tests/vectors/known.txt", total.known);
        }
        println!("vectors of {}", folder.display());
        println!("{} passed, {} failed", total.passed, total.failed);
        let n_run = total.passed + total.failed + total.known;
        if n_run < least {
            println!("{least} vectors are expected here, and {n_run} were run");
        }
        let is_fine = total.failed == 0 && self.unused_known.is_empty() && n_run >= least;
        if is_fine { ExitCode::SUCCESS } else { ExitCode::FAILURE }
    }
}
