//! The conversation part of a request, as a persistent list.
//!
//! A session of 10,000 events and 500 calls would need millions of list entries if every call owned its own. The
//! list is a tree of two levels, blocks of chunks of contents, that calls share: appending copies at most one chunk,
//! one block's and the list of blocks, cloning copies one pointer, and two lists are compared block by block.

use std::sync::Arc;

use crate::content::Part;
use crate::json::{Json, Object};
use crate::{Content, Fingerprint, FingerprintBuilder, FromJson as _, Origin, RichText, Str};

/// Contents per chunk. Small enough to copy on every append.
const CHUNK: usize = 64;
/// Chunks per block. 100,000 contents are 49 blocks.
const BLOCK: usize = 32;

/// A part of a request with its source.
#[derive(Debug, Clone, PartialEq)]
pub struct RequestPart {
    pub part: Arc<Part>,
    origins: Origins,
    /// Hash of what is sent, without regard to where it comes from.
    pub fingerprint: Fingerprint,
}

/// Where the bytes of a part come from.
#[derive(Debug, Clone, PartialEq)]
enum Origins {
    /// The whole part, with the length of its text.
    One([(u32, Origin); 1]),
    /// A text: `(bytes, source)` in order, adding up to all of it.
    Several(Arc<[(u32, Origin)]>),
}

impl RequestPart {
    /// A part that comes whole from one source.
    pub fn new(part: Arc<Part>, origin: Origin) -> Self {
        let fingerprint = part_fingerprint(&part);
        let bytes = part.text.as_ref().map_or(0, |text| text.len() as u32);
        Self { part, origins: Origins::One([(bytes, origin)]), fingerprint }
    }

    /// A text part whose bytes come from several sources. `fallback` owns it when the text is empty.
    pub fn from_rich_text(text: &RichText, fallback: Origin) -> Self {
        let part = Arc::new(Part::from_text(text.to_text()));
        let fingerprint = part_fingerprint(&part);
        let mut origins: Vec<(u32, Origin)> =
            text.spans().iter().map(|span| (span.text.len() as u32, span.origin.clone())).collect();
        if origins.is_empty() {
            origins.push((0, fallback));
        }
        let origins = match <[_; 1]>::try_from(origins) {
            Ok(only) => Origins::One(only),
            Err(several) => Origins::Several(several.into()),
        };
        Self { part, origins, fingerprint }
    }

    /// The same part, whole from another source.
    #[must_use]
    pub fn with_origin(&self, origin: Origin) -> Self {
        let bytes = self.part.text.as_ref().map_or(0, |text| text.len() as u32);
        Self { origins: Origins::One([(bytes, origin)]), ..self.clone() }
    }

    /// The same sources for a changed part, for processors that rewrite a part without changing its text.
    #[must_use]
    pub fn with_part(&self, part: Part) -> Self {
        let part = Arc::new(part);
        let fingerprint = part_fingerprint(&part);
        Self { part, origins: self.origins.clone(), fingerprint }
    }

    /// The part with another text, whose bytes know their sources. Everything else of it stays.
    #[must_use]
    pub fn with_text(&self, text: &RichText) -> Self {
        let rich = Self::from_rich_text(text, self.main_origin().clone());
        let part = Part { text: Some(text.to_text()), ..Part::clone(&self.part) };
        Self { fingerprint: part_fingerprint(&part), part: Arc::new(part), origins: rich.origins }
    }

    /// The text with the sources of its bytes; empty where the part has none.
    pub fn rich_text(&self) -> RichText {
        let text = self.part.text.as_deref().unwrap_or_default();
        let mut rich = RichText::new();
        let mut start = 0;
        for (bytes, origin) in self.origins() {
            let end = (start + *bytes as usize).min(text.len());
            rich.push(&text[start..end], origin.clone());
            start = end;
        }
        rich
    }

    /// `(bytes of the text, source)` in order. For a part without text: `(0, source)`.
    pub fn origins(&self) -> &[(u32, Origin)] {
        match &self.origins {
            Origins::One(only) => only,
            Origins::Several(several) => several,
        }
    }

