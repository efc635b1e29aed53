//! How an agent is made to plan.

use crate::decode::{Decoder, FromJson};
use crate::json::{Json, Object};

/// How an agent is made to plan.
#[derive(Debug, Clone, PartialEq, Hash)]
pub enum Planner {
    /// ADK's instruction for models that do not think by themselves.
    PlanReAct,
    /// The model's own thinking, configured.
    BuiltIn { thinking_config: Object },
}

impl FromJson for Planner {
    const EXPECTED: &'static str = "{type: plan_re_act} or {type: built_in, thinking_config}";

    fn from_json(value: Json, _: &mut Decoder) -> Result<Self, Json> {
        match value.get("type").and_then(Json::as_str) {
            Some("plan_re_act") => Ok(Self::PlanReAct),
            Some("built_in") => {
                let config = value.get("thinking_config").or_else(|| value.get("thinkingConfig"));
                let thinking_config = config.and_then(Json::as_object).cloned().unwrap_or_default();
                Ok(Self::BuiltIn { thinking_config })
            }
            _ => Err(value),
        }
    }

    fn to_json(&self) -> Json {
        let mut out = Object::new();
        match self {
            Self::PlanReAct => out.push("type", "plan_re_act"),
            Self::BuiltIn { thinking_config } => {
                out.push("type", "built_in");
                out.push("thinking_config", thinking_config.clone());
            }
        }
        Json::Object(out)
    }
}
