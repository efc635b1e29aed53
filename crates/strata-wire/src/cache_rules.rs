//! What providers keep of a prompt: from which size on, in which steps, for how long.
//!
//! The rules change several times a year, so they are data with a source and the day it was read:
//! `assets/cache_rules.json`. [`CacheRules::parse`] reads a file of the same form that somebody has edited.
//!
//! ```
//! use strata_wire::{CacheRules, Machine};
//!
//! let rules = CacheRules::embedded();
//! let rule = rules.of_model("openai/gpt-4.1-mini");
//! assert_eq!(rule.machine, Machine::AutoPrefix { minimum_tokens: 1024, step_tokens: 128 });
//! assert!(!rules.of_model("a-model-nobody-knows").is_known);
//! ```

mod pattern;
mod read;

pub use read::CacheRulesError;

use crate::order::PrefixOrder;
use pattern::Pattern;

const EMBEDDED: &[u8] = include_bytes!("../assets/cache_rules.json");

/// The rules of all providers, in the order in which they are tried.
#[derive(Debug, Clone, PartialEq)]
pub struct CacheRules {
    rules: Vec<(Vec<Pattern>, CacheRule)>,
    fallback: CacheRule,
}

/// How one kind of provider caches prompts.
#[derive(Debug, Clone, PartialEq)]
pub struct CacheRule {
    /// `Anthropic`, `llama.cpp`.
    pub name: String,
    pub machine: Machine,
    pub order: PrefixOrder,
    /// Seconds an unused prefix is kept; each use starts them again. `None`: as long as there is room, or not said.
    pub lifetime_s: Option<f64>,
    /// Nothing is promised: a prediction is the most that can be found, not what will be.
    pub is_best_effort: bool,
    /// Settings whose change empties the cache of the conversation, in the names of `config`: `thinkingConfig`.
    pub resets: Vec<String>,
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

impl CacheRules {
    /// The rules that are carried along.
    pub fn embedded() -> Self {
        // A test reads the file, so that this is never the bare fallback.
        Self::parse(EMBEDDED).unwrap_or_else(|_| Self { rules: Vec::new(), fallback: CacheRule::assumed() })
    }

    /// Reads a file like `assets/cache_rules.json`. Fields that are not known are errors.
    pub fn parse(json: &[u8]) -> Result<Self, CacheRulesError> {
        read::rules(json)
    }

    /// The rule of a model, by the first pattern that fits its name; for an unknown one, the fallback, which says so.
    pub fn of_model(&self, name: &str) -> &CacheRule {
        let names = pattern::spellings(name);
        let fits = |patterns: &[Pattern]| patterns.iter().any(|pattern| pattern.fits(&names));
        self.rules.iter().find(|(patterns, _)| fits(patterns)).map_or(&self.fallback, |(_, rule)| rule)
    }

    /// All rules in the order of the file, the fallback last.
    pub fn all(&self) -> impl Iterator<Item = &CacheRule> {
        self.rules.iter().map(|(_, rule)| rule).chain([&self.fallback])
    }

    /// The rule called `name`, for people who say themselves where a model runs.
    pub fn named(&self, name: &str) -> Option<&CacheRule> {
        self.all().find(|rule| rule.name == name)
    }
}

impl Default for CacheRules {
    fn default() -> Self {
        Self::embedded()
    }
}

impl CacheRule {
    /// Any prefix, kept for ever: an upper bound for whatever there may be.
    fn assumed() -> Self {
        Self {
            name: "assumed".to_owned(),
            machine: Machine::AutoPrefix { minimum_tokens: 1024, step_tokens: 1 },
            order: PrefixOrder::ToolsFirst,
            lifetime_s: None,
            is_best_effort: true,
            resets: Vec::new(),
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

#[cfg(test)]
mod tests;
