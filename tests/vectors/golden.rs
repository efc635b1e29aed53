//! `golden/*.jsonl`: histories with the contents or the compaction window they give.

use std::path::Path;

use strata_engine::EventLog;
use strata_engine::turn::compaction;
use strata_model::app::EventsCompactionConfig;
use strata_model::{Content, Decoder, FromJson as _, Json, NodePath, Str, json};
use strata_oracle::vector::given::events;

use crate::diff::diff;
use strata_oracle::Failure;
use strata_oracle::report::Report;

pub(crate) fn run(folder: &Path, report: &mut Report) {
    for (file, check) in [
        ("contents.jsonl", contents as fn(&Json) -> Result<(), Failure>),
        ("fuzz.jsonl", contents),
        ("compaction.jsonl", compaction_window),
    ] {
        let Ok(text) = std::fs::read(folder.join(file)) else { continue };
        let family = format!("golden/{}", file.trim_end_matches(".jsonl"));
        for (at, line) in text.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()).enumerate() {
            let case = json::parse(line).expect("a golden file holds JSON lines");
            let label = case.get("name").and_then(Json::as_str).unwrap_or_default();
            let name = format!("{family}:{} {label}", at + 1);
            if report.wants(&name) {
                report.run(&family, &name, || check(&case));
            }
        }
    }
}

fn text(case: &Json, key: &str) -> Option<Str> {
    case.get(key).and_then(Json::as_str).map(Str::from)
}

fn contents(case: &Json) -> Result<(), Failure> {
    let log = EventLog::new(events(case.get("events")));
    let flag = |key: &str| case.get(key).and_then(Json::as_bool) == Some(true);
    let agent_name = text(case, "agent_name").unwrap_or_default();
    let branch = text(case, "current_branch");
    let isolation_scope = text(case, "isolation_scope");
    let node_path = NodePath::new(text(case, "node_path").unwrap_or_default());
    let user_content = case.get("user_content").filter(|content| !content.is_null());
    let user_content = user_content
        .map(|content| Content::from_json(content.clone(), &mut Decoder::new()).expect("a content"));
    let history = strata_engine::History {
        agent_name: &agent_name,
        branch: branch.as_ref(),
        isolation_scope: isolation_scope.as_deref(),
        node_path: &node_path,
        is_single_turn: flag("is_single_turn"),
        include_thoughts_from_other_agents: flag("include_thoughts_from_other_agents"),
        keep_client_ids: flag("preserve_function_call_ids"),
        user_content: user_content.as_ref(),
    };
    let view = log.prefix(log.len());
    let actual = match case.get("fn").and_then(Json::as_str) {
        Some("_get_current_turn_contents") => history.current_turn(view),
        _ => history.contents(view),
    };
    let actual = Json::Array(actual.iter().map(|content| content.to_json()).collect());
    let expected = case.get("expected_contents").cloned().unwrap_or_default();
    into_result(diff("contents", &expected, &actual))
}

fn compaction_window(case: &Json) -> Result<(), Failure> {
    let log = EventLog::new(events(case.get("events")));
    let view = log.prefix(log.len());
    let number = |key: &str| case.get(key).and_then(Json::as_i64);
    let config = EventsCompactionConfig {
        compaction_interval: number("compaction_interval"),
        overlap_size: number("overlap_size"),
        token_threshold: number("token_threshold"),
        event_retention_size: number("event_retention_size"),
        ..EventsCompactionConfig::default()
    };
    let isolation_scope = text(case, "isolation_scope");
    let decision = match case.get("kind").and_then(Json::as_str) {
        Some("token") => {
            let scope = compaction::TokenScope {
                isolation_scope: isolation_scope.as_deref(),
                ..compaction::TokenScope::ROOT
            };
            compaction::token_threshold(view, &config, scope)
        }
        _ => compaction::sliding_window(view, &config),
    };
    let mut failure = Vec::new();
    if let Some(expected) = case.get("latest_prompt_token_count") {
        let actual = decision.prompt_tokens.map_or(Json::Null, |tokens| Json::Int(tokens as i64));
        failure.extend(diff("prompt tokens", expected, &actual));
    }
    let actual = decision.window.map_or(Json::Null, |window| {
        let indexes =
            window.events.iter().filter_map(|logged| logged.index).map(|index| Json::Int(index.0.into()));
        let seed = window.seed.map_or(Json::Null, |_| Json::Float(window.span().0));
        Json::Object(
            [("seed_timestamp", seed), ("window_event_indexes", Json::Array(indexes.collect()))]
                .into_iter()
                .collect(),
        )
    });
    failure.extend(diff("window", case.get("expected").unwrap_or(&Json::Null), &actual));
    into_result(failure)
}

pub(crate) fn into_result(failure: Failure) -> Result<(), Failure> {
    if failure.is_empty() { Ok(()) } else { Err(failure) }
}
