//! How far two prompts are the same, in the order in which providers read them.

use std::sync::Arc;

use strata_model::{LlmRequest, RequestContent};
use strata_wire::Segment;

use super::weigh::{Scale, WeighedPrompt, definitions};

/// What two prompts have in common from their beginning on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CommonPrefix {
    pub ends_in: PrefixEnd,
    /// Whole tools and answer schemas.
    pub definitions: usize,
    /// Bytes of the system instruction.
    pub system_bytes: usize,
    /// Whole contents.
    pub contents: usize,
    /// Whole parts of the next content.
    pub parts: usize,
    /// Bytes of the text of the next part, or of the next definition.
    pub bytes: usize,
}

/// The section in which the first difference stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PrefixEnd {
    Definitions,
    System,
    Contents,
    /// The later prompt begins with the whole of the earlier one.
    Whole,
}

/// What `later` has in common with `earlier`.
pub fn common_prefix(earlier: &LlmRequest, later: &LlmRequest) -> CommonPrefix {
    let mut common = CommonPrefix {
        ends_in: PrefixEnd::Whole,
        definitions: 0,
        system_bytes: 0,
        contents: 0,
        parts: 0,
        bytes: 0,
    };
    let is_same = common.match_definitions(earlier, later)
        && common.match_system(earlier, later)
        && common.match_contents(earlier, later);
    debug_assert_eq!(is_same, common.ends_in == PrefixEnd::Whole);
    common
}

/// How many tokens of a prompt lie in a prefix it shares with an earlier one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Matched {
    /// Everything.
    pub tokens: u32,
    /// Of tools, answer schemas and system instruction, without overhead.
    pub head: u32,
    /// Of the part in which the prefix ends.
    pub in_part: u32,
}

impl CommonPrefix {
    /// What the prefix weighs; `request` is the later prompt, and `prompt` its weight.
    pub fn weigh(&self, scale: &Scale<'_>, request: &LlmRequest, prompt: &WeighedPrompt) -> Matched {
        let mut matched = Matched::default();
        if self.ends_in <= PrefixEnd::System {
            for (at, segment) in definitions(request).enumerate() {
                if at >= self.definitions {
                    matched.head += beginning(scale, &segment.text(), self.bytes);
                    break;
                }
                matched.head += scale.segment(&segment).tokens;
            }
            if let (PrefixEnd::System, Some(text)) = (self.ends_in, &request.system_instruction) {
                matched.head += beginning(scale, &text.to_text(), self.system_bytes);
            }
            matched.tokens = matched.head;
            return matched;
        }
        matched.head = prompt.head.tokens.tokens;
        matched.tokens = matched.head + prompt.head.overhead.tokens;
        let mut left = self.contents;
        for (_, chunk) in &prompt.chunks {
            if left < chunk.contents.len() {
                let whole = chunk.contents[..left].iter();
                matched.tokens +=
                    whole.map(|content| content.tokens.tokens + content.overhead.tokens).sum::<u32>();
                let next = &chunk.contents[left].pieces;
                matched.tokens += next.iter().take(self.parts).map(|piece| piece.tokens).sum::<u32>();
                break;
            }
            left -= chunk.contents.len();
            matched.tokens += chunk.tokens.tokens + chunk.overhead.tokens;
        }
        let part = request.contents.get(self.contents).and_then(|content| content.parts.get(self.parts));
        if let Some(text) = part.and_then(|part| part.part.text.as_deref()) {
            matched.in_part = beginning(scale, text, self.bytes);
            matched.tokens += matched.in_part;
        }
        matched
    }

    fn match_definitions(&mut self, earlier: &LlmRequest, later: &LlmRequest) -> bool {
        if Arc::ptr_eq(&earlier.tools, &later.tools) && Arc::ptr_eq(&earlier.config, &later.config) {
            self.definitions = definitions(later).count();
            return true;
        }
        let mut earlier = definitions(earlier);
        let mut later = definitions(later);
        loop {
            match (earlier.next(), later.next()) {
                (None, None) => return true,
                (Some(a), Some(b)) if a.text() == b.text() => self.definitions += 1,
                (a, b) => {
                    let text =
                        |segment: Option<Segment<'_>>| segment.map(|segment| segment.text().into_owned());
                    self.bytes = common_bytes(&text(a).unwrap_or_default(), &text(b).unwrap_or_default());
                    self.ends_in = PrefixEnd::Definitions;
                    return false;
                }
            }
        }
    }