    /// The source that says most about the part: the event it shows, the memory it is there for, however long the words
    /// around it are, else the source of its longest run of bytes.
    pub fn main_origin(&self) -> &Origin {
        let origins = self.origins();
        let from_event = origins.iter().find(|(_, origin)| origin.event().is_some());
        let is_memory = |origin: &Origin| matches!(origin, Origin::Memory { .. });
        let memory = || origins.iter().find(|(_, origin)| is_memory(origin));
        let longest = || origins.iter().max_by_key(|(bytes, _)| *bytes);
        match from_event.or_else(memory).or_else(longest) {
            Some((_, origin)) => origin,
            None => &origins[0].1,
        }
    }
}

/// Hash of what is sent of a part, without regard to where it comes from.
pub fn part_fingerprint(part: &Part) -> Fingerprint {
    let mut hash = FingerprintBuilder::new();
    match (&part.text, part.thought, &part.thought_signature) {
        // The common case, without building JSON: a plain text, perhaps a thought.
        (Some(text), thought, None) if is_only_text(part) => {
            hash.number(1).flag(thought == Some(true)).flag(thought.is_some()).text(text);
        }
        _ => {
            part.hash_into(hash.number(2));
        }
    }
    hash.finish()
}

fn is_only_text(part: &Part) -> bool {
    part.function_call.is_none()
        && part.function_response.is_none()
        && part.inline_data.is_none()
        && part.file_data.is_none()
        && part.executable_code.is_none()
        && part.code_execution_result.is_none()
        && part.other.is_empty()
}

/// One content of a request.
#[derive(Debug, Clone, PartialEq)]
pub struct RequestContent {
    pub role: Option<Str>,
    pub parts: Vec<RequestPart>,
    /// False for a content whose source says nothing of parts, which is not the same JSON as an empty list.
    lists_parts: bool,
    /// Hash of what is sent.
    pub fingerprint: Fingerprint,
    /// Hash of what is sent and where it comes from.
    pub provenance: Fingerprint,
}

impl RequestContent {
    pub fn new(role: Option<Str>, parts: Vec<RequestPart>) -> Self {
        Self::build(role, parts, true)
    }

    fn build(role: Option<Str>, parts: Vec<RequestPart>, lists_parts: bool) -> Self {
        let mut hash = FingerprintBuilder::new();
        hash.optional(role.as_deref());
        if !lists_parts {
            hash.flag(false);
        }
        for part in &parts {
            hash.fingerprint(part.fingerprint);
        }
        let fingerprint = hash.finish();
        for part in &parts {
            hash.number(part.origins().len() as u64);
            for (bytes, origin) in part.origins() {
                hash.number((*bytes).into());
                origin.hash_into(&mut hash);
            }
        }
        Self { role, parts, lists_parts, fingerprint, provenance: hash.finish() }
    }

    /// A user content with one text part.
    pub fn user_text(text: &RichText, fallback: Origin) -> Self {
        Self::new(Some("user".into()), vec![RequestPart::from_rich_text(text, fallback)])
    }

    /// A content taken from elsewhere, each part with the source `origin` gives for its index.
    pub fn from_content(content: &Content, origin: impl Fn(usize) -> Origin) -> Self {
        let parts =
            content.parts().iter().enumerate().map(|(at, part)| RequestPart::new(part.clone(), origin(at)));
        Self::build(content.role.clone(), parts.collect(), content.parts.is_some())
    }

    pub fn is_user(&self) -> bool {
        self.role.as_deref() == Some("user")
    }

    /// The content with other parts.
    #[must_use]
    pub fn with_parts(&self, parts: Vec<RequestPart>) -> Self {
        Self::new(self.role.clone(), parts)
    }

    pub fn has_function_response(&self) -> bool {
        self.parts.iter().any(|part| part.part.function_response.is_some())
    }

    pub fn to_json(&self) -> Json {
        let mut out = Object::new();
        if self.lists_parts {
            out.push("parts", self.parts.iter().map(|part| part.part.to_json()).collect::<Vec<_>>());
        }
        out.push_some("role", self.role.clone());
        Json::Object(out)
    }
}

