//! An event with what is known about it, whoever looks at it.
//!
//! Hundreds of calls read the same events. What does not depend on the call is worked out once per event: facts for
//! quick decisions, the content as the event's own agent sees it, and the content as other agents see it.

use std::sync::{Arc, OnceLock};

use bitflags::bitflags;
use strata_model::{
    Content, Event, EventIndex, FromJson as _, Origin, Part, RequestContent, RequestPart, json, marks, python,
};

use crate::adk_text::{REQUEST_CONFIRMATION, REQUEST_CREDENTIAL};
use crate::genai;
use crate::quotation::{QuotationForm, quote_agent};

bitflags! {
    /// What is true of an event whoever looks at it.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct Facts: u16 {
        const FROM_USER = 1;
        const HAS_CALLS = 1 << 1;
        const HAS_RESPONSES = 1 << 2;
        const COMPACTION = 1 << 3;
        const REWIND = 1 << 4;
        /// Nothing a model could read.
        const EMPTY = 1 << 5;
        /// Nothing a model could read even if it were shown thoughts.
        const EMPTY_WITH_THOUGHTS = 1 << 6;
        /// Carries one of the runtime's own calls: credentials, confirmations.
        const FRAMEWORK = 1 << 7;
        /// Hands over to another agent.
        const TRANSFER = 1 << 8;
        /// Spoken in a live session.
        const LIVE = 1 << 9;
        /// No content, but speech as text.
        const TRANSCRIPT = 1 << 10;
        /// Carries calls or responses with ids the client made up.
        const CLIENT_IDS = 1 << 11;
        /// An experiment keeps it in histories, whatever would take it out.
        const PINNED = 1 << 12;
        /// Says the system text, which is no message.
        const SYSTEM_TEXT = 1 << 13;
    }
}

/// Ids the runtime makes up for calls that came without one.
pub(crate) const CLIENT_ID_PREFIX: &str = "adk-";

const FRAMEWORK_CALLS: [&str; 3] = ["adk_framework", REQUEST_CREDENTIAL, REQUEST_CONFIRMATION];

/// An event with what is known about it.
#[derive(Debug, Clone)]
pub struct LoggedEvent {
    pub event: Arc<Event>,
    pub facts: Facts,
    /// Its place in the session; absent for events that exist only while a request is compiled.
    pub index: Option<EventIndex>,
    own: OnceLock<Option<Arc<RequestContent>>>,
    own_without_ids: OnceLock<Option<Arc<RequestContent>>>,
    /// Fenced without and with thoughts, and bare.
    foreign: [OnceLock<Option<Arc<RequestContent>>>; 3],
    content_size: OnceLock<usize>,
}

impl LoggedEvent {
    pub fn new(event: Arc<Event>, index: Option<EventIndex>) -> Self {
        let facts = facts(&event);
        Self {
            event,
            facts,
            index,
            own: OnceLock::new(),
            own_without_ids: OnceLock::new(),
            foreign: Default::default(),
            content_size: OnceLock::new(),
        }
    }

    /// The same with an event that differs in nothing but what was measured of its call.
    pub(crate) fn with_event(&self, event: Arc<Event>) -> Self {
        Self { event, ..self.clone() }
    }

    pub fn is(&self, facts: Facts) -> bool {
        self.facts.contains(facts)
    }

    /// Whether it belongs to the history: it is what a summary can stand for. The system text of a recorded request is
    /// none of it, since requests go on holding that beside their messages; nor is a summary.
    pub fn is_of_history(&self) -> bool {
        !self.facts.intersects(Facts::COMPACTION.union(Facts::SYSTEM_TEXT))
    }

    /// The source of the event's part at `part`.
    pub fn origin(&self, part: usize) -> Origin {
        match self.index {
            Some(event) => Origin::Event { event, part: part as u16 },
            None => Origin::Run { field: "input".into() },
        }
    }

    /// The content as the event's own agent sends it.
    pub fn own_content(&self) -> Option<&Arc<RequestContent>> {
        let content = self.own.get_or_init(|| {
            let content = self.event.content.as_ref()?;
            Some(Arc::new(RequestContent::from_content(content, |part| self.origin(part))))
        });
        content.as_ref()
    }

    /// As [`Self::own_content`], without the ids the client made up.
    pub fn own_content_without_ids(&self) -> Option<&Arc<RequestContent>> {
        if !self.is(Facts::CLIENT_IDS) {
            return self.own_content();
        }
        let content =
            self.own_without_ids.get_or_init(|| Some(Arc::new(without_client_ids(self.own_content()?))));
        content.as_ref()
    }

    /// The content as another agent is told of it; absent when nothing of it is passed on.
    pub fn foreign_content(&self, form: QuotationForm) -> Option<&Arc<RequestContent>> {
        let place = match form {
            QuotationForm::Fenced { include_thoughts } => usize::from(include_thoughts),
            QuotationForm::Bare => 2,
        };
        let content = self.foreign[place].get_or_init(|| {
            let parts = self.event.parts().iter().enumerate().map(|(at, part)| (part, self.origin(at)));
            quote_agent(&self.event.author, parts, form).map(Arc::new)
        });
        content.as_ref()
    }

