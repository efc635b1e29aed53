//! The result of a replay as an edit.

use strata_engine::{ClearedResults, CompactionEdit, Edit, LaidSummary};
use strata_model::{EventIndex, FromJson as _, Json};

use super::plan::{Payment, Replayed, WindowPlan};

impl Replayed {
    /// The edit that lays the summaries of this replay over the session it went through, behind the edits that were
    /// laid over that already. Summaries that were blocked are not in it.
    pub fn edit(&self) -> Edit {
        let summaries = self.windows.iter().filter_map(|window| {
            let (_, event) = window.event.as_ref()?;
            let content = event.actions.compaction.as_ref()?.compacted_content.as_ref()?;
            Some(LaidSummary {
                after: window.after as u32,
                first: self.first_event(window)?.number(),
                last: window.events.last()?.number(),
                content: content.to_json(),
                usage: window.written.as_ref().and_then(|written| {
                    let Json::Object(usage) = written.usage.as_ref()?.to_json() else { return None };
                    Some(usage)
                }),
                by: window.written.as_ref().map(|written| written.by.clone()).unwrap_or_default(),
                free: window.written.as_ref().is_some_and(|written| written.payment == Payment::Nobody),
                isolation_scope: event.isolation_scope.clone(),
            })
        });
        Edit::Compaction(CompactionEdit::Lay {
            config: self.config.to_string().into(),
            prompt: self.config.prompt_template.clone(),
            summaries: summaries.collect(),
            cleared: self
                .cleared
                .iter()
                .map(|cleared| ClearedResults {
                    before_call: cleared.before_call,
                    events: cleared.events.iter().map(|event| event.number()).collect(),
                })
                .collect(),
        })
    }

    /// The first event that a summary covers, through the summaries that it takes in.
    fn first_event(&self, window: &WindowPlan) -> Option<EventIndex> {
        match window.seed.and_then(|seed| self.windows.get(seed)) {
            Some(seed) => self.first_event(seed),
            None => window.events.first().copied(),
        }
    }
}