/// Up to [`CHUNK`] consecutive contents, shared between requests.
#[derive(Debug, PartialEq)]
pub struct Chunk {
    pub contents: Vec<Arc<RequestContent>>,
    /// Hash of what is sent.
    pub fingerprint: Fingerprint,
    /// Hash of what is sent and where it comes from.
    pub provenance: Fingerprint,
}

impl Chunk {
    fn new(contents: Vec<Arc<RequestContent>>) -> Self {
        let mut hash = FingerprintBuilder::new();
        for content in &contents {
            hash.fingerprint(content.fingerprint);
        }
        let fingerprint = hash.finish();
        for content in &contents {
            hash.fingerprint(content.provenance);
        }
        Self { contents, fingerprint, provenance: hash.finish() }
    }

    /// Whether it has room for no further content.
    pub fn is_full(&self) -> bool {
        self.contents.len() == CHUNK
    }
}

/// Up to [`BLOCK`] consecutive chunks, shared between requests.
#[derive(Debug, Clone, PartialEq)]
pub struct Block {
    /// All but the last are full.
    pub chunks: Vec<Arc<Chunk>>,
    /// Hash of what is sent.
    pub fingerprint: Fingerprint,
    /// Hash of what is sent and where it comes from.
    pub provenance: Fingerprint,
}

impl Block {
    fn new(chunks: Vec<Arc<Chunk>>) -> Self {
        let mut hash = FingerprintBuilder::new();
        for chunk in &chunks {
            hash.fingerprint(chunk.fingerprint);
        }
        let fingerprint = hash.finish();
        for chunk in &chunks {
            hash.fingerprint(chunk.provenance);
        }
        Self { chunks, fingerprint, provenance: hash.finish() }
    }

    /// Whether it has room for no further chunk.
    pub fn is_full(&self) -> bool {
        self.chunks.len() == BLOCK
    }

    /// Contents in it.
    pub fn n_contents(&self) -> usize {
        self.chunks.last().map_or(0, |last| (self.chunks.len() - 1) * CHUNK + last.contents.len())
    }
}

/// The contents of a request. Cheap to clone and to extend; see the module's text.
#[derive(Debug, Clone, Default)]
pub struct Contents {
    /// All but the last are full, and so are all chunks but the last.
    blocks: Arc<Vec<Arc<Block>>>,
    len: usize,
}

impl Contents {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn len(&self) -> usize {
        self.len
    }

    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    pub fn get(&self, index: usize) -> Option<&Arc<RequestContent>> {
        let block = self.blocks.get(index / (CHUNK * BLOCK))?;
        block.chunks.get(index / CHUNK % BLOCK)?.contents.get(index % CHUNK)
    }

    pub fn last(&self) -> Option<&Arc<RequestContent>> {
        self.get(self.len.checked_sub(1)?)
    }

    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &Arc<RequestContent>> {
        self.chunks().flat_map(|chunk| chunk.contents.iter())
    }

    pub fn chunks(&self) -> impl DoubleEndedIterator<Item = &Arc<Chunk>> {
        self.blocks.iter().flat_map(|block| block.chunks.iter())
    }

    pub fn blocks(&self) -> &[Arc<Block>] {
        &self.blocks
    }

    /// How many contents of the beginning stand in blocks and chunks that are the same in both lists, by what is sent.
    pub fn n_shared(&self, other: &Self) -> usize {
        let mut pairs = self.blocks.iter().zip(&*other.blocks);
        let differing = pairs.position(|(a, b)| !Arc::ptr_eq(a, b) && a.fingerprint != b.fingerprint);
        let Some(at) = differing else { return self.len.min(other.len) };
        let chunks = self.blocks[at].chunks.iter().zip(&other.blocks[at].chunks);
        let shared = chunks.take_while(|(a, b)| Arc::ptr_eq(a, b) || a.fingerprint == b.fingerprint);
        at * BLOCK * CHUNK + shared.map(|(chunk, _)| chunk.contents.len()).sum::<usize>()
    }

