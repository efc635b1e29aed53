//! Histories that later events can no longer change, kept so that the next call's history is built from there.
//!
//! Consecutive calls of an agent share nearly all of their history. What was built for one is kept as a checkpoint; a
//! later call takes the last checkpoint that still holds for it and builds only what came after. Since the contents of
//! a request are a persistent list, calls share the chunks of their common history.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use strata_model::{Contents, Fingerprint, SharedList};

use super::dropped_ids::DroppedIds;
use super::event_links::EventLinks;
use super::omission::Omission;

/// Events after which a new checkpoint is made. Tests make them as often as they can.
const STEP: usize = if cfg!(test) { 2 } else { 64 };
/// Of the older checkpoints, one in so many events is kept.
const SPARSE_STEP: usize = if cfg!(test) { 5 } else { 1024 };

/// The history of the first events of a log, for one agent in one place.
#[derive(Debug, Clone, Default)]
pub(crate) struct SettledHistory {
    pub n_events: usize,
    pub contents: Contents,
    pub dropped: DroppedIds,
    /// What is not in the contents, piece by piece as they were settled.
    pub omissions: SharedList<Vec<Omission>>,
}

/// Checkpoints by whose history they are.
#[derive(Debug, Default)]
pub(crate) struct SettledHistories {
    by_scope: Mutex<HashMap<Fingerprint, Vec<SettledHistory>>>,
}

impl SettledHistories {
    /// The longest history of at most `most` events that the one of events `0..end` begins with, after `skip` others
    /// that were not usable.
    pub(crate) fn longest(
        &self,
        scope: Fingerprint,
        links: &EventLinks,
        (most, end): (usize, usize),
        skip: usize,
    ) -> SettledHistory {
        let by_scope = self.by_scope.lock().unwrap_or_else(PoisonError::into_inner);
        let mut usable = by_scope
            .get(&scope)
            .into_iter()
            .flatten()
            .rev()
            .skip_while(|settled| settled.n_events > most)
            .filter(|settled| settled.n_events < end && links.is_separable(settled.n_events, end));
        usable.nth(skip).cloned().unwrap_or_default()
    }

    /// Where the next checkpoint belongs between two places, if they are far enough apart.
    pub(crate) fn next_joint(links: &EventLinks, from: usize, end: usize) -> Option<usize> {
        if end - from < STEP {
            return None;
        }
        (from + STEP / 2..end).rev().take(STEP).find(|joint| links.is_separable(*joint, end))
    }

    /// Those of the first events alone, for a log that goes on differently.
    pub(crate) fn up_to(&self, n_events: usize) -> Self {
        let by_scope = self.by_scope.lock().unwrap_or_else(PoisonError::into_inner);
        let first = |list: &Vec<SettledHistory>| -> Vec<SettledHistory> {
            list.iter().filter(|settled| settled.n_events <= n_events).cloned().collect()
        };
        let kept = by_scope.iter().map(|(scope, list)| (*scope, first(list))).collect();
        Self { by_scope: Mutex::new(kept) }
    }

    pub(crate) fn keep(&self, scope: Fingerprint, settled: SettledHistory) {
        let mut by_scope = self.by_scope.lock().unwrap_or_else(PoisonError::into_inner);
        let list = by_scope.entry(scope).or_default();
        let at = list.partition_point(|known| known.n_events < settled.n_events);
        if list.get(at).is_some_and(|known| known.n_events == settled.n_events) {
            return;
        }
        list.insert(at, settled);
        // The newest stay close together; further back a few are enough.
        if at >= 2 && list[at - 1].n_events - list[at - 2].n_events < SPARSE_STEP && at + 1 == list.len() {
            list.remove(at - 1);
        }
    }
}
