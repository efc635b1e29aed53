//! What a stage did to a request, as rows.

use strata_engine::EventLog;
use strata_measure::analysis::{Change, Kind, PartDelta, Scale, is_quotation};
use strata_model::LlmRequest;
use strata_wire::{Item, Segment, find};

use super::headline::Counts;
use crate::api::call::{PartChange, PartRow};
use crate::show::words;
use crate::show::{DeltaScale, line};

/// Unchanged rows that are folded only from so many on.
const FOLD: usize = 3;

/// The rows of a comparison.
pub(super) struct Rows<'s> {
    pub scale: Scale<'s>,
    pub weigh: DeltaScale<'s>,
    pub is_inferred: bool,
}

impl Rows<'_> {
    /// Without what is said only of the rows that are shown: see [`say`].
    pub(super) fn row(&self, delta: &PartDelta<'_>) -> PartRow {
        let segment = delta.after.as_ref().or(delta.before.as_ref());
        let [tokens_before, tokens_after] = self.weigh.tokens(delta);
        let mut row = PartRow {
            change: change(delta.change),
            path: segment.map_or(String::new(), |segment| segment.path.to_string()),
            address: String::new(),
            kind: None,
            count: 1,
            is_reframed: false,
            from: String::new(),
            tokens_before,
            tokens_after,
            text: String::new(),
            code_length: 0,
            is_inferred: self.is_inferred,
        };
        let Some(segment) = segment else { return row };
        let log = self.scale.log();
        row.kind = (!matches!(segment.item, Item::Setting { .. })).then(|| Kind::of(segment, log).into());
        row.is_reframed = is_quotation(segment);
        if let Change::LeftOut(reason) = delta.change {
            let event = segment.main_origin().and_then(|origin| origin.event());
            row.address = event.map_or(String::new(), |event| format!("E{}", event.number()));
            row.from = source(segment, log);
            row.path = String::new();
            row.text = reason.explanation();
        }
        row
    }
}

fn source(segment: &Segment<'_>, log: &EventLog) -> String {
    segment.main_origin().map_or(String::new(), |origin| words::source(origin, log))
}

/// Says what is in each of some rows and where it is from, by the requests that are compared, each with its call.
pub(super) fn say(
    rows: &mut [PartRow],
    before: (&LlmRequest, u32),
    after: (&LlmRequest, u32),
    log: &EventLog,
) {
    // Rows for several parts, and those that a rule left out, have words of their own, and no path.
    for row in rows.iter_mut().filter(|row| !row.path.is_empty()) {
        let (request, call) = if row.change == PartChange::LeftOut { before } else { after };
        row.address = format!("C{call}/{}", row.path);
        if let Some(segment) = find(request, &row.path) {
            row.from = source(&segment, log);
            (row.text, row.code_length) = line(&segment);
        }
    }
}

fn change(change: Change) -> PartChange {
    match change {
        Change::Added => PartChange::Added,
        Change::Removed | Change::LeftOut(_) => PartChange::LeftOut,
        Change::Rewritten => PartChange::Rewritten,
        Change::Moved => PartChange::Moved,
        Change::Unchanged => PartChange::Unchanged,
    }
}

pub(super) fn counts(rows: &[PartRow]) -> Counts {
    let mut counts = Counts::default();
    for row in rows {
        let count = match row.change {
            PartChange::Added => &mut counts.added,
            PartChange::LeftOut => &mut counts.left_out,
            PartChange::Rewritten => &mut counts.rewritten,
            PartChange::Moved => &mut counts.moved,
            PartChange::Unchanged => &mut counts.unchanged,
        };
        *count += 1;
    }
    counts
}

/// Neighbouring events that one rule left out become one row.
pub(super) fn gather_left_out(rows: Vec<PartRow>) -> Vec<PartRow> {
    let mut gathered: Vec<PartRow> = Vec::with_capacity(rows.len());
    let mut ends: Option<(String, String)> = None;
    for row in rows {
        let is_event = row.change == PartChange::LeftOut && row.address.starts_with('E');
        let last = gathered.last_mut().filter(|last| {
            is_event && last.change == PartChange::LeftOut && last.text == row.text && ends.is_some()
        });
        let Some(last) = last else {
            ends = is_event.then(|| (row.address.clone(), row.address.clone()));
            gathered.push(row);
            continue;
        };
        let Some((first, end)) = ends.as_mut() else { continue };
        // Parts of one event count once.
        if *end != row.address {
            last.count += 1;
            end.clone_from(&row.address);
            last.from = format!("{first}–{end}");
            last.address = String::new();
        }
        last.tokens_before += row.tokens_before;
        last.kind = last.kind.filter(|kind| Some(*kind) == row.kind);
    }
    gathered
}

/// Long runs of unchanged parts become one row.
pub(super) fn fold_unchanged(rows: Vec<PartRow>) -> Vec<PartRow> {
    let mut folded: Vec<PartRow> = Vec::with_capacity(rows.len());
    let mut run: Vec<PartRow> = Vec::new();
    for row in rows {
        if row.change == PartChange::Unchanged {
            run.push(row);
        } else {
            end_run(&mut run, &mut folded);
            folded.push(row);
        }
    }
    end_run(&mut run, &mut folded);
    folded
}

fn end_run(run: &mut Vec<PartRow>, folded: &mut Vec<PartRow>) {
    if run.len() < FOLD {
        folded.append(run);
        return;
    }
    let tokens = run.iter().map(|row| row.tokens_after).sum();
    folded.push(PartRow {
        change: PartChange::Unchanged,
        path: String::new(),
        address: String::new(),
        kind: None,
        count: run.len() as u32,
        is_reframed: false,
        from: format!("{}–{}", run[0].path, run[run.len() - 1].path),
        tokens_before: tokens,
        tokens_after: tokens,
        text: format!("{} unchanged", run.len()),
        code_length: 0,
        is_inferred: false,
    });
    run.clear();
}
