//! Identity by content.

use xxhash_rust::xxh3::xxh3_128;

/// A 128-bit hash of some content. Equal fingerprints are taken to mean equal content.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Fingerprint(pub u128);

impl Fingerprint {
    pub fn of(bytes: &[u8]) -> Self {
        Self(xxh3_128(bytes))
    }

    /// The fingerprint of a sequence that continues `self` with `next`.
    pub fn then(self, next: Self) -> Self {
        let mut bytes = [0; 32];
        bytes[..16].copy_from_slice(&self.0.to_le_bytes());
        bytes[16..].copy_from_slice(&next.0.to_le_bytes());
        Self(xxh3_128(&bytes))
    }
}

/// Builds a [`Fingerprint`] from fields. Every field is delimited, so `("a", "bc")` and `("ab", "c")` differ.
///
/// Most fields are a few bytes: they are gathered and hashed at once, which is several times quicker than feeding a
/// hasher one by one.
pub struct FingerprintBuilder {
    bytes: [u8; GATHERED],
    len: usize,
    /// Of what was gathered before, when it was more than fits.
    before: Option<Fingerprint>,
}

const GATHERED: usize = 512;
/// Longer texts are hashed by themselves instead of being copied.
const COPIED_TEXT: usize = 256;

impl Default for FingerprintBuilder {
    fn default() -> Self {
        Self::new()
    }
}

impl FingerprintBuilder {
    pub fn new() -> Self {
        Self { bytes: [0; GATHERED], len: 0, before: None }
    }

    fn add(&mut self, bytes: &[u8]) {
        if self.len + bytes.len() > GATHERED {
            self.before = Some(self.finish());
            self.len = 0;
        }
        self.bytes[self.len..self.len + bytes.len()].copy_from_slice(bytes);
        self.len += bytes.len();
    }

    pub fn text(&mut self, text: &str) -> &mut Self {
        self.number(text.len() as u64);
        if text.len() > COPIED_TEXT {
            return self.fingerprint(Fingerprint::of(text.as_bytes()));
        }
        self.add(text.as_bytes());
        self
    }

    pub fn optional(&mut self, text: Option<&str>) -> &mut Self {
        match text {
            None => self.number(u64::MAX),
            Some(text) => self.text(text),
        }
    }

    pub fn number(&mut self, number: u64) -> &mut Self {
        self.add(&number.to_le_bytes());
        self
    }

    pub fn flag(&mut self, flag: bool) -> &mut Self {
        self.number(u64::from(flag))
    }

    pub fn fingerprint(&mut self, fingerprint: Fingerprint) -> &mut Self {
        self.add(&fingerprint.0.to_le_bytes());
        self
    }

    pub fn finish(&self) -> Fingerprint {
        let gathered = Fingerprint::of(&self.bytes[..self.len]);
        self.before.map_or(gathered, |before| before.then(gathered))
    }
}

/// Lets anything that implements `Hash` be fingerprinted.
impl std::hash::Hasher for FingerprintBuilder {
    fn write(&mut self, bytes: &[u8]) {
        bytes.chunks(COPIED_TEXT).for_each(|bytes| self.add(bytes));
    }

    fn finish(&self) -> u64 {
        Self::finish(self).0 as u64
    }
}
