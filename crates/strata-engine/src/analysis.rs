//! What compiled prompts cost, and why: pure functions of stages and their working contexts.

mod kind;
mod prefix;
mod scale;
mod stage_diff;

pub use kind::{Kind, is_reframed};
pub use prefix::{CommonPrefix, PrefixEnd, common_prefix};
pub use scale::{ByKind, Counting, PromptWeight, Scale};
pub use stage_diff::{Change, PartDelta, diff_events, diff_requests};
