//! How far two prompts are the same, in the order in which providers read them.

use std::sync::Arc;

use strata_model::text::common_start;
use strata_model::{Fingerprint, FingerprintBuilder, LlmRequest, RequestContent, RichText, Str, TextSpan};
use strata_wire::{CacheRule, Item, PrefixOrder, Segment, definitions};

use super::weigh::{Scale, WeighedPrompt};

/// What two prompts have in common from their beginning on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CommonPrefix {
    /// Which section stands first.
    pub order: PrefixOrder,
    pub ends_in: PrefixEnd,
    /// Whole tools and answer schemas.
    pub definitions: usize,
    /// Bytes of the later system instruction, with what of it the provider does not read.
    pub system_bytes: usize,
    /// Bytes of the earlier one.
    pub earlier_system_bytes: usize,
    /// Whole contents.
    pub contents: usize,
    /// Whole parts of the next content.
    pub parts: usize,
    /// Bytes of the text of the next part, or of the next definition.
    pub bytes: usize,
}

/// The section in which the first difference stands. Whatever the order, the conversation comes after the other two.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PrefixEnd {
    Definitions,
    System,
    Contents,
    /// The later prompt begins with the whole of the earlier one.
    Whole,
}

/// What `later` has in common with `earlier`, for a provider that reads prompts as this rule says.
pub fn common_prefix(rule: &CacheRule, earlier: &LlmRequest, later: &LlmRequest) -> CommonPrefix {
    common_prefix_with(rule, earlier, later, || common_definitions(earlier, later))
}

fn common_prefix_with(
    rule: &CacheRule,
    earlier: &LlmRequest,
    later: &LlmRequest,
    definitions: impl FnOnce() -> CommonDefinitions,
) -> CommonPrefix {
    let mut common = CommonPrefix::none(rule.order);
    let is_same_head = match rule.order {
        PrefixOrder::ToolsFirst => {
            common.enter_definitions(definitions()) && common.match_system(rule, earlier, later)
        }
        PrefixOrder::SystemFirst => {
            common.match_system(rule, earlier, later) && common.enter_definitions(definitions())
        }
    };
    let is_same = is_same_head && common.match_contents(earlier, later);
    debug_assert_eq!(is_same, common.ends_in == PrefixEnd::Whole);
    common
}

/// Finds what one prompt has in common with each of many earlier ones. Most of them have one of a few lists of tools,
/// which are compared once.
pub(super) struct PrefixFinder<'r> {
    rule: &'r CacheRule,
    later: &'r LlmRequest,
    definitions: Vec<(Fingerprint, CommonDefinitions)>,
}

/// What two prompts share of their tools and answer schemas.
#[derive(Clone, Copy)]
struct CommonDefinitions {
    /// Whole ones.
    n_whole: usize,
    /// Bytes of the text of the next one; `None` when all are the same.
    bytes: Option<usize>,
}

impl<'r> PrefixFinder<'r> {
    pub(super) fn new(rule: &'r CacheRule, later: &'r LlmRequest) -> Self {
        Self { rule, later, definitions: Vec::new() }
    }

    /// `definitions` identifies those of `earlier`, as [`definitions_fingerprint`] does.
    pub(super) fn common(&mut self, earlier: &LlmRequest, definitions: Fingerprint) -> CommonPrefix {
        common_prefix_with(self.rule, earlier, self.later, || {
            if let Some((_, found)) = self.definitions.iter().find(|(known, _)| *known == definitions) {
                return *found;
            }
            let found = common_definitions(earlier, self.later);
            self.definitions.push((definitions, found));
            found
        })
    }
}

/// Identifies the text of a prompt's tools and answer schemas.
pub(super) fn definitions_fingerprint(request: &LlmRequest) -> Fingerprint {
    let mut hash = FingerprintBuilder::new();
    for segment in definitions(request) {
        match &segment.item {
            Item::Declaration(declaration) => hash.number(1).fingerprint(declaration.fingerprint),
            _ => hash.number(2).text(&segment.text()),
        };
    }
    hash.finish()
}

