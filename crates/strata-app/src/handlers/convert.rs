//! From the engine's words to those of the commands.

use strata_measure::analysis::{self, BillTotals, ByKind};
use strata_measure::tokens;
use strata_model::Severity;

use crate::api::common::{Basis, Bill, DiagnosticSeverity, Kind, KindTokens, SummaryBill, TokenCount};

impl From<analysis::Kind> for Kind {
    fn from(kind: analysis::Kind) -> Self {
        match kind {
            analysis::Kind::Tools => Self::Tools,
            analysis::Kind::System => Self::System,
            analysis::Kind::Memory => Self::Memory,
            analysis::Kind::Summary => Self::Summary,
            analysis::Kind::User => Self::User,
            analysis::Kind::Model => Self::Model,
            analysis::Kind::Result => Self::Result,
        }
    }
}

impl From<tokens::Basis> for Basis {
    fn from(basis: tokens::Basis) -> Self {
        match basis {
            tokens::Basis::Reported => Self::Reported,
            tokens::Basis::Exact => Self::Exact,
            tokens::Basis::Calibrated => Self::Calibrated,
            tokens::Basis::Estimated => Self::Estimated,
        }
    }
}

impl From<BillTotals> for Bill {
    fn from(bill: BillTotals) -> Self {
        Self {
            calls: bill.calls,
            reported_calls: bill.reported_calls,
            unpaid_calls: bill.unpaid_calls,
            unpaid_tokens: bill.unpaid_tokens,
            prompt_tokens: bill.prompt_tokens,
            basis: bill.basis.into(),
            counted_tokens: bill.counted_tokens,
            counted_basis: bill.counted_basis.into(),
            hidden_tokens: bill.hidden_tokens,
            overcounted_tokens: bill.overcounted_tokens,
            cached_tokens: bill.cached_tokens,
            cache_reported_calls: bill.cache_reported_calls,
            cache_unsaid_calls: bill.cache_unsaid_calls,
            written_tokens: bill.written_tokens,
            written_long_tokens: bill.written_long_tokens,
            output_tokens: bill.output_tokens,
            cost: bill.cost_usd(),
            unpriced_calls: bill.unpriced_calls,
            partial_cost: bill.partly_usd(),
            hidden_cost: bill.cost.map(|cost| cost.hidden),
            output_cost: bill.cost.map(|cost| cost.output),
            summaries: bill.summaries.into(),
        }
    }
}

impl From<analysis::SummaryBill> for SummaryBill {
    fn from(bill: analysis::SummaryBill) -> Self {
        Self {
            summaries: bill.summaries,
            reported: bill.reported,
            unbilled: bill.unbilled,
            input_tokens: bill.input_tokens,
            cached_tokens: bill.cached_tokens,
            output_tokens: bill.output_tokens,
            cost: bill.cost,
        }
    }
}

impl From<tokens::TokenCount> for TokenCount {
    fn from(count: tokens::TokenCount) -> Self {
        Self { tokens: count.tokens, basis: count.basis.into(), low: count.low, high: count.high }
    }
}

impl From<Severity> for DiagnosticSeverity {
    fn from(severity: Severity) -> Self {
        match severity {
            Severity::Info => Self::Info,
            Severity::Warning => Self::Warning,
            Severity::Error => Self::Error,
        }
    }
}

/// Kinds that have tokens, in the order of the legend.
pub(crate) fn kind_tokens(by_kind: ByKind) -> Vec<KindTokens> {
    let kinds = Kind::ALL.into_iter().zip(by_kind);
    kinds.filter(|(_, tokens)| *tokens > 0).map(|(kind, tokens)| KindTokens { kind, tokens }).collect()
}
