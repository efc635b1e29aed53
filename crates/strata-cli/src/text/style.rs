//! Emphasis for terminals.

use crate::terminal;

/// Whether text is emphasised, or plain for files and pipes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Style {
    Plain,
    Coloured,
}

impl Style {
    /// Nothing is coloured where it would not be seen, or where the person does not want it (`NO_COLOR`).
    pub(crate) fn of(is_terminal: bool) -> Self {
        let is_unwanted = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        if is_terminal && !is_unwanted { Self::Coloured } else { Self::Plain }
    }

    pub(super) fn strong(self, text: &str) -> String {
        self.with(terminal::STRONG, text)
    }

    pub(super) fn quiet(self, text: &str) -> String {
        self.with(terminal::QUIET, text)
    }

    pub(super) fn error(self, text: &str) -> String {
        self.with(terminal::ERROR, text)
    }

    pub(super) fn warning(self, text: &str) -> String {
        self.with(terminal::WARNING, text)
    }

    fn with(self, emphasis: char, text: &str) -> String {
        match self {
            Self::Coloured if !text.is_empty() => format!("{emphasis}{text}{}", terminal::PLAIN),
            _ => text.to_owned(),
        }
    }
}
