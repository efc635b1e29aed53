//! Weighing whole prompts, quickly: what calls share is weighed once.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use strata_model::{Chunk, Fingerprint, LlmRequest, Origin};
use strata_wire::{Item, Path, Segment, prompt_segments};

use super::kind::Kind;
use super::prefix::{CommonPrefix, PrefixEnd};
use crate::event_log::EventLog;
use crate::tokens::{CountMemo, TokenCount, Tokenizer, Vocabularies, Weigher};

/// Vocabularies and the counts that were made with them, for all sessions of a program.
#[derive(Default)]
pub struct Counting {
    pub vocabularies: Vocabularies,
    pub memo: CountMemo,
}

/// Tokens by kind, in the order of [`Kind::ALL`].
pub type ByKind = [u32; Kind::ALL.len()];

/// What a prompt weighs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PromptWeight {
    /// Everything, the overhead included.
    pub total: TokenCount,
    /// Without the overhead.
    pub by_kind: ByKind,
    /// What nobody wrote: framing of messages and tools.
    pub overhead: TokenCount,
}

/// What consecutive contents weigh.
#[derive(Debug, Clone, Copy)]
pub(super) struct ChunkWeight {
    pub parts: TokenCount,
    pub framing: TokenCount,
    pub by_kind: ByKind,
}

/// Weights of chunks by what is in them, for one session and one tokenizer.
#[derive(Default)]
pub(super) struct ChunkWeights {
    known: Mutex<HashMap<Fingerprint, ChunkWeight>>,
}

/// Weighs the prompts of one session for one model.
#[derive(Clone, Copy)]
pub struct Scale<'s> {
    weigher: Weigher<'s>,
    log: &'s EventLog,
    chunks: &'s ChunkWeights,
}

impl<'s> Scale<'s> {
    pub(super) fn new(
        tokenizer: &'s Tokenizer,
        counting: &'s Counting,
        log: &'s EventLog,
        chunks: &'s ChunkWeights,
    ) -> Self {
        Self { weigher: Weigher::new(tokenizer, &counting.vocabularies, &counting.memo), log, chunks }
    }

