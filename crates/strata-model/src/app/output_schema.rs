//! The form that an agent has to answer in.

use super::words::SchemaKind;
use crate::Str;
use crate::decode::{Decoder, FromJson};
use crate::json::{Json, Object};

/// A schema with the JSON Schema pydantic generates for it.
#[derive(Debug, Clone, PartialEq, Hash)]
pub struct OutputSchema {
    pub kind: SchemaKind,
    /// Name of the Python class.
    pub class: Option<Str>,
    /// Python annotation of a primitive, such as `dict[str, int]`.
    pub annotation: Option<Str>,
    pub json_schema: Json,
}

impl FromJson for OutputSchema {
    const EXPECTED: &'static str = "a JSON Schema or {kind, json_schema}";

    fn from_json(value: Json, decoder: &mut Decoder) -> Result<Self, Json> {
        let Json::Object(object) = &value else { return Err(value) };
        let (Some(kind), Some(json_schema)) =
            (object.get("kind"), object.get("json_schema").or_else(|| object.get("jsonSchema")))
        else {
            return Ok(Self {
                kind: SchemaKind::JsonSchema,
                class: None,
                annotation: None,
                json_schema: value,
            });
        };
        let text = |key: &str| object.get(key).and_then(Json::as_str).map(Str::from);
        match SchemaKind::from_json(kind.clone(), decoder) {
            Ok(kind) => Ok(Self {
                kind,
                class: text("class"),
                annotation: text("annotation"),
                json_schema: json_schema.clone(),
            }),
            Err(_) => Err(value),
        }
    }

    fn to_json(&self) -> Json {
        let mut out = Object::new();
        out.push("kind", self.kind.as_str());
        out.push_some("class", self.class.clone());
        out.push_some("annotation", self.annotation.clone());
        out.push("json_schema", self.json_schema.clone());
        Json::Object(out)
    }
}
