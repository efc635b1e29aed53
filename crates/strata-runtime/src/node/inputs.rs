//! What nodes take, brought into the form they declare.

use std::sync::Arc;

use strata_engine::input_content;
use strata_model::app::{OutputSchema, SchemaKind};
use strata_model::{Content, Json, json};

use crate::event_rules::text_of;
use crate::halt::Failure;
use crate::host::Value;
use crate::program::{Node, NodeKind};
use crate::schema;

/// The words of a content as JSON, if they are any.
pub(crate) fn payload_of(content: &Content) -> Json {
    let text = text_of(content);
    json::parse(text.as_bytes()).unwrap_or_else(|_| Json::from(text))
}

/// The input as a node's schema has it.
pub(super) fn validated(node: &Node, input: Value) -> Result<Value, Failure> {
    let Some(schema) = node.input_schema.as_deref() else { return Ok(input) };
    match (&node.kind, input) {
        (NodeKind::Join, Value::Joined(values)) => {
            let checked = values.into_iter().map(|(name, value)| Ok((name, by_schema(schema, value)?)));
            Ok(Value::Joined(checked.collect::<Result<_, Failure>>()?))
        }
        (_, input) => by_schema(schema, input),
    }
}

fn by_schema(schema: &OutputSchema, input: Value) -> Result<Value, Failure> {
    if input.is_none() {
        return Ok(input);
    }
    let is_text = schema.kind == SchemaKind::Primitive && schema.annotation.as_deref() == Some("str");
    let value = match &input {
        Value::Content(content) if is_text => return Ok(Json::from(text_of(content)).into()),
        Value::Content(content) => payload_of(content),
        Value::Json(json @ Json::String(_)) if is_text => return Ok(json.clone().into()),
        other => other.to_json(),
    };
    schema::validate(schema, &value).map(Value::Json)
}

/// An output as the node's schema has it.
pub(super) fn checked_output(node: &Node, output: Json) -> Result<Json, Failure> {
    match node.output_schema.as_deref() {
        Some(schema) if !output.is_null() => schema::validate(schema, &output),
        _ => Ok(output),
    }
}

/// A value as a parameter takes it that is annotated with a Python type.
pub(super) fn by_annotation(annotation: &str, value: Value) -> Result<Value, Failure> {
    if matches!(annotation, "Any" | "object" | "Content") {
        return Ok(value);
    }
    let value = match &value {
        Value::Content(content) if annotation == "str" => Json::from(text_of(content)),
        Value::Content(content) => payload_of(content),
        other => other.to_json(),
    };
    schema::coerce_to(annotation, &value).map(Value::Json)
}

/// An input as the user's words to an agent.
pub(crate) fn as_user_content(input: &Value) -> Arc<Content> {
    match input {
        Value::Content(content) => Arc::new(Content { role: Some("user".into()), ..Content::clone(content) }),
        value => input_content(&value.to_json()),
    }
}
