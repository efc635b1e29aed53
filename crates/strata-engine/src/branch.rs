//! Branches as the runtime makes them: segments `name@run`, joined by dots.

/// The ids of runs along a branch, outermost first.
pub fn run_ids(branch: &str) -> impl DoubleEndedIterator<Item = &str> {
    let ids = branch.split('.').filter_map(|segment| segment.rsplit_once('@').map(|(_, id)| id));
    ids.filter(|id| !id.is_empty())
}

/// Whether a tool of a node speaks on the branch, and not the node itself: its last segment ends with the id of a call,
/// and has another name.
pub fn is_tool_branch(branch: &str, node_name: &str, is_call: impl Fn(&str) -> bool) -> bool {
    let leaf = branch.rsplit('.').next().unwrap_or(branch);
    leaf.rsplit_once('@').is_some_and(|(name, id)| name != node_name && is_call(id))
}

/// The branch below `base` for a run of a node.
pub fn sub_branch(base: Option<&str>, segment: &str) -> String {
    match base.filter(|base| !base.is_empty()) {
        Some(base) => format!("{base}.{segment}"),
        None => segment.to_owned(),
    }
}

/// The segments that several branches begin with.
pub fn common_prefix<'b>(branches: impl IntoIterator<Item = &'b str>) -> String {
    let segments = |branch: &'b str| -> Vec<&'b str> {
        if branch.is_empty() { Vec::new() } else { branch.split('.').collect() }
    };
    let mut branches = branches.into_iter().map(segments);
    let Some(mut common) = branches.next() else { return String::new() };
    for branch in branches {
        let n_same = common.iter().zip(&branch).take_while(|(a, b)| a == b).count();
        common.truncate(n_same);
    }
    common.join(".")
}
