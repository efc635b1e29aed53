//! The world around a scripted run.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use strata_model::{Json, Str};
use strata_runtime::{Chance, Program};

use super::app;
use super::journal::Journal;
use super::script::Script;
use super::time::VirtualTime;

pub(super) struct Scripted {
    pub(super) program: Arc<Program>,
    pub(super) time: VirtualTime,
    pub(super) journal: Journal,
    pub(super) script: Script,
    /// What agents of the app's own kind do.
    pub(super) agents: HashMap<String, Json>,
    n_ids: AtomicU64,
}

impl Scripted {
    pub(super) fn new(scenario: &Json, program: Arc<Program>, time: VirtualTime) -> Self {
        Self {
            program,
            time,
            journal: Journal::default(),
            script: Script::of(scenario),
            agents: app::read(scenario).agents,
            n_ids: AtomicU64::new(0),
        }
    }
}

impl Chance for Scripted {
    fn new_id(&self) -> Str {
        format!("id{:05}", self.n_ids.fetch_add(1, Ordering::Relaxed) + 1).into()
    }

    fn spread(&self) -> f64 {
        0.0
    }
}
