//! What one agent had and the next one saw, part by part.

use std::collections::HashMap;

use strata_engine::Compilation;
use strata_engine::processors::explain_omissions;
use strata_measure::analysis::{Change, Kind, PartDelta, diff_requests, is_quotation};
use strata_model::{EventIndex, Origin};
use strata_wire::{Item, Path, Segment};

use super::CompiledSession;
use super::agents::hand_off_rows;
use crate::api::part::PartDiff;
use crate::api::stores::{Fate, FateSum, HandOffDetail, HandOffPart, HandOffRow};
use crate::error::AppError;
use crate::show::{DeltaScale, SegmentScale, line, part_diff, words, writer};

/// The parts of both prompts, as far as they are sent to the model.
struct Sides<'s> {
    deltas: Vec<PartDelta<'s>>,
    weigh: DeltaScale<'s>,
}

impl<'s> Sides<'s> {
    fn of(of: CompiledSession<'s>, row: &HandOffRow) -> Result<Self, AppError> {
        let (before, after) = (of.call(row.from_call)?, of.call(row.to_call)?);
        let weigh = DeltaScale {
            before: SegmentScale::new(of.scale(before)?, &before.request),
            after: SegmentScale::new(of.scale(after)?, &after.request),
        };
        let mut deltas = diff_requests(&before.request, &after.request);
        deltas.retain(|delta| {
            let is_setting = delta.after.as_ref().or(delta.before.as_ref()).is_some_and(is_setting);
            !is_setting || weigh.tokens(delta) != [0, 0]
        });
        Ok(Self { deltas, weigh })
    }
}

fn is_setting(segment: &Segment<'_>) -> bool {
    matches!(segment.item, Item::Setting { .. })
}

fn find(of: CompiledSession<'_>, number: u32) -> Result<HandOffRow, AppError> {
    let rows = hand_off_rows(of);
    let n_rows = rows.len();
    rows.into_iter().find(|row| row.number == number).ok_or_else(|| {
        AppError::not_found(match n_rows {
            0 => "No agent of this session goes on after another.".to_owned(),
            _ => format!("H{number} is not in this session. Its last hand-off is H{n_rows}."),
        })
    })
}

/// `compilation` is that of the later call, where its agent is in the configuration.
pub(crate) fn hand_off(
    of: CompiledSession<'_>,
    number: u32,
    (offset, limit): (u32, u32),
    compile: impl Fn(u32) -> Option<std::sync::Arc<Compilation>>,
) -> Result<HandOffDetail, AppError> {
    let row = find(of, number)?;
    let sides = Sides::of(of, &row)?;
    let mut sums: HashMap<Fate, FateSum> = HashMap::new();
    for delta in &sides.deltas {
        let [before, after] = sides.weigh.tokens(delta);
        let sum = sums.entry(fate(delta.change)).or_default();
        sum.parts += 1;
        sum.tokens_before += before;
        sum.tokens_after += after;
    }
    let rules = Rules::of(of, &row, compile(row.to_call));
    let page = sides.deltas.iter().enumerate().skip(offset as usize).take(limit as usize);
    let parts = page.map(|(at, delta)| part(of, &row, &sides, &rules, at, delta)).collect();
    let sum = |fate| sums.get(&fate).copied().unwrap_or_default();
    let (before, after) = (of.call(row.from_call)?, of.call(row.to_call)?);
    Ok(HandOffDetail {
        kept: sum(Fate::Kept),
        reframed: sum(Fate::Reframed),
        dropped: sum(Fate::Dropped),
        added: sum(Fate::Added),
        framing: FateSum { parts: 0, tokens_before: before.overhead, tokens_after: after.overhead },
        total: sides.deltas.len() as u32,
        parts,
        row,
    })
}

fn fate(change: Change) -> Fate {
    match change {
        Change::Unchanged | Change::Moved => Fate::Kept,
        Change::Rewritten => Fate::Reframed,
        Change::Removed | Change::LeftOut(_) => Fate::Dropped,
        Change::Added => Fate::Added,
    }
}

fn part(
    of: CompiledSession<'_>,
    row: &HandOffRow,
    sides: &Sides<'_>,
    rules: &Rules,
    at: usize,
    delta: &PartDelta<'_>,
) -> HandOffPart {
    let log = of.experiment.log();
    let [tokens_before, tokens_after] = sides.weigh.tokens(delta);
    let segment = delta.after.as_ref().or(delta.before.as_ref());
    let call = if delta.after.is_some() { row.to_call } else { row.from_call };
    HandOffPart {
        number: at as u32 + 1,
        fate: fate(delta.change),
        kind: segment.filter(|segment| !is_setting(segment)).map(|segment| Kind::of(segment, log).into()),
        address: segment.map_or_else(String::new, |segment| format!("C{call}/{}", segment.path)),
        source: segment
            .and_then(|segment| segment.main_origin())
            .map_or_else(String::new, |origin| words::source(origin, log)),
        text: segment.map_or_else(String::new, |segment| line(segment).0),
        tokens_before,
        tokens_after,
        is_quoted_before: delta.before.as_ref().is_some_and(is_quotation),
        is_quoted_after: delta.after.as_ref().is_some_and(is_quotation),
        rule: segment.map_or_else(String::new, |segment| rules.of_part(row, delta, segment)),
    }
}

