//! What there is to say about edits.

use strata_model::{Diagnostic, Severity};

/// What every error says last.
const LEFT_OUT: &str = " The edit was left out; all others count.";

/// Why an edit does not fit, or what a person should know about what came of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EditNote {
    /// The place of the edit in the list that was laid, counted from 0.
    pub edit: usize,
    /// An error: the edit was left out.
    pub severity: Severity,
    /// A stable name: `edit-no-agent`.
    pub code: &'static str,
    pub message: String,
}

impl EditNote {
    /// Why an edit does not fit, where none of its list was laid.
    pub fn why(&self) -> &str {
        self.message.strip_suffix(LEFT_OUT).unwrap_or(&self.message)
    }

    /// For lists of what was found wherever; it stands at `edits[n]`.
    pub fn diagnostic(&self) -> Diagnostic {
        let Self { edit, severity, code, message } = self;
        Diagnostic { severity: *severity, code, message: message.clone(), at: format!("edits[{edit}]") }
    }
}

/// Notes on edits that are read one after the other.
#[derive(Debug, Default)]
pub(super) struct Notes {
    pub list: Vec<EditNote>,
    /// The edit that is spoken of.
    pub at: usize,
}

impl Notes {
    /// The edit does not fit.
    pub(super) fn error(&mut self, code: &'static str, message: &str) {
        self.add(Severity::Error, code, format!("{message}{LEFT_OUT}"));
    }

    pub(super) fn warn(&mut self, code: &'static str, message: String) {
        self.add(Severity::Warning, code, message);
    }

    pub(super) fn inform(&mut self, code: &'static str, message: String) {
        self.add(Severity::Info, code, message);
    }

    fn add(&mut self, severity: Severity, code: &'static str, message: String) {
        self.list.push(EditNote { edit: self.at, severity, code, message });
    }

    /// In the order of the edits, also where those of one kind were applied before others; without what was said of
    /// the first `n_earlier`, and counted from there.
    pub(super) fn of_later(mut self, n_earlier: usize) -> Vec<EditNote> {
        self.list.sort_by_key(|note| note.edit);
        let later = |note: EditNote| Some(EditNote { edit: note.edit.checked_sub(n_earlier)?, ..note });
        self.list.into_iter().filter_map(later).collect()
    }
}
