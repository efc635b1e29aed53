//! Nodes that are the host's code.

use std::sync::Arc;

use strata_model::app::{CodeNode, CodeNodeKind};
use strata_model::{Event, Json, Object};

use super::inputs::{by_annotation, checked_output};
use super::{dump, request};
use crate::adk_text::{MISSING_PARAMETER, filled};
use crate::context::{Context, NodeCall};
use crate::events::{Events, Outlet};
use crate::halt::{Failure, Halt};
use crate::host::{Item, Value};
use crate::program::Node;
use crate::schema;

/// What is given in place of the output of a node that was not approved.
fn rejection() -> Json {
    Object::from_iter([("error", strata_engine::adk_text::CONFIRMATION_REJECTED)]).into()
}

/// Runs a function node or a node of the app's own kind.
pub(super) async fn work(
    code: &Arc<CodeNode>,
    node: &Arc<Node>,
    context: Context,
    input: Value,
    outlet: Outlet,
) -> Result<(), Halt> {
    let is_function = code.kind == CodeNodeKind::Function;
    let (input, params) = if is_function { bound(code, &context, input)? } else { (input, Object::new()) };
    let mut has_answer = false;
    if is_function && code.require_confirmation == Some(true) {
        match request::confirmation_answer(&context)? {
            Some(answer) if !answer.is_confirmed => {
                outlet.emit(Event { output: Some(rejection()), ..Event::default() }).await;
                return Ok(());
            }
            Some(_) => has_answer = true,
            None => {
                let asked =
                    request::confirmation(&context, &node.name, described(code, &input, &params), None, None);
                outlet.emit(request::event_of(asked, &context)).await;
                return Ok(());
            }
        }
    }
    let host = context.invocation().run.host.code.clone();
    let invocation = context.invocation();
    let own = context.clone();
    let code = code.clone();
    let mut items = Events::new(|items| async move {
        let call = NodeCall { node: &code, input, params, context: &own, outlet: items };
        // Code waits through its context, so that it stops where it waits.
        invocation.wait(host.run_node(call)).await?
    });
    let mut has_told = false;
    while let Some(item) = items.next().await? {
        let whole = match &item {
            Item::Content(content) if !is_function => Some(Value::Content(Arc::new(content.clone()))),
            _ => None,
        };
        if let Some(event) = event_of(item, is_function, node, &context)? {
            has_told = true;
            outlet.emit(event).await;
            pass_on(node, &context, whole);
        }
    }
    if has_answer && !has_told {
        outlet.emit(Event::default()).await;
    }
    Ok(())
}

/// The input and the parameters as the function's signature has them.
fn bound(code: &CodeNode, context: &Context, input: Value) -> Result<(Value, Object), Failure> {
    let input = match code.input_type.as_deref() {
        Some(annotation) if code.no_input != Some(true) => by_annotation(annotation, input)?,
        _ => input,
    };
    let mut params = Object::new();
    for parameter in code.params.iter().flatten() {
        let value = match (context.state_value(&parameter.name), &parameter.default) {
            (Some(value), _) => match parameter.kind.as_deref() {
                Some(annotation) => schema::coerce_to(annotation, &value)?,
                None => value,
            },
            (None, Some(default)) => default.clone(),
            (None, None) => {
                let places = [("PARAMETER", &*parameter.name), ("NAME", &*code.name), ("SOURCE", "state")];
                return Err(Failure::data(filled(MISSING_PARAMETER, &places)));
            }
        };
        params.push(parameter.name.clone(), value);
    }
    Ok((input, params))
}

/// The arguments of a function, as the question about it shows them.
fn described(code: &CodeNode, input: &Value, params: &Object) -> Object {
    let mut args = Object::new();
    if code.no_input != Some(true) {
        let shown = match input {
            Value::Content(content) => dump::content(content),
            other => other.to_json(),
        };
        args.push("node_input", shown);
    }
    args.update(params);
    args
}

/// What an item becomes; `None`: nothing is told of it.
fn event_of(item: Item, is_function: bool, node: &Node, context: &Context) -> Result<Option<Event>, Halt> {
    let event = match item {
        Item::Output(Json::Null) => {
            // A function that gave nothing still tells what it wrote.
            let has_deltas = is_function && !context.actions().state_delta.is_empty();
            return Ok(has_deltas.then(Event::default));
        }
        Item::Output(output) => Event { output: Some(checked_output(node, output)?), ..Event::default() },
        Item::Content(content) if is_function => {
            Event { content: Some(Arc::new(content)), ..Event::default() }
        }
        Item::Content(content) => {
            use strata_model::FromJson as _;
            Event { output: Some(content.to_json()), ..Event::default() }
        }
        Item::Event(event) => {
            let mut event = *event;
            event.output = event.output.filter(|output| !output.is_null());
            if let Some(output) = event.output.take() {
                event.output = Some(checked_output(node, output)?);
            }
            event
        }
        Item::Input(request) => request::event_of(request, context),
    };
    Ok(Some(event))
}

/// Nodes that follow are given the value itself, and not what an event shows of it.
fn pass_on(node: &Node, context: &Context, whole: Option<Value>) {
    if whole.is_some() && node.output_schema.is_none() {
        context.run().output = whole;
    }
}

/// A join gives what it was given.
pub(super) async fn join(node: &Node, context: &Context, input: Value, outlet: Outlet) -> Result<(), Halt> {
    let event = Event {
        output: Some(checked_output(node, input.to_json())?).filter(|output| !output.is_null()),
        branch: context.branch(),
        ..Event::default()
    };
    outlet.emit(event).await;
    pass_on(node, context, Some(input).filter(|input| !input.is_none()));
    Ok(())
}
