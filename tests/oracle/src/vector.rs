//! Vectors, as `tests/conformance/FORMAT.md` describes them.

pub mod compile;
pub mod given;
