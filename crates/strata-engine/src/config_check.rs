//! Whether google-adk would take a configuration, and what it would say against it.
//!
//! ADK's configurations are pydantic models: each is checked field by field, then as a whole. A finding names the
//! place and the kind of mistake in pydantic's terms, so that it can be compared with what ADK raises.

mod agent;
mod agent_file;
mod error;
mod event;
mod number;
mod problem;
mod record;
mod records;

use strata_model::{Json, Object};

pub use error::ConfigError;
pub use problem::Problem;

use error::found;
use problem::whole;
use record::check_record;

/// What a value is meant to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ConfigTarget {
    App,
    Agent,
    /// An agent as google-adk's agent configuration files have it.
    AgentFile,
    Plugin,
    EventsCompactionConfig,
    ContextCacheConfig,
    CacheMetadata,
    RunConfig,
    Event,
    /// `{child, parents}`: one agent given to several.
    SharedSubAgent,
}

impl ConfigTarget {
    /// The name vectors and command lines use.
    pub fn from_name(name: &str) -> Option<Self> {
        Some(match name {
            "app" => Self::App,
            "agent" => Self::Agent,
            "agent_file" => Self::AgentFile,
            "plugin" => Self::Plugin,
            "events_compaction_config" => Self::EventsCompactionConfig,
            "context_cache_config" => Self::ContextCacheConfig,
            "cache_metadata" => Self::CacheMetadata,
            "run_config" => Self::RunConfig,
            "event" => Self::Event,
            "shared_sub_agent" => Self::SharedSubAgent,
            _ => return None,
        })
    }
}

/// Checks a configuration as ADK does when it is made.
pub fn check_config(target: ConfigTarget, value: &Json) -> Result<(), ConfigError> {
    match target {
        ConfigTarget::App => app(value),
        ConfigTarget::Agent => agent::check(value),
        ConfigTarget::AgentFile => agent_file::check(value),
        ConfigTarget::Plugin => plugin(value),
        ConfigTarget::EventsCompactionConfig => found(compaction(value)),
        ConfigTarget::ContextCacheConfig => found(check_record(&records::CONTEXT_CACHE, value)),
        ConfigTarget::CacheMetadata => found(cache_metadata(value)),
        ConfigTarget::RunConfig => found(run_config(value)),
        ConfigTarget::Event => found(event::check(value)),
        ConfigTarget::SharedSubAgent => shared_sub_agent(value),
    }
}

/// What is wrong with the answer to a request for approval.
pub(crate) fn tool_confirmation_problems(value: &Json) -> Vec<Problem> {
    check_record(&records::TOOL_CONFIRMATION, value)
}

fn is_set(value: &Json, key: &str) -> bool {
    value.get(key).is_some_and(|value| !value.is_null())
}

/// What an app is made of comes first: each part is made, and checked, by itself.
fn app(value: &Json) -> Result<(), ConfigError> {
    let part = |key: &str| value.get(key).filter(|part| !part.is_null());
    if let Some(root) = part("root_agent") {
        agent::check(root)?;
    }
    part("plugins").and_then(Json::as_array).unwrap_or_default().iter().try_for_each(plugin)?;
    if let Some(config) = part("events_compaction_config") {
        found(compaction(config))?;
    }
    if let Some(config) = part("context_cache_config") {
        found(check_record(&records::CONTEXT_CACHE, config))?;
    }
    let problems = check_record(&records::APP, value);
    if !problems.is_empty() {
        return found(problems);
    }
    let name = value.get("name").and_then(Json::as_str).unwrap_or_default();
    // Python's `$` also matches before a line break at the end.
    let bare = name.strip_suffix('\n').unwrap_or(name);
    let is_fine = bare.starts_with(|c: char| c.is_ascii_alphabetic())
        && bare.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'));
    found(if !is_fine {
        whole(format!(
            "the app name {name:?} must start with a letter and go on with letters, digits, _ and -"
        ))
    } else if name == "user" {
        whole("an app cannot be called user: that name is the end user's")
    } else if part("root_agent").is_none() {
        whole("an app needs a root_agent")
    } else {
        Vec::new()
    })
}

fn plugin(value: &Json) -> Result<(), ConfigError> {
    let is_filter = value.get("type").and_then(Json::as_str) == Some("context_filter");
    let amount = value.get("remove_amount").and_then(Json::as_f64);
    match amount {
        Some(amount) if is_filter && amount < 1.0 => {
            Err(ConfigError::Value { message: "remove_amount must be at least 1".into() })
        }
        _ => Ok(()),
    }
}

fn compaction(value: &Json) -> Vec<Problem> {
    let problems = check_record(&records::EVENTS_COMPACTION, value);
    if !problems.is_empty() {
        return problems;
    }
    let is_half = |one: &str, other: &str| is_set(value, one) != is_set(value, other);
    if is_half("token_threshold", "event_retention_size") {
        whole("token_threshold and event_retention_size must be set together")
    } else if is_half("compaction_interval", "overlap_size") {
        whole("compaction_interval and overlap_size must be set together")
    } else if !is_set(value, "token_threshold") && !is_set(value, "compaction_interval") {
        whole(
            "no trigger is set: set token_threshold with event_retention_size, or compaction_interval with \
             overlap_size",
        )
    } else {
        Vec::new()
    }
}

/// Metadata is a record with a rule of its own.
fn cache_metadata(value: &Json) -> Vec<Problem> {
    let problems = check_record(&records::CACHE_METADATA, value);
    if problems.is_empty() { records::half_active(value) } else { problems }
}

fn run_config(value: &Json) -> Vec<Problem> {
    let problems = check_record(&records::RUN_CONFIG, value);
    let text = |key: &str| value.get(key).and_then(Json::as_str);
    if problems.is_empty()
        && text("service_tier") == Some("deferred")
        && text("streaming_mode") == Some("sse")
    {
        return whole(
            "a deferred request has nothing to stream: choose another service_tier or streaming_mode",
        );
    }
    problems
}

fn shared_sub_agent(value: &Json) -> Result<(), ConfigError> {
    if let Some(child) = value.get("child") {
        agent::check(child)?;
    }
    let name = |agent: &Json| agent.get("name").and_then(Json::as_str).unwrap_or_default().to_owned();
    let parents = value.get("parents").and_then(Json::as_array).unwrap_or_default();
    for (at, parent) in parents.iter().enumerate() {
        agent::check(&parent.as_object().cloned().unwrap_or_else(Object::new).into())?;
        if let Some(first) = parents.first().filter(|_| at > 0) {
            let child = value.get("child").map(name).unwrap_or_default();
            return found(whole(format!(
                "the agent {child} belongs to {} already and cannot go to {} too: make a second one",
                name(first),
                name(parent)
            )));
        }
    }
    Ok(())
}
