//! What a stage did to a request, part by part.

use std::collections::HashMap;

use strata_engine::processors::explain_omissions;
use strata_engine::{CompileContext, Omission, OmissionReason};
use strata_model::{Fingerprint, FingerprintBuilder, LlmRequest, Origin};
use strata_wire::{Item, Path, Segment, segments};

/// What happened to a part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    Added,
    Removed,
    /// An event, or a part of one, that did not make it into the contents.
    LeftOut(OmissionReason),
    /// The same source, other words.
    Rewritten,
    /// The same words in another place.
    Moved,
    Unchanged,
}

/// A part before and after a stage.
#[derive(Debug, Clone)]
pub struct PartDelta<'r> {
    pub change: Change,
    pub before: Option<Segment<'r>>,
    pub after: Option<Segment<'r>>,
}

/// What makes `after` of `before`, in the order of `after`; what is gone stands where it was.
pub fn diff_requests<'r>(before: &'r LlmRequest, after: &'r LlmRequest) -> Vec<PartDelta<'r>> {
    let before: Vec<Segment<'r>> = segments(before).collect();
    let after: Vec<Segment<'r>> = segments(after).collect();
    let partners = Partners::find(&before, &after);
    let mut deltas = Vec::with_capacity(after.len());
    let mut passed = 0;
    for (at, segment) in after.into_iter().enumerate() {
        let partner = partners.of_after[at];
        if let Some((index, Change::Unchanged)) = partner {
            deltas.extend(partners.removed(&before, passed..index));
            passed = index + 1;
        }
        let change = partner.map_or(Change::Added, |(_, change)| change);
        let before = partner.map(|(index, _)| before[index].clone());
        deltas.push(PartDelta { change, before, after: Some(segment) });
    }
    deltas.extend(partners.removed(&before, passed..before.len()));
    deltas
}

/// Which parts belong together.
struct Partners {
    /// For each part after: its index before, and what became of it.
    of_after: Vec<Option<(usize, Change)>>,
    is_gone: Vec<bool>,
}

impl Partners {
    fn find(before: &[Segment<'_>], after: &[Segment<'_>]) -> Self {
        let mut partners = Self { of_after: vec![None; after.len()], is_gone: vec![true; before.len()] };
        partners.match_by(before, after, |segment| Some(words(segment)), Change::Unchanged);
        partners.tell_moved();
        partners.match_by(before, after, source, Change::Rewritten);
        partners
    }

    /// Pairs parts without a partner that have the same key, the first with the first.
    fn match_by(
        &mut self,
        before: &[Segment<'_>],
        after: &[Segment<'_>],
        key: impl Fn(&Segment<'_>) -> Option<Fingerprint>,
        change: Change,
    ) {
        let mut free: HashMap<Fingerprint, Vec<usize>> = HashMap::new();
        for (index, segment) in before.iter().enumerate().rev().filter(|(index, _)| self.is_gone[*index]) {
            if let Some(key) = key(segment) {
                free.entry(key).or_default().push(index);
            }
        }
        for (at, segment) in after.iter().enumerate() {
            if self.of_after[at].is_none()
                && let Some(index) = key(segment).and_then(|key| free.get_mut(&key)?.pop())
            {
                self.of_after[at] = Some((index, change));
                self.is_gone[index] = false;
            }
        }
    }

    /// Of the parts that are the same, the longest run in the old order stays; the others have moved.
    fn tell_moved(&mut self) {
        let pairs: Vec<(usize, usize)> =
            self.of_after.iter().enumerate().filter_map(|(at, partner)| Some((at, (*partner)?.0))).collect();
        let stays = longest_increasing(&pairs.iter().map(|(_, index)| *index).collect::<Vec<_>>());
        for ((at, index), stays) in pairs.into_iter().zip(stays) {
            self.of_after[at] = Some((index, if stays { Change::Unchanged } else { Change::Moved }));
        }
    }

    fn removed<'r>(&self, before: &[Segment<'r>], range: std::ops::Range<usize>) -> Vec<PartDelta<'r>> {
        let gone = range.filter(|index| self.is_gone[*index]);
        gone.map(|index| PartDelta {
            change: Change::Removed,
            before: Some(before[index].clone()),
            after: None,
        })
        .collect()
    }
}

