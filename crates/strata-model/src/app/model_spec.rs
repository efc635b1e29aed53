//! Models as agents name them.

use super::words::ModelFamily;
use crate::Str;
use crate::decode::{Decoder, FromJson};
use crate::json::{Json, Object};

/// The model an agent calls: a name, or a name with its class.
#[derive(Debug, Clone, PartialEq, Hash)]
pub struct ModelSpec {
    pub name: Str,
    pub family: ModelFamily,
    pub use_interactions_api: bool,
    /// The model can combine a response schema with tools.
    pub output_schema_and_tools: bool,
}

impl ModelSpec {
    pub fn gemini(name: impl Into<Str>) -> Self {
        Self {
            name: name.into(),
            family: ModelFamily::Gemini,
            use_interactions_api: false,
            output_schema_and_tools: false,
        }
    }
}

impl ModelSpec {
    /// A model that nothing names: it has no name, and nobody knows its price.
    pub fn unknown() -> Self {
        Self { family: ModelFamily::Unknown, ..Self::gemini("") }
    }

    /// Whether it says which model is called; an empty name says that another one is inherited.
    pub fn is_set(&self) -> bool {
        !self.name.is_empty() || self.family == ModelFamily::Unknown
    }
}

impl FromJson for ModelSpec {
    const EXPECTED: &'static str = "a model name or {name, kind}";

    fn from_json(value: Json, decoder: &mut Decoder) -> Result<Self, Json> {
        if let Json::String(name) = value {
            return Ok(Self::gemini(name));
        }
        let Some(Json::String(name)) = value.get("name") else { return Err(value) };
        let mut spec = Self::gemini(name.clone());
        if let Some(kind) = value.get("kind") {
            match ModelFamily::from_json(kind.clone(), decoder) {
                Ok(family) => spec.family = family,
                Err(_) => return Err(value),
            }
        }
        let flag = |key: &str| value.get(key).and_then(Json::as_bool) == Some(true);
        spec.use_interactions_api = flag("use_interactions_api");
        spec.output_schema_and_tools = flag("output_schema_and_tools");
        Ok(spec)
    }

    fn to_json(&self) -> Json {
        if *self == Self::gemini(self.name.clone()) {
            return Json::String(self.name.clone());
        }
        let mut out = Object::new();
        out.push("name", self.name.clone());
        out.push("kind", self.family.as_str());
        if self.use_interactions_api {
            out.push("use_interactions_api", true);
        }
        if self.output_schema_and_tools {
            out.push("output_schema_and_tools", true);
        }
        Json::Object(out)
    }
}
