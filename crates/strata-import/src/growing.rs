//! Files that grow while they are read.

use std::sync::Arc;

use strata_model::is_written_alike;

use crate::format::Format;
use crate::imported::{Import, ImportedSession};
use crate::pieces::PieceReader;

/// Reads a file that grows at its end: what it holds is told as often as one asks, and the bytes that were read are not
/// read again.
#[derive(Debug)]
pub struct GrowingImporter(Box<dyn PieceReader>);

impl GrowingImporter {
    /// `None` for a format whose files are written anew, or read as one.
    pub fn new(format: Format) -> Option<Self> {
        format.piece_reader().map(Self)
    }

    /// Takes in the bytes that were added.
    pub fn feed(&mut self, bytes: &[u8]) {
        self.0.feed(bytes);
    }

    /// What a file that ends here holds, as an [`Importer`](crate::Importer) tells it. `None` where what was added tells
    /// otherwise what came before: then a new one is to be fed the file from its beginning, which has an answer.
    ///
    /// Of Claude Code's and Codex's formats, events that are what they were are the very ones that were told before; of others,
    /// what was read is told anew.
    pub fn so_far(&mut self) -> Option<Import> {
        self.0.so_far()
    }
}

/// What of a session is as it was told before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Kept {
    /// Its first so many events, with the places they were read from.
    pub events: usize,
    /// Its first so many requests.
    pub requests: usize,
}

impl ImportedSession {
    /// How much of this session was there before.
    pub fn kept_of(&self, before: &Self) -> Kept {
        let is_same = |at: &usize| {
            let (now, then) = (&self.session.events[*at], &before.session.events[*at]);
            (Arc::ptr_eq(now, then) || is_written_alike(&**now, &**then))
                && self.sources.get(*at) == before.sources.get(*at)
        };
        let n_events = self.session.events.len().min(before.session.events.len());
        let requests = self.requests.iter().zip(&before.requests);
        Kept {
            events: (0..n_events).take_while(is_same).count(),
            requests: requests.take_while(|(now, then)| now == then).count(),
        }
    }
}
