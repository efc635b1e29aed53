//! What the pieces of a request weigh, in tokens of the model that receives it.

use std::borrow::Cow;

use strata_model::json::to_compact;
use strata_model::{
    Declaration, Fingerprint, FunctionResponse, Json, LlmRequest, Origin, RequestContent, RequestPart,
    RequestTool, RichText,
};
use strata_wire::answer_schema;

use super::count::TokenCount;
use super::media;
use super::memo::CountMemo;
use super::models::Tokenizer;
use super::overhead::Overhead;
use super::piece::{Piece, Thought, ValueForm, media_of_response, pieces};
use super::ratios::{Ratio, ratio};
use super::returned_thoughts::ReturnedThoughts;
use super::sizes::{SizeKind, Sizes};
use super::vocabulary::TokenCounter;

/// How far a rendering here may be from the provider's: JSON with or without spaces, names that are sent or not.
const SPELLING: Ratio = ratio(0.9, 1.0, 1.12);
/// Calls whose arguments are written one by one, by the growths that Claude's ratios are measured by.
const ARGUMENTS: Ratio = ratio(1.0, 1.06, 1.15);

/// Weighs pieces of requests to one model.
///
/// Every piece is counted for itself, as it is written in the request; what providers add around pieces is
/// [`Overhead`]. Counts are remembered under the fingerprints that parts and declarations carry.
#[derive(Clone, Copy)]
pub struct Weigher<'a> {
    pub(super) tokenizer: &'a Tokenizer,
    pub(super) counter: &'a dyn TokenCounter,
    memo: &'a CountMemo,
}

/// A request, weighed. The tokens of all fields add up to [`Self::total`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestWeight {
    pub system: TokenCount,
    /// For each content, its parts.
    pub contents: Vec<Vec<TokenCount>>,
    /// For each entry of the request's tools, its declarations; a built-in tool is one.
    pub tools: Vec<Vec<TokenCount>>,
    pub response_schema: TokenCount,
    pub overhead: Overhead,
}

impl RequestWeight {
    pub fn total(&self) -> TokenCount {
        let pieces = self.contents.iter().chain(&self.tools).flatten().copied();
        pieces.chain([self.system, self.response_schema, self.overhead.total()]).sum()
    }
}

impl<'a> Weigher<'a> {
    /// Loads the vocabulary if need be.
    pub fn new(tokenizer: &'a Tokenizer, memo: &'a CountMemo) -> Self {
        Self { tokenizer, counter: tokenizer.vocabulary().counter(), memo }
    }

    pub fn request(&self, request: &LlmRequest) -> RequestWeight {
        let parts = |content: &RequestContent| content.parts.iter().map(|part| self.part(part)).collect();
        RequestWeight {
            system: request.system_instruction.iter().map(|text| self.system(text)).sum(),
            contents: request.contents.iter().map(|content| parts(content)).collect(),
            tools: request.tools.iter().map(|tool| self.tool(tool)).collect(),
            response_schema: self.response_schema(request),
            overhead: self.overhead(request),
        }
    }

    /// Text as it stands.
    pub fn text(&self, text: &str) -> TokenCount {
        let count = self.tokenizer.translate(self.memo.measure(self.counter, text));
        self.tokenizer.calibrate(SizeKind::Text, count)
    }

    pub fn system(&self, text: &RichText) -> TokenCount {
        self.text(&text.to_text())
    }

    /// Divides the tokens of `text` among consecutive spans of so many bytes each, which add up to the text. A token
    /// across spans belongs to the one in which it ends. The pieces add up to [`Self::text`].
    pub fn spans(&self, text: &str, lengths: impl IntoIterator<Item = u32>) -> Vec<TokenCount> {
        let ends = self.counter.token_ends(text);
        let (mut end, mut counted) = (0, 0);
        let tokens = lengths.into_iter().map(|length| {
            end += length;
            let reached = ends.partition_point(|token_end| *token_end <= end) as u32;
            reached - std::mem::replace(&mut counted, reached)
        });
        self.text(text).divide(&tokens.collect::<Vec<_>>())
    }

    /// The bytes at which the tokens of a text end, in order.
    pub fn token_ends(&self, text: &str) -> Vec<u32> {
        self.counter.token_ends(text)
    }

    /// A part of a content, with everything in it.
    pub fn part(&self, part: &RequestPart) -> TokenCount {
        pieces(&part.part).map(|piece| self.piece(piece, part.fingerprint)).sum()
    }

