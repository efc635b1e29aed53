//! The closed set of reasons why less of a prompt is found again than the one before it held.

use strata_model::{EventIndex, Origin, Str};

use crate::analysis::difference::Difference;
use crate::analysis::setting_change::SettingChange;
use crate::analysis::text_change::TextChange;

/// What changed first, or what else kept a provider from finding a prefix again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Cause {
    /// A template was filled with another value.
    State { key: Str, change: TextChange },
    /// Other text of an instruction that no state filled in.
    Instruction { origin: Origin, change: TextChange },
    /// A short block that a client puts before what it tells the model, with a value of its own for each call.
    ClientBlock { change: TextChange },
    /// Tools or the answer schema: what was added, removed or changed, or only the order; and how the first that changed
    /// differs. The system text that stands behind them may differ, too.
    Definitions {
        added: Vec<String>,
        removed: Vec<String>,
        changed: Vec<String>,
        change: Option<TextChange>,
        system: Option<TextChange>,
    },
    /// An agent without a history of its own: its prompt begins at what another agent said last.
    HandOff { begins: Option<EventIndex> },
    /// An agent without a history of its own, in another turn; or another part of the history it may see.
    Scope { begins: Option<EventIndex> },
    /// A summary replaced a part of the history; by an event, where one is recorded for it.
    Compacted { by: Option<EventIndex> },
    /// The conversation was taken back to an earlier place and goes on otherwise; by an event, where one is recorded.
    Rewound { by: Option<EventIndex> },
    /// A filter that keeps the last turns moved on; `first` is now the first event.
    Window { first: Option<EventIndex> },
    /// Contents were cut off at the beginning, wherever a turn began: so many messages, where that is seen, behind so many
    /// that are still sent.
    Truncated { first: Option<EventIndex>, n_messages: u32, n_kept: u32 },
    /// What was sent before stands there with another text.
    Rewritten { origin: Origin, change: TextChange },
    /// Parts that were sent before are left out, and others around them are not. `text` is the beginning of the only one,
    /// where that is a text; else empty.
    LeftOut { what: PartsKind, n_parts: u32, origin: Origin, text: String },
    /// Parts came in before what was sent before; `text` as with those that are left out.
    PutIn { what: PartsKind, n_parts: u32, origin: Origin, text: String },
    /// A conversation that has nothing in common with the one before it.
    OtherConversation,
    /// A tool's result came late: it stands at its call, before what was already sent.
    LateResponse { event: EventIndex },
    /// The list of artifacts in the instruction, or an artifact that was shown for one call.
    Artifacts { origin: Origin },
    /// Memories looked up for the turn.
    Memory,
    /// Text placed before what the user said last, which is another place in every call; whether it is the same text in
    /// both, so that it could stand at the head.
    Placement { origin: Origin, is_same: bool },
    /// Code of the app: a plugin, a callback or a script.
    Script { stage: Str },
    /// A processor that an experiment put in; `kind` as the catalogue calls it.
    Inserted { stage: Str, kind: Str },
    /// The calls before it went to another model; what staying with that would have cost more, in millionths of a US
    /// dollar, where that is known.
    Model { before: Str, after: Str, staying_micros: Option<i64> },
    /// Settings of which the provider says that they empty its cache.
    Parameters { changed: Vec<SettingChange> },
    /// Nothing was sent for longer than the provider keeps a prefix, or was asked to; `longest_s` is the longest that it
    /// can be asked for, where that would not have cost more than it saves.
    Expired { idle_s: u32, lifetime_s: u32, longest_s: Option<u32> },
    /// The prompt was there to be found by all that is known, and the provider reports that it was not.
    Missed { why: Difference },
    /// Other prompts took its place.
    Evicted,
    /// The prompts are too short to be cached.
    BelowMinimum { minimum_tokens: u32 },
    /// No breakpoint ends near what was sent before: so many blocks came in behind it, and the provider looks back over so
    /// many from a breakpoint.
    NoBreakpoint { n_blocks: u32, lookback_blocks: u32 },
    /// None of these.
    Unknown { origin: Option<Origin> },
}

/// What parts of a history are, as far as they are all alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PartsKind {
    Thoughts,
    Media,
    Calls,
    Results,
    Texts,
    Mixed,
}

/// What can be done about a cause.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Nature {
    /// The session could have gone on the same way without it.
    Avoidable,
    /// It comes with what the session does: hand over, summarise, show one turn only.
    Structural,
    /// The prompt is fine; the provider's rules say no.
    Provider,
}

