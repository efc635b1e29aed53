//! Where two prompts differ, one difference at a time, in the order in which the provider reads them.

mod chips;
mod find;
mod side;

use strata_measure::analysis::{CacheAnalysis, CallAnalysis, Kind, Scale, SessionAnalysis};
use strata_model::text::common_start;
use strata_wire::Segment;

use self::chips::{Edge, chips};
use self::find::{Hunk, find_all};
use self::side::Side;
use super::chain;
use crate::Strata;
use crate::api::cache::{Difference, DifferenceDetail, DifferenceKind, PromptDifference};
use crate::api::part::{DiffLine, DiffRun, DiffSign};
use crate::command::Handler;
use crate::error::AppError;
use crate::open::OpenSession;
use crate::show::words::{self, whole};
use crate::show::{line, readable};
use crate::text_diff::diff_lines;

/// Lines of one difference.
const MAX_LINES: usize = 400;
/// Whole parts of one difference that are listed on either side, and characters of each.
const MAX_PARTS: usize = 6;
const PART_LINE: usize = 110;
/// Unchanged lines around those that changed.
const AROUND: usize = 2;

impl Handler for Difference {
    fn run(self, strata: &Strata) -> Result<PromptDifference, AppError> {
        let open = strata.sessions.get(&self.session)?;
        let analysis = open.analysis_of(self.call)?;
        let missing = || AppError::internal("A call got lost.");
        let call = analysis.call(self.call).ok_or_else(missing)?;
        let caches = open.caches(&analysis, &strata.tables)?;
        let Some(before) = against(&analysis, &caches, call) else {
            return Ok(PromptDifference {
                call: self.call,
                previous_call: None,
                total: 0,
                same_tokens: 0,
                again_tokens: 0,
                new_tokens: call.total.tokens,
                shown: None,
            });
        };
        let scale = open.scale(&analysis, &strata.tables, call)?;
        let sides = (Side::of(&analysis, scale, before), Side::of(&analysis, scale, call));
        let found = find_all(&sides.0, &sides.1);
        let same_tokens = match call.previous {
            Some(_) => call.matched.tokens,
            None => 0,
        };
        let again_tokens = found.again_tokens(&sides.1);
        let number = self.number.clamp(1, found.list.len().max(1) as u32);
        let shown = found.list.get(number as usize - 1);
        let shown = shown.map(|difference| Shown { open: &open, scale, sides: &sides, difference });
        let mut detail = shown.map(|shown| shown.detail(number));
        if let Some(detail) = detail.as_mut().filter(|detail| detail.number == 1 && same_tokens > 0) {
            detail.at_token = same_tokens;
        }
        Ok(PromptDifference {
            call: self.call,
            previous_call: Some(before.number),
            total: found.list.len() as u32,
            same_tokens,
            again_tokens,
            new_tokens: call.total.tokens.saturating_sub(same_tokens + again_tokens),
            shown: detail,
        })
    }
}

/// The call whose prompt this one could have continued.
fn against<'a>(
    analysis: &'a SessionAnalysis,
    caches: &CacheAnalysis,
    call: &CallAnalysis,
) -> Option<&'a CallAnalysis> {
    let lost = caches.call(call.number).and_then(|cache| cache.loss.as_ref()).map(|loss| loss.against);
    analysis.call(lost.or(call.previous)?)
}

/// One difference with everything that is said of it.
struct Shown<'s> {
    open: &'s OpenSession,
    scale: Scale<'s>,
    sides: &'s (Side<'s>, Side<'s>),
    difference: &'s Hunk,
}

