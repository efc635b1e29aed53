//! Counts that were made once are not made again.

use std::borrow::Cow;
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use strata_model::Fingerprint;

use super::content_class::ContentClass;
use super::engine;
use super::marks::Marks;
use super::safe_cuts;
use super::vocabulary::{TokenCounter, Vocabulary};

/// What is remembered of a text, or of a part of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Measure {
    /// Tokens of the vocabulary it was counted with.
    pub tokens: u32,
    pub class: ContentClass,
    pub marks: Marks,
}

/// What a memo has been asked and has done since it was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MemoStats {
    pub hits: u64,
    pub misses: u64,
    /// Bytes that were given to a tokenizer.
    pub tokenized_bytes: u64,
    /// Counts that are remembered.
    pub n_known: usize,
}

/// Counts by content, shared between threads.
///
/// A text of more than 4 KB is remembered in chunks, so that an edit of one byte tokenises a few KB again. Memory is
/// bounded: of the counts beyond the limit, those not asked for the longest are forgotten, half of the memo at a time.
pub struct CountMemo {
    shards: Vec<Mutex<Shard>>,
    /// Most entries of each of the two generations of a shard.
    generation_len: usize,
    hits: AtomicU64,
    misses: AtomicU64,
    tokenized_bytes: AtomicU64,
}

/// By fingerprint XOR [`salt`] of the vocabulary.
type Entries = HashMap<u128, Measure, BuildHasherDefault<KeyBits>>;

#[derive(Default)]
struct Shard {
    recent: Entries,
    /// What was recent before `recent` was full. Asked for again, an entry moves back.
    older: Entries,
}

const SHARDS: usize = 16;

impl Default for CountMemo {
    fn default() -> Self {
        Self::new(Self::DEFAULT_LIMIT)
    }
}

impl CountMemo {
    /// Entries of a memo made by default: about 25 MB when full. A session of 10,000 events has some 20,000.
    pub const DEFAULT_LIMIT: usize = 450_000;

    /// A memo that holds up to `limit` entries (at least 32), of about 55 bytes each.
    pub fn new(limit: usize) -> Self {
        Self {
            shards: std::iter::repeat_with(Mutex::default).take(SHARDS).collect(),
            generation_len: (limit / SHARDS / 2).max(1),
            hits: AtomicU64::new(0),
            misses: AtomicU64::new(0),
            tokenized_bytes: AtomicU64::new(0),
        }
    }

    /// Counts `text`, tokenising the chunks that are not known. The class is that of most of its tokens.
    pub fn measure(&self, counter: &dyn TokenCounter, text: &str) -> Measure {
        let mut tokens_by_class = [0; ContentClass::ALL.len()];
        let mut marks = Marks::default();
        for chunk in safe_cuts::chunks(text) {
            let fingerprint = Fingerprint::of(chunk.as_bytes());
            let measure = self.get_or(fingerprint, counter.vocabulary(), || self.tokenize(counter, chunk));
            tokens_by_class[measure.class as usize] += measure.tokens;
            marks += measure.marks;
        }
        let is_forced = tokens_by_class[ContentClass::Unbroken as usize] > 0;
        let most = ContentClass::ALL.into_iter().max_by_key(|class| tokens_by_class[*class as usize]);
        let class = if is_forced { Some(ContentClass::Unbroken) } else { most };
        Measure { tokens: tokens_by_class.iter().sum(), class: class.unwrap_or(ContentClass::Prose), marks }
    }

    /// As [`Self::measure`], known under the fingerprint of what `render` gives the text of.
    pub fn measure_as<'t>(
        &self,
        fingerprint: Fingerprint,
        counter: &dyn TokenCounter,
        render: impl FnOnce() -> Cow<'t, str>,
    ) -> Measure {
        self.get_or(fingerprint, counter.vocabulary(), || {
            let text = render();
            // What fits one chunk would only be remembered twice.
            if text.len() <= safe_cuts::LONGEST {
                self.tokenize(counter, &text)
            } else {
                self.measure(counter, &text)
            }
        })
    }

    /// The measure known under `fingerprint`, else the one that `make` gives, which is then known.
    pub fn get_or(
        &self,
        fingerprint: Fingerprint,
        vocabulary: Vocabulary,
        make: impl FnOnce() -> Measure,
    ) -> Measure {
        let key = fingerprint.0 ^ salt(vocabulary);
        if let Some(known) = self.shard(key, |shard| shard.get(key, self.generation_len)) {
            self.hits.fetch_add(1, Ordering::Relaxed);
            return known;
        }
        self.misses.fetch_add(1, Ordering::Relaxed);
        let measure = make();
        self.shard(key, |shard| shard.insert(key, measure, self.generation_len));
        measure
    }

    pub fn stats(&self) -> MemoStats {
        MemoStats {
            hits: self.hits.load(Ordering::Relaxed),
            misses: self.misses.load(Ordering::Relaxed),
            tokenized_bytes: self.tokenized_bytes.load(Ordering::Relaxed),
            n_known: self.shards.iter().map(|shard| Shard::len(&lock(shard))).sum(),
        }
    }

    fn tokenize(&self, counter: &dyn TokenCounter, chunk: &str) -> Measure {
        self.tokenized_bytes.fetch_add(chunk.len() as u64, Ordering::Relaxed);
        let class = if engine::is_forced(counter.vocabulary(), chunk) {
            ContentClass::Unbroken
        } else {
            ContentClass::of(chunk)
        };
        Measure { tokens: counter.count(chunk), class, marks: Marks::of(chunk) }
    }

    fn shard<T>(&self, key: u128, with: impl FnOnce(&mut Shard) -> T) -> T {
        // The low half of a key finds its place in a map, the high half its map.
        let shard = &self.shards[(key >> 64) as usize % SHARDS];
        with(&mut lock(shard))
    }
}

fn lock(shard: &Mutex<Shard>) -> MutexGuard<'_, Shard> {
    shard.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Shard {
    fn len(&self) -> usize {
        self.recent.len() + self.older.len()
    }

    fn get(&mut self, key: u128, generation_len: usize) -> Option<Measure> {
        if let Some(measure) = self.recent.get(&key) {
            return Some(*measure);
        }
        let measure = self.older.remove(&key)?;
        self.insert(key, measure, generation_len);
        Some(measure)
    }

    fn insert(&mut self, key: u128, measure: Measure, generation_len: usize) {
        if self.recent.len() >= generation_len {
            self.older = std::mem::take(&mut self.recent);
        }
        self.recent.insert(key, measure);
    }
}

fn salt(vocabulary: Vocabulary) -> u128 {
    Fingerprint::of(vocabulary.name().as_bytes()).0
}

/// Keys are hashes already: their low half serves as it is.
#[derive(Default)]
struct KeyBits(u64);

impl Hasher for KeyBits {
    fn write(&mut self, bytes: &[u8]) {
        for (at, byte) in bytes.iter().enumerate() {
            self.0 ^= u64::from(*byte) << (at % 8 * 8);
        }
    }

    fn write_u128(&mut self, key: u128) {
        self.0 = key as u64;
    }

    fn finish(&self) -> u64 {
        self.0
    }
}
