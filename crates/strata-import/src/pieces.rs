//! Reading a file as it comes in.

use std::fmt::Debug;

use crate::imported::Import;

/// Reads a file piece by piece, so that a large one is never in memory as text.
pub(crate) trait PieceReader: Debug + Send {
    fn feed(&mut self, bytes: &[u8]);

    fn finish(self: Box<Self>) -> Import;
}
