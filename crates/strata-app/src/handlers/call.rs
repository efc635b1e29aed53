//! One call.

use std::sync::Arc;

use strata_engine::{Certainty, Outcome};

use super::breaks::prefix_break;
use super::convert::kind_tokens;
use super::findings;
use super::session::{cached_report, call_cost};
use crate::Strata;
use crate::api::call::{CallDetail, Get};
use crate::api::common::{Basis, DiagnosticRow, DiagnosticSeverity, RequestBasis};
use crate::command::Handler;
use crate::error::AppError;
use crate::models::Calibrations;
use crate::open::OpenSession;

impl Handler for Get {
    fn run(self, strata: &Arc<Strata>) -> Result<CallDetail, AppError> {
        let open = strata.session(&self.session)?;
        let call = open.call(self.call)?;
        let analysis = open.analysis_of(self.call)?;
        let compiled = analysis.call(self.call).ok_or_else(|| AppError::internal("A call got lost."))?;
        let usage = call.usage.as_ref();
        let reported_input = usage.and_then(|usage| usage.prompt_token_count);
        let cached = cached_report(&open, compiled);
        Ok(CallDetail {
            call: call.number,
            agent: call.invocation.agent.to_string(),
            model: compiled.model.to_string(),
            invocation: call.invocation.invocation_id.to_string(),
            branch: call.invocation.branch.as_ref().map(ToString::to_string),
            turn: call.turn,
            answer_event: Some(call.answer.number()),
            events_before: call.n_events() as u32,
            prompt: compiled.total.into(),
            request_basis: RequestBasis::of(&open.experiment, compiled),
            calibrated: if reported_input.is_some() {
                None
            } else {
                Calibrations::new(&strata.store()).of_call(compiled).map(Into::into)
            },
            cached_tokens: cached.or(Some(compiled.matched.tokens)),
            cached_basis: if cached.is_some() { Basis::Reported } else { Basis::Estimated },
            reported_input_tokens: reported_input.map(|tokens| tokens as u32),
            reported_output_tokens: usage.and_then(|usage| usage.output_tokens()).map(|tokens| tokens as u32),
            residual_tokens: reported_input
                .map(|tokens| (tokens as i64 - i64::from(compiled.total.tokens)) as i32),
            cost_usd: call_cost(&open, strata.tables(), compiled),
            by_kind: kind_tokens(compiled.by_kind),
            started_ms: started_ms(&open, call.n_events()),
            prefix_break: prefix_break(&open, strata.tables(), compiled),
            error: error(&open, call, &compiled.outcome),
            unknowns: unknowns(&open, call),
            findings: findings::of_call(&open, &analysis, strata.tables(), self.call),
        })
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
    if call.certainty == Certainty::WithoutUsage {
        let message = "Other answers of this agent come with the provider’s usage and this one does not: a callback may have answered instead of the model.";
        unknowns.push(message.to_owned());
    }
    unknowns
}
