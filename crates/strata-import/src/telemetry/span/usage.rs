//! Usage in attributes, in every set of names. Input includes cached tokens in all of them.

use strata_model::take::unpacked;
use strata_model::{Json, Object};
use strata_wire::usage::spelling::SPAN;
use strata_wire::usage::{self, UsageReport};

pub(super) fn reported(attributes: &Object) -> Option<UsageReport> {
    let counts = SPAN.read(attributes);
    let is_said = counts.input.is_some() || counts.output.is_some();
    is_said.then(|| counts.into()).or_else(|| written_down(attributes))
}

/// Counts that are written as text into one attribute.
fn written_down(attributes: &Object) -> Option<UsageReport> {
    let names = ["langfuse.observation.usage_details", "mlflow.chat.tokenUsage"];
    let details = names.iter().find_map(|name| attributes.get(name))?;
    let Json::Object(details) = unpacked(details.clone()) else { return None };
    usage::read(details, "usage_details", &mut ())
}
