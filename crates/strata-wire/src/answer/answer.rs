//! An answer, whoever gave it.

use strata_model::{Content, Part, Str};

use super::cache_verdict::CacheVerdict;
use super::finish::Finish;
use crate::message::{Role, Turn};
use crate::usage::UsageReport;

/// What answered a request, as far as it came.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Answer {
    /// What the provider calls it.
    pub id: Option<Str>,
    /// `None`: nothing was said.
    pub turn: Option<Turn>,
    /// As the server calls it.
    pub model: Option<Str>,
    /// Why it ended, in the provider's word.
    pub finish: Option<Str>,
    pub usage: Option<UsageReport>,
    /// What the provider says of its cache, where it was asked.
    pub cache_verdict: Option<CacheVerdict>,
    /// A name and a sentence of the provider that failed or refused.
    pub error: Option<(Str, Str)>,
    /// It was streamed, and the stream ended before the answer did.
    pub is_cut: bool,
}

impl Answer {
    /// Its parts.
    pub fn parts(&self) -> &[Part] {
        self.turn.as_ref().map_or(&[], |turn| &turn.parts)
    }

    /// Its parts, as what a model says.
    pub fn into_content(self) -> Content {
        let turn = self.turn.unwrap_or(Turn::new(Role::Model));
        Turn { role: Role::Model, ..turn }.into_content()
    }

    /// Its text, without thoughts.
    pub fn text(&self) -> String {
        self.turn.iter().flat_map(Turn::texts).collect()
    }

    /// It holds nothing: neither text nor a call.
    pub fn is_empty(&self) -> bool {
        let is_something = |part: &Part| {
            part.function_call.is_some() || part.text.as_deref().is_some_and(|text| !text.trim().is_empty())
        };
        !self.parts().iter().any(|part| !part.is_thought() && is_something(part))
    }

    /// Why it ended. `None`: it ended without saying why.
    pub fn ended(&self) -> Option<Finish> {
        let refusal = self.turn.as_ref().and_then(|turn| turn.refusal.as_deref());
        if let Some(words) = refusal.filter(|words| !words.is_empty()) {
            return Some(Finish::Refused(words.to_owned()));
        }
        let blocked = self.error.as_ref().map(|(code, _)| &**code);
        let blocked = blocked.filter(|code| matches!(Finish::of(code), Finish::Filtered(_)));
        match Finish::of(self.finish.as_deref().or(blocked)?) {
            Finish::Stop if self.turn.as_ref().is_some_and(Turn::has_calls) => Some(Finish::ToolCalls),
            finish => Some(finish),
        }
    }
}
