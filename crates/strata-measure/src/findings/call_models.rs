//! Which model each call of a session went to.

use strata_model::{SharedList, Str};

use crate::analysis::CallAnalysis;

/// Which model each call went to.
pub(super) struct CallModels {
    pub names: Vec<Str>,
    pub of_call: Vec<usize>,
    /// For each model, how many of the first n calls went to it.
    pub counts: Vec<Vec<u32>>,
}

impl CallModels {
    pub(super) fn of(calls: &SharedList<CallAnalysis>) -> Self {
        let mut names: Vec<Str> = Vec::new();
        let of_call: Vec<usize> = calls
            .iter()
            .map(|call| {
                names.iter().position(|name| *name == call.model).unwrap_or_else(|| {
                    names.push(call.model.clone());
                    names.len() - 1
                })
            })
            .collect();
        let mut counts = vec![vec![0]; names.len()];
        for model in &of_call {
            for (at, counts) in counts.iter_mut().enumerate() {
                counts.push(counts[counts.len() - 1] + u32::from(at == *model));
            }
        }
        Self { names, of_call, counts }
    }

    pub(super) fn names(&self) -> &[Str] {
        &self.names
    }

    pub(super) fn calls_to(&self, model: usize, first: u32, last: u32) -> u64 {
        let counts = &self.counts[model];
        let at = |call: u32| counts.get(call as usize).or(counts.last()).copied().unwrap_or(0);
        u64::from(at(last) - at(first.saturating_sub(1)))
    }
}