impl Shown<'_> {
    fn detail(&self, number: u32) -> DifferenceDetail {
        let (before, after) = self.sides;
        let found = self.difference;
        let kind = self.kind();
        // What is gone is looked at in the earlier prompt.
        let is_gone = kind == DifferenceKind::LeftOut;
        let side = if is_gone { before } else { after };
        let at = if is_gone { found.before.start } else { found.after.start };
        let segment = side.segments.get(at).or(side.segments.last());
        let edges = self.edges();
        let source = segment.and_then(|segment| {
            let changed = found.text.as_ref().map_or(0, |text| text.after_byte);
            let changed_before = found.text.as_ref().map_or(0, |text| text.before_byte);
            let of_state = [
                before.segments.get(found.before.start).and_then(|old| state_at(old, changed_before)),
                state_at(segment, changed),
            ];
            let state = of_state.into_iter().flatten().next();
            state.or_else(|| segment.main_origin().cloned())
        });
        let (chips_before, chips_after, common_chips) = chips(self.scale, &edges);
        let lines = self.lines();
        let in_part = found.text.as_ref().map_or(0, |_| self.tokens_in_part(&edges.1));
        DifferenceDetail {
            number,
            kind,
            at_token: after.starts[found.after.start.min(after.segments.len())] + in_part,
            place: segment.map_or(String::new(), |segment| chain::place(&segment.path)),
            source: source.map_or(String::new(), |origin| words::source(&origin, self.open.experiment.log())),
            address: segment.map_or(String::new(), |segment| format!("C{}/{}", side.call, segment.path)),
            before: chips_before,
            after: chips_after,
            common_chips,
            hidden_lines: lines.len().saturating_sub(MAX_LINES) as u32,
            is_whitespace_only: is_white_space(&lines),
            lines: lines.into_iter().take(MAX_LINES).collect(),
        }
    }

    fn kind(&self) -> DifferenceKind {
        let found = self.difference;
        match (found.before.is_empty(), found.after.is_empty()) {
            _ if found.text.is_some() => DifferenceKind::Rewritten,
            (true, _) if found.before.start == self.sides.0.segments.len() => DifferenceKind::Continued,
            (true, _) => DifferenceKind::Inserted,
            (_, true) => DifferenceKind::LeftOut,
            _ => DifferenceKind::Replaced,
        }
    }

    /// What stands at the difference on both sides.
    fn edges(&self) -> (Edge, Edge) {
        let edge = |side: &Side<'_>, at: usize, byte: usize| {
            let segment = side.segments.get(at);
            Edge {
                text: segment.map_or(String::new(), |segment| segment.text().into_owned()),
                byte,
                kind: segment.map_or(Kind::User, |segment| Kind::of(segment, self.open.experiment.log())),
            }
        };
        let found = self.difference;
        let bytes = found.text.as_ref().map_or((0, 0), |text| (text.before_byte, text.after_byte));
        (edge(&self.sides.0, found.before.start, bytes.0), edge(&self.sides.1, found.after.start, bytes.1))
    }

    fn tokens_in_part(&self, edge: &Edge) -> u32 {
        let ends = self.scale.weigher().token_ends(&edge.text);
        ends.partition_point(|end| *end as usize <= edge.byte) as u32
    }

    fn lines(&self) -> Vec<DiffLine> {
        let (before, after) = self.sides;
        let found = self.difference;
        let Some(text) = &found.text else {
            let mut lines = part_lines(before, found.before.clone(), DiffSign::Removed);
            lines.extend(part_lines(after, found.after.clone(), DiffSign::Added));
            return lines;
        };
        let texts =
            (readable(&before.segments[found.before.start]), readable(&after.segments[found.after.start]));
        around(diff_lines(&texts.0, &texts.1).lines, text.hunk)
    }
}

/// The state key that fills in a byte of a segment.
fn state_at(segment: &Segment<'_>, byte: usize) -> Option<strata_model::Origin> {
    let mut end = 0;
    let spans = segment.spans();
    let span = spans.iter().find(|(bytes, _)| {
        end += bytes;
        byte < end
    });
    let (_, origin) = span?;
    matches!(origin, strata_model::Origin::State { .. }).then(|| (*origin).clone())
}

