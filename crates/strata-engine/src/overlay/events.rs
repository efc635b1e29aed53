//! Edits of events.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use strata_model::{Content, Decoder, Event, EventIndex, FromJson as _, Json};

use super::draft::Draft;
use crate::edit::EventsEdit;
use crate::experiment::{EventChange, ReplacedEvents, silent};

impl Draft<'_> {
    pub(super) fn edit_event(&mut self, edit: &EventsEdit) {
        match edit {
            EventsEdit::Drop { event } => self.drop_event(*event),
            EventsEdit::Replace { event, content } => self.replace_content(*event, content),
            EventsEdit::Pin { event } => self.pin_event(*event),
        }
    }

    fn drop_event(&mut self, number: u32) {
        let at = self.notes.at;
        if let Some(change) = self.change(number) {
            change.is_dropped = true;
            change.dropped_at = at;
        }
    }

    fn pin_event(&mut self, number: u32) {
        let Some(change) = self.change(number) else { return };
        change.is_pinned = true;
        if change.is_dropped {
            self.notes
                .warn("edit-pinned-dropped", format!("E{number} is dropped, so pinning it keeps nothing."));
        }
    }

    fn replace_content(&mut self, number: u32, content: &Json) {
        let mut decoder = Decoder::new();
        let read = Content::from_json(content.clone(), &mut decoder);
        let findings = decoder.into_diagnostics();
        let Ok(content) = read else {
            self.notes.error(
                "edit-content",
                &format!("The content for E{number} is no object with `role` and `parts`."),
            );
            return;
        };
        for finding in findings {
            self.notes.warn(
                "edit-content",
                format!("Content for E{number}: {} ({}).", finding.message, finding.at),
            );
        }
        let Some(recorded) = self.recorded(number) else { return };
        let event = Event { content: Some(Arc::new(content)), ..Event::clone(&recorded) };
        let Some(change) = self.change(number) else { return };
        change.edited = Some(Arc::new(event));
    }

    fn recorded(&mut self, number: u32) -> Option<Arc<Event>> {
        let events = &self.base.session().events;
        let event = (number as usize).checked_sub(1).and_then(|at| events.get(at)).cloned();
        if event.is_none() {
            let message = match events.len() {
                0 => format!("There is no E{number}: the session has no events."),
                last => format!("There is no E{number}. The session has E1 to E{last}."),
            };
            self.notes.error("edit-no-event", &message);
        }
        event
    }

    fn change(&mut self, number: u32) -> Option<&mut EventChange> {
        self.recorded(number)?;
        Some(self.events.entry(number as usize - 1).or_default())
    }

    /// A call without its result, or the other way round, is no longer sent: say so where one of both is dropped.
    pub(super) fn warn_of_halves(&mut self) {
        let events = &self.base.session().events;
        let is_dropped = |at: usize| self.events.get(&at).is_some_and(|change| change.is_dropped);
        let ids = |event: &Event| -> BTreeSet<String> {
            let calls = event.function_calls().filter_map(|call| call.id.as_deref());
            let responses = event.function_responses().filter_map(|response| response.id.as_deref());
            calls.chain(responses).filter(|id| !id.is_empty()).map(str::to_owned).collect()
        };
        let mut dropped_ids: BTreeMap<String, usize> = BTreeMap::new();
        for (at, _) in self.events.iter().filter(|(_, change)| change.is_dropped) {
            dropped_ids.extend(ids(&events[*at]).into_iter().map(|id| (id, *at)));
        }
        if dropped_ids.is_empty() {
            return;
        }
        let mut warnings: Vec<(usize, String)> = Vec::new();
        for (other, event) in events.iter().enumerate().filter(|(at, _)| !is_dropped(*at)) {
            for id in ids(event) {
                if let Some(at) = dropped_ids.get(&id) {
                    let message = format!(
                        "E{} is dropped, and E{} holds the other half of its tool call: that is not sent either.",
                        at + 1,
                        other + 1
                    );
                    warnings.push((self.events.get(at).map_or(0, |change| change.dropped_at), message));
                }
            }
        }
        warnings.dedup();
        for (at, warning) in warnings {
            self.notes.at = at;
            self.notes.warn("edit-half-a-call", warning);
        }
    }

    pub(super) fn replacements(&self) -> ReplacedEvents {
        let mut replaced = ReplacedEvents::default();
        for (at, change) in &self.events {
            let said = change.edited.as_ref().unwrap_or(&self.base.session().events[*at]);
            if change.edited.is_some() {
                replaced.said.insert(*at, said.clone());
                replaced.shown.insert(*at, said.clone());
            }
            if change.is_dropped {
                replaced.shown.insert(*at, Arc::new(silent(said)));
            }
        }
        replaced
    }

    pub(super) fn pinned(&self) -> BTreeSet<EventIndex> {
        let pinned = self.events.iter().filter(|(_, change)| change.is_pinned && !change.is_dropped);
        pinned.map(|(at, _)| EventIndex(*at as u32)).collect()
    }
}
