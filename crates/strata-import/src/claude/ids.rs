//! Places by which the parts of a transcript name one another.

/// An event by its place in the session.
pub(super) type EntryId = usize;

/// A record by its place among those that can have a parent.
pub(super) type NodeId = usize;

/// A conversation by its place among those of the transcript.
pub(super) type LaneId = usize;

/// The conversation with the person.
pub(super) const MAIN: LaneId = 0;
