//! Messages and shapes that are written down as such, by the hashes that name them.

use std::collections::HashMap;
use std::sync::Arc;

use strata_model::{Json, Str};

use super::hash::hash_of;

#[derive(Debug, Clone, Default)]
pub(super) struct Pieces {
    messages: HashMap<Str, Arc<Json>>,
    /// System prompts and tools: `{system, tools}`.
    shapes: HashMap<Str, Arc<Json>>,
    n_read: usize,
    n_changed: usize,
}

impl Pieces {
    pub(super) fn add_message(&mut self, hash: Str, message: Json) {
        self.note(&hash, &message);
        self.messages.insert(hash, Arc::new(message));
    }

    pub(super) fn add_shape(&mut self, hash: Str, shape: Json) {
        self.note(&hash, &shape);
        self.shapes.insert(hash, Arc::new(shape));
    }

    fn note(&mut self, hash: &Str, piece: &Json) {
        self.n_read += 1;
        self.n_changed += usize::from(hash_of(piece) != *hash);
    }

    pub(super) fn message(&self, hash: &str) -> Option<&Json> {
        self.messages.get(hash).map(|message| &**message)
    }

    pub(super) fn shape(&self, hash: &str) -> Option<&Json> {
        self.shapes.get(hash).map(|shape| &**shape)
    }

    pub(super) fn n_read(&self) -> usize {
        self.n_read
    }

    /// How many do not have the hash that was written with them: somebody changed the file afterwards.
    pub(super) fn n_changed(&self) -> usize {
        self.n_changed
    }
}
