//! Two recordings of one task: the document, and the window's answer.

use std::path::{Path, PathBuf};

use serde_json::json;
use strata_app::report::{
    self, CauseRanking, DiffChoice, DifferenceCause, DifferenceReport, RecordingsReport,
};

use crate::samples::{self, Unwatched};
use crate::{ask, import, start};

type Session<'s> = (&'s Path, &'s str);

fn diff((a, of_a): Session<'_>, (b, of_b): Session<'_>) -> DifferenceReport {
    let choice = DiffChoice {
        session: Some(of_a),
        other_session: Some(of_b),
        other_app: None,
        call: None,
        by: CauseRanking::Tokens,
    };
    let other = b.display().to_string();
    report::diff(&samples::source(a), &other, &choice, &Unwatched::default()).expect("a difference")
}

fn recordings(a: Session<'_>, b: Session<'_>) -> Option<RecordingsReport> {
    match diff(a, b) {
        DifferenceReport::Experiments(_) => None,
        DifferenceReport::Recordings(report) => Some(*report),
    }
}

fn sums(causes: &[DifferenceCause]) -> [i64; 4] {
    let sum = |of: fn(&DifferenceCause) -> i64| causes.iter().map(of).sum();
    [
        sum(|cause| cause.calls),
        sum(|cause| cause.tokens),
        sum(|cause| cause.cached_tokens),
        sum(|cause| cause.output_tokens),
    ]
}

/// Sessions of the samples of every format, which were counted by others.
fn sessions(scratch: &Path) -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    for path in samples::committed(scratch) {
        let shown = report::show(&samples::source(&path), &Unwatched::default()).expect("it is shown");
        found.extend(shown.sessions.into_iter().map(|shown| (path.clone(), shown.session.id)));
    }
    found
}

#[test]
fn causes_come_to_the_difference_of_the_bills_of_real_sessions() {
    let scratch = tempfile::tempdir().expect("a folder");
    let sessions = sessions(scratch.path());
    let mut n_compared = 0;
    for pair in sessions.windows(2) {
        let [a, b] = [&pair[0], &pair[1]].map(|(path, id)| (&**path, &**id));
        let what = format!("{a:?} and {b:?}");
        let Some(RecordingsReport { comparison, .. }) = recordings(a, b) else { continue };
        let bills = [a, b].map(|(path, id)| {
            report::tokens(&samples::source(path), Some(id), &Unwatched::default()).expect("a ledger").bill
        });
        assert_eq!([comparison.a.bill, comparison.b.bill], bills, "{what}");
        let [was, now] = bills.map(|bill| {
            [u64::from(bill.calls), bill.prompt_tokens, bill.cached_tokens, bill.output_tokens]
                .map(u64::cast_signed)
        });
        let more: [i64; 4] = std::array::from_fn(|at| now[at] - was[at]);
        assert_eq!(sums(&comparison.causes), more, "{what}: {:#?}", comparison.causes);
        if let (Some(was), Some(now)) = (bills[0].cost, bills[1].cost) {
            let cost: f64 = comparison.causes.iter().filter_map(|cause| cause.cost).sum();
            assert!((cost - (now - was)).abs() < 1e-6, "{what}: {cost} of {}", now - was);
        }
        let back = recordings(b, a).expect("two recordings").comparison;
        assert_eq!(sums(&back.causes), more.map(|count| -count), "{what}: back");
        n_compared += 1;
    }
    assert!(n_compared > 40, "{n_compared}");
}

#[test]
fn the_window_has_the_causes_of_the_document() {
    let strata = start();
    let files = ["claude-code.jsonl", "codex.jsonl"].map(|name| samples::of_formats().join(name));
    for file in &files {
        assert_eq!(import(&strata, file)["state"], "done");
    }
    let id = |name: &str| {
        let rows = ask(&strata, "session/list", &json!({ "filter": name, "offset": 0, "limit": 9 }));
        rows["rows"][0]["session"].as_str().expect("a session").to_owned()
    };
    let (a, b) = (id("claude-code.jsonl"), id("codex.jsonl"));
    let asked = |a: &str, b: &str| json!({ "a": a, "b": b, "by": "tokens", "offset": 0, "limit": 2 });
    let answer = ask(&strata, "session/compare", &asked(&a, &b));
    let named = |file: &Path| {
        let shown = report::show(&samples::source(file), &Unwatched::default()).expect("it is shown");
        shown.sessions[0].session.id.clone()
    };
    let (of_a, of_b) = (named(&files[0]), named(&files[1]));
    let document = recordings((&files[0], &of_a), (&files[1], &of_b)).expect("two recordings").comparison;
    let causes = serde_json::to_value(&document.causes).expect("JSON");
    let tokens = |causes: &serde_json::Value| -> Vec<serde_json::Value> {
        let rows = causes.as_array().expect("rows").iter();
        rows.map(|cause| json!([cause["title"], cause["tokens"], cause["cachedTokens"]])).collect()
    };
    assert_eq!(tokens(&answer["causes"]), tokens(&causes));
    assert!(!document.causes.is_empty());
    assert_eq!(answer["total"], document.total);
    assert!(answer["calls"].as_array().expect("rows").len() <= 2);
    let same = ask(&strata, "session/compare", &asked(&a, &a));
    assert_eq!(same["causes"], json!([]));
}
