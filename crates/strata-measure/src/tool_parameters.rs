//! Parameters of tools that no call of a session passes.

use std::collections::HashMap;

use strata_engine::Experiment;
use strata_model::{Json, Object, json};

/// Calls of a tool from which on what none of them passes is spare: one call says little of the next.
const LEAST_CALLS: usize = 3;
/// Bytes of a declaration, as compact JSON, from which on leaving them out is worth it.
const LEAST_BYTES: usize = 1000;

/// What the calls of a session pass to their tools, by the tools' names.
pub(crate) struct PassedArguments<'s>(HashMap<&'s str, Vec<Option<&'s Object>>>);

/// A declaration without the parameters that no call passes.
#[derive(Debug, PartialEq)]
pub(crate) struct SpareParameters {
    pub declaration: Object,
    /// `filters`, `order.direction`; in the order of the declaration.
    pub names: Vec<String>,
    /// Calls of the tool.
    pub n_calls: usize,
    /// Bytes of the declaration as compact JSON, and of these, the ones that are spare.
    pub n_bytes: usize,
    pub n_spare: usize,
}

impl<'s> PassedArguments<'s> {
    pub(crate) fn of(experiment: &'s Experiment) -> Self {
        let mut calls: HashMap<&str, Vec<Option<&Object>>> = HashMap::new();
        for call in experiment.session().events.iter().flat_map(|event| event.function_calls()) {
            if let Some(name) = call.name.as_deref() {
                calls.entry(name).or_default().push(call.args.as_deref());
            }
        }
        Self(calls)
    }

    /// The declaration of a tool without what its calls never pass. What is required stays, since a call without it is
    /// refused. `None` where that is little, and where too few calls tell.
    pub(crate) fn spare(&self, declaration: &Object) -> Option<SpareParameters> {
        let name = declaration.get("name")?.as_str()?;
        let calls = self.0.get(name).filter(|calls| calls.len() >= LEAST_CALLS)?;
        let key =
            ["parameters", "parametersJsonSchema"].into_iter().find(|key| declaration.contains_key(key))?;
        let schema = declaration.get(key)?.as_object()?;
        let values: Vec<Json> = calls.iter().flatten().map(|args| Json::Object((*args).clone())).collect();
        let values: Vec<&Json> = values.iter().collect();
        let mut names = Vec::new();
        let mut without = passed_only(schema, &values, "", &mut names);
        drop_definitions(&mut without);
        let size = |object: &Object| json::to_compact(&Json::Object(object.clone())).len();
        let mut shorter = declaration.clone();
        shorter.insert(key, without);
        let n_bytes = size(declaration);
        let n_spare = n_bytes.saturating_sub(size(&shorter));
        (n_spare >= LEAST_BYTES && !names.is_empty()).then_some(SpareParameters {
            declaration: shorter,
            names,
            n_calls: calls.len(),
            n_bytes,
            n_spare,
        })
    }
}

/// A schema without the properties that none of the values has, at any depth. Their names go to `names`.
fn passed_only(schema: &Object, values: &[&Json], path: &str, names: &mut Vec<String>) -> Object {
    let mut out = schema.clone();
    if let Some(items) = schema.get("items").and_then(Json::as_object) {
        let inner: Vec<&Json> = values.iter().filter_map(|value| value.as_array()).flatten().collect();
        if !inner.is_empty() {
            out.insert("items", passed_only(items, &inner, path, names));
        }
    }
    let Some(properties) = schema.get("properties").and_then(Json::as_object) else { return out };
    let required = schema.get("required").and_then(Json::as_array).unwrap_or_default();
    let mut kept = Object::new();
    for (name, property) in properties.iter() {
        let passed: Vec<&Json> = values.iter().filter_map(|value| value.as_object()?.get(name)).collect();
        let path = if path.is_empty() { name.to_string() } else { format!("{path}.{name}") };
        let is_required = required.iter().any(|known| known.as_str() == Some(name));
        match property.as_object() {
            _ if passed.is_empty() && !is_required => names.push(path),
            Some(inner) if !passed.is_empty() => {
                kept.push(name.clone(), passed_only(inner, &passed, &path, names));
            }
            _ => kept.push(name.clone(), property.clone()),
        }
    }
    out.insert("properties", kept);
    out
}

/// Leaves out the definitions that nothing refers to any more.
fn drop_definitions(schema: &mut Object) {
    for key in ["$defs", "definitions"] {
        loop {
            let text = json::to_compact(&Json::Object(schema.clone()));
            let Some(Json::Object(definitions)) = schema.get_mut(key) else { break };
            let n_before = definitions.len();
            definitions.retain(|name, _| text.contains(&format!("\"#/{key}/{name}\"")));
            if definitions.is_empty() {
                schema.remove(key);
                break;
            }
            if definitions.len() == n_before {
                break;
            }
        }
    }
}
