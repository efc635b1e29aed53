//! What streams of all dialects share.

use std::fmt::Debug;

use strata_model::{Json, Object, Str};

/// What came with a piece of an answer, to be shown at once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Delta {
    Text(Str),
    Thought(Str),
    /// A call begins.
    Call {
        name: Str,
    },
    /// More of the arguments of the call that came last.
    Arguments(Str),
}

/// Takes what came with a piece.
pub type Sink<'s> = &'s mut dyn FnMut(Delta);

/// An answer of one dialect while it comes in.
pub(super) trait PartialAnswer: Debug + Send {
    /// Takes in a piece. Whether it is of a kind that is known.
    fn take(&mut self, piece: Object, sink: Sink<'_>) -> bool;

    /// Whether a piece is the first of another answer than this one.
    fn is_followed_by(&self, piece: &Object) -> bool;

    /// Whether the answer came to its end.
    fn is_complete(&self) -> bool;

    /// The body it would have been in one piece, as far as it came.
    fn into_body(self: Box<Self>) -> Object;
}

/// Texts of an object that come in pieces.
#[derive(Debug, Default)]
pub(super) struct Texts(Vec<(&'static str, String)>);

impl Texts {
    pub(super) fn append(&mut self, key: &'static str, more: &str) {
        match self.0.iter_mut().find(|(known, _)| *known == key) {
            Some((_, text)) => text.push_str(more),
            None => self.0.push((key, more.to_owned())),
        }
    }

    /// Appends the texts to those that the object has already.
    pub(super) fn put_into(self, object: &mut Object) {
        for (key, text) in self.0 {
            let whole = match object.get(key).and_then(Json::as_str) {
                Some(begun) if !begun.is_empty() => begun.to_owned() + &text,
                _ => text,
            };
            object.insert(key, whole);
        }
    }
}

/// What kind of event a piece says it is.
pub(super) fn kind(piece: &Object) -> &str {
    piece.get("type").and_then(Json::as_str).unwrap_or_default()
}

/// Tells of words, unless there are none.
pub(super) fn tell(words: &Str, delta: fn(Str) -> Delta, sink: Sink<'_>) {
    if !words.is_empty() {
        sink(delta(words.clone()));
    }
}

/// Sets what is said and not known yet: null says nothing, and a zero says less than a count.
pub(super) fn fill(object: &mut Object, more: Object) {
    for (key, value) in more {
        let is_less =
            value.is_null() || (!value.is_truthy() && object.get(&key).is_some_and(Json::is_truthy));
        if !is_less {
            object.insert(key, value);
        }
    }
}
