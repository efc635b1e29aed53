//! Where the parts of an event lie in prompts.

use std::collections::HashMap;

use strata_model::{EventIndex, Fingerprint, LlmRequest};

use super::weigh::{Piece, Scale, WeighedBlock, WeighedChunk};

/// Finds an event in one prompt after the other. What prompts share is looked through once.
#[derive(Debug)]
pub struct EventFinder {
    event: EventIndex,
    /// Tokens before it in full blocks, and in full chunks; `None` where it is not in them.
    blocks: HashMap<Fingerprint, Option<u32>>,
    chunks: HashMap<Fingerprint, Option<u32>>,
}

impl EventFinder {
    pub fn new(event: EventIndex) -> Self {
        Self { event, blocks: HashMap::new(), chunks: HashMap::new() }
    }

    /// Tokens of the pieces before the first one of the event; what nobody wrote around them is left out. `None` where
    /// the prompt has none of it. What stands behind it is not weighed.
    pub fn tokens_before(&mut self, request: &LlmRequest, scale: &Scale<'_>) -> Option<u32> {
        let head = scale.head_of(request);
        if let Some(before) = self.in_pieces(&head.pieces) {
            return Some(before);
        }
        let mut before = head.tokens.tokens;
        for block in scale.blocks_of(request) {
            if let Some(within) = self.in_block(&block) {
                return Some(before + within);
            }
            before += block.tokens.tokens;
        }
        None
    }

    fn in_block(&mut self, block: &WeighedBlock) -> Option<u32> {
        if let Some(known) = self.blocks.get(&block.key) {
            return *known;
        }
        let mut before = 0;
        let found = block.chunks.iter().find_map(|chunk| {
            let within = self.in_chunk(chunk).map(|within| before + within);
            before += chunk.tokens.tokens;
            within
        });
        if block.is_full {
            self.blocks.insert(block.key, found);
        }
        found
    }

    fn in_chunk(&mut self, chunk: &WeighedChunk) -> Option<u32> {
        if let Some(known) = self.chunks.get(&chunk.key) {
            return *known;
        }
        let mut before = 0;
        let found = chunk.contents.iter().find_map(|content| {
            let within = self.in_pieces(&content.pieces).map(|within| before + within);
            before += content.tokens.tokens;
            within
        });
        if chunk.is_full {
            self.chunks.insert(chunk.key, found);
        }
        found
    }

    fn in_pieces(&self, pieces: &[Piece]) -> Option<u32> {
        let at = pieces.iter().position(|piece| piece.origin.event() == Some(self.event))?;
        Some(pieces[..at].iter().map(|piece| piece.tokens).sum())
    }
}
