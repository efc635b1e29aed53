//! Cutting a text where the cut cannot change its tokens.
//!
//! Every vocabulary here first splits text into words with a regular expression that reads from left to right and
//! never looks back, then merges bytes within each word. So a cut is safe when no word can reach across it from
//! either side, whatever else the text holds:
//!
//! - after an ASCII letter or digit (or a letter of the scripts in [`is_plain_letter`]), before an ASCII character of
//!   another kind: a run of letters or digits ends there in every expression. Not before `'`, which may start a
//!   suffix such as `'s`;
//! - after the same, before CJK punctuation;
//! - after `\n`, before anything that is neither white space nor `/`: line ends stand at the end of a word in every
//!   expression, where o200k admits `/` among them.
//!
//! Counts of the pieces then add up to the count of the text. A test holds this against every vocabulary.

use strata_model::Fingerprint;

/// A chunk is longer than this many bytes only where there is no safe cut.
pub(super) const LONGEST: usize = 4 << 10;

/// One in so many places is looked at, by the bytes around it. Prose has a safe cut every six bytes, so there are a
/// few of these candidates in [`LONGEST`] bytes.
const CANDIDATES_ONE_IN: u64 = 256;

/// Bytes before a candidate that its rank depends on: enough to tell the rows of a table apart.
const RANKED: usize = 32;

/// Cuts `text` at safe places that depend on the text nearby and not on what stands before it: after an edit, the
/// chunks are the same again within a few KB. Chunks are 2 KB long on average, and joined they are the text.
///
/// The cut is chosen by winnowing (Schleimer et al. 2003): in every window of [`LONGEST`] bytes, the candidate with
/// the lowest rank.
pub(super) fn chunks(text: &str) -> impl Iterator<Item = &str> {
    let candidates = if text.len() <= LONGEST { Vec::new() } else { candidates(text) };
    let mut cuts = Cuts { text, candidates, next: 0, start: 0, rank: 0 };
    std::iter::from_fn(move || cuts.next_chunk())
}

/// A safe cut that may be chosen.
struct Candidate {
    at: usize,
    /// A number that depends on the text just before it and nothing else.
    rank: u64,
}

fn candidates(text: &str) -> Vec<Candidate> {
    let bytes = text.as_bytes();
    let mut candidates = Vec::new();
    for (at, around) in bytes.array_windows::<8>().enumerate().skip(RANKED) {
        let at = at + 7;
        let spread = u64::from_le_bytes(*around).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        if spread < u64::MAX / CANDIDATES_ONE_IN && is_safe_cut(text, at) {
            let rank = Fingerprint::of(&bytes[at - RANKED..at]).0 as u64;
            candidates.push(Candidate { at, rank });
        }
    }
    candidates
}

struct Cuts<'t> {
    text: &'t str,
    candidates: Vec<Candidate>,
    /// The first candidate behind `start`.
    next: usize,
    /// Where the next chunk starts, and the rank of the cut there.
    start: usize,
    rank: u64,
}

impl<'t> Cuts<'t> {
    fn next_chunk(&mut self) -> Option<&'t str> {
        let start = self.start;
        if start == self.text.len() {
            return None;
        }
        (self.start, self.rank) = self.next_cut();
        let passed = self.candidates[self.next..].iter().take_while(|candidate| candidate.at <= self.start);
        self.next += passed.count();
        self.text.get(start..self.start)
    }

    /// The end of the chunk at `start`, and its rank.
    fn next_cut(&self) -> (usize, u64) {
        let end = self.start + LONGEST;
        if end >= self.text.len() {
            return (self.text.len(), 0);
        }
        let mut chosen: Option<&Candidate> = None;
        for candidate in self.candidates[self.next..].iter().take_while(|candidate| candidate.at <= end) {
            if chosen.is_none_or(|chosen| candidate.rank <= chosen.rank) {
                chosen = Some(candidate);
                if candidate.rank < self.rank {
                    break;
                }
            }
        }
        chosen.map_or_else(|| (self.any_cut(end), u64::MAX), |candidate| (candidate.at, candidate.rank))
    }

    /// The last safe cut up to `end`, or the first one behind it.
    fn any_cut(&self, end: usize) -> usize {
        let is_safe = |at: &usize| is_safe_cut(self.text, *at);
        let near = (self.start + 1..=end).rev().find(is_safe);
        near.or_else(|| (end + 1..self.text.len()).find(is_safe)).unwrap_or(self.text.len())
    }
}

