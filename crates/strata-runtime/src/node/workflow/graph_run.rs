//! Where a run of a graph stands: which nodes were triggered, which have ended, and with what.

use std::collections::{HashMap, HashSet};

use strata_engine::branch;
use strata_model::{Json, Object, Str};

use crate::host::Value;
use crate::node::history::PastRun;
use crate::program::{Graph, NodeKind, START_NAME};

/// What starts a node.
#[derive(Debug, Clone)]
pub(super) struct Trigger {
    pub(super) input: Value,
    pub(super) use_sub_branch: bool,
    /// `None`: the workflow's own.
    pub(super) branch: Option<Str>,
}

/// By the numbers of ADK's marks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Status {
    Running = 2,
    Completed = 3,
    Waiting = 4,
    Failed = 5,
}

#[derive(Debug, Clone)]
struct NodeState {
    status: Status,
    interrupts: Vec<Str>,
}

pub(super) struct GraphRun {
    /// Earlier runs, by `name@run`.
    past: HashMap<Str, PastRun>,
    /// In the order in which nodes began.
    nodes: Vec<(Str, NodeState)>,
    outputs: HashMap<Str, Value>,
    branches: HashMap<Str, Str>,
    /// By a join's name: what has arrived since it ran last.
    arrivals: HashMap<Str, HashSet<Str>>,
    /// In the order in which nodes were triggered.
    triggers: Vec<(Str, Vec<Trigger>)>,
    /// Nodes whose run is an earlier one taken again.
    replayed: HashSet<Str>,
}

impl GraphRun {
    pub(super) fn new(past: Vec<(Str, PastRun)>) -> Self {
        Self {
            past: past.into_iter().collect(),
            nodes: Vec::new(),
            outputs: HashMap::new(),
            branches: HashMap::new(),
            arrivals: HashMap::new(),
            triggers: Vec::new(),
            replayed: HashSet::new(),
        }
    }

    /// Triggers the nodes a graph begins with.
    pub(super) fn begin(&mut self, graph: &Graph, input: &Value, branch: Option<&str>) {
        let first = graph.first();
        for name in &first {
            if is_join(graph, name) {
                self.outputs.insert(START_NAME.into(), input.clone());
                self.branches.insert(START_NAME.into(), branch.unwrap_or_default().into());
                self.trigger_join(graph, name);
            } else {
                let trigger = Trigger { input: input.clone(), use_sub_branch: first.len() > 1, branch: None };
                self.push(name, trigger);
            }
        }
    }

    fn push(&mut self, name: &Str, trigger: Trigger) {
        match self.triggers.iter_mut().find(|(known, _)| known == name) {
            Some((_, triggers)) => triggers.push(trigger),
            None => self.triggers.push((name.clone(), vec![trigger])),
        }
    }

    pub(super) fn triggered(&self) -> Vec<Str> {
        self.triggers.iter().map(|(name, _)| name.clone()).collect()
    }

    pub(super) fn next_trigger(&mut self, name: &str) -> Option<Trigger> {
        let at = self.triggers.iter().position(|(known, _)| **known == *name)?;
        let trigger = self.triggers[at].1.remove(0);
        if self.triggers[at].1.is_empty() {
            self.triggers.remove(at);
        }
        Some(trigger)
    }

    /// Triggers what follows a node.
    pub(super) fn trigger_next(
        &mut self,
        graph: &Graph,
        name: &Str,
        output: Option<&Value>,
        route: Option<&Json>,
        branch: Option<&Str>,
    ) {
        let next = graph.next(name, route);
        for target in &next {
            if is_join(graph, target) {
                self.arrivals.entry(target.clone()).or_default().insert(name.clone());
                self.trigger_join(graph, target);
            } else {
                let input = output.cloned().unwrap_or(Value::NONE);
                let trigger = Trigger { input, use_sub_branch: next.len() > 1, branch: branch.cloned() };
                self.push(target, trigger);
            }
        }
    }

