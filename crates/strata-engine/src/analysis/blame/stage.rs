//! Which stage made two prompts differ.

use std::sync::Arc;

use strata_model::{Fingerprint, FingerprintBuilder, LlmRequest, RequestContent, Str};
use strata_wire::definitions;

use super::super::prefix::{PrefixEnd, common_section};
use super::system_place;
use crate::compile::Stage;
use crate::sections::Sections;

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
pub(super) fn guilty(section: PrefixEnd, earlier: &[Stage], later: &[Stage]) -> Option<Str> {
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
    let mut before = earlier.first()?;
    let mut known: Option<(Difference, Str)> = None;
    for (at, stage) in later.iter().enumerate() {
        let same = earlier.iter().find(|other| other.processor == stage.processor);
        before = same.unwrap_or(before);
        let is_unchanged = !stage.changed.intersects(sections)
            && same.is_some_and(|before| !before.changed.intersects(sections));
        if at > 0 && is_unchanged {
            continue;
        }
        let found = difference(section, &before.request, &stage.request);
        known = match (known, found) {
            (_, None) => None,
            (None, Some(found)) => Some((found, stage.processor.clone())),
            (Some((old, _)), Some(new)) if new.pair != old.pair && new.lost > old.lost => {
                Some((new, stage.processor.clone()))
            }
            (Some((_, blamed)), Some(new)) => Some((new, blamed)),
        };
    }
    known.map(|(_, blamed)| blamed)
}

fn difference(section: PrefixEnd, earlier: &LlmRequest, later: &LlmRequest) -> Option<Difference> {
    let common = common_section(earlier, later, section);
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
            let span = |request| {
                let place = system_place(request, common.system_bytes);
                place.map_or_else(Fingerprint::default, |(_, span)| {
                    let mut hash = FingerprintBuilder::new();
                    span.origin.hash_into(&mut hash);
                    hash.text(&span.text).finish()
                })
            };
            let n_bytes = earlier.system_instruction.as_ref().map_or(0, |text| text.len_bytes());
            ((span(earlier), span(later)), n_bytes.saturating_sub(common.system_bytes))
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
