//! Weighing whole prompts, quickly: what prompts share is weighed once.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use strata_engine::EventLog;
use strata_model::{
    Block, Chunk, Contents, Fingerprint, FingerprintBuilder, LlmRequest, Origin, RequestContent,
};
use strata_wire::{Item, Path, PrefixOrder, Segment, definitions};

use super::kind::{Kind, is_quoted};
use crate::tokens::{CountMemo, LearnedRatios, TokenCount, TokenFit, Tokenizer, Weigher};

/// The counts that were made, for all sessions of a program.
#[derive(Default)]
pub struct Counting {
    pub memo: CountMemo,
    /// What is held of how providers count, before a session's own reports are looked at.
    pub learned: Arc<LearnedRatios>,
}

impl Counting {
    /// How a model is counted where no session's own reports tell.
    pub fn tokenizer(&self, model: &str) -> Tokenizer {
        let tokenizer = Tokenizer::of_model(model);
        let fit = TokenFit::of(&[], &self.learned.prior_of(&tokenizer));
        tokenizer.fitted(fit.map(Arc::new))
    }
}

/// Tokens by kind, in the order of [`Kind::ALL`].
pub type ByKind = [u32; Kind::ALL.len()];

/// A piece of a prompt that has one source: a tool, a span of the instruction, a part of a content.
#[derive(Debug, Clone)]
pub struct Piece {
    pub tokens: u32,
    pub kind: Kind,
    pub origin: Origin,
    /// Another agent's words, framed by the runtime.
    pub is_quoted: bool,
    pub is_thought: bool,
}

/// Consecutive pieces and what they weigh: a content, or all that stands before the first.
#[derive(Debug)]
pub struct WeighedPieces {
    /// Hash of what is in it and where it comes from.
    pub(super) key: Fingerprint,
    pub pieces: Vec<Piece>,
    /// The pieces alone.
    pub tokens: TokenCount,
    /// What nobody wrote around them.
    pub overhead: TokenCount,
}

/// What consecutive contents weigh.
#[derive(Debug)]
pub struct WeighedChunk {
    /// Hash of what is in it and where it comes from.
    pub(super) key: Fingerprint,
    /// Each content's parts.
    pub contents: Vec<Arc<WeighedPieces>>,
    pub tokens: TokenCount,
    pub overhead: TokenCount,
    /// Parts of all contents.
    pub n_parts: u32,
    /// Of what models thought.
    thought_tokens: u32,
    by_kind: ByKind,
    /// Whether it will never hold more.
    pub(super) is_full: bool,
}

/// What consecutive chunks weigh.
#[derive(Debug)]
pub struct WeighedBlock {
    /// Hash of what is in it and where it comes from.
    pub(super) key: Fingerprint,
    pub chunks: Vec<Arc<WeighedChunk>>,
    pub tokens: TokenCount,
    pub overhead: TokenCount,
    pub n_contents: usize,
    /// Parts of all contents.
    pub n_parts: u32,
    /// Of what models thought.
    thought_tokens: u32,
    by_kind: ByKind,
    /// Whether it will never hold more.
    pub(super) is_full: bool,
}

/// A prompt, weighed: its tools and instruction, then its contents.
#[derive(Debug)]
pub struct WeighedPrompt {
    /// Tools, answer schemas and system instruction.
    pub head: Arc<WeighedPieces>,
    pub blocks: Vec<Arc<WeighedBlock>>,
}

impl WeighedPrompt {
    /// Everything, overhead included.
    pub fn total(&self) -> TokenCount {
        let blocks = self.blocks.iter().map(|block| block.tokens + block.overhead);
        blocks.chain([self.head.tokens + self.head.overhead]).sum()
    }

    pub fn overhead(&self) -> TokenCount {
        self.blocks.iter().map(|block| block.overhead).chain([self.head.overhead]).sum()
    }

    /// The contents of the conversation.
    pub fn contents(&self) -> impl Iterator<Item = &Arc<WeighedPieces>> {
        let chunks = self.blocks.iter().flat_map(|block| &block.chunks);
        chunks.flat_map(|chunk| &chunk.contents)
    }

