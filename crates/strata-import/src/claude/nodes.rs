//! The tree of records.

use std::collections::HashMap;

use strata_model::Str;

use super::ids::{EntryId, LaneId, NodeId};
use super::record::{Parent, Record};

#[derive(Debug, Clone)]
pub(super) struct Node {
    pub(super) parent: Parent,
    pub(super) logical_parent: Option<Str>,
    pub(super) lane: LaneId,
    /// What the record became a part of.
    pub(super) entry: Option<EntryId>,
}

#[derive(Debug, Clone, Default)]
pub(super) struct Nodes {
    nodes: Vec<Node>,
    by_uuid: HashMap<Str, NodeId>,
}

impl Nodes {
    /// Adds a record. Its uuid is known from now on, unless it repeats an earlier one.
    pub(super) fn add(&mut self, record: &Record, lane: LaneId) -> NodeId {
        let id = self.nodes.len();
        self.nodes.push(Node {
            parent: record.parent.clone(),
            logical_parent: record.logical_parent.clone(),
            lane,
            entry: None,
        });
        if let Some(uuid) = &record.uuid {
            self.by_uuid.entry(uuid.clone()).or_insert(id);
        }
        id
    }

    pub(super) fn find(&self, uuid: &str) -> Option<NodeId> {
        self.by_uuid.get(uuid).copied()
    }

    /// The event that the record with this uuid became a part of.
    pub(super) fn entry_of(&self, uuid: &str) -> Option<EntryId> {
        self.nodes[self.find(uuid)?].entry
    }

    pub(super) fn set_entry(&mut self, node: NodeId, entry: EntryId) {
        self.nodes[node].entry = Some(entry);
    }

    pub(super) fn get(&self, node: NodeId) -> &Node {
        &self.nodes[node]
    }

    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }
}
