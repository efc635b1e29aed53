//! What gives away traces, exports and traffic with model providers.

use super::Keys;
use crate::format::Format;
use crate::traffic::vcr;

/// Lists of messages in data sets.
const TALKS: [&str; 5] = ["conversations", "conversation", "chosen", "prompt", "dialog"];

/// Members that tell a body of a request or an answer.
const BODIES: [&str; 7] = ["messages", "contents", "choices", "candidates", "input", "output", "stop_reason"];

impl Keys<'_> {
    /// What observability tools export.
    pub(super) fn telemetry(&self) -> Option<Format> {
        if self.is_otlp() {
            Some(Format::Otlp)
        } else if self.has("_spanContext") || self.has_all(&["hrTime", "attributes"]) {
            Some(Format::GeminiTelemetry)
        } else if self.inner("log").is_some_and(|log| log.has("entries")) {
            Some(Format::Har)
        } else if self.is_langfuse() {
            Some(Format::Langfuse)
        } else if vcr::LISTS.iter().any(|list| self.first_of(list).is_some_and(|it| it.has("request"))) {
            Some(Format::Vcr)
        } else if self.has("litellm_call_id") || self.has_all(&["call_type", "custom_llm_provider"]) {
            Some(Format::LiteLlm)
        } else if self.first_of("runs").is_some_and(|run| run.has("run_type"))
            || self.has_all(&["run_type", "trace_id"])
            || self.has_all(&["run_type", "inputs"])
            || (self.has_all(&["method", "path", "body"]) && !self.has("m"))
        {
            Some(Format::LangSmith)
        } else if self.has_all(&["name", "trace_id", "span_id"]) || self.has("gcp.vertex.agent.event_id") {
            Some(Format::AdkTrace)
        } else {
            None
        }
    }

    fn is_otlp(&self) -> bool {
        let is_export = self.has_any(&["resourceSpans", "resourceLogs", "resource_spans", "resource_logs"]);
        // What Tempo and Jaeger give out.
        let is_wrapped = self.inner("trace").is_some_and(|trace| trace.has("resourceSpans"))
            || self.first_of("batches").is_some_and(|batch| batch.has("resource"))
            || self.has_all(&["traceID", "spans"])
            || self.first_of("data").is_some_and(|trace| trace.has_all(&["traceID", "spans"]));
        // What the console exporters of SDKs print.
        let is_printed =
            self.inner("context").is_some_and(|context| context.has_all(&["trace_id", "span_id"]))
                || (self.has_all(&["body", "trace_id", "span_id"])
                    && self.has_any(&["severity_number", "severity_text", "observed_timestamp"]));
        is_export || is_wrapped || is_printed
    }

    fn is_langfuse(&self) -> bool {
        let is_trace =
            self.has("observations") && self.has_any(&["trace", "timestamp", "sessionId", "htmlPath"]);
        let is_list = ["data", "batch"].iter().any(|list| {
            self.first_of(list).is_some_and(|it| it.is_langfuse() || it.text("type").ends_with("-create"))
        });
        is_trace || is_list || self.is_observation()
    }

    fn is_observation(&self) -> bool {
        let kind = self.text("type");
        let is_kind = !kind.is_empty() && kind.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_');
        is_kind && self.has_any(&["traceId", "trace_id"]) && self.has_any(&["startTime", "start_time"])
    }

    /// A message of a framework, or in the spelling of data sets.
    pub(super) fn is_foreign_message(&self) -> bool {
        let is_of_langchain = matches!(self.text("type"), "human" | "ai" | "system" | "tool" | "chat")
            && self.has_any(&["data", "content"]);
        is_of_langchain || self.has_all(&["lc", "kwargs"]) || self.has_all(&["from", "value"])
    }

    /// A message that stands by itself, as in a log with one a line.
    fn is_talk(&self) -> bool {
        self.is_foreign_message() || (self.has("role") && self.has_any(&["content", "tool_calls", "parts"]))
    }

    fn is_message(&self) -> bool {
        self.is_foreign_message() || self.has("role")
    }

    /// Requests to model providers and their answers.
    pub(super) fn provider_traffic(&self) -> Option<Format> {
        // A prompt for a model that is named is a request.
        let talks = TALKS.iter().filter(|list| **list != "prompt" || !self.has("model"));
        let mut firsts = talks.filter_map(|list| self.first_of(list));
        let is_talk = firsts.any(|first| first.is_message());
        if is_talk
            || self.inner("input").is_some_and(|input| input.has("messages")) && self.has("preferred_output")
        {
            return Some(Format::Messages);
        }
        let is_request = self.has_any(&["systemInstruction", "system_instruction", "candidates", "choices"])
            || self.has("contents")
            || self.has_all(&["content", "stop_reason"])
            || self.has_all(&["messages", "max_tokens"])
            || self.has_all(&["input", "model"])
            || self.has_all(&["output", "status"])
            || self.has_all(&["output", "stopReason"])
            || self.has_all(&["messages", "model"])
            || self.has_all(&["messages", "modelId"])
            || self.has_all(&["prompt", "model"])
            || self.has_all(&["message", "done"])
            || self.has_all(&["messages", "kwargs"])
            || self.has_all(&["messages", "response"]);
        if is_request || self.is_pair() || self.is_piece() || self.has_all(&["m", "path", "body"]) {
            Some(Format::ProviderLog)
        } else if self.has("messages") || self.is_talk() {
            Some(Format::Messages)
        } else {
            None
        }
    }

    /// A request and its answer, or one of them, with what a logger wrote around it.
    fn is_pair(&self) -> bool {
        let holds = |keys: &[&str], inner: &[&str]| {
            keys.iter().any(|key| self.inner(key).is_some_and(|it| it.has_any(inner)))
        };
        holds(&["request", "req"], &["url", "uri", "body", "method", "messages", "contents", "input", "json"])
            || holds(&["response", "res"], &["candidates", "choices", "body", "output", "content"])
            || self.has_any(&[
                "request_body",
                "requestBody",
                "full_request",
                "request_payload",
                "response_body",
            ])
            || (self.has("modelId") && (self.has("input") || self.has("output")))
            || (self.has("custom_id") && self.has_any(&["body", "params", "response", "result"]))
            || self.first_of("requests").is_some_and(|it| it.has_any(&["custom_id", "params", "request"]))
            || holds(&["body", "data", "payload"], &BODIES)
            || (self.has_any(&["url", "uri", "method", "status", "direction"])
                && BODIES.iter().any(|key| self.text("body").contains(&format!("\"{key}\""))))
    }

    /// A piece of a streamed answer.
    fn is_piece(&self) -> bool {
        let kind = self.text("type");
        matches!(kind, "message_start" | "content_block_start" | "content_block_delta" | "message_delta")
            || (kind.starts_with("response.") && self.has_any(&["response", "sequence_number", "delta"]))
            || self.has("messageStart")
    }
}
