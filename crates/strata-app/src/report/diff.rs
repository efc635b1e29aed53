//! `strata diff`: two experiments over one session, call by call.

use std::path::{Path, PathBuf};

use serde::Serialize;
use strata_measure::analysis::{Effect, SessionAnalysis, diff_requests};
use strata_wire::Segment;

use super::change::{ChangeReport, Weigh};
use super::diagnostic::FileDiagnostic;
use super::source::{Source, Subject};
use super::{VERSION, Watch};
use crate::api::common::Bill;
use crate::api::experiment::ComparedCall;
use crate::edit_file::EditFile;
use crate::error::AppError;
use crate::show::{DeltaScale, SegmentScale, compared, pairs, readable};
use crate::tables::Tables;
use crate::text_diff::unified;

/// The document of `strata diff`. Sums are over all calls.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DiffReport {
    pub version: u32,
    pub session: String,
    pub title: String,
    pub a: SideReport,
    pub b: SideReport,
    pub calls_changed: u32,
    pub calls: Vec<ComparedCall>,
    /// What differs in the request of the call that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub changes: Option<Vec<PartChangeReport>>,
    pub diagnostics: Vec<FileDiagnostic>,
}

/// A part of a request that differs.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PartChangeReport {
    #[serde(flatten)]
    pub change: ChangeReport,
    /// Its text line by line, as `diff -u` prints it; empty for a part that only moved.
    pub diff: String,
}

/// One side.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SideReport {
    /// What was named.
    pub name: String,
    /// What its calls come to.
    pub bill: Bill,
    pub tokens: u64,
    /// Of these, read from a cache.
    pub cached_tokens: u64,
    pub breaks: u32,
    /// US dollars, if all models have a price.
    pub cost: Option<f64>,
}

/// Compares `a` with `b`. Either may be a file of edits over the other, or over `a`'s session.
pub fn diff(
    a: &Source,
    b: &str,
    session: Option<&str>,
    call: Option<u32>,
    watch: &dyn Watch,
) -> Result<DiffReport, AppError> {
    let (of_a, mut diagnostics) = a.read_one(session, watch)?;
    let other = if EditFile::is_one(Path::new(b)) {
        Source { edits: vec![PathBuf::from(b)], scripts: Vec::new(), ..a.clone() }
    } else {
        Source { name: b.to_owned(), edits: Vec::new(), scripts: Vec::new(), ..a.clone() }
    };
    let (of_b, found) = other.read_one(session, watch)?;
    diagnostics.extend(found);
    if of_a.experiment.n_recorded() != of_b.experiment.n_recorded()
        || of_a.experiment.session().id != of_b.experiment.session().id
    {
        return Err(AppError::bad_input(format!(
            "{} and {b} are over two sessions. Only what is over the same session can be compared.",
            a.name
        )));
    }
    let tables = Tables::default();
    let compile = |subject: &Subject| subject.compiled(subject.n_calls(), &tables, watch);
    let (first, second) = (compile(&of_a)?, compile(&of_b)?);
    let effect = Effect::of(first.billed(), second.billed());
    let agents = of_a.experiment.calls().iter().map(|call| call.invocation.agent.to_string());
    let pairs = pairs(first.billed(), second.billed()).zip(agents);
    let changes = match call {
        None => None,
        Some(number) => {
            Some(request_changes((&of_a, &first.analysis), (&of_b, &second.analysis), number, &tables)?)
        }
    };
    Ok(DiffReport {
        version: VERSION,
        session: of_a.id.clone(),
        title: of_a.title.clone(),
        a: side(&a.said(), &effect.before),
        b: side(b, &effect.after),
        calls_changed: effect.calls_changed,
        calls: pairs.map(|((a, b), agent)| compared(agent, a, b)).collect(),
        changes,
        diagnostics,
    })
}

/// What differs between the requests of one call.
fn request_changes(
    (a, of_a): (&Subject, &SessionAnalysis),
    (b, of_b): (&Subject, &SessionAnalysis),
    call: u32,
    tables: &Tables,
) -> Result<Vec<PartChangeReport>, AppError> {
    let missing = || AppError::not_found(format!("C{call} is not in this session."));
    let (old, new) = (of_a.call(call).ok_or_else(missing)?, of_b.call(call).ok_or_else(missing)?);
    let (before, after) = (a.scale(of_a, tables, old)?, b.scale(of_b, tables, new)?);
    let weigh = Weigh {
        scale: DeltaScale {
            before: SegmentScale::new(before, &old.request),
            after: SegmentScale::new(after, &new.request),
        },
        log: b.experiment.log(),
    };
    let shown = |segment: &Option<Segment<'_>>| segment.as_ref().map_or(String::new(), readable);
    let deltas = diff_requests(&old.request, &new.request);
    let changes = deltas.iter().filter_map(|delta| {
        let diff = unified(&shown(&delta.before), &shown(&delta.after));
        Some(PartChangeReport { change: weigh.change(delta)?, diff })
    });
    Ok(changes.collect())
}

fn side(name: &str, totals: &strata_measure::analysis::Totals) -> SideReport {
    SideReport {
        name: name.to_owned(),
        bill: totals.bill.into(),
        tokens: totals.bill.prompt_tokens,
        cached_tokens: totals.bill.cached_tokens,
        breaks: totals.breaks,
        cost: totals.bill.cost_usd(),
    }
}
