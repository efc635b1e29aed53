//! Which nodes of a workflow follow a node.

use strata_model::app::Edge;
use strata_model::{Json, Str};

/// The route that is taken where no other is.
pub const DEFAULT_ROUTE: &str = "__DEFAULT__";

/// The nodes that follow one which took a route, in the order of edges.
pub fn next_nodes(edges: &[Edge], name: &str, route: Option<&Json>) -> Vec<Str> {
    let mut next = Vec::new();
    let mut defaults = Vec::new();
    let mut is_routed = false;
    for edge in edges.iter().filter(|edge| *edge.from == *name) {
        match &edge.route {
            None => next.push(edge.to.clone()),
            Some(Json::String(text)) if **text == *DEFAULT_ROUTE => defaults.push(edge.to.clone()),
            Some(own) if is_taken(own, route) => {
                next.push(edge.to.clone());
                is_routed = true;
            }
            Some(_) => {}
        }
    }
    if !is_routed {
        next.extend(defaults);
    }
    next
}

/// Whether an edge's route, or one of its routes, is among those taken. `true` is 1 here, as in Python.
fn is_taken(own: &Json, taken: Option<&Json>) -> bool {
    let Some(taken) = taken else { return false };
    let list = |route: &Json| match route {
        Json::Array(routes) => routes.clone(),
        route => vec![route.clone()],
    };
    list(own).iter().any(|own| list(taken).iter().any(|taken| is_equal(own, taken)))
}

#[expect(clippy::float_cmp, reason = "as Python compares numbers")]
fn is_equal(a: &Json, b: &Json) -> bool {
    let number = |value: &Json| match value {
        Json::Bool(flag) => Some(f64::from(u8::from(*flag))),
        other => other.as_f64(),
    };
    match (number(a), number(b)) {
        (Some(a), Some(b)) => a == b,
        _ => a == b,
    }
}
