//! Why an event, or a part of one, is not in the contents of a request.

use strata_model::EventIndex;

/// Something that did not make it into the contents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Omission {
    pub event: EventIndex,
    /// One part; `None` for the whole event.
    pub part: Option<u16>,
    pub reason: OmissionReason,
}

/// The rule that left something out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum OmissionReason {
    /// Taken back by a rewind.
    Rewound,
    /// Before the turn an agent with `include_contents: none` is in.
    EarlierTurn,
    /// Belongs to another isolation scope.
    OtherScope,
    /// Belongs to another node of the workflow.
    OtherNode,
    /// Happened on a parallel branch this agent does not see.
    OtherBranch,
    /// Nothing in it that a model could read.
    Empty,
    /// One of the runtime's own exchanges: credentials, confirmations.
    Framework,
    /// The system text, which the instruction holds.
    SystemText,
    /// Progress of a tool, which shows its result only.
    ToolProgress,
    /// A summary covers its time.
    Summarised { by: EventIndex },
    /// A summary that a wider one contains.
    SubsumedSummary,
    /// Another agent's event of which nothing is passed on.
    NothingToQuote,
    /// A response without a call.
    OrphanResponse,
    /// A response that a later one replaced.
    SupersededResponse,
    /// Came between a call and its late result, which is the last event.
    WhileWaiting,
    /// A reply made while a call was still running, outdated by its result.
    StaleReply,
    /// A call without a response.
    UnansweredCall,
}

impl OmissionReason {
    /// What a person is told.
    pub fn explanation(self) -> String {
        match self {
            Self::Rewound => "taken back by a rewind".into(),
            Self::EarlierTurn => "before the current turn: include_contents is none".into(),
            Self::OtherScope => "belongs to another isolation scope".into(),
            Self::OtherNode => "belongs to another node of the workflow".into(),
            Self::OtherBranch => "happened on a branch this agent does not see".into(),
            Self::Empty => "nothing in it a model could read".into(),
            Self::Framework => "an exchange about credentials or confirmation".into(),
            Self::SystemText => "system text: it stands beside the messages, as the instruction".into(),
            Self::ToolProgress => "progress of a tool: only its result is shown".into(),
            Self::Summarised { by } => format!("hidden: summary E{} covers its time", by.number()),
            Self::SubsumedSummary => "a later summary contains this one".into(),
            Self::NothingToQuote => "another agent's event with nothing to pass on".into(),
            Self::OrphanResponse => "a response without a call".into(),
            Self::SupersededResponse => "replaced by a later response to the same call".into(),
            Self::WhileWaiting => {
                "came while a call was waiting for its result, which is the last event".into()
            }
            Self::StaleReply => "a reply made before the call's final result".into(),
            Self::UnansweredCall => "a call without a response".into(),
        }
    }
}
