//! What stands in a request in the place of what was sent before.

use std::collections::HashSet;

use strata_model::Part;
use strata_wire::message::Turn;

use super::Conversation;
use crate::align::anew::{Said, asked_otherwise, is_other_value, told_anew};
use crate::align::lane::Lane;
use crate::align::plan::Plan;
use crate::align::summary::{is_summary_of_client, sums_up};
use crate::align::unit::{Overlap, Unit, content_of};
use crate::exchange::Exchange;

/// An answer of so many bytes is given once.
const TELLING_ANSWER: usize = 40;

impl Conversation {
    /// The lane that a request goes on with although something in it has another small value now: it holds the very answer
    /// that was given. Also gives how many units are as they were.
    pub(in crate::align) fn restated(&self, exchange: &Exchange, units: &[Unit]) -> Option<(usize, usize)> {
        let is_same = |lane: &Lane, (old, new): (&Unit, &Unit)| {
            old.is_same(new)
                || !old.is_model
                    && !new.is_model
                    && self.said_as(old).and_then(|part| part.text.as_deref()).is_some_and(|was| {
                        let now = new.part_of(&exchange.turns).text.as_deref();
                        lane.named == exchange.about.agent && now.is_some_and(|now| is_other_value(was, now))
                    })
        };
        let goes_on = |lane: &Lane| {
            let (asked, answer) = lane.units.split_at(lane.n_requested);
            let is_given = |(old, new): (&Unit, &Unit)| {
                old.is_same(new)
                    && self.said_as(old).is_some_and(|part| is_telling(part, new.part_of(&exchange.turns)))
            };
            lane.is_answered
                && !answer.is_empty()
                && units.len() > lane.units.len()
                && answer.iter().zip(&units[lane.n_requested..]).all(is_given)
                && asked.iter().zip(units).all(|pair| is_same(lane, pair))
        };
        let at = self.lanes.iter().position(goes_on)?;
        let n_same = self.lanes[at].units.iter().zip(units).filter(|(old, new)| old.is_same(new)).count();
        Some((at, n_same))
    }

    /// Where the conversation breaks off and goes on otherwise: what stands there sums up what is gone, or tells it anew, or
    /// is something else that is said instead of it.
    pub(super) fn find_summary(&self, plan: &mut Plan, lane: &Lane, units: &[Unit], turns: &[Turn]) {
        if !plan.is_cut {
            return;
        }
        let part = |place: usize| units[place].part_of(turns);
        let text = |place: &usize| part(*place).text.as_deref().filter(|_| !units[*place].is_model);
        let by_client = |place: &usize| text(place).is_some_and(is_summary_of_client);
        if let Some(at) = plan.appended.iter().position(by_client) {
            return plan.replace(at);
        }
        let Some(first) = plan.appended.first() else { return };
        // What is not told in words is what a provider made of it.
        let Some(said) = part(*first).text.as_deref() else { return plan.replace(0) };
        let gone = plan.removed.iter().filter_map(|old| Some((*old, self.said_as(&lane.units[*old])?)));
        let is_anew = || {
            let said = Said { place: *first, unit: &units[*first], text: said };
            !told_anew(&self.texts(&plan.removed, lane), &[said]).is_empty()
        };
        // What a person asked before may be asked in other words with the same values in them.
        let replaced = gone.clone().next().filter(|(old, _)| !lane.units[*old].is_model);
        let replaced = replaced.and_then(|(_, part)| part.text.as_deref()).unwrap_or_default();
        if is_anew() || sums_up(said, replaced, gone.map(|(_, part)| part)) {
            plan.replace(0);
        }
    }

    /// The part of an event that a unit of a lane became.
    pub(super) fn said_as(&self, unit: &Unit) -> Option<&Part> {
        let event = self.draft.event(unit.event?)?;
        event.parts().iter().map(|part| &**part).find(|part| content_of(part) == Some(unit.content))
    }

    /// What was said in words, of units of a lane.
    fn texts<'t>(&'t self, places: &[usize], lane: &'t Lane) -> Vec<Said<'t>> {
        let texts = places.iter().filter_map(|place| {
            let unit = &lane.units[*place];
            Some(Said { place: *place, unit, text: self.said_as(unit)?.text.as_deref()? })
        });
        texts.collect()
    }

    /// Messages that stand in the place of others and are those told anew.
    pub(super) fn find_told_anew(
        &self,
        plan: &mut Plan,
        lane: &Lane,
        overlap: &Overlap,
        (units, turns): (&[Unit], &[Turn]),
    ) {
        if plan.rewritten.is_empty() {
            return;
        }
        let new = plan.rewritten.iter().filter_map(|place| {
            let unit = &units[*place];
            Some(Said { place: *place, unit, text: unit.part_of(turns).text.as_deref()? })
        });
        let (gone, new) = (self.texts(&plan.removed, lane), new.collect::<Vec<_>>());
        let pairs = told_anew(&gone, &new).into_iter().chain(asked_otherwise(overlap, &gone, &new));
        let (old, anew): (HashSet<usize>, HashSet<usize>) = pairs.unzip();
        plan.removed.retain(|place| !old.contains(place));
        plan.anew = anew;
    }
}

/// Whether nobody else will have answered the same: in as many words, or by a call that has the same id.
fn is_telling(given: &Part, back: &Part) -> bool {
    let id = |part: &Part| part.function_call.as_ref().and_then(|call| call.id.clone());
    match &given.text {
        Some(text) => text.len() >= TELLING_ANSWER,
        None => id(given).is_some() && id(given) == id(back),
    }
}
