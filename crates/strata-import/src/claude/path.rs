//! Finding the path of the newest record, and what was left by rewinds.
//!
//! Records point to the one before them. Going back from the newest gives the path the model sees. Three things keep
//! that from being all: a response is several records in a row; answers to calls made side by side are siblings, of
//! which only one is on the path; and links may lead out of the file, when it is a piece of a longer one.

use std::collections::HashMap;

use strata_model::Str;

use super::entry::{Entries, EntryKind};
use super::ids::{EntryId, MAIN, NodeId};
use super::nodes::Nodes;
use super::record::Parent;
use super::transcript::Call;

type PathId = usize;

/// Where every event stands.
pub(super) struct Paths {
    /// The branch of each event of the main conversation; `None` for those of sub-agents.
    pub(super) branches: Vec<Option<Str>>,
    pub(super) n_abandoned: usize,
    /// Records whose parent is not in the file; the one above them was taken for it.
    pub(super) n_missing_parents: usize,
}

pub(super) fn paths(nodes: &Nodes, entries: &Entries, calls: &HashMap<Str, Call>) -> Paths {
    let mut search = Search::new(nodes, entries, calls);
    search.run();
    search.named()
}

struct Search<'t> {
    nodes: &'t Nodes,
    entries: &'t Entries,
    calls: &'t HashMap<Str, Call>,
    /// Events of the main conversation, in the order of the file.
    main: Vec<EntryId>,
    /// Events that answer the calls of an event.
    answers: HashMap<EntryId, Vec<EntryId>>,
    node_path: Vec<Option<PathId>>,
    entry_path: Vec<Option<PathId>>,
    /// An answer beside the path that belongs to it because its call does.
    is_beside: Vec<bool>,
    /// The path each path was left from; none for the first.
    left_from: Vec<Option<PathId>>,
    /// The walk that passed each record last, counted from 1.
    passed_by: Vec<usize>,
    n_walks: usize,
    n_missing_parents: usize,
}

/// One way back from a record to a known path, or to a beginning.
#[derive(Default)]
struct Walk {
    nodes: Vec<NodeId>,
    entries: Vec<EntryId>,
    meets: Option<PathId>,
    meets_beside: bool,
}

impl<'t> Search<'t> {
    fn new(nodes: &'t Nodes, entries: &'t Entries, calls: &'t HashMap<Str, Call>) -> Self {
        let main: Vec<_> = (0..entries.len()).filter(|at| entries[*at].lane == MAIN).collect();
        let mut search = Self {
            nodes,
            entries,
            calls,
            main,
            answers: HashMap::new(),
            node_path: vec![None; nodes.len()],
            entry_path: vec![None; entries.len()],
            is_beside: vec![false; entries.len()],
            left_from: Vec::new(),
            passed_by: vec![0; nodes.len()],
            n_walks: 0,
            n_missing_parents: 0,
        };
        for at in search.main.clone() {
            if let Some(call) = search.call_of(at) {
                search.answers.entry(call).or_default().push(at);
            }
        }
        search
    }

    /// The event whose call this event answers.
    fn call_of(&self, at: EntryId) -> Option<EntryId> {
        let EntryKind::Results(answered) = &self.entries[at].kind else { return None };
        let calls = answered.iter().filter_map(|id| self.calls.get(id)).map(|call| call.entry);
        calls.filter(|call| self.entries[*call].lane == MAIN).min()
    }

    fn run(&mut self) {
        for index in (0..self.main.len()).rev() {
            let leaf = self.main[index];
            // An answer goes where its call goes, except that the newest event is the end of the path in any case.
            let waits_for_call = !self.left_from.is_empty() && self.call_of(leaf).is_some();
            if self.entry_path[leaf].is_none() && !waits_for_call {
                self.add_path(leaf);
            }
        }
    }

