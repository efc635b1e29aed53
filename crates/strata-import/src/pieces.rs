//! Reading a file as it comes in.

use std::fmt::Debug;

use crate::imported::Import;

/// Reads a file piece by piece, so that a large one is never in memory as text.
pub(crate) trait PieceReader: Debug + Send {
    fn feed(&mut self, bytes: &[u8]);

    fn finish(self: Box<Self>) -> Import;

    /// What [`Self::finish`] would give if nothing followed; more can be fed afterwards. `None` where what came since it was
    /// last asked tells otherwise what came before: then the file is to be read from its beginning, by a new reader, which
    /// always has an answer when it is asked for the first time.
    ///
    /// A reader that was asked for this is not asked to finish.
    fn so_far(&mut self) -> Option<Import>;
}
