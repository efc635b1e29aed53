//! Edits of events in contents that recorded code wrote. What the code passed on as it was given is as edits have it; what
//! it wrote itself is as it was recorded, so an edit of what it was made from does not reach it.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use strata_model::{EventIndex, Origin, RequestContent, RequestPart, Str};

use super::returned_contents::{Originals, exact};

/// Contents that some code replaced, as it was given them without edits of events.
pub(super) struct Unedited<'c> {
    pub given: Vec<Arc<RequestContent>>,
    /// Events that edits changed or dropped.
    pub changed: &'c BTreeSet<EventIndex>,
}

/// A part of an event.
type Place = (EventIndex, u16);

impl Unedited<'_> {
    /// What the code returned when it was recorded, with edits made in what it passed on; `given` is what it would be
    /// given now. Also the events whose edits do not reach what it wrote.
    pub(super) fn edited(
        &self,
        given: &[&Arc<RequestContent>],
        returned: &[Arc<RequestContent>],
        (by, own): (&Str, &Origin),
    ) -> (Vec<Arc<RequestContent>>, BTreeSet<EventIndex>) {
        let then = by_place(self.given.iter(), self.changed);
        let now = by_place(given.iter().copied(), self.changed);
        let is_same = |place: &Place, part: &RequestPart| {
            then.get(place).is_some_and(|then| then.fingerprint == part.fingerprint)
        };
        let is_edited = |place: &Place| !now.get(place).is_some_and(|now| is_same(place, now));
        // Where something went that the code neither passed on nor rewrote by itself is not known.
        let mut vanished: BTreeSet<EventIndex> =
            then.keys().filter(|place| is_edited(place)).map(|(event, _)| *event).collect();
        let mut unreached = BTreeSet::new();
        if vanished.is_empty() {
            return (returned.to_vec(), unreached);
        }
        let mut has_own = false;
        let mut edited = Vec::with_capacity(returned.len());
        let sourced = Originals::of(self.given.iter(), exact, by).sourced(returned);
        for (content, sourced) in returned.iter().zip(sourced) {
            let mut parts = Vec::with_capacity(content.parts.len());
            for (part, sourced) in content.parts.iter().zip(&sourced.parts) {
                has_own |= sourced.main_origin() == own;
                let place = place(sourced.main_origin()).filter(|place| then.contains_key(place));
                let Some(place) = place.filter(is_edited) else {
                    parts.push(part.clone());
                    continue;
                };
                vanished.remove(&place.0);
                match now.get(&place) {
                    // What was made of something that is gone is gone.
                    None => {}
                    Some(now) if is_same(&place, part) => parts.push((*now).clone()),
                    Some(_) => {
                        unreached.insert(place.0);
                        parts.push(part.clone());
                    }
                }
            }
            let is_as_returned = parts.len() == content.parts.len()
                && parts.iter().zip(&content.parts).all(|(a, b)| a.fingerprint == b.fingerprint);
            if is_as_returned {
                edited.push(content.clone());
            } else if !parts.is_empty() {
                edited.push(Arc::new(content.with_parts(parts)));
            }
        }
        if has_own {
            unreached.extend(vanished);
        }
        (edited, unreached)
    }
}

/// Parts of these events.
fn by_place<'p>(
    contents: impl Iterator<Item = &'p Arc<RequestContent>>,
    events: &BTreeSet<EventIndex>,
) -> HashMap<Place, &'p RequestPart> {
    let parts = contents.flat_map(|content| &content.parts);
    let places = parts.filter_map(|part| Some((place(part.main_origin())?, part)));
    places.filter(|((event, _), _)| events.contains(event)).collect()
}

fn place(origin: &Origin) -> Option<Place> {
    match origin {
        Origin::Event { event, part } | Origin::Rewritten { event: Some(event), part, .. } => {
            Some((*event, *part))
        }
        _ => None,
    }
}
