//! All differences of two prompts.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash as _, Hasher as _};
use std::ops::Range;
use std::time::{Duration, Instant};

use similar::{Algorithm, DiffOp, capture_diff_slices_deadline};
use strata_model::text::common_start;
use strata_wire::{Item, Segment};

use super::side::Side;
use crate::api::part::{DiffLine, DiffSign};
use crate::show::readable;
use crate::text_diff::diff_lines;

/// After this long a comparison is given that is right but not the smallest.
const PATIENCE: Duration = Duration::from_millis(80);
/// Changed lines that are this near belong together.
const NEAR: usize = 1;
/// Texts longer than this are one difference, whatever changed in them.
const LONGEST: usize = 400_000;

/// The differences of two prompts, from the beginning on.
pub(super) struct Differences {
    pub list: Vec<Hunk>,
    /// Parts that both have, by their places in the later prompt.
    same: Vec<Range<usize>>,
}

/// One difference: parts of the earlier prompt, and what stands in their place in the later one.
pub(super) struct Hunk {
    pub before: Range<usize>,
    pub after: Range<usize>,
    /// Of a part that is there in both with another text.
    pub text: Option<TextHunk>,
}

/// A difference inside a text.
pub(super) struct TextHunk {
    /// Which run of changed lines.
    pub hunk: usize,
    /// Where it begins.
    pub before_byte: usize,
    pub after_byte: usize,
}

impl Differences {
    /// Tokens of parts that both prompts have, behind the first difference.
    pub(super) fn again_tokens(&self, after: &Side<'_>) -> u32 {
        let Some(first) = self.list.first() else { return 0 };
        let behind = self.same.iter().flat_map(Range::clone).filter(|at| *at >= first.after.start);
        behind.map(|at| after.tokens(at)).sum()
    }
}

pub(super) fn find_all(before: &Side<'_>, after: &Side<'_>) -> Differences {
    let keys = |side: &Side<'_>| side.segments.iter().map(key).collect::<Vec<_>>();
    let deadline = Instant::now() + PATIENCE;
    let ops = capture_diff_slices_deadline(Algorithm::Myers, &keys(before), &keys(after), Some(deadline));
    let mut found = Differences { list: Vec::new(), same: Vec::new() };
    for op in ops {
        match op {
            DiffOp::Equal { new_index, len, .. } => found.same.push(new_index..new_index + len),
            DiffOp::Delete { .. } | DiffOp::Insert { .. } => found.list.push(whole(&op)),
            DiffOp::Replace { .. } => replaced(before, after, &op, &mut found.list),
        }
    }
    found
}

fn whole(op: &DiffOp) -> Hunk {
    Hunk { before: op.old_range(), after: op.new_range(), text: None }
}

/// Parts in the place of others: those at the same place with the same speaker are compared word by word.
fn replaced(before: &Side<'_>, after: &Side<'_>, op: &DiffOp, list: &mut Vec<Hunk>) {
    let (old, new) = (op.old_range(), op.new_range());
    let pairs = old.clone().zip(new.clone());
    let is_same_place = |(a, b): &(usize, usize)| {
        let (a, b) = (&before.segments[*a], &after.segments[*b]);
        a.path.to_string() == b.path.to_string() && a.role() == b.role() && is_alike(a, b)
    };
    let paired: Vec<(usize, usize)> = pairs.take_while(is_same_place).collect();
    for (a, b) in &paired {
        texts(before, after, (*a, *b), list);
    }
    let rest = Hunk {
        before: old.start + paired.len()..old.end,
        after: new.start + paired.len()..new.end,
        text: None,
    };
    if !rest.before.is_empty() || !rest.after.is_empty() {
        list.push(rest);
    }
}

/// Both are the same kind of thing, and from the same source where that is an event.
fn is_alike(a: &Segment<'_>, b: &Segment<'_>) -> bool {
    let event = |segment: &Segment<'_>| segment.main_origin().and_then(|origin| origin.event());
    std::mem::discriminant(&a.item) == std::mem::discriminant(&b.item) && event(a) == event(b)
}

fn texts(before: &Side<'_>, after: &Side<'_>, (a, b): (usize, usize), list: &mut Vec<Hunk>) {
    let (old, new) = (&before.segments[a], &after.segments[b]);
    let texts = (old.text(), new.text());
    let mut push = |hunk, before_byte, after_byte| {
        let text = Some(TextHunk { hunk, before_byte, after_byte });
        list.push(Hunk { before: a..a + 1, after: b..b + 1, text });
    };
    // Line numbers lead to bytes only where lines are those of the text itself.
    let shown = (readable(old), readable(new));
    let skipped = |shown: &str, text: &str| shown.strip_suffix(text).map(|front| front.lines().count());
    let offset = match old.item {
        Item::System(_) => Some(0),
        _ => skipped(&shown.0, &texts.0),
    };
    let at = common_start(&texts.0, &texts.1);
    let Some(offset) = offset.filter(|_| texts.0.len() + texts.1.len() < LONGEST) else {
        push(0, at, at);
        return;
    };
    let cut = |text: &str| text.len() - text.trim_start_matches('\n').len();
    let cuts = if matches!(old.item, Item::System(_)) { (cut(&texts.0), cut(&texts.1)) } else { (0, 0) };
    let lines = diff_lines(&shown.0, &shown.1).lines;
    for (hunk, range) in hunks(&lines).into_iter().enumerate() {
        let first = |number: &dyn Fn(&DiffLine) -> Option<u32>| {
            // The first line at or behind the change that this side has.
            lines[range.start..]
                .iter()
                .find_map(number)
                .map(|line| (line as usize - 1).saturating_sub(offset))
        };
        let start = |text: &str, line: Option<usize>, cut: usize| {
            line.map_or(text.len(), |line| cut + line_start(&text[cut..], line))
        };
        let old_start = start(&texts.0, first(&|line| line.before_line), cuts.0);
        let new_start = start(&texts.1, first(&|line| line.after_line), cuts.1);
        let same = common_start(&texts.0[old_start..], &texts.1[new_start..]);
        push(hunk, old_start + same, new_start + same);
    }
}

/// Runs of changed lines.
pub(super) fn hunks(lines: &[DiffLine]) -> Vec<Range<usize>> {
    let mut hunks: Vec<Range<usize>> = Vec::new();
    for (at, _) in lines.iter().enumerate().filter(|(_, line)| line.sign != DiffSign::Same) {
        match hunks.last_mut().filter(|last| at < last.end + NEAR) {
            Some(last) => last.end = at + 1,
            None => hunks.push(at..at + 1),
        }
    }
    hunks
}

/// What makes two parts the same: who speaks, and every byte.
fn key(segment: &Segment<'_>) -> u64 {
    let mut hasher = DefaultHasher::new();
    segment.role().hash(&mut hasher);
    match &segment.item {
        Item::Part { part, .. } => part.fingerprint.hash(&mut hasher),
        _ => segment.text().hash(&mut hasher),
    }
    hasher.finish()
}

fn line_start(text: &str, line: usize) -> usize {
    text.split_inclusive('\n').take(line).map(str::len).sum()
}
