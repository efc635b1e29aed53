//! Where the bytes of a request come from.

use crate::{FingerprintBuilder, Str};

/// The place of an event in its session, counted from 0. People see it as E1, E2, ….
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EventIndex(pub u32);

impl EventIndex {
    pub fn as_usize(self) -> usize {
        self.0 as usize
    }

    /// The number people see: E1 is the first event.
    pub fn number(self) -> u32 {
        self.0 + 1
    }
}

/// Why some bytes are in a request: their one source. It is carried from the source to the wire, never guessed.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Origin {
    /// A part of an event's own content.
    Event { event: EventIndex, part: u16 },
    /// A part of the summary that a compaction event carries.
    Summary { event: EventIndex, part: u16 },
    /// The text of an instruction in the app's configuration.
    Instruction { agent: Str, kind: InstructionKind },
    /// The value of a state key, filled into a template.
    State { key: Str },
    /// The content of an artifact.
    Artifact { name: Str },
    /// A memory that was found, by its rank.
    Memory { rank: u16 },
    /// The declaration of a tool, or text a tool adds to every request.
    Tool { name: Str },
    /// Something an agent's configuration says about the agent.
    Agent { name: Str, field: AgentField },
    /// What the run was started with: its configuration, or the user's message where it is repeated.
    Run { field: Str },
    /// The runtime's own words, written by this processor.
    Processor { name: Str },
    /// Text written by a plugin or a callback.
    Extension { name: Str },
    /// What a processor of an experiment, or a script, made of something, or added: of a part of an event where that
    /// is known.
    Rewritten { by: Str, event: Option<EventIndex>, part: u16 },
}

/// Which of an agent's instructions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum InstructionKind {
    Global,
    Static,
    Dynamic,
}

/// Which field of an agent's configuration.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AgentField {
    Name,
    Description,
    Model,
    GenerateContentConfig,
    OutputSchema,
    Planner,
}

impl Origin {
    pub fn processor(name: &'static str) -> Self {
        Self::Processor { name: name.into() }
    }

    /// The event the bytes come from, if they come from one.
    pub fn event(&self) -> Option<EventIndex> {
        match self {
            Self::Event { event, .. } | Self::Summary { event, .. } => Some(*event),
            Self::Rewritten { event, .. } => *event,
            _ => None,
        }
    }

    /// What `by` made of this.
    #[must_use]
    pub fn rewritten(&self, by: &Str) -> Self {
        let part = match self {
            Self::Event { part, .. } | Self::Summary { part, .. } | Self::Rewritten { part, .. } => *part,
            _ => 0,
        };
        Self::Rewritten { by: by.clone(), event: self.event(), part }
    }

    pub fn hash_into(&self, hash: &mut FingerprintBuilder) {
        match self {
            Self::Event { event, part } => hash.number(1).number(event.0.into()).number((*part).into()),
            Self::Summary { event, part } => hash.number(2).number(event.0.into()).number((*part).into()),
            Self::Instruction { agent, kind } => hash.number(3).text(agent).number(*kind as u64),
            Self::State { key } => hash.number(4).text(key),
            Self::Artifact { name } => hash.number(5).text(name),
            Self::Memory { rank } => hash.number(6).number((*rank).into()),
            Self::Tool { name } => hash.number(7).text(name),
            Self::Agent { name, field } => hash.number(8).text(name).number(*field as u64),
            Self::Run { field } => hash.number(9).text(field),
            Self::Processor { name } => hash.number(10).text(name),
            Self::Extension { name } => hash.number(11).text(name),
            Self::Rewritten { by, event, part } => {
                let event = event.map_or(u64::MAX, |event| event.0.into());
                hash.number(12).text(by).number(event).number((*part).into())
            }
        };
    }
}
