//! Places of values in a file whose text may have been repaired.

use std::ops::Range;

use crate::repair::Repaired;
use crate::source::SourceRecord;

/// The place in the file of a byte of the text.
pub(super) fn original(repaired: Option<&Repaired>, offset: usize) -> u64 {
    repaired.map_or(offset, |repaired| repaired.original(offset)) as u64
}

/// The place of a value in the file, whatever was repaired before it.
pub(super) fn source(repaired: Option<&Repaired>, range: Range<usize>) -> SourceRecord {
    SourceRecord::Bytes(original(repaired, range.start)..original(repaired, range.end))
}
