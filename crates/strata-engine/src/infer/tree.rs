//! Which agents there were and who stood below whom.

use strata_model::app::{AgentKind, AgentMode};
use strata_model::{Event, Json, Str, marks};

/// Agents in order of appearance, each with its parent. The root is first.
#[derive(Debug, Clone, Default)]
pub(super) struct Tree {
    nodes: Vec<Node>,
    guesses: Vec<String>,
}

#[derive(Debug, Clone)]
struct Node {
    name: Str,
    parent: Option<Str>,
    kind: AgentKind,
    mode: Option<AgentMode>,
}

impl Tree {
    /// What node path, hand-over and branch of an event say.
    pub(super) fn add_event(&mut self, event: &Event) {
        self.add_path(event);
        self.add_branch(event);
        self.add_author(event);
        if let Some(target) = transfer_target(event) {
            self.add_transfer(&event.author, target);
        }
    }

    pub(super) fn root(&self) -> Option<&Str> {
        self.nodes.iter().find(|node| node.parent.is_none()).map(|node| &node.name)
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &Str> {
        self.nodes.iter().map(|node| &node.name)
    }

    pub(super) fn children(&self, name: &str) -> impl Iterator<Item = &Str> {
        self.nodes.iter().filter(move |node| node.parent.as_deref() == Some(name)).map(|node| &node.name)
    }

    pub(super) fn kind(&self, name: &str) -> AgentKind {
        self.get(name).map_or(AgentKind::Llm, |node| node.kind)
    }

    pub(super) fn mode(&self, name: &str) -> Option<AgentMode> {
        self.get(name).and_then(|node| node.mode)
    }

    /// What was decided without evidence.
    pub(super) fn guesses(&self) -> &[String] {
        &self.guesses
    }

    fn get(&self, name: &str) -> Option<&Node> {
        self.nodes.iter().find(|node| *node.name == *name)
    }

    /// The agent, added as one that never answered by itself if it is new.
    fn node(&mut self, name: &str) -> &mut Node {
        let at = self.nodes.iter().position(|node| *node.name == *name).unwrap_or_else(|| {
            let node = Node { name: name.into(), parent: None, kind: AgentKind::Custom, mode: None };
            self.nodes.push(node);
            self.nodes.len() - 1
        });
        &mut self.nodes[at]
    }

    fn is_above(&self, name: &str, other: &str) -> bool {
        let mut at = Some(other);
        while let Some(below) = at {
            if *below == *name {
                return true;
            }
            at = self.get(below).and_then(|node| node.parent.as_deref());
        }
        false
    }

    fn set_parent(&mut self, name: &str, parent: &str) {
        self.node(parent);
        if self.node(name).parent.is_none() && !self.is_above(name, parent) {
            self.node(name).parent = Some(parent.into());
        }
    }

    /// All that is looked at in sources that say nothing on how agents are related.
    pub(super) fn add_author(&mut self, event: &Event) {
        let is_asked = event.content.as_ref().is_some_and(|content| content.role.as_deref() == Some("model"))
            || event.usage_metadata.is_some()
            || marks::has(event, marks::UNANSWERED)
            || marks::has(event, marks::PENDING);
        let node = self.node(&event.author);
        if is_asked {
            node.kind = AgentKind::Llm;
        }
    }

    /// `root@1/helper@2`: each node stands below the one before it.
    fn add_path(&mut self, event: &Event) {
        let names: Vec<&str> = event.node_info.path.as_str().split('/').map(without_run).collect();
        for pair in names.windows(2) {
            if !pair[0].is_empty() && !pair[1].is_empty() {
                self.set_parent(pair[1], pair[0]);
            }
        }
    }

    /// `parallel.worker` for work side by side; `helper@call-id` for an agent run by a call of its parent.
    fn add_branch(&mut self, event: &Event) {
        let segments: Vec<&str> = event.branch.as_deref().unwrap_or_default().split('.').collect();
        let Some((leaf, above)) =
            segments.split_last().filter(|(leaf, _)| without_run(leaf) == &*event.author)
        else {
            return;
        };
        if leaf.contains('@') && self.node(&event.author).mode.is_none() {
            self.node(&event.author).mode = Some(AgentMode::SingleTurn);
        }
        if event.function_calls().any(|call| call.name.as_deref() == Some("finish_task")) {
            self.node(&event.author).mode = Some(AgentMode::Task);
        }
        if let Some(parent) =
            above.last().map(|name| without_run(name)).filter(|name| !leaf.contains('@') && !name.is_empty())
        {
            self.set_parent(&event.author, parent);
            let parent = self.node(parent);
            if parent.kind == AgentKind::Custom {
                parent.kind = AgentKind::Parallel;
            }
        }
    }

    /// Handing over reaches children, the parent and peers. Someone new is taken for a child.
    fn add_transfer(&mut self, from: &Str, to: &str) {
        self.node(to).kind = AgentKind::Llm;
        let is_root = self.nodes.first().is_some_and(|first| *first.name == *to);
        if !is_root {
            self.set_parent(to, from);
        }
    }

    /// Puts everyone below one root. Agents that never handed over took turns by someone's order.
    pub(super) fn find_root(&mut self) {
        let tops: Vec<Str> =
            self.nodes.iter().filter(|node| node.parent.is_none()).map(|node| node.name.clone()).collect();
        if tops.len() < 2 {
            return;
        }
        let listed = tops.iter().map(|name| &**name).collect::<Vec<_>>().join(", ");
        let has_hierarchy = self.nodes.len() > tops.len();
        if has_hierarchy {
            self.adopt_by_root();
            self.guesses
                .push(format!("{listed} have no recorded relation; {} was taken for the root.", tops[0]));
            return;
        }
        let name: Str = self.free_name("sequence").into();
        for top in &tops {
            self.node(top).parent = Some(name.clone());
        }
        self.nodes.insert(0, Node { name, parent: None, kind: AgentKind::Sequential, mode: None });
        self.guesses.push(format!(
            "{listed} never handed over to one another; they were taken for the steps of a sequence."
        ));
    }

    /// Puts everyone who has no parent below the first of them.
    pub(super) fn adopt_by_root(&mut self) {
        let Some(root) = self.root().cloned() else { return };
        for node in self.nodes.iter_mut().filter(|node| node.parent.is_none() && node.name != root) {
            node.parent = Some(root.clone());
        }
    }

    fn free_name(&self, wanted: &str) -> String {
        let mut name = wanted.to_owned();
        while self.get(&name).is_some() {
            name.push('_');
        }
        name
    }
}

fn without_run(segment: &str) -> &str {
    segment.split_once('@').map_or(segment, |(name, _)| name)
}

fn transfer_target(event: &Event) -> Option<&str> {
    let by_action = event.actions.transfer_to_agent.as_deref().filter(|name| !name.is_empty());
    by_action.or_else(|| {
        let call = event.function_calls().find(|call| call.name.as_deref() == Some("transfer_to_agent"))?;
        call.args.as_ref()?.get("agent_name").and_then(Json::as_str)
    })
}

/// Whether an agent may be the author.
pub(super) fn is_agent_event(event: &Event) -> bool {
    !event.is_from_user() && !event.author.is_empty() && !event.is_compaction()
}