/// What decides about parts: the stages of the later call, and what they say they left out.
struct Rules {
    compilation: Option<std::sync::Arc<Compilation>>,
    omitted: HashMap<EventIndex, String>,
}

impl Rules {
    fn of(
        of: CompiledSession<'_>,
        row: &HandOffRow,
        compilation: Option<std::sync::Arc<Compilation>>,
    ) -> Self {
        let call = of.experiment.call(row.to_call);
        let context = call.and_then(|call| of.experiment.context(call));
        let omissions = context.map_or_else(Vec::new, |context| explain_omissions(&context));
        let omitted = omissions.into_iter().map(|omission| (omission.event, omission.reason.explanation()));
        Self { compilation, omitted: omitted.collect() }
    }

    fn of_part(&self, row: &HandOffRow, delta: &PartDelta<'_>, segment: &Segment<'_>) -> String {
        let HandOffRow { from, to, .. } = row;
        let fate = fate(delta.change);
        match (&segment.path, fate) {
            (Path::Tool { .. }, Fate::Kept) => "both agents have it".to_owned(),
            (Path::Tool { .. }, Fate::Reframed) => "another declaration of the same name".to_owned(),
            (Path::Tool { .. }, Fate::Dropped) => format!("not a tool of {to}"),
            (Path::Tool { .. }, Fate::Added) => format!("a tool of {to}"),
            (Path::System { .. }, Fate::Kept) => "both agents are told so".to_owned(),
            (Path::System { .. }, Fate::Dropped) => format!("{}told to {from} only", self.stage(None)),
            (Path::System { .. }, _) => format!("{}told to {to}", self.stage(Some(segment))),
            (Path::Part { .. }, Fate::Kept) => "contents: as it was".to_owned(),
            (Path::Part { .. }, Fate::Dropped) => self.why_dropped(segment),
            (Path::Part { .. }, Fate::Reframed) => {
                let what =
                    if is_quotation(segment) { "told as another agent’s words" } else { "in other words" };
                format!("{}{what}", self.stage(Some(segment)))
            }
            (Path::Part { .. }, Fate::Added) => {
                let what = match segment.main_origin() {
                    Some(Origin::Event { .. }) if is_quotation(segment) => {
                        "since then, told as another agent’s words"
                    }
                    Some(Origin::Event { .. }) => "since then",
                    Some(Origin::Summary { .. }) => "a summary",
                    _ => "written for this call",
                };
                format!("{}{what}", self.stage(Some(segment)))
            }
            (Path::Config { .. } | Path::Request { .. }, _) => "a setting of the agent".to_owned(),
        }
    }

    /// The first stage that has the part as it is sent.
    fn stage(&self, segment: Option<&Segment<'_>>) -> String {
        let found = segment.zip(self.compilation.as_ref());
        let stage = found.and_then(|(segment, compilation)| writer(compilation, segment));
        stage.map_or_else(String::new, |(stage, _)| format!("{stage}: "))
    }

    fn why_dropped(&self, segment: &Segment<'_>) -> String {
        let event = segment.main_origin().and_then(Origin::event);
        match event.map(|event| self.omitted.get(&event)) {
            Some(Some(reason)) => format!("contents: {reason}"),
            Some(None) => "not in what was sent".to_owned(),
            None => "written for the other call".to_owned(),
        }
    }
}

/// One part in both prompts.
pub(crate) fn hand_off_text(of: CompiledSession<'_>, number: u32, part: u32) -> Result<PartDiff, AppError> {
    let row = find(of, number)?;
    let sides = Sides::of(of, &row)?;
    let at = (part as usize).checked_sub(1);
    let delta = at.and_then(|at| sides.deltas.get(at)).ok_or_else(|| {
        AppError::not_found(format!("H{number} has {} parts, and no part {part}.", sides.deltas.len()))
    })?;
    let [before, after] = sides.weigh.tokens(delta);
    let label = |agent: &str, call: u32, tokens: u32, is_there: bool| {
        let what = if is_there {
            format!("{} tokens", words::whole(tokens))
        } else {
            "not in the prompt".to_owned()
        };
        format!("{agent} in C{call}: {what}")
    };
    let labels = (
        label(&row.from, row.from_call, before, delta.before.is_some()),
        label(&row.to, row.to_call, after, delta.after.is_some()),
    );
    Ok(part_diff(delta, labels, of.experiment.log()))
}
