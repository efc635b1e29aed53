//! What is known of a rollout while its records come in.

use std::collections::{BTreeMap, BTreeSet};

use strata_model::{Json, Object, Str};
use strata_wire::usage::Counts;

use super::ahead::Ahead;
use super::prompts::Asked;
use super::usage::Steps;
use crate::draft::{Draft, EventDraft, Kind};
use crate::findings::Findings;
use crate::format::Format;
use crate::imported::ImportedSession;
use crate::marks;
use crate::source::SourceRecord;

/// What `codex exec --json` told so far.
#[derive(Debug, Clone, Default)]
pub(super) struct Stream {
    /// Items that began and did not end.
    pub(super) begun: BTreeMap<Str, (Object, SourceRecord)>,
    /// Usage as the thread last summed it up.
    pub(super) last_sum: Counts,
}

/// A rollout while its records come in.
#[derive(Debug, Clone)]
pub(super) struct Rollout {
    pub(super) ahead: Ahead,
    /// How many were read.
    pub(super) n_records: usize,
    pub(super) draft: Draft,
    pub(super) asked: Asked,
    pub(super) stream: Stream,
    pub(super) steps: Steps,
    pub(super) turn: Option<Str>,
    pub(super) model: Option<Str>,
    pub(super) branch: Option<Str>,
    pub(super) agent: Option<Str>,
    pub(super) has_meta: bool,
    /// The record that is read is copied from the thread this one was forked from.
    pub(super) is_copied: bool,
    /// Prompts by their events; those that were taken back are gone.
    pub(super) turns: Vec<usize>,
    /// The last event, when it may be a prompt that the interface recorded in other words.
    pub(super) unproven: Option<usize>,
    /// A prompt whose item has not come yet.
    pub(super) awaited: Option<(Str, SourceRecord)>,
    /// The response whose items are coming in.
    pub(super) open: Option<usize>,
    pub(super) calls: BTreeMap<Str, u64>,
    pub(super) open_calls: BTreeSet<Str>,
    pub(super) models: BTreeSet<Str>,
    pub(super) counts: BTreeMap<&'static str, i64>,
}

impl Rollout {
    pub(super) fn new() -> Self {
        Self {
            ahead: Ahead::default(),
            n_records: 0,
            draft: Draft::new("codex", "codex"),
            asked: Asked::default(),
            stream: Stream::default(),
            steps: Steps::default(),
            turn: None,
            model: None,
            branch: None,
            agent: None,
            has_meta: false,
            is_copied: false,
            turns: Vec::new(),
            unproven: None,
            awaited: None,
            open: None,
            calls: BTreeMap::new(),
            open_calls: BTreeSet::new(),
            models: BTreeSet::new(),
            counts: BTreeMap::new(),
        }
    }

    /// Sets what the file as a whole tells: from now on records are read by it. False where a record that was read would
    /// have been read in another way.
    pub(super) fn look_ahead(&mut self, ahead: &Ahead) -> bool {
        let agrees = self.n_records == 0 || ahead.agrees(&self.ahead, self.n_records, &self.asked);
        self.ahead = ahead.clone();
        self.steps.has_records = ahead.has_usage_records;
        agrees
    }

    /// There are no items: the events of the interface are all there is.
    pub(super) fn is_told_by_events(&self) -> bool {
        !self.ahead.has_items
    }

    pub(super) fn count(&mut self, name: &'static str) {
        *self.counts.entry(name).or_default() += 1;
    }

    pub(super) fn set_model(&mut self, model: Str) {
        self.models.insert(model.clone());
        self.model = Some(model);
    }

    pub(super) fn say(&self, source: SourceRecord) -> EventDraft {
        EventDraft {
            agent: self.agent.clone(),
            branch: self.branch.clone(),
            invocation: self.turn.clone(),
            ..EventDraft::new(Kind::Notice, Vec::new(), source)
        }
    }

    /// What was copied is the context of the fork, but its calls, turns and usage are the parent's.
    pub(super) fn mark_copied(&mut self, first: usize) {
        for at in first..self.draft.len() {
            if let Some(event) = self.draft.event_mut(at) {
                event.custom_metadata.get_or_insert_default().insert(marks::RELAYED, true);
            }
        }
    }

    pub(super) fn finish(mut self, format: Format, findings: &mut Findings) -> Option<ImportedSession> {
        self.tell_open_items();
        for name in ["records", "token_count_events", "token_usage_records", "turns_started", "turns_aborted"]
        {
            let count = self.counts.get(name).copied().unwrap_or(0);
            self.draft.counts.insert(name, Json::Int(count));
        }
        let by_type: Object =
            self.calls.iter().map(|(kind, count)| (kind.clone(), Json::Int(*count as i64))).collect();
        self.draft.counts.insert("tool_calls_by_type", by_type.into());
        self.draft.counts.insert("calls_without_result", Json::Int(self.open_calls.len() as i64));
        let models = self.models.iter().map(|model| Json::from(model.clone())).collect::<Vec<_>>();
        self.draft.counts.insert("models", models.into());
        self.steps.tell(&mut self.draft.counts);
        self.steps.check(findings);
        self.draft.finish(format, findings)
    }
}