/// What matters about a byte on either side of a cut.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Letter,
    Digit,
    NewLine,
    Slash,
    Apostrophe,
    /// The other visible ASCII characters.
    Sign,
    /// White space other than the line feed, and control characters.
    Blank,
    NotAscii,
}

const KINDS: [Kind; 256] = {
    let mut kinds = [Kind::NotAscii; 256];
    let mut byte = 0;
    while byte < 128 {
        kinds[byte as usize] = match byte {
            b'a'..=b'z' | b'A'..=b'Z' => Kind::Letter,
            b'0'..=b'9' => Kind::Digit,
            b'\n' => Kind::NewLine,
            b'/' => Kind::Slash,
            b'\'' => Kind::Apostrophe,
            b'!'..=b'~' => Kind::Sign,
            _ => Kind::Blank,
        };
        byte += 1;
    }
    kinds
};

/// Whether the text may be cut before byte `at`, which must lie inside it. `false` says nothing.
pub(super) fn is_safe_cut(text: &str, at: usize) -> bool {
    use Kind::{Apostrophe, Blank, Digit, Letter, NewLine, NotAscii, Sign, Slash};
    let bytes = text.as_bytes();
    match (KINDS[bytes[at - 1] as usize], KINDS[bytes[at] as usize]) {
        (Letter, Digit | NewLine | Slash | Sign | Blank) => true,
        (Digit, Letter | NewLine | Slash | Sign | Blank) => true,
        (NewLine, Letter | Digit | Apostrophe | Sign) => true,
        (NotAscii, Digit | NewLine | Slash | Sign | Blank) => {
            char_before(text, at).is_some_and(is_plain_letter)
        }
        (Letter | Digit, NotAscii) => char_after(text, at).is_some_and(is_cjk_punctuation),
        (NewLine, NotAscii) => char_after(text, at).is_some_and(|c| !c.is_whitespace()),
        (NotAscii, NotAscii) => {
            char_after(text, at).is_some_and(is_cjk_punctuation)
                && char_before(text, at).is_some_and(is_plain_letter)
        }
        _ => false,
    }
}

fn char_before(text: &str, at: usize) -> Option<char> {
    text.get(..at)?.chars().next_back()
}

fn char_after(text: &str, at: usize) -> Option<char> {
    text.get(at..)?.chars().next()
}

/// Letters of wide-spread scripts, from ranges that hold nothing but letters.
fn is_plain_letter(c: char) -> bool {
    matches!(c,
        '\u{C0}'..='\u{D6}' | '\u{D8}'..='\u{F6}' | '\u{F8}'..='\u{24F}' // Latin
        | '\u{391}'..='\u{3A1}' | '\u{3A3}'..='\u{3CE}' // Greek
        | '\u{400}'..='\u{481}' | '\u{48A}'..='\u{52F}' // Cyrillic
        | '\u{5D0}'..='\u{5EA}' | '\u{620}'..='\u{64A}' // Hebrew, Arabic
        | '\u{3041}'..='\u{3096}' | '\u{30A1}'..='\u{30FA}' // Kana
        | '\u{4E00}'..='\u{9FA5}' | '\u{AC00}'..='\u{D7A3}' // Han, Hangul
    )
}

fn is_cjk_punctuation(c: char) -> bool {
    matches!(c, '、' | '。' | '「' | '」' | '（' | '）' | '，' | '：' | '；' | '！' | '？')
}