/// Which numbers belong to one longest increasing subsequence.
fn longest_increasing(numbers: &[usize]) -> Vec<bool> {
    // `tails[n]`: where the smallest end of an increasing sequence of n + 1 numbers stands.
    let mut tails: Vec<usize> = Vec::new();
    let mut before: Vec<Option<usize>> = vec![None; numbers.len()];
    for (at, number) in numbers.iter().enumerate() {
        let length = tails.partition_point(|tail| numbers[*tail] < *number);
        before[at] = length.checked_sub(1).map(|shorter| tails[shorter]);
        if length == tails.len() {
            tails.push(at);
        } else {
            tails[length] = at;
        }
    }
    let mut chosen = vec![false; numbers.len()];
    let mut at = tails.last().copied();
    while let Some(member) = at {
        chosen[member] = true;
        at = before[member];
    }
    chosen
}

/// What is sent, and in which section.
fn words(segment: &Segment<'_>) -> Fingerprint {
    let mut hash = FingerprintBuilder::new();
    match &segment.item {
        Item::Declaration(declaration) => hash.number(1).fingerprint(declaration.fingerprint),
        Item::BuiltInTool { json, .. } => hash.number(2).json(json),
        // The blank line between two blocks comes and goes with the block before it.
        Item::System(_) => hash.number(3).text(segment.text().trim_start_matches('\n')),
        Item::Part { content, part } => {
            hash.number(4).optional(content.role.as_deref()).fingerprint(part.fingerprint)
        }
        Item::EmptyContent(content) => hash.number(5).optional(content.role.as_deref()),
        Item::Setting { value, .. } => hash.number(6).text(&segment.path.to_string()).json(value),
    };
    hash.finish()
}

/// What it was made from.
fn source(segment: &Segment<'_>) -> Option<Fingerprint> {
    let mut hash = FingerprintBuilder::new();
    match (&segment.path, segment.main_origin()) {
        (Path::Tool { .. } | Path::Config { .. } | Path::Request { .. }, _) => {
            hash.number(1).text(&segment.path.to_string());
        }
        // Text of the runtime's own says nothing about where it belongs.
        (
            Path::Part { .. },
            Some(Origin::Processor { .. } | Origin::Rewritten { event: None, .. }) | None,
        ) => {
            return None;
        }
        // What is made of a part takes its place.
        (Path::Part { .. }, Some(Origin::Rewritten { event: Some(event), part, .. })) => {
            hash.number(2);
            Origin::Event { event: *event, part: *part }.hash_into(&mut hash);
        }
        (Path::Part { .. }, Some(origin)) => {
            hash.number(2);
            origin.hash_into(&mut hash);
        }
        (Path::System { .. }, origin) => {
            hash.number(3);
            origin?.hash_into(&mut hash);
        }
    }
    Some(hash.finish())
}

/// What `contents` made of the session's events: which parts it kept, which it rewrote, which it left out and why.
///
/// `after` is the request as the stage left it. Parts stand in its order; what was left out stands where it happened.
pub fn diff_events<'r>(context: &CompileContext<'r>, after: &'r LlmRequest) -> Vec<PartDelta<'r>> {
    diff_omitting(&explain_omissions(context), context, after)
}

