//! Who talks: the main conversation and its sub-agents.

use std::collections::HashMap;

use strata_model::Str;

use super::ids::{EntryId, LaneId, MAIN};
use super::nodes::Nodes;
use super::record::{Parent, Record};

const AGENT: &str = "claude";

#[derive(Debug, Clone)]
pub(super) struct Lane {
    pub(super) agent_id: Option<Str>,
    pub(super) author: Str,
    pub(super) branch: Str,
    /// The event whose tool call started the sub-agent, where that is known.
    pub(super) called_by: Option<EntryId>,
    /// A compaction whose summary has not come yet.
    pub(super) open_compaction: Option<EntryId>,
}

#[derive(Debug, Clone)]
pub(super) struct Lanes {
    all: Vec<Lane>,
    by_agent: HashMap<Str, LaneId>,
    /// The sub-agent that spoke last.
    last_agent: Option<LaneId>,
}

impl Default for Lanes {
    fn default() -> Self {
        let main = Lane {
            agent_id: None,
            author: AGENT.into(),
            branch: "main".into(),
            called_by: None,
            open_compaction: None,
        };
        Self { all: vec![main], by_agent: HashMap::new(), last_agent: None }
    }
}

impl Lanes {
    pub(super) fn get(&self, lane: LaneId) -> &Lane {
        &self.all[lane]
    }

    pub(super) fn get_mut(&mut self, lane: LaneId) -> &mut Lane {
        &mut self.all[lane]
    }

    pub(super) fn len(&self) -> usize {
        self.all.len()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Lane> {
        self.all.iter()
    }

    /// The lane a record belongs to. Records of sub-agents name their agent since 2.0; before, each sub-agent is a
    /// tree of its own, which is named by its root.
    pub(super) fn of(&mut self, record: &Record, nodes: &Nodes) -> LaneId {
        if !record.is_sidechain {
            return MAIN;
        }
        let lane = match (record.agent_id.as_ref().or(record.task.as_ref()), &record.parent) {
            (Some(agent_id), _) => self.agent(&agent_id.clone()),
            (None, Parent::Uuid(parent)) => {
                let of_parent = nodes.find(parent).map(|node| nodes.get(node).lane);
                of_parent.filter(|lane| *lane != MAIN).unwrap_or_else(|| self.unnamed(record))
            }
            (None, Parent::Unsaid) => self.last_agent.unwrap_or_else(|| self.unnamed(record)),
            (None, Parent::None) => self.unnamed(record),
        };
        self.last_agent = Some(lane);
        lane
    }

    fn unnamed(&mut self, root: &Record) -> LaneId {
        let name: String = root.uuid.as_deref().unwrap_or("sidechain").chars().take(8).collect();
        self.agent(&name.into())
    }

    /// The lane of a sub-agent.
    pub(super) fn agent(&mut self, agent_id: &Str) -> LaneId {
        if let Some(lane) = self.by_agent.get(agent_id) {
            return *lane;
        }
        let lane = self.all.len();
        self.all.push(Lane {
            agent_id: Some(agent_id.clone()),
            author: format!("{AGENT}.{agent_id}").into(),
            branch: format!("agent.{agent_id}").into(),
            called_by: None,
            open_compaction: None,
        });
        self.by_agent.insert(agent_id.clone(), lane);
        lane
    }
}
