//! An OpenAPI document made ready: references are what they refer to, and types those that JSON Schema has.

use std::collections::{BTreeMap, BTreeSet};

use strata_model::{Json, Object};

const TYPES: [&str; 7] = ["array", "boolean", "integer", "null", "number", "object", "string"];

/// Values of a prepared document. References multiply what they refer to, and some documents refer to themselves in
/// all ways there are.
const MAX_VALUES: usize = 2_000_000;

/// The document without references and with types in lower case.
pub(super) fn prepared(document: &Json) -> Result<Json, String> {
    let mut resolver = Resolver { document, known: BTreeMap::new(), seen: BTreeSet::new(), n_values: 0 };
    let resolved = resolver.resolve(document)?;
    Ok(sanitized(resolved, false))
}

struct Resolver<'d> {
    document: &'d Json,
    known: BTreeMap<String, Json>,
    seen: BTreeSet<String>,
    n_values: usize,
}

impl Resolver<'_> {
    fn resolve(&mut self, value: &Json) -> Result<Json, String> {
        self.n_values += 1;
        if self.n_values > MAX_VALUES {
            return Err("its references unfold to more than can be read".to_owned());
        }
        Ok(match value {
            Json::Object(object) => match object.get("$ref").and_then(Json::as_str) {
                Some(reference) => self.referred(reference, object)?,
                None => {
                    let mut resolved = Object::new();
                    for (key, value) in object.iter() {
                        resolved.push(key.clone(), self.resolve(value)?);
                    }
                    resolved.into()
                }
            },
            Json::Array(items) => {
                items.iter().map(|item| self.resolve(item)).collect::<Result<Vec<_>, _>>()?.into()
            }
            other => other.clone(),
        })
    }

    fn referred(&mut self, reference: &str, object: &Object) -> Result<Json, String> {
        if let Some(known) = self.known.get(reference) {
            self.n_values += weight(known);
            return Ok(known.clone());
        }
        // What refers to itself ends here, as in google-adk: without the reference.
        if !self.seen.insert(reference.to_owned()) {
            return Ok(object
                .iter()
                .filter(|(key, _)| &***key != "$ref")
                .map(|(key, value)| (key.clone(), value.clone()))
                .collect::<Object>()
                .into());
        }
        let found = self.found(reference)?.cloned();
        let Some(found) = found else { return Ok(object.clone().into()) };
        let resolved = self.resolve(&found)?;
        self.known.insert(reference.to_owned(), resolved.clone());
        Ok(resolved)
    }

    fn found(&self, reference: &str) -> Result<Option<&Json>, String> {
        let mut parts = reference.split('/');
        if parts.next() != Some("#") {
            return Err(format!("it refers to another document ({reference}); put all of it in one"));
        }
        let mut current = self.document;
        for part in parts {
            match current.get(part) {
                Some(next) => current = next,
                None => return Ok(None),
            }
        }
        Ok(Some(current))
    }
}

fn weight(value: &Json) -> usize {
    match value {
        Json::Object(object) => 1 + object.values().map(weight).sum::<usize>(),
        Json::Array(items) => 1 + items.iter().map(weight).sum::<usize>(),
        _ => 1,
    }
}

/// With types of JSON Schema alone, wherever a schema stands.
fn sanitized(value: Json, in_schema: bool) -> Json {
    match value {
        Json::Object(object) => {
            let mut out = Object::new();
            for (key, value) in object {
                let value = match (in_schema && &*key == "type", value) {
                    (true, Json::String(name)) => match known_type(&name) {
                        Some(name) => name.into(),
                        None => continue,
                    },
                    (true, Json::Array(names)) => {
                        let mut known: Vec<&str> = Vec::new();
                        for name in names.iter().filter_map(Json::as_str).filter_map(known_type) {
                            if !known.contains(&name) {
                                known.push(name);
                            }
                        }
                        if known.is_empty() {
                            continue;
                        }
                        known.into_iter().map(Json::from).collect::<Vec<_>>().into()
                    }
                    (_, other) => sanitized(other, in_schema || matches!(&*key, "schema" | "schemas")),
                };
                out.push(key, value);
            }
            out.into()
        }
        Json::Array(items) => {
            items.iter().cloned().map(|item| sanitized(item, in_schema)).collect::<Vec<_>>().into()
        }
        other => other,
    }
}

fn known_type(name: &str) -> Option<&'static str> {
    TYPES.into_iter().find(|known| known.eq_ignore_ascii_case(name))
}