    pub fn push(&mut self, content: Arc<RequestContent>) {
        self.extend([content]);
    }

    /// Appends contents; chunks that were full stay shared.
    pub fn extend(&mut self, more: impl IntoIterator<Item = Arc<RequestContent>>) {
        let mut more = more.into_iter().peekable();
        if more.peek().is_none() {
            return;
        }
        let mut contents = self.take_open().into_iter().chain(more).peekable();
        let blocks = Arc::make_mut(&mut self.blocks);
        let mut chunks = match blocks.last() {
            Some(last) if !last.is_full() => blocks.pop().map_or_else(Vec::new, |last| last.chunks.clone()),
            _ => Vec::new(),
        };
        while contents.peek().is_some() {
            let chunk = Chunk::new(contents.by_ref().take(CHUNK).collect());
            self.len += chunk.contents.len();
            chunks.push(Arc::new(chunk));
            if chunks.len() == BLOCK || contents.peek().is_none() {
                blocks.push(Arc::new(Block::new(std::mem::take(&mut chunks))));
            }
        }
    }

    /// Takes the contents of the last chunk off the list, if it is not full.
    fn take_open(&mut self) -> Vec<Arc<RequestContent>> {
        if self.len.is_multiple_of(CHUNK) {
            return Vec::new();
        }
        self.pop_chunk().map_or_else(Vec::new, |last| last.contents.clone())
    }

    fn pop_chunk(&mut self) -> Option<Arc<Chunk>> {
        let blocks = Arc::make_mut(&mut self.blocks);
        let mut chunks = blocks.pop()?.chunks.clone();
        let popped = chunks.pop()?;
        if !chunks.is_empty() {
            blocks.push(Arc::new(Block::new(chunks)));
        }
        self.len -= popped.contents.len();
        Some(popped)
    }

    /// Inserts contents at `index`; chunks before it stay shared.
    pub fn insert(&mut self, index: usize, more: impl IntoIterator<Item = Arc<RequestContent>>) {
        let tail = self.split_off(index);
        self.extend(more);
        self.extend(tail);
    }

    /// Cuts the list at `index` and returns what stood from there on.
    pub fn split_off(&mut self, index: usize) -> Vec<Arc<RequestContent>> {
        let mut popped: Vec<Arc<Chunk>> = Vec::new();
        while self.len > index {
            popped.extend(self.pop_chunk());
        }
        let mut contents: Vec<_> =
            popped.iter().rev().flat_map(|chunk| chunk.contents.iter().cloned()).collect();
        let rest = contents.split_off(contents.len().min(index - self.len));
        self.extend(contents);
        rest
    }

    /// Replaces what `change` returns something for; chunks without a change stay shared.
    pub fn rewrite(
        &mut self,
        mut change: impl FnMut(usize, &Arc<RequestContent>) -> Option<Arc<RequestContent>>,
    ) {
        let mut rewritten: Option<Vec<Arc<Block>>> = None;
        for (at, block) in self.blocks.iter().enumerate() {
            let mut chunks: Option<Vec<Arc<Chunk>>> = None;
            for (nth, chunk) in block.chunks.iter().enumerate() {
                let before = (at * BLOCK + nth) * CHUNK;
                let mut contents: Option<Vec<Arc<RequestContent>>> = None;
                for (offset, content) in chunk.contents.iter().enumerate() {
                    if let Some(changed) = change(before + offset, content) {
                        contents.get_or_insert_with(|| chunk.contents.clone())[offset] = changed;
                    }
                }
                if let Some(contents) = contents {
                    chunks.get_or_insert_with(|| block.chunks.clone())[nth] = Arc::new(Chunk::new(contents));
                }
            }
            if let Some(chunks) = chunks {
                rewritten.get_or_insert_with(|| self.blocks.to_vec())[at] = Arc::new(Block::new(chunks));
            }
        }
        if let Some(blocks) = rewritten {
            self.blocks = Arc::new(blocks);
        }
    }

