//! Texts that records repeat, kept once.

use std::sync::Arc;

use xxhash_rust::xxh3::xxh3_64;

/// Slots of a table. Sessions have a few dozen keys and about as many short texts (roles, kinds, names) at a time.
const SLOTS: usize = 512;
/// Longer texts are rarely the same twice.
const MAX_BYTES: usize = 24;

/// Hands out shared copies of keys and short texts. It remembers what was met last, so its size is bounded.
#[derive(Debug)]
pub struct Interner {
    keys: Table,
    texts: Table,
    /// Room in which texts with escapes are put together.
    pub(super) tape: Vec<u8>,
}

impl Default for Interner {
    fn default() -> Self {
        Self { keys: Table(vec![None; SLOTS]), texts: Table(vec![None; SLOTS]), tape: Vec::new() }
    }
}

impl Interner {
    /// One that remembers nothing: for a text that is read by itself.
    pub fn forgetful() -> Self {
        Self { keys: Table(Vec::new()), texts: Table(Vec::new()), tape: Vec::new() }
    }

    pub(super) fn key(&mut self, key: &str) -> Arc<str> {
        self.keys.get(key)
    }

    pub(super) fn text(&mut self, text: &str) -> Arc<str> {
        self.texts.get(text)
    }
}

/// The text met last for each hash.
#[derive(Debug)]
struct Table(Vec<Option<Arc<str>>>);

impl Table {
    fn get(&mut self, text: &str) -> Arc<str> {
        if text.len() > MAX_BYTES || self.0.is_empty() {
            return text.into();
        }
        let slot = &mut self.0[xxh3_64(text.as_bytes()) as usize % SLOTS];
        match slot {
            Some(known) if **known == *text => known.clone(),
            _ => slot.insert(text.into()).clone(),
        }
    }
}
