//! What an event did besides speaking.

use crate::decode::{always_written, record};
use crate::{Content, Json, Object, Str};

record! {
    /// Side effects of an event.
    EventActions: "event actions" {
        skip_summarization: Option<bool> = "skipSummarization",
        state_delta: Object = "stateDelta",
        /// File name to the version that was saved.
        artifact_delta: Object = "artifactDelta",
        transfer_to_agent: Option<Str> = "transferToAgent",
        transfer_reason: Option<Str> = "transferReason",
        escalate: Option<bool> = "escalate",
        requested_auth_configs: Object = "requestedAuthConfigs",
        /// Function call id to `{hint, confirmed, payload}`.
        requested_tool_confirmations: Object = "requestedToolConfirmations",
        compaction: Option<EventCompaction> = "compaction",
        end_of_agent: Option<bool> = "endOfAgent",
        agent_state: Option<Object> = "agentState",
        rewind_before_invocation_id: Option<Str> = "rewindBeforeInvocationId",
        route: Option<Json> = "route",
        set_model_response: Option<Json> = "setModelResponse",
    }
    passes { "renderUiWidgets": 2, }
    order &[
        "skipSummarization",
        "stateDelta",
        "artifactDelta",
        "transferToAgent",
        "transferReason",
        "escalate",
        "requestedAuthConfigs",
        "requestedToolConfirmations",
        "compaction",
        "endOfAgent",
        "agentState",
        "rewindBeforeInvocationId",
        "route",
        "renderUiWidgets",
        "setModelResponse",
    ];
}

always_written!(EventActions);

record! {
    /// A summary that stands for the events of a span of time.
    EventCompaction: "a compaction" {
        /// Epoch seconds of the first event summarised.
        start_timestamp: Option<f64> = "startTimestamp",
        /// Epoch seconds of the last event summarised, inclusive.
        end_timestamp: Option<f64> = "endTimestamp",
        compacted_content: Option<Content> = "compactedContent",
    }
}
