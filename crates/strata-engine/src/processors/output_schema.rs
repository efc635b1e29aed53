//! `output_schema`: where a model cannot be given a response schema beside tools, a tool takes the answer.

use std::sync::Arc;

use strata_model::app::{AgentMode, OutputSchema, SchemaKind};
use strata_model::{AgentField, Declaration, Json, LlmRequest, Object, Origin, RichText, Str};

use crate::adk_text::{OUTPUT_SCHEMA_INSTRUCTION, SET_MODEL_RESPONSE_DESCRIPTION};
use crate::context::CompileContext;
use crate::error::CompileError;
use crate::processor::{Processor, StageOutput};
use crate::sections::Sections;

pub struct OutputSchemaProcessor;

#[derive(Hash)]
pub struct Inputs<'c> {
    agent: &'c Str,
    schema: Option<&'c OutputSchema>,
    has_tools: bool,
    is_task: bool,
    can_combine: bool,
}

impl Processor for OutputSchemaProcessor {
    type Inputs<'c> = Inputs<'c>;

    fn name(&self) -> &'static str {
        "output_schema"
    }

    fn after(&self) -> &'static [&'static str] {
        &["identity"]
    }

    fn reads(&self) -> Sections {
        Sections::SYSTEM | Sections::TOOLS | Sections::TOOL_NAMES
    }

    fn inputs<'c>(&self, context: &'c CompileContext<'c>) -> Inputs<'c> {
        let agent = context.agent();
        Inputs {
            agent: &agent.name,
            schema: agent.output_schema.as_ref(),
            has_tools: context.index.has_tools(context.agent_id),
            is_task: context.mode() == AgentMode::Task,
            can_combine: context.can_combine_schema_and_tools(),
        }
    }

    fn process(
        inputs: Inputs<'_>,
        request: &mut LlmRequest,
        output: &mut StageOutput,
    ) -> Result<(), CompileError> {
        let Some(schema) = inputs.schema else {
            output.note("no schema");
            return Ok(());
        };
        if !inputs.has_tools || inputs.can_combine || inputs.is_task {
            output.note(if inputs.is_task {
                "a task answers through finish_task"
            } else {
                "the model is given the schema itself"
            });
            return Ok(());
        }
        let name: Str = "set_model_response".into();
        let mut declaration = Object::new();
        declaration.push("description", SET_MODEL_RESPONSE_DESCRIPTION);
        declaration.push("name", name.clone());
        declaration.push("parametersJsonSchema", response_parameters(schema));
        let origin = Origin::Agent { name: inputs.agent.clone(), field: AgentField::OutputSchema };
        request.add_declaration(Arc::new(Declaration::new(declaration, origin)));
        request.add_tool_name(&name);
        request.append_system(RichText::from_span(
            OUTPUT_SCHEMA_INSTRUCTION,
            Origin::processor("output_schema"),
        ));
        output.note("the answer goes through set_model_response");
        Ok(())
    }
}

/// The parameters of `set_model_response`: the schema's fields, or one parameter that holds the whole value.
fn response_parameters(schema: &OutputSchema) -> Object {
    let given = schema.json_schema.as_object().cloned().unwrap_or_default();
    let mut parameters = Object::new();
    let mut properties = Object::new();
    let mut required = Vec::new();
    match schema.kind {
        SchemaKind::PydanticModel => {
            properties = given.get("properties").and_then(Json::as_object).cloned().unwrap_or_default();
            required = given.get("required").and_then(Json::as_array).unwrap_or_default().to_vec();
            properties = with_made_defaults(properties, &required);
        }
        SchemaKind::ListOfPydanticModel => {
            properties.push("items", titled(&given, "Items"));
            required.push("items".into());
        }
        SchemaKind::Primitive => {
            properties.push("response", titled(&given, "Response"));
            required.push("response".into());
        }
        SchemaKind::JsonSchema => {
            let mut anything = Object::new();
            anything.push("additionalProperties", true);
            anything.push("type", "object");
            properties.push("response", titled(&anything, "Response"));
            required.push("response".into());
        }
    }
    if schema.kind != SchemaKind::JsonSchema {
        parameters.push_some("$defs", given.get("$defs").cloned());
    }
    parameters.push("properties", properties);
    if !required.is_empty() {
        parameters.push("required", required);
    }
    parameters.push("title", "set_model_responseParams");
    parameters.push("type", "object");
    parameters
}

/// The schema of one parameter: without the definitions, which stand at the top, and with the parameter's title. Pydantic
/// writes the members of a schema in the order of their names.
fn titled(schema: &Object, title: &str) -> Object {
    let mut schema = schema.clone();
    schema.remove("$defs");
    schema.insert("title", title);
    schema.sorted()
}

/// A field that is neither required nor has a default has a default that Python makes: ADK calls the maker.
fn with_made_defaults(mut properties: Object, required: &[Json]) -> Object {
    let names: Vec<Str> = properties.keys().cloned().collect();
    for name in names {
        let is_required = required.iter().any(|known| known.as_str() == Some(&name));
        let Some(Json::Object(property)) = properties.get_mut(&name) else { continue };
        if is_required || property.contains_key("default") {
            continue;
        }
        let made: Option<Json> = match property.get("type").and_then(Json::as_str) {
            Some("array") => Some(Vec::new().into()),
            Some("object") => Some(Object::new().into()),
            _ => None,
        };
        if let Some(made) = made {
            property.push("default", made);
        }
    }
    properties
}
