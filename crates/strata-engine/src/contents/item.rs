//! An event on its way into the contents.

use std::sync::Arc;

use strata_model::{FunctionCall, FunctionResponse, Part, RequestContent, RequestPart};

use crate::log::LoggedEvent;

/// An event on its way into the contents: what it will say, and as whom.
#[derive(Clone)]
pub(super) struct Item<'e> {
    pub source: &'e LoggedEvent,
    pub words: Words,
    pub role: ItemRole,
}

/// What an event will say.
#[derive(Clone)]
pub(super) enum Words {
    /// What it says itself.
    Own,
    Other(Option<Arc<RequestContent>>),
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
        Self { source, words: Words::Own, role: ItemRole::Plain }
    }

    /// The same event saying something else.
    #[must_use]
    pub(super) fn saying(&self, content: RequestContent) -> Self {
        Self { words: Words::Other(Some(Arc::new(content))), ..self.clone() }
    }

    /// The same event with other parts.
    #[must_use]
    pub(super) fn with_parts(&self, parts: Vec<RequestPart>) -> Self {
        let role = self.content().and_then(|content| content.role.clone());
        self.saying(RequestContent::new(role, parts))
    }

    pub(super) fn content(&self) -> Option<&Arc<RequestContent>> {
        match &self.words {
            Words::Own => self.source.own_content(),
            Words::Other(content) => content.as_ref(),
        }
    }

    pub(super) fn has_content(&self) -> bool {
        match &self.words {
            Words::Own => self.source.event.content.is_some(),
            Words::Other(content) => content.is_some(),
        }
    }

    pub(super) fn parts(&self) -> &[RequestPart] {
        self.content().map_or(&[], |content| &content.parts)
    }

    /// The parts without their sources, which costs nothing for what an event says itself.
    fn bare_parts(&self) -> impl Iterator<Item = &Part> {
        let (own, other) = match &self.words {
            Words::Own => (self.source.event.parts(), &[][..]),
            Words::Other(content) => (&[][..], content.as_ref().map_or(&[][..], |content| &content.parts)),
        };
        own.iter().map(|part| &**part).chain(other.iter().map(|part| &*part.part))
    }

    pub(super) fn is_blank(&self) -> bool {
        self.bare_parts().next().is_none()
    }

    pub(super) fn calls(&self) -> impl Iterator<Item = &FunctionCall> {
        self.bare_parts().filter_map(|part| part.function_call.as_deref())
    }

    pub(super) fn responses(&self) -> impl Iterator<Item = &FunctionResponse> {
        self.bare_parts().filter_map(|part| part.function_response.as_deref())
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
