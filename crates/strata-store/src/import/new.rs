//! What an import is given, and what it gives.

use strata_model::{Diagnostic, Event, Json};

use crate::SessionId;
use crate::app_config::AppConfig;
use crate::record::RawRecord;

/// An event and what it was read from.
#[derive(Debug, Clone)]
pub struct NewEvent<'a> {
    pub event: &'a Event,
    /// Empty for an event that was not read from anything.
    pub records: Vec<RawRecord<'a>>,
}

/// How the list is to show a session.
#[derive(Debug, Clone)]
pub struct Listing {
    pub title: String,
    pub format: String,
    /// Numbers for lists. What they are is the caller's business.
    pub summary: Json,
    /// Attached to the session in place of the one of the same origin.
    pub app_config: Option<AppConfig>,
}

/// A session that an import stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportedSession {
    pub id: SessionId,
    /// The source was imported before, and this took the place of what it held then.
    pub is_replacement: bool,
}

/// What is not stored by rule.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct LeftOut {
    pub n_raw_records: usize,
}

impl LeftOut {
    pub(super) fn add(&mut self, other: Self) {
        self.n_raw_records += other.n_raw_records;
    }
}

impl LeftOut {
    /// The findings of the importing side, and what the store itself left out.
    pub(super) fn with_diagnostics(self, diagnostics: &[Diagnostic]) -> Vec<Diagnostic> {
        let mut all = diagnostics.to_vec();
        let Self { n_raw_records } = self;
        if n_raw_records > 0 {
            let message = format!(
                "source text with an API key is not kept; records left out: {n_raw_records}. Their \
                 events were stored, and their places in the source"
            );
            all.push(Diagnostic::info("source-text-not-kept", "", message));
        }
        all
    }
}
