//! Our counts of whole requests, beside those of the referee.

use std::collections::HashSet;

use strata_model::{Fingerprint, LlmRequest, RequestTool};

use super::piece::pieces;
use super::referee::{VerifyOutcome, verify};
use super::vocabulary::Vocabulary;
use super::weigher::Weigher;

/// What the referee says about the counts of all texts in some requests: instructions, parts, declarations of functions.
/// Each text is asked about once. What is no text (media, framing) has no second opinion.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verification {
    pub vocabulary: Vocabulary,
    pub n_texts: usize,
    /// Our count of these, by the vocabulary.
    pub tokens: u64,
    /// Our count of those that the referee counts the same.
    pub agreed_tokens: u64,
    /// In the order in which they were met.
    pub differing: Vec<Disputed>,
    /// Texts the referee did not count, each with its place and the reason.
    pub declined: Vec<(String, &'static str)>,
    /// Only OpenAI's vocabularies have a referee. Without one nothing above was asked.
    pub has_referee: bool,
    known: HashSet<Fingerprint>,
}

/// A text that is counted in two ways.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Disputed {
    /// `C3, system instruction`.
    pub place: String,
    pub tokens: u32,
    pub referee: u32,
}

impl Verification {
    pub fn new(vocabulary: Vocabulary) -> Self {
        Self {
            vocabulary,
            n_texts: 0,
            tokens: 0,
            agreed_tokens: 0,
            differing: Vec::new(),
            declined: Vec::new(),
            has_referee: verify(vocabulary, "", 0) != VerifyOutcome::NoReferee,
            known: HashSet::new(),
        }
    }

    /// Asks about every text of the request of call `call` that was not met yet. The weigher has the same vocabulary.
    pub fn add(&mut self, weigher: &Weigher<'_>, call: u32, request: &LlmRequest) {
        if let Some(text) = &request.system_instruction {
            self.ask(weigher, &text.to_text(), || format!("C{call}, system instruction"));
        }
        for (at, content) in request.contents.iter().enumerate() {
            for part in &content.parts {
                for text in pieces(&part.part).filter_map(|piece| piece.text(weigher.tokenizer.chat().values))
                {
                    self.ask(weigher, &text, || format!("C{call}, message {}", at + 1));
                }
            }
        }
        for tool in request.tools.iter() {
            let RequestTool::Functions(declarations) = tool else { continue };
            for declaration in declarations {
                let text = weigher.tokenizer.chat().declarations.render(&declaration.json);
                self.ask(weigher, &text, || format!("C{call}, declaration of {}", declaration.name()));
            }
        }
    }

    fn ask(&mut self, weigher: &Weigher<'_>, text: &str, place: impl Fn() -> String) {
        if text.is_empty() || !self.known.insert(Fingerprint::of(text.as_bytes())) {
            return;
        }
        let ours = weigher.tokens(text);
        self.n_texts += 1;
        self.tokens += u64::from(ours);
        match verify(self.vocabulary, text, ours) {
            VerifyOutcome::Agrees => self.agreed_tokens += u64::from(ours),
            VerifyOutcome::Differs { referee } => {
                self.differing.push(Disputed { place: place(), tokens: ours, referee });
            }
            VerifyOutcome::Declined { reason } => self.declined.push((place(), reason)),
            VerifyOutcome::NoReferee => {}
        }
    }
}
