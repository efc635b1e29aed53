//! Messages by their hashes, wherever the file has them.

use std::collections::HashMap;

use strata_model::{Json, Str};

use super::pieces::Pieces;
use super::request::RequestRecord;
use super::said::JournalMessages;
use crate::claude::ids::EntryId;
use crate::imported::Alignment;

#[derive(Debug)]
pub(super) struct Messages<'j> {
    pieces: &'j Pieces,
    said: &'j JournalMessages,
    /// Events that answer a request, by its id.
    answers: &'j HashMap<Str, Vec<EntryId>>,
    /// Those that only the transcript holds, once one was looked for.
    of_transcript: Option<HashMap<Str, Json>>,
    /// Those that were found by their place.
    placed: HashMap<Str, Json>,
}

impl<'j> Messages<'j> {
    pub(super) fn new(
        pieces: &'j Pieces,
        said: &'j JournalMessages,
        answers: &'j HashMap<Str, Vec<EntryId>>,
    ) -> Self {
        Self { pieces, said, answers, of_transcript: None, placed: HashMap::new() }
    }

    /// How many messages were found by their place.
    pub(super) fn n_placed(&self) -> usize {
        self.placed.len()
    }

    fn get(&mut self, hash: &str) -> Option<&Json> {
        if let Some(message) = self.pieces.message(hash) {
            return Some(message);
        }
        let of_transcript = self.of_transcript.get_or_insert_with(|| self.said.by_hash());
        of_transcript.get(hash).or_else(|| self.placed.get(hash))
    }

    /// The messages of a request, or `None` where one is not in the file.
    pub(super) fn all(&mut self, hashes: &[&Str], request: &RequestRecord) -> Option<Vec<Json>> {
        let mut messages: Vec<Json> = Vec::with_capacity(hashes.len());
        for (at, hash) in hashes.iter().enumerate() {
            let known = self.get(hash).cloned();
            let message = match known {
                Some(message) => message,
                None => {
                    let message = self.by_place(at, messages.last(), request)?;
                    self.placed.insert((*hash).clone(), message.clone());
                    message
                }
            };
            messages.push(message);
        }
        Some(messages)
    }

    /// A message of a file that was changed after it was written, so that texts have other hashes: the answer to the
    /// request before it stands behind what is kept of that, and results of tools behind their calls.
    fn by_place(&self, at: usize, before: Option<&Json>, request: &RequestRecord) -> Option<Json> {
        if self.pieces.n_changed() == 0 {
            return None;
        }
        if let Some(results) = before.and_then(|before| self.said.results_for(before)) {
            return Some(results);
        }
        let base = request.base.as_ref().filter(|_| at == request.keep)?;
        let [answer] = self.answers.get(base)?[..] else { return None };
        self.said.response(answer)
    }

    /// How a request stands to the one before it.
    pub(super) fn alignment(&mut self, before: &[&Str], now: &[&Str]) -> Alignment {
        let n_shared = before.iter().zip(now).take_while(|(a, b)| a == b).count();
        let mut n_parts = |hashes: &[&Str]| hashes.iter().map(|hash| self.n_parts(hash)).sum();
        Alignment {
            shared: n_parts(&now[..n_shared]),
            appended: n_parts(&now[n_shared..]),
            removed: n_parts(&before[n_shared..]),
            rewritten: 0,
        }
    }

    fn n_parts(&mut self, hash: &str) -> usize {
        let content = self.get(hash).and_then(|message| message.get("content"));
        content.map_or(0, |content| content.as_array().map_or(1, <[Json]>::len))
    }
}