    /// Tools, instruction and so many contents, overhead included.
    pub(super) fn first_contents(&self, n_contents: usize) -> u32 {
        let mut tokens = (self.head.tokens + self.head.overhead).tokens;
        let mut left = n_contents;
        for block in &self.blocks {
            if block.n_contents <= left {
                left -= block.n_contents;
                tokens += (block.tokens + block.overhead).tokens;
                continue;
            }
            for chunk in &block.chunks {
                if chunk.contents.len() <= left {
                    left -= chunk.contents.len();
                    tokens += (chunk.tokens + chunk.overhead).tokens;
                    continue;
                }
                let contents = chunk.contents[..left].iter();
                return tokens
                    + contents.map(|content| (content.tokens + content.overhead).tokens).sum::<u32>();
            }
        }
        tokens
    }

    /// The parts of so many contents.
    pub(super) fn parts_of_first(&self, n_contents: usize) -> u32 {
        self.contents().take(n_contents).map(|content| content.pieces.len() as u32).sum()
    }

    /// What models thought before the user's last words.
    pub(super) fn earlier_thoughts(&self) -> u32 {
        let all: u32 = self.blocks.iter().map(|block| block.thought_tokens).sum();
        let mut later = 0;
        let chunks = self.blocks.iter().rev().flat_map(|block| block.chunks.iter().rev());
        for content in chunks.flat_map(|chunk| chunk.contents.iter().rev()) {
            if later == all {
                return 0;
            }
            if content.pieces.iter().any(|piece| piece.kind == Kind::User) {
                return all - later;
            }
            later += content.thought_tokens();
        }
        0
    }

    /// The content at a place of the conversation.
    pub(super) fn content(&self, mut at: usize) -> Option<&Arc<WeighedPieces>> {
        for block in &self.blocks {
            if at < block.n_contents {
                // All chunks but the last of a block are as long as its first.
                let chunk_len = block.chunks.first()?.contents.len();
                return block.chunks.get(at / chunk_len)?.contents.get(at % chunk_len);
            }
            at -= block.n_contents;
        }
        None
    }

    /// Parts of the conversation.
    pub fn n_parts(&self) -> u32 {
        self.blocks.iter().map(|block| block.n_parts).sum()
    }

    /// Without the overhead.
    pub fn by_kind(&self) -> ByKind {
        let mut sums = by_kind(&self.head.pieces);
        self.blocks.iter().for_each(|block| add_kinds(&mut sums, &block.by_kind));
        sums
    }

    /// The pieces in the order in which most providers read them.
    pub fn pieces(&self) -> impl Iterator<Item = &Piece> {
        self.pieces_in(PrefixOrder::ToolsFirst)
    }

    /// The pieces in the order in which a provider reads them.
    pub fn pieces_in(&self, order: PrefixOrder) -> impl Iterator<Item = &Piece> {
        let n_tools = self.head.pieces.iter().take_while(|piece| piece.kind == Kind::Tools).count();
        let (tools, system) = self.head.pieces.split_at(n_tools);
        let (first, second) = match order {
            PrefixOrder::ToolsFirst => (tools, system),
            PrefixOrder::SystemFirst => (system, tools),
        };
        first.iter().chain(second).chain(self.contents().flat_map(|content| &content.pieces))
    }
}

fn by_kind(pieces: &[Piece]) -> ByKind {
    let mut sums = ByKind::default();
    for piece in pieces {
        sums[piece.kind as usize] += piece.tokens;
    }
    sums
}

fn add_kinds(sums: &mut ByKind, more: &ByKind) {
    sums.iter_mut().zip(more).for_each(|(sum, more)| *sum += more);
}

impl WeighedPieces {
    fn thought_tokens(&self) -> u32 {
        self.pieces.iter().filter(|piece| piece.is_thought).map(|piece| piece.tokens).sum()
    }
}

/// What was weighed before, for one session and one tokenizer.
#[derive(Default)]
pub(super) struct Weights {
    heads: Mutex<HashMap<Fingerprint, Arc<WeighedPieces>>>,
    contents: Mutex<HashMap<Fingerprint, Arc<WeighedPieces>>>,
    chunks: Mutex<HashMap<Fingerprint, Arc<WeighedChunk>>>,
    /// Full ones.
    blocks: Mutex<HashMap<Fingerprint, Arc<WeighedBlock>>>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Weighs the prompts of one session for one model.
#[derive(Clone, Copy)]
pub struct Scale<'s> {
    weigher: Weigher<'s>,
    log: &'s EventLog,
    weights: &'s Weights,
    forgets_thoughts: bool,
}

