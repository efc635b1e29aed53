//! Sessions as coding agents keep them on disk.

pub(crate) mod aider;
pub(crate) mod cline;
pub(crate) mod codex;
pub(crate) mod copilot;
pub(crate) mod gemini_cli;
pub(crate) mod goose;
pub(crate) mod opencode;
pub(crate) mod openhands;
