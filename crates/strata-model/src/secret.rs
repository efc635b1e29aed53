//! Finding secrets in text: keys, tokens, passwords, private keys.
//!
//! One table says what a secret looks like. It is found by what surrounds it or begins it, never by looking random:
//! identifiers, hashes and pictures in base64 look random, too. What surrounds it is often a name, and one rule says which
//! names are those of credentials: [`named`]. A text is read as what it means where JSON has escaped it.

mod meaning;
mod name;
mod table;

use std::borrow::Cow;
use std::ops::Range;
use std::sync::LazyLock;

use regex::bytes::{Captures, Regex};

use meaning::Meaning;
pub use name::{Named, is_in_request, named};
use table::{Candidate, KINDS, Kind};

/// A secret in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Secret {
    /// Its bytes, without the name or header before it. On borders of characters.
    pub range: Range<usize>,
    /// What it is, in words: "GitHub token".
    pub kind: &'static str,
}

/// A text whose secrets are masked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Masked {
    pub text: String,
    /// What was masked, in the order of the text.
    pub kinds: Vec<&'static str>,
}

struct Finder {
    regex: Regex,
    /// The kind of the n-th group, counted from 0.
    groups: Vec<&'static Kind>,
}

impl Finder {
    fn of(kinds: impl Iterator<Item = &'static Kind>) -> Self {
        let groups: Vec<&'static Kind> = kinds.collect();
        let all = groups.iter().map(|kind| kind.pattern).collect::<Vec<_>>().join("|");
        // Each pattern has one group; a test reads all of them.
        let regex = Regex::new(&all).unwrap_or_else(|error| unreachable!("the table of secrets: {error}"));
        Self { regex, groups }
    }

    /// `found` says from where to go on, if at all.
    fn find(&self, bytes: &[u8], mut found: impl FnMut(Secret) -> Option<usize>) {
        let mut from = 0;
        while from <= bytes.len() {
            let Some(captures) = self.regex.captures_at(bytes, from) else { return };
            let Some(whole) = captures.get(0) else { return };
            match self.secret(&captures, bytes) {
                Some(secret) => {
                    let Some(next) = found(secret) else { return };
                    from = next;
                }
                // What begins like a secret may hide one that begins behind it.
                None => from = whole.start() + 1,
            }
        }
    }

    fn secret(&self, captures: &Captures<'_>, bytes: &[u8]) -> Option<Secret> {
        let (at, group) = captures.iter().skip(1).enumerate().find_map(|(at, group)| Some((at, group?)))?;
        let kind = *self.groups.get(at)?;
        let start = captures.get(0)?.start();
        if kind.stands_alone && !begins_a_word(&bytes[..start]) {
            return None;
        }
        let is_masked = MASKS.iter().any(|mask| group.as_bytes().starts_with(mask.as_bytes()));
        if is_masked || !(kind.is_one)(&Candidate { bytes, start, value: group.range() }) {
            return None;
        }
        // A name says less than what a key begins with.
        let inner = if kind.stands_alone { None } else { self.regex.captures_at(bytes, group.start()) };
        let inner = inner.filter(|inner| inner.get(0).is_some_and(|inner| inner.start() == group.start()));
        if let Some(inner) = inner.and_then(|inner| self.secret(&inner, bytes)) {
            return Some(inner);
        }
        Some(Secret { range: group.range(), kind: kind.name })
    }
}

/// Whether what follows these bytes stands alone.
fn begins_a_word(before: &[u8]) -> bool {
    before.last().is_none_or(|last| !(last.is_ascii_alphanumeric() || b"_-/+".contains(last)))
}

/// What masks begin with: they are no secrets.
const MASKS: [&str; 2] = ["‹", "•"];

static ALL: LazyLock<Finder> = LazyLock::new(|| Finder::of(KINDS.iter()));
static CREDENTIALS: LazyLock<Finder> =
    LazyLock::new(|| Finder::of(KINDS.iter().filter(|kind| kind.is_credential)));

/// The secrets of a text, in its order; they do not overlap. Of JSON, each is within one of its strings: without them it
/// is still JSON.
pub fn find(text: &str) -> Vec<Secret> {
    let meaning = Meaning::of(text.as_bytes());
    let mut secrets = Vec::new();
    ALL.find(&meaning.bytes, |Secret { range, kind }| {
        let place = meaning.place(range.start)..meaning.place(range.end);
        if text.get(place.clone()).is_some() {
            secrets.push(Secret { range: place, kind });
        }
        Some(range.end)
    });
    secrets
}

/// Whether `bytes` hold an API key or an authorization header with its value: what is not written to disk beside the
/// words of a session.
pub fn holds_credential(bytes: &[u8]) -> bool {
    let mut holds = false;
    CREDENTIALS.find(&Meaning::of(bytes).bytes, |_| {
        holds = true;
        None
    });
    holds
}

/// Whether a value may be a key: for what stands under a name that is [perhaps](Named::Perhaps) one of a credential.
pub fn looks_like_key(value: &str) -> bool {
    table::is_key(value.as_bytes(), true)
}

/// How a mask begins; the kind of what it hides follows.
const MASK: &str = "‹redacted: ";

/// The text with each secret replaced by what it is: `‹redacted: GitHub token›`. `None` where there is none.
pub fn mask(text: &str) -> Option<Masked> {
    masked(text, &find(text), |secret, _| label(secret.kind))
}

/// The text as [`mask`] has it, and as it is where there is none.
pub fn without(text: &str) -> Cow<'_, str> {
    mask(text).map_or(Cow::Borrowed(text), |masked| Cow::Owned(masked.text))
}

/// What stands in the place of a secret of this kind.
pub fn label(kind: &str) -> String {
    format!("{MASK}{kind}›")
}

/// Whether a text was masked: what it hides cannot be had from it.
pub fn is_masked(text: &str) -> bool {
    text.contains(MASK) || text.contains("••••")
}

/// As [`mask`], with masks as long as what they hide, in UTF-16 units: places in the text stay what they are.
pub fn mask_in_place(text: &str) -> Option<Masked> {
    masked(text, &find(text), |secret, hidden| {
        let length = hidden.encode_utf16().count();
        let label = label(secret.kind);
        let label_length = label.chars().count();
        if length < label_length {
            return "•".repeat(length);
        }
        label + &"•".repeat(length - label_length)
    })
}

fn masked(text: &str, secrets: &[Secret], label: impl Fn(&Secret, &str) -> String) -> Option<Masked> {
    if secrets.is_empty() {
        return None;
    }
    let mut masked = String::with_capacity(text.len());
    let mut from = 0;
    for secret in secrets {
        masked.push_str(&text[from..secret.range.start]);
        masked.push_str(&label(secret, &text[secret.range.clone()]));
        from = secret.range.end;
    }
    masked.push_str(&text[from..]);
    Some(Masked { text: masked, kinds: secrets.iter().map(|secret| secret.kind).collect() })
}

#[cfg(test)]
mod tests;
