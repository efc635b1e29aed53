//! One call.

use strata_engine::Outcome;
use strata_measure::analysis::BillTotals;
use strata_measure::tokens as counts;

use super::convert::kind_tokens;
use super::findings;
use crate::Strata;
use crate::api::call::{CallDetail, Get, RangeBill};
use crate::api::common::{Bill, DiagnosticRow, DiagnosticSeverity, RequestBasis};
use crate::command::Handler;
use crate::error::AppError;
use crate::models::Calibrations;
use crate::open::OpenSession;
use crate::show::breaks::prefix_break;

impl Handler for Get {
    fn run(self, strata: &Strata) -> Result<CallDetail, AppError> {
        let open = strata.sessions.get(&self.session)?;
        let call = open.call(self.call)?;
        let analysis = open.analysis_of(self.call)?;
        let compiled = analysis.call(self.call).ok_or_else(|| AppError::internal("A call got lost."))?;
        let caches = open.caches(&analysis, &strata.tables)?;
        let cache = caches.call(self.call).ok_or_else(|| AppError::internal("A call got lost."))?;
        let bill = &cache.bill;
        Ok(CallDetail {
            call: call.number,
            agent: call.invocation.agent.to_string(),
            model: compiled.sent_to.to_string(),
            invocation: call.invocation.invocation_id.to_string(),
            branch: call.invocation.branch.as_ref().map(ToString::to_string),
            turn: call.turn,
            answer_event: Some(call.answer.number()),
            events_before: call.n_events() as u32,
            prompt: compiled.total.into(),
            request_basis: RequestBasis::of(&open.experiment, compiled),
            calibrated: if bill.basis == counts::Basis::Reported {
                None
            } else {
                Calibrations::new(&strata.workspace.store()).of_call(compiled).map(Into::into)
            },
            bill: BillTotals::of(std::iter::once(bill)).into(),
            reported_output_tokens: bill.output_tokens,
            by_kind: kind_tokens(compiled.by_kind),
            started_ms: started_ms(&open, call.n_events()),
            prefix_break: prefix_break(&open.experiment, cache),
            error: error(&open, call, &compiled.outcome),
            unknowns: unknowns(&open, call),
            findings: findings::of_call(&open, &analysis, &strata.tables, self.call),
        })
    }
}

impl Handler for RangeBill {
    fn run(self, strata: &Strata) -> Result<Bill, AppError> {
        let open = strata.sessions.get(&self.session)?;
        let caches = open.caches(&open.analysis(), &strata.tables)?;
        // A summary belongs to the call that is made next.
        let before = |call: u32| open.experiment.call(call).map_or(usize::MAX, strata_engine::Call::n_events);
        let first = if self.from <= 1 { 0 } else { before(self.from) };
        let events = first..before(self.to.saturating_add(1));
        Ok(caches.bill_within(&(self.from..=self.to), &events).into())
    }
}

/// A call is not recorded, its answer is. It was made when what it answers was there.
fn started_ms(open: &OpenSession, n_events: usize) -> Option<f64> {
    let event = open.experiment.session().events[..n_events].last()?;
    (event.timestamp > 0.0).then_some(event.timestamp * 1000.0)
}

fn error(open: &OpenSession, call: &strata_engine::Call, outcome: &Outcome) -> Option<DiagnosticRow> {
    let row = |code: &str, message: String, at: String| DiagnosticRow {
        severity: DiagnosticSeverity::Error,
        code: code.to_owned(),
        message,
        at,
    };
    if let Outcome::Failed { processor, error } = outcome {
        let at = format!("C{}/{processor}", call.number);
        return Some(row("not-compiled", format!("{} {}", error.message, error.advice), at));
    }
    if let Some(error) = &call.error {
        return Some(row("call-failed", error.clone(), format!("E{}", call.answer.number())));
    }
    let events = open.events().facts().iter().enumerate();
    let mut failed = events.filter(|(_, facts)| facts.call == Some(call.number));
    failed.find_map(|(at, facts)| Some(row("tool-failed", facts.error.clone()?, format!("E{}", at + 1))))
}

fn unknowns(open: &OpenSession, call: &strata_engine::Call) -> Vec<String> {
    let mut unknowns = if open.app.is_inferred { open.app.notes.clone() } else { Vec::new() };
    unknowns.extend(call.certainty.said().map(str::to_owned));
    if !call.is_answered {
        let message = "No answer to this request is recorded: what came back, and what was paid for it, is not known. Sums of caches and costs leave it out.";
        unknowns.push(message.to_owned());
    }
    if call.is_pending {
        let message = "This call is held before it is sent, or its run was ended while it was: what is said of its cache and its cost is what would be. Sums leave it out.";
        unknowns.push(message.to_owned());
    }
    unknowns
}
