//! Making text readable that is almost JSON: bytes that are not UTF-8, halves of surrogate pairs.

use std::borrow::Cow;

use strata_model::json::repair_surrogates;

/// Text with its unreadable bytes and escapes replaced by U+FFFD.
#[derive(Debug)]
pub(crate) struct Repaired {
    pub(crate) text: Vec<u8>,
    pub(crate) n_invalid_bytes: usize,
    pub(crate) n_surrogates: usize,
    /// Offsets in `text` behind each replacement, with how much longer `text` is up to there.
    shifts: Vec<(usize, usize)>,
}

impl Repaired {
    /// Where a byte of the repaired text stood before.
    pub(crate) fn original(&self, offset: usize) -> usize {
        let at = self.shifts.partition_point(|(behind, _)| *behind <= offset);
        let longer = at.checked_sub(1).map_or(0, |last| self.shifts[last].1);
        offset - longer
    }

    /// A sentence about what was replaced.
    pub(crate) fn told(&self) -> String {
        let bytes = (self.n_invalid_bytes > 0).then_some("bytes that are not UTF-8");
        let surrogates = (self.n_surrogates > 0).then_some("halves of surrogate pairs");
        let what: Vec<_> = bytes.into_iter().chain(surrogates).collect();
        format!("{} were replaced by U+FFFD; everything else was kept", what.join(" and "))
    }
}

/// Repairs `text`; `None` when there is nothing to repair.
pub(crate) fn repair(text: &[u8]) -> Option<Repaired> {
    let (valid, n_invalid_bytes, shifts) = replace_invalid_utf8(text);
    // An escape and its replacement are equally long, so this moves no offsets.
    let (repaired, n_surrogates) = repair_surrogates(&valid);
    if n_invalid_bytes == 0 && n_surrogates == 0 {
        return None;
    }
    let text = match repaired {
        Cow::Owned(text) => text,
        Cow::Borrowed(_) => valid.into_owned(),
    };
    Some(Repaired { text, n_invalid_bytes, n_surrogates, shifts })
}

type Shifts = Vec<(usize, usize)>;

fn replace_invalid_utf8(text: &[u8]) -> (Cow<'_, [u8]>, usize, Shifts) {
    const REPLACEMENT: &[u8] = "\u{fffd}".as_bytes();
    if std::str::from_utf8(text).is_ok() {
        return (Cow::Borrowed(text), 0, Vec::new());
    }
    let mut out = Vec::with_capacity(text.len() + REPLACEMENT.len());
    let (mut n_invalid_bytes, mut longer, mut shifts) = (0, 0, Vec::new());
    for chunk in text.utf8_chunks() {
        out.extend_from_slice(chunk.valid().as_bytes());
        let invalid = chunk.invalid();
        if !invalid.is_empty() {
            out.extend_from_slice(REPLACEMENT);
            n_invalid_bytes += invalid.len();
            longer += REPLACEMENT.len() - invalid.len();
            shifts.push((out.len(), longer));
        }
    }
    (Cow::Owned(out), n_invalid_bytes, shifts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replacements_keep_track_of_where_things_stood() {
        let repaired = repair(b"ab\xffcd\xc3\x28 \\ud83d end").unwrap();
        let text = String::from_utf8(repaired.text.clone()).unwrap();
        assert_eq!(text, "ab\u{fffd}cd\u{fffd}( \\ufffd end");
        assert_eq!((repaired.n_invalid_bytes, repaired.n_surrogates), (2, 1));
        let end = text.find("end").unwrap();
        assert_eq!(repaired.original(end), 15);
        assert_eq!(repaired.original(1), 1);
        assert!(repair("whole ❄️".as_bytes()).is_none());
    }
}
