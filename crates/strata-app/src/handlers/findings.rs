//! Findings beside the calls and events they concern.

use strata_measure::analysis::SessionAnalysis;
use strata_measure::findings::{CallRange, Finding};
use strata_model::EventIndex;

use crate::api::common::FindingRow;
use crate::open::{OpenSession, finding_cost};
use crate::tables::Tables;

/// Ranges of calls that are named.
const MAX_RANGES: usize = 4;

/// What was found about a call.
pub(super) fn of_call(
    open: &OpenSession,
    analysis: &SessionAnalysis,
    tables: &Tables,
    call: u32,
) -> Vec<FindingRow> {
    let concerns =
        |finding: &&Finding| finding.calls.iter().any(|range| (range.first..=range.last).contains(&call));
    rows(open, open.findings(analysis, tables).iter().filter(concerns), tables)
}

/// What was found about an event.
pub(super) fn of_event(
    open: &OpenSession,
    analysis: &SessionAnalysis,
    tables: &Tables,
    event: EventIndex,
) -> Vec<FindingRow> {
    let concerns = |finding: &&Finding| {
        finding.events.contains(&event) || finding.origins.iter().any(|origin| origin.event() == Some(event))
    };
    rows(open, open.findings(analysis, tables).iter().filter(concerns), tables)
}

fn rows<'f>(
    open: &OpenSession,
    findings: impl Iterator<Item = &'f Finding>,
    tables: &Tables,
) -> Vec<FindingRow> {
    findings.map(|finding| row(open, finding, tables)).collect()
}

pub(super) fn row(open: &OpenSession, finding: &Finding, tables: &Tables) -> FindingRow {
    let writer = open.writer();
    FindingRow {
        code: finding.code.to_owned(),
        title: finding.title.to_owned(),
        severity: finding.severity.into(),
        message: finding.message.clone(),
        advice: finding.advice_for(writer).to_owned(),
        remedy: finding.remedy_in(writer).map(Into::into),
        tokens: finding.tokens() as f64,
        cost_usd: finding_cost(finding, &tables.prices),
        calls: calls(&finding.calls),
    }
}

fn calls(ranges: &[CallRange]) -> String {
    let range = |range: &CallRange| match (range.first, range.last) {
        (first, last) if first == last => format!("C{first}"),
        (first, last) => format!("C{first}–C{last}"),
    };
    let mut names: Vec<String> = ranges.iter().take(MAX_RANGES).map(range).collect();
    if ranges.len() > MAX_RANGES {
        names.push("…".to_owned());
    }
    names.join(", ")
}
