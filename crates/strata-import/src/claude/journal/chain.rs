//! Which messages a request has: those it keeps of the one before it, and its own.

use std::collections::HashMap;

use strata_model::Str;

use super::request::RequestRecord;

/// Hashes of the messages of every request, or why they are not known.
#[derive(Debug)]
pub(super) struct Chains<'r> {
    all: Vec<Result<Vec<&'r Str>, ChainError>>,
    before: Vec<Option<usize>>,
}

/// Why a request cannot be put together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ChainError {
    NoShape,
    NoBase,
    /// It keeps more messages of the request before it than that has.
    ShortBase,
    NoMessage,
    /// Requests of the file together are larger than any session's.
    TooLarge,
}

/// Messages of all requests of a file together. The longest sessions stay below a tenth of it; it keeps a file that is
/// made for it from filling the memory.
const MAX_MESSAGES: usize = 2_000_000;

impl<'r> Chains<'r> {
    /// Of requests in the order in which they were sent.
    pub(super) fn of(requests: &'r [RequestRecord]) -> Self {
        let mut chains = Self { all: Vec::new(), before: Vec::new() };
        let mut places: HashMap<&str, usize> = HashMap::new();
        let mut last_of: HashMap<Option<&str>, usize> = HashMap::new();
        let mut n_messages = 0;
        for (at, request) in requests.iter().enumerate() {
            let base = request.base.as_deref().and_then(|base| places.get(base).copied());
            let mut chain = chains.chain(request, base);
            n_messages += chain.as_ref().map_or(0, Vec::len);
            if n_messages > MAX_MESSAGES {
                chain = Err(ChainError::TooLarge);
            }
            chains.all.push(chain);
            let agent = request.agent_id.as_deref();
            chains.before.push(base.or_else(|| last_of.get(&agent).copied()));
            places.insert(&request.id, at);
            last_of.insert(agent, at);
        }
        chains
    }

    /// The messages of a request; `base` is the place of the one it goes on with, if that is known.
    fn chain(&self, request: &'r RequestRecord, base: Option<usize>) -> Result<Vec<&'r Str>, ChainError> {
        let mut chain = Vec::new();
        if request.base.is_some() {
            let base = self.all[base.ok_or(ChainError::NoBase)?].as_ref().map_err(|_| ChainError::NoBase)?;
            chain.extend_from_slice(base.get(..request.keep).ok_or(ChainError::ShortBase)?);
        }
        chain.extend(&request.tail);
        Ok(chain)
    }

    /// Hashes of the messages of a request, by its place.
    pub(super) fn get(&self, at: usize) -> Result<&[&'r Str], ChainError> {
        self.all[at].as_deref().map_err(|broken| *broken)
    }

    /// The messages of the request it is compared with: the one it goes on with, else the last one of its agent.
    pub(super) fn before(&self, at: usize) -> &[&'r Str] {
        let before = self.before[at].and_then(|before| self.get(before).ok());
        before.unwrap_or_default()
    }
}

impl ChainError {
    /// What is told of it.
    pub(super) fn said(self) -> &'static str {
        match self {
            Self::NoShape => "its system prompt and tools are not in this file",
            Self::NoBase => "the request it goes on with is not in this file, or incomplete",
            Self::ShortBase => "it keeps more messages of the request before it than that one had",
            Self::NoMessage => "messages of it are not in this file",
            Self::TooLarge => "the requests of this file together have more messages than a session can have",
        }
    }
}
