//! What clients tell of themselves: each call once, whoever tells of it and however often.

use strata_import::ImportedSession;
use strata_model::Json;

use crate::support::sample;

/// Of one session: its agents' calls, those of them with a request, and all input and output.
#[derive(Debug, PartialEq, Eq)]
struct Told {
    n_calls: usize,
    n_requests: usize,
    input: u64,
    output: u64,
}

fn told(session: &ImportedSession) -> Told {
    let usages: Vec<_> =
        session.session.events.iter().filter_map(|event| event.usage_metadata.as_ref()).collect();
    let is_request = |body: &Json| body.get("messages").or_else(|| body.get("contents")).is_some();
    Told {
        n_calls: usages.len(),
        n_requests: session.requests.iter().filter(|request| is_request(&request.body)).count(),
        input: usages.iter().filter_map(|usage| usage.prompt_token_count).sum(),
        output: usages.iter().filter_map(|usage| usage.output_tokens()).sum(),
    }
}

#[track_caller]
fn check(name: &str, expected: &[(usize, usize, u64, u64)]) {
    let imported = strata_import::import(&sample(name));
    assert_eq!(imported.diagnostics, [], "{name}");
    let mut all: Vec<Told> = imported.sessions.iter().map(told).collect();
    all.sort_by_key(|told| (told.n_calls, told.input));
    let expected: Vec<Told> = expected
        .iter()
        .map(|&(n_calls, n_requests, input, output)| Told { n_calls, n_requests, input, output })
        .collect();
    assert_eq!(all, expected, "{name}");
}

#[test]
fn claude_codes_bodies_are_the_requests_and_its_counts_leave_the_cache_out() {
    check("otel-claude-code.jsonl", &[(3, 3, 39633, 55)]);
}

#[test]
fn calls_of_sub_agents_are_calls_without_bodies_where_those_went_to_files() {
    check("otel-claude-code-agents.jsonl", &[(7, 0, 79895, 129)]);
}

#[test]
fn a_span_and_the_records_around_it_are_one_call() {
    check("otel-gemini-cli.jsonl", &[(4, 4, 37118, 87)]);
}

#[test]
fn records_that_came_to_the_span_of_their_agent_are_calls_of_their_own() {
    check("otel-adk-openinference.jsonl", &[(2, 2, 338, 64), (3, 3, 757, 83)]);
}

#[test]
fn two_libraries_tell_of_one_call() {
    check("otel-two-libraries.jsonl", &[(1, 1, 67, 31)]);
}

#[test]
fn codexs_events_are_its_calls_and_its_spans_are_not() {
    check("otel-codex.jsonl", &[(2, 0, 1880, 52)]);
}
