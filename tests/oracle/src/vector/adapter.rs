//! What the Gemini adapter does on the wire, against `adapter` and `adapter_ops`.

use strata_engine::turn::gemini::{CacheInputs, GeminiRequest, plan_cache};
use strata_engine::{AppIndex, Backend, Compilation, Outcome};
use strata_model::app::{ContextCacheConfig, ModelFamily};
use strata_model::{Json, LlmRequest, Object};

use super::cache::Server;
use super::given;
use crate::Failure;
use crate::diff::diff;

/// The adapter of one vector, with the server behind it.
pub(crate) struct Adapter {
    server: Server,
}

impl Adapter {
    /// `vertexai` of the vector's adapter, else its environment, chooses the backend.
    pub(crate) fn of(vector: &Json) -> Self {
        let given = vector.get("adapter").and_then(|adapter| adapter.get("vertexai")).and_then(Json::as_bool);
        let backend = match given {
            Some(true) => Backend::Vertex,
            Some(false) => Backend::AiStudio,
            None => given::backend(vector),
        };
        Self { server: Server::new(backend) }
    }

    /// Takes the server's answers to what comes next.
    pub(crate) fn expect(&mut self, next: &Json) {
        self.server.expect(next);
    }

    /// The operations of a compiled call; none where the model is not called or not on the wire.
    pub(crate) fn ops(
        &mut self,
        index: &AppIndex,
        agent: &str,
        compilation: &Compilation,
        now: f64,
    ) -> Vec<Json> {
        let is_wire = index.find(agent).is_some_and(|id| index.model(id).family == ModelFamily::GeminiWire);
        if !is_wire || compilation.outcome != Outcome::Request {
            return Vec::new();
        }
        let compiled = compilation.working_context();
        let mut request = GeminiRequest::of(&compiled, self.server.scope.backend);
        let mut ops = Vec::new();
        self.cache(&compiled, &mut request, now, &mut ops);
        let mut op = Object::from_iter([("op", "generate_content")]);
        if let Json::Object(sent) = request.to_json() {
            op.update(&sent);
        }
        ops.push(op.into());
        ops
    }

    fn cache(&mut self, compiled: &LlmRequest, request: &mut GeminiRequest, now: f64, ops: &mut Vec<Json>) {
        let Some(config) = &compiled.cache_config else { return };
        let config = given::read::<ContextCacheConfig>(&Json::Object(Object::clone(config)));
        let inputs = CacheInputs {
            config: &config,
            metadata: compiled.cache_metadata.as_deref(),
            previous_prompt_tokens: compiled.cacheable_contents_token_count,
            scope: &self.server.scope.clone(),
            now,
        };
        let plan = plan_cache(request, inputs).expect("a request with a model");
        let settled = self.server.perform(&plan, now, ops);
        if let Some((name, n_cached)) = &settled.used {
            request.apply_cache(name, *n_cached);
        }
    }
}

/// Differences of operations; the time in the name of a cache need not match.
pub(crate) fn differences(path: &str, expected: &Json, found: Vec<Json>) -> Failure {
    diff(path, &without_clock(expected.clone()), &without_clock(found.into()))
}

fn without_clock(value: Json) -> Json {
    match value {
        Json::Array(items) => items.into_iter().map(without_clock).collect::<Vec<_>>().into(),
        Json::Object(members) => members
            .into_iter()
            .map(|(key, value)| {
                let value = match (&*key, value) {
                    ("displayName", Json::String(name)) if name.starts_with("adk-cache-") => {
                        name.rsplit('-').next().unwrap_or_default().into()
                    }
                    ("config", config) => without_clock(config),
                    (_, value) => value,
                };
                (key, value)
            })
            .collect::<Object>()
            .into(),
        other => other,
    }
}
