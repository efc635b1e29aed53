//! When to compact, written as `interval=3,overlap=1`.

use std::fmt;

use strata_model::app::{EventsCompactionConfig, Summarizer};
use strata_model::{EventIndex, Str};

/// When and how a session is compacted.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CompactionConfig {
    pub policy: Policy,
    /// Who writes the summaries. `None`: the model google-adk would take, the root agent's.
    pub model: Option<Str>,
    /// In place of google-adk's prompt; with `{conversation_history}` in it.
    pub prompt_template: Option<Str>,
    /// The most tokens a summary may have; without a model, the size it is taken to have.
    pub summary_tokens: Option<u32>,
    /// Events that stay as they are. Windows are cut around them.
    pub pinned: Vec<EventIndex>,
}

/// What makes a compaction due.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Policy {
    /// Nothing does.
    #[default]
    Off,
    /// google-adk's sliding window, token threshold, or both; one of them at least.
    Adk { window: Option<SlidingWindow>, threshold: Option<TokenThreshold> },
    /// Rarely and in big steps, so that the prompt's beginning stays in the cache. See [`super::steps`].
    Steps(Steps),
}

/// After so many new invocations, with some earlier ones again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SlidingWindow {
    pub interval: u32,
    pub overlap: u32,
}

/// From so many prompt tokens on, all but the latest events.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TokenThreshold {
    pub tokens: u32,
    pub retention: u32,
}

/// When a prompt reaches the limit, everything but the latest events, in one new summary behind the ones before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Steps {
    pub limit_tokens: u32,
    /// Latest events that stay.
    pub keep: u32,
    /// Old tool results are cleared first, and a summary is written only where that is not enough.
    pub clears_results: bool,
}

/// What is wrong with a configuration, and how it is written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ConfigSyntaxError {
    pub message: String,
}

impl ConfigSyntaxError {
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into() }
    }
}

/// What a configuration is made of, for messages.
const SYNTAX: &str = "write interval=3,overlap=1 and/or threshold=60000,retention=10, or limit=60000,keep=20 \
     (with clear=results), or off; and model=NAME, summary_tokens=N, pin=E3+E9 beside them";

impl CompactionConfig {
    /// Reads `key=value` pairs separated by commas; `off` for none at all.
    pub fn parse(text: &str) -> Result<Self, ConfigSyntaxError> {
        let mut fields = Fields::default();
        for pair in text.split(',').map(str::trim).filter(|pair| !pair.is_empty()) {
            fields.set(pair)?;
        }
        fields.finish(text)
    }

    /// What a configuration of google-adk says; an error for one that it would refuse.
    pub fn from_adk(config: &EventsCompactionConfig) -> Result<Self, ConfigSyntaxError> {
        let size = |key: &str, value: Option<i64>, least: u32| match value {
            None => Ok(None),
            Some(value) => number(key, &value.to_string(), least).map(Some),
        };
        let window = both(
            "compactionInterval",
            size("compactionInterval", config.compaction_interval, 1)?,
            "overlapSize",
            size("overlapSize", config.overlap_size, 0)?,
        )?;
        let threshold = both(
            "tokenThreshold",
            size("tokenThreshold", config.token_threshold, 1)?,
            "eventRetentionSize",
            size("eventRetentionSize", config.event_retention_size, 0)?,
        )?;
        if window.is_none() && threshold.is_none() {
            return Err(ConfigSyntaxError::new("it sets no trigger"));
        }
        let summarizer = config.summarizer.as_ref();
        Ok(Self {
            policy: Policy::Adk {
                window: window.map(|(interval, overlap)| SlidingWindow { interval, overlap }),
                threshold: threshold.map(|(tokens, retention)| TokenThreshold { tokens, retention }),
            },
            model: summarizer.and_then(|summarizer| summarizer.model.clone()),
            prompt_template: summarizer.and_then(|summarizer| summarizer.prompt_template.clone()),
            ..Self::default()
        })
    }

