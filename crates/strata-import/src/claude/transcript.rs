//! What is known of a transcript while its records come in.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use strata_model::{Event, Object, Part, Str};

use super::entry::{Entries, Entry, EntryKind};
use super::ids::{EntryId, LaneId, NodeId};
use super::journal::Journal;
use super::lanes::Lanes;
use super::nodes::Nodes;
use super::own_counts::OwnCounts;
use super::record::Record;
use crate::facts::ClaudeFacts;
use crate::findings::Findings;
use crate::marks;
use crate::source::SourceRecord;
use crate::time::epoch_seconds;
use crate::unmapped::Unmapped;

#[derive(Debug, Clone, Default)]
pub(super) struct Transcript {
    pub(super) lanes: Lanes,
    pub(super) nodes: Nodes,
    pub(super) entries: Entries,
    /// Responses by the id of their message.
    pub(super) responses: HashMap<(LaneId, Str), EntryId>,
    /// Responses that are no copies, by the id of their message.
    pub(super) answered: BTreeMap<Str, EntryId>,
    pub(super) calls: HashMap<Str, Call>,
    pub(super) facts: ClaudeFacts,
    pub(super) titles: Titles,
    pub(super) unmapped: Unmapped,
    pub(super) journal: Journal,
    /// The message that is streamed, with its usage so far, by who speaks.
    pub(super) streamed: HashMap<LaneId, (Str, Object)>,
    /// Sub-agents' responses in progress records, by message id.
    pub(super) relayed_responses: BTreeSet<Str>,
    /// Entries up to the last record that says how a run ended.
    pub(super) n_told: usize,
    pub(super) largest_result_bytes: u64,
    pub(super) own_counts: OwnCounts,
    /// The last session id that a record of the conversation carries.
    pub(super) session_id: Option<Str>,
    /// Text of the timestamp above, and the last time known, in epoch seconds.
    last_timestamp: Option<Str>,
    clock: f64,
}

/// A tool call that was made.
#[derive(Debug, Clone)]
pub(super) struct Call {
    pub(super) entry: EntryId,
    pub(super) name: Option<Str>,
}

/// Names the session was given, the better ones last.
#[derive(Debug, Clone, Default)]
pub(super) struct Titles {
    /// Summaries with the uuid of the record they end with. Old versions put those of other sessions into a file.
    summaries: Vec<(Str, Str)>,
    by_model: Option<Str>,
    by_person: Option<Str>,
}

impl Titles {
    pub(super) fn best(&self, nodes: &Nodes) -> Option<&Str> {
        let is_own = |leaf: &Str| nodes.find(leaf).is_some();
        let summary = self.summaries.iter().rev().find(|(leaf, _)| is_own(leaf)).map(|(_, summary)| summary);
        self.by_person.as_ref().or(self.by_model.as_ref()).or(summary)
    }
}

/// A record with the places it has.
#[derive(Debug)]
pub(super) struct PlacedRecord {
    pub(super) record: Record,
    pub(super) lane: LaneId,
    pub(super) node: NodeId,
    pub(super) source: SourceRecord,
    /// Where findings about it point.
    pub(super) place: String,
    /// Epoch seconds; the last known time for a record without one.
    pub(super) timestamp: f64,
    /// It stands inside a progress record of its parent.
    pub(super) is_relayed: bool,
}

impl Transcript {
    /// A record that became no event.
    pub(super) fn keep_raw(&mut self, placed: &PlacedRecord, subtype: &str) {
        let kind = match &*placed.record.kind {
            "" => "record without a type",
            kind => kind,
        };
        if subtype.is_empty() {
            self.unmapped.record(kind, placed.source.clone());
        } else {
            self.unmapped.record(&format!("{kind}.{subtype}"), placed.source.clone());
        }
    }

    pub(super) fn title(&mut self, mut placed: PlacedRecord, key: &str) {
        let Some(title) = placed.record.take_text(key) else { return self.keep_raw(&placed, "") };
        match key {
            "aiTitle" => self.titles.by_model = Some(title),
            "customTitle" => self.titles.by_person = Some(title),
            _ => {
                let leaf = placed.record.take_text("leafUuid").unwrap_or_default();
                self.titles.summaries.push((leaf, title));
            }
        }
        placed.record.note_rest(&mut self.unmapped);
    }

    /// Counts what the record says about the session; returns its time.
    pub(super) fn note_envelope(&mut self, record: &mut Record, place: &str, findings: &mut Findings) -> f64 {
        let facts = &mut self.facts;
        facts.sidechain_records += u64::from(record.is_sidechain);
        insert_new(&mut facts.versions, record.version.as_ref());
        insert_new(&mut facts.session_ids, record.session_id.as_ref());
        insert_new(&mut facts.working_folders, record.take_text("cwd").as_ref());
        insert_new(&mut facts.git_branches, record.take_text("gitBranch").as_ref());
        if record.session_id.is_some() && (record.uuid.is_some() || self.session_id.is_none()) {
            self.session_id.clone_from(&record.session_id);
        }
        let Some(text) = &record.timestamp else { return self.clock };
        let is_first = facts.first_timestamp.as_ref().is_none_or(|first| text < first);
        let is_last = facts.last_timestamp.as_ref().is_none_or(|last| text > last);
        facts.out_of_order_timestamps +=
            u64::from(self.last_timestamp.as_ref().is_some_and(|last| text < last));
        if is_first {
            facts.first_timestamp = Some(text.clone());
        }
        if is_last {
            facts.last_timestamp = Some(text.clone());
        }
        match epoch_seconds(text) {
            Some(seconds) => self.clock = seconds,
            None => {
                let message = "a timestamp could not be read; the time of the record above was used";
                findings.warning("bad-timestamp", place, message);
            }
        }
        self.last_timestamp = Some(text.clone());
        self.clock
    }

    /// Adds an event of `parts` that begins with this record.
    pub(super) fn add_entry(
        &mut self,
        placed: &PlacedRecord,
        kind: EntryKind,
        role: &'static str,
        parts: Vec<Part>,
    ) -> EntryId {
        let id = self.entries.len();
        let lane = self.lanes.get(placed.lane);
        let author = match kind {
            EntryKind::Prompt | EntryKind::Injected | EntryKind::Compaction(_) => "user".into(),
            EntryKind::Results(_) | EntryKind::Response | EntryKind::Notice => lane.author.clone(),
        };
        let event = Event {
            id: placed.record.uuid.clone().unwrap_or_default(),
            author,
            branch: Some(lane.branch.clone()),
            timestamp: placed.timestamp,
            ..Event::default()
        };
        let mut entry = Entry {
            kind,
            lane: placed.lane,
            node: placed.node,
            event,
            prompt_id: placed.record.prompt_id.clone(),
            role,
            parts,
            custom: Object::new(),
            sources: vec![placed.source.clone()],
        };
        entry.note("type", placed.record.kind.clone());
        if let Some(version) = &placed.record.version {
            entry.note("version", version.clone());
        }
        self.nodes.set_entry(placed.node, id);
        self.entries.push(entry);
        id
    }

    /// Adds context the client put in by itself.
    pub(super) fn add_injected(&mut self, placed: &PlacedRecord, kind: &str, parts: Vec<Part>) -> EntryId {
        let id = self.add_entry(placed, EntryKind::Injected, "user", parts);
        self.entries[id].custom.insert(marks::INJECTED, kind);
        id
    }
}

fn insert_new(set: &mut BTreeSet<Str>, text: Option<&Str>) {
    if let Some(text) = text
        && !set.contains(text)
    {
        set.insert(text.clone());
    }
}
