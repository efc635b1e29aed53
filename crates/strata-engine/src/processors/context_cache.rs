//! `context_cache`: takes up the explicit cache of earlier calls. What the model class then does with it is decided
//! at the call (see `crate::gemini_cache`).

use std::sync::Arc;

use strata_model::app::ContextCacheConfig;
use strata_model::{CacheMetadata, FromJson as _, LlmRequest, Object};

use crate::context::CompileContext;
use crate::error::CompileError;
use crate::log::EventView;
use crate::processor::{Processor, StageOutput};
use crate::sections::Sections;

pub struct ContextCache;

pub struct Inputs<'c> {
    config: Option<&'c ContextCacheConfig>,
    metadata: Option<CacheMetadata>,
    previous_prompt_tokens: Option<u64>,
}

impl std::hash::Hash for Inputs<'_> {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.config.map(|config| config.to_json()).hash(state);
        self.metadata.as_ref().map(CacheMetadata::to_json).hash(state);
        self.previous_prompt_tokens.hash(state);
    }
}

impl Processor for ContextCache {
    type Inputs<'c> = Inputs<'c>;

    fn name(&self) -> &'static str {
        "context_cache"
    }

    fn after(&self) -> &'static [&'static str] {
        &["contents"]
    }

    fn reads(&self) -> Sections {
        Sections::empty()
    }

    fn inputs<'c>(&self, context: &'c CompileContext<'c>) -> Inputs<'c> {
        let config = context.cache_config();
        let (metadata, previous_prompt_tokens) = match config {
            Some(_) => latest(context.events, &context.agent().name, &context.invocation.invocation_id),
            None => (None, None),
        };
        Inputs { config, metadata, previous_prompt_tokens }
    }

    fn process(
        inputs: Inputs<'_>,
        request: &mut LlmRequest,
        output: &mut StageOutput,
    ) -> Result<(), CompileError> {
        let Some(config) = inputs.config else {
            output.note("explicit caching is off");
            return Ok(());
        };
        output.note(match &inputs.metadata {
            None => "no cache yet".to_owned(),
            Some(metadata) => match &metadata.cache_name {
                Some(name) => format!("{name}, use {}", metadata.invocations_used.unwrap_or(0)),
                None => {
                    format!("fingerprint {} of {} contents", metadata.fingerprint, metadata.contents_count)
                }
            },
        });
        request.cache_config = Some(Arc::new(config_json(config)));
        request.cache_metadata = inputs.metadata.map(Arc::new);
        request.cacheable_contents_token_count = inputs.previous_prompt_tokens;
        Ok(())
    }
}

/// The configuration with its defaults, as ADK keeps it with the request.
fn config_json(config: &ContextCacheConfig) -> Object {
    let mut json = Object::new();
    json.push("cache_intervals", config.cache_intervals());
    json.push("ttl_seconds", config.ttl_seconds());
    json.push("min_tokens", config.min_tokens());
    json.push_some("create_http_options", config.create_http_options.clone());
    json
}

/// The newest cache of the agent, counted once more in a new invocation, and the prompt tokens of its newest call.
/// Branches, scopes and rewinds do not matter here.
fn latest(events: EventView<'_>, agent: &str, invocation_id: &str) -> (Option<CacheMetadata>, Option<u64>) {
    let mut metadata: Option<CacheMetadata> = None;
    let mut prompt_tokens = None;
    for logged in events.iter().rev().filter(|logged| *logged.event.author == *agent) {
        let event = &*logged.event;
        if let (None, Some(found)) = (&metadata, &event.cache_metadata) {
            let mut found = CacheMetadata::clone(found);
            if found.is_active() && !event.invocation_id.is_empty() && *event.invocation_id != *invocation_id
            {
                found.invocations_used = found.invocations_used.map(|uses| uses + 1);
            }
            metadata = Some(found);
        }
        prompt_tokens =
            prompt_tokens.or(event.usage_metadata.as_ref().and_then(|usage| usage.prompt_token_count));
        if metadata.is_some() && prompt_tokens.is_some() {
            break;
        }
    }
    (metadata, prompt_tokens)
}
