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
mod rule;

use std::sync::{Arc, LazyLock};

pub use read::CacheRulesError;
pub use rule::{CacheRule, Machine, Mark};

use pattern::Pattern;

const EMBEDDED: &[u8] = include_bytes!("../assets/cache_rules.json");

/// The rules of all providers, in the order in which they are tried.
#[derive(Debug, Clone, PartialEq)]
pub struct CacheRules {
    rules: Arc<[(Vec<Pattern>, Arc<CacheRule>)]>,
    fallback: Arc<CacheRule>,
}

impl CacheRules {
    /// The rules that are carried along.
    pub fn embedded() -> Self {
        // Who looks at one request asks for them, too. A test reads the file, so that this is never the bare fallback.
        static READ: LazyLock<CacheRules> = LazyLock::new(|| {
            CacheRules::parse(EMBEDDED)
                .unwrap_or_else(|_| CacheRules { rules: [].into(), fallback: Arc::new(CacheRule::assumed()) })
        });
        READ.clone()
    }

    /// Reads a file like `assets/cache_rules.json`. Fields that are not known are errors.
    pub fn parse(json: &[u8]) -> Result<Self, CacheRulesError> {
        let (rules, fallback) = read::rules(json)?;
        let rules = rules.into_iter().map(|(patterns, rule)| (patterns, Arc::new(rule)));
        Ok(Self { rules: rules.collect(), fallback: Arc::new(fallback) })
    }

    /// The rule of a model, by the first pattern that fits its name; for an unknown one, the fallback, which says so.
    pub fn of_model(&self, name: &str) -> &Arc<CacheRule> {
        let names = pattern::spellings(name);
        let fits = |patterns: &[Pattern]| patterns.iter().any(|pattern| pattern.fits(&names));
        self.rules.iter().find(|(patterns, _)| fits(patterns)).map_or(&self.fallback, |(_, rule)| rule)
    }

    /// All rules in the order of the file, the fallback last.
    pub fn all(&self) -> impl Iterator<Item = &CacheRule> {
        self.rules.iter().map(|(_, rule)| rule).chain([&self.fallback]).map(|rule| &**rule)
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

#[cfg(test)]
mod tests;