impl<'s> Scale<'s> {
    pub(super) fn new(
        tokenizer: &'s Tokenizer,
        counting: &'s Counting,
        log: &'s EventLog,
        weights: &'s Weights,
    ) -> Self {
        let forgets_thoughts = tokenizer.forgets_thoughts();
        Self { weigher: Weigher::new(tokenizer, &counting.memo), log, weights, forgets_thoughts }
    }

    /// For single texts and parts.
    pub fn weigher(&self) -> Weigher<'s> {
        self.weigher
    }

    /// The events that the prompts are made from.
    pub fn log(&self) -> &'s EventLog {
        self.log
    }

    /// A whole prompt, at any stage.
    pub fn prompt(&self, request: &LlmRequest) -> WeighedPrompt {
        WeighedPrompt { head: self.head_of(request), blocks: self.blocks_of(request).collect() }
    }

    /// What stands before the contents of a prompt.
    pub(super) fn head_of(&self, request: &LlmRequest) -> Arc<WeighedPieces> {
        self.head(head_key(request), request)
    }

    /// The contents of a prompt, weighed as far as somebody goes through them.
    pub(super) fn blocks_of(&self, request: &LlmRequest) -> impl Iterator<Item = Arc<WeighedBlock>> {
        request.contents.blocks().iter().map(|block| self.block(block))
    }

    /// Thoughts, counted in a prompt, that the provider leaves out of it by itself.
    pub(super) fn forgotten(&self, prompt: &WeighedPrompt) -> u32 {
        if self.forgets_thoughts { prompt.earlier_thoughts() } else { 0 }
    }

    /// One segment. A block of the system instruction is counted as if it stood alone; for shares of the whole, see
    /// [`Self::system_blocks`].
    pub fn segment(&self, segment: &Segment<'_>) -> TokenCount {
        match &segment.item {
            Item::Declaration(declaration) => self.weigher.declaration(declaration),
            Item::BuiltInTool { json, origin } => {
                let tool =
                    strata_model::RequestTool::BuiltIn { json: (*json).clone(), origin: (*origin).clone() };
                self.weigher.tool(&tool).into_iter().sum()
            }
            Item::System(_) => self.weigher.text(&segment.text()),
            Item::Part { part, .. } => self.weigher.part(part),
            Item::EmptyContent(_) => TokenCount::exact(0),
            Item::Setting { value, .. } => match segment.path {
                Path::Config { field } => self.weigher.setting(field, value),
                _ => TokenCount::exact(0),
            },
        }
    }

    /// The blocks of the system instruction; they add up to the whole.
    pub fn system_blocks(&self, request: &LlmRequest) -> Vec<TokenCount> {
        let Some(text) = &request.system_instruction else { return Vec::new() };
        let length = |spans: &[strata_model::TextSpan]| spans.iter().map(|span| span.text.len() as u32).sum();
        self.weigher.spans(&text.to_text(), text.blocks().map(length))
    }

    /// A content by itself, with its overhead.
    pub(super) fn content_tokens(&self, content: &RequestContent) -> u32 {
        let weighed = self.content(content);
        (weighed.tokens + weighed.overhead).tokens
    }

    /// Tools, answer schemas and system instruction.
    fn head(&self, key: Fingerprint, request: &LlmRequest) -> Arc<WeighedPieces> {
        if let Some(known) = lock(&self.weights.heads).get(&key) {
            return known.clone();
        }
        let mut pieces = Vec::new();
        let mut tokens = TokenCount::exact(0);
        for segment in definitions(request) {
            let count = self.segment(&segment);
            tokens = tokens + count;
            let origin = segment.main_origin().cloned().unwrap_or(Origin::processor("basic"));
            pieces.push(Piece::new(count.tokens, Kind::of(&segment, self.log), origin));
        }
        if let Some(text) = &request.system_instruction {
            tokens = tokens + self.weigher.system(text);
            let lengths = text.spans().iter().map(|span| span.text.len() as u32);
            let counts = self.weigher.spans(&text.to_text(), lengths);
            let spans = text.spans().iter().zip(counts);
            pieces.extend(spans.map(|(span, count)| {
                Piece::new(count.tokens, Kind::of_text(&span.origin), span.origin.clone())
            }));
        }
        let alone = LlmRequest { contents: Contents::new(), ..request.clone() };
        let overhead = self.weigher.overhead(&alone).total();
        let head = Arc::new(WeighedPieces { key, pieces, tokens, overhead });
        lock(&self.weights.heads).insert(key, head.clone());
        head
    }

    fn block(&self, block: &Block) -> Arc<WeighedBlock> {
        let known = || lock(&self.weights.blocks).get(&block.provenance).cloned();
        if let Some(known) = block.is_full().then(known).flatten() {
            return known;
        }
        let chunks: Vec<_> = block.chunks.iter().map(|chunk| self.chunk(chunk)).collect();
        let mut sums = ByKind::default();
        for chunk in &chunks {
            add_kinds(&mut sums, &chunk.by_kind);
        }
        let weighed = Arc::new(WeighedBlock {
            key: block.provenance,
            tokens: chunks.iter().map(|chunk| chunk.tokens).sum(),
            overhead: chunks.iter().map(|chunk| chunk.overhead).sum(),
            n_contents: block.n_contents(),
            n_parts: chunks.iter().map(|chunk| chunk.n_parts).sum(),
            thought_tokens: chunks.iter().map(|chunk| chunk.thought_tokens).sum(),
            by_kind: sums,
            is_full: block.is_full(),
            chunks,
        });
        if block.is_full() {
            lock(&self.weights.blocks).insert(block.provenance, weighed.clone());
        }
        weighed
    }

    fn chunk(&self, chunk: &Chunk) -> Arc<WeighedChunk> {
        if let Some(known) = lock(&self.weights.chunks).get(&chunk.provenance) {
            return known.clone();
        }
        let contents: Vec<_> = chunk.contents.iter().map(|content| self.content(content)).collect();
        let mut sums = ByKind::default();
        for content in &contents {
            add_kinds(&mut sums, &by_kind(&content.pieces));
        }
        let weighed = Arc::new(WeighedChunk {
            key: chunk.provenance,
            tokens: contents.iter().map(|content| content.tokens).sum(),
            overhead: contents.iter().map(|content| content.overhead).sum(),
            n_parts: contents.iter().map(|content| content.pieces.len() as u32).sum(),
            thought_tokens: contents.iter().map(|content| content.thought_tokens()).sum(),
            by_kind: sums,
            is_full: chunk.is_full(),
            contents,
        });
        lock(&self.weights.chunks).insert(chunk.provenance, weighed.clone());
        weighed
    }

    fn content(&self, content: &RequestContent) -> Arc<WeighedPieces> {
        if let Some(known) = lock(&self.weights.contents).get(&content.provenance) {
            return known.clone();
        }
        let counts: Vec<TokenCount> = content.parts.iter().map(|part| self.weigher.part(part)).collect();
        let pieces = content.parts.iter().zip(&counts).map(|(part, count)| Piece {
            is_quoted: is_quoted(part),
            is_thought: part.part.thought == Some(true),
            ..Piece::new(
                count.tokens,
                Kind::of_request_part(content, part, self.log),
                part.main_origin().clone(),
            )
        });
        let weighed = Arc::new(WeighedPieces {
            key: content.provenance,
            pieces: pieces.collect(),
            tokens: counts.into_iter().sum(),
            overhead: self.weigher.framing(content),
        });
        lock(&self.weights.contents).insert(content.provenance, weighed.clone());
        weighed
    }
}

impl Piece {
    fn new(tokens: u32, kind: Kind, origin: Origin) -> Self {
        Self { tokens, kind, origin, is_quoted: false, is_thought: false }
    }
}

/// Everything that [`Scale::head`] looks at.
fn head_key(request: &LlmRequest) -> Fingerprint {
    let mut hash = FingerprintBuilder::new();
    for tool in request.tools.iter() {
        match tool {
            strata_model::RequestTool::Functions(declarations) => {
                hash.number(declarations.len() as u64);
                for declaration in declarations {
                    hash.fingerprint(declaration.fingerprint);
                    declaration.origin.hash_into(&mut hash);
                }
            }
            strata_model::RequestTool::BuiltIn { json, origin } => {
                hash.json(json);
                origin.hash_into(&mut hash);
            }
        }
    }
    for field in request.config.iter() {
        hash.text(&field.name).json(&field.value);
    }
    match &request.system_instruction {
        Some(text) => hash.number(1).fingerprint(text.fingerprint()),
        None => hash.number(0),
    };
    hash.finish()
}
