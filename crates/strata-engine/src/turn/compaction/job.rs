//! The work of writing a summary.

use std::sync::Arc;

use strata_model::app::EventsCompactionConfig;
use strata_model::{Event, Str};

use super::format::PromptError;
use super::summarizer::summarizer_prompt;
use super::window::{Trigger, Window};
use crate::answers::ModelAnswer;
use crate::app_index::{AgentId, AppIndex};
use crate::error::{CompileError, ErrorKind};

/// A summary that a model is to write.
#[derive(Debug, Clone)]
pub struct SummaryJob {
    pub trigger: Trigger,
    /// The previous summary as an event of the model's: summarised again, before the others.
    pub seed: Option<Arc<Event>>,
    pub events: Vec<Arc<Event>>,
    /// Name of the model that is asked.
    pub model: Str,
    /// The one user message it is sent; a template that cannot be filled asks nothing.
    pub prompt: Result<String, PromptError>,
    /// The event to store, still without what the model says.
    event: Event,
}

impl SummaryJob {
    pub fn new(
        window: &Window<'_>,
        config: &EventsCompactionConfig,
        model: Str,
        isolation_scope: Option<&str>,
    ) -> Self {
        Self {
            trigger: window.trigger,
            seed: window.seed_event().map(Arc::new),
            events: window.events.iter().map(|logged| logged.event.clone()).collect(),
            model,
            prompt: summarizer_prompt(window, config),
            event: window.summary_event(isolation_scope),
        }
    }

    /// The event ADK stores for an answer, at `now` in epoch seconds; ids are given by whoever stores it. `None`: the
    /// answer holds nothing, and the history stays as it is.
    pub fn summary(&self, answer: &ModelAnswer, now: f64) -> Option<Event> {
        let mut content = answer.content.clone()?;
        content.role = Some("model".into());
        let mut event = self.event.clone();
        event.actions.compaction.as_mut()?.compacted_content = Some(content);
        event.usage_metadata = answer.usage.clone().map(Box::new);
        event.timestamp = now;
        Some(event)
    }
}

/// The model that writes summaries: the configured one, else that of `agent`, the root after an invocation.
pub fn summarizer_model(index: &AppIndex, agent: Option<AgentId>) -> Result<Str, CompileError> {
    let config = index.app().events_compaction_config.as_ref();
    let configured = config.and_then(|config| config.summarizer.as_ref()?.model.clone());
    let own = || agent.filter(|id| index.agent(*id).is_llm()).map(|id| index.model(id).name.clone());
    configured.or_else(own).ok_or_else(|| {
        CompileError::new(
            ErrorKind::ValueError,
            "No LlmAgent model available for event compaction summarizer.",
            "set events_compaction_config.summarizer, or make the root agent one that calls a model",
        )
    })
}
