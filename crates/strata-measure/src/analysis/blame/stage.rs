//! Which stage made two prompts differ.

use std::sync::Arc;

use strata_engine::{Sections, Stage};
use strata_model::{Fingerprint, FingerprintBuilder, LlmRequest, RequestContent, Str};
use strata_wire::{CacheRule, definitions};

use super::super::prefix::{PrefixEnd, common_section};
use super::pair::system_place;

/// Where two requests differ in one section.
#[derive(PartialEq, Eq)]
struct Difference {
    /// What stands there in each.
    pair: (Fingerprint, Fingerprint),
    /// How much of the earlier section, from its end, is not in the later one.
    lost: usize,
}

/// The stage that made the difference which is left at the end. A later stage only takes the blame where it makes
/// another difference, nearer to the beginning; one that removes the difference clears everybody before it.
pub(super) fn guilty(
    rule: &CacheRule,
    section: PrefixEnd,
    (earlier, later): (&[Stage], &[Stage]),
) -> Option<Str> {
    // What stands in the contents before `contents` has run is only kept there for it.
    let begin = |stages: &[Stage]| match section {
        PrefixEnd::Contents => {
            stages.iter().position(|stage| &*stage.processor == "contents").unwrap_or_default()
        }
        _ => 0,
    };
    let earlier = &earlier[begin(earlier)..];
    let later = &later[begin(later)..];
    let sections = match section {
        PrefixEnd::Definitions => Sections::TOOLS | Sections::CONFIG,
        PrefixEnd::System => Sections::SYSTEM,
        PrefixEnd::Contents | PrefixEnd::Whole => Sections::CONTENTS,
    };
    let (mut before, mut after) = (earlier.first()?, later.first()?);
    let mut known: Option<(Difference, Str)> = None;
    for (at, (in_earlier, in_later)) in side_by_side(earlier, later).into_iter().enumerate() {
        before = in_earlier.unwrap_or(before);
        after = in_later.unwrap_or(after);
        let is_untouched =
            |stage: Option<&Stage>| stage.is_some_and(|stage| !stage.changed.intersects(sections));
        let Some(named) = in_later.or(in_earlier) else { continue };
        if at > 0 && is_untouched(in_earlier) && is_untouched(in_later) {
            continue;
        }
        let found = difference(rule, section, (&before.request, &after.request));
        known = match (known, found) {
            (_, None) => None,
            (None, Some(found)) => Some((found, named.processor.clone())),
            (Some((old, _)), Some(new)) if new.pair != old.pair && new.lost > old.lost => {
                Some((new, named.processor.clone()))
            }
            (Some((_, blamed)), Some(new)) => Some((new, blamed)),
        };
    }
    known.map(|(_, blamed)| blamed)
}

/// The stages of both calls, those of one processor beside each other; a processor may be missing in one of them.
fn side_by_side<'s>(earlier: &'s [Stage], later: &'s [Stage]) -> Vec<(Option<&'s Stage>, Option<&'s Stage>)> {
    let mut rows = Vec::with_capacity(later.len());
    let (mut left, mut right) = (earlier, later);
    loop {
        let holds =
            |stages: &[Stage], stage: &Stage| stages.iter().any(|one| one.processor == stage.processor);
        match (left.split_first(), right.split_first()) {
            (None, None) => return rows,
            (Some((stage, rest)), _) if !holds(right, stage) => {
                rows.push((Some(stage), None));
                left = rest;
            }
            (_, Some((stage, rest))) if !holds(left, stage) => {
                rows.push((None, Some(stage)));
                right = rest;
            }
            (a, b) => {
                rows.push((a.map(|(stage, _)| stage), b.map(|(stage, _)| stage)));
                left = a.map_or(&[], |(_, rest)| rest);
                right = b.map_or(&[], |(_, rest)| rest);
            }
        }
    }
}

fn difference(
    rule: &CacheRule,
    section: PrefixEnd,
    (earlier, later): (&LlmRequest, &LlmRequest),
) -> Option<Difference> {
    let common = common_section(rule, (earlier, later), section);
    if common.ends_in == PrefixEnd::Whole {
        return None;
    }
    let (pair, lost) = match section {
        PrefixEnd::Definitions => {
            let text = |request| {
                definitions(request)
                    .nth(common.definitions)
                    .map_or_else(Fingerprint::default, |segment| Fingerprint::of(segment.text().as_bytes()))
            };
            let n_earlier = definitions(earlier).count();
            ((text(earlier), text(later)), n_earlier - common.definitions)
        }
        PrefixEnd::System => {
            let span = |request, at| {
                let place = system_place(request, at);
                place.map_or_else(Fingerprint::default, |(_, span)| {
                    let mut hash = FingerprintBuilder::new();
                    span.origin.hash_into(&mut hash);
                    hash.text(&span.text).finish()
                })
            };
            let n_bytes = earlier.system_instruction.as_ref().map_or(0, |text| text.len_bytes());
            let pair = (span(earlier, common.earlier_system_bytes), span(later, common.system_bytes));
            (pair, n_bytes.saturating_sub(common.earlier_system_bytes))
        }
        PrefixEnd::Contents | PrefixEnd::Whole => {
            let part = |request: &LlmRequest| {
                let content = request.contents.get(common.contents);
                content.map_or_else(Fingerprint::default, |content| part_or_content(content, common.parts))
            };
            ((part(earlier), part(later)), earlier.contents.len() - common.contents)
        }
    };
    Some(Difference { pair, lost })
}

fn part_or_content(content: &Arc<RequestContent>, part: usize) -> Fingerprint {
    content.parts.get(part).map_or(content.fingerprint, |part| part.fingerprint)
}
