//! Edits of what is summarised: summaries that were written, and settings that ask for some.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use strata_model::app::EventsCompactionConfig;
use strata_model::{
    Content, Decoder, Event, EventActions, EventCompaction, EventIndex, FromJson as _, Json, Object, Session,
    Str, Usage, marks,
};

use super::draft::{CompactionChange, Draft};
use crate::edit::{ClearedResults, CompactionEdit, LaidSummary};
use crate::experiment::LaidSummaries;
use crate::turn::compaction::CompactionConfig;

impl Draft<'_> {
    pub(super) fn edit_compaction(&mut self, edit: &CompactionEdit) {
        match edit {
            CompactionEdit::Set { config } => {
                if let Ok(config) = self.config::<EventsCompactionConfig>("a compaction", config.as_ref()) {
                    self.plan_compaction(config.as_ref());
                    Arc::make_mut(&mut self.app).events_compaction_config = config;
                }
            }
            CompactionEdit::Lay { config, prompt, summaries, cleared } => {
                self.lay_summaries((config, prompt.as_ref()), summaries, cleared);
            }
        }
    }

    /// Another compaction setting. `None`: no compaction at all.
    fn plan_compaction(&mut self, config: Option<&EventsCompactionConfig>) {
        let planned = config.map_or_else(|| Ok(CompactionConfig::default()), CompactionConfig::from_adk);
        match planned {
            Ok(planned) => self.compaction = Some((self.notes.at, CompactionChange::Planned(planned))),
            // google-adk would refuse it; what is recorded stays.
            Err(error) => {
                self.notes.warn("edit-config", format!("Nothing is planned with this setting: {error}."));
            }
        }
    }

    fn lay_summaries(
        &mut self,
        (config, prompt): (&Str, Option<&Str>),
        summaries: &[LaidSummary],
        cleared: &[ClearedResults],
    ) {
        let read = match CompactionConfig::parse(config) {
            Ok(read) => CompactionConfig { prompt_template: prompt.cloned(), ..read },
            Err(error) => return self.notes.error("edit-config", &format!("{error}.")),
        };
        let mut laid = LaidSummaries::default();
        let mut covered = Covered::of(self.base.session());
        for (nth, summary) in summaries.iter().enumerate() {
            match self.summary(summary, nth + 1, &mut covered) {
                Ok(event) => laid.summaries.push((summary.after as usize, Arc::new(event))),
                Err(problem) => self.notes.warn("edit-summary", problem + " This summary was left out."),
            }
        }
        laid.summaries.sort_by_key(|(after, _)| *after);
        for ClearedResults { before_call, events } in cleared {
            let known = events.iter().filter_map(|event| self.event_index(*event)).collect();
            laid.cleared.push((*before_call, known));
        }
        laid.cleared.sort_by_key(|(call, _)| *call);
        Arc::make_mut(&mut self.app).events_compaction_config = read.adk();
        self.compaction = Some((self.notes.at, CompactionChange::Laid(laid)));
    }

    fn event_index(&self, number: u32) -> Option<EventIndex> {
        let at = number.checked_sub(1)?;
        ((at as usize) < self.base.session().events.len()).then_some(EventIndex(at))
    }

    /// The event that holds a summary, or what is wrong with it.
    fn summary(&self, summary: &LaidSummary, number: usize, covered: &mut Covered) -> Result<Event, String> {
        let session = self.base.session();
        let n_events = session.events.len();
        let time = |event: u32| {
            let index = self.event_index(event).ok_or_else(|| {
                format!("Summary {number} is about E{event}, and the session has E1 to E{n_events}.")
            })?;
            Ok::<f64, String>(session.events[index.as_usize()].timestamp)
        };
        let (start, end) = (time(summary.first)?, time(summary.last)?);
        if summary.after as usize > n_events || summary.after < summary.last || summary.last < summary.first {
            return Err(format!(
                "Summary {number} of E{} to E{} cannot stand behind E{}.",
                summary.first, summary.last, summary.after
            ));
        }
        let mut decoder = Decoder::new();
        let content = Content::from_json(summary.content.clone(), &mut decoder)
            .map_err(|_| format!("The content of summary {number} is no object with `role` and `parts`."))?;
        let usage = summary.usage.clone().map(|usage| Usage::from_json(Json::Object(usage), &mut decoder));
        let usage = usage
            .transpose()
            .map_err(|_| format!("The usage of summary {number} is no object with numbers of tokens."))?;
        covered
            .add(session, summary, (start, end))
            .map_err(|id| format!("Summary {number} would part the tool call {id} from its result."))?;
        let compaction = EventCompaction {
            start_timestamp: Some(start),
            end_timestamp: Some(end),
            compacted_content: Some(Content { role: Some("model".into()), ..content }),
            ..EventCompaction::default()
        };
        let before = (summary.after as usize).checked_sub(1).map(|at| &session.events[at]);
        Ok(Event {
            id: format!("summary-{number}").into(),
            invocation_id: format!("summary-{number}").into(),
            author: "user".into(),
            timestamp: before.map_or(0.0, |event| event.timestamp),
            isolation_scope: summary.isolation_scope.clone(),
            usage_metadata: usage.map(Box::new),
            custom_metadata: summary.free.then(|| Object::from_iter([(marks::FREE, true)])),
            model_version: Some(summary.by.clone()).filter(|by| !by.is_empty()),
            actions: EventActions { compaction: Some(compaction), ..EventActions::default() },
            ..Event::default()
        })
    }
}

/// Events that summaries stand for, while these are read one after the other.
struct Covered {
    events: BTreeSet<usize>,
    /// Each tool call with the result that answers it.
    pairs: Vec<(String, usize, usize)>,
}

impl Covered {
    fn of(session: &Session) -> Self {
        let mut called: BTreeMap<&str, usize> = BTreeMap::new();
        let mut pairs = Vec::new();
        for (at, event) in session.events.iter().enumerate() {
            // Ids may be used again: a result answers the latest call.
            for id in event.function_responses().filter_map(|response| response.id.as_deref()) {
                if let Some(call) = called.get(id) {
                    pairs.push((id.to_owned(), *call, at));
                }
            }
            let ids = event.function_calls().filter_map(|call| call.id.as_deref());
            called.extend(ids.filter(|id| !id.is_empty()).map(|id| (id, at)));
        }
        Self { events: BTreeSet::new(), pairs }
    }

    /// Adds what a summary covers. An error is the id of a call that would be parted from its result.
    fn add(
        &mut self,
        session: &Session,
        summary: &LaidSummary,
        (start, end): (f64, f64),
    ) -> Result<(), String> {
        let goes = |event: &Event| {
            !event.is_compaction()
                && event.isolation_scope == summary.isolation_scope
                && (start..=end).contains(&event.timestamp)
        };
        let behind = session.events.iter().take(summary.after as usize).enumerate();
        let gone = behind.filter(|(_, event)| goes(event)).map(|(at, _)| at);
        let events: BTreeSet<usize> = self.events.iter().copied().chain(gone).collect();
        let split =
            self.pairs.iter().find(|(_, call, result)| events.contains(call) != events.contains(result));
        if let Some((id, ..)) = split {
            return Err(id.clone());
        }
        self.events = events;
        Ok(())
    }
}
