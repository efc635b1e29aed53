//! Text of which every byte knows its source.

use crate::{Fingerprint, FingerprintBuilder, Origin, Str};

/// A run of text with one source.
#[derive(Debug, Clone, PartialEq)]
pub struct TextSpan {
    pub text: Str,
    pub origin: Origin,
}

/// Text made of spans. No span is empty.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RichText {
    spans: Vec<TextSpan>,
    fingerprint: Fingerprint,
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
        let mut hash = FingerprintBuilder::new();
        hash.fingerprint(self.fingerprint).text(&text);
        origin.hash_into(&mut hash);
        self.fingerprint = hash.finish();
        self.spans.push(TextSpan { text, origin });
    }

    pub fn append(&mut self, more: Self) {
        for span in more.spans {
            self.push(span.text, span.origin);
        }
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

    /// Hash of the texts *and* their sources.
    pub fn fingerprint(&self) -> Fingerprint {
        self.fingerprint
    }
}
