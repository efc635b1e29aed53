//! `strata diff`: two experiments over one session, call by call; or two recordings of one task, before and after a
//! change.

use std::path::{Path, PathBuf};

use serde::Serialize;
use strata_measure::analysis::{Effect, SessionAnalysis, diff_requests};
use strata_measure::before_after::ComparedSession;
use strata_wire::Segment;

use super::change::{ChangeReport, Weigh};
use super::compiled::Compiled;
use super::diagnostic::FileDiagnostic;
use super::source::{Source, Subject};
use super::{VERSION, Watch};
use crate::api::common::Bill;
use crate::api::comparison::{CauseRanking, DifferenceCause, SessionComparison};
use crate::api::experiment::ComparedCall;
use crate::edit_file::EditFile;
use crate::error::AppError;
use crate::show::{
    DeltaScale, NamedSession, SegmentScale, compared, difference_causes, pairs, readable, session_comparison,
};
use crate::tables::Tables;
use crate::text_diff::unified;

/// The document of `strata diff`.
#[derive(Debug, Clone, Serialize)]
#[serde(untagged)]
pub enum DifferenceReport {
    /// Of experiments over one session.
    Experiments(Box<DiffReport>),
    /// Of two recordings.
    Recordings(Box<RecordingsReport>),
}

/// What is compared, and how.
#[derive(Debug, Clone, Copy)]
pub struct DiffChoice<'c> {
    /// The session, where the file holds several; and that of the other file.
    pub session: Option<&'c str>,
    pub other_session: Option<&'c str>,
    /// The app configuration of the other side; that of the first where it is left out.
    pub other_app: Option<&'c Path>,
    /// The call whose requests are compared.
    pub call: Option<u32>,
    pub by: CauseRanking,
}

/// Two recordings of one task: what they come to, and what makes the difference.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RecordingsReport {
    pub version: u32,
    /// What was named.
    pub name_a: String,
    pub name_b: String,
    #[serde(flatten)]
    pub comparison: SessionComparison,
    pub diagnostics: Vec<FileDiagnostic>,
}

/// Two experiments over one session. Sums are over all calls.
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
    /// What makes the difference: they add up to `b` less `a`.
    pub causes: Vec<DifferenceCause>,
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

/// Compares `a` with `b`: a session or an experiment, or a file of edits over `a`'s session.
pub fn diff(
    a: &Source,
    b: &str,
    choice: &DiffChoice<'_>,
    watch: &dyn Watch,
) -> Result<DifferenceReport, AppError> {
    let (of_a, mut diagnostics) = a.read_one(choice.session, watch)?;
    let app = choice.other_app.map(Path::to_owned).or_else(|| a.app.clone());
    let is_edits = EditFile::is_one(Path::new(b));
    let other = if is_edits {
        Source { edits: vec![PathBuf::from(b)], scripts: Vec::new(), app, ..a.clone() }
    } else {
        Source { name: b.to_owned(), edits: Vec::new(), scripts: Vec::new(), app, ..a.clone() }
    };
    let is_of_same_file = is_edits || b == a.name;
    let session = choice.other_session.or(choice.session.filter(|_| is_of_same_file));
    let (of_b, found) = other.read_chosen(session, "--other-session", watch)?;
    diagnostics.extend(found);
    let tables = a.tables()?;
    let names = [a.said(), b.to_owned()];
    if is_one_recording(&of_a, &of_b) {
        let report = experiments(names, [&of_a, &of_b], choice, diagnostics, &tables, watch)?;
        return Ok(DifferenceReport::Experiments(Box::new(report)));
    }
    if choice.call.is_some() {
        return Err(AppError::bad_input(format!(
            "{} and {b} are two recordings, whose calls have numbers of their own. `--call` shows what differs in a \
             call of one session; `strata compile` shows the requests of each.",
            names[0]
        )));
    }
    let (first, second) =
        (of_a.compiled(of_a.n_calls(), &tables, watch)?, of_b.compiled(of_b.n_calls(), &tables, watch)?);
    let (first, second) = (named(&of_a, &first), named(&of_b, &second));
    let comparison = session_comparison([&first, &second], choice.by, 0..usize::MAX, &tables.prices);
    let [name_a, name_b] = names;
    let report = RecordingsReport { version: VERSION, name_a, name_b, comparison, diagnostics };
    Ok(DifferenceReport::Recordings(Box::new(report)))
}

/// Whether both are laid over the same events. Two runs of an app may have one id.
fn is_one_recording(a: &Subject, b: &Subject) -> bool {
    let recorded = |subject: &Subject| {
        let experiment = &subject.experiment;
        experiment.laid_over().unwrap_or(experiment).session().clone()
    };
    let (a, b) = (recorded(a), recorded(b));
    a.id == b.id && a.events == b.events
}

fn named<'s>(subject: &'s Subject, compiled: &'s Compiled) -> NamedSession<'s> {
    NamedSession {
        id: subject.id.clone(),
        title: subject.title.clone(),
        format: subject.format_name.clone(),
        session: ComparedSession { experiment: &subject.experiment, billed: compiled.billed() },
        unedited: compiled.recording(subject).map(|recording| recording.caches),
    }
}

fn experiments(
    [name_a, name_b]: [String; 2],
    [of_a, of_b]: [&Subject; 2],
    choice: &DiffChoice<'_>,
    diagnostics: Vec<FileDiagnostic>,
    tables: &Tables,
    watch: &dyn Watch,
) -> Result<DiffReport, AppError> {
    let compile = |subject: &Subject| subject.compiled(subject.n_calls(), tables, watch);
    let (first, second) = (compile(of_a)?, compile(of_b)?);
    let effect = Effect::of(first.billed(), second.billed());
    let agents = of_a.experiment.calls().iter().map(|call| call.invocation.agent.to_string());
    let pairs = pairs(first.billed(), second.billed()).zip(agents);
    let changes = match choice.call {
        None => None,
        Some(number) => {
            Some(request_changes((of_a, &first.analysis), (of_b, &second.analysis), number, tables)?)
        }
    };
    let sessions = [named(of_a, &first).session, named(of_b, &second).session];
    Ok(DiffReport {
        version: VERSION,
        session: of_a.id.clone(),
        title: of_a.title.clone(),
        a: side(&name_a, &effect.before),
        b: side(&name_b, &effect.after),
        calls_changed: effect.calls_changed,
        calls: pairs.map(|((a, b), agent)| compared(agent, a, b)).collect(),
        causes: difference_causes(sessions, choice.by, &tables.prices),
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
