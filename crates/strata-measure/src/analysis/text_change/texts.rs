//! Two texts in one place, and what is found of their first difference.

use strata_model::text::common_end;

use super::kind::ChangeKind;
use super::words::{Word, differing, is_gap, lines_from, run_around};

/// Bytes by which a text has to be shorter for a value not to be what it lost.
const MANY_BYTES: usize = 160;

/// Two texts and the number of bytes both begin with.
pub(super) struct Texts<'t> {
    pub before: &'t str,
    pub after: &'t str,
    pub at: usize,
}

#[derive(Clone, Copy)]
pub(super) struct Found<'t> {
    pub kind: ChangeKind,
    pub before: &'t str,
    pub after: &'t str,
    /// The byte of the later text where what is before the value ends.
    pub label_end: usize,
}

impl<'t> Texts<'t> {
    /// Behind what both begin with.
    fn rests(&self) -> (&'t str, &'t str) {
        (&self.before[self.at..], &self.after[self.at..])
    }

    /// The same from here on but for white space, or on this line.
    pub(super) fn white_space(&self) -> Option<Found<'t>> {
        let (before, after) = self.rests();
        let solid = |text: &'t str| text.chars().filter(|letter| !letter.is_whitespace());
        let line = |text: &'t str| lines_from(text, self.at).next().unwrap_or_default();
        let is_same_line = !line(self.before).trim().is_empty()
            && solid(line(self.before)).eq(solid(line(self.after)))
            && line(self.before) != line(self.after);
        if !is_same_line && !solid(before).eq(solid(after)) {
            return None;
        }
        let (before, after) = (spaces(before), spaces(after));
        Some(Found { kind: ChangeKind::Space, before, after, label_end: self.at })
    }

    /// Much was cut off, and little or nothing stands in its place.
    pub(super) fn shortened(&self) -> Option<Found<'t>> {
        let (before, after) = self.rests();
        let kept = common_end(before, after);
        let (lost, put) = (&before[..before.len() - kept], &after[..after.len() - kept]);
        let is_cut = lost.len() >= MANY_BYTES && put.len() * 4 <= lost.len();
        // A section that was left out in the middle ends where a line does; text that was cut off does not.
        let is_at_end = kept == 0 || (self.at > 0 && !put.trim().is_empty());
        let (before, after) = (lost, put);
        (is_cut && is_at_end).then_some(Found {
            kind: ChangeKind::Shortened,
            before,
            after,
            label_end: self.at,
        })
    }

    /// One goes on where the other ends, or has more words in between. A word that became a longer one is another word.
    pub(super) fn continued(&self) -> Option<Found<'t>> {
        let (before, after) = self.rests();
        let kept = common_end(before, after);
        let (lost, put) = (&before[..before.len() - kept], &after[..after.len() - kept]);
        let (kind, more) = match (lost.is_empty(), put.is_empty()) {
            (true, false) => (ChangeKind::Grown, put),
            (false, true) => (ChangeKind::Shrunk, lost),
            _ => return None,
        };
        let is_of_word = |letter: char| !is_gap(letter);
        let is_in_word = more.chars().all(is_of_word)
            && (self.before[..self.at].ends_with(is_of_word) || before.starts_with(is_of_word));
        let (lost, put) = (lost.trim(), put.trim());
        (!is_in_word).then_some(Found { kind, before: lost, after: put, label_end: self.at })
    }

    /// All words that differ before both go on alike, and none around them. Where one has all of the other's and more, the
    /// more is what differs.
    pub(super) fn other_words(&self) -> Found<'t> {
        let (before, after) = differing(self.before, self.after, self.at);
        let more = |longer: &'t str, shorter: &str| {
            let more = longer.strip_prefix(shorter)?;
            (shorter.is_empty() || more.starts_with(is_gap)).then(|| more.trim())
        };
        let same = |words: &str| after.start + words.len();
        match (more(after.text, before.text), more(before.text, after.text)) {
            (Some(new), _) => {
                Found { kind: ChangeKind::Grown, before: "", after: new, label_end: same(before.text) }
            }
            (_, Some(gone)) => {
                Found { kind: ChangeKind::Shrunk, before: gone, after: "", label_end: same(after.text) }
            }
            _ => Found {
                kind: ChangeKind::Words,
                before: before.text,
                after: after.text,
                label_end: after.start,
            },
        }
    }
}

/// The white space that a text begins with.
fn spaces(text: &str) -> &str {
    let end = text.find(|letter: char| !letter.is_whitespace()).unwrap_or(text.len());
    &text[..end]
}

/// The run of such letters around the first difference in both texts, where both have one and it is not the same.
pub(super) fn runs<'t>(texts: &Texts<'t>, is: impl Fn(char) -> bool) -> Option<(Word<'t>, Word<'t>)> {
    let runs = (run_around(texts.before, texts.at, &is), run_around(texts.after, texts.at, &is));
    let is_value = !runs.0.text.is_empty() && !runs.1.text.is_empty() && runs.0.text != runs.1.text;
    is_value.then_some(runs)
}
