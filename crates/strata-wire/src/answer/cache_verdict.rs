//! What a provider says by itself of why a prefix was not found in its cache.

use strata_model::take::{take_object, take_text};
use strata_model::{Json, Object, Str};

use crate::unread::UnreadFields;

/// A provider's word on the cache, where the request asked for it by naming an earlier answer to compare with.
///
/// Anthropic: `diagnostics.cache_miss_reason` (beta `cache-diagnosis-2026-04-07`). OpenAI: `prompt_cache_diagnostics` of
/// a response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CacheVerdict {
    /// In the provider's word: `tools_changed`, `system_changed`, `cache_hit`, `unavailable`.
    pub reason: Str,
    /// Tokens that it counts behind what changed.
    pub missed_tokens: Option<u64>,
}

impl CacheVerdict {
    /// Takes it out of the body of an answer, in either dialect. What of it is not understood is noted.
    pub(crate) fn take_from(body: &mut Object, unread: &mut dyn UnreadFields) -> Option<Self> {
        if let Some(mut diagnostics) = take_object(body, "diagnostics") {
            let verdict = Self::take_from_diagnostics(&mut diagnostics);
            unread.rest("response.diagnostics", &diagnostics);
            return verdict;
        }
        let mut said = take_object(body, "prompt_cache_diagnostics")?;
        let kind = take_text(&mut said, "type");
        let reason = take_text(&mut said, "reason");
        let missed_tokens = take_tokens(&mut said, "cache_missed_tokens");
        unread.rest("response.prompt_cache_diagnostics", &said);
        Some(Self { reason: reason.or(kind)?, missed_tokens })
    }

    /// Of Anthropic's `diagnostics`, which clients write down as they came.
    pub fn take_from_diagnostics(diagnostics: &mut Object) -> Option<Self> {
        let mut said = take_object(diagnostics, "cache_miss_reason")?;
        let reason = take_text(&mut said, "type").filter(|reason| &**reason != "none")?;
        Some(Self { reason, missed_tokens: take_tokens(&mut said, "cache_missed_input_tokens") })
    }

    /// As a mark of an event: `{reason, missedTokens}`.
    pub fn to_json(&self) -> Json {
        let mut said = Object::new();
        said.push("reason", self.reason.clone());
        if let Some(tokens) = self.missed_tokens {
            said.push("missedTokens", Json::Int(tokens as i64));
        }
        Json::Object(said)
    }

    /// From [`Self::to_json`].
    pub fn from_json(said: &Json) -> Option<Self> {
        let missed_tokens = said.get("missedTokens").and_then(Json::as_i64);
        Some(Self {
            reason: said.get("reason")?.as_str()?.into(),
            missed_tokens: missed_tokens.and_then(|tokens| u64::try_from(tokens).ok()),
        })
    }
}

fn take_tokens(said: &mut Object, key: &str) -> Option<u64> {
    u64::try_from(said.remove(key)?.as_i64()?).ok()
}
