//! What calls sent, each thing once, with the calls that sent it.

use std::sync::Arc;

use imbl::{HashMap, Vector};
use strata_model::Fingerprint;

use crate::analysis::weigh::{Piece, WeighedBlock, WeighedChunk, WeighedPieces};

/// Things that calls share, in the order in which they were first sent. A copy shares them.
#[derive(Debug)]
pub(super) struct SentItems<T> {
    all: Vector<Arc<SentItem<T>>>,
    places: HashMap<Fingerprint, u32>,
}

/// Something that was sent in several calls.
#[derive(Debug)]
pub(super) struct SentItem<T> {
    pub what: Arc<T>,
    /// In the order of their first calls.
    pub runs: Vec<Run>,
    /// Things that were first sent earlier have smaller numbers; a block has one for each of its chunks.
    pub order: u64,
}

/// Consecutive calls, both ends included, and how much of it a provider had seen before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Run {
    pub from: u32,
    /// [`Run::OPEN`] while every call goes on sending it.
    pub to: u32,
    pub matched: Cut,
}

/// Where in a thing a matched prefix ends: after whole contents, whole parts of the next, tokens of the part after. In
/// a head, after so many tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Cut {
    pub contents: u16,
    pub parts: u32,
    pub tokens: u32,
}

/// Something that can be sent.
pub(super) trait Sendable {
    fn key(&self) -> Fingerprint;
    /// How many numbers it takes in the order of things.
    const ORDERS: u64;
}

impl Sendable for WeighedPieces {
    fn key(&self) -> Fingerprint {
        self.key
    }

    const ORDERS: u64 = 1;
}

impl Sendable for WeighedChunk {
    fn key(&self) -> Fingerprint {
        self.key
    }

    const ORDERS: u64 = 1;
}

impl Sendable for WeighedBlock {
    fn key(&self) -> Fingerprint {
        self.key
    }

    /// More than a block has chunks.
    const ORDERS: u64 = 1 << 10;
}

impl<T> Default for SentItems<T> {
    fn default() -> Self {
        Self { all: Vector::new(), places: HashMap::new() }
    }
}

impl<T> Clone for SentItems<T> {
    fn clone(&self) -> Self {
        Self { all: self.all.clone(), places: self.places.clone() }
    }
}

impl<T> Clone for SentItem<T> {
    fn clone(&self) -> Self {
        Self { what: self.what.clone(), runs: self.runs.clone(), order: self.order }
    }
}

impl<T: Sendable> SentItems<T> {
    pub(super) fn iter(&self) -> impl Iterator<Item = &SentItem<T>> {
        self.all.iter().map(|sent| &**sent)
    }

    /// A call begins to send it. Where the call before did so too, and as much was matched, its run goes on.
    pub(super) fn open(&mut self, what: &Arc<T>, call: u32, matched: Cut, order: &mut u64) {
        let key = what.key();
        let run = Run { from: call, to: Run::OPEN, matched };
        let Some(place) = self.places.get(&key) else {
            self.places.insert(key, self.all.len() as u32);
            self.all.push_back(Arc::new(SentItem { what: what.clone(), runs: vec![run], order: *order }));
            *order += T::ORDERS;
            return;
        };
        if let Some(sent) = self.all.get_mut(*place as usize) {
            let sent = Arc::make_mut(sent);
            match sent.runs.last_mut() {
                Some(last) if last.to.checked_add(1) == Some(call) && last.matched == matched => {
                    last.to = Run::OPEN;
                }
                _ => sent.runs.push(run),
            }
        }
    }

    /// The run that was opened with this match ends with a call.
    pub(super) fn close(&mut self, key: Fingerprint, last_call: u32, matched: Cut) {
        let Some(sent) = self.places.get(&key).and_then(|place| self.all.get_mut(*place as usize)) else {
            return;
        };
        let is_meant = |run: &&mut Run| run.to == Run::OPEN && run.matched == matched;
        if let Some(run) = Arc::make_mut(sent).runs.iter_mut().rev().find(is_meant) {
            run.to = last_call;
        }
    }
}

impl Run {
    /// Later than any call.
    pub(super) const OPEN: u32 = u32::MAX;

    /// The run as it is when no more than so many calls were made.
    pub(super) fn until(self, n_calls: u32) -> Self {
        Self { to: self.to.min(n_calls), ..self }
    }
}

impl Cut {
    /// Tokens before the cut of the part at this place.
    pub(super) fn of(self, content: usize, part: usize, piece: &Piece) -> u32 {
        match (content, part as u32).cmp(&(self.contents.into(), self.parts)) {
            std::cmp::Ordering::Less => piece.tokens,
            std::cmp::Ordering::Equal => self.tokens.min(piece.tokens),
            std::cmp::Ordering::Greater => 0,
        }
    }

    /// The cut of contents that stand behind so many others.
    pub(super) fn behind(self, n_before: usize) -> Self {
        match usize::from(self.contents).checked_sub(n_before) {
            Some(contents) => Self { contents: contents as u16, ..self },
            None => Self::default(),
        }
    }

    /// The cut of the first so many contents.
    pub(super) fn within(self, n_contents: usize) -> Self {
        if usize::from(self.contents) < n_contents {
            return self;
        }
        Self { contents: n_contents as u16, parts: 0, tokens: 0 }
    }
}
