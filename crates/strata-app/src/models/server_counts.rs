//! Prompts as servers counted them, so that none is sent twice to be counted.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};

use strata_measure::tokens::TokenCount;
use strata_model::Fingerprint;
use strata_provider::PromptCount;

/// Prompts that are remembered, and the tokens that are held of them together: 16 MB.
const MOST: usize = 10_000;
const MOST_TOKENS: usize = 4 << 20;

/// What a server says of the tokens of a prompt.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct ServerCount {
    /// `None` where it does not count, or failed to.
    pub tokens: Option<TokenCount>,
    /// The numbers of its tokens, where it tells them.
    pub ids: Option<Arc<[u32]>>,
    /// Why it did not count this prompt, though it may be asked to.
    pub failure: Option<String>,
}

impl ServerCount {
    pub(super) fn of(counted: Option<PromptCount>) -> Self {
        let Some(counted) = counted else { return Self::default() };
        let tokens = u32::try_from(counted.tokens).unwrap_or(u32::MAX);
        Self { tokens: Some(TokenCount::exact(tokens)), ids: counted.ids.map(Arc::from), failure: None }
    }

    pub(super) fn failed(why: String) -> Self {
        Self { failure: Some(why), ..Self::default() }
    }
}

/// What servers counted, by what they were asked. The oldest is forgotten first.
#[derive(Default)]
pub(super) struct ServerCounts {
    known: Mutex<Known>,
}

#[derive(Default)]
struct Known {
    counts: HashMap<Fingerprint, ServerCount>,
    /// The oldest first.
    order: VecDeque<Fingerprint>,
    n_tokens: usize,
}

impl ServerCounts {
    pub(super) fn get(&self, key: Fingerprint) -> Option<ServerCount> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner).counts.get(&key).cloned()
    }

    pub(super) fn keep(&self, key: Fingerprint, count: &ServerCount) {
        let held = |count: &ServerCount| count.ids.as_ref().map_or(0, |ids| ids.len());
        let known = &mut *self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if known.counts.contains_key(&key) {
            return;
        }
        known.n_tokens += held(count);
        known.counts.insert(key, count.clone());
        known.order.push_back(key);
        while known.order.len() > MOST || (known.n_tokens > MOST_TOKENS && known.order.len() > 1) {
            let oldest = known.order.pop_front().and_then(|oldest| known.counts.remove(&oldest));
            known.n_tokens -= oldest.as_ref().map_or(0, held);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(n: usize) -> ServerCount {
        ServerCount::of(Some(PromptCount { tokens: n as u64, ids: Some(vec![7; n]) }))
    }

    #[test]
    fn the_oldest_are_forgotten_first() {
        let counts = ServerCounts::default();
        for at in 0..3_u64 {
            counts.keep(Fingerprint(at.into()), &count(MOST_TOKENS / 2));
        }
        assert_eq!(counts.get(Fingerprint(0)), None);
        assert_eq!(counts.get(Fingerprint(2)), Some(count(MOST_TOKENS / 2)));
        for at in 10..=10 + MOST as u64 {
            counts.keep(Fingerprint(at.into()), &count(1));
        }
        assert_eq!(counts.get(Fingerprint(10)), None);
        assert_eq!(counts.known.lock().unwrap().n_tokens, MOST);
    }
}
