//! Conversations that are kept as a tree: every message names the one it follows, and one leaf is where the talk stands.

use std::collections::HashMap;

use strata_model::Str;

/// A message of the tree, in the order of the file.
#[derive(Debug, Clone)]
pub(crate) struct TreeNode {
    pub(crate) id: Str,
    /// `None` at the root.
    pub(crate) parent: Option<Str>,
}

/// The branch of each node: none for those on the path to the leaf, `main.abandoned-<n>` for those that were left. What was
/// left again while it was worked on lies below: `main.abandoned-1.abandoned-2`.
///
/// A node whose parent is not there begins where the path does.
pub(crate) fn branches(nodes: &[TreeNode], leaf: Option<usize>) -> Vec<Option<Str>> {
    let places: HashMap<&str, usize> = nodes.iter().enumerate().map(|(at, node)| (&*node.id, at)).collect();
    // A parent stands before its children; anything else would be a circle.
    let parent_of = |at: usize| {
        let parent = nodes[at].parent.as_deref().and_then(|parent| places.get(parent)).copied();
        parent.filter(|parent| *parent < at)
    };
    let mut is_on_path = vec![false; nodes.len()];
    let mut at = leaf.filter(|leaf| *leaf < nodes.len());
    while let Some(place) = at {
        is_on_path[place] = true;
        at = parent_of(place);
    }
    let mut names: Vec<Option<Str>> = vec![None; nodes.len()];
    let mut is_continued = vec![false; nodes.len()];
    let mut n_abandoned = 0;
    for at in (0..nodes.len()).filter(|at| !is_on_path[*at]) {
        let parent = parent_of(at);
        let above = parent.and_then(|parent| names[parent].clone());
        let goes_on = parent.filter(|parent| above.is_some() && !is_continued[*parent]);
        names[at] = match goes_on {
            Some(parent) => {
                is_continued[parent] = true;
                above
            }
            None => {
                n_abandoned += 1;
                let above = above.as_deref().unwrap_or("main");
                Some(format!("{above}.abandoned-{n_abandoned}").into())
            }
        };
    }
    names
}

#[cfg(test)]
mod tests {
    use super::{TreeNode, branches};

    fn named(pairs: &[(&str, &str)], leaf: usize) -> Vec<String> {
        let nodes: Vec<TreeNode> = pairs
            .iter()
            .map(|(id, parent)| TreeNode {
                id: (*id).into(),
                parent: (!parent.is_empty()).then(|| (*parent).into()),
            })
            .collect();
        branches(&nodes, Some(leaf)).iter().map(|name| name.as_deref().unwrap_or("-").to_owned()).collect()
    }

    #[test]
    fn what_was_left_lies_beside_the_path() {
        let pairs = [("a", ""), ("b", "a"), ("c", "b"), ("d", "c"), ("e", "b"), ("f", "e")];
        assert_eq!(named(&pairs, 5), ["-", "-", "main.abandoned-1", "main.abandoned-1", "-", "-"]);
        assert_eq!(named(&pairs, 3), ["-", "-", "-", "-", "main.abandoned-1", "main.abandoned-1"]);
    }

    #[test]
    fn what_was_left_twice_lies_below() {
        let pairs = [("a", ""), ("b", "a"), ("c", "b"), ("d", "b"), ("e", "a")];
        assert_eq!(
            named(&pairs, 4),
            ["-", "main.abandoned-1", "main.abandoned-1", "main.abandoned-1.abandoned-2", "-"]
        );
    }

    #[test]
    fn circles_and_lost_parents_end() {
        let pairs = [("a", "c"), ("b", "a"), ("c", "b"), ("d", "nobody"), ("d", "d")];
        assert_eq!(named(&pairs, 2), ["-", "-", "-", "main.abandoned-1", "main.abandoned-2"]);
    }
}
