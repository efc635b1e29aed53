//! Whether a summary still says what a fact says.

use std::collections::{BTreeSet, HashSet};

use super::facts::{Day, Fact, FactKind, FactReader, Quantity, content_words, normal, sentences, url_key};
use super::verdict::Verdict;

/// Share of the words of a sentence that make it the same sentence, and the same in other words.
const KEPT_WORDS: f64 = 0.85;
const PARAPHRASED_WORDS: f64 = 0.5;
/// Share of its names and numbers without which a sentence is another.
const TELLING_WORDS: f64 = 0.6;

/// A summary, prepared for being asked about many facts.
pub(super) struct SummaryText {
    normal: String,
    /// Without the marks that are often left out of names.
    squeezed: String,
    keys: HashSet<String>,
    quantities: Vec<Quantity>,
    days: Vec<Day>,
    /// Each sentence with the one behind it: what was one sentence may have become two.
    sentences: Vec<BTreeSet<String>>,
}

impl SummaryText {
    pub(super) fn new(reader: &FactReader, text: &str) -> Self {
        let facts = reader.read_text(text);
        let words: Vec<BTreeSet<String>> = sentences(text).map(content_words).collect();
        let pairs = words.windows(2).map(|pair| &pair[0] | &pair[1]);
        let of_kind = |kind: FactKind| facts.iter().filter(move |fact| fact.kind == kind);
        Self {
            squeezed: squeezed(text),
            quantities: of_kind(FactKind::Number).filter_map(|fact| Quantity::read(&fact.text)).collect(),
            days: of_kind(FactKind::Date).filter_map(|fact| Day::read(&fact.text)).collect(),
            keys: facts.iter().map(|fact| fact.key.clone()).collect(),
            sentences: words.iter().cloned().chain(pairs).collect(),
            normal: normal(text),
        }
    }

    pub(super) fn verdict(&self, fact: &Fact) -> Verdict {
        if self.keys.contains(&fact.key) || (!fact.kind.is_sentence() && self.has(&normal(&fact.text))) {
            return Verdict::Kept;
        }
        match fact.kind {
            FactKind::Number => self.number(fact),
            FactKind::Date => self.date(fact),
            FactKind::Path => self.path(fact),
            FactKind::Url => self.url(fact),
            FactKind::Identifier => self.identifier(fact),
            FactKind::PendingCall => self.pending_call(fact),
            FactKind::Command => self.words_of(fact, 0.6),
            FactKind::Quoted => self.words_of(fact, 0.7),
            FactKind::Constraint | FactKind::Decision => self.sentence(fact),
        }
    }

    /// Whether the summary holds this, not as a piece of a longer word.
    fn has(&self, text: &str) -> bool {
        if text.is_empty() {
            return false;
        }
        let is_word =
            |letter: Option<char>| letter.is_some_and(|letter| letter.is_alphanumeric() || letter == '_');
        self.normal.match_indices(text).any(|(at, found)| {
            let before = self.normal[..at].chars().next_back();
            let after = self.normal[at + found.len()..].chars().next();
            let begins = !is_word(found.chars().next()) || !is_word(before);
            let ends = !is_word(found.chars().next_back()) || !is_word(after);
            begins && ends
        })
    }

    fn number(&self, fact: &Fact) -> Verdict {
        let Some(quantity) = Quantity::read(&fact.text) else { return Verdict::Dropped };
        if self.quantities.iter().any(|other| quantity.is_rounded_to(other)) {
            return Verdict::Paraphrased;
        }
        // The number alone; small ones stand for too much.
        let digits: String =
            fact.text.chars().filter(|letter| letter.is_ascii_digit() || ",.".contains(*letter)).collect();
        let digits = digits.trim_matches([',', '.']);
        let is_telling = quantity.value.abs() >= 100.0 || digits.contains('.');
        let bare = digits.replace(',', "");
        if is_telling && (self.has(digits) || self.has(&bare)) {
            Verdict::Paraphrased
        } else {
            Verdict::Dropped
        }
    }

    fn date(&self, fact: &Fact) -> Verdict {
        let Some(day) = Day::read(&fact.text) else { return Verdict::Dropped };
        if self.days.iter().any(|other| other.may_be(day)) { Verdict::Paraphrased } else { Verdict::Dropped }
    }