    /// The configuration as google-adk would be given it; `None` for policies it does not have.
    pub fn adk(&self) -> Option<EventsCompactionConfig> {
        let Policy::Adk { window, threshold } = self.policy else { return None };
        let summarizer = (self.model.is_some() || self.prompt_template.is_some()).then(|| Summarizer {
            model: self.model.clone(),
            prompt_template: self.prompt_template.clone(),
            ..Summarizer::default()
        });
        Some(EventsCompactionConfig {
            compaction_interval: window.map(|window| window.interval.into()),
            overlap_size: window.map(|window| window.overlap.into()),
            token_threshold: threshold.map(|threshold| threshold.tokens.into()),
            event_retention_size: threshold.map(|threshold| threshold.retention.into()),
            summarizer,
            ..EventsCompactionConfig::default()
        })
    }

    /// What the summariser is configured by, whatever the policy.
    pub fn for_prompt(&self) -> EventsCompactionConfig {
        self.adk().unwrap_or_else(|| EventsCompactionConfig {
            summarizer: Some(Summarizer {
                model: self.model.clone(),
                prompt_template: self.prompt_template.clone(),
                ..Summarizer::default()
            }),
            ..EventsCompactionConfig::default()
        })
    }
}

/// As [`CompactionConfig::parse`] reads it, without the prompt.
impl fmt::Display for CompactionConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut pairs: Vec<String> = Vec::new();
        match self.policy {
            Policy::Off => pairs.push("off".to_owned()),
            Policy::Adk { window, threshold } => {
                if let Some(SlidingWindow { interval, overlap }) = window {
                    pairs.push(format!("interval={interval},overlap={overlap}"));
                }
                if let Some(TokenThreshold { tokens, retention }) = threshold {
                    pairs.push(format!("threshold={tokens},retention={retention}"));
                }
            }
            Policy::Steps(Steps { limit_tokens, keep, clears_results }) => {
                pairs.push(format!("limit={limit_tokens},keep={keep}"));
                if clears_results {
                    pairs.push("clear=results".to_owned());
                }
            }
        }
        if let Some(tokens) = self.summary_tokens {
            pairs.push(format!("summary_tokens={tokens}"));
        }
        if let Some(model) = &self.model {
            pairs.push(format!("model={model}"));
        }
        if !self.pinned.is_empty() {
            let pins: Vec<String> = self.pinned.iter().map(|event| format!("E{}", event.number())).collect();
            pairs.push(format!("pin={}", pins.join("+")));
        }
        f.write_str(&pairs.join(","))
    }
}

#[derive(Default)]
struct Fields {
    interval: Option<u32>,
    overlap: Option<u32>,
    threshold: Option<u32>,
    retention: Option<u32>,
    limit: Option<u32>,
    keep: Option<u32>,
    clears_results: bool,
    is_off: bool,
    config: CompactionConfig,
}

impl Fields {
    fn set(&mut self, pair: &str) -> Result<(), ConfigSyntaxError> {
        if pair == "off" {
            self.is_off = true;
            return Ok(());
        }
        let Some((key, value)) = pair.split_once('=') else {
            return Err(ConfigSyntaxError::new(format!("`{pair}` is no key=value pair: {SYNTAX}")));
        };
        let (key, value) = (key.trim(), value.trim());
        match key {
            "interval" => self.interval = Some(number(key, value, 1)?),
            "overlap" => self.overlap = Some(number(key, value, 0)?),
            "threshold" => self.threshold = Some(number(key, value, 1)?),
            "retention" => self.retention = Some(number(key, value, 0)?),
            "limit" => self.limit = Some(number(key, value, 1)?),
            "keep" => self.keep = Some(number(key, value, 0)?),
            "summary_tokens" => self.config.summary_tokens = Some(number(key, value, 1)?),
            "clear" if value == "results" => self.clears_results = true,
            "model" if !value.is_empty() => self.config.model = Some(value.into()),
            "pin" => self.config.pinned = pins(value)?,
            _ => return Err(ConfigSyntaxError::new(format!("`{pair}` is not understood: {SYNTAX}"))),
        }
        Ok(())
    }

