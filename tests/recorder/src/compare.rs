//! What was sent, what the recorder says was sent, and what is compiled.

use std::sync::Arc;

use anyhow::{Context as _, Result};
use strata_engine::{Experiment, FlowKind, Outcome, StageCache};
use strata_import::{ImportedSession, import};
use strata_model::{EventIndex, Json, Object, RecordedCall, Severity, json, secret};
use strata_oracle::diff::diff;
use strata_wire::request_of;

#[derive(Debug, Default)]
pub(crate) struct Comparison {
    /// Requests that models were given.
    pub n_sent: usize,
    /// Those that the recording has exactly.
    pub n_recorded: usize,
    /// Those that differ in masks only.
    pub n_masked: usize,
    /// Those that are compiled exactly, of the recorded ones that were answered.
    pub n_compiled: usize,
    /// The others, a line each.
    pub differences: Vec<String>,
    /// What should not be.
    pub problems: Vec<String>,
}

impl Comparison {
    pub(crate) fn is_recorded(&self) -> bool {
        self.problems.is_empty() && self.n_recorded + self.n_masked == self.n_sent
    }

    pub(crate) fn is_compiled(&self) -> bool {
        self.differences.is_empty()
    }

    pub(crate) fn add(&mut self, other: &Self) {
        self.n_sent += other.n_sent;
        self.n_recorded += other.n_recorded;
        self.n_masked += other.n_masked;
        self.n_compiled += other.n_compiled;
        self.differences.extend(other.differences.iter().cloned());
        self.problems.extend(other.problems.iter().cloned());
    }
}

pub(crate) fn compare(recording: &[u8], sent: &[u8]) -> Result<Comparison> {
    let mut comparison = Comparison::default();
    let imported = import(recording);
    for diagnostic in imported.diagnostics.iter().filter(|found| found.severity != Severity::Info) {
        comparison.problems.push(format!("import: {}", diagnostic.message));
    }
    let sent = json::parse(sent).context("read what the models saw")?;
    let sent = sent.get("requests").and_then(Json::as_array).context("requests")?;
    comparison.n_sent = sent.len();
    compare_sent(sent, &imported.sessions, &mut comparison);
    look_for_secrets(recording, &mut comparison);
    for session in imported.sessions {
        compare_compiled(session, &mut comparison);
    }
    Ok(comparison)
}

/// Each request that a model was given is among the recorded ones. Those of summarizers are of no agent, and in no session.
fn compare_sent(sent: &[Json], sessions: &[ImportedSession], comparison: &mut Comparison) {
    let bodies =
        sessions.iter().flat_map(|session| &session.requests).map(|request| without_context(&request.body));
    let mut recorded: Vec<Json> = bodies.collect();
    for sent in sent {
        let agent = sent.get("agent").and_then(Json::as_str).unwrap_or_default();
        let request = sent.get("request").cloned().unwrap_or_default();
        if let Some(at) = recorded.iter().position(|recorded| diff("", &request, recorded).is_empty()) {
            recorded.remove(at);
            comparison.n_recorded += 1;
        } else if let Some(at) = recorded.iter().position(|recorded| is_same_but_masked(&request, recorded)) {
            recorded.remove(at);
            comparison.n_masked += 1;
        } else if agent.is_empty() {
            comparison.n_sent -= 1;
        } else {
            let nearest =
                recorded.iter().map(|recorded| diff("request", &request, recorded)).min_by_key(Vec::len);
            let why = nearest.and_then(|found| found.into_iter().next()).unwrap_or_default();
            comparison.problems.push(format!("a request of {agent} is not recorded: {why}"));
        }
    }
    if !recorded.is_empty() {
        comparison.problems.push(format!("{} recorded requests were not sent", recorded.len()));
    }
}

fn without_context(body: &Json) -> Json {
    let members = body.as_object().into_iter().flat_map(Object::iter);
    Json::Object(
        members.filter(|(key, _)| &***key != "recorded").map(|(key, it)| (key.clone(), it.clone())).collect(),
    )
}

fn is_same_but_masked(sent: &Json, recorded: &Json) -> bool {
    match (sent, recorded) {
        (Json::String(sent), Json::String(recorded)) => sent == recorded || secret::is_masked(recorded),
        (Json::Array(sent), Json::Array(recorded)) => {
            sent.len() == recorded.len() && sent.iter().zip(recorded).all(|(a, b)| is_same_but_masked(a, b))
        }
        (Json::Object(sent), Json::Object(recorded)) => {
            sent.len() == recorded.len()
                && sent
                    .iter()
                    .all(|(key, it)| recorded.get(key).is_some_and(|other| is_same_but_masked(it, other)))
        }
        _ => sent == recorded,
    }
}

/// Nothing in the file looks like a secret to Strata.
fn look_for_secrets(recording: &[u8], comparison: &mut Comparison) {
    let text = String::from_utf8_lossy(recording);
    for found in secret::find(&text) {
        comparison
            .problems
            .push(format!("the recording holds a secret: {} at byte {}", found.kind, found.range.start));
    }
}

fn compare_compiled(imported: ImportedSession, comparison: &mut Comparison) {
    let Some(app) = imported.app else {
        return comparison.problems.push(format!("session {} has no app", imported.session.id));
    };
    let answered =
        || imported.requests.iter().filter_map(|it| Some((EventIndex(it.answer? as u32), &it.body)));
    let n_unanswered = imported.requests.len() - answered().count();
    if n_unanswered > 0 {
        comparison
            .problems
            .push(format!("{n_unanswered} requests have no answer in session {}", imported.session.id));
    }
    let experiment = Experiment::new(Arc::new(imported.session), Arc::new(app), FlowKind::Adk)
        .with_recorded_calls(answered().filter_map(|(at, body)| Some((at, RecordedCall::of_body(body)?))));
    let mut known: Vec<u32> = answered().map(|(at, _)| at.number()).collect();
    known.sort_unstable();
    // Before the first one the recorder was not there.
    let calls = experiment.calls().iter().map(|call| call.answer.number());
    let calls: Vec<u32> = calls.skip_while(|call| known.first().is_some_and(|first| call < first)).collect();
    if calls != known {
        comparison
            .problems
            .push(format!("calls are found at the events {calls:?}, and were made at {known:?}"));
    }
    let mut cache = StageCache::new();
    for (answer, body) in answered() {
        let Some(call) = experiment.calls().iter().find(|call| call.answer == answer) else { continue };
        let name = format!("C{} of {}", call.number, call.invocation.agent);
        let Some(compilation) = experiment.compile(call, &mut cache) else {
            comparison.differences.push(format!("{name}: the agent is not in the app"));
            continue;
        };
        if compilation.outcome != Outcome::Request {
            comparison.differences.push(format!("{name}: {:?}", compilation.outcome));
            continue;
        }
        let sent = request_of(body).map(|request| request.to_json()).unwrap_or_default();
        match diff("request", &sent, &compilation.working_context().to_json()).into_iter().next() {
            Some(difference) => comparison.differences.push(format!("{name}: {difference}")),
            None => comparison.n_compiled += 1,
        }
    }
}
