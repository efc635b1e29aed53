//! Edits of events, and the recorded code that wrote contents of calls.

use std::collections::BTreeSet;

use strata_model::{EventIndex, Str};

use super::Experiment;
use crate::calls::Call;
use crate::compile::{StageCache, compile};
use crate::context::UneditedContents;

/// An edited event that some code wrote contents from: the edit does not reach them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnreachedEdit {
    pub event: EventIndex,
    /// `plugin:<name>` or `callback:<module.function>`.
    pub code: Str,
    /// In order; never empty.
    pub calls: Vec<u32>,
}

impl Experiment {
    /// `None` where no edit changed an event, or no code wrote contents of the call.
    pub(super) fn unedited_contents(&self, call: &Call, cache: &mut StageCache) -> Option<UneditedContents> {
        let base = &self.laid.as_ref()?.recorded;
        let changed =
            self.changed_events().filter(|(_, change)| change.edited.is_some() || change.is_dropped);
        let changed: BTreeSet<EventIndex> =
            changed.map(|(event, _)| event).filter(|event| *event < call.answer).collect();
        if changed.is_empty() || !self.has_written_contents(call) {
            return None;
        }
        let call = base.call(call.number)?;
        let context = base.context(call)?;
        let stages = compile(base.flow(context.agent_id), &context, cache).stages;
        let given = stages.iter().skip(1).zip(&stages);
        let given = given.map(|(stage, before)| (stage.processor.clone(), before.request.contents.clone()));
        Some(UneditedContents { by_stage: given.collect(), changed })
    }

    fn has_written_contents(&self, call: &Call) -> bool {
        let stages = self.seen.get(call.answer).and_then(|seen| seen.call.stages.as_ref());
        stages.into_iter().flatten().any(|stage| stage.writes_contents())
    }

    /// Edits of events that do not reach contents of calls, since code wrote these as it was recorded.
    pub fn unreached_edits(&self) -> Vec<UnreachedEdit> {
        let mut found: Vec<UnreachedEdit> = Vec::new();
        if self.changed_events().next().is_none() {
            return found;
        }
        let mut cache = StageCache::new();
        for call in self.calls().iter().filter(|call| self.has_written_contents(call)) {
            let Some(compilation) = self.compile(call, &mut cache) else { continue };
            for stage in &compilation.stages {
                for event in &stage.output.unreached_edits {
                    let is_known =
                        |known: &&mut UnreachedEdit| known.event == *event && known.code == stage.processor;
                    match found.iter_mut().find(is_known) {
                        Some(known) => known.calls.push(call.number),
                        None => found.push(UnreachedEdit {
                            event: *event,
                            code: stage.processor.clone(),
                            calls: vec![call.number],
                        }),
                    }
                }
            }
        }
        found
    }
}
