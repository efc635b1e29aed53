//! What a model answers.

use std::sync::Arc;

use crate::Str;
use crate::content::Content;
use crate::decode::record;
use crate::event::{Event, Transcription};
use crate::json::Object;
use crate::usage::{CacheMetadata, Usage};

record! {
    /// One response of a model, whole or a piece of a stream. An event that holds it has the same fields.
    LlmResponse: "a model response" {
        model_version: Option<Str> = "modelVersion",
        content: Option<Arc<Content>> = "content",
        partial: Option<bool> = "partial",
        finish_reason: Option<Str> = "finishReason",
        error_code: Option<Str> = "errorCode",
        error_message: Option<Str> = "errorMessage",
        custom_metadata: Option<Object> = "customMetadata",
        usage_metadata: Option<Box<Usage>> = "usageMetadata",
        live_session_id: Option<Str> = "liveSessionId",
        input_transcription: Option<Box<Transcription>> = "inputTranscription",
        output_transcription: Option<Box<Transcription>> = "outputTranscription",
        cache_metadata: Option<Box<CacheMetadata>> = "cacheMetadata",
        interaction_id: Option<Str> = "interactionId",
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
}

impl LlmResponse {
    /// A response of one text by the model.
    pub fn from_text(text: impl Into<Str>) -> Self {
        let content = Content::new("model", [crate::Part::from_text(text)]);
        Self { content: Some(Arc::new(content)), ..Self::default() }
    }

    /// The response that an event was made of, without the metadata that others have added to it since.
    pub fn of_event(event: &Event) -> Self {
        Self {
            model_version: event.model_version.clone(),
            content: event.content.clone(),
            finish_reason: event.finish_reason.clone(),
            error_code: event.error_code.clone(),
            error_message: event.error_message.clone(),
            usage_metadata: event.usage_metadata.clone(),
            cache_metadata: event.cache_metadata.clone(),
            interaction_id: event.interaction_id.clone(),
            ..Self::default()
        }
    }

    /// Writes every field that is set over the event's own.
    pub fn write_to(&self, event: &mut Event) {
        fn set<T: Clone>(slot: &mut Option<T>, value: Option<&T>) {
            if let Some(value) = value {
                *slot = Some(value.clone());
            }
        }
        set(&mut event.model_version, self.model_version.as_ref());
        set(&mut event.content, self.content.as_ref());
        set(&mut event.partial, self.partial.as_ref());
        set(&mut event.finish_reason, self.finish_reason.as_ref());
        set(&mut event.error_code, self.error_code.as_ref());
        set(&mut event.error_message, self.error_message.as_ref());
        set(&mut event.custom_metadata, self.custom_metadata.as_ref());
        set(&mut event.usage_metadata, self.usage_metadata.as_ref());
        set(&mut event.live_session_id, self.live_session_id.as_ref());
        set(&mut event.input_transcription, self.input_transcription.as_ref());
        set(&mut event.output_transcription, self.output_transcription.as_ref());
        set(&mut event.cache_metadata, self.cache_metadata.as_ref());
        set(&mut event.interaction_id, self.interaction_id.as_ref());
        event.other.update(&self.other);
    }
}
