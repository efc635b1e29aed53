//! The way from what happened to the end of a prefix.

use std::fmt;

use strata_model::{EventIndex, InstructionKind, Str};

/// One step of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Link {
    /// An event wrote a state key.
    Wrote { event: EventIndex, key: Str, before: String, after: String },
    /// An instruction reads the key.
    Reads { agent: Str, kind: InstructionKind, key: Str },
    /// An event is what the change began with.
    Event { event: EventIndex, did: &'static str },
    /// The stage whose result differs first.
    Stage { processor: Str, did: &'static str },
    /// Where the prefix ends, in tokens of the later prompt.
    Ends { path: String, at_token: u32 },
}

impl fmt::Display for Link {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Wrote { event, key, before, after } => {
                write!(f, "E{} wrote state.{key} {before} → {after}", event.number())
            }
            Self::Reads { agent, kind, key } => {
                let kind = match kind {
                    InstructionKind::Global => "global instruction",
                    InstructionKind::Static => "static instruction",
                    InstructionKind::Dynamic => "instruction",
                };
                write!(f, "the template in {agent}'s {kind} reads {key}")
            }
            Self::Event { event, did } => write!(f, "E{} {did}", event.number()),
            Self::Stage { processor, did } => write!(f, "`{processor}` {did}"),
            Self::Ends { path, at_token } => write!(f, "prefix ends at token {at_token}, in {path}"),
        }
    }
}