    fn finish(self, text: &str) -> Result<CompactionConfig, ConfigSyntaxError> {
        let window = both("interval", self.interval, "overlap", self.overlap)?
            .map(|(interval, overlap)| SlidingWindow { interval, overlap });
        let threshold = both("threshold", self.threshold, "retention", self.retention)?
            .map(|(tokens, retention)| TokenThreshold { tokens, retention });
        let steps = both("limit", self.limit, "keep", self.keep)?;
        let is_adk = window.is_some() || threshold.is_some();
        let policy = match (self.is_off, is_adk, steps) {
            (true, false, None) => Policy::Off,
            (false, true, None) => Policy::Adk { window, threshold },
            (false, false, Some((limit_tokens, keep))) => {
                Policy::Steps(Steps { limit_tokens, keep, clears_results: self.clears_results })
            }
            (false, false, None) => {
                let what = if text.trim().is_empty() { "an empty text" } else { text };
                return Err(ConfigSyntaxError::new(format!("{what} sets no trigger: {SYNTAX}")));
            }
            _ => {
                return Err(ConfigSyntaxError::new(format!(
                    "{text} mixes triggers that exclude each other: {SYNTAX}"
                )));
            }
        };
        if self.clears_results && steps.is_none() {
            let message = "clear=results goes with limit=…,keep=…: google-adk's triggers clear nothing";
            return Err(ConfigSyntaxError::new(message));
        }
        Ok(CompactionConfig { policy, ..self.config })
    }
}

fn both(
    first: &str,
    a: Option<u32>,
    second: &str,
    b: Option<u32>,
) -> Result<Option<(u32, u32)>, ConfigSyntaxError> {
    match (a, b) {
        (None, None) => Ok(None),
        (Some(a), Some(b)) => Ok(Some((a, b))),
        (Some(_), None) => Err(ConfigSyntaxError::new(format!("{first} and {second} must be set together"))),
        (None, Some(_)) => Err(ConfigSyntaxError::new(format!("{second} and {first} must be set together"))),
    }
}

fn number(key: &str, value: &str, least: u32) -> Result<u32, ConfigSyntaxError> {
    value.replace('_', "").parse().ok().filter(|number| *number >= least).ok_or_else(|| {
        ConfigSyntaxError::new(format!("{key}={value}: {key} is a whole number, {least} or more"))
    })
}

fn pins(value: &str) -> Result<Vec<EventIndex>, ConfigSyntaxError> {
    let mut pinned = Vec::new();
    for name in value.split('+') {
        let number = name.strip_prefix('E').and_then(|digits| digits.parse::<u32>().ok());
        let event = number.and_then(|number| number.checked_sub(1)).ok_or_else(|| {
            ConfigSyntaxError::new(format!("pin={value}: write events as E3, several as E3+E9"))
        })?;
        pinned.push(EventIndex(event));
    }
    pinned.sort_unstable();
    pinned.dedup();
    Ok(pinned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_printed_reads_the_same_again() {
        for text in [
            "off",
            "interval=3,overlap=1",
            "threshold=60000,retention=10",
            "interval=3,overlap=0,threshold=60000,retention=10,summary_tokens=800,model=gpt-5",
            "limit=40000,keep=12,clear=results,pin=E3+E9",
        ] {
            let config = CompactionConfig::parse(text).unwrap();
            assert_eq!(config.to_string(), text);
            assert_eq!(CompactionConfig::parse(&config.to_string()).unwrap(), config);
        }
    }

    #[track_caller]
    fn refused(text: &str, because: &str) {
        let error = CompactionConfig::parse(text).unwrap_err().message;
        assert!(error.contains(because), "{text}: {error}");
    }

    #[test]
    fn halves_and_mixtures_are_refused() {
        refused("", "sets no trigger");
        refused("interval=3", "interval and overlap must be set together");
        refused("retention=3", "retention and threshold must be set together");
        refused("interval=0,overlap=1", "1 or more");
        refused("interval=3,overlap=1,limit=9,keep=1", "exclude each other");
        refused("interval=3,overlap=1,clear=results", "clear nothing");
        refused("pin=3,limit=9,keep=1", "write events as E3");
        refused("speed=3", "not understood");
    }
}
