//! State as instructions are shown it.

use std::collections::BTreeMap;
use strata_engine::{Step, state_fields};
use strata_model::{Json, LlmRequest, Origin, Str, json, python};

use super::stages::CompiledCall;
use crate::Strata;
use crate::api::state::{CallState, StateFieldRow, StateValueRow, StateValues};
use crate::command::Handler;
use crate::error::AppError;

impl Handler for CallState {
    fn run(self, strata: &Strata) -> Result<StateValues, AppError> {
        let compiled = CompiledCall::get(strata, &self.session, self.call)?;
        let context = compiled.context()?;
        let flow = compiled.open.experiment.flow(context.agent_id);
        let sent = sent(&compiled.compilation.working_context());
        let known = context.state.known();
        let row = |(key, value): (&Str, &Json)| {
            let (entries, fields) = state_fields(value);
            StateValueRow {
                key: key.to_string(),
                characters: python::len(&json::to_compact_python(value)) as f64,
                sent_characters: sent.get(key).copied().unwrap_or(0) as f64,
                entries,
                fields: fields
                    .into_iter()
                    .map(|field| StateFieldRow {
                        name: field.name.to_string(),
                        entries: field.entries,
                        characters: field.characters as f64,
                    })
                    .collect(),
                shown: flow.steps().iter().find_map(|step| shown(step, key)).unwrap_or_default(),
            }
        };
        let mut rows: Vec<StateValueRow> = known.iter().map(row).collect();
        rows.sort_by(|a, b| {
            let rank = |row: &StateValueRow| (row.sent_characters == 0.0, -row.characters);
            rank(a).partial_cmp(&rank(b)).unwrap_or(std::cmp::Ordering::Equal)
        });
        Ok(StateValues { rows })
    }
}

/// Characters of each state value in the instruction.
fn sent(request: &LlmRequest) -> BTreeMap<Str, usize> {
    let mut sent = BTreeMap::new();
    for span in request.system_instruction.iter().flat_map(|text| text.spans()) {
        if let Origin::State { key } = &span.origin {
            *sent.entry(key.clone()).or_default() += python::len(&span.text);
        }
    }
    sent
}

/// The fields that a processor shows of a state value, if it is the map of that value.
fn shown(step: &Step, key: &str) -> Option<Vec<String>> {
    let inserted = step.inserted.as_ref().filter(|inserted| &*inserted.kind == "compact_state")?;
    let is_map = step.is_enabled && inserted.params.get("key").and_then(Json::as_str) == Some(key);
    let Some(Json::Array(fields)) = inserted.params.get("fields").filter(|_| is_map) else { return None };
    Some(fields.iter().filter_map(|field| field.as_str().map(str::to_owned)).collect())
}
