//! Usage in attributes, in every set of names.

use strata_model::take::unpacked;
use strata_model::{Json, Object};
use strata_wire::usage::spelling::{MLFLOW, SPAN};
use strata_wire::usage::{self, UsageReport};

pub(super) fn reported(attributes: &Object) -> Option<UsageReport> {
    let counts = SPAN.read(attributes);
    let is_said = counts.input.is_some() || counts.output.is_some();
    is_said.then(|| counts.into()).or_else(|| written_down(attributes))
}

/// Counts that are written as text into one attribute.
fn written_down(attributes: &Object) -> Option<UsageReport> {
    let details = |name: &str| match unpacked(attributes.get(name)?.clone()) {
        Json::Object(details) => Some(details),
        _ => None,
    };
    if let Some(details) = details("langfuse.observation.usage_details") {
        return usage::read(details, "usage_details", &mut ());
    }
    let counts = MLFLOW.read(&details("mlflow.chat.tokenUsage")?);
    (!counts.is_empty()).then(|| counts.into())
}