    /// Characters of what the event contributes to a prompt as compact JSON: its content, or the summary it carries.
    pub fn content_size(&self) -> usize {
        *self.content_size.get_or_init(|| {
            let summary = self
                .event
                .actions
                .compaction
                .as_ref()
                .and_then(|compaction| compaction.compacted_content.as_ref());
            let content = summary.or(self.event.content.as_deref());
            let dump = |content: &Content| genai::snake(&content.to_json(), &genai::CONTENT);
            content.map_or(0, |content| python::len(&json::to_compact(&dump(content))))
        })
    }
}

/// The content without the ids of calls and responses that the client made up.
pub(crate) fn without_client_ids(content: &RequestContent) -> RequestContent {
    if !content.parts.iter().any(|part| has_client_id(&part.part)) {
        return content.clone();
    }
    let strip = |part: &RequestPart| -> RequestPart {
        if !has_client_id(&part.part) {
            return part.clone();
        }
        let mut stripped = Part::clone(&part.part);
        if let Some(call) = &mut stripped.function_call {
            call.id = call.id.take().filter(|id| !id.starts_with(CLIENT_ID_PREFIX));
        }
        if let Some(response) = &mut stripped.function_response {
            response.id = response.id.take().filter(|id| !id.starts_with(CLIENT_ID_PREFIX));
        }
        part.with_part(stripped)
    };
    RequestContent::new(content.role.clone(), content.parts.iter().map(strip).collect())
}

fn has_client_id(part: &Part) -> bool {
    let call = part.function_call.as_ref().and_then(|call| call.id.as_ref());
    let response = part.function_response.as_ref().and_then(|response| response.id.as_ref());
    call.into_iter().chain(response).any(|id| id.starts_with(CLIENT_ID_PREFIX))
}

fn facts(event: &Event) -> Facts {
    let mut facts = Facts::empty();
    facts.set(Facts::FROM_USER, event.is_from_user());
    facts.set(Facts::COMPACTION, event.is_compaction());
    let rewind = event.actions.rewind_before_invocation_id.as_deref();
    facts.set(Facts::REWIND, rewind.is_some_and(|id| !id.is_empty()));
    facts.set(Facts::SYSTEM_TEXT, marks::has(event, marks::SYSTEM_TEXT));
    facts.set(Facts::LIVE, event.live_session_id.as_deref().is_some_and(|id| !id.is_empty()));
    facts.set(
        Facts::TRANSFER,
        event.actions.transfer_to_agent.as_deref().is_some_and(|name| !name.is_empty()),
    );
    for part in event.parts() {
        let call = part.function_call.as_deref();
        let response = part.function_response.as_deref();
        facts.set(Facts::HAS_CALLS, facts.contains(Facts::HAS_CALLS) || call.is_some());
        facts.set(Facts::HAS_RESPONSES, facts.contains(Facts::HAS_RESPONSES) || response.is_some());
        let call_name = call.and_then(|call| call.name.as_deref());
        let response_name = response.and_then(|response| response.name.as_deref());
        if [call_name, response_name].into_iter().flatten().any(|name| FRAMEWORK_CALLS.contains(&name)) {
            facts |= Facts::FRAMEWORK;
        }
        if call_name == Some("transfer_to_agent") {
            facts |= Facts::TRANSFER;
        }
        if has_client_id(part) {
            facts |= Facts::CLIENT_IDS;
        }
    }
    let has_transcript = event.input_transcription.is_some() || event.output_transcription.is_some();
    facts.set(Facts::TRANSCRIPT, event.content.is_none() && has_transcript);
    if !event.is_compaction() && !has_transcript {
        let has_role = event
            .content
            .as_ref()
            .and_then(|content| content.role.as_deref())
            .is_some_and(|role| !role.is_empty());
        let is_empty =
            |with_thoughts| !has_role || event.parts().iter().all(|part| is_invisible(part, with_thoughts));
        facts.set(Facts::EMPTY, is_empty(false));
        facts.set(Facts::EMPTY_WITH_THOUGHTS, is_empty(true));
    }
    facts
}

/// Whether a part alone would not bring its event into a request (`ADK.md` 3.5).
fn is_invisible(part: &Part, with_thoughts: bool) -> bool {
    let must_be_sent = part.function_call.is_some()
        || part.function_response.is_some()
        || part.thought_signature.as_ref().is_some_and(|signature| !signature.is_empty())
        || part.has_server_tool();
    if must_be_sent {
        return false;
    }
    let has_something = part.text.as_ref().is_some_and(|text| !text.is_empty())
        || part.inline_data.is_some()
        || part.file_data.is_some()
        || part.executable_code.is_some()
        || part.code_execution_result.is_some();
    (part.is_thought() && !with_thoughts) || !has_something
}
