//! Spans as they were recorded, whatever wrote them.

use strata_model::{Json, Object, Str};

use crate::source::SourceRecord;

/// A span, or a log record that belongs to one.
#[derive(Debug, Clone)]
pub(in crate::telemetry) struct Span {
    pub(in crate::telemetry) name: Str,
    pub(in crate::telemetry) trace: Str,
    pub(in crate::telemetry) id: Str,
    pub(in crate::telemetry) parent: Option<Str>,
    /// Epoch seconds.
    pub(in crate::telemetry) start: Option<f64>,
    pub(in crate::telemetry) end: Option<f64>,
    pub(in crate::telemetry) attributes: Object,
    pub(in crate::telemetry) events: Vec<Event>,
    pub(in crate::telemetry) error: Option<Str>,
    pub(in crate::telemetry) source: SourceRecord,
}

/// Something that was logged within a span.
#[derive(Debug, Clone)]
pub(in crate::telemetry) struct Event {
    pub(in crate::telemetry) name: Str,
    pub(in crate::telemetry) attributes: Object,
    pub(in crate::telemetry) body: Json,
    /// Where it has one of its own.
    pub(in crate::telemetry) time: Option<f64>,
}

impl Span {
    pub(in crate::telemetry) fn text(&self, key: &str) -> Option<Str> {
        self.attributes.get(key).and_then(Json::as_text).filter(|text| !text.is_empty()).cloned()
    }

    pub(in crate::telemetry) fn first_text(&self, keys: &[&str]) -> Option<Str> {
        keys.iter().find_map(|key| self.text(key))
    }

    pub(in crate::telemetry) fn operation(&self) -> Str {
        self.text("gen_ai.operation.name").unwrap_or_default()
    }

    /// Whether it is one call of a model.
    pub(in crate::telemetry) fn is_inference(&self) -> bool {
        const OTHER: [&str; 9] = [
            "invoke_agent",
            "execute_tool",
            "invoke_workflow",
            "create_agent",
            "embeddings",
            "compact_events",
            "embedding",
            "rerank",
            "retrieval",
        ];
        let operation = self.operation();
        let request = self.text("llm.request.type").unwrap_or_default();
        if OTHER.contains(&&*operation) || OTHER.contains(&&*request) {
            return false;
        }
        let is_named = matches!(
            &*operation,
            "chat" | "generate_content" | "text_completion" | "completion" | "responses" | "llm_call"
        );
        let kinds = [
            "openinference.span.kind",
            "traceloop.span.kind",
            "langfuse.observation.type",
            "mlflow.spanType",
            "langsmith.span.kind",
            "lmnr.span.type",
        ];
        let kind = self.first_text(&kinds).unwrap_or_default();
        let is_kind =
            matches!(&*kind.trim_matches('"').to_ascii_lowercase(), "llm" | "generation" | "chat_model");
        let has_request = [
            "gcp.vertex.agent.llm_request",
            "llm.request.type",
            "gen_ai.prompt.0.role",
            "gen_ai.prompt.0.content",
            "llm.prompts.0.content",
            "llm.model_name",
        ];
        let is_logged = self.text("request_data").is_some_and(|body| body.contains("\"messages\""));
        is_named
            || is_logged
            || &*self.name == "call_llm"
            || is_kind
            || self.is_of_ai_sdk()
            || has_request.iter().any(|key| self.text(key).is_some_and(|text| &*text != "{}"))
    }

    /// Whether it is a call as Vercel's AI SDK traces it: within a span for all its steps there is one for each.
    fn is_of_ai_sdk(&self) -> bool {
        let operation =
            self.first_text(&["ai.operationId", "operation.name"]).unwrap_or_else(|| self.name.clone());
        let operation = operation.split(' ').next().unwrap_or_default();
        operation.starts_with("ai.")
            && (operation.ends_with(".doGenerate") || operation.ends_with(".doStream"))
    }
}