fn common_definitions(earlier: &LlmRequest, later: &LlmRequest) -> CommonDefinitions {
    if Arc::ptr_eq(&earlier.tools, &later.tools) && Arc::ptr_eq(&earlier.config, &later.config) {
        return CommonDefinitions { n_whole: definitions(later).count(), bytes: None };
    }
    let (mut before, mut now) = (definitions(earlier), definitions(later));
    let mut n_whole = 0;
    loop {
        match (before.next(), now.next()) {
            (None, None) => return CommonDefinitions { n_whole, bytes: None },
            (Some(a), Some(b)) if is_same_definition(&a, &b) => n_whole += 1,
            (a, b) => {
                let text = |segment: &Option<Segment<'_>>| {
                    segment.as_ref().map(|segment| segment.text().into_owned()).unwrap_or_default()
                };
                let bytes = Some(common_start(&text(&a), &text(&b)));
                return CommonDefinitions { n_whole, bytes };
            }
        }
    }
}

/// The part of [`common_prefix`] that lies in one section, as if the sections before it were the same.
pub(super) fn common_section(
    rule: &CacheRule,
    (earlier, later): (&LlmRequest, &LlmRequest),
    section: PrefixEnd,
) -> CommonPrefix {
    let mut common = CommonPrefix::none(rule.order);
    match section {
        PrefixEnd::Definitions => common.enter_definitions(common_definitions(earlier, later)),
        PrefixEnd::System => common.match_system(rule, earlier, later),
        PrefixEnd::Contents => common.match_contents(earlier, later),
        PrefixEnd::Whole => true,
    };
    common
}

/// How many tokens of a prompt lie in a prefix it shares with an earlier one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct MatchedPrefix {
    /// Everything.
    pub tokens: u32,
    /// Of tools, answer schemas and system instruction, without overhead.
    pub head: u32,
    /// Of the part in which the prefix ends.
    pub in_part: u32,
}

impl CommonPrefix {
    /// What the prefix weighs; `request` is the later prompt, and `prompt` its weight.
    pub fn weigh(&self, scale: &Scale<'_>, request: &LlmRequest, prompt: &WeighedPrompt) -> MatchedPrefix {
        let mut matched = MatchedPrefix::default();
        if self.ends_in <= PrefixEnd::System {
            matched.head = self.weigh_head(scale, request);
            matched.tokens = matched.head;
            return matched;
        }
        matched.head = prompt.head.tokens.tokens;
        matched.tokens = prompt.first_contents(self.contents);
        let next = prompt.content(self.contents).map_or(&[][..], |content| &content.pieces);
        matched.tokens += next.iter().take(self.parts).map(|piece| piece.tokens).sum::<u32>();
        let part = request.contents.get(self.contents).and_then(|content| content.parts.get(self.parts));
        if let Some(text) = part.and_then(|part| part.part.text.as_deref()) {
            matched.in_part = beginning(scale, text, self.bytes);
            matched.tokens += matched.in_part;
        }
        matched
    }

    /// How many segments of the later prompt lie in the prefix as a whole: the first ones, in the order in which
    /// [`prompt_segments`](strata_wire::prompt_segments) gives them.
    pub fn whole_segments(&self, later: &LlmRequest) -> usize {
        if self.ends_in == PrefixEnd::Definitions {
            return self.definitions;
        }
        let blocks = later.system_instruction.iter().flat_map(|text| text.blocks());
        let mut end = 0;
        let whole_blocks = blocks.take_while(|spans| {
            end += spans.iter().map(|span| span.text.len()).sum::<usize>();
            end <= self.system_bytes
        });
        let head = self.definitions + whole_blocks.count();
        if self.ends_in == PrefixEnd::System {
            return head;
        }
        let contents = later.contents.iter().take(self.contents);
        // A content without parts is a segment too.
        head + contents.map(|content| content.parts.len().max(1)).sum::<usize>() + self.parts
    }

