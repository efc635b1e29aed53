//! Kind `cache`: decisions about explicit caches, with the server's part given.

use std::collections::VecDeque;
use std::sync::Arc;

use strata_engine::Backend;
use strata_engine::turn::gemini::{
    CacheFingerprint, CacheInputs, CachePlan, CacheScope, CacheStep, CreatedCache, GeminiRequest,
    SettledCache, plan_cache,
};
use strata_model::app::ContextCacheConfig;
use strata_model::{CacheMetadata, Content, FromJson as _, Json, Object, Str, python};

use super::given;
use crate::diff::diff;
use crate::{Failure, into_result};

pub(crate) fn check_vector(vector: &Json) -> Result<(), Failure> {
    let is_vertex = vector.get("backend").and_then(Json::as_str) == Some("vertex");
    let mut server = Server::new(if is_vertex { Backend::Vertex } else { Backend::AiStudio });
    let mut failure = Vec::new();
    for (at, step) in vector.get("steps").and_then(Json::as_array).unwrap_or_default().iter().enumerate() {
        let expected = step.get("expected").expect("what is expected");
        let found = run(&mut server, step);
        let mut wanted = expected.as_object().cloned().unwrap_or_default();
        let mut found = found.as_object().cloned().unwrap_or_default();
        let no_estimate = !wanted.contains_key("estimated_prefix_tokens");
        if no_estimate {
            found.remove("estimated_prefix_tokens");
        }
        // A long input is not written out.
        if let (Some(Json::Array(wanted)), Some(Json::Array(found))) =
            (wanted.get_mut("fingerprints"), found.get_mut("fingerprints"))
        {
            for (wanted, found) in wanted.iter().zip(found.iter_mut()) {
                if let (None, Json::Object(found)) = (wanted.get("input"), found) {
                    found.remove("input");
                }
            }
        }
        failure.extend(diff(&format!("step {at}"), &wanted.into(), &found.into()));
    }
    into_result(failure)
}

fn run(server: &mut Server, step: &Json) -> Json {
    let given = step.get("request").expect("a request");
    let contents = given.get("contents").and_then(Json::as_array).unwrap_or_default();
    let mut request = GeminiRequest {
        model: given::text(given, "model"),
        contents: contents.iter().map(|content| Arc::new(given::read::<Content>(content))).collect(),
        config: given.get("config").and_then(Json::as_object).cloned().unwrap_or_default(),
    };
    let Some(config) = given::present(given, "cache_config").map(given::read::<ContextCacheConfig>) else {
        let message = "Context caching requires a cache configuration.";
        return error_json("ValueError", message.to_owned());
    };
    let metadata = given::present(given, "cache_metadata").map(given::read::<CacheMetadata>);
    let now = step.get("now").and_then(Json::as_f64).unwrap_or_default();
    let n_contents = request.contents.len();
    let inputs = CacheInputs {
        config: &config,
        metadata: metadata.as_ref(),
        previous_prompt_tokens: given
            .get("cacheable_contents_token_count")
            .and_then(Json::as_i64)
            .map(|tokens| tokens as u64),
        scope: &server.scope.clone(),
        now,
    };
    let plan = match plan_cache(&request, inputs) {
        Ok(plan) => plan,
        Err(error) => return error_json(error.kind.python_name(), error.message),
    };
    let mut ops = Vec::new();
    server.expect(step);
    let settled = server.perform(&plan, now, &mut ops);
    if let Some((name, n_cached)) = &settled.used {
        request.apply_cache(name, *n_cached);
    }
    let mut found = Object::new();
    found.push("cache_metadata", settled.metadata.to_json());
    found.push("ops", ops);
    let dropped = (n_contents - request.contents.len()) as i64;
    found.push("contents_after", Object::from_iter([("dropped_prefix", dropped)]));
    found.push("config_after", request.config.clone());
    found.push("fingerprints", fingerprints(&plan, &settled));
    let estimates = plan.estimated_prefix_tokens.map(|tokens| vec![Json::Int(tokens as i64)]);
    found.push_some("estimated_prefix_tokens", estimates);
    found.into()
}

fn error_json(kind: &str, message: String) -> Json {
    let error = Object::from_iter([("type", kind.to_owned()), ("message", message)]);
    Object::from_iter([("error", error)]).into()
}

