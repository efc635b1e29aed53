//! Events that an experiment dropped, edited or pinned, as a plugin that shows them so.

use strata_engine::EventChange;
use strata_model::{EventIndex, FromJson as _, Json, Object};

use super::literal::{literal, text};
use super::{Module, left_out};
use crate::show::words::listed;

impl Module<'_> {
    /// The plugin; `None` where all events are as recorded.
    pub(super) fn edited_events(&mut self) -> Option<String> {
        let experiment = self.subject.experiment;
        let changed: Vec<(EventIndex, &EventChange)> = experiment.changed_events().collect();
        if changed.is_empty() {
            return None;
        }
        self.used.insert("EditedEvents");
        let edits = changed.iter().map(|(index, change)| self.edited_event(*index, change));
        let edits: Vec<String> =
            edits.map(|(number, edit)| format!("            {number}: {edit},\n")).collect();
        let edits = edits.concat();
        self.tell_of_pins(&changed);
        let session = text(&experiment.session().id);
        Some(format!(
            "EditedEvents(\n            {session},\n            {{\n{edits}            }},\n        )"
        ))
    }

    fn edited_event(&self, index: EventIndex, change: &EventChange) -> (u32, String) {
        let events = &self.subject.experiment.session().events;
        let mut edit = Object::new();
        let id = events.get(index.as_usize()).map_or(String::new(), |event| event.id.to_string());
        edit.push("id", id);
        if let Some(content) = change.edited.as_ref().and_then(|event| event.content.as_ref()) {
            edit.push("content", content.to_json());
        }
        if change.is_dropped {
            edit.push("is_dropped", true);
        } else if change.is_pinned {
            edit.push("is_pinned", true);
        }
        (index.number(), literal(&Json::Object(edit), 3))
    }

    /// Pins that mean less in Python than here.
    fn tell_of_pins(&mut self, changed: &[(EventIndex, &EventChange)]) {
        let experiment = self.subject.experiment;
        let pinned: Vec<EventIndex> = changed
            .iter()
            .filter(|(_, change)| change.is_pinned && !change.is_dropped)
            .map(|(index, _)| *index)
            .collect();
        if pinned.is_empty() {
            return;
        }
        let mut inserted: Vec<&str> = Vec::new();
        for agent in experiment.index().ids() {
            let steps = experiment.flow(agent).steps().iter();
            for step in steps.filter(|step| step.is_enabled && step.inserted.is_some()) {
                let name = step.processor.name();
                if !inserted.contains(&name) && !name.starts_with("compact_state") {
                    inserted.push(name);
                }
            }
        }
        if !inserted.is_empty() {
            let names: Vec<String> = pinned.iter().map(|event| format!("E{}", event.number())).collect();
            self.diagnostics.push(left_out(format!(
                "That {} takes nothing of {} out: callbacks see contents and not the events they are from. Leave the \
                 contents out there by what they say, if they have to stay.",
                listed(&inserted),
                listed(&names)
            )));
        }
    }
}