    /// Compares prefixes of the same prompt: the one that reaches further is greater.
    pub(super) fn reach(&self) -> [usize; 6] {
        let (in_definitions, in_system) = match self.ends_in {
            PrefixEnd::Definitions => (self.bytes, 0),
            PrefixEnd::System => (usize::MAX, 0),
            PrefixEnd::Contents | PrefixEnd::Whole => (usize::MAX, usize::MAX),
        };
        let rest = (in_system == usize::MAX).then_some([self.contents, self.parts, self.bytes]);
        let [contents, parts, bytes] = rest.unwrap_or_default();
        // Bytes within the conversation matter only where contents and parts are the same.
        let within = parts.saturating_mul(1 << 40).saturating_add(bytes);
        match self.order {
            PrefixOrder::ToolsFirst => {
                [self.definitions, in_definitions, self.system_bytes, in_system, contents, within]
            }
            PrefixOrder::SystemFirst => {
                let passed = if self.ends_in == PrefixEnd::System { 0 } else { usize::MAX };
                [self.system_bytes, passed, self.definitions, in_definitions, contents, within]
            }
        }
    }

    /// A prefix that ends in the tools or in the instruction: with all of the section that stands before.
    fn weigh_head(&self, scale: &Scale<'_>, request: &LlmRequest) -> u32 {
        let whole_definitions = || definitions(request).map(|segment| scale.segment(&segment).tokens).sum();
        let system = request.system_instruction.as_deref();
        let whole_system = || system.map_or(0, |text| scale.weigher().system(text).tokens);
        let in_definitions = || {
            let mut tokens = 0;
            for (at, segment) in definitions(request).enumerate() {
                if at >= self.definitions {
                    return tokens + beginning(scale, &segment.text(), self.bytes);
                }
                tokens += scale.segment(&segment).tokens;
            }
            tokens
        };
        let in_system = || system.map_or(0, |text| beginning(scale, &text.to_text(), self.system_bytes));
        match (self.order, self.ends_in) {
            (PrefixOrder::ToolsFirst, PrefixEnd::Definitions) => in_definitions(),
            (PrefixOrder::SystemFirst, PrefixEnd::Definitions) => whole_system() + in_definitions(),
            (PrefixOrder::ToolsFirst, _) => {
                let before: u32 = whole_definitions();
                before + in_system()
            }
            (PrefixOrder::SystemFirst, _) => in_system(),
        }
    }

    /// Nothing yet, as long as nothing differs.
    fn none(order: PrefixOrder) -> Self {
        Self {
            order,
            ends_in: PrefixEnd::Whole,
            definitions: 0,
            system_bytes: 0,
            earlier_system_bytes: 0,
            contents: 0,
            parts: 0,
            bytes: 0,
        }
    }

    fn enter_definitions(&mut self, found: CommonDefinitions) -> bool {
        self.definitions = found.n_whole;
        if let Some(bytes) = found.bytes {
            self.bytes = bytes;
            self.ends_in = PrefixEnd::Definitions;
        }
        found.bytes.is_none()
    }

    fn match_system(&mut self, rule: &CacheRule, earlier: &LlmRequest, later: &LlmRequest) -> bool {
        let is_same = match (&earlier.system_instruction, &later.system_instruction) {
            (Some(a), Some(b)) if Arc::ptr_eq(a, b) || a.fingerprint() == b.fingerprint() => {
                (self.earlier_system_bytes, self.system_bytes) = (a.len_bytes(), b.len_bytes());
                true
            }
            (Some(a), Some(b)) => {
                let (unread_a, unread_b) = (unread_bytes(rule, a), unread_bytes(rule, b));
                let common = common_text((a, unread_a), (b, unread_b));
                (self.earlier_system_bytes, self.system_bytes) = (unread_a + common, unread_b + common);
                self.earlier_system_bytes == a.len_bytes() && self.system_bytes == b.len_bytes()
            }
            (a, b) => a.iter().chain(b).all(|text| text.is_empty()),
        };
        if !is_same {
            self.ends_in = PrefixEnd::System;
        }
        is_same
    }