/// Whole parts, a line each; those beyond the first few in one line together.
fn part_lines(side: &Side<'_>, parts: std::ops::Range<usize>, sign: DiffSign) -> Vec<DiffLine> {
    // One more is as short as to say that there is one more.
    let n_listed = if parts.len() <= MAX_PARTS + 1 { parts.len() } else { MAX_PARTS };
    let mut lines: Vec<_> = parts.clone().take(n_listed).map(|at| part_line(side, at, sign)).collect();
    let rest = parts.skip(n_listed);
    if rest.len() > 0 {
        let tokens: u32 = rest.clone().map(|at| side.tokens(at)).sum();
        let text = format!("and {} more parts · {} tokens", whole(rest.len() as i64), whole(tokens));
        let runs = vec![DiffRun { text, is_emphasised: false }];
        lines.push(DiffLine { sign, before_line: None, after_line: None, runs });
    }
    lines
}

/// A whole part in one line.
fn part_line(side: &Side<'_>, at: usize, sign: DiffSign) -> DiffLine {
    let (text, _) = line(&side.segments[at]);
    let number = Some(at as u32 + 1);
    let text = words::row(&text, PART_LINE);
    let text = format!("{}  {text}  · {} tokens", side.segments[at].path, whole(side.tokens(at)));
    DiffLine {
        sign,
        before_line: number.filter(|_| sign == DiffSign::Removed),
        after_line: number.filter(|_| sign == DiffSign::Added),
        runs: vec![DiffRun { text, is_emphasised: false }],
    }
}

/// The lines of one run of changes with a few around them.
fn around(lines: Vec<DiffLine>, hunk: usize) -> Vec<DiffLine> {
    let hunks = find::hunks(&lines);
    let Some(range) = hunks.get(hunk).or(hunks.last()) else { return lines };
    let (from, to) = (range.start.saturating_sub(AROUND), range.end + AROUND);
    let n_before = range.start - from;
    let n_changed = range.len();
    let mut shown: Vec<DiffLine> = lines.into_iter().skip(from).take(to - from).collect();
    let behind = shown.split_off(n_before + n_changed);
    let changed = shown.split_off(n_before);
    shown.into_iter().chain(in_pairs(changed)).chain(behind).collect()
}

/// As many lines removed as added: each stands above the one that took its place, with what changed in it.
fn in_pairs(changed: Vec<DiffLine>) -> Vec<DiffLine> {
    let n_removed = changed.iter().take_while(|line| line.sign == DiffSign::Removed).count();
    let is_paired = changed.len() == 2 * n_removed
        && changed[n_removed..].iter().all(|line| line.sign == DiffSign::Added);
    if !is_paired {
        return changed;
    }
    let mut removed = changed;
    let added = removed.split_off(n_removed);
    let text = |line: &DiffLine| line.runs.iter().map(|run| &*run.text).collect::<String>();
    let mut pairs = Vec::with_capacity(2 * n_removed);
    for (mut old, mut new) in removed.into_iter().zip(added) {
        let (before, after) = (text(&old), text(&new));
        let start = common_start(&before, &after);
        let same_end = before[start..].chars().rev().zip(after[start..].chars().rev());
        let end: usize = same_end.take_while(|(a, b)| a == b).map(|(a, _)| a.len_utf8()).sum();
        for (line, text) in [(&mut old, &before), (&mut new, &after)] {
            let run = |text: &str, is_emphasised| DiffRun { text: text.to_owned(), is_emphasised };
            let (front, middle) = (&text[..start], &text[start..text.len() - end]);
            line.runs = vec![run(front, false), run(middle, true), run(&text[text.len() - end..], false)];
            line.runs.retain(|run| !run.text.is_empty());
        }
        pairs.extend([old, new]);
    }
    pairs
}

fn is_white_space(lines: &[DiffLine]) -> bool {
    let text = |sign: DiffSign| {
        let of_sign = lines.iter().filter(move |line| line.sign == sign);
        let runs = of_sign.flat_map(|line| &line.runs).map(|run| &*run.text);
        runs.collect::<String>().split_whitespace().collect::<String>()
    };
    let (removed, added) = (text(DiffSign::Removed), text(DiffSign::Added));
    !removed.is_empty() && removed == added
}
