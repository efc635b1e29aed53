//! Emphasis for terminals.

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
        self.with("1", text)
    }

    pub(super) fn quiet(self, text: &str) -> String {
        self.with("2", text)
    }

    pub(super) fn error(self, text: &str) -> String {
        self.with("1;31", text)
    }

    pub(super) fn warning(self, text: &str) -> String {
        self.with("1;33", text)
    }

    fn with(self, code: &str, text: &str) -> String {
        match self {
            Self::Coloured if !text.is_empty() => format!("\x1b[{code}m{text}\x1b[0m"),
            _ => text.to_owned(),
        }
    }
}
