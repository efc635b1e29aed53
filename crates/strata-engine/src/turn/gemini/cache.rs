//! The life of an explicit cache, one call at a time (`ADK.md` 5.3).
//!
//! A cache is only made for a prefix that was there at the call before, so metadata is kept with every answer: either
//! of a cache, or just the fingerprint of the prefix that could be cached.

use strata_model::app::ContextCacheConfig;
use strata_model::{CacheMetadata, FromJson as _, Json, Object, Str};

use super::cache_fingerprint::{CacheFingerprint, CacheScope};
use super::cache_size::{estimated_prefix_tokens, smallest_prefix_tokens};
use super::wire::GeminiRequest;
use crate::error::{CompileError, ErrorKind};

/// What a decision is made from, besides the request.
#[derive(Debug, Clone, Copy)]
pub struct CacheInputs<'i> {
    pub config: &'i ContextCacheConfig,
    /// Of the agent's previous call.
    pub metadata: Option<&'i CacheMetadata>,
    /// Prompt tokens of the agent's previous call.
    pub previous_prompt_tokens: Option<u64>,
    pub scope: &'i CacheScope,
    /// Epoch seconds.
    pub now: f64,
}

/// What is to be done about the cache before a call.
#[derive(Debug, Clone, PartialEq)]
pub struct CachePlan {
    /// The cache that is deleted first; a failure is ignored.
    pub delete: Option<Str>,
    pub step: CacheStep,
    /// The prefixes that were compared, in order.
    pub compared: Vec<CacheFingerprint>,
    /// Of the prefix that could be cached, where that was decided by its size.
    pub estimated_prefix_tokens: Option<u64>,
}

/// The one thing that happens after a possible deletion.
#[derive(Debug, Clone, PartialEq)]
pub enum CacheStep {
    /// The prefix is remembered; the request is sent whole.
    Remember(CacheMetadata),
    /// The cache still holds the prefix.
    Use(CacheMetadata),
    /// A cache is made of the prefix.
    Create(CacheCreation),
}

/// The arguments of `caches.create`.
#[derive(Debug, Clone, PartialEq)]
pub struct CacheCreation {
    pub model: Str,
    /// `CreateCachedContentConfig` in camelCase.
    pub config: Object,
    pub ttl_seconds: i64,
    /// What is remembered should that fail.
    pub remembered: CacheMetadata,
}

/// What the server said to a creation: a cache, or why there is none.
pub type CacheAnswer = Result<CreatedCache, String>;

/// A cache the server made.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CreatedCache {
    pub name: Str,
    /// Epoch seconds.
    pub expire_time: Option<f64>,
}

/// How a plan ended.
#[derive(Debug, Clone, PartialEq)]
pub struct SettledCache {
    /// To be stored with the model's answer.
    pub metadata: CacheMetadata,
    /// The cache the request is sent with, and how many contents it holds.
    pub used: Option<(Str, usize)>,
}

/// Decides about the cache of a request.
pub fn plan_cache(request: &GeminiRequest, inputs: CacheInputs<'_>) -> Result<CachePlan, CompileError> {
    let Some(model) = &request.model else {
        return Err(CompileError::new(
            ErrorKind::ValueError,
            "Context caching requires a model name.",
            "name the model of the request",
        ));
    };
    let mut compared = Vec::new();
    let mut remember = |n_contents: usize| {
        let fingerprint = CacheFingerprint::of(request, inputs.scope, n_contents);
        let metadata = CacheMetadata {
            fingerprint: fingerprint.fingerprint.clone(),
            contents_count: n_contents as i64,
            ..CacheMetadata::default()
        };
        compared.push(fingerprint);
        metadata
    };
    let n_before_user = before_last_user_run(request);
    let mut plan = CachePlan {
        delete: None,
        step: CacheStep::Remember(CacheMetadata::default()),
        compared: Vec::new(),
        estimated_prefix_tokens: None,
    };
    let Some(known) = inputs.metadata else {
        plan.step = CacheStep::Remember(remember(n_before_user));
        plan.compared = compared;
        return Ok(plan);
    };
    let n_known = usize::try_from(known.contents_count).unwrap_or(0);
    if may_be_used(known, &inputs) && remember(n_known).fingerprint == known.fingerprint {
        plan.step = CacheStep::Use(known.clone());
        plan.compared = compared;
        return Ok(plan);
    }
    plan.delete.clone_from(&known.cache_name);
    if remember(n_known).fingerprint == known.fingerprint {
        let n_contents = n_known.max(n_before_user);
        let remembered = remember(n_contents);
        let size = size(request, model, n_contents, &inputs);
        plan.estimated_prefix_tokens = size.estimated_tokens;
        plan.step = if size.is_enough {
            CacheStep::Create(creation(request, model, &inputs, remembered))
        } else {
            CacheStep::Remember(remembered)
        };
    } else {
        plan.step = CacheStep::Remember(remember(n_before_user));
    }
    plan.compared = compared;
    Ok(plan)
}