    /// For single texts and parts.
    pub fn weigher(&self) -> Weigher<'s> {
        self.weigher
    }

    /// A whole prompt, at any stage.
    pub fn prompt(&self, request: &LlmRequest) -> PromptWeight {
        let mut by_kind = ByKind::default();
        let mut parts = TokenCount::exact(0);
        for segment in self.head(request) {
            let count = self.segment(&segment);
            by_kind[Kind::of(&segment, self.log) as usize] += count.tokens;
            parts = parts + count;
        }
        if let Some(text) = &request.system_instruction {
            for (origin, count) in self.system_spans(request) {
                by_kind[Kind::of_text(origin) as usize] += count.tokens;
            }
            parts = parts + self.weigher.system(text);
        }
        let mut overhead = self.fixed_overhead(request);
        for chunk in request.contents.chunks() {
            let weight = self.chunk(chunk);
            parts = parts + weight.parts;
            overhead = overhead + weight.framing;
            by_kind.iter_mut().zip(weight.by_kind).for_each(|(all, of_chunk)| *all += of_chunk);
        }
        PromptWeight { total: parts + overhead, by_kind, overhead }
    }

    /// One segment. Blocks of the system instruction are shares of the whole, so that they add up to it: see
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
            Item::Setting { value, .. } if matches!(segment.path, Path::Config { .. }) => {
                let mut alone = LlmRequest::default();
                if let Path::Config { field } = segment.path {
                    alone.set_config(field, value.clone().into_owned(), Origin::processor(""));
                }
                self.weigher.response_schema(&alone)
            }
            Item::Setting { .. } => TokenCount::exact(0),
        }
    }

    /// The blocks of the system instruction; they add up to the whole.
    pub fn system_blocks(&self, request: &LlmRequest) -> Vec<TokenCount> {
        let Some(text) = &request.system_instruction else { return Vec::new() };
        let length = |spans: &[strata_model::TextSpan]| spans.iter().map(|span| span.text.len() as u32).sum();
        self.weigher.spans(&text.to_text(), text.blocks().map(length))
    }

    /// The spans of the system instruction with their sources; they add up to the whole.
    pub(super) fn system_spans<'r>(
        &self,
        request: &'r LlmRequest,
    ) -> impl Iterator<Item = (&'r Origin, TokenCount)> + use<'r> {
        let text = request.system_instruction.as_ref();
        let spans = text.map_or(&[][..], |text| text.spans());
        let lengths = spans.iter().map(|span| span.text.len() as u32);
        let counts = text.map_or_else(Vec::new, |text| self.weigher.spans(&text.to_text(), lengths));
        spans.iter().map(|span| &span.origin).zip(counts)
    }

    /// Tools and answer schemas.
    fn head<'r>(&self, request: &'r LlmRequest) -> impl Iterator<Item = Segment<'r>> + use<'r> {
        prompt_segments(request)
            .take_while(|segment| matches!(segment.path, Path::Tool { .. } | Path::Config { .. }))
    }

    /// The overhead that does not depend on how long the conversation is.
    fn fixed_overhead(&self, request: &LlmRequest) -> TokenCount {
        let head = LlmRequest { contents: strata_model::Contents::new(), ..request.clone() };
        self.weigher.overhead(&head).total()
    }

    pub(super) fn chunk(&self, chunk: &Chunk) -> ChunkWeight {
        let known = |chunks: &ChunkWeights| {
            chunks.known.lock().unwrap_or_else(PoisonError::into_inner).get(&chunk.provenance).copied()
        };
        if let Some(weight) = known(self.chunks) {
            return weight;
        }
        let mut weight = ChunkWeight {
            parts: TokenCount::exact(0),
            framing: TokenCount::exact(0),
            by_kind: ByKind::default(),
        };
        for content in &chunk.contents {
            weight.framing = weight.framing + self.weigher.framing(content);
            for part in &content.parts {
                let count = self.weigher.part(part);
                weight.parts = weight.parts + count;
                weight.by_kind[Kind::of_request_part(content, part, self.log) as usize] += count.tokens;
            }
        }
        self.chunks.known.lock().unwrap_or_else(PoisonError::into_inner).insert(chunk.provenance, weight);
        weight
    }

    /// Tokens of `later` that lie in the prefix it has in common with an earlier prompt.
    pub fn matched(&self, later: &LlmRequest, common: &CommonPrefix) -> u32 {
        let mut tokens: u32 = 0;
        for (at, segment) in self.head(later).enumerate() {
            if at < common.definitions {
                tokens += self.segment(&segment).tokens;
            } else {
                tokens += self.beginning(&segment.text(), common.bytes);
                break;
            }
        }
        if common.ends_in == PrefixEnd::Definitions {
            return tokens;
        }
        tokens += self.fixed_overhead(later).tokens;
        if let Some(text) = &later.system_instruction {
            tokens += self.beginning(&text.to_text(), common.system_bytes);
        }
        if common.ends_in == PrefixEnd::System {
            return tokens;
        }
        let mut before = 0;
        for chunk in later.contents.chunks() {
            if before + chunk.contents.len() > common.contents {
                break;
            }
            before += chunk.contents.len();
            let weight = self.chunk(chunk);
            tokens += weight.parts.tokens + weight.framing.tokens;
        }
        for at in before..=common.contents {
            let Some(content) = later.contents.get(at) else { break };
            let n_parts = if at < common.contents { content.parts.len() } else { common.parts };
            tokens += content.parts[..n_parts].iter().map(|part| self.weigher.part(part).tokens).sum::<u32>();
            if at < common.contents {
                tokens += self.weigher.framing(content).tokens;
            } else if let Some(text) =
                content.parts.get(common.parts).and_then(|part| part.part.text.as_deref())
            {
                tokens += self.beginning(text, common.bytes);
            }
        }
        tokens
    }

    /// Tokens of the first bytes of a text.
    fn beginning(&self, text: &str, bytes: usize) -> u32 {
        if bytes == 0 {
            return 0;
        }
        let spans = self.weigher.spans(text, [bytes as u32, (text.len() - bytes) as u32]);
        spans.first().map_or(0, |first| first.tokens)
    }
}
