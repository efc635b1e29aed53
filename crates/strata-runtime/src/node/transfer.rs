//! Where an agent stands that another one hands over to: in the tree of contexts, by the tree of agents.

use strata_engine::{AgentId, AppIndex};

use crate::adk_text::{
    TRANSFER_AVAILABLE, TRANSFER_TO_PARENT, TRANSFER_TO_PEER, TRANSFER_TO_SELF, TRANSFER_UNKNOWN,
    TRANSFER_UNRELATED, filled,
};
use crate::context::Context;
use crate::halt::Failure;
use crate::program::{AgentNode, Tree};

/// Who takes over, and where.
pub(super) struct Handover {
    pub(super) agent: AgentId,
    pub(super) tree: Tree,
    /// The context it becomes a child of.
    pub(super) place: Context,
}

pub(super) fn resolve(
    index: &AppIndex,
    current: &AgentNode,
    target: &str,
    own: &Context,
    parent: &Context,
) -> Result<Handover, Failure> {
    let agent = current.id;
    let to = |agent, tree, place: &Context| Ok(Handover { agent, tree, place: place.clone() });
    let name = |id: AgentId| &index.agent(id).name;
    if **name(agent) == *target {
        return Err(Failure::data(filled(TRANSFER_TO_SELF, &[("NAME", target)])));
    }
    let below = |id: AgentId| index.sub_agents(id).iter().copied().find(|id| **name(*id) == *target);
    if let Some(child) = below(agent) {
        return to(child, current.tree.clone(), own);
    }
    let places = [("FROM", &**name(agent)), ("TO", target)];
    let above = index.parent(agent);
    if let Some(above) = above.filter(|above| **name(*above) == *target) {
        if !index.agent(agent).allows_transfer_to_parent() {
            return Err(Failure::data(filled(TRANSFER_TO_PARENT, &places)));
        }
        return to(above, current.tree.above(agent), &place_of_parent(own, target));
    }
    if let Some(peer) = above.and_then(below) {
        if !index.agent(agent).allows_transfer_to_peers() {
            return Err(Failure::data(filled(TRANSFER_TO_PEER, &places)));
        }
        return to(peer, current.tree.above(agent), parent);
    }
    let root = index.root(agent);
    if index.find_below(root, target).is_none() {
        return Err(Failure::value_error(filled(TRANSFER_UNKNOWN, &[("NAME", target)])));
    }
    let available = names_below(index, root).join(", ");
    let mut message = filled(TRANSFER_UNRELATED, &places);
    if index.agent(agent).is_llm() && !available.is_empty() {
        message += &filled(TRANSFER_AVAILABLE, &[("NAMES", &available)]);
    }
    Err(Failure::value_error(message))
}

/// The context above the parent's own; the outermost one where the parent did not run in this turn.
fn place_of_parent(own: &Context, parent: &str) -> Context {
    let up = || std::iter::successors(Some(own), |context| context.parent());
    let ran = up().find(|context| context.node().is_some_and(|node| **node.name() == *parent));
    let above = ran.and_then(|context| context.parent()).or_else(|| up().last());
    above.unwrap_or(own).clone()
}

/// All agents of a tree, parents first.
pub(crate) fn names_below(index: &AppIndex, top: AgentId) -> Vec<String> {
    let mut names = vec![index.agent(top).name.to_string()];
    for sub_agent in index.sub_agents(top) {
        names.extend(names_below(index, *sub_agent));
    }
    names
}
