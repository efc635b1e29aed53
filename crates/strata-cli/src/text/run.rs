//! What is said at the end of a run.

use strata_app::report::RunReport;
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
    let live = || report.calls.iter().filter(|call| !call.is_replayed);
    let tokens: i64 = live().map(|call| i64::from(call.prompt_tokens)).sum();
    let cached: i64 = live().filter_map(|call| call.predicted_cached_tokens).map(i64::from).sum();
    lines.push(format!(
        "{} of models, {} tokens of prompts, {} of them cached as predicted; {} stored.",
        counted(report.calls.len() - n_replayed, "call"),
        whole(tokens),
        whole(cached),
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
