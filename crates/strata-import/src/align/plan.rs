//! What is to be done with the parts of a request.

use std::collections::{BTreeMap, HashSet};

use super::lane::Lane;
use super::unit::{Overlap, Unit};
use crate::imported::Alignment;

/// What becomes of the units of a request, by their places in it.
#[derive(Debug, Default)]
pub(super) struct Plan {
    pub(super) appended: Vec<usize>,
    pub(super) rewritten: Vec<usize>,
    /// Of these, messages that were said before in other words or at another place: they sum nothing up.
    pub(super) anew: HashSet<usize>,
    /// Several parts are gone at the end, and what is appended stands in their place: one of it may sum them up, or the
    /// conversation was taken back and goes on otherwise.
    pub(super) is_cut: bool,
    /// Places in the lane.
    pub(super) removed: Vec<usize>,
    /// Places that are in an event already.
    pub(super) said: BTreeMap<usize, usize>,
    pub(super) is_compacted: bool,
    pub(super) alignment: Alignment,
}

impl Plan {
    pub(super) fn of(lane: &Lane, units: &[Unit], overlap: &Overlap, follows: bool) -> Self {
        let mut plan = Self::default();
        let kept_new: HashSet<usize> = overlap.kept.iter().map(|(_, new)| *new).collect();
        let kept_old: HashSet<usize> = overlap.kept.iter().map(|(old, _)| *old).collect();
        let mut last_kept = overlap.kept.last().map_or(overlap.shared, |(_, new)| new + 1);
        // An answer may come back in other words than it was given in; it is one event all the same.
        let is_echoed = lane.is_answered && (lane.n_requested..lane.units.len()).contains(&overlap.shared);
        if !follows && is_echoed {
            let echo = units[overlap.shared..].iter().take_while(|unit| unit.is_model).count();
            let event = lane.units.last().and_then(|unit| unit.event);
            let changed = (overlap.shared..overlap.shared + echo).filter(|place| !kept_new.contains(place));
            plan.said = changed.filter_map(|place| Some((place, event?))).collect();
            plan.alignment.rewritten = plan.said.len();
            if let Some(last) = plan.said.keys().last() {
                last_kept = last_kept.max(last + 1);
            }
        }
        for place in overlap.shared..units.len() {
            if kept_new.contains(&place) || plan.said.contains_key(&place) {
                continue;
            }
            let slot = if place < last_kept { &mut plan.rewritten } else { &mut plan.appended };
            slot.push(place);
        }
        // Where the last message is kept, what comes behind it is new, whatever was left out before it.
        if !follows {
            let gone = (overlap.shared..lane.units.len()).filter(|old| !kept_old.contains(old));
            plan.removed = gone.collect();
            plan.is_compacted = lane.is_compacted(overlap);
            plan.is_cut = !plan.is_compacted
                && plan.said.is_empty()
                && plan.rewritten.is_empty()
                && plan.makes_room(lane)
                && plan.removed.last().is_some_and(|old| old + 1 == lane.units.len());
        }
        plan.alignment.shared = overlap.shared;
        plan.alignment.appended = plan.appended.len();
        plan.alignment.removed = plan.removed.len();
        plan.alignment.rewritten += plan.rewritten.len();
        plan
    }

    /// One of what is appended stands for what is gone, by its place in the list.
    pub(super) fn replace(&mut self, appended: usize) {
        self.rewritten.push(self.appended.remove(appended));
        self.alignment.appended -= 1;
        self.alignment.rewritten += 1;
    }

    /// Whether several parts are gone that were sent before: the last answer alone may come back as something else.
    pub(super) fn makes_room(&self, lane: &Lane) -> bool {
        self.removed.len() >= 2 && self.removed.iter().any(|old| *old < lane.n_requested)
    }
}
