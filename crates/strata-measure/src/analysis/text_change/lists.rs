//! Lists, a line or a few words an item, of which the order or the length changed.

use std::collections::HashMap;

use super::kind::ChangeKind;
use super::texts::{Found, Texts};
use super::words::lines_from;

/// Lines within which a list has to be the same again.
const WINDOW: usize = 400;
/// Signs on one line behind which a list is looked for.
const MAX_SIGNS: usize = 8;
/// What stands around an item and is no part of it.
const ENDS: [char; 8] = [' ', '.', '{', '}', '[', ']', '(', ')'];

/// The same items in another order: of lines, or on one line.
pub(super) fn reordered<'t>(texts: &Texts<'t>) -> Option<Found<'t>> {
    let on_one_line = || {
        lists(texts).find_map(|(before, after, start)| {
            let is_same = before.len() > 1 && before != after && is_same_bag(&before, &after);
            is_same.then(|| found(ChangeKind::Order, &before, &after, start)).flatten()
        })
    };
    reordered_lines(texts).or_else(on_one_line)
}

/// Items that came in between those that were there, or went.
pub(super) fn resized<'t>(texts: &Texts<'t>) -> Option<Found<'t>> {
    let missing = |of: &[&'t str], other: &[&'t str]| of.iter().find(|item| !other.contains(item)).copied();
    let on_one_line = || {
        lists(texts).find_map(|(before, after, label_end)| {
            // One item in brackets is a list as well, and one behind which the next has come.
            let is_list =
                texts.after[..label_end].ends_with(['[', '(', '{']) || before.first() == after.first();
            let least = if is_list { 1 } else { 2 };
            let kind = match () {
                () if before.len() >= least && is_within(&before, &after) => ChangeKind::Grown,
                () if after.len() >= least && is_within(&after, &before) => ChangeKind::Shrunk,
                () => return None,
            };
            let (gone, new) =
                (missing(&before, &after).unwrap_or(""), missing(&after, &before).unwrap_or(""));
            Some(Found { kind, before: gone, after: new, label_end })
        })
    };
    resized_lines(texts).or_else(on_one_line)
}

/// Lines from the first that differs on which are a list in another order until both go on alike.
fn reordered_lines<'t>(texts: &Texts<'t>) -> Option<Found<'t>> {
    let mut balance: HashMap<&str, i32> = HashMap::new();
    let mut n_open = 0;
    let mut first = None;
    let pairs = lines_from(texts.before, texts.at).zip(lines_from(texts.after, texts.at));
    for (at, (before, after)) in pairs.take(WINDOW).enumerate() {
        first.get_or_insert((before, after));
        for (line, step) in [(before, 1), (after, -1)] {
            // The last item of a list in JSON has no comma.
            let count = balance.entry(line.trim_end_matches(',')).or_default();
            n_open += i32::abs(*count + step) - i32::abs(*count);
            *count += step;
        }
        if n_open == 0 {
            let (before, after) = first.filter(|_| at > 0)?;
            let label_end = line_start(texts.after, texts.at);
            return Some(Found {
                kind: ChangeKind::Order,
                before: before.trim(),
                after: after.trim(),
                label_end,
            });
        }
    }
    None
}

/// Whole lines that came in before one that is still there, or at the end; or that went.
fn resized_lines<'t>(texts: &Texts<'t>) -> Option<Found<'t>> {
    let rest = |text: &'t str| {
        let start = line_start(text, texts.at);
        (&text[start..], start)
    };
    let ((before, _), (after, start)) = (rest(texts.before), rest(texts.after));
    let until = |lines: &'t str, line: &str| {
        let mut end = 0;
        for (n, other) in lines.split('\n').take(WINDOW).enumerate() {
            if n > 0 && other == line {
                return Some(lines[..end].trim_end());
            }
            end += other.len() + 1;
        }
        None
    };
    let first = |lines: &'t str| lines.split('\n').next().unwrap_or_default();
    let is_line = |line: &str| line.trim().len() > 1;
    // A last line without an end may be one that was gone on with.
    if before.is_empty() && texts.at > 0 {
        return Some(Found { kind: ChangeKind::Grown, before: "", after: after.trim(), label_end: start });
    }
    if is_line(first(before))
        && let Some(new) = until(after, first(before))
    {
        return Some(Found { kind: ChangeKind::Grown, before: "", after: new, label_end: start });
    }
    if is_line(first(after))
        && let Some(gone) = until(before, first(after))
    {
        return Some(Found { kind: ChangeKind::Shrunk, before: gone, after: "", label_end: start });
    }
    None
}

/// The line that differs first as lists of items, behind each sign that a list may stand behind: the items of both texts,
/// and where they begin in the later one. The nearest sign comes first.
fn lists<'t>(texts: &Texts<'t>) -> impl Iterator<Item = (Vec<&'t str>, Vec<&'t str>, usize)> {
    const SIGNS: [char; 6] = [':', '[', '(', '{', '=', '>'];
    let line = |text: &'t str| lines_from(text, texts.at).next().unwrap_or_default();
    let (before, after) = (line(texts.before), line(texts.after));
    let start = line_start(texts.after, texts.at);
    let shared = &after[..texts.at - start];
    let signs = shared.rmatch_indices(SIGNS).map(|(at, _)| at + 1).take(MAX_SIGNS);
    let split = |line: &'t str, label: usize| -> Vec<&'t str> {
        let items = line[label..].split([',', ';', '|']).map(|item| item.trim_matches(ENDS));
        items.filter(|item| !item.is_empty()).collect()
    };
    signs.chain([0]).map(move |label| (split(before, label), split(after, label), start + label))
}

fn found<'t>(kind: ChangeKind, before: &[&'t str], after: &[&'t str], label_end: usize) -> Option<Found<'t>> {
    let at = before.iter().zip(after).position(|(a, b)| a != b)?;
    Some(Found { kind, before: before[at], after: after[at], label_end })
}

fn is_same_bag(a: &[&str], b: &[&str]) -> bool {
    let (mut a, mut b) = (a.to_vec(), b.to_vec());
    a.sort_unstable();
    b.sort_unstable();
    a == b
}

/// All of `few` are among `many`, in their order, and others as well.
fn is_within(few: &[&str], many: &[&str]) -> bool {
    let mut rest = many.iter();
    few.len() < many.len() && few.iter().all(|item| rest.any(|other| other == item))
}

fn line_start(text: &str, at: usize) -> usize {
    text[..at].rfind('\n').map_or(0, |newline| newline + 1)
}
