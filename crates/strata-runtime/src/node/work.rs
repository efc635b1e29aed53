//! The work of a node, by what it is.

use std::sync::Arc;

use super::{agent, function, inputs, tool, worker, workflow};
use crate::context::Context;
use crate::events::Outlet;
use crate::halt::Halt;
use crate::host::Value;
use crate::program::{Node, NodeKind};

/// The work of a node: what it gives goes to `outlet` as events.
pub(crate) async fn work(
    node: Arc<Node>,
    context: Context,
    input: Value,
    outlet: Outlet,
) -> Result<(), Halt> {
    let input = inputs::validated(&node, input)?;
    match &node.kind {
        NodeKind::Agent(agent) => agent::work(agent, &node, context, input, outlet).await,
        NodeKind::Workflow(_) => workflow::work(node.clone(), context, input).await,
        NodeKind::Code(code) => function::work(code, &node, context, input, outlet).await,
        NodeKind::Join => function::join(&node, &context, input, outlet).await,
        NodeKind::Tool(tool) => tool::work(tool, &node, context, input, outlet).await,
        NodeKind::Worker { node: inner, most_at_once } => {
            worker::work(inner, *most_at_once, &context, input, outlet).await
        }
    }
}