impl Cause {
    /// Code of a prompt that is too short to be cached.
    pub const BELOW_MINIMUM: &str = "below_minimum";

    pub fn nature(&self) -> Nature {
        match self {
            Self::HandOff { .. }
            | Self::Scope { .. }
            | Self::Compacted { .. }
            | Self::Rewound { .. }
            | Self::OtherConversation
            // Text that changes costs least there.
            | Self::Placement { is_same: false, .. }
            // The other model is the cheaper one.
            | Self::Model { staying_micros: Some(1..), .. }
            // Providers ask clients to leave thoughts of earlier turns out.
            | Self::LeftOut { what: PartsKind::Thoughts, .. } => Nature::Structural,
            Self::Expired { idle_s, longest_s: Some(longest_s), .. } if idle_s <= longest_s => {
                Nature::Avoidable
            }
            Self::Expired { .. }
            | Self::Missed { .. }
            | Self::Evicted
            | Self::BelowMinimum { .. } => Nature::Provider,
            Self::State { .. }
            | Self::Instruction { .. }
            | Self::ClientBlock { .. }
            | Self::Rewritten { .. }
            | Self::LeftOut { .. }
            | Self::PutIn { .. }
            | Self::Definitions { .. }
            | Self::Window { .. }
            | Self::Truncated { .. }
            | Self::LateResponse { .. }
            | Self::Artifacts { .. }
            | Self::Memory
            | Self::Placement { .. }
            | Self::Script { .. }
            | Self::Inserted { .. }
            | Self::Model { .. }
            | Self::Parameters { .. }
            | Self::NoBreakpoint { .. }
            | Self::Unknown { .. } => Nature::Avoidable,
        }
    }

    /// Whether the session could have gone on the same way without it.
    pub fn is_avoidable(&self) -> bool {
        self.nature() == Nature::Avoidable
    }

    /// How a text differs, where it is one that does.
    pub fn change(&self) -> Option<&TextChange> {
        match self {
            Self::State { change, .. }
            | Self::Instruction { change, .. }
            | Self::ClientBlock { change }
            | Self::Rewritten { change, .. } => Some(change),
            Self::Definitions { change, .. } => change.as_ref(),
            _ => None,
        }
    }

    /// Whether no tool differs, but the schema that answers are to follow.
    pub fn is_of_schema(&self) -> bool {
        let Self::Definitions { added, removed, changed, .. } = self else { return false };
        let mut names = added.iter().chain(removed).chain(changed).peekable();
        names.peek().is_some() && names.all(|name| is_schema(name))
    }

    /// A name for machines.
    pub fn code(&self) -> &'static str {
        match self {
            Self::State { .. } => "state_in_instruction",
            Self::Instruction { .. } => "instruction_changed",
            Self::ClientBlock { .. } => "client_block",
            Self::Rewritten { .. } => "history_rewritten",
            Self::LeftOut { .. } => "history_left_out",
            Self::PutIn { .. } => "history_put_in",
            Self::OtherConversation => "other_conversation",
            Self::Definitions { added, removed, changed, .. }
                if added.is_empty() && removed.is_empty() && changed.is_empty() =>
            {
                "tools_reordered"
            }
            Self::Definitions { .. } if self.is_of_schema() => "answer_schema_changed",
            Self::Definitions { .. } => "tools_changed",
            Self::HandOff { .. } => "hand_off",
            Self::Scope { .. } => "history_scope",
            Self::Compacted { .. } => "compaction",
            Self::Rewound { .. } => "rewind",
            Self::Window { .. } => "filter_window",
            Self::Truncated { .. } => "truncated_history",
            Self::LateResponse { .. } => "late_tool_response",
            Self::Artifacts { .. } => "artifact_list",
            Self::Memory => "memory_preload",
            Self::Placement { .. } => "instruction_placement",
            Self::Script { .. } => "script",
            Self::Inserted { .. } => "inserted_processor",
            Self::Model { .. } => "model_changed",
            Self::Parameters { .. } => "parameters_changed",
            Self::Expired { .. } => "expired",
            Self::Missed { .. } => "missed",
            Self::Evicted => "evicted",
            Self::BelowMinimum { .. } => Self::BELOW_MINIMUM,
            Self::NoBreakpoint { .. } => "no_breakpoint",
            Self::Unknown { .. } => "unknown",
        }
    }
}

/// Whether what is declared under this name is no tool, but the schema of an answer.
pub(super) fn is_schema(name: &str) -> bool {
    name.starts_with("config.")
}
