//! Traces and exports of observability tools, and checkpoints of frameworks.

pub(crate) mod adk_trace;
pub(crate) mod braintrust;
pub(crate) mod gemini_telemetry;
pub(crate) mod langfuse;
pub(crate) mod langgraph;
pub(crate) mod langsmith;
pub(crate) mod mlflow;
pub(crate) mod otlp;
pub(crate) mod phoenix;
mod span;
