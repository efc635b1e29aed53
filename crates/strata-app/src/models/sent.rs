//! What was sent to servers since Strata was started: by it what they find again, and how fast they are, is predicted.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use strata_measure::analysis::{Counting, SentPrompts, SentTokens};
use strata_measure::tokens::TokenCount;
use strata_model::LlmRequest;
use strata_wire::{CacheRule, Machine};

/// Tokens that a template may put where we know nothing of it: before an instruction, for the most part.
const TEMPLATE_TOKENS: u32 = 64;

/// Servers with their models: address and name.
type Target = (String, String);

/// What was sent, by server and model.
#[derive(Default)]
pub(crate) struct SentHistory {
    known: Mutex<HashMap<Target, Sent>>,
}

/// What was sent to one model of one server. A copy goes on by itself: it tells what would be found of prompts that are
/// sent one after the other.
#[derive(Clone)]
pub(crate) struct Sent {
    prompts: SentPrompts,
    /// The same in the server's own tokens, where it tells them.
    tokens: SentTokens,
    /// Prompts of which it did not.
    n_untold: usize,
    /// Prompt tokens a second that it read anew when it was asked last.
    read_per_s: Option<f64>,
}

/// A prompt that is sent, or would be.
#[derive(Clone, Copy)]
pub(crate) struct SizedPrompt<'p> {
    pub request: &'p LlmRequest,
    /// As the server cuts it into tokens, where it tells.
    pub ids: Option<&'p Arc<[u32]>>,
    /// By our count.
    pub ours: TokenCount,
    /// As the server is likely to report it.
    pub predicted: TokenCount,
}

/// What a server should find of a prompt, and how soon it should answer.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Foreseen {
    /// Exact where the server's own tokens say how far the prompt was sent before, and nothing else decides; else by our
    /// count, in tokens as it is likely to report them.
    pub cached: TokenCount,
    /// It is in the server's own tokens.
    pub in_its_tokens: bool,
    /// Prompts that were sent to it before.
    pub n_sent: usize,
    pub read_per_s: Option<f64>,
}

impl Foreseen {
    /// Seconds until the first token of an answer to a prompt of this size; `None` as long as nobody knows how fast the
    /// server reads.
    pub(crate) fn first_token_s(&self, prompt: TokenCount) -> Option<f64> {
        let fresh = prompt.tokens.saturating_sub(self.cached.tokens);
        self.read_per_s.map(|rate| f64::from(fresh) / rate)
    }
}

impl Sent {
    fn new(model: &str, counting: &Counting) -> Self {
        Self {
            prompts: SentPrompts::new(counting.tokenizer(model)),
            tokens: SentTokens::default(),
            n_untold: 0,
            read_per_s: None,
        }
    }

    pub(crate) fn foresee(
        &self,
        prompt: SizedPrompt<'_>,
        at: (&CacheRule, f64),
        counting: &Counting,
    ) -> Foreseen {
        let cached = match prompt.ids {
            // No breakpoint is set in what is sent from here.
            _ if is_by_breakpoints(at.0) => TokenCount::exact(0),
            Some(ids) if self.n_untold == 0 => {
                let most = self.tokens.predict(ids, at).expected;
                // What llama.cpp moves to main memory it may have thrown away by then; its slot holds the last prompt.
                let is_sure = !matches!(at.0.machine, Machine::LcpSlot { slots: None });
                let least = if is_sure { most } else { self.tokens.common_with_last(ids).min(most) };
                if least == most { TokenCount::exact(most) } else { TokenCount::estimated(most, least, most) }
            }
            _ => {
                let expected = self.prompts.predict(prompt.request, at, counting).expected;
                translated(expected, prompt.ours, prompt.predicted)
            }
        };
        let in_its_tokens = prompt.ids.is_some() && self.n_untold == 0;
        Foreseen { cached, in_its_tokens, n_sent: self.prompts.n_sent(), read_per_s: self.read_per_s }
    }

    pub(crate) fn enter(&mut self, prompt: SizedPrompt<'_>, at: (&CacheRule, f64), counting: &Counting) {
        self.prompts.push(prompt.request.clone(), at, counting);
        match prompt.ids {
            Some(ids) => self.tokens.push(ids.clone(), at),
            None => self.n_untold += 1,
        }
    }
}

impl SentHistory {
    /// What was sent to a model of a server, as a copy.
    pub(crate) fn of(&self, (base_url, model): (&str, &str), counting: &Counting) -> Sent {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let sent = known.get(&(base_url.to_owned(), model.to_owned()));
        sent.cloned().unwrap_or_else(|| Sent::new(model, counting))
    }

    /// A server has read a prompt. `fresh` are the tokens of it that it did not find again, as it reports them.
    pub(crate) fn enter(
        &self,
        (base_url, model): (&str, &str),
        prompt: SizedPrompt<'_>,
        at: (&CacheRule, f64),
        counting: &Counting,
        (fresh, first_token): (Option<u64>, Option<Duration>),
    ) {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let target = (base_url.to_owned(), model.to_owned());
        let sent = known.entry(target).or_insert_with(|| Sent::new(model, counting));
        sent.enter(prompt, at, counting);
        // The time of a short prompt is that of the way to the server and back.
        let rate = fresh.zip(first_token).filter(|(fresh, _)| *fresh >= 256);
        if let Some((fresh, took)) = rate {
            sent.read_per_s = Some(fresh as f64 / took.as_secs_f64().max(1e-3));
        }
    }
}

/// What is found by our count, in tokens as the server is likely to report them.
fn translated(found: u32, ours: TokenCount, predicted: TokenCount) -> TokenCount {
    let scaled = |of: u32| (u64::from(found) * u64::from(of) / u64::from(ours.tokens.max(1))) as u32;
    let [low, tokens, high] = [predicted.low, predicted.tokens, predicted.high].map(scaled);
    let tokens = tokens.min(predicted.tokens);
    let high = high.saturating_add(TEMPLATE_TOKENS).min(predicted.high);
    TokenCount::estimated(tokens, low.saturating_sub(TEMPLATE_TOKENS), high)
}

/// Whether only what is marked in a request is kept.
pub(crate) fn is_by_breakpoints(rule: &CacheRule) -> bool {
    matches!(rule.machine, Machine::Breakpoints { .. })
}
