//! What events weigh in a summariser's prompt.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use strata_engine::LoggedEvent;
use strata_engine::turn::compaction::{Window, summarizer_lines};
use strata_model::Fingerprint;

use crate::tokens::Weigher;

/// Tokens of the lines that events become, counted once.
#[derive(Default)]
pub(super) struct SourceTokens {
    by_event: Mutex<HashMap<Fingerprint, u32>>,
}

impl SourceTokens {
    /// Of all events of a window, without the previous summary.
    pub(super) fn of(&self, window: &Window<'_>, weigher: Weigher<'_>) -> u32 {
        window.events.iter().map(|logged| self.of_event(logged, weigher)).sum()
    }

    pub(super) fn of_event(&self, logged: &LoggedEvent, weigher: Weigher<'_>) -> u32 {
        let Some(key) = logged.own_content().map(|content| content.provenance) else { return 0 };
        let known = self.by_event.lock().unwrap_or_else(PoisonError::into_inner).get(&key).copied();
        known.unwrap_or_else(|| {
            let tokens = weigher.text(&summarizer_lines(logged)).tokens + 1;
            self.by_event.lock().unwrap_or_else(PoisonError::into_inner).insert(key, tokens);
            tokens
        })
    }
}
