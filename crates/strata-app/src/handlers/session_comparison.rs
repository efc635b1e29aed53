//! Two sessions side by side.

use std::sync::Arc;

use strata_measure::analysis::CacheAnalysis;
use strata_measure::before_after::ComparedSession;

use crate::Strata;
use crate::api::comparison::{CompareSessions, SessionComparison};
use crate::command::Handler;
use crate::error::AppError;
use crate::open::{Baseline, OpenSession};
use crate::show::{NamedSession, session_comparison};

impl Handler for CompareSessions {
    fn run(self, strata: &Strata) -> Result<SessionComparison, AppError> {
        let (a, b) = (strata.sessions.get(&self.a)?, strata.sessions.get(&self.b)?);
        let (of_a, of_b) = (Whole::of(strata, &a)?, Whole::of(strata, &b)?);
        let unedited = match of_a.known.recording(&strata.tables)? {
            Some(recording) if a.id != b.id => Some(recording.caches(&strata.tables)?),
            _ => None,
        };
        let from = self.offset as usize;
        let rows = from..from.saturating_add(self.limit as usize);
        let prices = &strata.tables.prices;
        let named_a = NamedSession { unedited: unedited.as_deref(), ..of_a.named(&a) };
        Ok(session_comparison([&named_a, &of_b.named(&b)], self.by, rows, prices))
    }
}

/// A session, once all of its calls are compiled.
struct Whole<'o> {
    known: Baseline<'o>,
    caches: Arc<CacheAnalysis>,
}

impl<'o> Whole<'o> {
    fn of(strata: &Strata, open: &'o OpenSession) -> Result<Self, AppError> {
        let is_empty = open.experiment.calls().is_empty();
        let known = if is_empty { open.baseline(0)? } else { open.whole_baseline(&strata.tables)? };
        let caches = known.caches(&strata.tables)?;
        Ok(Self { known, caches })
    }

    fn named<'s>(&'s self, open: &'s OpenSession) -> NamedSession<'s> {
        let title = match &open.edits {
            // What tells experiments over one session apart comes first: the rest is cut where room is short.
            Some(edits) => format!("{} over {}", edits.entry.name, open.entry.title),
            None => open.entry.title.clone(),
        };
        NamedSession {
            id: open.key.clone(),
            title,
            format: open.entry.format.clone(),
            session: ComparedSession {
                experiment: self.known.experiment(),
                billed: self.known.billed(&self.caches),
            },
            unedited: None,
        }
    }
}
