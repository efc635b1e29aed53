//! What events weigh in a summariser's prompt.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use strata_engine::LoggedEvent;
use strata_engine::turn::compaction::Window;
use strata_model::Fingerprint;

use crate::analysis::SourceWeigher;
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
            let tokens = SourceWeigher::event(&weigher, logged);
            self.by_event.lock().unwrap_or_else(PoisonError::into_inner).insert(key, tokens);
            tokens
        })
    }
}

/// Weighs sources of summaries, each once.
pub(super) struct WithMemory<'w> {
    pub sources: &'w SourceTokens,
    pub weigher: Weigher<'w>,
}

impl SourceWeigher for WithMemory<'_> {
    fn text(&self, text: &str) -> u32 {
        SourceWeigher::text(&self.weigher, text)
    }

    fn event(&self, logged: &LoggedEvent) -> u32 {
        self.sources.of_event(logged, self.weigher)
    }
}
