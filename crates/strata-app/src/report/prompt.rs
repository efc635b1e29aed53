//! What a prompt weighs, part by part.

use serde::Serialize;
use strata_measure::analysis::{self, CallAnalysis, SessionAnalysis, common_prefix};
use strata_wire::prompt_segments;

use super::opened::OpenedSession;
use super::origin;
use super::source::Subject;
use crate::api::common::{Basis, Kind};
use crate::error::AppError;
use crate::show::{SegmentScale, line};
use crate::tables::Tables;

/// What a prompt weighs. `total` is the sum of the segments and `overhead`.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PromptTokens {
    pub total: u32,
    pub basis: Basis,
    /// The truth lies between these.
    pub low: u32,
    pub high: u32,
    /// Message framing and the like, which no segment holds.
    pub overhead: u32,
    /// The call before it in its lineage, with which its prefix is compared.
    pub previous_call: Option<u32>,
    /// Tokens in the prefix that the two share, to the token.
    pub stable_prefix: u32,
    pub segments: Vec<SegmentReport>,
}

/// A piece of a prompt, in the order in which providers read them.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SegmentReport {
    pub path: String,
    pub kind: Kind,
    pub origin: String,
    pub tokens: u32,
    pub zone: Zone,
    /// The origin as people call it.
    pub from: String,
    /// One line of it.
    pub text: String,
}

/// Whether a provider has seen a segment before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Zone {
    /// The whole segment lies in the prefix shared with the call before it in its lineage.
    StablePrefix,
    VariableSuffix,
}

/// The prompt of a call of a session that is open.
pub fn prompt_of(opened: &OpenedSession, call: u32) -> Result<PromptTokens, AppError> {
    let OpenedSession { subject, tables, compiled, .. } = opened;
    let missing = || AppError::not_found(format!("C{call} is not in this session."));
    let analysed = compiled.analysis.call(call).ok_or_else(missing)?;
    prompt_tokens(subject, tables, &compiled.analysis, analysed)
}

pub(super) fn prompt_tokens(
    subject: &Subject,
    tables: &Tables,
    analysis: &SessionAnalysis,
    analysed: &CallAnalysis,
) -> Result<PromptTokens, AppError> {
    let request = &analysed.request;
    let scale = subject.scale(analysis, tables, analysed)?;
    let weigh = SegmentScale::new(scale, request);
    let previous = analysed.previous.and_then(|number| analysis.call(number));
    let rule = analysis.rule_of(analysed);
    let n_stable = previous
        .map_or(0, |previous| common_prefix(rule, &previous.request, request).whole_segments(request));
    let log = subject.experiment.log();
    let segments = prompt_segments(request).enumerate().map(|(at, segment)| SegmentReport {
        path: segment.path.to_string(),
        kind: analysis::Kind::of(&segment, log).into(),
        origin: segment.main_origin().map_or(String::new(), origin::text),
        tokens: weigh.count(&segment).tokens,
        zone: if at < n_stable { Zone::StablePrefix } else { Zone::VariableSuffix },
        from: segment.main_origin().map_or(String::new(), |origin| origin::from(origin, log)),
        text: line(&segment).0,
    });
    let total = analysed.total;
    Ok(PromptTokens {
        total: total.tokens,
        basis: total.basis.into(),
        low: total.low,
        high: total.high,
        overhead: analysed.overhead,
        previous_call: analysed.previous,
        stable_prefix: analysed.matched.tokens,
        segments: segments.collect(),
    })
}