    fn path(&self, fact: &Fact) -> Verdict {
        let normal = normal(&fact.text);
        let name = normal.rsplit(['/', '\\']).next().unwrap_or_default();
        let is_name = name.len() > 3 && name != normal;
        if is_name && self.has(name) { Verdict::Paraphrased } else { Verdict::Dropped }
    }

    fn url(&self, fact: &Fact) -> Verdict {
        let key = url_key(&fact.text);
        if self.has(&key) {
            return Verdict::Kept;
        }
        let last = key.rsplit('/').next().unwrap_or_default();
        let host = key.split('/').next().unwrap_or_default();
        let is_named = last != host && last.len() > 3 && self.has(host) && self.has(last);
        if is_named { Verdict::Paraphrased } else { Verdict::Dropped }
    }

    fn identifier(&self, fact: &Fact) -> Verdict {
        let squeezed = squeezed(&fact.text);
        if squeezed.len() >= 5 && self.squeezed.contains(&squeezed) && self.has_loosely(&fact.text) {
            return Verdict::Paraphrased;
        }
        // Long hashes are quoted by their beginning.
        let lower = normal(&fact.text);
        let is_hash =
            lower.len() >= 16 && lower.chars().all(|letter| letter.is_ascii_hexdigit() || letter == '-');
        if is_hash && self.has(&lower[..8]) { Verdict::Paraphrased } else { Verdict::Dropped }
    }

    /// Whether the pieces of a name follow each other, whatever stands between them.
    fn has_loosely(&self, name: &str) -> bool {
        let pieces: Vec<String> = normal(name)
            .split(|letter: char| !letter.is_alphanumeric())
            .filter(|piece| !piece.is_empty())
            .map(str::to_owned)
            .collect();
        let last = pieces.last().cloned().unwrap_or_default();
        let glued = squeezed(name);
        pieces.iter().all(|piece| self.has(piece)) && !last.is_empty() || self.has(&glued)
    }

    fn pending_call(&self, fact: &Fact) -> Verdict {
        let (name, args) = fact.text.split_once('(').unwrap_or((&fact.text, ""));
        if !self.has(&normal(name)) {
            return Verdict::Dropped;
        }
        let words = content_words(args);
        let n_found = words.iter().filter(|word| self.normal.contains(word.as_str())).count();
        if n_found * 2 >= words.len() { Verdict::Kept } else { Verdict::Paraphrased }
    }

    fn words_of(&self, fact: &Fact, share: f64) -> Verdict {
        if self.overlap(&content_words(&fact.text)) >= share {
            Verdict::Paraphrased
        } else {
            Verdict::Dropped
        }
    }

    fn sentence(&self, fact: &Fact) -> Verdict {
        let words = content_words(&fact.text);
        if self.has(normal(&fact.text).trim_end_matches(['.', '!', ';'])) {
            return Verdict::Kept;
        }
        let best = self.overlap(&words);
        if best >= KEPT_WORDS {
            Verdict::Kept
        } else if best >= PARAPHRASED_WORDS {
            Verdict::Paraphrased
        } else {
            Verdict::Dropped
        }
    }

    /// The largest share of some words that stands in one sentence. A sentence without most of the names and numbers
    /// among them is about something else.
    fn overlap(&self, words: &BTreeSet<String>) -> f64 {
        let is_telling = |word: &&String| word.chars().any(|letter| letter.is_ascii_digit());
        let telling: BTreeSet<String> = words.iter().filter(is_telling).cloned().collect();
        let is_about = |sentence: &&BTreeSet<String>| {
            telling.is_empty() || share_of(&telling, sentence) >= TELLING_WORDS
        };
        self.sentences.iter().filter(is_about).map(|sentence| share_of(words, sentence)).fold(0.0, f64::max)
    }
}

fn share_of(words: &BTreeSet<String>, sentence: &BTreeSet<String>) -> f64 {
    if words.is_empty() {
        return 0.0;
    }
    words.intersection(sentence).count() as f64 / words.len() as f64
}

fn squeezed(text: &str) -> String {
    normal(text).chars().filter(|letter| letter.is_alphanumeric()).collect()
}
