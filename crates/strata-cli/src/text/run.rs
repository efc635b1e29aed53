//! What is said at the end of a run.

use strata_app::report::{Basis, RunCallReport, RunReport};
use strata_app::{counted, whole};

use super::style::Style;

pub(crate) fn run(report: &RunReport, style: Style) -> String {
    let mut lines = Vec::new();
    if let Some(error) = &report.error {
        lines.push(style.error(&format!("The run failed: {} ({})", error.message, error.code)));
    }
    if report.stopped {
        lines.push("Stopped. Everything up to here is stored.".to_owned());
    }
    let n_replayed = report.calls.iter().filter(|call| call.is_replayed).count();
    if n_replayed > 0 {
        let were = if n_replayed == 1 { "was" } else { "were" };
        lines.push(format!("{} {were} answered as recorded, without a model.", counted(n_replayed, "call")));
    }
    let live: Vec<&RunCallReport> = report.calls.iter().filter(|call| !call.is_replayed).collect();
    lines.push(format!(
        "{} of models, {} tokens of prompts, {}; {} stored.",
        counted(live.len(), "call"),
        sum(live.iter().map(|call| call.prompt_tokens)),
        cached(&live),
        counted(report.events.len(), "event"),
    ));
    for id in &report.interrupts {
        lines.push(format!(
            "Call {id} waits for an answer: `strata run … --session {} --answer {id}=JSON`.",
            report.session
        ));
    }
    lines.push(format!("Session {}: go on with `--session`, look with `strata show`.", report.session));
    lines.join("\n")
}

/// What was read from caches: as reported, and as predicted for calls of which nothing is reported.
fn cached(calls: &[&RunCallReport]) -> String {
    let is_reported = |call: &RunCallReport| call.prompt_basis == Basis::Reported;
    let unreported = calls.iter().filter(|call| !is_reported(call));
    let predicted: Vec<u32> = unreported.filter_map(|call| call.predicted_cached_tokens).collect();
    let reported: Vec<u32> = calls.iter().filter_map(|call| call.reported_cached_tokens).collect();
    let of_reported = sum(reported.iter().copied());
    let of_predicted = sum(predicted.iter().copied());
    match (reported.is_empty(), predicted.is_empty()) {
        (true, true) if calls.iter().any(|call| is_reported(call)) => {
            "nothing reported of a cache".to_owned()
        }
        (true, _) => format!("{of_predicted} of them cached as predicted"),
        (false, true) => format!("{of_reported} of them cached as reported"),
        (false, false) => format!("{of_reported} of them cached as reported and {of_predicted} as predicted"),
    }
}

fn sum(tokens: impl Iterator<Item = u32>) -> String {
    whole(tokens.map(i64::from).sum::<i64>())
}
