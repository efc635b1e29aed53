//! Edits laid over a session, with the summaries that another setting of compaction asks for.

use std::sync::Arc;

use strata_engine::turn::compaction::{CompactionConfig, Policy};
use strata_engine::{
    Catalog, Edit, EditDraft, EditNote, Edited, EventsEdit, Experiment, LaidSummaries, UnreachedEdit,
};
use strata_model::{Event, EventIndex, Severity};
use strata_wire::CacheRules;

use crate::analysis::{CacheAnalysis, Counting, SessionAnalysis};
use crate::lab::{Extractive, FactReader, Lab, RecordedFirst};
use crate::phrases::count;
use crate::prices::Prices;

/// What a person should know about summaries that were planned.
const EXTRACTIVE_NOTE: &str = "Summaries of windows that were not recorded are extractive, made offline without a \
    model; the Lab has a model write them.";

/// A session with edits laid over it, as [`Experiment::lay`] does. Where they set another compaction, the session is
/// replayed with it: windows that were recorded keep their summaries, others get extracts.
#[must_use]
pub fn edited(base: &Experiment, edits: &[Edit], catalog: &Catalog, counting: &Counting) -> Edited {
    let mut edited = planned_edits(base.lay(edits, catalog), counting);
    note_unreached(&mut edited, edits);
    note_reported_answers(&mut edited, base, edits);
    edited
}

/// Says once that answers which are edited are charged as they were reported: nobody counted the words that are new.
fn note_reported_answers(edited: &mut Edited, base: &Experiment, edits: &[Edit]) {
    let is_changed = |at: usize, before: &Event| {
        let change = edited.experiment.event_change(EventIndex(at as u32));
        change.and_then(|change| change.edited.as_ref()).is_some_and(|event| event.content != before.content)
    };
    let is_reported = |number: u32| {
        let at = (number as usize).checked_sub(1);
        let event = at.and_then(|at| Some((at, base.session().events.get(at)?)));
        event.is_some_and(|(at, event)| {
            let usage = event.usage_metadata.as_ref().filter(|_| !event.is_compaction());
            usage.is_some_and(|usage| usage.output_tokens().is_some()) && is_changed(at, event)
        })
    };
    let is_of_answer = |edit: &Edit| match edit {
        Edit::Events(EventsEdit::Replace { event, .. }) => is_reported(*event),
        _ => false,
    };
    let Some(at) = edits.iter().rposition(is_of_answer) else { return };
    let n_answers = edits.iter().filter(|edit| is_of_answer(edit)).count() as u64;
    let (are, their) = if n_answers == 1 { ("is", "its") } else { ("are", "their") };
    let message = format!(
        "{} {are} edited, and {their} output tokens stay those that were reported.",
        count(n_answers, "answer")
    );
    edited.notes.push(EditNote { edit: at, severity: Severity::Info, code: "edit-output-tokens", message });
    edited.notes.sort_by_key(|note| note.edit);
}

fn planned_edits(draft: EditDraft, counting: &Counting) -> Edited {
    let Some((experiment, config)) = draft.compaction_due() else { return draft.finish() };
    let note = (config.policy != Policy::Off).then_some(EXTRACTIVE_NOTE);
    match planned(experiment, config, counting) {
        Some(summaries) => draft.finish_with(&summaries, note),
        None => draft.finish(),
    }
}

/// Says of edits of events which contents they do not reach, since code of the app wrote these as it was recorded.
fn note_unreached(edited: &mut Edited, edits: &[Edit]) {
    for UnreachedEdit { event, code, calls } in edited.experiment.unreached_edits() {
        let is_of_event = |edit: &Edit| match edit {
            Edit::Events(EventsEdit::Replace { event: number, .. } | EventsEdit::Drop { event: number }) => {
                *number == event.number()
            }
            _ => false,
        };
        let Some(at) = edits.iter().rposition(is_of_event) else { continue };
        let others = match calls.len() {
            0 | 1 => String::new(),
            n => format!(" and {}", count(n as u64 - 1, "later call")),
        };
        let message = format!(
            "{code} wrote contents of C{}{others} from E{} itself, and they stay as it was recorded: the edit does not \
             reach them.",
            calls.first().copied().unwrap_or_default(),
            event.number(),
        );
        edited.notes.push(EditNote {
            edit: at,
            severity: Severity::Warning,
            code: "edit-not-reached",
            message,
        });
    }
    edited.notes.sort_by_key(|note| note.edit);
}

/// What a setting would have summarised in a session, with the recorded summaries where the windows are the recorded
/// ones and extracts elsewhere. `None`: nothing else than what was recorded.
fn planned(experiment: &Experiment, config: &CompactionConfig, counting: &Counting) -> Option<LaidSummaries> {
    let mut analysis = SessionAnalysis::default();
    while analysis.step(experiment, counting) {}
    let (rules, prices) = (CacheRules::embedded(), Prices::embedded());
    let caches = CacheAnalysis::new(experiment, &analysis, &rules, &prices);
    let lab = Lab::new(experiment, &analysis, &caches, counting, &rules, &prices);
    let reader = FactReader::new();
    let mut writer = RecordedFirst::new(experiment.session(), Extractive { reader: &reader });
    // Neither of both gives up.
    let replayed = lab.replay(config, &mut writer).ok()?;
    if writer.is_as_recorded(&replayed) {
        return None;
    }
    let mut planned = LaidSummaries::default();
    for window in &replayed.windows {
        let Some((_, event)) = &window.event else { continue };
        let written = window.written.as_ref();
        let event = Event {
            model_version: Some(written.map(|written| written.by.clone()).unwrap_or_default()),
            usage_metadata: written.and_then(|written| written.usage.clone()).map(Box::new),
            ..Event::clone(event)
        };
        planned.summaries.push((window.after, Arc::new(event)));
    }
    Some(planned)
}