    /// Triggers a join if all nodes before it have arrived since it ran last.
    fn trigger_join(&mut self, graph: &Graph, name: &Str) {
        let predecessors = graph.predecessors(name);
        let arrivals = self.arrivals.get(name);
        let has_arrived = |from: &Str| {
            **from == *START_NAME
                || (arrivals.is_some_and(|arrivals| arrivals.contains(from))
                    && self.status(from) == Some(Status::Completed))
        };
        if !predecessors.iter().all(has_arrived) {
            return;
        }
        self.arrivals.remove(name);
        let branches = predecessors.iter().map(|from| self.branches.get(from).map_or("", |branch| &**branch));
        let branch = branch::common_prefix(branches);
        let gathered = predecessors
            .iter()
            .map(|from| (from.clone(), self.outputs.get(from).cloned().unwrap_or(Value::NONE)));
        let input = Value::Joined(gathered.collect());
        self.push(name, Trigger { input, use_sub_branch: false, branch: Some(branch.into()) });
    }

    fn status(&self, name: &str) -> Option<Status> {
        self.nodes.iter().find(|(known, _)| **known == *name).map(|(_, state)| state.status)
    }

    fn set(&mut self, name: &Str, state: NodeState) {
        match self.nodes.iter_mut().find(|(known, _)| known == name) {
            Some((_, known)) => *known = state,
            None => self.nodes.push((name.clone(), state)),
        }
    }

    pub(super) fn set_running(&mut self, name: &Str) {
        self.set(name, NodeState { status: Status::Running, interrupts: Vec::new() });
    }

    pub(super) fn set_status(&mut self, name: &Str, status: Status) {
        self.set(name, NodeState { status, interrupts: Vec::new() });
    }

    pub(super) fn set_waiting(&mut self, name: &Str, interrupts: Vec<Str>) {
        self.set(name, NodeState { status: Status::Waiting, interrupts });
    }

    pub(super) fn set_completed(&mut self, name: &Str, output: Option<Value>, branch: Str) {
        self.set_status(name, Status::Completed);
        match output {
            Some(output) => self.outputs.insert(name.clone(), output),
            None => self.outputs.remove(name),
        };
        self.branches.insert(name.clone(), branch);
    }

    /// It runs, or waits for answers: triggers for it wait, too.
    pub(super) fn is_blocked(&self, name: &str) -> bool {
        let state = self.nodes.iter().find(|(known, _)| **known == *name).map(|(_, state)| state);
        state.is_some_and(|state| match state.status {
            Status::Running => true,
            Status::Waiting => !state.interrupts.is_empty(),
            Status::Completed | Status::Failed => false,
        })
    }

    /// Whether an agent waits for the user to go on with its task.
    pub(super) fn has_waiting_task(&self, graph: &Graph) -> bool {
        let waits = |name: &Str| self.status(name) == Some(Status::Waiting);
        graph.nodes.iter().any(|node| node.is_task() && waits(&node.name))
    }

    pub(super) fn waiting_interrupts(&self) -> Vec<Str> {
        let waiting = self.nodes.iter().filter(|(_, state)| state.status == Status::Waiting);
        waiting.flat_map(|(_, state)| state.interrupts.iter().cloned()).collect()
    }

    pub(super) fn output(&self, name: &str) -> Option<&Value> {
        self.outputs.get(name)
    }

    pub(super) fn past(&self, segment: &str) -> Option<&PastRun> {
        self.past.get(segment)
    }

    pub(super) fn set_replayed(&mut self, name: &Str) {
        self.replayed.insert(name.clone());
    }

    pub(super) fn is_replayed(&self, name: &str) -> bool {
        self.replayed.contains(name)
    }

    pub(super) fn take_replayed(&mut self, name: &str) -> bool {
        self.replayed.remove(name)
    }

    /// The state of all nodes, as marks tell it.
    pub(super) fn progress(&self) -> Object {
        self.nodes
            .iter()
            .map(|(name, state)| (name.clone(), mark_of(state.status, &state.interrupts)))
            .collect()
    }
}

fn is_join(graph: &Graph, name: &str) -> bool {
    graph.node(name).is_some_and(|node| matches!(node.kind, NodeKind::Join))
}

/// The state of a node as marks tell it.
fn mark_of(status: Status, interrupts: &[Str]) -> Json {
    let mut mark = Object::from_iter([("status", Json::Int(status as i64))]);
    mark.push("interrupts", interrupts.iter().cloned().map(Json::String).collect::<Vec<_>>());
    mark.into()
}