    fn match_contents(&mut self, earlier: &LlmRequest, later: &LlmRequest) -> bool {
        self.contents = earlier.contents.n_shared(&later.contents);
        while let Some(before) = earlier.contents.get(self.contents) {
            let Some(now) = later.contents.get(self.contents) else {
                self.ends_in = PrefixEnd::Contents;
                return false;
            };
            if before.fingerprint != now.fingerprint {
                self.match_parts(before, now);
                self.ends_in = PrefixEnd::Contents;
                return false;
            }
            self.contents += 1;
        }
        true
    }

    fn match_parts(&mut self, earlier: &RequestContent, later: &RequestContent) {
        if earlier.role != later.role {
            return;
        }
        let pairs = earlier.parts.iter().zip(&later.parts);
        self.parts = pairs.clone().take_while(|(a, b)| a.fingerprint == b.fingerprint).count();
        if let Some((a, b)) = pairs.clone().nth(self.parts) {
            let text = |part: &strata_model::RequestPart| part.part.text.clone().unwrap_or_default();
            self.bytes = common_start(&text(a), &text(b));
        }
    }
}

/// Tokens of the first bytes of a text.
fn beginning(scale: &Scale<'_>, text: &str, bytes: usize) -> u32 {
    if bytes == 0 {
        return 0;
    }
    let spans = scale.weigher().spans(text, [bytes as u32, (text.len() - bytes) as u32]);
    spans.first().map_or(0, |first| first.tokens)
}

fn is_same_definition(a: &Segment<'_>, b: &Segment<'_>) -> bool {
    match (&a.item, &b.item) {
        (Item::Declaration(a), Item::Declaration(b)) => a.fingerprint == b.fingerprint,
        _ => a.text() == b.text(),
    }
}

/// Bytes of the blocks at the beginning of a system instruction that the provider does not read.
fn unread_bytes(rule: &CacheRule, system: &RichText) -> usize {
    let is_unread = |spans: &&[TextSpan]| {
        let first = spans.first().map_or("", |span| &*span.text);
        rule.unread.iter().any(|beginning| first.starts_with(&**beginning))
    };
    system.blocks().take_while(is_unread).flatten().map(|span| span.text.len()).sum()
}

/// A system instruction without what its provider does not read.
pub(super) fn text_that_is_read(rule: &CacheRule, system: &RichText) -> Str {
    let text = system.to_text();
    match unread_bytes(rule, system) {
        0 => text,
        unread => text[unread..].into(),
    }
}

/// Bytes that both texts have in common behind those that are left out, cut back to the start of a character, without
/// putting their spans together.
fn common_text((a, skip_a): (&RichText, usize), (b, skip_b): (&RichText, usize)) -> usize {
    let mut others = texts_behind(b, skip_b);
    let mut other = "";
    let mut common = 0;
    for mut text in texts_behind(a, skip_a) {
        while !text.is_empty() {
            if other.is_empty() {
                let Some(next) = others.next() else { return common };
                other = next;
                continue;
            }
            let same = common_start(text, other);
            common += same;
            if same < text.len() && same < other.len() {
                return common;
            }
            (text, other) = (&text[same..], &other[same..]);
        }
    }
    common
}

/// The spans of a text behind its first bytes, which end with a span.
fn texts_behind(text: &RichText, bytes: usize) -> impl Iterator<Item = &str> {
    let mut end = 0;
    let is_before = move |span: &&TextSpan| {
        end += span.text.len();
        end <= bytes
    };
    text.spans().iter().skip_while(is_before).map(|span| &*span.text)
}

#[cfg(test)]
mod tests;
