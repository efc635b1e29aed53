//! A node that runs once for each item of its input, side by side.

use std::sync::Arc;

use strata_model::app::SchemaKind;
use strata_model::{Content, Event, Json};

use super::inputs::payload_of;
use crate::context::Context;
use crate::event_rules::text_of;
use crate::events::Outlet;
use crate::halt::Halt;
use crate::host::Value;
use crate::program::{Node, NodeKind};
use crate::run_node::RunNode;
use crate::tasks::{Group, WAITING_FOR_SEVERAL, step_back};

/// Runs `node` for each item, at most so many at once.
pub(super) async fn work(
    node: &Arc<Node>,
    most_at_once: Option<usize>,
    context: &Context,
    input: Value,
    outlet: Outlet,
) -> Result<(), Halt> {
    let items = items_of(node, input);
    if items.is_empty() {
        outlet.emit(Event { output: Some(Vec::new().into()), ..Event::default() }).await;
        return Ok(());
    }
    let mut results = vec![Json::Null; items.len()];
    let mut waiting = items.into_iter();
    let mut group: Group<Value> = Group::new();
    let mut is_interrupted = false;
    let outcome = loop {
        while !is_interrupted && most_at_once.is_none_or(|most| group.len() < most) {
            let Some(item) = waiting.next() else { break };
            let run = RunNode::new(node.clone(), item).on_sub_branch();
            group.push(context.invocation().spawn(|own| context.run_node(run.stopped_by(own.cancel))));
        }
        if group.is_empty() {
            break Ok(());
        }
        let mut failure = None;
        let ended = group.ended().await;
        step_back(WAITING_FOR_SEVERAL).await;
        for (at, ended) in ended {
            match ended {
                Ok(value) => results[at] = value.to_json(),
                Err(Halt::Interrupted) => is_interrupted = true,
                Err(halt) => failure = failure.or(Some(halt)),
            }
        }
        if let Some(halt) = failure {
            break Err(halt);
        }
    };
    group.stop().await;
    outcome?;
    if is_interrupted {
        return Err(Halt::Interrupted);
    }
    outlet.emit(Event { output: Some(results.into()), ..Event::default() }).await;
    Ok(())
}

fn items_of(node: &Node, input: Value) -> Vec<Value> {
    let input = match input {
        Value::Content(content) => unwrapped(node, &content),
        other => other,
    };
    match input {
        Value::Json(Json::Array(items)) => items.into_iter().map(Value::Json).collect(),
        other => vec![other],
    }
}

/// The JSON in what the user said, where it is text alone.
fn unwrapped(node: &Node, content: &Arc<Content>) -> Value {
    if content.parts().is_empty() || content.parts().iter().any(|part| part.text.is_none()) {
        return Value::Content(content.clone());
    }
    let payload = payload_of(content);
    if !matches!(payload, Json::Array(_)) && expects_text(node) {
        return Json::from(text_of(content)).into();
    }
    payload.into()
}

fn expects_text(node: &Node) -> bool {
    let by_schema = node.input_schema.as_deref().is_some_and(|schema| {
        schema.kind == SchemaKind::Primitive && schema.annotation.as_deref() == Some("str")
    });
    let by_annotation =
        matches!(&node.kind, NodeKind::Code(code) if code.input_type.as_deref() == Some("str"));
    by_schema || by_annotation
}
