//! What compiled prompts cost, and why: pure functions of stages and their working contexts.

mod kind;
mod prefix;

pub use kind::{Kind, is_reframed};
pub use prefix::{CommonPrefix, PrefixEnd, common_prefix};
