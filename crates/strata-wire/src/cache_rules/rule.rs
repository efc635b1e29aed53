//! How one kind of provider caches prompts.

use crate::order::PrefixOrder;

/// How one kind of provider caches prompts.
#[derive(Debug, Clone, PartialEq)]
pub struct CacheRule {
    /// `Anthropic`, `llama.cpp`.
    pub name: String,
    pub machine: Machine,
    pub order: PrefixOrder,
    /// Seconds an unused prefix is kept; each use starts them again. `None`: as long as there is room, or not said.
    pub lifetime_s: Option<f64>,
    /// The longest that a request can ask for, in seconds.
    pub longest_lifetime_s: Option<f64>,
    /// Nothing is promised: a prediction is the most that can be found, not what will be.
    pub is_best_effort: bool,
    /// Settings whose change empties the cache of the conversation, in the names of `config`: `thinkingConfig`.
    pub resets: Vec<String>,
    /// How blocks of the system text begin that the provider does not read: what its own client tells it about itself.
    pub unread: Vec<String>,
    /// False for the rule that stands in for models nothing is known about.
    pub is_known: bool,
    pub source: String,
    /// The day its source was read, as `2026-11-20`.
    pub seen_on: String,
    /// What a reader of a prediction should know.
    pub note: Option<String>,
}

/// How a provider finds a prefix again. All sizes are in tokens of the prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Machine {
    /// The longest prefix that any earlier prompt had, if it is long enough, cut down to whole steps beyond that.
    AutoPrefix { minimum_tokens: u32, step_tokens: u32 },
    /// Only prefixes that end at a mark. Each mark finds what was written at itself or a few blocks before it.
    Breakpoints { minimum_tokens: u32, lookback_blocks: u32, marks: Vec<Mark> },
    /// Whole units, counted from the beginning of the prompt.
    Units { unit_tokens: u32 },
    /// The longest common prefix with a prompt that is still in one of the server's slots, but never the last token.
    /// `None`: as many slots as there are prompts.
    LcpSlot { slots: Option<u32> },
}

/// Where a client puts a breakpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Mark {
    /// Behind the tools.
    Tools,
    /// Behind the system instruction.
    System,
    /// Behind the last block of the conversation.
    Last,
}

impl CacheRule {
    /// Any prefix, kept for ever: an upper bound for whatever there may be.
    pub fn assumed() -> Self {
        Self {
            name: "assumed".to_owned(),
            machine: Machine::AutoPrefix { minimum_tokens: 1024, step_tokens: 1 },
            order: PrefixOrder::ToolsFirst,
            lifetime_s: None,
            longest_lifetime_s: None,
            is_best_effort: true,
            resets: Vec::new(),
            unread: Vec::new(),
            is_known: false,
            source: String::new(),
            seen_on: String::new(),
            note: None,
        }
    }

    /// The fewest tokens a cached prefix can have.
    pub fn minimum_tokens(&self) -> u32 {
        match self.machine {
            Machine::AutoPrefix { minimum_tokens, .. } | Machine::Breakpoints { minimum_tokens, .. } => {
                minimum_tokens
            }
            Machine::Units { unit_tokens } => unit_tokens,
            Machine::LcpSlot { .. } => 1,
        }
    }

    /// Tokens by which a prediction may be off for want of knowing the provider's own blocks.
    pub fn block_tokens(&self) -> u32 {
        match self.machine {
            Machine::AutoPrefix { step_tokens, .. } => step_tokens,
            Machine::Units { unit_tokens } => unit_tokens,
            Machine::Breakpoints { .. } | Machine::LcpSlot { .. } => 1,
        }
    }

    /// How much of a prefix that is still there can be used: the whole steps of it.
    pub fn usable_tokens(&self, matched_tokens: u32) -> u32 {
        match self.machine {
            Machine::AutoPrefix { minimum_tokens, .. } if matched_tokens < minimum_tokens => 0,
            Machine::AutoPrefix { minimum_tokens, step_tokens } => {
                matched_tokens - (matched_tokens - minimum_tokens) % step_tokens.max(1)
            }
            Machine::Units { unit_tokens } => matched_tokens - matched_tokens % unit_tokens.max(1),
            Machine::Breakpoints { minimum_tokens, .. } if matched_tokens < minimum_tokens => 0,
            Machine::Breakpoints { .. } | Machine::LcpSlot { .. } => matched_tokens,
        }
    }
}
