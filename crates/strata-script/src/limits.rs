//! How much a script may take.

use std::time::Duration;

/// What a script is called in messages and stacks.
pub const FILE_NAME: &str = "script.js";

/// How much a run may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Of the script's own work, without handing over the request.
    pub time: Duration,
    /// Bytes beyond those of the request.
    pub memory: usize,
    /// Bytes of the interpreter's stack.
    pub stack: usize,
}

impl Limits {
    pub const DEFAULT: Self = Self { time: Duration::from_millis(250), memory: 64 << 20, stack: 512 << 10 };
}