    /// What a content adds to a prompt, by kind.
    pub fn sizes(&self, content: &RequestContent) -> Sizes {
        let parts = content.parts.iter().flat_map(|part| pieces(&part.part).map(move |piece| (part, piece)));
        let pieces = parts.map(|(part, piece)| {
            let media = match piece {
                Piece::Response(response) => self.media_of(response).tokens,
                _ => 0,
            };
            let tokens = self.piece(piece, part.fingerprint).tokens.saturating_sub(media);
            Sizes::of(piece.size_kind(), tokens) + Sizes::of(SizeKind::Media, media)
        });
        pieces.sum::<Sizes>() + Overhead::sizes_of_content(self.tokenizer, content)
    }

    /// Tokens of a piece of text as its vocabulary has them, before they are translated to those of the model.
    pub(super) fn tokens(&self, text: &str) -> u32 {
        self.memo.measure(self.counter, text).tokens
    }

    fn piece(&self, piece: Piece<'_>, of_part: Fingerprint) -> TokenCount {
        let values = self.tokenizer.chat().values;
        let text = || piece.text(values).unwrap_or_default();
        let count = || self.measured(of_part, piece.key(values), text);
        let count = match piece {
            Piece::File(file) => media::of_file(self.tokenizer.media(), file),
            Piece::Inline(blob) if !media::is_text(blob) => media::of_blob(self.tokenizer.media(), blob),
            Piece::Thought(thought) => self.thought(thought, count()),
            Piece::Text(_) => count(),
            Piece::Call(_) if values == ValueForm::Text => count().scaled(ARGUMENTS),
            _ => count().scaled(SPELLING),
        };
        let count = self.tokenizer.calibrate(piece.size_kind(), count);
        match piece {
            Piece::Response(response) => count + self.media_of(response),
            _ => count,
        }
    }

    /// What a thought of the history adds to a prompt: nothing, where the model is shown none of them again.
    fn thought(&self, thought: Thought<'_>, text: TokenCount) -> TokenCount {
        if self.tokenizer.returned_thoughts() == ReturnedThoughts::None {
            return TokenCount::exact(0);
        }
        let signed = self.tokenizer.chat().signed_thoughts.zip(thought.signature);
        let tokens =
            signed.and_then(|(signed, signature)| signed.size(signature.len())).unwrap_or(text.tokens);
        TokenCount::estimated(tokens, 0, text.high.max(tokens.saturating_mul(2)))
    }

    fn media_of(&self, response: &FunctionResponse) -> TokenCount {
        let media = media_of_response(response).into_iter().map(|part| {
            let part = RequestPart::new(part.into(), Origin::processor("media"));
            self.part(&part)
        });
        media.sum()
    }

    /// The declarations of a tool entry.
    pub fn tool(&self, tool: &RequestTool) -> Vec<TokenCount> {
        match tool {
            RequestTool::Functions(declarations) => {
                declarations.iter().map(|declaration| self.declaration(declaration)).collect()
            }
            // What the provider tells the model about a tool of its own is not known.
            RequestTool::BuiltIn { json, .. } => {
                let tokens = self.text(&to_compact(json)).tokens;
                vec![TokenCount::estimated(tokens, 0, tokens.saturating_add(600))]
            }
        }
    }

    pub fn declaration(&self, declaration: &Declaration) -> TokenCount {
        let chat = self.tokenizer.chat();
        let render = || chat.declarations.render(&declaration.json).into();
        let count = self.measured(declaration.fingerprint, chat.declarations.key(), render);
        let count = count.scaled(self.tokenizer.ratio(SizeKind::Text)).scaled(chat.declaration);
        self.tokenizer.beside_calibrated(count)
    }

    /// The schema that the reply must follow.
    pub fn response_schema(&self, request: &LlmRequest) -> TokenCount {
        request.config.iter().map(|setting| self.setting(&setting.name, &setting.value)).sum()
    }

    /// What a model reads of a setting: a schema of the reply, which providers show to it as JSON.
    pub fn setting(&self, name: &str, value: &Json) -> TokenCount {
        let count = |schema| self.text(&to_compact(schema)).scaled(ratio(0.5, 1.1, 1.5));
        answer_schema(name, value).map_or(TokenCount::exact(0), count)
    }

    pub fn overhead(&self, request: &LlmRequest) -> Overhead {
        Overhead::of(self.tokenizer, request, |text| self.text(text))
    }

    /// The overhead of one content: the messages it becomes, and its calls and responses.
    pub fn framing(&self, content: &RequestContent) -> TokenCount {
        Overhead::of_content(self.tokenizer, content)
    }

    /// The tokens of a text known under `fingerprint`, rendered in one of several ways.
    fn measured<'t>(
        &self,
        fingerprint: Fingerprint,
        rendering: u8,
        render: impl FnOnce() -> Cow<'t, str>,
    ) -> TokenCount {
        let fingerprint = fingerprint.then(Fingerprint(rendering.into()));
        self.tokenizer.translate(self.memo.measure_as(fingerprint, self.counter, render))
    }
}