/// ADK computes the fingerprint of a cache it has made once more.
fn fingerprints(plan: &CachePlan, settled: &SettledCache) -> Vec<Json> {
    let is_made = matches!(plan.step, CacheStep::Create(_)) && settled.used.is_some();
    let again = plan.compared.last().filter(|_| is_made);
    let shown = |fingerprint: &CacheFingerprint| {
        let mut out = Object::new();
        out.push("fingerprint", fingerprint.fingerprint.clone());
        out.push("input_chars", python::len(&fingerprint.input) as i64);
        out.push("input", fingerprint.input.clone());
        Json::from(out)
    };
    plan.compared.iter().chain(again).map(shown).collect()
}

/// The server behind the adapter: it makes caches with numbered names, unless an answer is given.
pub(crate) struct Server {
    pub(crate) scope: CacheScope,
    n_created: usize,
    create_answers: VecDeque<Json>,
    delete_answers: VecDeque<Json>,
}

impl Server {
    pub(crate) fn new(backend: Backend) -> Self {
        let on_vertex = |text: &str| (backend == Backend::Vertex).then(|| Str::from(text));
        let scope = CacheScope {
            backend,
            project: on_vertex("demo-project"),
            location: on_vertex("europe-west4"),
            base_url: Some("https://generativelanguage.googleapis.com/".into()),
        };
        Self { scope, n_created: 0, create_answers: VecDeque::new(), delete_answers: VecDeque::new() }
    }

    /// Takes `create_answers` and `delete_answers` of what comes next; where they end, everything succeeds.
    pub(crate) fn expect(&mut self, next: &Json) {
        let given = |key: &str| next.get(key).and_then(Json::as_array).unwrap_or_default().to_vec().into();
        self.create_answers = given("create_answers");
        self.delete_answers = given("delete_answers");
    }

    /// Does what a plan asks for, and notes the operations.
    pub(crate) fn perform(&mut self, plan: &CachePlan, now: f64, ops: &mut Vec<Json>) -> SettledCache {
        let success = || Json::from(Object::new());
        if let Some(name) = &plan.delete {
            let mut op = Object::from_iter([("op", Json::from("delete")), ("name", name.clone().into())]);
            op.push("answer", self.delete_answers.pop_front().unwrap_or_else(success));
            ops.push(op.into());
        }
        let CacheStep::Create(creation) = &plan.step else { return plan.settle(None, now) };
        self.n_created += 1;
        let answer = self.create_answers.pop_front().unwrap_or_else(success);
        let mut op =
            Object::from_iter([("op", Json::from("create")), ("model", creation.model.clone().into())]);
        op.push("config", creation.config.clone());
        op.push("answer", answer.clone());
        ops.push(op.into());
        let result = match given::text(&answer, "error") {
            Some(error) => Err(error.to_string()),
            None => Ok(CreatedCache {
                name: match answer.get("name") {
                    Some(name) => name.as_str().unwrap_or_default().into(),
                    None => format!("cachedContents/cache-{}", self.n_created).into(),
                },
                expire_time: answer.get("expire_time").and_then(epoch_seconds),
            }),
        };
        plan.settle(Some(&result), now)
    }
}

/// A time as seconds, or as `2025-06-15T15:06:40Z`.
fn epoch_seconds(time: &Json) -> Option<f64> {
    if let Some(seconds) = time.as_f64() {
        return Some(seconds);
    }
    let text = time.as_str()?.trim_end_matches('Z').trim_end_matches("+00:00");
    let (date, clock) = text.split_once(['T', ' '])?;
    let date: Vec<i64> = date.split('-').filter_map(|part| part.parse().ok()).collect();
    let clock: Vec<f64> = clock.split(':').filter_map(|part| part.parse().ok()).collect();
    let [year, month, day] = date[..] else { return None };
    let [hour, minute, second] = clock[..] else { return None };
    // Days since 1970-01-01 in the Gregorian calendar, years beginning in March.
    let year = if month <= 2 { year - 1 } else { year };
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let days =
        365 * year + year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400) + day_of_year - 719_468;
    Some(days as f64 * 86_400.0 + hour * 3600.0 + minute * 60.0 + second)
}
