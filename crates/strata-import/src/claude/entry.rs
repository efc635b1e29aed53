//! Events while the records they are made of come in.

use std::ops::{Deref, Index, IndexMut};
use std::sync::Arc;

use strata_model::{Event, Json, Object, Part, Str};

use super::ids::{EntryId, LaneId, NodeId};
use super::usage::MessageUsage;
use crate::marks;
use crate::source::SourceRecord;

/// Events in the order of the file. Copies share those that neither of them changes.
#[derive(Debug, Clone, Default)]
pub(super) struct Entries(Vec<Arc<Entry>>);

impl Entries {
    pub(super) fn push(&mut self, entry: Entry) {
        self.0.push(Arc::new(entry));
    }

    pub(super) fn get_mut(&mut self, at: EntryId) -> Option<&mut Entry> {
        self.0.get_mut(at).map(Arc::make_mut)
    }

    pub(super) fn into_shared(self) -> Vec<Arc<Entry>> {
        self.0
    }
}

impl Deref for Entries {
    type Target = [Arc<Entry>];

    fn deref(&self) -> &[Arc<Entry>] {
        &self.0
    }
}

impl Index<EntryId> for Entries {
    type Output = Entry;

    fn index(&self, at: EntryId) -> &Entry {
        &self.0[at]
    }
}

impl IndexMut<EntryId> for Entries {
    fn index_mut(&mut self, at: EntryId) -> &mut Entry {
        Arc::make_mut(&mut self.0[at])
    }
}

#[derive(Debug, Clone)]
pub(super) struct Entry {
    pub(super) kind: EntryKind,
    pub(super) lane: LaneId,
    /// Its first record.
    pub(super) node: NodeId,
    /// Everything but content, invocation and custom metadata. The branch is that of its lane.
    pub(super) event: Event,
    /// The source's own id of the turn.
    pub(super) prompt_id: Option<Str>,
    pub(super) role: &'static str,
    pub(super) parts: Vec<Part>,
    pub(super) custom: Object,
    pub(super) sources: Vec<SourceRecord>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum EntryKind {
    Prompt,
    /// Context the client added.
    Injected,
    /// Answers to the calls with these ids.
    Results(Vec<Str>),
    Response,
    Compaction(Preserved),
    /// Something that happened besides the conversation.
    Notice,
}

/// Uuids of records a compaction left as they were.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Preserved(pub(super) Vec<Str>);

impl Entry {
    pub(super) fn set_usage(&mut self, usage: MessageUsage) {
        self.event.usage_metadata = Some(Box::new(usage.usage));
        match usage.cache_write {
            Some(write) => self.custom.insert(marks::CACHE_WRITE, write),
            None => self.custom.remove(marks::CACHE_WRITE),
        };
        if let Some(iterations) = usage.iterations {
            self.note("iterations", iterations);
        }
        if let Some(speed) = usage.speed {
            self.note("speed", speed);
        }
    }

    /// Sets a member of the mark that says what the source's record says.
    pub(super) fn note(&mut self, name: &str, value: impl Into<Json>) {
        let value = value.into();
        if value.is_null() {
            return;
        }
        match self.custom.get_mut(marks::SOURCE) {
            Some(Json::Object(source)) => {
                source.insert(name, value);
            }
            _ => {
                self.custom.insert(marks::SOURCE, Object::from_iter([(name, value)]));
            }
        }
    }
}