    fn add_path(&mut self, leaf: EntryId) {
        let walk = self.walk(leaf);
        let are_all = |kind: EntryKind| walk.entries.iter().all(|at| self.entries[*at].kind == kind);
        let path = match walk.meets {
            // Notices and what follows an answer beside the path are no conversation that was left.
            Some(path) if are_all(EntryKind::Notice) => path,
            Some(path) if walk.meets_beside && are_all(EntryKind::Injected) => path,
            meets => {
                let is_first = self.left_from.is_empty();
                self.left_from.push(if is_first { None } else { Some(meets.unwrap_or(0)) });
                self.left_from.len() - 1
            }
        };
        for node in walk.nodes {
            self.node_path[node] = Some(path);
        }
        for at in &walk.entries {
            self.entry_path[*at] = Some(path);
            self.is_beside[*at] = walk.meets_beside && walk.meets == Some(path);
        }
        for at in walk.entries {
            self.add_answers(at, path);
        }
    }

    fn add_answers(&mut self, call: EntryId, path: PathId) {
        for answer in self.answers.get(&call).cloned().unwrap_or_default() {
            if self.entry_path[answer].is_none() {
                self.entry_path[answer] = Some(path);
                self.node_path[self.entries[answer].node] = Some(path);
                self.is_beside[answer] = true;
            }
        }
    }

    fn walk(&mut self, leaf: EntryId) -> Walk {
        let mut walk = Walk::default();
        self.n_walks += 1;
        let mut next = Some(self.entries[leaf].node);
        while let Some(node) = next {
            let entry = self.nodes.get(node).entry.filter(|at| self.entries[*at].lane == MAIN);
            let known = self.node_path[node].or_else(|| self.entry_path[entry?]);
            if known.is_some() {
                walk.meets = known;
                walk.meets_beside = entry.is_some_and(|at| self.is_beside[at]);
                break;
            }
            let is_circle = std::mem::replace(&mut self.passed_by[node], self.n_walks) == self.n_walks;
            if is_circle {
                break;
            }
            walk.nodes.push(node);
            walk.entries.extend(entry);
            // A response continues before its first record.
            next = self.before(entry.map_or(node, |at| self.entries[at].node));
        }
        walk
    }

    /// The record before this one.
    fn before(&mut self, node: NodeId) -> Option<NodeId> {
        let record = self.nodes.get(node);
        let is_compaction =
            record.entry.is_some_and(|at| matches!(self.entries[at].kind, EntryKind::Compaction(_)));
        let parent = match (&record.parent, &record.logical_parent) {
            (Parent::Uuid(uuid), _) | (Parent::None, Some(uuid)) => uuid,
            (Parent::None, None) if !is_compaction => return None,
            (Parent::None | Parent::Unsaid, _) => return self.above(node),
        };
        self.nodes.find(parent).or_else(|| {
            self.n_missing_parents += 1;
            self.above(node)
        })
    }

    /// The record of the event above this record in the file.
    fn above(&self, node: NodeId) -> Option<NodeId> {
        let n_above = self.main.partition_point(|at| self.entries[*at].node < node);
        let at = *self.main.get(n_above.checked_sub(1)?)?;
        Some(self.entries[at].node)
    }

    /// Gives the paths their names: those left behind are counted in the order of the file.
    fn named(self) -> Paths {
        let mut numbers: Vec<Option<usize>> = vec![None; self.left_from.len()];
        let mut n_left = 0;
        for path in self.main.iter().filter_map(|at| self.entry_path[*at]) {
            if self.left_from[path].is_some() && numbers[path].is_none() {
                n_left += 1;
                numbers[path] = Some(n_left);
            }
        }
        // A path is always found after the one it was left from.
        let mut names: Vec<Str> = Vec::with_capacity(self.left_from.len());
        for (left_from, number) in self.left_from.iter().zip(&numbers) {
            names.push(match left_from {
                None => "main".into(),
                Some(upper) => format!("{}.abandoned-{}", names[*upper], number.unwrap_or(0)).into(),
            });
        }
        let branch = |at: usize| Some(names[self.entry_path[at]?].clone());
        let n_abandoned = self.entry_path.iter().flatten().filter(|path| **path != 0).count();
        let branches = (0..self.entries.len()).map(branch).collect();
        Paths { branches, n_abandoned, n_missing_parents: self.n_missing_parents }
    }
}
