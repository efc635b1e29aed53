//! An event on its way into the contents.

use std::sync::Arc;

use strata_model::{FunctionCall, FunctionResponse, RequestContent, RequestPart};

use crate::event_log::LoggedEvent;

/// An event on its way into the contents: what it will say, and as whom.
#[derive(Clone)]
pub(super) struct Item<'e> {
    pub source: &'e LoggedEvent,
    pub content: Option<Arc<RequestContent>>,
    pub role: ItemRole,
}

/// In what capacity an event is shown.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ItemRole {
    /// As it was said.
    Plain,
    /// As the summary it carries, which the agent reads as its own words.
    Summary,
    /// As a quotation: it has lost its author, run and side effects.
    Quoted,
}

impl<'e> Item<'e> {
    pub(super) fn plain(source: &'e LoggedEvent) -> Self {
        Self { source, content: source.own_content().cloned(), role: ItemRole::Plain }
    }

    /// The same event saying something else.
    #[must_use]
    pub(super) fn with_parts(&self, parts: Vec<RequestPart>) -> Self {
        let role = self.content.as_ref().and_then(|content| content.role.clone());
        Self { content: Some(Arc::new(RequestContent::new(role, parts))), ..self.clone() }
    }

    pub(super) fn parts(&self) -> &[RequestPart] {
        self.content.as_ref().map_or(&[], |content| &content.parts)
    }

    pub(super) fn calls(&self) -> impl Iterator<Item = &FunctionCall> {
        self.parts().iter().filter_map(|part| part.part.function_call.as_deref())
    }

    pub(super) fn responses(&self) -> impl Iterator<Item = &FunctionResponse> {
        self.parts().iter().filter_map(|part| part.part.function_response.as_deref())
    }

    pub(super) fn has_calls(&self) -> bool {
        self.calls().next().is_some()
    }

    pub(super) fn has_responses(&self) -> bool {
        self.responses().next().is_some()
    }

    /// `None` for a quotation, which ADK shows without its run.
    pub(super) fn invocation_id(&self) -> &str {
        if self.role == ItemRole::Quoted { "" } else { &self.source.event.invocation_id }
    }

    pub(super) fn author<'a>(&'a self, agent_name: &'a str) -> &'a str {
        match self.role {
            ItemRole::Plain => &self.source.event.author,
            ItemRole::Summary if agent_name.is_empty() => "model",
            ItemRole::Summary => agent_name,
            ItemRole::Quoted => "user",
        }
    }
}

/// An id as ADK tells ids apart: an empty one counts as none.
pub(super) fn truthy(id: Option<&str>) -> Option<&str> {
    id.filter(|id| !id.is_empty())
}
