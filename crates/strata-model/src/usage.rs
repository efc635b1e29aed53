//! What providers report about a call.

use crate::Str;
use crate::decode::record;

record! {
    /// Token counts a provider reported for one call. Input counts include cached tokens.
    Usage: "usage metadata" {
        cached_content_token_count: Option<u64> = "cachedContentTokenCount",
        candidates_token_count: Option<u64> = "candidatesTokenCount",
        prompt_token_count: Option<u64> = "promptTokenCount",
        thoughts_token_count: Option<u64> = "thoughtsTokenCount",
        tool_use_prompt_token_count: Option<u64> = "toolUsePromptTokenCount",
        total_token_count: Option<u64> = "totalTokenCount",
    }
    passes {
        "cacheTokensDetails": 2,
        "candidatesTokensDetails": 2,
        "promptTokensDetails": 2,
        "toolUsePromptTokensDetails": 2,
        "trafficType": 0,
    }
    order &[
        "cacheTokensDetails",
        "cachedContentTokenCount",
        "candidatesTokenCount",
        "candidatesTokensDetails",
        "promptTokenCount",
        "promptTokensDetails",
        "thoughtsTokenCount",
        "toolUsePromptTokenCount",
        "toolUsePromptTokensDetails",
        "totalTokenCount",
        "trafficType",
    ];
}

impl Usage {
    /// Tokens the model wrote, thoughts included. `None` when the provider reported neither.
    pub fn output_tokens(&self) -> Option<u64> {
        match (self.visible_tokens(), self.thought_tokens()) {
            (None, None) => None,
            (visible, thoughts) => Some(visible.unwrap_or(0).saturating_add(thoughts.unwrap_or(0))),
        }
    }

    /// Tokens the model wrote that are no thoughts.
    pub fn visible_tokens(&self) -> Option<u64> {
        let thoughts = self.thoughts_token_count.filter(|_| self.has_thoughts_in_candidates());
        Some(self.candidates_token_count?.saturating_sub(thoughts.unwrap_or(0)))
    }

    /// Tokens the model thought. Some libraries leave Gemini's count of them out and keep its total: then they are what
    /// the total has beside input and answer, which is billed as output.
    pub fn thought_tokens(&self) -> Option<u64> {
        self.thoughts_token_count.or_else(|| {
            let input = self.prompt_token_count.filter(|input| *input > 0)?;
            let told = [self.tool_use_prompt_token_count, self.candidates_token_count].into_iter().flatten();
            let rest = told.fold(self.total_token_count?, u64::saturating_sub).saturating_sub(input);
            // Where it is as much as the cache had, the total counts that beside the input.
            Some(rest).filter(|rest| *rest > 0 && Some(*rest) != self.cached_content_token_count)
        })
    }

    /// Whether the candidates hold the thoughts, which Gemini counts beside them: google-adk's LiteLLM models and others
    /// that pass on the counts of OpenAI's shape write so. The total tells.
    pub fn has_thoughts_in_candidates(&self) -> bool {
        let (Some(candidates), Some(thoughts)) = (self.candidates_token_count, self.thoughts_token_count)
        else {
            return false;
        };
        let input = self
            .prompt_token_count
            .unwrap_or(0)
            .saturating_add(self.tool_use_prompt_token_count.unwrap_or(0));
        thoughts > 0
            && thoughts <= candidates
            && self.total_token_count == Some(input.saturating_add(candidates))
    }
}

/// The state of an explicit Gemini cache, as stored with the event of the call that used it.
///
/// Active when name, expiry and uses are all present; otherwise only a fingerprint to compare with.
/// ADK writes these fields in snake_case everywhere.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CacheMetadata {
    pub cache_name: Option<Str>,
    /// Epoch seconds.
    pub expire_time: Option<f64>,
    pub fingerprint: Str,
    pub invocations_used: Option<i64>,
    pub contents_count: i64,
    /// Epoch seconds.
    pub created_at: Option<f64>,
    pub other: crate::Object,
}

impl CacheMetadata {
    pub fn is_active(&self) -> bool {
        self.cache_name.is_some()
    }
}

impl crate::FromJson for CacheMetadata {
    const EXPECTED: &'static str = "cache metadata";

    fn from_json(value: crate::Json, decoder: &mut crate::Decoder) -> Result<Self, crate::Json> {
        let mut metadata = Self::default();
        for (key, value) in crate::Object::from_json(value, decoder)? {
            let other = &mut metadata.other;
            match &*crate::decode::snake(&key) {
                "cache_name" => decoder.read_field(key, value, &mut metadata.cache_name, other),
                "expire_time" => decoder.read_field(key, value, &mut metadata.expire_time, other),
                "fingerprint" => decoder.read_field(key, value, &mut metadata.fingerprint, other),
                "invocations_used" => decoder.read_field(key, value, &mut metadata.invocations_used, other),
                "contents_count" => decoder.read_field(key, value, &mut metadata.contents_count, other),
                "created_at" => decoder.read_field(key, value, &mut metadata.created_at, other),
                _ => {
                    other.insert(key, value);
                }
            }
        }
        Ok(metadata)
    }

    fn to_json(&self) -> crate::Json {
        let mut out = crate::Object::new();
        out.push_some("cache_name", self.cache_name.clone());
        out.push_some("expire_time", self.expire_time);
        out.push("fingerprint", self.fingerprint.clone());
        out.push_some("invocations_used", self.invocations_used);
        out.push("contents_count", self.contents_count);
        out.push_some("created_at", self.created_at);
        for (key, value) in self.other.iter() {
            out.insert(key.clone(), value.clone());
        }
        crate::Json::Object(out)
    }
}
