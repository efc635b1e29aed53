//! What tools take, as their declarations say it.

use strata_model::app::Tool;
use strata_model::{Json, Object, Str};

/// The arguments of a tool, by their names.
#[derive(Debug, Default)]
pub(crate) struct Parameters {
    pub(crate) all: Vec<Str>,
    pub(crate) required: Vec<Str>,
}

impl Parameters {
    pub(crate) fn of(tool: &Tool) -> Self {
        match tool {
            Tool::Function { declaration, .. } | Tool::LongRunningFunction { declaration } => {
                let schema =
                    declaration.get("parametersJsonSchema").or_else(|| declaration.get("parameters"));
                schema.map(Self::of_schema).unwrap_or_default()
            }
            Tool::TypedFunction { params, .. } => {
                let required = params.iter().filter(|param| param.default.is_none());
                Self {
                    all: params.iter().map(|param| param.name.clone()).collect(),
                    required: required.map(|param| param.name.clone()).collect(),
                }
            }
            Tool::AgentTool { agent, .. } => match &agent.input_schema {
                Some(schema) => Self::of_schema(&schema.json_schema),
                None => Self::one("request"),
            },
            Tool::LoadMemory => Self::one("query"),
            Tool::RequestInput => Self {
                all: vec!["message".into(), "response_schema".into()],
                required: vec!["message".into()],
            },
            _ => Self::default(),
        }
    }

    fn one(name: &str) -> Self {
        Self { all: vec![name.into()], required: vec![name.into()] }
    }

    fn of_schema(schema: &Json) -> Self {
        let properties = schema.get("properties").and_then(Json::as_object);
        let required = schema.get("required").and_then(Json::as_array).unwrap_or_default();
        Self {
            all: properties.into_iter().flat_map(Object::keys).cloned().collect(),
            required: required.iter().filter_map(|name| name.as_text().cloned()).collect(),
        }
    }
}