    /// Hash of the contents and their sources.
    pub fn provenance(&self) -> Fingerprint {
        let mut hash = FingerprintBuilder::new();
        for block in self.blocks.iter() {
            hash.fingerprint(block.provenance);
        }
        hash.finish()
    }

    /// Whether both say the same, wherever it comes from.
    pub fn is_same_text(&self, other: &Self) -> bool {
        self.is_same(other) || self.len == other.len && self.n_shared(other) == self.len
    }

    /// Whether both are the very same list, without looking at it.
    pub fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.blocks, &other.blocks)
    }

    pub fn to_json(&self) -> Json {
        Json::Array(self.iter().map(|content| content.to_json()).collect())
    }
}

impl FromIterator<Arc<RequestContent>> for Contents {
    fn from_iter<I: IntoIterator<Item = Arc<RequestContent>>>(contents: I) -> Self {
        let mut list = Self::new();
        list.extend(contents);
        list
    }
}

impl PartialEq for Contents {
    fn eq(&self, other: &Self) -> bool {
        self.is_same(other) || (self.len == other.len && self.provenance() == other.provenance())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn content(n: u32) -> Arc<RequestContent> {
        let origin = Origin::Event { event: crate::EventIndex(n), part: 0 };
        Arc::new(RequestContent::user_text(&RichText::from_span(n.to_string(), origin.clone()), origin))
    }

    #[derive(Debug, Clone)]
    enum Change {
        Extend(usize),
        Insert(usize, usize),
        SplitOff(usize),
        Rewrite(usize),
    }

    fn changes() -> impl Strategy<Value = Vec<Change>> {
        let change = prop_oneof![
            (0..900usize).prop_map(Change::Extend),
            (0..3000usize, 0..5usize).prop_map(|(at, n)| Change::Insert(at, n)),
            (0..3000usize).prop_map(Change::SplitOff),
            (1..90usize).prop_map(Change::Rewrite),
        ];
        prop::collection::vec(change, 0..12)
    }

    proptest! {
        #[test]
        fn behaves_as_a_vector_and_is_cut_the_same_way_however_it_came_about(changes in changes()) {
            let mut list = Contents::new();
            let mut vector: Vec<Arc<RequestContent>> = Vec::new();
            let mut next = 0;
            let mut fresh = |n: usize| -> Vec<_> {
                (0..n).map(|_| { next += 1; content(next) }).collect()
            };
            for change in changes {
                let before = list.clone();
                match change {
                    Change::Extend(n) => {
                        let more = fresh(n);
                        list.extend(more.clone());
                        vector.extend(more);
                    }
                    Change::Insert(at, n) => {
                        let at = at.min(vector.len());
                        let more = fresh(n);
                        list.insert(at, more.clone());
                        vector.splice(at..at, more);
                    }
                    Change::SplitOff(at) => {
                        let at = at.min(vector.len());
                        prop_assert_eq!(list.split_off(at), vector.split_off(at));
                    }
                    Change::Rewrite(every) => {
                        let replacement = content(u32::MAX);
                        list.rewrite(|at, _| (at % every == 0).then(|| replacement.clone()));
                        for at in (0..vector.len()).step_by(every) {
                            vector[at] = replacement.clone();
                        }
                    }
                }
                prop_assert_eq!(list.len(), vector.len());
                prop_assert!(list.iter().eq(vector.iter()));
                let rebuilt: Contents = vector.iter().cloned().collect();
                prop_assert_eq!(list.provenance(), rebuilt.provenance());
                prop_assert_eq!(list.chunks().count(), rebuilt.chunks().count());
                let n_same = before.iter().zip(&vector).take_while(|(a, b)| a == b).count();
                let n_shared = before.n_shared(&list);
                prop_assert!(n_shared <= n_same && n_same - n_shared < CHUNK, "{n_shared} of {n_same}");
                prop_assert_eq!(before.is_same_text(&list), before.iter().eq(vector.iter()));
                prop_assert_eq!(list.blocks().iter().map(|block| block.n_contents()).sum::<usize>(), list.len());
            }
        }
    }
}
