//! One entry of a session's history.

use std::sync::Arc;

use crate::actions::EventActions;
use crate::content::Content;
use crate::decode::{always_written, record};
use crate::usage::{CacheMetadata, Usage};
use crate::{Json, NodePath, Object, Str};

const EVENT_FIELDS: &[&str] = &[
    "modelVersion",
    "content",
    "groundingMetadata",
    "partial",
    "turnComplete",
    "turnCompleteReason",
    "interactionStatus",
    "finishReason",
    "errorCode",
    "errorMessage",
    "interrupted",
    "customMetadata",
    "usageMetadata",
    "liveSessionResumptionUpdate",
    "liveSessionId",
    "goAway",
    "voiceActivity",
    "inputTranscription",
    "outputTranscription",
    "avgLogprobs",
    "logprobsResult",
    "cacheMetadata",
    "citationMetadata",
    "interactionId",
    "environmentId",
    "invocationId",
    "author",
    "actions",
    "output",
    "nodeInfo",
    "longRunningToolIds",
    "branch",
    "isolationScope",
    "id",
    "timestamp",
];

record! {
    /// One entry of a session's history: something said, done, decided or measured.
    Event: "an event object" {
        model_version: Option<Str> = "modelVersion",
        content: Option<Arc<Content>> = "content",
        partial: Option<bool> = "partial",
        finish_reason: Option<Str> = "finishReason",
        error_code: Option<Str> = "errorCode",
        error_message: Option<Str> = "errorMessage",
        custom_metadata: Option<Object> = "customMetadata",
        usage_metadata: Option<Box<Usage>> = "usageMetadata",
        /// Not empty for live sessions, where every author but the user counts as another agent.
        live_session_id: Option<Str> = "liveSessionId",
        input_transcription: Option<Box<Transcription>> = "inputTranscription",
        output_transcription: Option<Box<Transcription>> = "outputTranscription",
        cache_metadata: Option<Box<CacheMetadata>> = "cacheMetadata",
        interaction_id: Option<Str> = "interactionId",
        invocation_id: Str = "invocationId",
        /// `user`, or the name of an agent.
        author: Str = "author",
        actions: EventActions = "actions",
        output: Option<Json> = "output",
        node_info: NodeInfo = "nodeInfo",
        /// Ids of the calls whose answers arrive later.
        long_running_tool_ids: Option<Vec<Str>> = "longRunningToolIds",
        /// Dot path of parallel work; absent outside of it.
        branch: Option<Str> = "branch",
        isolation_scope: Option<Str> = "isolationScope",
        id: Str = "id",
        /// Epoch seconds.
        timestamp: f64 = "timestamp",
    }
    passes {
        "groundingMetadata": 8,
        "turnComplete": 0,
        "turnCompleteReason": 0,
        "interactionStatus": 0,
        "interrupted": 0,
        "liveSessionResumptionUpdate": 2,
        "goAway": 2,
        "voiceActivity": 2,
        "avgLogprobs": 0,
        "logprobsResult": 6,
        "citationMetadata": 4,
        "environmentId": 0,
    }
    order EVENT_FIELDS;
}

impl Event {
    pub fn is_from_user(&self) -> bool {
        &*self.author == "user"
    }

    pub fn parts(&self) -> &[Arc<crate::Part>] {
        self.content.as_ref().map_or(&[], |content| content.parts())
    }

    pub fn function_calls(&self) -> impl Iterator<Item = &crate::FunctionCall> {
        self.parts().iter().filter_map(|part| part.function_call.as_deref())
    }

    pub fn function_responses(&self) -> impl Iterator<Item = &crate::FunctionResponse> {
        self.parts().iter().filter_map(|part| part.function_response.as_deref())
    }

    pub fn is_compaction(&self) -> bool {
        self.actions.compaction.is_some()
    }

    pub fn has_long_running(&self, call_id: &str) -> bool {
        self.long_running_tool_ids.iter().flatten().any(|id| **id == *call_id)
    }
}

record! {
    /// Where in a workflow an event came from.
    NodeInfo: "node information" {
        path: NodePath = "path",
        output_for: Option<Vec<Str>> = "outputFor",
        message_as_output: Option<bool> = "messageAsOutput",
    }
}

always_written!(NodeInfo);

record! {
    /// Speech as text, from live sessions.
    Transcription: "a transcription" {
        text: Option<Str> = "text",
    }
    passes { "finished": 0, "languageCode": 0, "speakerLabel": 0, "words": 2, "startOffset": 0, "endOffset": 0, }
}