/// The contents before the last run of user contents; all, if the user did not speak last.
fn before_last_user_run(request: &GeminiRequest) -> usize {
    let is_user = |content: &&std::sync::Arc<strata_model::Content>| content.role.as_deref() == Some("user");
    request.contents.len() - request.contents.iter().rev().take_while(is_user).count()
}

/// Whether there is a cache that is neither expired nor used too often.
fn may_be_used(known: &CacheMetadata, inputs: &CacheInputs<'_>) -> bool {
    let (Some(_), Some(expire_time), Some(uses)) =
        (&known.cache_name, known.expire_time, known.invocations_used)
    else {
        return false;
    };
    inputs.now < expire_time && uses <= inputs.config.cache_intervals()
}

struct Size {
    is_enough: bool,
    estimated_tokens: Option<u64>,
}

fn size(request: &GeminiRequest, model: &str, n_contents: usize, inputs: &CacheInputs<'_>) -> Size {
    let smallest_prompt = u64::try_from(inputs.config.min_tokens()).unwrap_or(0);
    let previous = inputs.previous_prompt_tokens.filter(|tokens| *tokens >= smallest_prompt);
    let Some(previous) = previous else { return Size { is_enough: false, estimated_tokens: None } };
    let estimated = estimated_prefix_tokens(request, n_contents, previous);
    let is_enough = smallest_prefix_tokens(model).is_none_or(|smallest| estimated >= smallest);
    Size { is_enough, estimated_tokens: Some(estimated) }
}

fn creation(
    request: &GeminiRequest,
    model: &Str,
    inputs: &CacheInputs<'_>,
    remembered: CacheMetadata,
) -> CacheCreation {
    let n_contents = remembered.contents_count as usize;
    let mut config = Object::new();
    config.push("ttl", format!("{}s", inputs.config.ttl_seconds()));
    config.push("displayName", format!("adk-cache-{}-{n_contents}contents", inputs.now as i64));
    if n_contents > 0 && !request.contents.is_empty() {
        let contents = request.contents.iter().take(n_contents);
        config.push("contents", contents.map(|content| content.to_json()).collect::<Vec<_>>());
    }
    for field in ["systemInstruction", "tools"] {
        config.push_some(field, request.config.get(field).filter(|value| value.is_truthy()).cloned());
    }
    config
        .push_some("toolConfig", request.config.get("toolConfig").filter(|value| !value.is_null()).cloned());
    config.push_some("httpOptions", inputs.config.create_http_options.clone().map(Json::from));
    CacheCreation { model: model.clone(), config, ttl_seconds: inputs.config.ttl_seconds(), remembered }
}

impl CachePlan {
    /// What is stored and sent, given the server's answer to a creation at `now` in epoch seconds. A failed creation
    /// leaves the prefix remembered.
    pub fn settle(&self, answer: Option<&CacheAnswer>, now: f64) -> SettledCache {
        let metadata = match (&self.step, answer) {
            (CacheStep::Remember(metadata) | CacheStep::Use(metadata), _) => metadata.clone(),
            (CacheStep::Create(creation), Some(Ok(created))) if !created.name.is_empty() => CacheMetadata {
                cache_name: Some(created.name.clone()),
                expire_time: Some(created.expire_time.unwrap_or(now + creation.ttl_seconds as f64)),
                invocations_used: Some(1),
                created_at: Some(now),
                ..creation.remembered.clone()
            },
            (CacheStep::Create(creation), _) => creation.remembered.clone(),
        };
        let n_contents = usize::try_from(metadata.contents_count).unwrap_or(0);
        let used = metadata.cache_name.clone().map(|name| (name, n_contents));
        SettledCache { metadata, used }
    }
}
