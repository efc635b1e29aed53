//! Text of which every byte knows its source.

use std::sync::OnceLock;

use crate::{Fingerprint, FingerprintBuilder, Origin, Str};

/// A run of text with one source.
#[derive(Debug, Clone, PartialEq)]
pub struct TextSpan {
    pub text: Str,
    pub origin: Origin,
}

/// Text made of spans, in blocks: what was added at one time by one writer. No span is empty.
#[derive(Debug, Clone, Default)]
pub struct RichText {
    spans: Vec<TextSpan>,
    /// Spans that begin a block, the first one left out.
    block_starts: Vec<usize>,
    fingerprint: OnceLock<Fingerprint>,
}

impl PartialEq for RichText {
    fn eq(&self, other: &Self) -> bool {
        self.spans == other.spans && self.block_starts == other.block_starts
    }
}

impl RichText {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn from_span(text: impl Into<Str>, origin: Origin) -> Self {
        let mut rich = Self::new();
        rich.push(text, origin);
        rich
    }

    pub fn push(&mut self, text: impl Into<Str>, origin: Origin) {
        let text = text.into();
        if text.is_empty() {
            return;
        }
        self.fingerprint.take();
        self.spans.push(TextSpan { text, origin });
    }

    pub fn append(&mut self, more: Self) {
        let mut block_starts = more.block_starts.into_iter().peekable();
        for (at, span) in more.spans.into_iter().enumerate() {
            if block_starts.next_if_eq(&at).is_some() {
                self.begin_block();
            }
            self.push(span.text, span.origin);
        }
    }

    /// Adds a block, or several, with a separator before it. The separator belongs to the block, and stands even
    /// before an empty one.
    pub fn append_block(&mut self, separator: &str, block: Self) {
        if !self.is_empty() {
            self.begin_block();
            self.push_joint(separator, &block);
        }
        self.append(block);
    }

    fn begin_block(&mut self) {
        self.fingerprint.take();
        self.block_starts.push(self.spans.len());
    }

    /// The spans of each block, in order.
    pub fn blocks(&self) -> impl Iterator<Item = &[TextSpan]> {
        let ends = self.block_starts.iter().copied().chain([self.spans.len()]);
        let mut start = 0;
        ends.map(move |end| &self.spans[std::mem::replace(&mut start, end)..end])
            .filter(|spans| !spans.is_empty())
    }

    /// Adds a separator before `next`. It belongs to what it introduces: without `next` it would not be there.
    pub fn push_joint(&mut self, separator: &str, next: &Self) {
        if let Some(origin) = next.spans.first().or(self.spans.last()).map(|span| span.origin.clone()) {
            self.push(separator, origin);
        }
    }

    /// The texts one after the other with `separator` between them.
    pub fn joined(texts: impl IntoIterator<Item = Self>, separator: &str) -> Self {
        let mut joined = Self::new();
        for (at, text) in texts.into_iter().enumerate() {
            if at > 0 {
                joined.push_joint(separator, &text);
            }
            joined.append(text);
        }
        joined
    }

    pub fn spans(&self) -> &[TextSpan] {
        &self.spans
    }

    pub fn is_empty(&self) -> bool {
        self.spans.is_empty()
    }

    pub fn len_bytes(&self) -> usize {
        self.spans.iter().map(|span| span.text.len()).sum()
    }

    pub fn to_text(&self) -> Str {
        match &self.spans[..] {
            [] => "".into(),
            [only] => only.text.clone(),
            spans => spans.iter().map(|span| &*span.text).collect::<String>().into(),
        }
    }

    pub fn contains(&self, needle: &str) -> bool {
        self.to_text().contains(needle)
    }

    /// The text with every `needle` replaced, also where it straddles spans. A replacement takes the source of the
    /// first byte it replaces.
    #[must_use]
    pub fn replace(&self, needle: &str, replacement: &str) -> Self {
        let whole = self.to_text();
        let mut out = Self::new();
        let mut copied = 0;
        for (at, _) in whole.match_indices(needle) {
            self.copy_range(&mut out, copied, at);
            if let Some(span) = self.span_at(at) {
                out.push(replacement, span.origin.clone());
            }
            copied = at + needle.len();
        }
        if copied == 0 {
            return self.clone();
        }
        self.copy_range(&mut out, copied, whole.len());
        out
    }

    /// The bytes `from..to`, which have to lie between characters.
    #[must_use]
    pub fn slice(&self, from: usize, to: usize) -> Self {
        let mut out = Self::new();
        self.copy_range(&mut out, from, to);
        out
    }

    fn span_at(&self, at: usize) -> Option<&TextSpan> {
        let mut end = 0;
        self.spans.iter().find(|span| {
            end += span.text.len();
            at < end
        })
    }

    fn copy_range(&self, out: &mut Self, from: usize, to: usize) {
        let mut start = 0;
        for span in &self.spans {
            let end = start + span.text.len();
            let (low, high) = (from.max(start), to.min(end));
            if low < high {
                out.push(&span.text[low - start..high - start], span.origin.clone());
            }
            start = end;
        }
    }

    /// Hash of the texts *and* their sources.
    pub fn fingerprint(&self) -> Fingerprint {
        *self.fingerprint.get_or_init(|| {
            let mut hash = FingerprintBuilder::new();
            for span in &self.spans {
                hash.text(&span.text);
                span.origin.hash_into(&mut hash);
            }
            self.block_starts.iter().for_each(|start| {
                hash.number(*start as u64);
            });
            hash.finish()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replacing_finds_text_that_straddles_spans() {
        let key = |key: &str| Origin::State { key: key.into() };
        let mut text = RichText::from_span("a<<", key("one"));
        text.push("<b>>>c<<<b>>>", key("two"));
        let replaced = text.replace("<<<b>>>", "-");
        assert_eq!(&*replaced.to_text(), "a-c-");
        let sources: Vec<_> =
            replaced.spans().iter().map(|span| (&*span.text, span.origin.clone())).collect();
        assert_eq!(sources, [("a", key("one")), ("-", key("one")), ("c", key("two")), ("-", key("two"))]);
    }
}
