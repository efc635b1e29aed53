//! Where an event was recorded.

use std::ops::Range;

use strata_model::Str;

/// The place in the source that an event, or a record that became no event, was read from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SourceRecord {
    /// Bytes of the file that was read, end excluded.
    Bytes(Range<u64>),
    /// A row of a database table, by its id.
    Row { table: &'static str, id: Str },
}