    fn match_system(&mut self, earlier: &LlmRequest, later: &LlmRequest) -> bool {
        let text = |request: &LlmRequest| request.system_instruction.as_ref().map(|text| text.to_text());
        let (earlier, later) = (text(earlier).unwrap_or_default(), text(later).unwrap_or_default());
        self.system_bytes = common_bytes(&earlier, &later);
        let is_same = earlier.len() == later.len() && self.system_bytes == later.len();
        if !is_same {
            self.ends_in = PrefixEnd::System;
        }
        is_same
    }

    fn match_contents(&mut self, earlier: &LlmRequest, later: &LlmRequest) -> bool {
        for (a, b) in earlier.contents.chunks().zip(later.contents.chunks()) {
            if !Arc::ptr_eq(a, b) && a.fingerprint != b.fingerprint {
                break;
            }
            self.contents += a.contents.len();
        }
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
            self.bytes = common_bytes(&text(a), &text(b));
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

/// Bytes both begin with, cut back to the start of a character.
fn common_bytes(a: &str, b: &str) -> usize {
    let mut common = a.bytes().zip(b.bytes()).take_while(|(a, b)| a == b).count();
    while !a.is_char_boundary(common) {
        common -= 1;
    }
    common
}

#[cfg(test)]
mod tests {
    use strata_model::{Origin, RequestPart, RichText};

    use super::*;

    fn request(system: &str, texts: &[&str]) -> LlmRequest {
        let origin = Origin::processor("test");
        let mut request = LlmRequest::default();
        request.append_system(RichText::from_span(system, origin.clone()));
        for text in texts {
            let part = |text: &str| {
                RequestPart::from_rich_text(&RichText::from_span(text, origin.clone()), origin.clone())
            };
            let content = RequestContent::new(Some("user".into()), text.split('|').map(part).collect());
            request.contents.push(Arc::new(content));
        }
        request
    }

    fn check(earlier: &LlmRequest, later: &LlmRequest, ends_in: PrefixEnd, expected: [usize; 4]) {
        let common = common_prefix(earlier, later);
        assert_eq!(common.ends_in, ends_in);
        assert_eq!([common.system_bytes, common.contents, common.parts, common.bytes], expected);
    }

    #[test]
    fn a_prompt_that_goes_on_has_the_whole_earlier_one_as_prefix() {
        let earlier = request("Be good.", &["a", "b"]);
        check(&earlier, &request("Be good.", &["a", "b", "c"]), PrefixEnd::Whole, [8, 2, 0, 0]);
        check(&earlier, &earlier.clone(), PrefixEnd::Whole, [8, 2, 0, 0]);
    }

    #[test]
    fn the_first_difference_ends_it() {
        let earlier = request("Hits: 41.", &["a", "b|one two", "c"]);
        check(&earlier, &request("Hits: 42.", &["a", "b|one two"]), PrefixEnd::System, [7, 0, 0, 0]);
        check(&earlier, &request("Hits: 41.", &["a", "b|one too", "c"]), PrefixEnd::Contents, [9, 1, 1, 5]);
        check(&earlier, &request("Hits: 41.", &["a"]), PrefixEnd::Contents, [9, 1, 0, 0]);
    }

    #[test]
    fn long_histories_that_share_chunks_are_compared_by_chunk() {
        let texts: Vec<String> = (0..300).map(|n| n.to_string()).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let earlier = request("s", &texts);
        let mut later = earlier.clone();
        later.contents.push(earlier.contents.get(0).unwrap().clone());
        check(&earlier, &later, PrefixEnd::Whole, [1, 300, 0, 0]);
        check(&later, &earlier, PrefixEnd::Contents, [1, 300, 0, 0]);
    }
}