/// As [`diff_events`], where it is known what was left out.
pub fn diff_omitting<'r>(
    omissions: &[Omission],
    context: &CompileContext<'r>,
    after: &'r LlmRequest,
) -> Vec<PartDelta<'r>> {
    let mut left_out: Vec<&Omission> = omissions.iter().collect();
    left_out.sort_by_key(|omission| omission.event);
    let mut left_out = left_out.into_iter().peekable();
    let stored = |event: strata_model::EventIndex, part: Option<u16>| {
        let logged = context.events.find(event)?;
        let content = logged.own_content()?;
        let at = usize::from(part.unwrap_or(0));
        let part = content.parts.get(at)?;
        let path = Path::Part { content: event.as_usize(), part: at };
        Some(Segment { path, item: Item::Part { content, part } })
    };
    let mut deltas = Vec::new();
    let parts = segments(after).filter(|segment| matches!(segment.path, Path::Part { .. }));
    for segment in parts {
        let origin = segment.main_origin();
        if let Some(event) = origin.and_then(Origin::event) {
            while let Some(omission) = left_out.next_if(|omission| omission.event < event) {
                let before = stored(omission.event, omission.part);
                deltas.push(PartDelta { change: Change::LeftOut(omission.reason), before, after: None });
            }
        }
        let before = match origin {
            Some(Origin::Event { event, part }) => stored(*event, Some(*part)),
            _ => None,
        };
        let is_kept = |before: &Segment<'_>| match (&before.item, &segment.item) {
            (Item::Part { part: a, content: before }, Item::Part { part: b, content: after }) => {
                a.part.text == b.part.text && before.role == after.role
            }
            _ => false,
        };
        let change = match &before {
            None => Change::Added,
            Some(before) if is_kept(before) => Change::Unchanged,
            Some(_) => Change::Rewritten,
        };
        deltas.push(PartDelta { change, before, after: Some(segment) });
    }
    deltas.extend(left_out.map(|omission| PartDelta {
        change: Change::LeftOut(omission.reason),
        before: stored(omission.event, omission.part),
        after: None,
    }));
    deltas
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use strata_model::{EventIndex, RequestContent, RequestPart, RichText};

    use super::*;

    fn request(system: &[&str], parts: &[(u32, &str)]) -> LlmRequest {
        let mut request = LlmRequest::default();
        for (at, text) in system.iter().enumerate() {
            request.append_system(RichText::from_span(*text, Origin::Tool { name: at.to_string().into() }));
        }
        for (event, text) in parts {
            let origin = Origin::Event { event: EventIndex(*event), part: 0 };
            let part = RequestPart::from_rich_text(&RichText::from_span(*text, origin.clone()), origin);
            request.contents.push(Arc::new(RequestContent::new(Some("user".into()), vec![part])));
        }
        request
    }

    fn check(before: &LlmRequest, after: &LlmRequest, expected: &[&str]) {
        let text = |segment: &Option<Segment<'_>>| {
            segment.as_ref().map_or(String::new(), |segment| segment.text().trim().to_owned())
        };
        let shown: Vec<String> = diff_requests(before, after)
            .iter()
            .map(|delta| format!("{:?} {}>{}", delta.change, text(&delta.before), text(&delta.after)))
            .collect();
        assert_eq!(shown, expected);
    }

    #[test]
    fn parts_are_matched_by_words_then_by_source() {
        let before = request(&["rules"], &[(1, "a"), (2, "b"), (3, "c"), (4, "d")]);
        let after = request(&["rules", "more"], &[(4, "d"), (1, "a"), (3, "C!"), (9, "new")]);
        check(
            &before,
            &after,
            &[
                "Unchanged rules>rules",
                "Added >more",
                "Moved d>d",
                "Unchanged a>a",
                "Rewritten c>C!",
                "Added >new",
                "Removed b>",
            ],
        );
    }

    #[test]
    fn a_block_put_before_another_adds_only_itself() {
        check(&request(&["b"], &[]), &request(&["a", "b"], &[]), &["Added >a", "Unchanged b>b"]);
    }

    #[test]
    fn what_moved_is_told_from_what_stayed() {
        assert_eq!(longest_increasing(&[2, 0, 1, 3]), [false, true, true, true]);
        assert_eq!(longest_increasing(&[]), [] as [bool; 0]);
    }
}
