//! From the engine's words to those of the commands.

use strata_measure::analysis::{self, ByKind};
use strata_measure::tokens;
use strata_model::Severity;

use crate::api::common::{Basis, DiagnosticSeverity, Kind, KindTokens, TokenCount};

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
