//! What agents used, by command and while it is stopped.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use strata_app::ErrorCode;
use strata_app::report::{self, UsageBy, UsageQuestion, Watch};
use tokio_util::sync::CancellationToken;

use crate::{ask, refuse, start};

fn samples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../strata-import/samples")
}

fn question(paths: &[PathBuf], by: &str) -> Value {
    json!({ "paths": paths, "by": by, "since": null, "until": null, "timezone": "UTC" })
}

/// Stops as soon as it hears of something, or never.
struct Watcher {
    stops: bool,
    stop: CancellationToken,
}

impl Watch for Watcher {
    fn progress(&self, done: u64, total: u64) {
        assert!(done <= total, "{done} of {total}");
        if self.stops {
            self.stop.cancel();
        }
    }

    fn stop(&self) -> &CancellationToken {
        &self.stop
    }
}

fn add_up(by: UsageBy, stops: bool) -> Result<report::UsageReport, strata_app::AppError> {
    let question =
        UsageQuestion { paths: vec![samples()], by, since: None, until: None, timezone: Some("UTC".into()) };
    report::usage(&question, &Watcher { stops, stop: CancellationToken::new() })
}

#[test]
fn every_format_is_added_up_and_its_sums_agree_however_they_are_cut() {
    let strata = start();
    let by = |by: &str| ask(&strata, "usage/get", &question(&[samples()], by));
    let tools = by("tool");
    let names: Vec<_> = tools["rows"].as_array().expect("rows").iter().map(|row| &row["key"]).collect();
    for tool in ["Claude Code", "Codex CLI", "Gemini CLI", "Copilot CLI", "opencode", "Cline", "ADK session"]
    {
        assert!(names.iter().any(|name| **name == tool), "{tool} is none of {names:?}");
    }
    for cut in ["day", "project", "model", "session"] {
        let rows = by(cut);
        assert_eq!(rows["total"], tools["total"], "{cut}");
        for tokens in
            ["calls", "combinedReports", "inputTokens", "cachedTokens", "cacheWriteTokens", "outputTokens"]
        {
            let sum = rows["rows"]
                .as_array()
                .expect("rows")
                .iter()
                .filter_map(|row| row[tokens].as_u64())
                .sum::<u64>();
            assert_eq!(json!(sum), rows["total"][tokens], "{cut}: {tokens}");
        }
    }
}

#[test]
fn the_command_line_is_told_the_same() {
    let told = ask(&start(), "usage/get", &question(&[samples()], "model"));
    let report = add_up(UsageBy::Model, false).expect("a report");
    let text = serde_json::to_string(&report).expect("JSON");
    let mut document: Value = serde_json::from_str(&text).expect("JSON");
    document.as_object_mut().expect("an object").remove("version");
    assert_eq!(document, told);
}

#[test]
fn what_is_stopped_says_so() {
    let stopped = add_up(UsageBy::Day, true).expect_err("it was stopped");
    assert_eq!(stopped.message, "Stopped. Nothing was added up, and nothing was changed.");
}

#[test]
fn what_is_no_question_is_refused() {
    let strata = start();
    let mut wrong = question(&[samples()], "day");
    wrong["since"] = json!("2026-02-30");
    let (code, message) = refuse(&strata, "usage/get", &wrong);
    assert_eq!((code, &*message), (ErrorCode::BadInput, "2026-02-30 is no day. Write it as 2026-11-20."));
    assert_eq!(refuse(&strata, "usage/get", &question(&[samples()], "week")).0, ErrorCode::BadInput);
}

#[test]
fn a_price_of_one_s_own_is_what_calls_cost() {
    let strata = start();
    let paths = [samples().join("codex.jsonl")];
    let before = ask(&strata, "usage/get", &question(&paths, "model"));
    let model = before["rows"][0]["key"].as_str().expect("a model");
    let rates = json!({ "input": 0, "cachedRead": 0, "cacheWrite": null, "cacheWriteLong": null, "output": 1_000_000 });
    ask(&strata, "app/setPrice", &json!({ "model": model, "rates": rates }));
    let after = ask(&strata, "usage/get", &question(&paths, "model"));
    assert_eq!(after["total"]["cost"].as_f64(), after["total"]["outputTokens"].as_f64());
    assert_eq!(after["prices"][0]["source"], "set in Settings");
}
