//! What kinds of tokens are called.

use strata_app::report::Kind;

pub(super) fn kind(kind: Kind) -> &'static str {
    match kind {
        Kind::Tools => "tools",
        Kind::System => "system",
        Kind::Memory => "memory",
        Kind::Summary => "summary",
        Kind::User => "user",
        Kind::Model => "model",
        Kind::Result => "result",
    }
}
