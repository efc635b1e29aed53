//! What several tests of the whole share.

pub mod laws;
