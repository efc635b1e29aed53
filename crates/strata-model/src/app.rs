//! What a compile is configured by: the app, its agents and their tools.
//!
//! Read from a JSON or YAML document: `{name, root_agent, plugins?, events_compaction_config?, context_cache_config?}`
//! with ADK's field names, in either spelling.

mod agent;
mod code_executor;
mod confirmation;
mod extension;
mod instruction;
mod model_spec;
mod node;
mod output_schema;
mod planner;
mod release;
mod words;

use std::sync::Arc;

pub use agent::{Agent, Example, Node, Tool, ToolNode};
pub use code_executor::CodeExecutor;
pub use confirmation::Confirmation;
pub use extension::{Callback, CustomFilter, Plugin, RelayStyle};
pub use instruction::{Instruction, StaticInstruction};
pub use model_spec::ModelSpec;
pub use node::{CodeNode, CodeNodeKind, Edge, JoinNode, Parameter, Retry, START};
pub use output_schema::OutputSchema;
pub use planner::Planner;
pub use release::AdkRelease;
pub use words::{AgentKind, AgentMode, IncludeContents, ModelFamily, SchemaKind};

use crate::Str;
use crate::decode::record;

record! {
    /// A root agent with everything that holds for the whole app.
    App: "an app configuration" {
        name: Str = "name",
        root_agent: Option<Arc<Agent>> = "rootAgent",
        /// In place of an agent: a node that is none.
        root_node: Option<Node> = "rootNode",
        plugins: Option<Vec<Plugin>> = "plugins",
        events_compaction_config: Option<EventsCompactionConfig> = "eventsCompactionConfig",
        context_cache_config: Option<ContextCacheConfig> = "contextCacheConfig",
        resumability_config: Option<crate::Object> = "resumabilityConfig",
        /// What ran it, where that is recorded: `google-adk 2.13.0`.
        writer: Option<Str> = "writer",
    }
}

impl App {
    pub fn plugins(&self) -> &[Plugin] {
        self.plugins.as_deref().unwrap_or_default()
    }

    /// What ran the app, where it is recorded and not the google-adk whose rules are known here, 2.13.
    pub fn other_writer(&self) -> Option<&Str> {
        self.writer.as_ref().filter(|writer| !writer.starts_with("google-adk 2.13."))
    }

    /// What ran the app, where nobody held its histories against what it sent: an older google-adk, or one of the first
    /// generation of which nothing else is written down.
    pub fn writer_of_unknown_histories(&self) -> Option<&Str> {
        let is_unknown = |writer: &&Str| {
            let release = AdkRelease::of_writer(writer);
            let is_named = writer.contains('.');
            release.is_some_and(|it| {
                it < AdkRelease::FIRST_GENERATION || (it == AdkRelease::FIRST_GENERATION && !is_named)
            })
        };
        self.writer.as_ref().filter(is_unknown)
    }

    /// The release whose rules its prompts are built by: what ran it, where that is recorded, else the known one.
    pub fn release(&self) -> AdkRelease {
        self.writer.as_deref().and_then(AdkRelease::of_writer).unwrap_or(AdkRelease::KNOWN)
    }

    /// Runs leave marks by which they can be taken up again where they stopped.
    pub fn is_resumable(&self) -> bool {
        let flag = |key| self.resumability_config.as_ref()?.get(key).and_then(crate::Json::as_bool);
        flag("is_resumable").or_else(|| flag("isResumable")) == Some(true)
    }
}

record! {
    /// When old events are replaced by a summary. Each pair is set together or not at all.
    EventsCompactionConfig: "a compaction configuration" {
        /// Sliding window: invocations that make a new window.
        compaction_interval: Option<i64> = "compactionInterval",
        /// Sliding window: earlier invocations included again.
        overlap_size: Option<i64> = "overlapSize",
        /// Token trigger: prompt tokens at which to compact.
        token_threshold: Option<i64> = "tokenThreshold",
        /// Token trigger: events kept raw.
        event_retention_size: Option<i64> = "eventRetentionSize",
        summarizer: Option<Summarizer> = "summarizer",
    }
}

record! {
    /// What writes summaries; without one the root agent's model does.
    Summarizer: "a summarizer" {
        model: Option<Str> = "model",
        prompt_template: Option<Str> = "promptTemplate",
    }
}

record! {
    /// Explicit caching of prompt prefixes for all agents of an app.
    ContextCacheConfig: "a context cache configuration" {
        cache_intervals: Option<i64> = "cacheIntervals",
        ttl_seconds: Option<i64> = "ttlSeconds",
        min_tokens: Option<i64> = "minTokens",
        create_http_options: Option<crate::Object> = "createHttpOptions",
    }
}

impl ContextCacheConfig {
    pub fn cache_intervals(&self) -> i64 {
        self.cache_intervals.unwrap_or(10)
    }

    pub fn ttl_seconds(&self) -> i64 {
        self.ttl_seconds.unwrap_or(1800)
    }

    pub fn min_tokens(&self) -> i64 {
        self.min_tokens.unwrap_or(0)
    }
}
