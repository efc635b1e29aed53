//! What a model answered.

use strata_model::{Base64, Content, FunctionCall, Json, Part, Usage};

use super::body::parsed_arguments;

/// What a model answered, as far as it came.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Answer {
    pub content: Content,
    pub usage: Option<Usage>,
    /// `None`: it ended without saying why.
    pub finish: Option<Finish>,
    /// As the server calls it.
    pub model: Option<String>,
}

/// Why an answer ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Finish {
    Stop,
    /// At the limit of its length.
    Length,
    ToolCalls,
    /// The model would not; in its words.
    Refused(String),
    /// Something kept the answer back.
    Filtered(String),
    Other(String),
}

impl Finish {
    pub fn name(&self) -> &str {
        match self {
            Self::Stop => "stop",
            Self::Length => "length",
            Self::ToolCalls => "tool_calls",
            Self::Refused(_) => "refused",
            Self::Filtered(_) => "filtered",
            Self::Other(reason) => reason,
        }
    }
}

/// What came with a piece of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Delta {
    Text(String),
    Thought(String),
    /// A call begins.
    Call {
        name: String,
    },
    /// More of the arguments of the call that came last.
    Arguments(String),
}

impl Answer {
    /// Its text, without thoughts.
    pub fn text(&self) -> String {
        let said = self.content.parts().iter().filter(|part| !part.is_thought());
        said.filter_map(|part| part.text.as_deref()).collect()
    }

    /// It holds nothing: neither text nor a call.
    pub fn is_empty(&self) -> bool {
        let is_something = |part: &Part| {
            part.function_call.is_some() || part.text.as_deref().is_some_and(|text| !text.trim().is_empty())
        };
        !self.content.parts().iter().any(|part| !part.is_thought() && is_something(part))
    }
}

/// An answer while it comes in.
#[derive(Debug, Default)]
pub(super) struct Collected {
    pieces: Vec<Piece>,
    pub(super) usage: Option<Usage>,
    finish: Option<Finish>,
    refusal: String,
    model: Option<String>,
}

#[derive(Debug)]
enum Piece {
    Text {
        text: String,
        is_thought: bool,
        signature: Option<String>,
    },
    Call {
        key: String,
        id: Option<String>,
        name: String,
        arguments: String,
    },
    /// A part as it came.
    Whole(Box<Part>),
}

impl Collected {
    pub(super) fn text(&mut self, text: &str) -> Option<Delta> {
        self.words(text, false).then(|| Delta::Text(text.to_owned()))
    }

    pub(super) fn thought(&mut self, text: &str) -> Option<Delta> {
        self.words(text, true).then(|| Delta::Thought(text.to_owned()))
    }

    fn words(&mut self, more: &str, thinks: bool) -> bool {
        if more.is_empty() {
            return false;
        }
        match self.pieces.last_mut() {
            Some(Piece::Text { text, is_thought, .. }) if *is_thought == thinks => text.push_str(more),
            _ => self.pieces.push(Piece::Text { text: more.to_owned(), is_thought: thinks, signature: None }),
        }
        true
    }

    /// Seals the thought that came last.
    pub(super) fn signature(&mut self, more: &str) {
        if let Some(Piece::Text { signature, is_thought: true, .. }) = self.pieces.last_mut() {
            signature.get_or_insert_default().push_str(more);
        }
    }

    /// More of a call; `key` tells the calls of an answer apart.
    pub(super) fn call(&mut self, key: &str, id: Option<&str>, name: Option<&str>, more: &str) -> Vec<Delta> {
        let mut deltas = Vec::new();
        let known = self.pieces.iter_mut().rev().find_map(|piece| match piece {
            Piece::Call { key: of, id: known, name, arguments } if of == key => {
                Some((known, name, arguments))
            }
            _ => None,
        });
        match known {
            Some((known_id, known_name, arguments)) => {
                if known_id.is_none() {
                    *known_id = id.map(str::to_owned);
                }
                if known_name.is_empty() {
                    name.unwrap_or_default().clone_into(known_name);
                }
                arguments.push_str(more);
            }
            None => {
                let name = name.unwrap_or_default().to_owned();
                deltas.push(Delta::Call { name: name.clone() });
                self.pieces.push(Piece::Call {
                    key: key.to_owned(),
                    id: id.map(str::to_owned),
                    name,
                    arguments: more.to_owned(),
                });
            }
        }
        if !more.is_empty() {
            deltas.push(Delta::Arguments(more.to_owned()));
        }
        deltas
    }

    pub(super) fn whole(&mut self, part: Part) {
        self.pieces.push(Piece::Whole(Box::new(part)));
    }

    pub(super) fn refuse(&mut self, words: &str) {
        self.refusal.push_str(words);
    }

    pub(super) fn finish(&mut self, finish: Finish) {
        self.finish = Some(finish);
    }

    pub(super) fn is_finished(&self) -> bool {
        self.finish.is_some()
    }

    pub(super) fn name_model(&mut self, model: Option<&Json>) {
        if let Some(name) = model.and_then(Json::as_str).filter(|_| self.model.is_none()) {
            self.model = Some(name.to_owned());
        }
    }

    pub(super) fn into_answer(self) -> Answer {
        let parts = self.pieces.into_iter().map(|piece| match piece {
            Piece::Text { text, is_thought, signature } => Part {
                thought: is_thought.then_some(true),
                thought_signature: signature.map(Base64::new),
                ..Part::from_text(text)
            },
            Piece::Call { id, name, arguments, .. } => Part::from_call(FunctionCall {
                id: id.map(Into::into),
                name: Some(name.into()),
                args: Some(parsed_arguments(&arguments).into()),
                ..FunctionCall::default()
            }),
            Piece::Whole(part) => *part,
        });
        let finish = if self.refusal.is_empty() { self.finish } else { Some(Finish::Refused(self.refusal)) };
        Answer { content: Content::new("model", parts), usage: self.usage, finish, model: self.model }
    }
}
