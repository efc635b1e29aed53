//! What differs between the prompts of two calls of a session.

use serde::Serialize;
use strata_measure::analysis::diff_requests;

use super::change::{ChangeReport, Weigh};
use super::opened::OpenedSession;
use crate::api::common::Basis;
use crate::error::AppError;
use crate::show::{DeltaScale, SegmentScale};

/// Two prompts of a session, and what makes the second of the first.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CallChanges {
    pub from: u32,
    pub to: u32,
    /// Our count of each prompt.
    pub tokens_from: u32,
    pub tokens_to: u32,
    /// The weaker of the two.
    pub basis: Basis,
    /// In the order of the second prompt; what is gone stands where it was.
    pub changes: Vec<ChangeReport>,
    /// Parts that are the same in the same place, and their tokens.
    pub unchanged: u32,
    pub unchanged_tokens: u32,
}

/// Compares the prompts of two calls, counted from 1.
pub fn call_changes(opened: &OpenedSession, from: u32, to: u32) -> Result<CallChanges, AppError> {
    let OpenedSession { subject, tables, compiled, .. } = opened;
    let analysis = &compiled.analysis;
    let call = |number: u32| {
        let missing = || AppError::not_found(format!("C{number} is not in this session."));
        analysis.call(number).ok_or_else(missing)
    };
    let (old, new) = (call(from)?, call(to)?);
    let weigh = Weigh {
        scale: DeltaScale {
            before: SegmentScale::new(subject.scale(analysis, tables, old)?, &old.request),
            after: SegmentScale::new(subject.scale(analysis, tables, new)?, &new.request),
        },
        log: subject.experiment.log(),
    };
    let deltas = diff_requests(&old.request, &new.request);
    let mut changes = Vec::new();
    let (mut unchanged, mut unchanged_tokens) = (0, 0);
    for delta in &deltas {
        match weigh.change(delta) {
            Some(change) => changes.push(change),
            None => {
                unchanged += 1;
                unchanged_tokens += weigh.scale.tokens(delta)[1];
            }
        }
    }
    Ok(CallChanges {
        from,
        to,
        tokens_from: old.total.tokens,
        tokens_to: new.total.tokens,
        basis: old.total.basis.max(new.total.basis).into(),
        changes,
        unchanged,
        unchanged_tokens,
    })
}
