//! What kind of thing a token came from.

use strata_engine::EventLog;
use strata_model::{Event, Origin, Part, RequestContent, RequestPart};
use strata_wire::{Item, Segment};

/// Where a token came from, in the order in which kinds are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Kind {
    Tools,
    System,
    /// Memories and contents of artifacts.
    Memory,
    Summary,
    User,
    /// Text, thoughts and tool calls of a model.
    Model,
    /// Tool results.
    Result,
}

impl Kind {
    pub const ALL: [Self; 7] =
        [Self::Tools, Self::System, Self::Memory, Self::Summary, Self::User, Self::Model, Self::Result];

    pub fn name(self) -> &'static str {
        match self {
            Self::Tools => "tools",
            Self::System => "system",
            Self::Memory => "memory",
            Self::Summary => "summary",
            Self::User => "user",
            Self::Model => "model",
            Self::Result => "result",
        }
    }

    /// The kind of a segment of a prompt compiled from `log`.
    pub fn of(segment: &Segment<'_>, log: &EventLog) -> Self {
        match &segment.item {
            Item::Declaration(_) | Item::BuiltInTool { .. } => Self::Tools,
            Item::System(_) | Item::Setting { .. } => {
                segment.main_origin().map_or(Self::System, Self::of_text)
            }
            Item::EmptyContent(_) => Self::Model,
            Item::Part { content, part } => Self::of_request_part(content, part, log),
        }
    }

    pub(super) fn of_request_part(content: &RequestContent, part: &RequestPart, log: &EventLog) -> Self {
        match part.main_origin() {
            Origin::Event { event, part: at } | Origin::Rewritten { event: Some(event), part: at, .. } => {
                match log.get(*event) {
                    Some(logged) => {
                        let stored = logged.event.parts().get(usize::from(*at)).map(|part| &**part);
                        Self::of_event_part(&logged.event, stored)
                    }
                    None => Self::of_part(&part.part, content.is_user()),
                }
            }
            Origin::Run { .. } if is_in_nobodys_name(content.role.as_deref()) => Self::System,
            Origin::Run { .. } => Self::of_part(&part.part, content.is_user()),
            origin => Self::of_text(origin),
        }
    }

    /// The kind of a part as it is stored in an event.
    pub fn of_event_part(event: &Event, part: Option<&Part>) -> Self {
        match part {
            Some(_) if is_in_nobodys_name(event.content.as_ref().and_then(|it| it.role.as_deref())) => {
                Self::System
            }
            Some(part) => Self::of_part(part, event.is_from_user()),
            None if event.is_compaction() => Self::Summary,
            None if event.is_from_user() => Self::User,
            None => Self::Model,
        }
    }

    fn of_part(part: &Part, is_from_user: bool) -> Self {
        if part.function_response.is_some() || part.code_execution_result.is_some() {
            Self::Result
        } else if is_from_user {
            Self::User
        } else {
            Self::Model
        }
    }

    /// The kind of text that no event holds.
    pub(super) fn of_text(origin: &Origin) -> Self {
        match origin {
            Origin::Memory { .. } | Origin::Artifact { .. } => Self::Memory,
            Origin::Summary { .. } => Self::Summary,
            _ => Self::System,
        }
    }
}

/// Whether a role is that of what a client says to the model in the middle of a conversation.
fn is_in_nobodys_name(role: Option<&str>) -> bool {
    role == Some("system")
}

/// Whether a segment is a part that [`is_quoted`].
pub fn is_quotation(segment: &Segment<'_>) -> bool {
    matches!(&segment.item, Item::Part { part, .. } if is_quoted(part))
}

/// Whether a part shows another agent's words, framed by the runtime.
pub fn is_quoted(part: &RequestPart) -> bool {
    let is_event =
        |origin: &Origin| matches!(origin, Origin::Event { .. } | Origin::Rewritten { event: Some(_), .. });
    let is_framing = |origin: &Origin| matches!(origin, Origin::Processor { .. } | Origin::Agent { .. });
    let origins = part.origins();
    origins.iter().any(|(_, origin)| is_event(origin)) && origins.iter().any(|(_, origin)| is_framing(origin))
}
