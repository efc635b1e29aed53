//! Sessions as coding agents keep them on disk.

pub(crate) mod aider;
pub(crate) mod amp;
pub(crate) mod cline;
pub(crate) mod codex;
pub(crate) mod continue_dev;
pub(crate) mod copilot;
pub(crate) mod crush;
pub(crate) mod cursor;
pub(crate) mod droid;
pub(crate) mod gemini_cli;
pub(crate) mod goose;
pub(crate) mod kiro;
pub(crate) mod opencode;
pub(crate) mod openhands;
pub(crate) mod pi;
pub(crate) mod specstory;
pub(crate) mod vscode_chat;
pub(crate) mod windsurf;
pub(crate) mod zed;
