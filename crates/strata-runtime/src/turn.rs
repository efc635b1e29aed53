//! One turn of a session as it is asked for, and who hears of what comes of it.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use strata_engine::turn::EventLimit;
use strata_model::{Content, Event, Object, Str};
use tokio_util::sync::CancellationToken;

use crate::services::SessionKey;

/// How a run goes.
#[derive(Debug, Clone, PartialEq)]
pub struct RunConfig {
    /// More calls of models than this end the run; 0 and below: any number.
    pub max_llm_calls: i64,
    /// Models answer piece by piece.
    pub is_streaming: bool,
    /// Laid under the metadata of every event.
    pub custom_metadata: Object,
    /// The events a run sees; storage keeps all.
    pub event_limit: EventLimit,
    /// Files in a message to a composite root become artifacts.
    pub save_input_blobs_as_artifacts: bool,
    /// What changes requests.
    pub requests: strata_engine::RunConfig,
}

impl Default for RunConfig {
    fn default() -> Self {
        Self {
            max_llm_calls: 500,
            is_streaming: false,
            custom_metadata: Object::new(),
            event_limit: EventLimit::default(),
            save_input_blobs_as_artifacts: false,
            requests: strata_engine::RunConfig::default(),
        }
    }
}

/// What a turn starts with.
#[derive(Debug, Clone)]
pub struct Turn {
    pub key: SessionKey,
    pub message: Option<Content>,
    /// The invocation that goes on. What the message answers goes before it.
    pub invocation_id: Option<Str>,
    /// Changes of the state that come with the message.
    pub state_delta: Object,
    pub config: RunConfig,
    /// The sink receives the user's message, too.
    pub tells_user_message: bool,
    /// Ends the run after the event at hand, and closes what it leaves open.
    pub abort: CancellationToken,
    /// Stops the run where it is. What is stored stays.
    pub cancel: CancellationToken,
}

impl Turn {
    pub fn new(key: SessionKey) -> Self {
        Self {
            key,
            message: None,
            invocation_id: None,
            state_delta: Object::new(),
            config: RunConfig::default(),
            tells_user_message: false,
            abort: CancellationToken::new(),
            cancel: CancellationToken::new(),
        }
    }
}

/// Takes the events of a run.
pub trait EventSink: Send + Sync {
    /// Takes an event. The run goes on when this has returned.
    fn receive(&self, event: Arc<Event>) -> BoxFuture<'_, Reception>;
}

/// Whether more events are wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reception {
    GoOn,
    Stop,
}
