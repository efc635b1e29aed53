//! Tests that need vocabularies.

mod calibrating;
mod counting;
mod cuts;
mod strings;
mod weighing;
mod worst_cases;

/// `STRATA_LONG_TESTS=30` makes the randomised tests here thirty times as long.
#[expect(clippy::disallowed_methods, reason = "the length of a test run is the tester's choice")]
fn times(n: usize) -> usize {
    let factor = std::env::var("STRATA_LONG_TESTS").ok().and_then(|factor| factor.parse().ok());
    n * factor.unwrap_or(1)
}
