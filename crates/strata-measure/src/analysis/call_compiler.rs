//! Compiling single calls while the calls of an experiment are analysed one after the other.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use strata_engine::{Call, Compilation, Experiment, StageCache};

/// Results of stages that are kept of an edit that was tried: it may be made next.
const MAX_TRIED: usize = 20_000;

/// Compiles calls of one experiment, in any order, with all that is known of its stages.
#[derive(Clone, Default)]
pub struct CallCompiler {
    stages: Arc<Mutex<StageCache>>,
    ahead: Arc<Mutex<Ahead>>,
}

/// Calls that somebody looked at before their turn came. They are not compiled again then.
#[derive(Default)]
struct Ahead {
    /// The last call whose turn has come.
    reached: u32,
    compiled: HashMap<u32, Compilation>,
}

impl CallCompiler {
    /// For another experiment over the same session.
    pub(super) fn sharing(&self) -> Self {
        Self { stages: self.stages.clone(), ahead: Arc::default() }
    }

    /// Any call. `None` when its agent is not in the configuration.
    pub fn compile(&self, experiment: &Experiment, call: &Call) -> Option<Compilation> {
        if let Some(known) = lock(&self.ahead).compiled.get(&call.number) {
            return Some(known.clone());
        }
        let compilation = experiment.compile(call, &mut self.stages())?;
        let mut ahead = lock(&self.ahead);
        if call.number > ahead.reached {
            ahead.compiled.insert(call.number, compilation.clone());
        }
        Some(compilation)
    }

    /// The call whose turn it is.
    pub(super) fn compile_next(
        &self,
        experiment: &Experiment,
        call: &Call,
        most_results: usize,
    ) -> Option<Compilation> {
        let mut stages = self.stages();
        if call.number == 1 {
            stages.next_generation();
        }
        let known = {
            let mut ahead = lock(&self.ahead);
            ahead.reached = call.number;
            ahead.compiled.remove(&call.number)
        };
        known.or_else(|| {
            stages.limit(most_results);
            experiment.compile(call, &mut stages)
        })
    }

    /// The calls of an edit that was only tried are all compiled.
    pub(crate) fn end_trial(&self) {
        self.stages().forget_latest(MAX_TRIED);
    }

    pub(super) fn stages(&self) -> MutexGuard<'_, StageCache> {
        lock(&self.stages)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
