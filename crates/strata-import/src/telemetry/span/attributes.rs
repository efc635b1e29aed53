//! Attributes of a call that no reader looks at.

use super::recorded::Span;
use crate::draft::Draft;

/// Attributes that are read, or beginnings of their names.
const READ: [&str; 56] = [
    "agent.name",
    "agent_name",
    "ai.finishReason",
    "ai.model.id",
    "ai.operationId",
    "ai.prompt",
    "ai.response.",
    "ai.result.",
    "ai.telemetry.metadata.sessionId",
    "ai.telemetry.metadata.threadId",
    "ai.usage.",
    "all_messages_events",
    "conversation.id",
    "event.name",
    "gcp.vertex.agent.event_id",
    "gcp.vertex.agent.invocation_id",
    "gcp.vertex.agent.llm_re",
    "gcp.vertex.agent.session_id",
    "gen_ai.agent.name",
    "gen_ai.completion",
    "gen_ai.conversation.id",
    "gen_ai.input.messages",
    "gen_ai.operation.name",
    "gen_ai.output.messages",
    "gen_ai.prompt",
    "gen_ai.request.functions",
    "gen_ai.request.model",
    "gen_ai.response.finish_reasons",
    "gen_ai.response.id",
    "gen_ai.response.model",
    "gen_ai.system_instructions",
    "gen_ai.tool.definitions",
    "gen_ai.usage.",
    "input.value",
    "langfuse.",
    "langsmith.metadata.thread_id",
    "langsmith.span.kind",
    "llm.",
    "lmnr.span.type",
    "mlflow.",
    "model",
    "model_name",
    "openinference.span.kind",
    "operation.name",
    "output.value",
    "prompt.id",
    "prompt_id",
    "pydantic_ai.all_messages",
    "request_data",
    "request_id",
    "response_data",
    "session.id",
    "subagent_name",
    "traceloop.association.properties.session_id",
    "traceloop.span.kind",
    "user_prompt_id",
];

pub(super) fn note_unread(span: &Span, draft: &mut Draft) {
    let unread = |key: &str| !READ.iter().any(|read| key.starts_with(read));
    for (key, value) in span.attributes.iter().filter(|(key, _)| unread(key)) {
        draft.unmapped.field("span.attributes", key, value);
    }
}
